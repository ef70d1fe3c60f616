//! The simulated firmware of a recorded machine: reads the changed files and
//! writes what the kernel would show after that boot.

mod link;
#[cfg(test)]
mod tests;

use super::eeprom::FILES;
use crate::facts::{self, Facts};
use crate::formats::eeprom_image;
use crate::host::{Host, HostError};
use crate::terms::{BootMedium, BootMode, BootOrder};

const TREE: &str = "/proc/device-tree";
const BOOT_ID: &str = "/proc/sys/kernel/random/boot_id";

/// What an update that was flashed at once leaves for the next boot.
const NEXT: &str = "/replay/eeprom-next.txt";

/// Plays the next boot, and tells what the simulated firmware decided, a line
/// each.
///
/// # Errors
/// On a machine that is not recorded, always. What a recorded machine cannot
/// show (another boot medium, the connector off) is an error that says so.
pub fn boot(host: &Host) -> Result<Vec<String>, HostError> {
    if !host.is_simulated() {
        return Err(cannot("this machine is a real one"));
    }
    let mut told = Vec::new();
    flash(host, &mut told)?;
    // Everything below is as the new configuration has it.
    let facts = facts::read(host);
    start(host, &facts, &mut told)?;
    link::train(host, &facts, &mut told)?;
    host.replace(BOOT_ID, next_id(&host.read_text(BOOT_ID).unwrap_or_default()).as_bytes())?;
    host.remove("/replay/reboot-requested")?;
    Ok(told)
}

fn cannot(why: &str) -> HostError {
    HostError::Other("simulated firmware".into(), why.into())
}

/// Takes up an update of the bootloader that waits.
fn flash(host: &Host, told: &mut Vec<String>) -> Result<(), HostError> {
    let facts = facts::read(host);
    let folder = facts.boot.mount.as_ref().map(|m| m.point.trim_end_matches('/').to_owned());
    let staged = folder.as_ref().map(|folder| format!("{folder}/{}", FILES[0]));
    let image = staged.as_ref().filter(|path| host.exists(path)).map(|path| host.read(path)).transpose()?;
    let config = match &image {
        Some(image) => eeprom_image::config(image).map_err(|e| cannot(&e.to_string()))?,
        None if host.exists(NEXT) => host.read(NEXT)?,
        None => return Ok(()),
    };
    let running = facts.eeprom.running_from.filter(|from| from.starts_with("/sys/"));
    let running = running.ok_or_else(|| cannot("the bootloader configuration is not a file here"))?;
    host.replace(&running, &config)?;
    if let Some(built) = image.as_deref().and_then(eeprom_image::build_timestamp) {
        host.replace(&format!("{TREE}/chosen/bootloader/build-timestamp"), &built.to_be_bytes())?;
    }
    for name in FILES {
        if let Some(folder) = &folder {
            host.remove(&format!("{folder}/{name}"))?;
        }
    }
    host.remove(NEXT)?;
    told.push("the bootloader took up the new configuration".into());
    Ok(())
}

/// Finds the medium to start from, along the boot order.
fn start(host: &Host, facts: &Facts, told: &mut Vec<String>) -> Result<(), HostError> {
    let order = facts.eeprom.meaning.as_ref().and_then(|m| m.boot_order).unwrap_or(BootOrder::DEFAULT);
    let now = facts.boot.medium.ok_or_else(|| cannot("the medium of this boot is not recorded"))?;
    let on_drive = facts.boot.copies.iter().any(|copy| copy.files.is_some());
    let starts = |mode: &&BootMode| {
        let medium = BootMedium::from_mode(mode.0.into());
        mode.is_medium() && (medium == now || medium == BootMedium::Nvme && on_drive)
    };
    let attempts = order.attempts();
    let tried = attempts.iter().take_while(|m| !matches!(**m, BootMode::STOP | BootMode::RESTART));
    let Some(mode) = tried.clone().find(starts) else {
        return Err(cannot(&format!("nothing to start from ({order}: {})", order.words())));
    };
    let skipped = tried.take_while(|m| *m != mode).map(|m| m.name()).collect::<Vec<_>>();
    let found =
        if skipped.is_empty() { String::new() } else { format!(" (no system on: {})", skipped.join(", ")) };
    told.push(format!("boot order {order}, {}: starts from {}{found}", order.words(), mode.name()));
    if BootMedium::from_mode(mode.0.into()) != now {
        return Err(cannot(&format!(
            "it would start from {} now, where this machine has no running system recorded",
            mode.name()
        )));
    }
    let mode = u32::from(mode.0);
    host.replace(&format!("{TREE}/chosen/bootloader/boot-mode"), &mode.to_be_bytes())
}

/// Another id than the one before, and the same one in every play.
fn next_id(before: &str) -> String {
    let next = |c: char| match c.to_digit(16) {
        Some(digit) => char::from_digit((digit + 1) % 16, 16).unwrap_or('0'),
        None => c,
    };
    let before = if before.is_empty() { "00000000-0000-4000-8000-000000000000" } else { before };
    format!("{}\n", before.chars().map(next).collect::<String>())
}
