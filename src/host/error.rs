//! What can go wrong at the door.

/// An error with the path or program it happened at.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HostError {
    /// No such file.
    #[error("{0}: not there")]
    NotFound(String),
    /// Not allowed; another user (root) may be.
    #[error("{0}: permission denied")]
    Denied(String),
    /// The file system is mounted read-only, or has turned read-only.
    #[error("{0}: the file system is read-only")]
    ReadOnly(String),
    /// No room left.
    #[error("{0}: no space left on the file system")]
    NoSpace(String),
    /// Larger than this tool reads.
    #[error("{0}: larger than {1} bytes")]
    TooLarge(String, u64),
    /// Written, but not the same when read back.
    #[error("{0}: reads back differently from what was written")]
    ReadBack(String),
    /// Somebody else holds the lock: who.
    #[error("another pi5-nvme is at work ({0})")]
    Locked(String),
    /// The program is not installed.
    #[error("{0}: no such program")]
    ProgramMissing(String),
    /// The program did not end in time.
    #[error("{0}: did not end within {1} s")]
    Timeout(String, u64),
    /// A recorded machine has no answer for this.
    #[error("{0}: the recorded machine has no answer for it (replay.toml)")]
    NotRecorded(String),
    /// The machine stopped here (tests only).
    #[error("stopped before {0}")]
    Stopped(String),
    /// Anything else, in the system's words.
    #[error("{0}: {1}")]
    Other(String, String),
}

impl HostError {
    /// The error for what the system said of `at`.
    pub fn from_errno(at: &str, errno: nix::Error) -> Self {
        use nix::Error as E;
        let at = at.to_owned();
        match errno {
            E::ENOENT | E::ENOTDIR => Self::NotFound(at),
            E::EACCES | E::EPERM => Self::Denied(at),
            E::EROFS => Self::ReadOnly(at),
            E::ENOSPC | E::EDQUOT => Self::NoSpace(at),
            other => Self::Other(at, other.desc().to_owned()),
        }
    }

    /// The error for what the standard library said of `at`.
    pub fn from_io(at: &str, error: &std::io::Error) -> Self {
        match error.raw_os_error() {
            Some(errno) => Self::from_errno(at, nix::Error::from_raw(errno)),
            None => Self::Other(at.to_owned(), error.to_string()),
        }
    }
}
