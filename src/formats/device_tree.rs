//! Values of device tree properties, as `/proc/device-tree` shows them: raw
//! bytes, numbers big-endian, strings ending in NUL.

/// The u32 of a property of four or more bytes (the last four count:
/// `chosen/power` has wider ones).
pub fn u32_be(bytes: &[u8]) -> Option<u32> {
    let last = bytes.len().checked_sub(4)?;
    Some(u32::from_be_bytes(bytes[last..].try_into().ok()?))
}

/// The first string of a property, invalid UTF-8 replaced.
pub fn string(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).trim().to_owned()
}

#[cfg(test)]
mod tests {
    #[test]
    fn numbers_are_big_endian() {
        assert_eq!(super::u32_be(&[0, 0, 0x13, 0x88]), Some(5000));
        assert_eq!(super::u32_be(&[0, 0, 0, 0, 0, 0, 0x13, 0x88]), Some(5000));
        assert_eq!(super::u32_be(&[1, 2, 3]), None);
        assert_eq!(super::string(b"Raspberry Pi 5\0x\0"), "Raspberry Pi 5");
    }
}
