//! The step for a text file of a boot partition, there and back.

use super::ActError;
use super::site::{Place, Site};
use super::transaction::FileRecord;
use crate::formats::diff;
use crate::host::{Host, HostError};

/// What stands there.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Now {
    Before,
    After,
    Foreign(Vec<u8>),
    /// The partition is on no drive that is there.
    Gone,
}

/// Compares the file with its old and its new bytes.
///
/// # Errors
/// The file cannot be read. A partition that was mounted only for the edit is
/// one beside the system in use, and may be gone with its drive.
pub(super) fn look(
    host: &Host,
    place: &Place,
    record: &FileRecord,
    before: &[u8],
    after: &[u8],
) -> Result<Now, ActError> {
    let site = match Site::open(host, place, false) {
        Err(HostError::NotFound(_) | HostError::NotRecorded(_)) if record.is_beside() => {
            return Ok(Now::Gone);
        }
        site => site?,
    };
    let bytes = host.read(&site.path)?;
    site.close()?;
    Ok(match bytes {
        bytes if bytes == before => Now::Before,
        bytes if bytes == after => Now::After,
        bytes => Now::Foreign(bytes),
    })
}

/// The error for a file that is neither: from what was expected to what is
/// there.
pub(super) fn changed_since(path: &str, expected: &[u8], there: &[u8]) -> ActError {
    ActError::ChangedSince { path: path.into(), diff: diff::unified(path, expected, there) }
}

/// A short name that is free beside the file: any computer can copy it back.
pub(super) fn backup_name(host: &Host, place: &Place) -> Result<Option<String>, ActError> {
    let site = Site::open(host, place, false)?;
    let names = std::iter::once("config.p5n".to_owned()).chain((1..=9).map(|n| format!("config.p5{n}")));
    for name in names {
        if !host.exists(&site.beside(host, &name)?) {
            site.close()?;
            return Ok(Some(name));
        }
    }
    site.close()?;
    Ok(None)
}

/// Puts the new bytes there, with a copy of the old ones beside them.
pub(super) fn change(
    host: &Host,
    place: &Place,
    record: &FileRecord,
    before: &[u8],
    after: &[u8],
) -> Result<(), ActError> {
    let site = Site::open(host, place, true)?;
    let there = host.read(&site.path)?;
    if there != before {
        return Err(changed_since(&record.path, before, &there));
    }
    if let Some(backup) = &record.backup {
        host.write_new(&site.beside(host, backup)?, before, 0o644)?;
    }
    host.replace(&site.path, after)?;
    let there = host.read(&site.path)?;
    if there != after {
        return Err(HostError::ReadBack(site.path).into());
    }
    Ok(site.close()?)
}

/// Puts the old bytes there, where the new ones are, and removes what lies
/// beside them.
pub(super) fn put_back(
    host: &Host,
    place: &Place,
    record: &FileRecord,
    before: &[u8],
    after: &[u8],
) -> Result<(), ActError> {
    let site = Site::open(host, place, true)?;
    let there = host.read(&site.path)?;
    if there == after {
        restore(host, &site, record, before)?;
    } else if there != before {
        return Err(changed_since(&record.path, after, &there));
    }
    site.tidy(host, record.backup.as_deref(), before)?;
    Ok(site.close()?)
}

/// Writes the old bytes; on a full disk the copy beside the file takes its
/// place, which needs no room.
fn restore(host: &Host, site: &Site, record: &FileRecord, before: &[u8]) -> Result<(), ActError> {
    let full = match host.replace(&site.path, before) {
        Err(full @ HostError::NoSpace(_)) => full,
        result => return Ok(result?),
    };
    let Some(backup) = &record.backup else { return Err(full.into()) };
    let backup = site.beside(host, backup)?;
    if host.read(&backup).ok().as_deref() != Some(before) {
        return Err(full.into());
    }
    host.rename(&backup, &site.path)?;
    Ok(())
}
