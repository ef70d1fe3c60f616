//! The bootloader's own tools on a recorded machine: `rpi-eeprom-config
//! --apply` and `rpi-eeprom-update -r|-b`, as far as their effects go
//! (raspberrypi/rpi-eeprom, scripts `rpi-eeprom-config` and
//! `rpi-eeprom-update`).

use super::faults::Op;
use super::replay_file::{Apply, Eeprom};
use super::{Host, HostError, Output};
use crate::formats::eeprom_image;
use nix::fcntl::OFlag;
use nix::sys::stat::Mode;
use nix::unistd::{UnlinkatFlags, unlinkat};
use std::io::Write;

/// The configuration that an immediate update leaves for the next boot.
pub(super) const NEXT: &str = "/replay/eeprom-next.txt";

/// The files of a pending update; any of them makes one.
const PENDING: [&str; 4] = ["pieeprom.upd", "pieeprom.sig", "recovery.bin", "pieeprom.bin"];

/// Plays `argv`; `None` when it is none of theirs.
pub(super) fn run(host: &Host, eeprom: &Eeprom, argv: &[&str]) -> Option<Result<Output, HostError>> {
    let result = match argv {
        ["rpi-eeprom-update", "-b"] => Ok(format!("{}\n", eeprom.boot_dir)),
        ["rpi-eeprom-update", "-r"] => effect(host, argv, || cancel(host, eeprom)),
        ["rpi-eeprom-config", "--apply", config, image] => {
            effect(host, argv, || apply(host, eeprom, config, image))
        }
        _ => return None,
    };
    Some(match result {
        Ok(stdout) => Ok(Output { status: 0, stdout: stdout.into_bytes(), stderr: Vec::new() }),
        // The power failed: nobody is left to read a status.
        Err(error @ HostError::Stopped(_)) => Err(error),
        // A script says what went wrong, and ends with status 1.
        Err(error) => Ok(Output { status: 1, stdout: Vec::new(), stderr: format!("{error}\n").into_bytes() }),
    })
}

/// One durable operation, whole or not at all.
fn effect(
    host: &Host,
    argv: &[&str],
    run: impl FnOnce() -> Result<String, HostError>,
) -> Result<String, HostError> {
    let name = argv.join(" ");
    if host.euid() != 0 {
        return Err(HostError::Denied(name));
    }
    host.counter.begin(Op::Program, &name)?;
    run()
}

fn apply(host: &Host, eeprom: &Eeprom, config: &str, image: &str) -> Result<String, HostError> {
    let (text, image_bytes) = (host.read(config)?, host.read(image)?);
    let updated = eeprom_image::with_config(&image_bytes, &text)
        .map_err(|e| HostError::Other(image.into(), e.to_string()))?;
    match eeprom.apply {
        Apply::Fails => Err(HostError::Other("rpi-eeprom-update".into(), "the update failed".into())),
        Apply::Immediate => {
            host.note(NEXT, &text)?;
            Ok("UPDATE SUCCESSFUL\n".into())
        }
        Apply::Staged => {
            let [update, signature, recovery, _] = PENDING.map(|name| format!("{}/{name}", eeprom.boot_dir));
            host.note(&update, &updated)?;
            // The real one holds the SHA-256 of the update and its time.
            let time = format!("simulated\nts: {}\n", host.now().as_second());
            host.note(&signature, time.as_bytes())?;
            host.note(&recovery, b"simulated recovery program\n")?;
            Ok("EEPROM updates pending. Please reboot to apply the update.\n".into())
        }
    }
}

fn cancel(host: &Host, eeprom: &Eeprom) -> Result<String, HostError> {
    for name in PENDING {
        let place = host.place(&format!("{}/{name}", eeprom.boot_dir))?;
        match unlinkat(place.dir(), place.name(), UnlinkatFlags::NoRemoveDir) {
            Ok(()) | Err(nix::Error::ENOENT) => {}
            Err(errno) => return Err(HostError::from_errno(place.path(), errno)),
        }
    }
    Ok(String::new())
}

impl Host {
    /// Writes a file of the recording: what the simulated machine did, not an
    /// operation of this program, so it is not counted.
    pub(super) fn note(&self, path: &str, bytes: &[u8]) -> Result<(), HostError> {
        if path.starts_with("/replay/") {
            let root = self.place("/replay")?;
            match nix::sys::stat::mkdirat(root.dir(), root.name(), Mode::from_bits_truncate(0o755)) {
                Ok(()) | Err(nix::Error::EEXIST) => {}
                Err(errno) => return Err(HostError::from_errno("/replay", errno)),
            }
        }
        let flags = OFlag::O_WRONLY | OFlag::O_CREAT | OFlag::O_TRUNC | OFlag::O_NONBLOCK;
        let fd = self.open_at(path, flags, Mode::from_bits_truncate(0o644))?;
        std::fs::File::from(fd).write_all(bytes).map_err(|e| HostError::from_io(path, &e))
    }
}
