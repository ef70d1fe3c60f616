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
