//! Doing: applying a plan, the journal, taking it back.

mod apply;
mod back;
mod eeprom;
mod eeprom_back;
mod heal;
mod history;
mod journal;
mod readme;
pub mod simulated;
mod site;
#[cfg(test)]
mod tests;
mod text;
mod transaction;
mod undo;

pub use apply::apply;
pub use heal::heal;
pub use history::{Entry, EntryState, list, look, newest};
pub use undo::undo;

use crate::host::HostError;
use serde::{Deserialize, Serialize};

/// Where the state lies.
pub const STATE_DIR: &str = "/var/lib/pi5-nvme";

/// How a step ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StepResult {
    /// Done.
    Changed,
    /// Nothing to do.
    AlreadySet,
    /// Tried, and failed.
    Failed,
    /// Done, then put back.
    RolledBack,
    /// An earlier step failed.
    NotReached,
}

/// What applying or undoing did.
#[derive(Debug, Clone)]
pub struct Report {
    /// The transaction's number as text (`0007`), if one was opened.
    pub transaction: Option<String>,
    /// Every step: what it was, and how it ended.
    pub steps: Vec<(String, StepResult)>,
    /// Something is different now.
    pub changed: bool,
    /// It takes effect at the next boot.
    pub reboot_required: bool,
    /// Why it stopped, when it did.
    pub error: Option<ActError>,
    /// Where the text for a rescue by hand lies, when not everything could be
    /// put back.
    pub rescue: Option<String>,
}

/// Why applying or undoing stopped.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ActError {
    /// The door said so.
    #[error(transparent)]
    Host(#[from] HostError),
    /// The file is not what the plan was made for, or not what the
    /// transaction left: the path and the difference.
    #[error("{path} was changed by someone else since")]
    ChangedSince {
        /// Which file.
        path: String,
        /// Unified diff from what was left to what is there.
        diff: String,
    },
    /// A program failed: what it said.
    #[error("{program} failed: {said}")]
    Program {
        /// Its name.
        program: String,
        /// Its last words.
        said: String,
    },
    /// An earlier transaction was interrupted and has to be dealt with first.
    #[error("transaction {0} was interrupted")]
    Interrupted(String),
    /// A signal asked to stop between two steps.
    #[error("stopped on a signal, between two steps")]
    Signal,
    /// A later transaction changed the same thing.
    #[error("transaction {newer} changed {path} after transaction {id}: undo {newer} first")]
    Newer {
        /// The one to be undone.
        id: String,
        /// The one that has to go first.
        newer: String,
        /// What both changed.
        path: String,
    },
    /// There is no such transaction.
    #[error("no transaction {0}")]
    NoTransaction(String),
    /// The journal could not be understood.
    #[error("{path}: {why}")]
    Journal {
        /// Which file.
        path: String,
        /// What is wrong with it.
        why: String,
    },
}

impl ActError {
    /// The text that says how to put back by hand what the journal no longer can.
    pub fn by_hand(&self) -> Option<String> {
        match self {
            Self::Journal { path, .. } => journal::readme_of(path),
            _ => None,
        }
    }
}

impl Report {
    /// Nothing was done, for this reason.
    fn stopped(error: impl Into<ActError>) -> Self {
        Self { error: Some(error.into()), ..Self::nothing() }
    }

    /// Nothing was to do.
    fn nothing() -> Self {
        Self {
            transaction: None,
            steps: Vec::new(),
            changed: false,
            reboot_required: false,
            error: None,
            rescue: None,
        }
    }
}
