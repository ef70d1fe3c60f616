//! Where a file is written: its folder, held open, and its name in it.

use super::{Host, HostError};
use nix::fcntl::{AtFlags, OFlag};
use nix::sys::stat::{FileStat, Mode, fstatat};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// A name in an open folder inside the root. Holding the folder keeps a
/// symlink put in the way later from leading the write elsewhere.
pub(super) struct Place {
    dir: OwnedFd,
    name: String,
    path: String,
}

impl Place {
    pub(super) fn dir(&self) -> BorrowedFd<'_> {
        self.dir.as_fd()
    }

    /// The name in the folder.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The whole path, for messages.
    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// What stands there itself (a symlink is not followed), if anything.
    pub(super) fn stat(&self) -> Result<Option<FileStat>, HostError> {
        match fstatat(&self.dir, self.name.as_str(), AtFlags::AT_SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(stat)),
            Err(nix::Error::ENOENT) => Ok(None),
            Err(errno) => Err(HostError::from_errno(&self.path, errno)),
        }
    }

    /// Another name in the same folder, on the way to this file: messages
    /// still name this one.
    pub(super) fn beside(&self, name: &str) -> Result<Self, HostError> {
        let dir = self.dir.try_clone().map_err(|e| HostError::from_io(&self.path, &e))?;
        Ok(Self { dir, name: name.into(), path: self.path.clone() })
    }
}

/// True for a regular file.
pub(super) fn is_file(stat: &FileStat) -> bool {
    stat.st_mode & libc::S_IFMT == libc::S_IFREG
}

/// Folder and last name of an absolute path.
fn split(path: &str) -> Result<(&str, &str), HostError> {
    let bad = |why: &str| HostError::Other(path.into(), why.into());
    if !path.starts_with('/') {
        return Err(bad("not an absolute path"));
    }
    match path.trim_end_matches('/').rsplit_once('/') {
        None | Some((_, "." | "..")) => Err(bad("not the name of a file")),
        Some((parent, name)) => Ok((if parent.is_empty() { "/" } else { parent }, name)),
    }
}

impl Host {
    /// The place `path` itself, symlinks followed in its folder only.
    pub(super) fn place(&self, path: &str) -> Result<Place, HostError> {
        let (parent, name) = split(path)?;
        let dir = self.open_at(parent, OFlag::O_RDONLY | OFlag::O_DIRECTORY, Mode::empty())?;
        let path = format!("{}/{name}", if parent == "/" { "" } else { parent });
        Ok(Place { dir, name: name.into(), path })
    }

    /// The place of the file that `path` leads to, so that a symlink stays a
    /// symlink and the file that is really read is the one written.
    pub(super) fn real_place(&self, path: &str) -> Result<Place, HostError> {
        match self.canonical(path) {
            Ok(real) => self.place(&real),
            Err(HostError::NotFound(_)) => {
                let place = self.place(path)?;
                match place.stat()? {
                    None => Ok(place),
                    Some(_) => Err(HostError::Other(path.into(), "a symlink that leads nowhere".into())),
                }
            }
            Err(error) => Err(error),
        }
    }
}
