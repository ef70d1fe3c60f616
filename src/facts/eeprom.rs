//! The bootloader EEPROM: version, configuration, and how it can be changed on
//! this system.

use super::boot::bootloader;
use super::settings::{self, Settings};
use super::sysfs::gap;
use super::{Board, Boot, Eeprom, EepromImage, Missing, config, image, pending};
use crate::formats::{bootconf, device_tree};
use crate::host::{Ending, Host, HostError, Program};
use std::time::Duration;

const TREE: &str = "/proc/device-tree";
const NVMEM: &str = "/sys/bus/nvmem/devices";

/// Reads everything about the EEPROM. `boot` is the first pass: where the boot
/// partition is mounted and what was booted.
pub(super) fn read(host: &Host, board: &Board, boot: &Boot, missing: &mut Vec<Missing>) -> Eeprom {
    let number = |bytes: Option<Vec<u8>>| bytes.and_then(|b| device_tree::u32_be(&b));
    let mut eeprom = Eeprom {
        version: bootloader(host, "version").map(|b| device_tree::string(&b)).filter(|v| !v.is_empty()),
        build_timestamp: number(bootloader(host, "build-timestamp")).filter(|t| *t != 0),
        min_boot_version: number(host.read(&format!("{TREE}/chosen/rpi-min-boot-ver")).ok()),
        ..Eeprom::default()
    };
    if eeprom.build_timestamp.is_none() {
        let path = format!("{TREE}/chosen/bootloader/build-timestamp");
        missing.push(Missing { path, why: "not there".into() });
    }
    let conditions = config::base(board, boot, &eeprom, None);
    if let Some((running, from)) = running(host, missing) {
        eeprom.meaning = Some(bootconf::read(&running, &conditions));
        eeprom.running = Some(running);
        eeprom.running_from = Some(from);
    }
    let settings = match host.read_limited(settings::PATH, 1 << 16) {
        Ok(bytes) => Settings::parse(&bytes),
        Err(HostError::NotFound(_)) => Settings::default(),
        Err(error) => {
            missing.push(gap(settings::PATH, &error));
            Settings::default()
        }
    };
    eeprom.tool = Some(host.has_program("rpi-eeprom-config"));
    eeprom.boot_dir = settings
        .get("BOOTFS")
        .map(|d| d.trim_end_matches('/').to_owned())
        .or(boot.mount.as_ref().map(|m| m.point.clone()));
    eeprom.pending = pending::read(host, &eeprom, boot, &conditions, missing);
    eeprom.secure_boot = secure_boot(host, &eeprom);
    eeprom.image = image::of_running_version(host, board, &eeprom, &settings, missing);
    eeprom.immediate = immediate(host, &settings, eeprom.image.as_ref());
    eeprom.settings_notes = notes(host, boot, &settings);
    eeprom
}

/// The configuration as it was at this boot, and where it was read.
///
/// The same order as the official scripts (rpi-eeprom-config): the device tree
/// alias names a node, whose nvmem device holds the text; else the firmware is
/// asked. Nothing that could be an error text counts.
fn running(host: &Host, missing: &mut Vec<Missing>) -> Option<(Vec<u8>, String)> {
    match nvmem(host, "blconfig") {
        Ok((bytes, path)) => {
            let text = trimmed(&bytes);
            if is_config(text) {
                return Some((text.to_vec(), path));
            }
            let why = format!("{} bytes, which are no configuration", text.len());
            missing.push(Missing { path, why });
        }
        Err(gap) => missing.push(gap),
    }
    if !host.has_program("vcgencmd") {
        return None;
    }
    let (argv, timeout) = (["vcgencmd", "bootloader_config"], Duration::from_secs(5));
    let program = Program { argv: &argv, env: &[], timeout, ending: Ending::Forced };
    let path = program.argv.join(" ");
    match host.run(&program) {
        Ok(output) if output.status == 0 && is_config(trimmed(&output.stdout)) => {
            return Some((trimmed(&output.stdout).to_vec(), path));
        }
        Ok(output) => {
            let said = [output.stdout, output.stderr].concat();
            let said = String::from_utf8_lossy(&said).lines().next().unwrap_or("nothing").trim().to_owned();
            missing.push(Missing { path, why: format!("it said: {said}") });
        }
        Err(error) => missing.push(gap(path, &error)),
    }
    None
}

/// The bytes behind an alias (`blconfig`, `blpubkey`), and their path.
fn nvmem(host: &Host, alias: &str) -> Result<(Vec<u8>, String), Missing> {
    let path = format!("{TREE}/aliases/{alias}");
    let node = host.read(&path).map_err(|e| gap(path.clone(), &e))?;
    let node = device_tree::string(&node);
    let names = host.list(NVMEM).map_err(|e| gap(NVMEM, &e))?;
    // The number in the device's name says nothing.
    let is_it = |name: &&String| {
        host.canonical(&format!("{NVMEM}/{name}/of_node"))
            .is_ok_and(|real| node.len() > 1 && real.ends_with(&node))
    };
    let Some(name) = names.iter().find(is_it) else {
        return Err(Missing { path: NVMEM.into(), why: format!("no device for {node} ({alias})") });
    };
    let path = format!("{NVMEM}/{name}/nvmem");
    let bytes = host.read_limited(&path, 1 << 16).map_err(|e| gap(path.clone(), &e))?;
    Ok((bytes, path))
}

fn trimmed(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|b| !matches!(b, 0 | 0xff)).map_or(0, |last| last + 1);
    bytes.get(..end).unwrap_or_default()
}

/// At least two lines, one of them a setting; not what `vcgencmd` says when the
/// firmware does not answer (`error=1 error_msg="..."`, `ioctl_set_msg failed`).
/// The update script itself does not carry over a shorter text.
fn is_config(text: &[u8]) -> bool {
    let text = String::from_utf8_lossy(text);
    let error = ["error=", "ioctl_set_msg", "VCHI", "Can't open"].iter().any(|e| text.starts_with(e));
    let setting = text.lines().any(|l| !l.trim_start().starts_with('#') && l.contains('='));
    !error && setting && text.lines().count() >= 2
}

/// What shows that this board's boot is signed (rpi-eeprom and usbboot,
/// secure boot): the firmware's own flags, a hash of boot.img, a key, the
/// configuration.
fn secure_boot(host: &Host, eeprom: &Eeprom) -> Option<String> {
    for name in ["signed", "signed-boot"] {
        let value = bootloader(host, name).and_then(|b| device_tree::u32_be(&b)).unwrap_or(0);
        if value != 0 {
            return Some(format!("{TREE}/chosen/bootloader/{name} is {value:#x}"));
        }
    }
    if bootloader(host, "boot_img_sha256").is_some_and(|b| !trimmed(&b).is_empty()) {
        return Some(format!("{TREE}/chosen/bootloader/boot_img_sha256"));
    }
    if let Ok((key, path)) = nvmem(host, "blpubkey") {
        if !trimmed(&key).is_empty() && key.iter().any(|b| !matches!(b, 0 | 0xff)) {
            return Some(format!("a public key in {path}"));
        }
    }
    let pending = eeprom.pending.as_ref().and_then(|p| p.meaning.as_ref());
    let signed = [eeprom.meaning.as_ref(), pending].into_iter().flatten().any(|m| m.signed_boot);
    signed.then(|| "SIGNED_BOOT in the bootloader configuration".into())
}

/// Whether the script would flash at once.
///
/// It does when it has a means ([`means`]) and its own settings do not forbid
/// it. Which variable forbids it depends on the script's age; with a means at
/// hand the script is looked into, and when that fails it cannot be told.
fn immediate(host: &Host, settings: &Settings, image: Option<&EepromImage>) -> Option<bool> {
    let means = means(host, settings, image);
    if means == Some(false) {
        return Some(false);
    }
    const NAMES: [&str; 2] = ["RPI_EEPROM_IMMEDIATE_UPDATE", "RPI_EEPROM_USE_FLASHROM"];
    let off = NAMES.map(|name| settings.get(name) == Some("0"));
    match off {
        [true, true] => Some(false),
        [false, false] => means,
        [newer_off, older_off] => {
            let script = ["/usr/bin/rpi-eeprom-update", "/usr/sbin/rpi-eeprom-update"];
            let script = script.iter().find_map(|p| host.read_limited(p, 1 << 20).ok())?;
            let script = String::from_utf8_lossy(&script).into_owned();
            let off = if script.contains(NAMES[0]) { newer_off } else { older_off };
            if off { Some(false) } else { means }
        }
    }
}

/// Whether the script has a means to flash `image` at once.
///
/// `rpi-eeprom-ab`, when the firmware reaches the flash (`spi-check`, not so
/// without `dtoverlay=nospi10` on most systems); an image without the A/B layout
/// is then staged, whatever else there is. Otherwise flashrom, when it is
/// installed and the flash's SPI device is there (rpi-eeprom-update,
/// `checkDependencies` and `applyRecoveryUpdate`).
fn means(host: &Host, settings: &Settings, image: Option<&EepromImage>) -> Option<bool> {
    let flashrom = host.has_program("flashrom") && host.exists("/dev/spidev10.0");
    let reaches = match settings.get("AB_EEPROM") {
        Some("0") => Some(false),
        _ => ab_reaches_flash(host),
    };
    match (reaches, image.map(|image| image.ab_layout)) {
        (Some(false), _) => Some(flashrom),
        (Some(true), layout) => layout,
        (None, Some(layout)) if layout == flashrom => Some(layout),
        (None, _) => None,
    }
}

/// Whether `rpi-eeprom-ab` is installed and finds that the firmware reaches the
/// flash; `None` when that cannot be asked.
fn ab_reaches_flash(host: &Host) -> Option<bool> {
    let argv = ["rpi-eeprom-ab", "spi-check"];
    if !host.has_program(argv[0]) {
        return Some(false);
    }
    let program = Program { argv: &argv, env: &[], timeout: Duration::from_secs(5), ending: Ending::Forced };
    let output = host.run(&program).ok()?;
    // The script takes every failure for a no; without root it may only be
    // that the firmware could not be asked.
    let asked = host.euid() == 0 || String::from_utf8_lossy(&output.stdout).contains("SPI check: Failed");
    (output.status == 0 || asked).then_some(output.status == 0)
}

/// Reasons against a change that the tool's settings and config.txt give. (Where
/// it stages is told by [`Eeprom::boot_dir`].)
fn notes(host: &Host, boot: &Boot, settings: &Settings) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(hook) = settings.get("EEPROM_CONFIG_HOOK") {
        notes.push(format!("EEPROM_CONFIG_HOOK={hook} in {} may rewrite the configuration", settings::PATH));
    }
    let path = boot.mount.as_ref().map(|m| format!("{}/config.txt", m.point));
    let bytes = path.as_ref().and_then(|p| host.read_limited(p, config::LIMIT).ok()).unwrap_or_default();
    let protected =
        bytes.split(|b| *b == b'\n').any(|l| l.trim_ascii().starts_with(b"eeprom_write_protect=1"));
    if let (true, Some(path)) = (protected, path) {
        notes.push(format!("eeprom_write_protect=1 in {path}: the EEPROM may refuse the update"));
    }
    notes
}

#[cfg(test)]
mod tests;
