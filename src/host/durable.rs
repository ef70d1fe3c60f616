//! Writes that are on the medium when they return.

use super::faults::Op;
use super::place::Place;
use super::{Host, HostError, READ_LIMIT};
use nix::fcntl::{OFlag, PosixFadviseAdvice, openat, posix_fadvise};
use nix::sys::stat::{Mode, mkdirat};
use nix::unistd::{UnlinkatFlags, fsync, syncfs, unlinkat};
use std::fs::File;
use std::io::{Read, Write};

impl Host {
    /// Makes a folder (and its parents) with this mode, less the umask;
    /// durable. One that is there already stays as it is.
    ///
    /// # Errors
    /// Also when a part of `path` is there and is no folder.
    pub fn create_dir(&self, path: &str, mode: u32) -> Result<(), HostError> {
        let path = path.trim_end_matches('/');
        let ends = path.match_indices('/').map(|(at, _)| at).filter(|&at| at > 0);
        for end in ends.chain([path.len()]) {
            let Some(part) = path.get(..end) else { continue };
            if part.is_empty() || self.stat(part).is_ok_and(|stat| stat.is_dir) {
                continue;
            }
            let place = self.place(part)?;
            if place.stat()?.is_some() {
                return Err(HostError::Other(part.into(), "in the way: it is no folder".into()));
            }
            self.counter.begin(Op::Mkdir, part)?;
            mkdirat(place.dir(), place.name(), Mode::from_bits_truncate(mode))
                .map_err(|e| HostError::from_errno(part, e))?;
            self.sync_folder(&place)?;
        }
        Ok(())
    }

    /// Writes a file that does not exist yet: bytes, fsync, read back and
    /// compare, fsync of the folder. After an error the name is free again;
    /// after a power failure it may hold a part of the bytes.
    ///
    /// # Errors
    /// Also when something stands there already, a symlink too.
    pub fn write_new(&self, path: &str, bytes: &[u8], mode: u32) -> Result<(), HostError> {
        let place = self.place(path)?;
        let file = self.create(&place, mode)?;
        let done = self.fill(file, &place, bytes).and_then(|()| self.sync_folder(&place));
        if done.is_err() {
            // The first error is the one to tell.
            let _ = self.unlink(&place, UnlinkatFlags::NoRemoveDir);
        }
        done
    }

    /// Removes a file (a symlink itself, not where it leads); durable. Not an
    /// error when it is not there.
    pub fn remove(&self, path: &str) -> Result<(), HostError> {
        self.remove_with(path, UnlinkatFlags::NoRemoveDir)
    }

    /// Removes an empty folder; durable. Not an error when it is not there.
    pub fn remove_dir(&self, path: &str) -> Result<(), HostError> {
        self.remove_with(path, UnlinkatFlags::RemoveDir)
    }

    /// Everything of the file system that holds `path` onto the medium.
    pub fn sync(&self, path: &str) -> Result<(), HostError> {
        let fd = self.open_at(path, OFlag::O_RDONLY | OFlag::O_NONBLOCK | OFlag::O_NOCTTY, Mode::empty())?;
        self.counter.begin(Op::Sync, path)?;
        syncfs(&fd).map_err(|e| HostError::from_errno(path, e))
    }

    fn remove_with(&self, path: &str, how: UnlinkatFlags) -> Result<(), HostError> {
        let place = match self.place(path) {
            Err(HostError::NotFound(_)) => return Ok(()),
            place => place?,
        };
        match place.stat()? {
            None => Ok(()),
            Some(_) => {
                self.unlink(&place, how)?;
                self.sync_folder(&place)
            }
        }
    }

    pub(super) fn unlink(&self, place: &Place, how: UnlinkatFlags) -> Result<(), HostError> {
        self.counter.begin(Op::Remove, place.path())?;
        unlinkat(place.dir(), place.name(), how).map_err(|e| HostError::from_errno(place.path(), e))
    }

    /// Makes an empty file where nothing stands.
    pub(super) fn create(&self, place: &Place, mode: u32) -> Result<File, HostError> {
        self.counter.begin(Op::Create, place.path())?;
        let flags = OFlag::O_WRONLY | OFlag::O_CREAT | OFlag::O_EXCL | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
        match openat(place.dir(), place.name(), flags, Mode::from_bits_truncate(mode)) {
            Ok(fd) => Ok(File::from(fd)),
            Err(nix::Error::EEXIST) => Err(HostError::Other(place.path().into(), "already there".into())),
            Err(errno) => Err(HostError::from_errno(place.path(), errno)),
        }
    }

    /// Bytes into a new file, onto the medium, and read back.
    pub(super) fn fill(&self, mut file: File, place: &Place, bytes: &[u8]) -> Result<(), HostError> {
        let path = place.path();
        let failed = |e: std::io::Error| HostError::from_io(path, &e);
        if let Err(error) = self.counter.begin(Op::Write, path) {
            if matches!(error, HostError::Stopped(_) | HostError::NoSpace(_)) {
                let half = bytes.get(..bytes.len() / 2).unwrap_or_default();
                file.write_all(half).map_err(failed)?;
            }
            return Err(error);
        }
        file.write_all(bytes).map_err(failed)?;
        self.counter.begin(Op::Sync, path)?;
        file.sync_all().map_err(failed)?;
        // Out of the page cache, so that it is the medium that answers.
        let _ = posix_fadvise(&file, 0, 0, PosixFadviseAdvice::POSIX_FADV_DONTNEED);
        drop(file);
        read_back(place, bytes)
    }

    /// The folder of `place` onto the medium.
    pub(super) fn sync_folder(&self, place: &Place) -> Result<(), HostError> {
        self.counter.begin(Op::Sync, place.path())?;
        match fsync(place.dir()) {
            // Some file systems in user space have no fsync for folders.
            Err(nix::Error::EINVAL) | Ok(()) => Ok(()),
            Err(errno) => Err(HostError::from_errno(place.path(), errno)),
        }
    }

    /// The whole file system of `place` onto the medium.
    pub(super) fn sync_file_system(&self, place: &Place) -> Result<(), HostError> {
        self.counter.begin(Op::Sync, place.path())?;
        syncfs(place.dir()).map_err(|e| HostError::from_errno(place.path(), e))
    }
}

/// Compares what stands at `place` with `bytes`.
pub(super) fn read_back(place: &Place, bytes: &[u8]) -> Result<(), HostError> {
    let path = place.path();
    let flags = OFlag::O_RDONLY | OFlag::O_NONBLOCK | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
    let fd = openat(place.dir(), place.name(), flags, Mode::empty())
        .map_err(|e| HostError::from_errno(path, e))?;
    let mut there = Vec::with_capacity(bytes.len());
    let limit = READ_LIMIT.max(bytes.len() as u64).saturating_add(1);
    File::from(fd).take(limit).read_to_end(&mut there).map_err(|e| HostError::from_io(path, &e))?;
    if there == bytes { Ok(()) } else { Err(HostError::ReadBack(path.into())) }
}
