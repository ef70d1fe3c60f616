//! What the firmware booted from.

use super::BootMode;
use serde::Serialize;

/// The medium of this boot, from `chosen/bootloader/boot-mode` (the codes are
/// those of `BOOT_ORDER`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum BootMedium {
    /// SD card or eMMC.
    Sd,
    /// NVMe drive.
    Nvme,
    /// USB mass storage.
    Usb,
    /// Network or HTTP.
    Network,
    /// rpiboot.
    Rpiboot,
    /// A code without a name here.
    Other(u32),
}

impl BootMedium {
    /// The medium for a boot mode.
    pub fn from_mode(mode: u32) -> Self {
        match mode {
            0 | 1 => Self::Sd,
            2 | 7 => Self::Network,
            3 => Self::Rpiboot,
            4 | 5 => Self::Usb,
            6 => Self::Nvme,
            other => Self::Other(other),
        }
    }

    /// In words, the same as in a boot order.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sd => BootMode::SD.name(),
            Self::Nvme => BootMode::NVME.name(),
            Self::Usb => BootMode::USB.name(),
            Self::Network => "network",
            Self::Rpiboot => "rpiboot",
            Self::Other(_) => "unknown medium",
        }
    }
}
