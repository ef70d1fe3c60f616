//! What of a machine is no file: programs, devices, the clock, the user.

use super::{Host, HostError, Mounted, Output, Program, Space};

/// The part of a machine that files alone do not give. Each takes the host it
/// belongs to, whose root every path is inside of.
pub(super) trait World: Send + Sync {
    /// True when this is a recording.
    fn is_simulated(&self) -> bool;
    /// See [`Host::run`].
    fn run(&self, host: &Host, program: &Program<'_>) -> Result<Output, HostError>;
    /// See [`Host::has_program`].
    fn has_program(&self, name: &str) -> bool;
    /// See [`Host::euid`].
    fn euid(&self) -> u32;
    /// See [`Host::now`].
    fn now(&self) -> jiff::Timestamp;
    /// The room below `path` when it is not the root folder's own file
    /// systems that tell it.
    fn space(&self, path: &str) -> Option<Space>;
    /// See [`Host::nvme_log`].
    fn nvme_log(&self, host: &Host, device: &str, page: u8, len: usize) -> Result<Vec<u8>, HostError>;
    /// See [`Host::mount`].
    fn mount(&self, host: &Host, device: &str, writable: bool) -> Result<Mounted, HostError>;
    /// See [`Host::reboot`].
    fn reboot(&self, host: &Host) -> Result<(), HostError>;
}

impl Host {
    /// Effective user id (a recorded machine says its own).
    pub fn euid(&self) -> u32 {
        self.world.euid()
    }

    /// The calendar time (a recorded machine's stands still).
    pub fn now(&self) -> jiff::Timestamp {
        self.world.now()
    }

    /// Runs a program to its end: no shell, an empty standard input, no
    /// environment but `LC_ALL=C`, a fixed `PATH` and what `program` adds. A
    /// status other than 0 is not an error; one ended by signal N is 128 + N.
    ///
    /// # Errors
    /// [`HostError::ProgramMissing`], [`HostError::Timeout`]; on a recorded
    /// machine [`HostError::NotRecorded`].
    pub fn run(&self, program: &Program<'_>) -> Result<Output, HostError> {
        self.world.run(self, program)
    }

    /// True when a program of this name is installed.
    pub fn has_program(&self, name: &str) -> bool {
        self.world.has_program(name)
    }

    /// A log page of an NVMe controller (`/dev/nvme0`): the first `len` bytes
    /// (a multiple of 4) of page `page` for all namespaces. NVM Express Base
    /// Specification, Get Log Page.
    ///
    /// # Errors
    /// [`HostError::Denied`] without root.
    pub fn nvme_log(&self, device: &str, page: u8, len: usize) -> Result<Vec<u8>, HostError> {
        if len == 0 || len % 4 != 0 {
            return Err(HostError::Other(
                device.into(),
                format!("a log page of {len} bytes cannot be asked for"),
            ));
        }
        self.world.nvme_log(self, device, page, len)
    }

    /// Mounts a vfat partition, read-only or not, for as long as the value
    /// lives. [`Mounted::unmount`] tells whether the end went well.
    ///
    /// # Errors
    /// [`HostError::Denied`] without root, and what the kernel says.
    pub fn mount(&self, device: &str, writable: bool) -> Result<Mounted, HostError> {
        self.world.mount(self, device, writable)
    }

    /// Starts a reboot once everything is on the media (a recorded machine
    /// only notes it, in `/replay/reboot-requested`).
    pub fn reboot(&self) -> Result<(), HostError> {
        self.world.reboot(self)
    }
}
