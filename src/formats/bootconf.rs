//! The bootloader configuration (the EEPROM's `bootconf.txt`).

use super::config_txt::Conditions;
use crate::terms::BootOrder;

/// What a bootloader configuration means for this board in a normal boot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Meaning {
    /// `BOOT_ORDER` in force, or `None` when no effective line sets it (the
    /// bootloader then uses [`BootOrder::DEFAULT`]).
    pub boot_order: Option<BootOrder>,
    /// False when an unsettled rule decides which `BOOT_ORDER` wins.
    pub boot_order_certain: bool,
    /// `PCIE_PROBE` is on.
    pub pcie_probe: bool,
    /// `SIGNED_BOOT` is set to something other than 0, in any section.
    pub signed_boot: bool,
    /// `FREEZE_VERSION=1` stands in any section.
    pub frozen: bool,
    /// `ENABLE_SELF_UPDATE=0` stands anywhere, as the update script greps it.
    pub self_update_off: bool,
    /// What stands below a `[config.txt]` line.
    pub config_txt_section: Option<Vec<u8>>,
    /// Keys in force that nobody documents, as written.
    pub unknown_keys: Vec<String>,
}

/// What `bytes` mean.
pub fn read(_bytes: &[u8], _conditions: &Conditions) -> Meaning {
    Meaning {
        boot_order: None,
        boot_order_certain: true,
        pcie_probe: false,
        signed_boot: false,
        frozen: false,
        self_update_off: false,
        config_txt_section: None,
        unknown_keys: Vec::new(),
    }
}

/// The new text, equal to the old one when nothing is to do.
pub fn append(
    bytes: &[u8],
    _conditions: &Conditions,
    _order: Option<BootOrder>,
    _probe: bool,
) -> Result<Vec<u8>, String> {
    Ok(bytes.to_vec())
}
