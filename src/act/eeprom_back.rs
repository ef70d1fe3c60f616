//! Putting the bootloader configuration back.

use super::ActError;
use super::eeprom::{self, FILES, Flash, Pending, same};
use super::journal::Journal;
use super::text::changed_since;
use super::transaction::{BootRecord, Method, State, Transaction};
use crate::facts::Eeprom;
use crate::formats::eeprom_image;
use crate::host::{Host, HostError};

/// What is to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Todo {
    /// It is as it was.
    Nothing,
    /// The update that waits is ours, and the first.
    Cancel,
    /// Another update waited before ours.
    Restore,
    /// The new configuration is in the EEPROM, or may be.
    Flash,
}

/// A record with the bytes it names, and what is there now.
pub(super) struct Step<'a> {
    pub(super) record: &'a BootRecord,
    pub(super) before: &'a [u8],
    pub(super) after: &'a [u8],
    pub(super) eeprom: &'a Eeprom,
    /// No start came between.
    pub(super) same_boot: bool,
    /// As the transaction was found.
    pub(super) state: State,
}

const NAME: &str = "bootloader configuration";

/// Decides, without changing anything.
pub(super) fn decide(host: &Host, step: &Step<'_>) -> Result<Todo, ActError> {
    let record = step.record;
    if !record.begun {
        return Ok(Todo::Nothing);
    }
    let earlier = !record.pending.is_empty();
    let back = if earlier { Todo::Restore } else { Todo::Cancel };
    let half_done = step.state.is_open();
    let running = step.eeprom.running.as_deref();
    let runs = |text: &[u8]| running.is_some_and(|running| same(running, text));
    let flashed = match record.method {
        Some(method) => method == Method::Immediate,
        None => record.may_be_immediate,
    };
    // flashrom works from the waiting update, which stays when it fails or its
    // caller gives up: the flash then holds the new bytes, or half of them, and
    // to take the files away would take the rescue away. recovery.bin comes
    // last and only when nothing was flashed (rpi-eeprom-update,
    // `applyRecoveryUpdate`).
    let perhaps_written = step.same_boot
        && half_done
        && !earlier
        && record.method.is_none()
        && record.may_be_immediate
        && !host.exists(&format!("{}/recovery.bin", record.boot_dir));
    match eeprom::pending(host, &record.boot_dir)? {
        Pending::Config(text) if same(&text, step.after) => {
            let taken_up = runs(step.after) && !step.same_boot;
            Ok(if taken_up || perhaps_written { Todo::Flash } else { back })
        }
        Pending::Config(text) if same(&text, step.before) => {
            Ok(if earlier && half_done && step.same_boot { Todo::Restore } else { Todo::Nothing })
        }
        Pending::Config(text) => Err(changed_since(NAME, step.after, &text)),
        Pending::Unreadable if half_done && step.same_boot => Ok(back),
        Pending::Unreadable => Err(ActError::ChangedSince {
            path: format!("{}/pieeprom.upd", record.boot_dir),
            diff: String::new(),
        }),
        Pending::None if step.same_boot && flashed => Ok(Todo::Flash),
        Pending::None if step.same_boot && earlier => {
            if half_done {
                return Ok(Todo::Restore);
            }
            Err(changed_since(NAME, step.after, running.unwrap_or_default()))
        }
        Pending::None if step.same_boot || runs(step.before) => Ok(Todo::Nothing),
        Pending::None if runs(step.after) => Ok(Todo::Flash),
        Pending::None => match running {
            Some(running) => Err(changed_since(NAME, step.after, running)),
            None => {
                Err(HostError::Other(NAME.into(), "cannot be read; nothing is put back blindly".into())
                    .into())
            }
        },
    }
}

/// Does it. True when something changed that the next start brings into force.
pub(super) fn carry_out(
    host: &Host,
    journal: &Journal<'_>,
    transaction: &Transaction,
    step: &Step<'_>,
    todo: Todo,
) -> Result<bool, ActError> {
    let record = step.record;
    match todo {
        Todo::Nothing => Ok(false),
        Todo::Cancel => eeprom::cancel(host, &record.boot_dir).map(|()| !step.same_boot),
        Todo::Restore => restore(host, journal, transaction, record).map(|()| true),
        Todo::Flash => {
            let config = Journal::path(&transaction.id, &record.before);
            let image = image(host, step, &config)?;
            let immediate = record.may_be_immediate;
            let flash = Flash { config: &config, image: &image, boot_dir: &record.boot_dir, immediate };
            eeprom::flash(host, &flash, step.before)?;
            Ok(true)
        }
    }
}

/// The files of the earlier update, byte for byte; the one that starts it last.
fn restore(
    host: &Host,
    journal: &Journal<'_>,
    transaction: &Transaction,
    record: &BootRecord,
) -> Result<(), ActError> {
    for name in FILES {
        let path = format!("{}/{name}", record.boot_dir);
        match record.pending.iter().find(|p| p.path == path) {
            None => host.remove(&path)?,
            Some(file) => {
                let bytes = journal.bytes(transaction, &file.file)?;
                if host.read(&path).ok().as_deref() != Some(&bytes) {
                    host.replace(&path, &bytes)?;
                }
            }
        }
    }
    Ok(host.remove(&format!("{}/{}", record.boot_dir, crate::host::TEMPORARY))?)
}

/// An image of exactly the version that runs: the bootloader's version is left
/// alone.
fn image(host: &Host, step: &Step<'_>, config: &str) -> Result<String, ActError> {
    let staged = format!("{}/pieeprom.upd", step.record.boot_dir);
    if host.exists(&staged) {
        return Ok(staged);
    }
    if let Some(image) = &step.eeprom.image {
        return Ok(image.path.clone());
    }
    let recorded = &step.record.image;
    let built = host.read(recorded).ok().and_then(|bytes| eeprom_image::build_timestamp(&bytes));
    if built.is_some() && (built == step.eeprom.build_timestamp || step.same_boot) {
        return Ok(recorded.clone());
    }
    Err(ActError::Program {
        program: "rpi-eeprom-config --apply".into(),
        said: format!(
            "no image of the running bootloader is here; with a newer one (that updates the bootloader): sudo rpi-eeprom-config --apply {config}"
        ),
    })
}

#[cfg(test)]
mod tests;
