//! Measuring: a test file that no crash leaves behind, memory for transfers,
//! and the kernel's queue.

use super::raw::measure as raw;
use super::{Host, HostError, Space};
use nix::fcntl::OFlag;
use nix::sys::stat::Mode;
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

pub use raw::{Done, monotonic_ns};

/// Offsets, lengths and buffers are multiples of this.
pub const BLOCK: usize = 4096;

/// File systems without a disk of their own behind them, whatever they say to
/// `O_DIRECT` (tmpfs takes it since Linux 6.6), by the number that statfs
/// gives: linux/magic.h and the drivers' own headers.
const WITHOUT_A_DISK: [(u64, &str); 12] = [
    (0x0102_1994, "tmpfs"),
    (0x8584_58f6, "ramfs"),
    (0x794c_7630, "overlay"),
    (0x6573_5546, "FUSE"),
    (0x6969, "NFS"),
    (0x517b, "SMB"),
    (0xff53_4d42, "CIFS"),
    (0xfe53_4d42, "SMB2"),
    (0x0102_1997, "9p"),
    (0x00c3_6400, "Ceph"),
    (0x5346_414f, "AFS"),
    (0xf15f, "eCryptfs"),
];

/// A file without a name: it is gone when the program is, however it ends.
#[derive(Debug)]
pub struct TestFile {
    file: File,
    at: String,
    /// Why transfers do not go straight to a disk, when they do not.
    indirect: Option<String>,
}

impl Host {
    /// Makes a nameless file in the folder `dir`, opened for direct I/O where
    /// the file system has it ([`TestFile::indirect`] says when not).
    ///
    /// # Errors
    /// What the system says of the folder.
    pub fn create_test_file(&self, dir: &str) -> Result<TestFile, HostError> {
        let (file, refused) = match self.nameless(dir, OFlag::O_DIRECT) {
            Err(HostError::Other(_, why)) => (self.nameless(dir, OFlag::empty())?, Some(why)),
            other => (other?, None),
        };
        let mut test = TestFile { file, at: dir.to_owned(), indirect: None };
        test.indirect = match refused {
            Some(why) => Some(format!("the file system refuses O_DIRECT ({why})")),
            None => test.why_indirect()?,
        };
        Ok(test)
    }

    fn nameless(&self, dir: &str, extra: OFlag) -> Result<File, HostError> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let mode = Mode::S_IRUSR | Mode::S_IWUSR;
        let flags = OFlag::O_RDWR | extra;
        match self.open_at(dir, flags | OFlag::O_TMPFILE, mode) {
            Ok(fd) => return Ok(File::from(fd)),
            Err(e @ (HostError::NotFound(_) | HostError::Denied(_) | HostError::ReadOnly(_))) => {
                return Err(e);
            }
            // vfat and others know no nameless files: made with a name that
            // is taken away at once.
            Err(_) => {}
        }
        let folder = self.open_at(dir, OFlag::O_RDONLY | OFlag::O_DIRECTORY, Mode::empty())?;
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!(".pi5-nvme-{}-{number}", std::process::id());
        let flags = flags | OFlag::O_CREAT | OFlag::O_EXCL | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
        let made = nix::fcntl::openat(folder.as_fd(), name.as_str(), flags, mode);
        // With O_DIRECT refused the file may have been made before the error.
        if !matches!(made, Err(nix::Error::EEXIST)) {
            let gone =
                nix::unistd::unlinkat(folder.as_fd(), name.as_str(), nix::unistd::UnlinkatFlags::NoRemoveDir);
            if made.is_ok() {
                gone.map_err(|e| HostError::from_errno(&format!("{dir}/{name}"), e))?;
            }
        }
        made.map(File::from).map_err(|e| match e {
            // The folder is there (proc): it takes no files.
            nix::Error::ENOENT => HostError::Other(dir.into(), "no files can be made there".into()),
            other => HostError::from_errno(dir, other),
        })
    }
}

impl TestFile {
    /// A file that the caller has opened, as it wants it opened; `at` is its
    /// name in messages.
    pub fn over(file: File, at: &str) -> Self {
        Self { file, at: at.into(), indirect: None }
    }

    /// Why transfers do not go straight to a disk; `None` when they do, as
    /// far as the kernel tells.
    pub fn indirect(&self) -> Option<&str> {
        self.indirect.as_deref()
    }

    /// Major and minor number of the device that the file system names.
    pub fn device(&self) -> Result<(u64, u64), HostError> {
        let stat = nix::sys::stat::fstat(&self.file).map_err(|e| HostError::from_errno(&self.at, e))?;
        Ok((nix::sys::stat::major(stat.st_dev), nix::sys::stat::minor(stat.st_dev)))
    }

    /// Room of the file system that really holds it.
    pub fn space(&self) -> Result<Space, HostError> {
        let stat = nix::sys::statvfs::fstatvfs(&self.file).map_err(|e| HostError::from_errno(&self.at, e))?;
        // u64::from is a real conversion on 32-bit targets only.
        #[allow(clippy::useless_conversion)]
        let (unit, free, total) =
            (u64::from(stat.fragment_size()), u64::from(stat.blocks_available()), u64::from(stat.blocks()));
        Ok(Space { free_bytes: free.saturating_mul(unit), total_bytes: total.saturating_mul(unit) })
    }

    /// Reads one whole buffer: bytes moved or the error.
    pub fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        self.file.read_at(buffer, offset)
    }

    /// Writes one whole buffer: bytes moved or the error.
    pub fn write_at(&self, buffer: &[u8], offset: u64) -> io::Result<usize> {
        self.file.write_at(buffer, offset)
    }

    /// Everything onto the medium.
    pub fn sync(&self) -> io::Result<()> {
        self.file.sync_all()
    }

    fn why_indirect(&self) -> Result<Option<String>, HostError> {
        let stat = nix::sys::statfs::fstatfs(&self.file).map_err(|e| HostError::from_errno(&self.at, e))?;
        // The type of the number differs between C libraries and widths; the
        // magic numbers have 32 bits.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let magic = u64::from(stat.filesystem_type().0 as u32);
        if let Some((_, name)) = WITHOUT_A_DISK.iter().find(|(number, _)| *number == magic) {
            return Ok(Some(format!("{name} has no disk of its own")));
        }
        match raw::direct_alignment(self.file.as_fd()) {
            Some((_, 0)) => return Ok(Some("the file system has no direct I/O".into())),
            Some((memory, offset)) if memory.max(offset) as usize > BLOCK => {
                return Ok(Some(format!("direct I/O here needs blocks of {} bytes", memory.max(offset))));
            }
            _ => {}
        }
        let mut arena = Arena::new(BLOCK).map_err(|e| HostError::from_io(&self.at, &e))?;
        let buffer = arena.bytes_mut();
        let tried = self.file.write_all_at(buffer, 0).and_then(|()| self.file.read_exact_at(buffer, 0));
        match tried {
            Err(e) if e.raw_os_error() == Some(libc::EINVAL) => {
                Ok(Some("the file system refuses direct transfers of 4096 bytes".into()))
            }
            other => other.map(|()| None).map_err(|e| HostError::from_io(&self.at, &e)),
        }
    }
}

/// Memory for transfers: one piece, aligned, on huge pages where the kernel
/// gives them.
#[derive(Debug)]
pub struct Arena(raw::Mapping);

impl Arena {
    /// At least `len` bytes, zeroed.
    pub fn new(len: usize) -> io::Result<Self> {
        raw::Mapping::new(len).map(Self)
    }

    /// All of it.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        self.0.bytes_mut()
    }

    /// True when all of it lies on huge pages. The kernel gives pages at the
    /// first touch: ask after every byte was written.
    pub fn huge(&self) -> bool {
        let (start, len) = self.0.range();
        self.0.huge && super::pages::on_huge_pages(start, len)
    }
}

/// The kernel's queue (io_uring) over a test file and an arena cut into slots.
pub struct Ring(raw::Ring);

impl Ring {
    /// A ring of `slots` transfers of `slot_len` bytes each. Must be used on
    /// the thread that made it.
    ///
    /// # Errors
    /// What the kernel says, with the arena back: io_uring is absent
    /// (`ENOSYS`) or forbidden (`EPERM`, `EACCES`) on some systems.
    pub fn new(
        file: &TestFile,
        arena: Arena,
        slots: usize,
        slot_len: usize,
    ) -> Result<Self, (Arena, io::Error)> {
        match file.file.try_clone() {
            Err(error) => Err((arena, error)),
            Ok(own) => raw::Ring::new(own, arena.0, slots, slot_len)
                .map(Self)
                .map_err(|(mapping, error)| (Arena(mapping), error)),
        }
    }

    /// The bytes of a slot that is not in flight.
    #[inline(always)]
    pub fn slot_mut(&mut self, slot: usize) -> Option<&mut [u8]> {
        self.0.slot_mut(slot)
    }

    /// Queues a transfer of a whole slot; false when the slot is in flight.
    #[inline(always)]
    pub fn push(&mut self, slot: usize, write: bool, offset: u64) -> bool {
        self.0.push(slot, write, offset)
    }

    /// Hands what is queued to the kernel.
    pub fn submit(&mut self) -> io::Result<()> {
        self.0.submit_and_wait(0)
    }

    /// Hands over what is queued and waits for at least one transfer; a signal
    /// may end the wait. What has finished is appended to `done`.
    pub fn wait(&mut self, done: &mut Vec<Done>) -> io::Result<()> {
        self.0.submit_and_wait(1)?;
        self.0.reap(done);
        Ok(())
    }

    /// System calls made so far.
    pub fn calls(&self) -> u64 {
        self.0.calls
    }

    /// Whether buffers and file are registered with the kernel.
    pub fn registered(&self) -> bool {
        self.0.registered
    }

    /// Waits for what is in flight and gives the arena back; `None` when the
    /// kernel would not say that all is done.
    pub fn into_arena(self) -> Option<Arena> {
        self.0.into_mapping().map(Arena)
    }
}

/// Processor time that this program has used so far, all threads, user and
/// system.
pub fn cpu_time() -> Duration {
    let Ok(usage) = nix::sys::resource::getrusage(nix::sys::resource::UsageWho::RUSAGE_SELF) else {
        return Duration::ZERO;
    };
    [usage.user_time(), usage.system_time()]
        .iter()
        .map(|t| {
            let (seconds, micros) = (t.tv_sec(), t.tv_usec());
            Duration::new(u64::try_from(seconds).unwrap_or(0), u32::try_from(micros).unwrap_or(0) * 1000)
        })
        .sum()
}

/// The words of an error number.
pub fn errno_words(errno: i32) -> &'static str {
    nix::Error::from_raw(errno).desc()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host() -> Host {
        Host::open(None).unwrap()
    }

    fn folder() -> tempfile::TempDir {
        // On the disk of the build, not on /tmp, which may be memory.
        tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap()
    }

    #[test]
    fn the_file_has_no_name_and_takes_what_is_written() {
        let dir = folder();
        let file = host().create_test_file(dir.path().to_str().unwrap()).unwrap();
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
        let mut arena = Arena::new(2 * BLOCK).unwrap();
        arena.bytes_mut()[..BLOCK].fill(7);
        assert_eq!(file.write_at(&arena.bytes_mut()[..BLOCK], 4096).unwrap(), BLOCK);
        assert_eq!(file.read_at(&mut arena.bytes_mut()[BLOCK..], 4096).unwrap(), BLOCK);
        assert!(arena.bytes_mut().iter().all(|b| *b == 7));
        file.sync().unwrap();
        assert!(file.space().unwrap().total_bytes > 0);
    }

    #[test]
    fn memory_is_no_disk() {
        if !std::path::Path::new("/dev/shm").is_dir() {
            return;
        }
        match host().create_test_file("/dev/shm") {
            Ok(file) => assert!(file.indirect().is_some(), "{file:?}"),
            Err(error) => assert!(matches!(error, HostError::Denied(_)), "{error}"),
        }
    }

    #[test]
    fn a_slot_in_flight_is_out_of_reach_and_the_arena_comes_back() {
        let dir = folder();
        let file = host().create_test_file(dir.path().to_str().unwrap()).unwrap();
        let Ok(mut ring) = Ring::new(&file, Arena::new(2 * BLOCK).unwrap(), 2, BLOCK) else {
            return; // no io_uring here: the threads have a test of their own
        };
        ring.slot_mut(0).unwrap().fill(1);
        ring.slot_mut(1).unwrap().fill(2);
        assert!(ring.push(0, true, 0) && ring.push(1, true, 4096));
        assert!(!ring.push(1, true, 0), "in flight");
        assert!(!ring.push(2, true, 0), "there is no slot 2");
        assert!(ring.slot_mut(0).is_none());
        let mut done = Vec::new();
        while done.len() < 2 {
            ring.wait(&mut done).unwrap();
        }
        assert!(done.iter().all(|d| d.result == 4096), "{done:?}");
        assert!(ring.slot_mut(0).is_some());
        assert!(ring.push(0, false, 4096));
        let mut arena = ring.into_arena().unwrap();
        assert_eq!(arena.bytes_mut()[..BLOCK], [2; BLOCK]);
    }
}
