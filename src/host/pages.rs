//! Which pages memory lies on, as the kernel tells of this program
//! (`/proc/self/smaps`, Documentation/filesystems/proc.rst).

/// True when all `len` bytes at `start` lie on transparent huge pages by now.
/// False also where it cannot be read.
pub(super) fn on_huge_pages(start: usize, len: usize) -> bool {
    std::fs::read_to_string("/proc/self/smaps").is_ok_and(|smaps| huge_bytes(&smaps, start, len) >= len)
}

/// Bytes on huge pages in the areas that have a part in this range. An area
/// has the kernel's leave for huge pages or not as a whole, so that other
/// memory is in the sum only if it asked for them too.
fn huge_bytes(smaps: &str, start: usize, len: usize) -> usize {
    let mut inside = false;
    let mut bytes = 0;
    for line in smaps.lines() {
        let first = line.split_ascii_whitespace().next().unwrap_or_default();
        let address = |text| usize::from_str_radix(text, 16).ok();
        if let Some((from, to)) = first.split_once('-').and_then(|(f, t)| Some((address(f)?, address(t)?))) {
            inside = from < start.saturating_add(len) && start < to;
        } else if let (true, Some(rest)) = (inside, line.strip_prefix("AnonHugePages:")) {
            let kib: usize = rest.trim().strip_suffix(" kB").and_then(|n| n.parse().ok()).unwrap_or(0);
            bytes += kib * 1024;
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMAPS: &str = "\
7f0000000000-7f0000200000 rw-p 00000000 00:00 0 
Size:               2048 kB
AnonHugePages:      2048 kB
VmFlags: rd wr mr mw me ac sd 
7f0000200000-7f0000a00000 rw-p 00000000 00:00 0                          [anon: a name]
Size:               8192 kB
AnonHugePages:      6144 kB
VmFlags: rd wr mr mw me ac sd hg 
7f0000a00000-7f0000c00000 r--p 00000000 08:02 12                         /usr/lib/f-2.so
AnonHugePages:         0 kB
";

    #[test]
    fn the_areas_of_a_range_are_counted() {
        let mib = 1 << 20;
        assert_eq!(huge_bytes(SMAPS, 0x7f00_0000_0000, 2 * mib), 2 * mib);
        assert_eq!(huge_bytes(SMAPS, 0x7f00_0020_0000, 8 * mib), 6 * mib);
        assert_eq!(huge_bytes(SMAPS, 0x7f00_0030_0000, 4096), 6 * mib);
        assert_eq!(huge_bytes(SMAPS, 0x7f00_0010_0000, 2 * mib), 8 * mib);
        assert_eq!(huge_bytes(SMAPS, 0x7f00_00a0_0000, mib), 0);
        assert_eq!(huge_bytes(SMAPS, 0x7f00_00c0_0000, mib), 0);
        assert_eq!(huge_bytes("", 0, mib), 0);
    }

    #[test]
    fn memory_of_a_file_has_none() {
        static HERE: [u8; 64] = [7; 64];
        assert!(!on_huge_pages(HERE.as_ptr().addr(), HERE.len()));
    }
}
