//! The bootloader configuration (the EEPROM's `bootconf.txt`).

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
