//! A run without what tells whose machine it is: a report is made to be shown
//! to others.

use crate::bench::Run;

/// What stands in place of what was left out.
const LEFT_OUT: &str = "(left out)";

/// Folders that every system has.
const COMMON: [&str; 6] = ["/", "/boot", "/boot/firmware", "/home", "/mnt", "/srv"];

/// The run without the drive's id (a hash of model and serial number), names of
/// folders and of volumes. What was measured and under what conditions stays,
/// and so does the name that the user gave the run.
pub(super) fn redacted(run: &Run) -> Run {
    let mut run = run.clone();
    run.target.identity = None;
    let mut hide = Vec::new();
    if !COMMON.contains(&run.target.mount.as_str()) {
        hide.push(std::mem::replace(&mut run.target.mount, LEFT_OUT.into()));
    }
    if let Some(device) = run.target.device.take_if(|d| !is_plain(d)) {
        run.target.device = Some(LEFT_OUT.into());
        hide.push(device);
    }
    let hide: Vec<_> = hide.into_iter().filter(|word| word.len() > 1).collect();
    let warnings = run.results.iter_mut().flat_map(|r| &mut r.warnings);
    for text in run.notes.iter_mut().chain(warnings) {
        for word in &hide {
            *text = text.replace(word, LEFT_OUT);
        }
    }
    run
}

/// `/dev/nvme0n1p2`: the kernel's own name, not one that somebody gave.
fn is_plain(device: &str) -> bool {
    device.strip_prefix("/dev/").is_some_and(|name| {
        ["nvme", "sd", "mmcblk", "vd", "md", "loop", "dm-"].iter().any(|p| name.starts_with(p))
            && name.len() <= 16
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
    })
}

#[cfg(test)]
mod tests {
    use super::is_plain;

    #[test]
    fn names_of_the_kernel_stay() {
        for device in ["/dev/nvme0n1p2", "/dev/sda1", "/dev/mmcblk0p2", "/dev/dm-0"] {
            assert!(is_plain(device), "{device}");
        }
        for device in ["/dev/mapper/alice", "/dev/disk/by-id/nvme-X_S1234", "alice", "/dev/sd_alice"] {
            assert!(!is_plain(device), "{device}");
        }
    }
}
