//! The board, its system and its supply.

use crate::terms::BoardKind;

/// The board.
#[derive(Debug, Clone)]
pub struct Board {
    /// `Raspberry Pi 5 Model B Rev 1.0`.
    pub model: Option<String>,
    /// Revision code.
    pub revision: Option<u32>,
    /// Which board of the family.
    pub kind: BoardKind,
    /// Memory in bytes.
    pub memory_bytes: Option<u64>,
    /// Serial number, for `[0xSERIAL]` filters; never shown.
    pub serial: Option<u64>,
    /// The system was started through UEFI with ACPI tables: there is no
    /// device tree and config.txt does not decide the link.
    pub uefi_acpi: bool,
}

/// The operating system.
#[derive(Debug, Clone, Default)]
pub struct Os {
    /// `ID` of os-release.
    pub id: Option<String>,
    /// `VERSION_ID` of os-release.
    pub version: Option<String>,
    /// `PRETTY_NAME` of os-release.
    pub name: Option<String>,
}

/// A HAT with an ID EEPROM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hat {
    /// `Raspberry Pi`.
    pub vendor: String,
    /// `M.2 HAT+ M Key`.
    pub product: String,
}

/// Supply and under-voltage.
#[derive(Debug, Clone, Default)]
pub struct Power {
    /// What the supply offers, mA.
    pub max_current_ma: Option<u32>,
    /// Under-voltage now.
    pub undervoltage_now: Option<bool>,
    /// Under-voltage since boot.
    pub undervoltage_seen: Option<bool>,
}

/// Lines of the kernel log about the link and the drives.
#[derive(Debug, Clone, Default)]
pub struct KernelLog {
    /// False when no log could be read.
    pub read: bool,
    /// False when the lines of the start are gone (the ring wrapped).
    pub from_boot: bool,
    /// The lines that matter, with what they are.
    pub events: Vec<LogEvent>,
}

/// A line of the kernel log that a rule matched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogEvent {
    /// Which rule: `link_down`, `nvme_down`, `nvme_timeout`, `undervolt` ...
    pub kind: &'static str,
    /// The device it names (`0001:01:00.0`, `nvme0`, `1000110000`), or empty.
    pub device: String,
    /// The line.
    pub text: String,
}
