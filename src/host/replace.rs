//! A file's new bytes in place of its old ones, whole or not at all.

use super::durable::read_back;
use super::faults::Op;
use super::place::{Place, is_file};
use super::{Host, HostError};
use nix::fcntl::renameat;
use nix::sys::stat::{FileStat, Mode, fchmod};
use nix::unistd::{Gid, Uid, UnlinkatFlags, fchown};
use std::fs::File;

/// The temporary file: a short name, so that vfat needs no second directory
/// entry for it, which nothing else uses.
pub const TEMPORARY: &str = "pi5nvme.tmp";

impl Host {
    /// Puts `bytes` in the place of an existing file (or makes it): a
    /// temporary file beside it, fsync, read back, rename, fsync of the
    /// folder, syncfs, read back. At every moment the name leads to the whole
    /// old or the whole new file; a symlink stays one, and the file it leads
    /// to is replaced. Mode and owner stay where the file system has them.
    ///
    /// # Errors
    /// Before the rename the old file is untouched and the temporary file is
    /// removed again. After it (fsync of the folder, syncfs, read back) the
    /// name leads to the new file, and whether it would survive a power
    /// failure is not known: [`Host::read`] tells which of the two is there.
    pub fn replace(&self, path: &str, bytes: &[u8]) -> Result<(), HostError> {
        let place = self.real_place(path)?;
        let old = place.stat()?;
        if old.as_ref().is_some_and(|stat| !is_file(stat)) {
            return Err(HostError::Other(path.into(), "not a regular file".into()));
        }
        let temporary = place.beside(TEMPORARY)?;
        if let Some(left_over) = temporary.stat()? {
            if !is_file(&left_over) {
                let why = format!("{TEMPORARY} beside it is in the way, and no file");
                return Err(HostError::Other(path.into(), why));
            }
            self.unlink(&temporary, UnlinkatFlags::NoRemoveDir)?;
        }
        let file = self.create(&temporary, old.as_ref().map_or(0o644, |_| 0o600))?;
        let done = keep_owner(&file, old.as_ref(), temporary.path())
            .and_then(|()| self.fill(file, &temporary, bytes))
            .and_then(|()| self.switch(&temporary, &place));
        if done.is_err() {
            // The first error is the one to tell.
            let _ = self.unlink(&temporary, UnlinkatFlags::NoRemoveDir);
            return done;
        }
        self.sync_folder(&place)?;
        self.sync_file_system(&place)?;
        read_back(&self.real_place(path)?, bytes)
    }

    /// Puts the file `from` in the place of `to`, on the same file system:
    /// durable, and without any need of room. A symlink `to` stays one.
    ///
    /// # Errors
    /// As [`Host::replace`].
    pub fn rename(&self, from: &str, to: &str) -> Result<(), HostError> {
        let (from, to) = (self.place(from)?, self.real_place(to)?);
        self.switch(&from, &to)?;
        self.sync_folder(&to)?;
        self.sync_file_system(&to)
    }

    /// The moment at which the name changes from the old to the new file.
    fn switch(&self, temporary: &Place, place: &Place) -> Result<(), HostError> {
        self.counter.begin(Op::Rename, place.path())?;
        renameat(temporary.dir(), temporary.name(), place.dir(), place.name())
            .map_err(|e| HostError::from_errno(place.path(), e))
    }
}

/// Gives a new file the owner and mode of the old one. A file system without
/// owners (vfat) says EPERM and shows those of its mount: nothing is lost.
fn keep_owner(file: &File, old: Option<&FileStat>, path: &str) -> Result<(), HostError> {
    let Some(old) = old else { return Ok(()) };
    let harmless = |result: nix::Result<()>| match result {
        Ok(()) | Err(nix::Error::EPERM | nix::Error::ENOTSUP | nix::Error::ENOSYS) => Ok(()),
        Err(errno) => Err(HostError::from_errno(path, errno)),
    };
    // The owner first: a change of owner takes the set-user-id bit away.
    harmless(fchown(file, Some(Uid::from_raw(old.st_uid)), Some(Gid::from_raw(old.st_gid))))?;
    harmless(fchmod(file, Mode::from_bits_truncate(old.st_mode)))
}
