//! Reading files inside the root.

use super::{Host, HostError, READ_LIMIT, Stat};
use nix::fcntl::{OFlag, OpenHow, ResolveFlag, openat2};
use nix::sys::stat::Mode;
use std::fs::File;
use std::io::Read;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};

impl Host {
    /// Opens `path` (absolute) inside the root: neither `..` nor a symlink,
    /// absolute or not, leaves it.
    pub(super) fn open_at(&self, path: &str, flags: OFlag, mode: Mode) -> Result<OwnedFd, HostError> {
        let inside = path.trim_start_matches('/');
        let inside = if inside.is_empty() { "." } else { inside };
        let how = OpenHow::new().flags(flags | OFlag::O_CLOEXEC).mode(mode).resolve(ResolveFlag::RESOLVE_IN_ROOT);
        openat2(self.root.as_fd(), inside, how).map_err(|e| HostError::from_errno(path, e))
    }

    /// The bytes of a file.
    ///
    /// # Errors
    /// [`HostError::TooLarge`] beyond [`READ_LIMIT`], and what the system says.
    pub fn read(&self, path: &str) -> Result<Vec<u8>, HostError> {
        self.read_limited(path, READ_LIMIT)
    }

    /// The bytes of a file of at most `limit` bytes.
    pub fn read_limited(&self, path: &str, limit: u64) -> Result<Vec<u8>, HostError> {
        let fd = self.open_at(path, OFlag::O_RDONLY | OFlag::O_NONBLOCK | OFlag::O_NOCTTY, Mode::empty())?;
        let mut bytes = Vec::new();
        let mut file = File::from(fd).take(limit + 1);
        file.read_to_end(&mut bytes).map_err(|e| HostError::from_io(path, &e))?;
        if bytes.len() as u64 > limit {
            return Err(HostError::TooLarge(path.into(), limit));
        }
        Ok(bytes)
    }

    /// The text of a small file (sysfs, device tree, os-release): invalid
    /// UTF-8 replaced, blanks, line ends and NULs at both ends dropped.
    pub fn read_text(&self, path: &str) -> Result<String, HostError> {
        let bytes = self.read(path)?;
        let text = String::from_utf8_lossy(&bytes);
        Ok(text.trim_matches(|c: char| c.is_whitespace() || c == '\0').to_owned())
    }

    /// True when something stands at `path` (a symlink must lead somewhere).
    pub fn exists(&self, path: &str) -> bool {
        self.open_at(path, OFlag::O_PATH, Mode::empty()).is_ok()
    }

    /// Length, kind and file system of what stands at `path`.
    pub fn stat(&self, path: &str) -> Result<Stat, HostError> {
        let fd = self.open_at(path, OFlag::O_PATH, Mode::empty())?;
        let stat = nix::sys::stat::fstat(&fd).map_err(|e| HostError::from_errno(path, e))?;
        let kind = stat.st_mode & libc::S_IFMT;
        Ok(Stat {
            len: u64::try_from(stat.st_size).unwrap_or(0),
            is_dir: kind == libc::S_IFDIR,
            is_file: kind == libc::S_IFREG,
            device: stat.st_dev,
        })
    }

    /// The names in a folder, sorted, without `.` and `..`; names that are no
    /// UTF-8 are left out.
    pub fn list(&self, path: &str) -> Result<Vec<String>, HostError> {
        let fd = self.open_at(path, OFlag::O_RDONLY | OFlag::O_DIRECTORY, Mode::empty())?;
        let mut dir = nix::dir::Dir::from_fd(fd).map_err(|e| HostError::from_errno(path, e))?;
        let mut names = Vec::new();
        for entry in dir.iter() {
            let entry = entry.map_err(|e| HostError::from_errno(path, e))?;
            match entry.file_name().to_str() {
                Ok("." | "..") | Err(_) => {}
                Ok(name) => names.push(name.to_owned()),
            }
        }
        names.sort();
        Ok(names)
    }

    /// The absolute path inside the root that `path` leads to once every
    /// symlink is followed.
    pub fn canonical(&self, path: &str) -> Result<String, HostError> {
        let fd = self.open_at(path, OFlag::O_PATH, Mode::empty())?;
        let real = nix::fcntl::readlink(format!("/proc/self/fd/{}", fd.as_raw_fd()).as_str())
            .map_err(|e| HostError::from_errno(path, e))?;
        let real = std::path::PathBuf::from(real);
        let inside = real.strip_prefix(self.root_path()).map_err(|_| HostError::NotFound(path.into()))?;
        Ok(format!("/{}", inside.display()))
    }
}
