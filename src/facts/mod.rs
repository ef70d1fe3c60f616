//! Reading the machine: everything that is known, and what could not be read
//! and why. Nothing is decided here.

mod aer;
mod block;
mod board;
mod boot;
mod cmdline;
mod config;
mod config_space;
mod copies;
mod drive;
mod eeprom;
mod hat;
mod hindrance;
mod hop;
mod ids;
mod image;
mod log;
#[cfg(test)]
mod made_up;
mod mounts;
#[cfg(test)]
mod noise;
mod os;
mod partitions;
mod pending;
mod port;
mod power;
mod settings;
mod smart;
mod sysfs;
#[cfg(test)]
mod tests;
mod types;

pub use block::BlockDevice;
pub use mounts::{Entry as MountEntry, Mounts};
pub use types::*;

use crate::host::Host;

/// Reads the whole machine. Never fails: what could not be read is `None` and
/// listed in [`Facts::missing`].
pub fn read(host: &Host) -> Facts {
    let mut missing = Vec::new();
    let board = board::board(host, &mut missing);
    let kernel =
        missed(&mut missing, "/proc/sys/kernel/osrelease", host.read_text("/proc/sys/kernel/osrelease"));
    let os = os::os(host, &mut missing);
    let connector = port::device(host);
    let port = port::external(host, &board, connector.as_deref(), &mut missing);
    let drives = drive::drives(host, connector.as_deref(), &mut missing);
    let log = log::kernel_log(host, &mut missing);
    let power = power::power(host, &board, &log, &mut missing);
    let hat = hat::hat(host);
    // Only root may mount a boot partition for a look, and only a Pi boots from it.
    let look_inside = host.euid() == 0 && board.kind.supported();
    let (boot, eeprom) = boot::read(host, &board, &os, hat.as_ref(), look_inside, &mut missing);
    let simulated = host.is_simulated();
    let boot_id = host.read_text("/proc/sys/kernel/random/boot_id").ok();
    Facts { boot_id, simulated, board, kernel, os, boot, eeprom, port, drives, hat, power, log, missing }
}

/// The value, or a note of why there is none.
fn missed<T>(missing: &mut Vec<Missing>, path: &str, read: Result<T, crate::host::HostError>) -> Option<T> {
    read.map_err(|error| missing.push(sysfs::gap(path, &error))).ok()
}
