//! Everything that stands out on a machine: for `status`, and as warnings
//! beside a verdict.

mod boot;
mod config;
mod drive;
mod eeprom;
mod link;
mod log;
mod power;
#[cfg(test)]
mod tests;

pub(super) use boot::duplicates;
pub(super) use config::{elsewhere, remarks};
pub(super) use drive::note;
pub(super) use eeprom::{order_words, waiting};
pub(super) use link::{clamped, gen2_limit, kernel_ignores, trained_lower};

use super::{Finding, machine};
use crate::facts::Facts;

/// What stands out, most severe first; within a severity in the order board,
/// config.txt, start, bootloader, link, drives, log, power. A healthy machine
/// gives none.
pub fn findings(facts: &Facts) -> Vec<Finding> {
    let mut found = Vec::new();
    match machine::board(facts) {
        Some(board) if !facts.board.uefi_acpi => {
            found.push(board);
            return found;
        }
        // Through UEFI the boot files decide nothing, the link is the same.
        Some(board) => found.push(board),
        None => {
            found.extend(machine::hindrances(facts));
            config::find(facts, &mut found);
            boot::find(facts, &mut found);
            eeprom::find(facts, &mut found);
        }
    }
    link::find(facts, &mut found);
    drive::find(facts, &mut found);
    found.extend(quality(facts));
    found.sort_by_key(|f| std::cmp::Reverse(f.severity));
    found
}

/// What stands out of the supply.
pub(super) fn supply(facts: &Facts) -> Vec<Finding> {
    let mut found = Vec::new();
    power::find(facts, &mut found);
    found
}

/// Errors on the link, in the log and of the supply: worth a warning also
/// where the goal is met.
pub(super) fn quality(facts: &Facts) -> Vec<Finding> {
    let mut found = Vec::new();
    link::errors(facts, &mut found);
    log::find(facts, &mut found);
    power::find(facts, &mut found);
    found
}
