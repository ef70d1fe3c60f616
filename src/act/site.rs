//! Where a file of a boot partition is now.

use super::ActError;
use super::transaction::FileRecord;
use crate::facts::{Facts, Mount};
use crate::host::{Host, HostError, Mounted, TEMPORARY};

/// Where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    /// At this path.
    Here(String),
    /// On this partition, which is not mounted, at this path.
    On(String, String),
}

/// The file, within reach.
pub(super) struct Site {
    pub(super) path: String,
    mounted: Option<Mounted>,
}

/// The partition of `path` and the path below its root.
pub(super) fn origin(facts: &Facts, path: &str, device: Option<&str>) -> (Option<String>, String) {
    if let Some(device) = device {
        return (Some(device.to_owned()), path.to_owned());
    }
    let of = |(device, mount): (String, &Mount)| {
        let inner = path.strip_prefix(mount.point.trim_end_matches('/'))?;
        inner.starts_with('/').then(|| (mount.point.len(), device, inner.to_owned()))
    };
    match mounts(facts).filter_map(of).max() {
        Some((_, device, inner)) => (Some(device), inner),
        None => (None, path.to_owned()),
    }
}

/// Where the file of a record is now: the partition may have another name, or
/// be mounted elsewhere or not at all.
pub(super) fn locate(facts: &Facts, record: &FileRecord) -> Place {
    let Some(recorded) = record.device.as_deref() else { return Place::Here(record.path.clone()) };
    let named: Vec<_> = facts
        .boot
        .partitions
        .iter()
        .filter(|p| record.part_uuid.is_some() && p.part_uuid == record.part_uuid)
        .map(|p| p.device.as_str())
        .collect();
    // Two with the same id (a clone) tell nothing; the name then decides.
    let device = match named.as_slice() {
        [one] => one,
        _ => recorded,
    };
    match mounts(facts).find(|(of, _)| of == device) {
        Some((_, mount)) => Place::Here(format!("{}{}", mount.point.trim_end_matches('/'), record.inner)),
        None => Place::On(device.to_owned(), record.inner.clone()),
    }
}

fn mounts(facts: &Facts) -> impl Iterator<Item = (String, &Mount)> {
    let boot = &facts.boot;
    let own = boot.mount.as_ref().map(|m| (boot.config_device.clone().unwrap_or(m.source.clone()), m));
    let copies = boot.copies.iter().filter_map(|c| Some((c.partition.device.clone(), c.mount.as_ref()?)));
    own.into_iter().chain(copies)
}

impl Site {
    /// Mounts the partition where it has to be.
    pub(super) fn open(host: &Host, place: &Place, writable: bool) -> Result<Self, HostError> {
        match place {
            Place::Here(path) => Ok(Self { path: path.clone(), mounted: None }),
            Place::On(device, inner) => {
                let mounted = host.mount(device, writable)?;
                Ok(Self { path: format!("{}{inner}", mounted.point), mounted: Some(mounted) })
            }
        }
    }

    /// Unmounts it again; an error means that the medium may not have it all.
    pub(super) fn close(self) -> Result<(), HostError> {
        self.mounted.map_or(Ok(()), Mounted::unmount)
    }

    /// A file beside the one that the path really leads to.
    pub(super) fn beside(&self, host: &Host, name: &str) -> Result<String, HostError> {
        let real = host.canonical(&self.path)?;
        let folder = real.rsplit_once('/').map_or("", |(folder, _)| folder);
        Ok(format!("{folder}/{name}"))
    }

    /// Removes what a run that was stopped may have left beside the file, and
    /// the copy of the old one. A file of somebody else with that name holds
    /// something else, and stays.
    pub(super) fn tidy(&self, host: &Host, backup: Option<&str>, before: &[u8]) -> Result<(), ActError> {
        host.remove(&self.beside(host, TEMPORARY)?)?;
        let Some(backup) = backup else { return Ok(()) };
        let path = self.beside(host, backup)?;
        match host.read(&path) {
            Ok(bytes) if before.starts_with(&bytes) => Ok(host.remove(&path)?),
            Ok(_) | Err(HostError::NotFound(_)) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}
