//! Where the test file goes: from a drive to its mounted file system, or from
//! a folder to the drive behind it.

use super::error::BenchError;
use super::types::TargetInfo;
use crate::facts::{BlockDevice, Drive, DriveState, Facts, MountEntry, Mounts};
use crate::host::measure::TestFile;
use crate::host::{Host, HostError};

/// What is to be measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A namespace (`nvme0n1`, also `/dev/nvme0n1`) or controller (`nvme0`):
    /// its file system is looked for.
    Drive(String),
    /// A folder: the drive behind it is looked for.
    Dir(String),
}

impl Target {
    /// The first drive that works, if there is one.
    pub fn first(facts: &Facts) -> Option<Self> {
        let drive = facts.drives.iter().find(|d| d.state == DriveState::Live && !d.namespaces.is_empty())?;
        Some(Self::Drive(drive.namespaces.first()?.name.clone()))
    }
}

/// A place that was found.
#[derive(Debug)]
pub(super) struct Place<'f> {
    pub(super) file: TestFile,
    /// The folder, for messages.
    pub(super) dir: String,
    pub(super) drive: Option<&'f Drive>,
    pub(super) info: TargetInfo,
}

/// Finds the place and makes the test file there, empty.
pub(super) fn find<'f>(host: &Host, facts: &'f Facts, target: &Target) -> Result<Place<'f>, BenchError> {
    let mounts = Mounts::read(host, &mut Vec::new());
    match target {
        Target::Dir(path) => in_folder(host, facts, &mounts, path),
        Target::Drive(name) => on_drive(host, facts, &mounts, name),
    }
}

fn in_folder<'f>(
    host: &Host,
    facts: &'f Facts,
    mounts: &Mounts,
    path: &str,
) -> Result<Place<'f>, BenchError> {
    let file = host.create_test_file(path).map_err(|e| BenchError::not_writable(path, &e))?;
    // On a recorded machine the file lies on this computer, and only the
    // tree's own mountinfo tells what it stands for.
    let device = if host.is_simulated() { None } else { Some(file.device()?) };
    let real = host.canonical(path)?;
    // btrfs gives each subvolume a number of its own, in no list of mounts.
    let listed = device.filter(|(major, _)| *major != 0);
    let mount = mounts.holding(&real, listed);
    let block = device
        .and_then(|d| BlockDevice::by_number(host, d))
        .or_else(|| mount.and_then(|m| BlockDevice::of_mount(host, m)));
    if !host.is_simulated() {
        refuse_indirect(path, &file)?;
        let kind = mount.map_or("unknown", |m| m.mount.fs_type.as_str());
        let why = match &block {
            None => format!("no disk was found behind its file system ({kind})"),
            Some(b) if b.is_made_up(host) => format!("it lies on {}, which is not a drive", b.disk),
            Some(_) => String::new(),
        };
        if !why.is_empty() {
            return Err(BenchError::NotDirect { at: path.into(), why });
        }
    }
    let drive = block.as_ref().and_then(|b| facts.drives.iter().find(|d| has_namespace(d, &b.disk)));
    let info = info(host, drive, block.as_ref(), mount);
    Ok(Place { file, dir: path.into(), drive, info })
}

fn refuse_indirect(at: &str, file: &TestFile) -> Result<(), BenchError> {
    match file.indirect() {
        Some(why) => Err(BenchError::NotDirect { at: at.into(), why: why.into() }),
        None => Ok(()),
    }
}

fn has_namespace(drive: &Drive, disk: &str) -> bool {
    drive.namespaces.iter().any(|n| n.name == disk)
}

fn on_drive<'f>(host: &Host, facts: &'f Facts, mounts: &Mounts, name: &str) -> Result<Place<'f>, BenchError> {
    let short = name.strip_prefix("/dev/").unwrap_or(name);
    let drive = facts.drives.iter().find(|d| d.name == short || has_namespace(d, short));
    let drive = drive.ok_or_else(|| BenchError::NoDrive { name: name.into() })?;
    if drive.state != DriveState::Live || drive.namespaces.is_empty() {
        let (why, hint) = ("the drive does not answer".into(), "`pi5-nvme status` says more");
        return Err(BenchError::NotWritable { at: name.into(), why, hint });
    }
    let on_it =
        |b: &BlockDevice| if drive.name == short { has_namespace(drive, &b.disk) } else { b.disk == short };

    let mut best: Option<(u64, Place<'f>)> = None;
    let mut refused = None;
    for mount in mounts.iter().filter(|m| !m.mount.read_only) {
        let Some(block) = BlockDevice::of_mount(host, mount).filter(on_it) else { continue };
        match make_file(host, mount) {
            Err(error) => refused = Some(error),
            Ok((dir, file)) => {
                let free = file.space()?.free_bytes;
                // `/` and a bind mount of it have the same room: the first stays.
                if best.as_ref().is_none_or(|(most, _)| free > *most) {
                    let info = info(host, Some(drive), Some(&block), Some(mount));
                    best = Some((free, Place { file, dir, drive: Some(drive), info }));
                }
            }
        }
    }
    match (best, refused) {
        (Some((_, place)), _) => Ok(place),
        (None, _) if host.is_simulated() => {
            // Nothing of the recorded drive is mounted: the root folder of the
            // tree holds the file that stands for it.
            let file = host.create_test_file("/").map_err(|e| BenchError::not_writable("/", &e))?;
            let disk = drive.namespaces.first().map_or(short, |n| n.name.as_str()).to_owned();
            let block = BlockDevice { name: disk.clone(), disk, partition: None };
            let info = info(host, Some(drive), Some(&block), None);
            Ok(Place { file, dir: "/".into(), drive: Some(drive), info })
        }
        (None, Some(error)) => Err(error),
        (None, None) => Err(BenchError::NotMounted { drive: short.into() }),
    }
}

/// A test file on this mount: at its top, or in a folder for temporary files
/// that lies on the same file system.
fn make_file(host: &Host, mount: &MountEntry) -> Result<(String, TestFile), BenchError> {
    let top = mount.mount.point.trim_end_matches('/');
    let mut first_error = None;
    for dir in [mount.mount.point.clone(), format!("{top}/var/tmp"), format!("{top}/tmp")] {
        let made = host.create_test_file(&dir).map_err(|e| BenchError::not_writable(&dir, &e));
        let checked = made.and_then(|file| {
            if host.is_simulated() {
                return Ok(Some(file));
            }
            // btrfs again: no number to compare with.
            let same = file.device()? == mount.device || mount.device.0 == 0;
            refuse_indirect(&dir, &file)?;
            Ok(same.then_some(file))
        });
        match checked {
            Ok(Some(file)) => return Ok((dir, file)),
            Ok(None) => {}
            Err(error) => first_error = first_error.or(Some(error)),
        }
    }
    let unmounted = || HostError::NotFound(mount.mount.point.clone());
    Err(first_error.unwrap_or_else(|| BenchError::not_writable(&mount.mount.point, &unmounted())))
}

fn info(
    host: &Host,
    drive: Option<&Drive>,
    block: Option<&BlockDevice>,
    mount: Option<&MountEntry>,
) -> TargetInfo {
    let model = |b: &BlockDevice| host.read_text(&format!("/sys/block/{}/device/model", b.disk)).ok();
    TargetInfo {
        device: block.map(|b| format!("/dev/{}", b.name)),
        disk: block.map(|b| b.disk.clone()),
        partition: block.and_then(|b| b.partition),
        model: drive.and_then(|d| d.model.clone()).or_else(|| block.and_then(model)),
        firmware: drive.and_then(|d| d.firmware.clone()),
        identity: drive.and_then(|d| d.identity.clone()),
        file_system: mount.map_or_else(|| "none".into(), |m| m.mount.fs_type.clone()),
        mount: mount.map_or_else(|| "none".into(), |m| m.mount.point.clone()),
        file_bytes: 0,
    }
}
