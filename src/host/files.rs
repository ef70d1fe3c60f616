//! Reading files inside the root.

use super::{Host, HostError, READ_LIMIT, Space, Stat};
use nix::fcntl::{OFlag, OpenHow, ResolveFlag, openat2};
use nix::sys::stat::Mode;
use std::fs::File;
use std::io::Read;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::fs::FileExt;

impl Host {
    /// Opens `path` (absolute) inside the root: neither `..` nor a symlink,
    /// absolute or not, leaves it.
    pub(super) fn open_at(&self, path: &str, flags: OFlag, mode: Mode) -> Result<OwnedFd, HostError> {
        if !path.starts_with('/') {
            return Err(HostError::Other(path.into(), "not an absolute path".into()));
        }
        let inside = path.trim_start_matches('/');
        let inside = if inside.is_empty() { "." } else { inside };
        let how =
            OpenHow::new().flags(flags | OFlag::O_CLOEXEC).mode(mode).resolve(ResolveFlag::RESOLVE_IN_ROOT);
        let mut tries = 0;
        loop {
            return match openat2(self.root.as_fd(), inside, how) {
                // Something was renamed on the way: openat2(2) says to ask again.
                Err(nix::Error::EAGAIN) if tries < 16 => {
                    tries += 1;
                    continue;
                }
                // The kernel follows none of the links below /proc/PID that
                // lead to open files.
                Err(nix::Error::EXDEV) => {
                    Err(other(path, "leads through a link that cannot be followed safely"))
                }
                Err(nix::Error::ENOSYS) => {
                    Err(other(path, "this kernel has no openat2 (Linux 5.6 or newer is needed)"))
                }
                result => result.map_err(|e| HostError::from_errno(path, e)),
            };
        }
    }

    /// Opens a regular file for reading, and the length that it claims; a FIFO
    /// or a device never makes it wait.
    fn open_file(&self, path: &str) -> Result<(File, u64), HostError> {
        let fd = self.open_at(path, OFlag::O_RDONLY | OFlag::O_NONBLOCK | OFlag::O_NOCTTY, Mode::empty())?;
        let stat = nix::sys::stat::fstat(&fd).map_err(|e| HostError::from_errno(path, e))?;
        match stat.st_mode & libc::S_IFMT {
            libc::S_IFREG => Ok((File::from(fd), u64::try_from(stat.st_size).unwrap_or(0))),
            libc::S_IFDIR => Err(other(path, "a folder, not a file")),
            _ => Err(other(path, "not a regular file")),
        }
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
        let (file, len) = self.open_file(path)?;
        // Room for all of it and the byte that would be too many: sysfs names a
        // page, the device tree the true length, proc nothing.
        let mut bytes = Vec::with_capacity(len.min(limit).min(READ_LIMIT) as usize + 1);
        let mut file = file.take(limit.saturating_add(1));
        file.read_to_end(&mut bytes).map_err(|e| HostError::from_io(path, &e))?;
        if bytes.len() as u64 > limit {
            return Err(HostError::TooLarge(path.into(), limit));
        }
        Ok(bytes)
    }

    /// Bytes of a device or file from `offset` on, exactly `len` of them.
    ///
    /// # Errors
    /// [`HostError::TooLarge`] when `len` is beyond [`READ_LIMIT`]; fewer
    /// bytes than that are an error too.
    pub fn read_at(&self, path: &str, offset: u64, len: usize) -> Result<Vec<u8>, HostError> {
        if len as u64 > READ_LIMIT {
            return Err(HostError::TooLarge(path.into(), READ_LIMIT));
        }
        let fd = self.open_at(path, OFlag::O_RDONLY | OFlag::O_NONBLOCK | OFlag::O_NOCTTY, Mode::empty())?;
        let mut bytes = vec![0; len];
        match File::from(fd).read_exact_at(&mut bytes, offset) {
            Ok(()) => Ok(bytes),
            Err(e) if e.kind() == std::io::ErrorKind::UnexpectedEof => {
                Err(other(path, &format!("ends before byte {}", offset.saturating_add(len as u64))))
            }
            Err(e) => Err(HostError::from_io(path, &e)),
        }
    }

    /// Room of the file system that holds `path`, which must be there.
    pub fn space(&self, path: &str) -> Result<Space, HostError> {
        if let Some(space) = self.world.space(path) {
            return Ok(space);
        }
        let fd = self.open_at(path, OFlag::O_PATH, Mode::empty())?;
        let stat = nix::sys::statvfs::fstatvfs(&fd).map_err(|e| HostError::from_errno(path, e))?;
        // Both are 32 bits wide on a 32-bit system.
        #[allow(clippy::useless_conversion)]
        let bytes = |blocks| u64::from(blocks).saturating_mul(u64::from(stat.fragment_size()));
        Ok(Space { free_bytes: bytes(stat.blocks_available()), total_bytes: bytes(stat.blocks()) })
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
        match inside.to_str() {
            Some(inside) => Ok(format!("/{inside}")),
            None => Err(other(path, "leads to a name that is not UTF-8")),
        }
    }
}

fn other(path: &str, why: &str) -> HostError {
    HostError::Other(path.into(), why.into())
}
