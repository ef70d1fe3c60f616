//! A function's configuration space: what sysfs has no attribute for.
//!
//! Without root the kernel gives only the first 64 bytes
//! (drivers/pci/pci-sysfs.c, `pci_read_config`).

/// Capability id of PCI Express (include/uapi/linux/pci_regs.h).
const EXPRESS: u8 = 0x10;

/// True when every byte is all ones: the function does not answer.
pub(super) fn is_gone(space: &[u8]) -> bool {
    !space.is_empty() && space.iter().all(|byte| *byte == 0xff)
}

/// Max Payload Size in force (Device Control bits 7 to 5), in bytes.
///
/// `None`: no PCI Express capability within the bytes given, or a reserved
/// size.
pub(super) fn max_payload(space: &[u8]) -> Option<u32> {
    let control = u16_at(space, express(space)? + 8)?;
    match (control >> 5) & 7 {
        size @ 0..=5 => Some(128 << size),
        _ => None,
    }
}

/// Where the PCI Express capability lies.
fn express(space: &[u8]) -> Option<usize> {
    const HAS_LIST: u16 = 1 << 4;
    if is_gone(space) || u16_at(space, 6)? & HAS_LIST == 0 {
        return None;
    }
    let mut at = *space.get(0x34)? & !3;
    // 48 capabilities of 4 bytes fill the space: more steps are a loop.
    for _ in 0..48 {
        if at < 0x40 {
            return None;
        }
        let offset = usize::from(at);
        if *space.get(offset)? == EXPRESS {
            return Some(offset);
        }
        at = *space.get(offset + 1)? & !3;
    }
    None
}

fn u16_at(space: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes([*space.get(at)?, *space.get(at + 1)?]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn space(control: u16) -> Vec<u8> {
        let mut space = vec![0; 256];
        space[6] = 0x10;
        space[0x34] = 0x48;
        space[0x48..0x4a].copy_from_slice(&[0x01, 0xac]);
        space[0xac..0xae].copy_from_slice(&[0x10, 0x00]);
        space[0xb4..0xb6].copy_from_slice(&control.to_le_bytes());
        space
    }

    #[test]
    fn device_control_of_known_machines() {
        for (control, bytes) in [
            (0x2810, Some(128)),
            (0x2830, Some(256)),
            (0x2850, Some(512)),
            (0x2c50, Some(512)),
            (0x295f, Some(512)),
            (0x5850, Some(512)),
            (0x28b0, Some(4096)),
            (0x28d0, None),
        ] {
            assert_eq!(max_payload(&space(control)), bytes, "{control:#x}");
        }
    }

    #[test]
    fn what_cannot_be_known() {
        assert_eq!(max_payload(&space(0x2830)[..64]), None);
        assert_eq!(max_payload(&[]), None);
        assert_eq!(max_payload(&[0xff; 256]), None);
        assert!(is_gone(&[0xff; 64]) && !is_gone(&[]));
        let mut looped = space(0x2830);
        looped[0x49] = 0x48;
        assert_eq!(max_payload(&looped), None);
        let mut outside = space(0x2830);
        outside[0x49] = 0xfc;
        assert_eq!(max_payload(&outside[..0x100]), None);
    }
}
