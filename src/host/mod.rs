//! The door: files, programs, devices and the calendar clock, of this machine
//! or of a recorded one.

mod contract;
mod error;
mod files;
pub mod measure;
mod raw;

pub use contract::{Lock, Mounted};
pub use error::HostError;

use nix::fcntl::{OFlag, open};
use nix::sys::stat::Mode;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The largest file that is read whole (config files, sysfs, images).
pub const READ_LIMIT: u64 = 16 << 20;

/// A machine: a root folder, and for what is no file, a world.
pub struct Host {
    root: OwnedFd,
    root_path: PathBuf,
    simulated: bool,
}

impl Host {
    /// This machine (`None` or `/`), or the recorded one at `root`.
    pub fn open(root: Option<&Path>) -> Result<Self, HostError> {
        let path = root.unwrap_or(Path::new("/"));
        let name = path.display().to_string();
        let root_path = path.canonicalize().map_err(|e| HostError::from_io(&name, &e))?;
        let flags = OFlag::O_PATH | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC;
        let root = open(&root_path, flags, Mode::empty()).map_err(|e| HostError::from_errno(&name, e))?;
        let simulated = root_path != Path::new("/");
        Ok(Self { root, root_path, simulated })
    }

    /// True for a recorded machine.
    pub fn is_simulated(&self) -> bool {
        self.simulated
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
    /// After this long it is ended and the run is an error.
    pub timeout: Duration,
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
