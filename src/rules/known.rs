//! What is known of switches, other devices, HATs and drives, by their ids.

use super::text::entry;
use serde::Deserialize;

const BOARDS: &str = include_str!("../../assets/boards.toml");
const DRIVES: &str = include_str!("../../assets/drives.toml");

/// A PCIe switch chip.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Switch {
    /// `ASMedia ASM1182e`.
    pub name: String,
    /// The highest generation it can do.
    pub generation: u8,
    /// Where that was read.
    pub source: String,
}

/// A drive with trouble that was reported on a Pi 5.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct DriveNote {
    /// The drive, as people call it.
    pub name: String,
    /// What was seen.
    pub trouble: String,
    /// What helped.
    pub remedy: String,
    /// Where that was reported.
    pub source: String,
}

#[derive(Deserialize)]
struct Named {
    name: String,
}

/// The switch with this PCI id.
pub fn switch(vendor: u16, device: u16) -> Option<Switch> {
    toml_edit::de::from_str(by_pci(BOARDS, "[[switch]]", vendor, device)?).ok()
}

/// Another device that takes the lane, with its article: `a Hailo-8 ...`.
pub fn device(vendor: u16, device: u16) -> Option<String> {
    let named: Named = toml_edit::de::from_str(by_pci(BOARDS, "[[device]]", vendor, device)?).ok()?;
    Some(named.name)
}

/// The name of a HAT by the two strings of its ID EEPROM.
pub fn hat(vendor: &str, product: &str) -> Option<String> {
    let key = format!("hat = \"{vendor}/{product}\"");
    let named: Named = toml_edit::de::from_str(entry(BOARDS, "[[hat]]", &key)?).ok()?;
    Some(named.name)
}

/// What is known of a drive by the PCI id of its controller.
pub fn drive(vendor: u16, device: u16) -> Option<DriveNote> {
    toml_edit::de::from_str(by_pci(DRIVES, "[[drive]]", vendor, device)?).ok()
}

fn by_pci(text: &'static str, header: &str, vendor: u16, device: u16) -> Option<&'static str> {
    entry(text, header, &format!("pci = \"{vendor:04x}:{device:04x}\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_by_id() {
        assert_eq!(switch(0x1b21, 0x1182).unwrap().generation, 2);
        assert_eq!(switch(0x1b21, 0x2806).unwrap().generation, 3);
        assert_eq!(switch(0x12d8, 0x2304).unwrap().name, "Diodes PI7C9X2G304");
        assert_eq!(switch(0x14e4, 0x2712), None);
        assert!(device(0x1e60, 0x2864).unwrap().contains("Hailo-8"));
        assert_eq!(hat("Raspberry Pi", "M.2 HAT+ M Key").unwrap(), "Raspberry Pi M.2 HAT+");
        assert_eq!(hat("a\"b", "\n"), None);
        assert!(drive(0x15b7, 0x5009).unwrap().remedy.contains("2024-01-24"));
    }

    #[test]
    fn every_entry_can_be_read() {
        for (text, headers) in
            [(BOARDS, &["[[switch]]", "[[device]]", "[[hat]]"][..]), (DRIVES, &["[[drive]]"])]
        {
            let document: toml_edit::DocumentMut = text.parse().unwrap();
            for header in headers {
                let tables = document[header.trim_matches(['[', ']'])].as_array_of_tables().unwrap();
                for table in tables {
                    assert!(!table["source"].as_str().unwrap().is_empty());
                    let (key, value) = table.iter().next().unwrap();
                    let key = format!("{key} = \"{}\"", value.as_str().unwrap());
                    assert!(entry(text, header, &key).is_some(), "{key}");
                }
            }
        }
        for (vendor, id) in [(0x1b21, 0x1806), (0x1b21, 0x1184)] {
            assert!(switch(vendor, id).is_some());
        }
        assert!(drive(0x144d, 0xa80a).is_some());
    }
}
