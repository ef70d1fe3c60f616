//! Reading the machine: everything that is known, and what could not be read
//! and why. Nothing is decided here.

mod aer;
mod board;
mod config_space;
mod drive;
mod hat;
mod hop;
mod log;
mod os;
mod port;
mod power;
mod smart;
mod sysfs;
#[cfg(test)]
mod tests;
mod types;

pub use types::*;

use crate::host::Host;

/// Reads the whole machine. Never fails: what could not be read is `None` and
/// listed in [`Facts::missing`].
pub fn read(host: &Host) -> Facts {
    let mut missing = Vec::new();
    let board = board::board(host, &mut missing);
    let kernel = missed(&mut missing, "/proc/sys/kernel/osrelease", host.read_text("/proc/sys/kernel/osrelease"));
    let os = os::os(host, &mut missing);
    let port = port::external(host, &board, &mut missing);
    let drives = drive::drives(host, &mut missing);
    let log = log::kernel_log(host, &mut missing);
    let power = power::power(host, &board, &log, &mut missing);
    let hat = hat::hat(host);
    let boot = Boot::default();
    let eeprom = Eeprom::default();
    let simulated = host.is_simulated();
    Facts { simulated, board, kernel, os, boot, eeprom, port, drives, hat, power, log, missing }
}

/// The value, or a note of why there is none.
fn missed<T>(missing: &mut Vec<Missing>, path: &str, read: Result<T, crate::host::HostError>) -> Option<T> {
    read.map_err(|error| missing.push(Missing { path: path.to_owned(), why: sysfs::why(path, &error) })).ok()
}
