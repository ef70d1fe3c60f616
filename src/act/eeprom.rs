//! The bootloader configuration, set with the official tool.
//!
//! Source: raspberrypi/rpi-eeprom, scripts `rpi-eeprom-config` and
//! `rpi-eeprom-update`.

use super::ActError;
use super::transaction::Method;
use crate::facts::Facts;
use crate::formats::eeprom_image;
use crate::host::{Ending, Host, HostError, Output, Program};
use std::time::Duration;

/// The files of an update that waits in the boot folder; any of them makes one.
pub(super) const FILES: [&str; 4] = ["pieeprom.upd", "pieeprom.sig", "recovery.bin", "pieeprom.bin"];

/// For what only looks or removes files.
const TIMEOUT: Duration = Duration::from_secs(200);

/// For a change: the script lets flashrom write and verify up to five times,
/// and says nothing meanwhile. `rpi-eeprom-config` itself gives up sooner (20 s
/// in early 2024, 60 s, then 180 s: raspberrypi/rpi-eeprom#608) and leaves
/// flashrom at work, which nobody may interrupt and beside which no second one
/// may start.
const FLASH_TIMEOUT: Duration = Duration::from_secs(15 * 60);

/// What waits for the next start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Pending {
    None,
    /// An update with this configuration.
    Config(Vec<u8>),
    /// An update, or a part of one, that cannot be looked into.
    Unreadable,
}

/// What waits in `boot_dir`.
pub(super) fn pending(host: &Host, boot_dir: &str) -> Result<Pending, HostError> {
    for name in ["pieeprom.upd", "pieeprom.bin"] {
        match host.read(&format!("{boot_dir}/{name}")) {
            Ok(image) => return Ok(eeprom_image::config(&image).map_or(Pending::Unreadable, Pending::Config)),
            Err(HostError::NotFound(_)) => {}
            Err(error) => return Err(error),
        }
    }
    let any = FILES.iter().any(|name| host.exists(&format!("{boot_dir}/{name}")));
    Ok(if any { Pending::Unreadable } else { Pending::None })
}

/// The same text: what the firmware shows of it may lack or have blank ends.
pub(super) fn same(one: &[u8], two: &[u8]) -> bool {
    one.trim_ascii_end() == two.trim_ascii_end()
}

/// Where the update script stages, which must be the boot partition in use: it
/// searches by itself and is wrong on some systems
/// (home-assistant/operating-system#4157).
pub(super) fn boot_dir(host: &Host, facts: &Facts) -> Result<String, ActError> {
    let own = facts.boot.mount.as_ref().map(|m| m.point.trim_end_matches('/').to_owned());
    if let (Some(true), Some(own)) = (facts.eeprom.immediate, &own) {
        return Ok(own.clone());
    }
    let bootfs = own.clone().unwrap_or_default();
    let env = [("BOOTFS", bootfs.as_str())];
    let env = if own.is_some() { &env[..] } else { &[] };
    let output = run(host, &["rpi-eeprom-update", "-b"], env)?;
    let told = String::from_utf8_lossy(&output.stdout);
    let told = told.trim().trim_end_matches('/');
    match own {
        Some(own) if own != told => Err(ActError::Program {
            program: "rpi-eeprom-update -b".into(),
            said: format!("it would put the update into {told}, and the boot partition is {own}"),
        }),
        _ if !told.starts_with('/') => Err(ActError::Program {
            program: "rpi-eeprom-update -b".into(),
            said: format!("no folder: {told}"),
        }),
        _ => Ok(told.to_owned()),
    }
}

/// What to flash.
pub(super) struct Flash<'a> {
    /// The path of the configuration.
    pub(super) config: &'a str,
    /// The path of the image.
    pub(super) image: &'a str,
    pub(super) boot_dir: &'a str,
    /// The plan was made for a script that flashes at once. Else it is asked
    /// to stage, which can be cancelled.
    pub(super) immediate: bool,
}

/// Calls the official tool, and proves what became of it.
pub(super) fn flash(host: &Host, what: &Flash<'_>, wanted: &[u8]) -> Result<Method, ActError> {
    // The older of the two names is that of rpi-eeprom 28.
    let staged =
        [("BOOTFS", what.boot_dir), ("RPI_EEPROM_IMMEDIATE_UPDATE", "0"), ("RPI_EEPROM_USE_FLASHROM", "0")];
    let env = if what.immediate { &staged[..1] } else { &staged[..] };
    let argv = ["rpi-eeprom-config", "--apply", what.config, what.image];
    let output = run(host, &argv, env)?;
    host.sync(what.boot_dir)?;
    if pending(host, what.boot_dir)? == Pending::Config(wanted.to_vec()) {
        return Ok(Method::Staged);
    }
    let said = [output.stdout.as_slice(), &output.stderr].concat();
    if says_flashed(&String::from_utf8_lossy(&said)) {
        return Ok(Method::Immediate);
    }
    let said = format!("status 0, but no update with the new configuration is in {}", what.boot_dir);
    Err(ActError::Program { program: argv[0].into(), said })
}

/// Whether a run with status 0 says that the flash was written and verified.
///
/// `rpi-eeprom-config` passes the script's words on in pieces of 80 bytes and
/// stops when the script has ended: the last words (`UPDATE SUCCESSFUL`) can be
/// lost, those before it come while files are still being removed.
fn says_flashed(said: &str) -> bool {
    const SIGNS: [&str; 4] = [
        "UPDATE SUCCESSFUL",
        "VERIFY: SUCCESS",
        "Force commit opposite: SUCCESS",
        "Mark partition valid: SUCCESS",
    ];
    SIGNS.iter().any(|sign| said.contains(sign))
}

/// Cancels an update that waits. Where the tool cannot, its files are removed
/// as it would; first the one that the boot ROM starts.
pub(super) fn cancel(host: &Host, boot_dir: &str) -> Result<(), ActError> {
    // What counts is what it leaves, not what it says.
    let _ = run(host, &["rpi-eeprom-update", "-r"], &[("BOOTFS", boot_dir)]);
    if pending(host, boot_dir)? != Pending::None {
        for name in ["recovery.bin", "pieeprom.upd", "pieeprom.sig", "pieeprom.bin"] {
            host.remove(&format!("{boot_dir}/{name}"))?;
        }
    }
    host.sync(boot_dir)?;
    if pending(host, boot_dir)? == Pending::None {
        return Ok(());
    }
    let said = format!("the update still waits in {boot_dir}");
    Err(ActError::Program { program: "rpi-eeprom-update -r".into(), said })
}

/// Runs it; any sign of failure is an error with its last words. The scripts
/// end with status 0 after some failed writes.
fn run(host: &Host, argv: &[&str], env: &[(&str, &str)]) -> Result<Output, ActError> {
    let (timeout, ending) = match argv {
        [_, "--apply", ..] => (FLASH_TIMEOUT, Ending::Awaited),
        _ => (TIMEOUT, Ending::Forced),
    };
    let output = host.run(&Program { argv, env, timeout, ending })?;
    let stderr = String::from_utf8_lossy(&output.stderr);
    let failed =
        ["Read-only file system", "No space left on device"].iter().any(|sign| stderr.contains(sign));
    if output.status == 0 && !failed {
        return Ok(output);
    }
    let all = format!("{}\n{stderr}", String::from_utf8_lossy(&output.stdout));
    let lines: Vec<_> = all.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let last = lines.iter().skip(lines.len().saturating_sub(3)).copied().collect::<Vec<_>>().join("; ");
    let said = if last.is_empty() { format!("status {}", output.status) } else { last };
    let program = argv.iter().take(2).copied().collect::<Vec<_>>().join(" ");
    Err(ActError::Program { program, said })
}

#[cfg(test)]
mod tests {
    use super::says_flashed;

    #[test]
    fn the_last_words_may_be_lost() {
        let flashrom =
            "Verifying update\nVERIFY: FAIL\nFailed to update bootloader using flashrom. Retrying.\n";
        assert!(!says_flashed(flashrom));
        assert!(says_flashed(&format!("{flashrom}Verifying update\nVERIFY: SUCCESS\nUPDATE SUCCE")));
        assert!(says_flashed("Force committing update\nForce commit opposite: SUCCESS\n"));
        assert!(says_flashed("Mark partition valid: SUCCESS\n"));
        assert!(says_flashed("UPDATE SUCCESSFUL\n"));
        assert!(!says_flashed("EEPROM updates pending. Please reboot to apply the update.\n"));
    }
}
