//! The door: files, programs, devices and the calendar clock, of this machine
//! or of a recorded one.

// This floor is the door: what clippy.toml keeps from the other floors is done
// here.
#![allow(clippy::disallowed_methods)]

mod child;
mod durable;
mod error;
mod faults;
mod files;
mod live;
mod lock;
pub mod measure;
mod mounted;
mod pages;
mod place;
mod raw;
mod replace;
mod replay;
mod replay_eeprom;
mod replay_file;
mod unpack;
mod world;

#[cfg(test)]
mod tests;

pub use error::HostError;
pub use faults::Faults;
pub use lock::Lock;
pub use mounted::Mounted;
pub use replace::TEMPORARY;

use faults::Counter;
use nix::fcntl::{OFlag, open};
use nix::sys::stat::Mode;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::Duration;
use world::World;

/// The largest file that is read whole (config files, sysfs, images).
pub const READ_LIMIT: u64 = 16 << 20;

/// A machine: a root folder, and for what is no file, a world.
pub struct Host {
    root: OwnedFd,
    root_path: PathBuf,
    world: Box<dyn World>,
    counter: Counter,
}

impl std::fmt::Debug for Host {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Host").field(&self.root_path).finish()
    }
}

impl Host {
    /// This machine (`None` or `/`), or the recorded one at `root`. Another
    /// root never runs this machine's programs.
    ///
    /// # Errors
    /// No such folder; a `replay.toml` in it that is not understood, with its
    /// line.
    pub fn open(root: Option<&Path>) -> Result<Self, HostError> {
        let path = root.unwrap_or(Path::new("/"));
        let name = path.display().to_string();
        let root_path = path.canonicalize().map_err(|e| HostError::from_io(&name, &e))?;
        let flags = OFlag::O_PATH | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC;
        let root = open(&root_path, flags, Mode::empty()).map_err(|e| HostError::from_errno(&name, e))?;
        let mut host = Self { root, root_path, world: Box::new(live::Live), counter: Counter::default() };
        if host.root_path != Path::new("/") {
            host.world = Box::new(replay::Replay::read(&host)?);
        }
        Ok(host)
    }

    /// The same machine, on which durable operations fail as `faults` says;
    /// the count starts anew.
    #[must_use]
    pub fn with_faults(mut self, faults: Faults) -> Self {
        self.counter = Counter::new(faults);
        self
    }

    /// How many durable operations (create, write, fsync, rename, remove,
    /// mkdir, simulated program with effects) were begun, failed ones
    /// included.
    pub fn operations(&self) -> u64 {
        self.counter.count()
    }

    /// True for a recorded machine.
    pub fn is_simulated(&self) -> bool {
        self.world.is_simulated()
    }

    /// The root folder on the computer this runs on.
    pub fn root_path(&self) -> &Path {
        &self.root_path
    }
}

/// A program to run: an absolute path or a name on the system path, never a
/// shell.
#[derive(Debug, Clone)]
pub struct Program<'a> {
    /// Name and arguments.
    pub argv: &'a [&'a str],
    /// Variables set beside `LC_ALL=C` and `PATH`.
    pub env: &'a [(&'a str, &'a str)],
    /// After this long the run is an error.
    pub timeout: Duration,
    /// Whether it may be stopped by force.
    pub ending: Ending,
}

/// What is done with a program that takes too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// It is ended, with all that it started.
    Forced,
    /// It is never ended, and what it started and left behind is waited for as
    /// well: for programs that write a flash chip, where half a write is a
    /// board that does not start.
    Awaited,
}

/// What a program said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// Its exit status.
    pub status: i32,
    /// Its standard output.
    pub stdout: Vec<u8>,
    /// Its standard error.
    pub stderr: Vec<u8>,
}

/// Free room of a file system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Space {
    /// Bytes that a program without root may still use.
    pub free_bytes: u64,
    /// Size in bytes.
    pub total_bytes: u64,
}

/// What is known of a file without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stat {
    /// Length in bytes.
    pub len: u64,
    /// True for a directory.
    pub is_dir: bool,
    /// True for a regular file.
    pub is_file: bool,
    /// Device number of the file system (`st_dev`).
    pub device: u64,
}
