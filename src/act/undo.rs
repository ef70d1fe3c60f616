//! Taking a transaction back, byte for byte.

use super::back::{Back, Todo};
use super::journal::{Found, Journal, README, number};
use super::text::Now;
use super::transaction::{State, Transaction};
use super::{ActError, Report, StepResult};
use crate::facts;
use crate::host::{Host, HostError};

/// Puts back the transaction `id`, or the newest that is not put back yet.
///
/// Every step is looked at first: when anything is neither what the
/// transaction left nor what it found, nothing at all is touched. An undo that
/// was stopped is finished by the next one.
pub fn undo(host: &Host, id: Option<&str>, progress: &mut dyn FnMut(&str)) -> Report {
    match (Journal::is_there(host), id) {
        (Ok(true), _) => {}
        (Ok(false), Some(id)) => return Report::stopped(ActError::NoTransaction(id.into())),
        (Ok(false), None) => return Report::nothing(),
        (Err(error), _) => return Report::stopped(error),
    }
    let chosen = Journal::open(host).and_then(|journal| {
        let all = journal.all()?;
        Ok((choose(&all, id)?, all, journal))
    });
    match chosen {
        Err(error) => Report::stopped(error),
        Ok((None, ..)) => Report::nothing(),
        Ok((Some(transaction), ..)) if matches!(transaction.state, State::Undone | State::Failed) => {
            let steps = transaction.step.iter().map(|s| (s.name(), StepResult::AlreadySet)).collect();
            Report { transaction: Some(transaction.id), steps, ..Report::nothing() }
        }
        Ok((Some(transaction), all, journal)) => put_back(host, &journal, transaction, &all, progress),
    }
}

/// The transaction meant.
fn choose(all: &[Found], id: Option<&str>) -> Result<Option<Transaction>, ActError> {
    if let Some(id) = id {
        let wanted = number(id);
        let found = all.iter().find(|f| wanted.is_some() && number(&f.id) == wanted);
        let found = found.ok_or_else(|| ActError::NoTransaction(id.into()))?;
        return found.content.clone().map(Some);
    }
    for found in all.iter().rev() {
        let transaction = found.content.clone()?;
        if !matches!(transaction.state, State::Undone | State::Failed) {
            return Ok(Some(transaction));
        }
    }
    Ok(None)
}

fn put_back(
    host: &Host,
    journal: &Journal<'_>,
    mut transaction: Transaction,
    all: &[Found],
    progress: &mut dyn FnMut(&str),
) -> Report {
    let facts = facts::read(host);
    let found_as = transaction.clone();
    let back = Back { host, journal, transaction: &found_as, facts: &facts };
    let mut todos = Vec::new();
    for record in &found_as.step {
        match back.examine(record) {
            Ok(todo) => todos.push(todo),
            Err(error) => {
                let steps = found_as.step.iter().map(|s| (s.name(), StepResult::NotReached)).collect();
                let error = or_newer(error, &found_as, record, all);
                return Report { transaction: Some(found_as.id.clone()), steps, ..Report::stopped(error) };
            }
        }
    }
    transaction.state = State::Undoing;
    let mut report = Report { transaction: Some(transaction.id.clone()), ..Report::nothing() };
    match journal.save(&transaction) {
        // The way back needs no room, and what is there decides, not this note.
        Ok(()) | Err(ActError::Host(HostError::NoSpace(_))) => {}
        Err(error) => {
            report.error = Some(error);
            return report;
        }
    }
    let mut tried = false;
    for (record, todo) in found_as.step.iter().zip(&todos).rev() {
        if let Todo::Text(_, Now::Gone) = todo {
            progress(&format!("{}: its drive is not there; that file stays as it is", record.name()));
        } else if !todo.is_nothing() && report.error.is_none() {
            progress(&format!("Putting back {}", record.name()));
        }
        let result = if report.error.is_some() {
            StepResult::NotReached
        } else {
            tried |= !todo.is_nothing();
            match back.carry_out(record, todo) {
                Ok(done) => {
                    report.changed |= done.result == StepResult::RolledBack;
                    report.reboot_required |= done.reboot;
                    done.result
                }
                Err(error) => {
                    report.error = Some(error);
                    StepResult::Failed
                }
            }
        };
        report.steps.push((record.name(), result));
    }
    report.steps.reverse();
    end(journal, transaction, &found_as, &mut report, tried);
    report
}

/// Writes down how it ended.
fn end(
    journal: &Journal<'_>,
    mut transaction: Transaction,
    found_as: &Transaction,
    report: &mut Report,
    tried: bool,
) {
    if report.error.is_none() {
        transaction.state = State::Undone;
        report.error = journal.save(&transaction).err();
    } else if report.changed || tried {
        report.rescue = Some(Journal::path(&transaction.id, README));
    } else {
        // Nothing was touched, so it is what it was.
        let _ = journal.save(found_as);
    }
}

/// A later transaction explains the difference better than a diff.
fn or_newer(
    error: ActError,
    transaction: &Transaction,
    record: &super::transaction::Record,
    all: &[Found],
) -> ActError {
    let ActError::ChangedSince { path, .. } = &error else { return error };
    let newer = all
        .iter()
        .rev()
        .filter(|f| number(&f.id) > number(&transaction.id))
        .filter_map(|f| f.content.as_ref().ok())
        .find(|t| t.state == State::Committed && t.step.iter().any(|s| s.is_same_thing(record)));
    match newer {
        Some(newer) => {
            ActError::Newer { id: transaction.id.clone(), newer: newer.id.clone(), path: path.clone() }
        }
        None => error,
    }
}
