//! The one file with unsafe code: system calls that have no safe wrapper.
#![allow(unsafe_code)]

/// NVMe admin commands.
pub(super) mod nvme {
    use std::os::fd::{AsRawFd, BorrowedFd};

    /// `struct nvme_passthru_cmd` of the kernel's `include/uapi/linux/nvme_ioctl.h`.
    #[repr(C)]
    #[derive(Default)]
    struct NvmeCommand {
        opcode: u8,
        flags: u8,
        reserved: u16,
        nsid: u32,
        cdw2: u32,
        cdw3: u32,
        metadata: u64,
        addr: u64,
        metadata_len: u32,
        data_len: u32,
        cdw10: u32,
        cdw11: u32,
        cdw12: u32,
        cdw13: u32,
        cdw14: u32,
        cdw15: u32,
        timeout_ms: u32,
        result: u32,
    }

    const _: () = assert!(size_of::<NvmeCommand>() == 72);

    /// `NVME_IOCTL_ADMIN_CMD`, that is `_IOWR('N', 0x41, struct nvme_passthru_cmd)`.
    const NVME_IOCTL_ADMIN_CMD: libc::Ioctl = 0xC048_4E41_u32 as libc::Ioctl;

    /// Get Log Page (opcode 02h) for all namespaces into `bytes`, whose length is
    /// a multiple of 4 and not 0; waits at most 10 s for the drive. 0, or the NVMe
    /// status of a drive that refused.
    pub(in crate::host) fn get_log_page(
        device: BorrowedFd<'_>,
        page: u8,
        bytes: &mut [u8],
    ) -> nix::Result<u32> {
        let data_len = u32::try_from(bytes.len()).map_err(|_| nix::Error::EINVAL)?;
        let dwords = (data_len / 4).checked_sub(1).ok_or(nix::Error::EINVAL)?;
        let mut command = NvmeCommand {
            opcode: 0x02,
            nsid: 0xffff_ffff,
            addr: bytes.as_mut_ptr().expose_provenance() as u64,
            data_len,
            cdw10: u32::from(page) | (dwords & 0xffff) << 16,
            cdw11: dwords >> 16,
            timeout_ms: 10_000,
            ..NvmeCommand::default()
        };
        // SAFETY: the descriptor is open for the whole call. The request number
        // says that the kernel reads and writes one `struct nvme_passthru_cmd`,
        // which `command` is, in layout and size. It writes at most `data_len`
        // bytes at `addr`: those of `bytes`, borrowed mutably until after the
        // call. A descriptor of something else than an NVMe controller knows no
        // such request and answers ENOTTY.
        let status = unsafe { libc::ioctl(device.as_raw_fd(), NVME_IOCTL_ADMIN_CMD, &raw mut command) };
        nix::errno::Errno::result(status).map(|status| status.unsigned_abs())
    }
}

/// Measuring: memory for transfers, and a queue of the kernel's own.
pub(super) mod measure {
    use io_uring::{IoUring, opcode, types};
    use std::fs::File;
    use std::io;
    use std::mem::ManuallyDrop;
    use std::os::fd::{AsRawFd, BorrowedFd};
    use std::ptr::NonNull;

    /// A transparent huge page where pages have 4 KiB.
    const HUGE_PAGE: usize = 2 << 20;

    /// Anonymous memory in one piece, zeroed, aligned to a huge page.
    #[derive(Debug)]
    pub(in crate::host) struct Mapping {
        base: NonNull<libc::c_void>,
        mapped: usize,
        start: usize,
        len: usize,
        /// The kernel took the wish for huge pages (not every kernel can).
        pub(in crate::host) huge: bool,
    }

    impl Mapping {
        pub(in crate::host) fn new(len: usize) -> io::Result<Self> {
            let len = len.max(1).next_multiple_of(4096);
            // Room to move the start up to the next huge page.
            let mapped = len.checked_add(HUGE_PAGE).ok_or(io::ErrorKind::OutOfMemory)?;
            let protection = libc::PROT_READ | libc::PROT_WRITE;
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            // SAFETY: a new anonymous mapping at an address of the kernel's
            // choice touches no memory that is in use.
            let base = unsafe { libc::mmap(std::ptr::null_mut(), mapped, protection, flags, -1, 0) };
            if base == libc::MAP_FAILED {
                return Err(io::Error::last_os_error());
            }
            let base = NonNull::new(base).ok_or(io::ErrorKind::OutOfMemory)?;
            let start = base.as_ptr().addr().next_multiple_of(HUGE_PAGE) - base.as_ptr().addr();
            let mut mapping = Self { base, mapped, start, len, huge: false };
            let inside = mapping.as_ptr().cast();
            // SAFETY: advice on a range of the mapping just made; it changes
            // no contents.
            mapping.huge = unsafe { libc::madvise(inside, len, libc::MADV_HUGEPAGE) } == 0;
            Ok(mapping)
        }

        fn as_ptr(&self) -> *mut u8 {
            self.base.as_ptr().cast::<u8>().wrapping_add(self.start)
        }

        /// Its first address and its length.
        pub(in crate::host) fn range(&self) -> (usize, usize) {
            (self.as_ptr().addr(), self.len)
        }

        pub(in crate::host) fn bytes_mut(&mut self) -> &mut [u8] {
            // SAFETY: `start + len <= mapped`, the memory is initialised (the
            // kernel zeroes it), lives as long as `self`, and `&mut self`
            // makes this the only reference. A transfer in flight cannot
            // touch it: [`Ring`] owns its mapping and gives out idle slots.
            unsafe { std::slice::from_raw_parts_mut(self.as_ptr(), self.len) }
        }
    }

    impl Drop for Mapping {
        fn drop(&mut self) {
            // SAFETY: exactly the range that `mmap` gave, which nothing refers
            // to any more.
            unsafe { libc::munmap(self.base.as_ptr(), self.mapped) };
        }
    }

    /// A finished transfer.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Done {
        /// The slot it used.
        pub slot: usize,
        /// Bytes moved, or a negative error number.
        pub result: i32,
    }

    /// An io_uring over one file and one mapping cut into equal slots.
    ///
    /// It owns both, and a slot that is in flight is out of reach, so that the
    /// kernel never writes where somebody else reads.
    pub(in crate::host) struct Ring {
        ring: IoUring,
        file: File,
        mapping: ManuallyDrop<Mapping>,
        slot_len: usize,
        slots: Box<[Slot]>,
        /// System calls made so far.
        pub(in crate::host) calls: u64,
        /// The kernel knows file and buffers in advance.
        pub(in crate::host) registered: bool,
    }

    /// A part of the mapping, `slot_len` long.
    struct Slot {
        at: *mut u8,
        flying: bool,
    }

    impl Ring {
        /// Takes the mapping; gives it back with the error when the kernel
        /// has no ring to give.
        pub(in crate::host) fn new(
            file: File,
            mapping: Mapping,
            slots: usize,
            slot_len: usize,
        ) -> Result<Self, (Mapping, io::Error)> {
            if slots.checked_mul(slot_len).is_none_or(|need| need > mapping.len || need == 0) {
                return Err((mapping, io::ErrorKind::InvalidInput.into()));
            }
            let entries = u32::try_from(slots).unwrap_or(u32::MAX);
            // Completions are worked off inside our own calls only; kernels
            // before 6.1 do not know how and get a plain ring.
            let ring = IoUring::builder().setup_single_issuer().setup_defer_taskrun().build(entries);
            let ring = match ring.or_else(|_| IoUring::new(entries)) {
                Ok(ring) => ring,
                Err(error) => return Err((mapping, error)),
            };
            let slots: Box<[_]> = (0..slots)
                .map(|slot| Slot { at: mapping.as_ptr().wrapping_add(slot * slot_len), flying: false })
                .collect();
            let slices: Vec<_> = slots
                .iter()
                .map(|slot| libc::iovec { iov_base: slot.at.cast(), iov_len: slot_len })
                .collect();
            // SAFETY: the slices lie inside the mapping, which is unmapped
            // only after the ring is gone (see `Drop`).
            let registered = unsafe { ring.submitter().register_buffers(&slices) }.is_ok()
                && ring.submitter().register_files(&[file.as_raw_fd()]).is_ok();
            let mapping = ManuallyDrop::new(mapping);
            Ok(Self { ring, file, mapping, slot_len, slots, calls: 0, registered })
        }

        /// The bytes of a slot that is not in flight.
        #[inline(always)]
        pub(in crate::host) fn slot_mut(&mut self, slot: usize) -> Option<&mut [u8]> {
            let slot = self.slots.get(slot).filter(|slot| !slot.flying)?;
            // SAFETY: every slot lies inside the mapping; this one is idle, so
            // the kernel does not touch it; `&mut self` rules out a second
            // reference.
            Some(unsafe { std::slice::from_raw_parts_mut(slot.at, self.slot_len) })
        }

        /// Queues a transfer of a whole slot. False when the slot is busy or
        /// the queue full: then nothing was queued.
        #[inline(always)]
        #[allow(clippy::cast_possible_truncation)]
        pub(in crate::host) fn push(&mut self, slot: usize, write: bool, offset: u64) -> bool {
            let Some(Slot { at, flying }) = self.slots.get_mut(slot).filter(|slot| !slot.flying) else {
                return false;
            };
            *flying = true;
            let (at, len, index) = (*at, self.slot_len as u32, slot as u16);
            macro_rules! push {
                ($operation:expr) => {{
                    let entry = $operation.offset(offset).build().user_data(slot as u64);
                    // SAFETY: the buffer lies inside the mapping and stays there
                    // until the completion is seen (`Drop` waits for it); the
                    // slot is marked busy, so nobody reads or writes it
                    // meanwhile; the file is owned.
                    unsafe { self.ring.submission().push(&entry) }
                }};
            }
            let file = types::Fd(self.file.as_raw_fd());
            let pushed = match (write, self.registered) {
                (false, true) => push!(opcode::ReadFixed::new(types::Fixed(0), at, len, index)),
                (true, true) => push!(opcode::WriteFixed::new(types::Fixed(0), at, len, index)),
                (false, false) => push!(opcode::Read::new(file, at, len)),
                (true, false) => push!(opcode::Write::new(file, at, len)),
            };
            if pushed.is_err() {
                self.slots.iter_mut().skip(slot).take(1).for_each(|slot| slot.flying = false);
            }
            pushed.is_ok()
        }

        /// Hands what is queued to the kernel, and waits for `want` transfers.
        /// A signal ends the wait early without an error.
        pub(in crate::host) fn submit_and_wait(&mut self, want: usize) -> io::Result<()> {
            self.calls += 1;
            match self.ring.submit_and_wait(want) {
                Err(e) if e.raw_os_error() != Some(libc::EINTR) => Err(e),
                _ => Ok(()),
            }
        }

        /// Appends what has finished to `done` (which has room for all slots).
        pub(in crate::host) fn reap(&mut self, done: &mut Vec<Done>) {
            for entry in self.ring.completion() {
                let slot = usize::try_from(entry.user_data()).unwrap_or(usize::MAX);
                if let Some(own) = self.slots.get_mut(slot).filter(|own| own.flying) {
                    own.flying = false;
                    done.push(Done { slot, result: entry.result() });
                }
            }
        }

        /// Waits for everything in flight and gives the mapping back, when
        /// nothing is in flight any more.
        pub(in crate::host) fn into_mapping(mut self) -> Option<Mapping> {
            if !self.drain() {
                return None;
            }
            let _ = self.ring.submitter().unregister_buffers();
            // SAFETY: nothing is in flight, and `Drop` is not run for `self`;
            // ring and file are dropped by hand, the mapping is taken out
            // once.
            unsafe {
                let mut this = ManuallyDrop::new(self);
                std::ptr::drop_in_place(&raw mut this.ring);
                std::ptr::drop_in_place(&raw mut this.file);
                std::ptr::drop_in_place(&raw mut this.slots);
                Some(ManuallyDrop::take(&mut this.mapping))
            }
        }

        fn drain(&mut self) -> bool {
            let mut done = Vec::new();
            while self.slots.iter().any(|slot| slot.flying) {
                if self.submit_and_wait(1).is_err() {
                    return false;
                }
                self.reap(&mut done);
            }
            true
        }
    }

    impl Drop for Ring {
        fn drop(&mut self) {
            if self.drain() {
                let _ = self.ring.submitter().unregister_buffers();
                // SAFETY: nothing is in flight and the mapping is not used
                // again. Otherwise it is leaked: the kernel may still write.
                unsafe { ManuallyDrop::drop(&mut self.mapping) };
            }
        }
    }

    /// The monotonic clock: nanoseconds since a moment of the kernel's choice.
    #[inline(always)]
    #[allow(clippy::cast_sign_loss)]
    pub fn monotonic_ns() -> u64 {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: room for one timespec. Every Linux has this clock, so that
        // nothing can fail.
        unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
        // Never negative; 64 bits of nanoseconds are 584 years.
        (time.tv_sec as u64).wrapping_mul(1_000_000_000).wrapping_add(time.tv_nsec as u64)
    }

    /// Alignment that direct I/O needs: memory and offset, in bytes; `(0, 0)`
    /// where the file system has none to give; `None` where the kernel (before
    /// 6.1) does not tell.
    pub(in crate::host) fn direct_alignment(file: BorrowedFd<'_>) -> Option<(u32, u32)> {
        let mut answer = std::mem::MaybeUninit::<libc::statx>::zeroed();
        let (flags, mask) = (libc::AT_EMPTY_PATH, libc::STATX_DIOALIGN);
        // SAFETY: an open file, an empty C string and room for one statx.
        let status = unsafe { libc::statx(file.as_raw_fd(), c"".as_ptr(), flags, mask, answer.as_mut_ptr()) };
        // SAFETY: zeroed bytes are a valid statx, and the kernel only filled in.
        let answer = unsafe { answer.assume_init() };
        let told = status == 0 && answer.stx_mask & libc::STATX_DIOALIGN != 0;
        told.then_some((answer.stx_dio_mem_align, answer.stx_dio_offset_align))
    }
}
