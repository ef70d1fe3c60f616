//! An EEPROM update that waits on the boot partition for the next boot.

use super::{Boot, Eeprom, Missing, PendingUpdate, sysfs};
use crate::formats::config_txt::Conditions;
use crate::formats::{bootconf, eeprom_image};
use crate::host::Host;

/// The files that show it, as `rpi-eeprom-update -r` takes them away; the
/// first two are images, the first of them is preferred by recovery.bin.
const NAMES: [&str; 4] = ["pieeprom.upd", "pieeprom.bin", "pieeprom.sig", "recovery.bin"];

/// Looks where the update script stages, and where the firmware looks.
pub(super) fn read(
    host: &Host,
    eeprom: &Eeprom,
    boot: &Boot,
    conditions: &Conditions,
    missing: &mut Vec<Missing>,
) -> Option<PendingUpdate> {
    let staging = eeprom.boot_dir.iter().map(|d| d.trim_end_matches('/'));
    let mut folders: Vec<&str> = staging.chain(boot.mount.iter().map(|m| m.point.as_str())).collect();
    folders.dedup();
    let paths = folders.iter().flat_map(|folder| NAMES.map(|name| format!("{folder}/{name}")));
    let files: Vec<_> = paths.filter(|path| host.stat(path).is_ok_and(|s| s.is_file)).collect();
    if files.is_empty() {
        return None;
    }
    let mut pending = PendingUpdate { files, config: None, meaning: None, build_timestamp: None };
    let is_image = |path: &&String| path.ends_with(".upd") || path.ends_with("pieeprom.bin");
    let Some(path) = pending.files.iter().find(is_image) else { return Some(pending) };
    let read = host.read(path).map_err(|e| sysfs::why(path, &e)).and_then(|image: Vec<u8>| {
        let config = eeprom_image::config(&image).map_err(|e| e.to_string())?;
        Ok((config, eeprom_image::build_timestamp(&image)))
    });
    match read {
        Ok((config, build_timestamp)) => {
            pending.meaning = Some(bootconf::read(&config, conditions));
            pending.config = Some(config);
            pending.build_timestamp = build_timestamp;
        }
        Err(why) => missing.push(Missing { path: path.clone(), why }),
    }
    Some(pending)
}
