//! Signatures that the other floors are written against; bodies follow.
#![allow(unused_variables)]
use super::*;

/// A durable operation of [`Host`], counted for the crash tests.
fn later<T>(what: &str) -> Result<T, HostError> {
    Err(HostError::Other(what.into(), "later".into()))
}

/// The lock of the state folder; dropping it gives it back.
#[derive(Debug)]
pub struct Lock(());

/// A partition mounted for one purpose; dropping it unmounts it.
#[derive(Debug)]
pub struct Mounted {
    /// Where it is, as an absolute path inside the root.
    pub point: String,
}

impl Host {
    /// Bytes of a device or file from `offset` on, exactly `len` of them.
    pub fn read_at(&self, path: &str, offset: u64, len: usize) -> Result<Vec<u8>, HostError> {
        later(path)
    }
    /// Free room of the file system that holds `path`.
    pub fn space(&self, path: &str) -> Result<Space, HostError> {
        later(path)
    }
    /// Effective user id (a recorded machine says its own).
    pub fn euid(&self) -> u32 {
        0
    }
    /// The calendar time.
    pub fn now(&self) -> jiff::Timestamp {
        jiff::Timestamp::UNIX_EPOCH
    }
    /// Runs a program to its end.
    pub fn run(&self, program: &Program<'_>) -> Result<Output, HostError> {
        later(program.argv[0])
    }
    /// True when a program of this name is installed.
    pub fn has_program(&self, name: &str) -> bool {
        false
    }
    /// A log page of an NVMe controller (`/dev/nvme0`), `len` bytes.
    pub fn nvme_log(&self, device: &str, page: u8, len: usize) -> Result<Vec<u8>, HostError> {
        later(device)
    }
    /// Mounts a vfat partition, read-only or not, for as long as the value lives.
    pub fn mount(&self, device: &str, writable: bool) -> Result<Mounted, HostError> {
        later(device)
    }
    /// Takes the lock file at `path`, with who holds it written inside.
    ///
    /// # Errors
    /// [`HostError::Locked`] with the holder's own words.
    pub fn lock(&self, path: &str) -> Result<Lock, HostError> {
        later(path)
    }
    /// Makes a folder (and its parents) with this mode; durable.
    pub fn create_dir(&self, path: &str, mode: u32) -> Result<(), HostError> {
        later(path)
    }
    /// Writes a file that does not exist yet: bytes, fsync, read back and
    /// compare, fsync of the folder.
    pub fn write_new(&self, path: &str, bytes: &[u8], mode: u32) -> Result<(), HostError> {
        later(path)
    }
    /// Puts `bytes` in the place of an existing file (or makes it): a
    /// temporary file beside it, fsync, read back, rename, fsync of the
    /// folder, syncfs, read back. At every moment the name leads to the whole
    /// old or the whole new file.
    pub fn replace(&self, path: &str, bytes: &[u8]) -> Result<(), HostError> {
        later(path)
    }
    /// Removes a file; durable. Not an error when it is not there.
    pub fn remove(&self, path: &str) -> Result<(), HostError> {
        later(path)
    }
    /// Removes an empty folder; durable. Not an error when it is not there.
    pub fn remove_dir(&self, path: &str) -> Result<(), HostError> {
        later(path)
    }
    /// Everything of the file system that holds `path` onto the medium.
    pub fn sync(&self, path: &str) -> Result<(), HostError> {
        later(path)
    }
    /// Starts a reboot (a recorded machine only notes it).
    pub fn reboot(&self) -> Result<(), HostError> {
        later("reboot")
    }
}
