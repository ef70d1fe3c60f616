//! What was done so far.

use super::ActError;
use super::journal::Journal;
use super::transaction::{Method, Record, State, Transaction};
use crate::facts::{self, Facts};
use crate::host::Host;
use crate::rules::{BootGoal, Goal, LinkGoal, ProbeGoal, Recorded};
use std::fmt;

/// How a transaction stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryState {
    /// In force.
    Committed,
    /// Put back.
    Undone,
    /// A step failed, and everything was put back.
    Failed,
    /// Stopped in the middle.
    Interrupted,
    /// Its file cannot be understood.
    Unreadable,
}

impl fmt::Display for EntryState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Committed => "committed",
            Self::Undone => "undone",
            Self::Failed => "failed",
            Self::Interrupted => "interrupted",
            Self::Unreadable => "unreadable",
        })
    }
}

/// A transaction, for a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its number as text (`0007`).
    pub id: String,
    /// When, UTC.
    pub time: String,
    /// What it was to reach, in words; for one that cannot be read, why not.
    pub goal: String,
    /// How it stands.
    pub state: EntryState,
}

/// Every transaction, oldest first.
///
/// # Errors
/// Without root the folder cannot be read.
pub fn list(host: &Host) -> Result<Vec<Entry>, ActError> {
    let all = Journal::look(host).all()?;
    Ok(all
        .into_iter()
        .map(|found| match found.content {
            Ok(transaction) => entry(transaction),
            Err(error) => Entry {
                id: found.id,
                time: "unknown".into(),
                goal: error.to_string(),
                state: EntryState::Unreadable,
            },
        })
        .collect())
}

fn entry(transaction: Transaction) -> Entry {
    let state = match transaction.state {
        State::Committed => EntryState::Committed,
        State::Undone => EntryState::Undone,
        State::Failed => EntryState::Failed,
        State::Applying | State::Undoing => EntryState::Interrupted,
    };
    Entry { id: transaction.id, time: transaction.time, goal: words(&transaction.goal), state }
}

fn words(goal: &Goal) -> String {
    let link = match goal.link {
        LinkGoal::Keep => None,
        LinkGoal::Gen1 => Some("Gen 1"),
        LinkGoal::Gen2 => Some("Gen 2"),
        LinkGoal::Gen3 => Some("Gen 3"),
    };
    let boot = (goal.boot == BootGoal::NvmeFirst).then_some("boot from NVMe");
    let probe = (goal.probe == ProbeGoal::On).then_some("PCIE_PROBE on");
    let all: Vec<_> = [link, boot, probe].into_iter().flatten().collect();
    if all.is_empty() { "nothing".into() } else { all.join(", ") }
}

/// The newest transaction that is in force, for `verify` to compare with.
///
/// # Errors
/// Without root the folder cannot be read; a journal that is damaged.
pub fn newest(host: &Host) -> Result<Option<Recorded>, ActError> {
    let journal = Journal::look(host);
    for found in journal.all()?.into_iter().rev() {
        let transaction = found.content?;
        if transaction.state == State::Committed {
            return recorded(&journal, transaction).map(Some);
        }
    }
    Ok(None)
}

/// The machine as it is, with what only the journal knows of it.
pub fn look(host: &Host) -> Facts {
    let mut facts = facts::read(host);
    facts.eeprom.flashed = flashed(host, facts.boot_id.as_deref());
    facts
}

/// The bootloader configuration that was flashed at once in this start and is
/// still in force there.
fn flashed(host: &Host, boot_id: Option<&str>) -> Option<Vec<u8>> {
    let journal = Journal::look(host);
    let all = journal.all().ok()?.into_iter().rev().filter_map(|found| found.content.ok());
    all.take_while(|t| boot_id.is_some() && t.boot_id.as_deref() == boot_id)
        .filter(|t| t.state == State::Committed)
        .find_map(|t| {
            let after = t.step.iter().find_map(|step| match step {
                Record::Bootloader(boot) if boot.method == Some(Method::Immediate) => Some(&boot.after),
                _ => None,
            });
            journal.bytes(&t, after?).ok()
        })
}

fn recorded(journal: &Journal<'_>, transaction: Transaction) -> Result<Recorded, ActError> {
    let bytes = |file: &String| journal.bytes(&transaction, file);
    let boot = transaction.step.iter().find_map(|s| match s {
        Record::Bootloader(boot) => Some(boot),
        Record::File(_) => None,
    });
    Ok(Recorded {
        goal: transaction.goal,
        boot_id: transaction.boot_id.clone(),
        config_path: transaction.config_path.clone().unwrap_or_default(),
        config_after: transaction.config_after.as_ref().map(bytes).transpose()?.unwrap_or_default(),
        bootconf_after: boot.map(|b| bytes(&b.after)).transpose()?,
        bootconf_before: boot.map(|b| bytes(&b.before)).transpose()?,
        drives: transaction.drive.iter().map(|d| (d.model.clone(), d.identity.clone())).collect(),
        id: transaction.id,
    })
}
