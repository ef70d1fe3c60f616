//! Why nothing was measured: what, where, and what to do.

use super::drive::Broken;
use crate::host::HostError;
use crate::terms::bytes;

/// A benchmark that did not take place, or broke off.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BenchError {
    /// No such drive.
    #[error("{name}: no such NVMe drive here; `pi5-nvme status` lists the drives")]
    NoDrive {
        /// What was asked for.
        name: String,
    },
    /// No file system of the drive is mounted.
    #[error(
        "{drive}: no file system on it is mounted, so there is no place for a test file; mount one, or name a \
         folder on it: pi5-nvme bench PATH"
    )]
    NotMounted {
        /// `nvme0n1`.
        drive: String,
    },
    /// No such folder.
    #[error("{at}: there is no such folder; name a folder that is there")]
    NoFolder {
        /// What was asked for.
        at: String,
    },
    /// Not for this user.
    #[error(
        "{at}: no test file can be made there (permission denied); use sudo, or name a folder of your own"
    )]
    Denied {
        /// The folder.
        at: String,
    },
    /// There, but no file can be made in it.
    #[error("{at}: no test file can be made there ({why}); {hint}")]
    NotWritable {
        /// The folder.
        at: String,
        /// What the system said.
        why: String,
        /// What to do.
        hint: &'static str,
    },
    /// Not a disk, or no direct way to it.
    #[error(
        "{at}: {why}, so a measurement might show memory and not a drive; name a folder on a file system of a \
         drive, such as ext4"
    )]
    NotDirect {
        /// The folder.
        at: String,
        /// What was found.
        why: String,
    },
    /// Too little free room.
    #[error(
        "{at}: {} free, and {} are needed: the smallest test file and the room that stays free; free some room \
         or name another folder",
        bytes(*.free_bytes),
        bytes(*.needed_bytes)
    )]
    NoRoom {
        /// The folder.
        at: String,
        /// Free bytes there.
        free_bytes: u64,
        /// Needed bytes.
        needed_bytes: u64,
    },
    /// A size that the jobs cannot use.
    #[error("a test file of {} is too small: at least {} are needed", bytes(*.asked_bytes), bytes(*.least_bytes))]
    TooSmall {
        /// What was asked for.
        asked_bytes: u64,
        /// The least.
        least_bytes: u64,
    },
    /// The drive, or what lies before it, failed.
    #[error(
        "{device}: {what} failed{}: {why}; see what the kernel log says (sudo dmesg) before you trust this drive",
        .offset.map(|o| format!(" at byte {o} of the test file")).unwrap_or_default()
    )]
    Io {
        /// `nvme0n1`.
        device: String,
        /// The job.
        what: String,
        /// Where in the file.
        offset: Option<u64>,
        /// What the system said.
        why: String,
    },
    /// The machine could not be asked.
    #[error(transparent)]
    Host(#[from] HostError),
}

impl BenchError {
    pub(super) fn broken(device: &str, what: &str, broken: Broken) -> Self {
        Self::Io { device: device.into(), what: what.into(), offset: broken.offset, why: broken.why }
    }

    /// The error for a folder in which no file could be made.
    pub(super) fn not_writable(at: &str, error: &HostError) -> Self {
        let (why, hint) = match error {
            HostError::Denied(_) => return Self::Denied { at: at.into() },
            HostError::NotFound(_) => return Self::NoFolder { at: at.into() },
            HostError::ReadOnly(_) => {
                ("the file system is read-only", "name a folder that can be written to")
            }
            HostError::NoSpace(_) => ("the file system is full", "free some room first"),
            HostError::Other(_, why) => (why.as_str(), "name another folder"),
            _ => return Self::Host(error.clone()),
        };
        Self::NotWritable { at: at.into(), why: why.into(), hint }
    }
}
