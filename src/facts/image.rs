//! The bootloader image of the running version among the installed ones.

use super::settings::Settings;
use super::sysfs::gap;
use super::{Board, Eeprom, EepromImage, Missing};
use crate::formats::eeprom_image;
use crate::host::Host;

/// Where the images of BCM2712 are, unless the settings say otherwise.
const ROOTS: [&str; 2] = ["/usr/lib/firmware/raspberrypi/bootloader", "/lib/firmware/raspberrypi/bootloader"];

/// The channels, today's names first.
const CHANNELS: [&str; 5] = ["default", "latest", "stable", "critical", "beta"];

/// The image whose `BUILD_TIMESTAMP` is that of the running bootloader, so
/// that giving it to `rpi-eeprom-config --apply` changes the configuration
/// and not the version.
///
/// Folders as in rpi-eeprom-update: `<root>-2712/<channel>`, and before it
/// `<root>-2712/<channel>-<revision>` where a board has images of its own.
pub(super) fn of_running_version(
    host: &Host,
    board: &Board,
    eeprom: &Eeprom,
    settings: &Settings,
    missing: &mut Vec<Missing>,
) -> Option<EepromImage> {
    let running = eeprom.build_timestamp?;
    let roots = settings.get("FIRMWARE_ROOT").into_iter().chain(ROOTS);
    let mut channels: Vec<&str> = settings.get("FIRMWARE_RELEASE_STATUS").into_iter().collect();
    channels.extend(CHANNELS.into_iter().filter(|c| Some(*c) != settings.get("FIRMWARE_RELEASE_STATUS")));
    // The script takes the code from the device tree, with its leading zeros,
    // or from /proc/cpuinfo, without.
    let revision = board.revision.map(|code| [format!("-{code:08x}"), format!("-{code:x}")]);
    let endings: Vec<&str> = revision.iter().flatten().map(String::as_str).chain([""]).collect();
    for root in roots {
        for channel in &channels {
            for ending in &endings {
                let folder = format!("{root}-2712/{channel}{ending}");
                let found = in_folder(host, &folder, running, missing);
                if found.is_some() {
                    return found;
                }
            }
        }
    }
    None
}

fn in_folder(host: &Host, folder: &str, running: u32, missing: &mut Vec<Missing>) -> Option<EepromImage> {
    let names = host.list(folder).ok()?;
    let is_image = |n: &&String| n.starts_with("pieeprom-") && n.ends_with(".bin");
    names.iter().filter(is_image).filter(|n| may_be_of(n, running)).find_map(|name| {
        let path = format!("{folder}/{name}");
        let image = match host.read(&path) {
            Ok(image) => image,
            Err(error) => {
                missing.push(gap(path, &error));
                return None;
            }
        };
        let build_timestamp = eeprom_image::build_timestamp(&image).filter(|t| *t == running)?;
        let mfg_version = eeprom_image::mfg_version(&image);
        Some(EepromImage { path, build_timestamp, mfg_version, ab_layout: eeprom_image::is_ab(&image) })
    })
}

/// Official images carry the day of their build (UTC) in the name; reading
/// 2 MiB is spared when it is another day. A name without a date is read.
fn may_be_of(name: &str, timestamp: u32) -> bool {
    let date = name.strip_prefix("pieeprom-").and_then(|rest| rest.get(..10));
    let Some(date) = date.and_then(|d| d.parse::<jiff::civil::Date>().ok()) else { return true };
    let Ok(midnight) = date.to_zoned(jiff::tz::TimeZone::UTC) else { return true };
    let day = 24 * 60 * 60;
    (midnight.timestamp().as_second() - i64::from(timestamp) + day / 2).abs() <= day + day / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_date_in_the_name_spares_reading() {
        let built = 1_746_713_597; // 2025-05-08 14:13:17 UTC
        for (name, read) in [
            ("pieeprom-2025-05-08.bin", true),
            ("pieeprom-2025-05-09.bin", true),
            ("pieeprom-2025-05-07.bin", true),
            ("pieeprom-2025-05-06.bin", false),
            ("pieeprom-2025-05-10.bin", false),
            ("pieeprom-2024-05-08.bin", false),
            ("pieeprom-custom.bin", true),
            ("pieeprom-2025-13-40.bin", true),
        ] {
            assert_eq!(may_be_of(name, built), read, "{name}");
        }
    }
}
