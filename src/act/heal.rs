//! Dealing with a transaction that was interrupted.

use super::back::{Back, Todo};
use super::journal::Journal;
use super::text::Now;
use super::transaction::{Record, State, Transaction};
use super::{ActError, Report, StepResult};
use crate::facts;
use crate::host::Host;

/// Brings a transaction that a crash or a power failure stopped to an end:
/// one whose every step is done counts as done; else what it changed is put
/// back. A file that somebody edited since stays as it is, and `progress` says
/// where its old bytes lie. `None` when there is nothing of the kind.
///
/// # Errors
/// What keeps it from being put back; `undo` or another call goes on.
pub fn heal(host: &Host, progress: &mut dyn FnMut(&str)) -> Result<Option<Report>, ActError> {
    let Some(_) = interrupted(&Journal::look(host))? else { return Ok(None) };
    let journal = Journal::open(host)?;
    // Another run may have dealt with it in the meantime.
    let Some(mut transaction) = interrupted(&journal)? else { return Ok(None) };
    let facts = facts::read(host);
    let found_as = transaction.clone();
    let back = Back { host, journal: &journal, transaction: &found_as, facts: &facts };
    let mut todos = Vec::new();
    for record in &found_as.step {
        todos.push(match back.examine(record) {
            Ok(todo) => Some(todo),
            Err(ActError::ChangedSince { .. }) => None,
            Err(error) => return Err(error),
        });
    }
    let pairs = || found_as.step.iter().zip(&todos);
    let reached = pairs().all(|(r, todo)| todo.as_ref().is_some_and(|todo| back.is_reached(r, todo)));
    let mut report = Report { transaction: Some(found_as.id.clone()), ..Report::nothing() };
    if reached && found_as.state == State::Applying {
        progress(&format!(
            "Transaction {} was interrupted after its last step: it counts as done",
            found_as.id
        ));
        finish(&mut transaction);
        report.steps = found_as.step.iter().map(|r| (r.name(), StepResult::Changed)).collect();
        (report.changed, report.reboot_required) = (true, true);
    } else {
        progress(&format!("Transaction {} was interrupted: putting back what it changed", found_as.id));
        for (record, todo) in pairs().rev() {
            let done = match todo {
                Some(todo) => back.carry_out(record, todo)?,
                None => {
                    leave(&back, record, progress);
                    super::back::Done { result: StepResult::NotReached, reboot: false }
                }
            };
            if let Some(Todo::Text(_, Now::Gone)) = todo {
                progress(&format!("{}: its drive is not there", record.name()));
            }
            report.changed |= done.result == StepResult::RolledBack;
            report.reboot_required |= done.reboot;
            report.steps.push((record.name(), done.result));
        }
        report.steps.reverse();
        let undoing = found_as.state == State::Undoing;
        transaction.state = if undoing { State::Undone } else { State::Failed };
    }
    journal.save(&transaction)?;
    Ok(Some(report))
}

/// The transaction that was stopped in the middle, if there is one. The newest
/// has to be readable: whether it was stopped must be known.
pub(super) fn interrupted(journal: &Journal<'_>) -> Result<Option<Transaction>, ActError> {
    let mut all = journal.all()?;
    // An undo of an older one can be stopped too.
    let open = all.iter().rposition(|f| f.content.as_ref().is_ok_and(|t| t.state.is_open()));
    let Some(at) = open else {
        return all.pop().map_or(Ok(None), |last| last.content.map(|_| None));
    };
    all.swap_remove(at).content.map(Some)
}

fn finish(transaction: &mut Transaction) {
    transaction.state = State::Committed;
    for record in &mut transaction.step {
        record.set_result(StepResult::Changed);
        if let Record::Bootloader(boot) = record {
            boot.method = Some(super::transaction::Method::Staged);
        }
    }
}

fn leave(back: &Back<'_>, record: &Record, progress: &mut dyn FnMut(&str)) {
    let old = Journal::path(&back.transaction.id, record.files().0);
    progress(&format!("{} was edited since, and stays as it is; its old bytes are in {old}", record.name()));
}
