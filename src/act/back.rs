//! Putting steps back, last one first: after a failure, for an undo, after a
//! crash.

use super::eeprom_back::{self, Step};
use super::journal::Journal;
use super::site::{self, Place};
use super::text::{self, Now};
use super::transaction::{Record, State, Transaction};
use super::{ActError, StepResult};
use crate::facts::Facts;
use crate::host::Host;

/// What all of it needs.
pub(super) struct Back<'a> {
    pub(super) host: &'a Host,
    pub(super) journal: &'a Journal<'a>,
    pub(super) transaction: &'a Transaction,
    /// As the machine is now.
    pub(super) facts: &'a Facts,
}

/// What is to be done for one step.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Todo {
    Text(Place, Now),
    Bootloader(eeprom_back::Todo),
}

impl Todo {
    /// It is as it was before the transaction.
    pub(super) fn is_nothing(&self) -> bool {
        matches!(self, Self::Text(_, Now::Before) | Self::Bootloader(eeprom_back::Todo::Nothing))
    }
}

/// What was done for one step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Done {
    pub(super) result: StepResult,
    pub(super) reboot: bool,
}

impl Back<'_> {
    /// No start came between.
    pub(super) fn same_boot(&self) -> bool {
        self.transaction.is_of_boot(self.facts.boot_id.as_deref())
    }

    fn bytes(&self, record: &Record) -> Result<(Vec<u8>, Vec<u8>), ActError> {
        let (before, after) = record.files();
        let of = |file| self.journal.bytes(self.transaction, file);
        Ok((of(before)?, of(after)?))
    }

    /// Decides for one step, without changing anything.
    ///
    /// # Errors
    /// [`ActError::ChangedSince`] when neither the old nor the new is there.
    pub(super) fn examine(&self, record: &Record) -> Result<Todo, ActError> {
        let (before, after) = self.bytes(record)?;
        match record {
            Record::File(file) => {
                let place = site::locate(self.facts, file);
                match text::look(self.host, &place, file, &before, &after)? {
                    Now::Foreign(there) => Err(text::changed_since(&file.path, &after, &there)),
                    now => Ok(Todo::Text(place, now)),
                }
            }
            Record::Bootloader(boot) => {
                let step = self.step(boot, &before, &after, self.transaction.state);
                Ok(Todo::Bootloader(eeprom_back::decide(self.host, &step)?))
            }
        }
    }

    /// Whether the new is there.
    pub(super) fn is_reached(&self, record: &Record, todo: &Todo) -> bool {
        match (record, todo) {
            (_, Todo::Text(_, now)) => *now == Now::After,
            (Record::Bootloader(boot), _) => {
                use super::eeprom::{Pending, pending};
                let waits = self.journal.bytes(self.transaction, &boot.after).ok().map(Pending::Config);
                boot.begun && waits.is_some() && pending(self.host, &boot.boot_dir).ok() == waits
            }
            _ => false,
        }
    }

    /// Does what was decided for one step.
    pub(super) fn carry_out(&self, record: &Record, todo: &Todo) -> Result<Done, ActError> {
        let (before, after) = self.bytes(record)?;
        let nothing = todo.is_nothing();
        let reboot = match (record, todo) {
            (Record::File(_), Todo::Text(_, Now::Gone)) => {
                return Ok(Done { result: StepResult::NotReached, reboot: false });
            }
            (Record::File(file), Todo::Text(place, _)) => {
                text::put_back(self.host, place, file, &before, &after)?;
                !nothing && !self.same_boot()
            }
            (Record::Bootloader(boot), Todo::Bootloader(todo)) => {
                let step = self.step(boot, &before, &after, self.transaction.state);
                eeprom_back::carry_out(self.host, self.journal, self.transaction, &step, *todo)?
            }
            _ => false,
        };
        let result = if nothing { StepResult::AlreadySet } else { StepResult::RolledBack };
        Ok(Done { result, reboot })
    }

    fn step<'s>(
        &'s self,
        record: &'s super::transaction::BootRecord,
        before: &'s [u8],
        after: &'s [u8],
        state: State,
    ) -> Step<'s> {
        let (eeprom, same_boot) = (&self.facts.eeprom, self.same_boot());
        Step { record, before, after, eeprom, same_boot, state }
    }
}
