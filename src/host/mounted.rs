//! A partition mounted for one purpose.

use super::HostError;
use nix::mount::{MntFlags, MsFlags, mount, umount2};
use std::fs::{DirBuilder, File};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// Below this folder partitions are mounted.
const BELOW: &str = "/run/pi5-nvme";

/// A partition mounted for one purpose; dropping it unmounts it. After writing
/// call [`Mounted::unmount`], which says whether all went onto the medium.
#[derive(Debug)]
#[must_use = "dropping it unmounts the partition"]
pub struct Mounted {
    /// Where it is, as an absolute path inside the root.
    pub point: String,
    held: Option<PathBuf>,
}

impl Mounted {
    /// A folder of a recorded machine: nothing to unmount.
    pub(super) fn recorded(point: String) -> Self {
        Self { point, held: None }
    }

    /// Mounts `device` of this machine.
    pub(super) fn live(device: &str, writable: bool) -> Result<Self, HostError> {
        let point = fresh_folder()?;
        let result = mount_vfat(device, &point, writable);
        if let Err(errno) = result {
            let _ = std::fs::remove_dir(&point);
            return Err(match errno {
                nix::Error::EBUSY => HostError::Other(
                    device.into(),
                    "mounted elsewhere in a way that excludes this one".into(),
                ),
                nix::Error::ENODEV => HostError::Other(device.into(), "this kernel has no vfat".into()),
                nix::Error::EINVAL => HostError::Other(device.into(), "holds no vfat file system".into()),
                errno => HostError::from_errno(device, errno),
            });
        }
        Ok(Self { point: point.display().to_string(), held: Some(point) })
    }

    /// Everything onto the medium, then the end of the mount.
    ///
    /// # Errors
    /// What was written may not all be on the medium, or the partition is
    /// still in use (it is then unmounted as soon as it is not).
    pub fn unmount(mut self) -> Result<(), HostError> {
        self.end()
    }

    fn end(&mut self) -> Result<(), HostError> {
        let Some(point) = self.held.take() else { return Ok(()) };
        let at = self.point.as_str();
        let synced = File::open(&point)
            .map_err(|e| HostError::from_io(at, &e))
            .and_then(|folder| nix::unistd::syncfs(&folder).map_err(|e| HostError::from_errno(at, e)));
        let ended = umount2(&point, MntFlags::UMOUNT_NOFOLLOW).map_err(|errno| {
            let _ = umount2(&point, MntFlags::UMOUNT_NOFOLLOW | MntFlags::MNT_DETACH);
            HostError::from_errno(at, errno)
        });
        let _ = std::fs::remove_dir(&point);
        synced.and(ended)
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = self.end();
    }
}

/// A new empty folder that only root can enter.
fn fresh_folder() -> Result<PathBuf, HostError> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let private = |path: &Path| DirBuilder::new().mode(0o700).create(path);
    let failed = |path: &Path, e: &std::io::Error| HostError::from_io(&path.display().to_string(), e);
    let below = Path::new(BELOW);
    match private(below) {
        Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => {}
        other => other.map_err(|e| failed(below, &e))?,
    }
    let there = std::fs::symlink_metadata(below).map_err(|e| failed(below, &e))?;
    if !there.is_dir() || there.uid() != nix::unistd::geteuid().as_raw() {
        return Err(HostError::Other(BELOW.into(), "in the way: not a folder of this user".into()));
    }
    loop {
        let name = format!("{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let point = below.join(name);
        match private(&point) {
            Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(e) => return Err(failed(&point, &e)),
            Ok(()) => return Ok(point),
        }
    }
}

fn mount_vfat(device: &str, point: &Path, writable: bool) -> nix::Result<()> {
    let safe = MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC;
    let with = |flags| mount(Some(device), point, Some("vfat"), flags, None::<&str>);
    if writable {
        return with(safe);
    }
    match with(safe | MsFlags::MS_RDONLY) {
        // A desktop has it mounted for writing, and one file system cannot be
        // both: this one mount of it is made read-only instead.
        Err(nix::Error::EBUSY) => {
            with(safe)?;
            let again = safe | MsFlags::MS_REMOUNT | MsFlags::MS_BIND | MsFlags::MS_RDONLY;
            mount(None::<&str>, point, None::<&str>, again, None::<&str>).inspect_err(|_| {
                let _ = umount2(point, MntFlags::UMOUNT_NOFOLLOW);
            })
        }
        other => other,
    }
}
