//! The facts. A field that could not be read is `None` and has an entry in
//! [`Facts::missing`] that says why.

mod lane;
mod startup;
mod system;

pub use lane::*;
pub use startup::*;
pub use system::*;

use serde::Serialize;

/// A recorded or live machine as it was read.
#[derive(Debug, Clone)]
pub struct Facts {
    /// True when this is not the machine the program runs on.
    pub simulated: bool,
    /// The board.
    pub board: Board,
    /// Kernel release (`/proc/sys/kernel/osrelease`).
    pub kernel: Option<String>,
    /// `/proc/sys/kernel/random/boot_id`: another one after every start.
    pub boot_id: Option<String>,
    /// The operating system.
    pub os: Os,
    /// How this boot happened and what the next one will read.
    pub boot: Boot,
    /// The bootloader and its configuration.
    pub eeprom: Eeprom,
    /// The external PCIe connector.
    pub port: ExternalPort,
    /// NVMe controllers, and drives that are on the bus but do not answer.
    pub drives: Vec<Drive>,
    /// A HAT with an ID EEPROM that the firmware read.
    pub hat: Option<Hat>,
    /// Supply and under-voltage.
    pub power: Power,
    /// What the kernel log says of the link and the drives.
    pub log: KernelLog,
    /// What could not be read.
    pub missing: Vec<Missing>,
}

/// Something that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Missing {
    /// A path, or a program.
    pub path: String,
    /// Why.
    pub why: String,
}

impl Missing {
    /// Root may be allowed to, in the words of [`crate::host::HostError::Denied`].
    pub fn is_denied(&self) -> bool {
        self.why == "permission denied"
    }
}
