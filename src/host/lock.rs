//! One at a time.

use super::{Host, HostError};
use nix::fcntl::{Flock, FlockArg, OFlag};
use nix::sys::stat::Mode;
use std::fs::File;
use std::io::{Read, Write};

/// The lock of the state folder; dropping it gives it back. It is the kernel
/// that holds it (flock), so a run that died holds nothing.
#[derive(Debug)]
pub struct Lock(Flock<File>);

impl Drop for Lock {
    fn drop(&mut self) {
        // So that nobody reads of a holder that is gone.
        let _ = self.0.set_len(0);
    }
}

impl Host {
    /// Takes the lock file at `path` (its folder must be there), with who
    /// holds it written inside.
    ///
    /// # Errors
    /// [`HostError::Locked`] with the holder's own words.
    pub fn lock(&self, path: &str) -> Result<Lock, HostError> {
        let flags = OFlag::O_RDWR | OFlag::O_CREAT | OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK | OFlag::O_NOCTTY;
        let file = File::from(self.open_at(path, flags, Mode::from_bits_truncate(0o600))?);
        match Flock::lock(file, FlockArg::LockExclusiveNonblock) {
            Ok(mut held) => {
                // The words are only for the other's message: a full disk must
                // not keep anybody from an undo.
                let _ = held.set_len(0).and_then(|()| held.write_all(self.holder().as_bytes()));
                Ok(Lock(held))
            }
            Err((file, nix::Error::EWOULDBLOCK)) => {
                let mut words = Vec::new();
                let _ = file.take(400).read_to_end(&mut words);
                let words = String::from_utf8_lossy(&words).trim().replace(char::is_control, " ");
                Err(HostError::Locked(if words.is_empty() { format!("it holds {path}") } else { words }))
            }
            Err((_, errno)) => Err(HostError::from_errno(path, errno)),
        }
    }

    fn holder(&self) -> String {
        let command = std::fs::read("/proc/self/cmdline").unwrap_or_default();
        let command = String::from_utf8_lossy(&command).trim_end_matches('\0').replace('\0', " ");
        format!("process {}, since {}: {command}\n", std::process::id(), self.now())
    }
}
