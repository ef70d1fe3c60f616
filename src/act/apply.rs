//! Applying a plan: journal, boot files, EEPROM last; all of it or nothing.

use super::back::Back;
use super::eeprom::{self, Flash, Pending, same};
use super::journal::{Journal, README};
use super::site::{self, Place};
use super::transaction::{
    BootRecord, Drive, FileRecord, PendingFile, Record, SCHEMA, State, Transaction, sha256,
};
use super::{ActError, Report, StepResult, heal, history, readme, text};
use crate::facts::{self, Facts};
use crate::host::Host;
use crate::rules::{Change, Plan, Reboot};

/// Does what the plan says. `progress` gets a line for each step;
/// `interrupted` is asked between steps, and true puts everything back.
///
/// Before anything changes every file is compared with what the plan was made
/// for. A step that fails takes the earlier ones back, in reverse; the report
/// says how each ended.
pub fn apply(
    host: &Host,
    facts: &Facts,
    plan: &Plan,
    progress: &mut dyn FnMut(&str),
    interrupted: &dyn Fn() -> bool,
) -> Report {
    let changes: Vec<_> = plan.steps.iter().map(|s| &s.change).filter(|c| !is_done(c)).collect();
    if changes.is_empty() {
        return Report { reboot_required: plan.reboot == Reboot::Needed, ..Report::nothing() };
    }
    let mut files = Files::default();
    let journal = match Journal::open(host) {
        Ok(journal) => journal,
        Err(error) => return Report::stopped(error),
    };
    let mut transaction = match prepare(host, facts, plan, &changes, &journal, &mut files) {
        Ok(transaction) => transaction,
        Err(error) => return not_begun(&changes, error),
    };
    progress(&format!("Writing transaction {} with the old files", transaction.id));
    let notes = readme::text(&transaction);
    if let Err(error) = journal.begin(&transaction, &files.0, &notes) {
        return not_begun(&changes, error);
    }
    let steps = do_steps(host, facts, &journal, &mut transaction, progress, interrupted);
    let committed = steps.and_then(|()| {
        transaction.state = State::Committed;
        journal.save(&transaction).map_err(|error| (transaction.step.len(), error))
    });
    match committed {
        Ok(()) => Report {
            transaction: Some(transaction.id.clone()),
            steps: transaction.step.iter().map(|s| (s.name(), StepResult::Changed)).collect(),
            changed: true,
            reboot_required: true,
            ..Report::nothing()
        },
        Err((at, error)) => roll_back(host, facts, &journal, transaction, at, error, progress),
    }
}

fn is_done(change: &Change) -> bool {
    match change {
        Change::AppendToFile { before, after, .. } | Change::SetBootConfig { before, after, .. } => {
            before == after
        }
    }
}

/// Nothing of the system was touched.
fn not_begun(changes: &[&Change], error: ActError) -> Report {
    let name = |change: &&Change| match change {
        Change::AppendToFile { path, .. } => path.clone(),
        Change::SetBootConfig { .. } => "bootloader configuration".into(),
    };
    let steps = changes.iter().map(|c| (name(c), StepResult::NotReached)).collect();
    Report { steps, ..Report::stopped(error) }
}

/// Files of a new transaction: name and bytes.
#[derive(Default)]
struct Files(Vec<(String, Vec<u8>)>);

impl Files {
    fn add(&mut self, name: String, bytes: &[u8]) -> String {
        self.0.push((name.clone(), bytes.to_vec()));
        name
    }
}

/// Checks everything that can be checked, and writes nothing.
fn prepare(
    host: &Host,
    facts: &Facts,
    plan: &Plan,
    changes: &[&Change],
    journal: &Journal<'_>,
    files: &mut Files,
) -> Result<Transaction, ActError> {
    if let Some(open) = heal::interrupted(journal)? {
        return Err(ActError::Interrupted(open.id));
    }
    journal.tidy()?;
    let mut step = Vec::new();
    for (number, change) in (1..).zip(changes) {
        step.push(match change {
            Change::AppendToFile { path, device, before, after } => {
                let (device, inner) = site::origin(facts, path, device.as_deref());
                let partition = facts.boot.partitions.iter().find(|p| Some(&p.device) == device.as_ref());
                let mut record = FileRecord {
                    path: path.clone(),
                    part_uuid: partition.and_then(|p| p.part_uuid.clone()),
                    device,
                    inner,
                    before: files.add(format!("before/{number}"), before),
                    after: files.add(format!("after/{number}"), after),
                    backup: None,
                    result: None,
                };
                let place = site::locate(facts, &record);
                check(host, &place, path, before)?;
                record.backup = text::backup_name(host, &place)?;
                Record::File(record)
            }
            Change::SetBootConfig { before, after, image, from_pending } => {
                let boot_dir = eeprom::boot_dir(host, facts)?;
                check_bootloader(host, &boot_dir, before, *from_pending)?;
                let pending =
                    if *from_pending { waiting(host, &boot_dir, number, files)? } else { Vec::new() };
                Record::Bootloader(BootRecord {
                    before: files.add(format!("before/{number}"), before),
                    after: files.add(format!("after/{number}"), after),
                    image: image.clone(),
                    may_be_immediate: facts.eeprom.immediate != Some(false),
                    boot_dir,
                    begun: false,
                    method: None,
                    result: None,
                    pending,
                })
            }
        });
    }
    let own = step.iter().find_map(|record| match record {
        Record::File(file) if Some(&file.path) == facts.boot.config_path.as_ref() => Some(file.after.clone()),
        _ => None,
    });
    let top = facts.boot.files.as_ref().map(|f| &f.top);
    let config_after = own.or_else(|| Some(files.add("after/config.txt".into(), top?)));
    let drive = |d: &facts::Drive| {
        let (model, identity) = (d.model.clone(), d.identity.clone());
        Drive { model: model.unwrap_or_default(), identity: identity.unwrap_or_default() }
    };
    Ok(Transaction {
        schema: SCHEMA,
        id: journal.next_id()?,
        tool: env!("CARGO_PKG_VERSION").into(),
        time: host.now().to_string(),
        state: State::Applying,
        boot_id: facts.boot_id.clone(),
        config_path: facts.boot.config_path.clone(),
        config_after,
        goal: plan.goal,
        sha256: files.0.iter().map(|(name, bytes)| (name.clone(), sha256(bytes))).collect(),
        drive: facts.drives.iter().map(drive).collect(),
        step,
    })
}

/// The file is still what the plan was made for.
fn check(host: &Host, place: &Place, path: &str, before: &[u8]) -> Result<(), ActError> {
    let site = site::Site::open(host, place, false)?;
    let there = host.read(&site.path)?;
    site.close()?;
    if there == before { Ok(()) } else { Err(text::changed_since(path, before, &there)) }
}

/// The bootloader configuration is still what the plan was made for.
fn check_bootloader(host: &Host, boot_dir: &str, before: &[u8], from_pending: bool) -> Result<(), ActError> {
    let name = "bootloader configuration";
    let there = match eeprom::pending(host, boot_dir)? {
        Pending::None if !from_pending => {
            let eeprom = history::look(host).eeprom;
            eeprom.flashed.or(eeprom.running).unwrap_or_default()
        }
        Pending::Config(there) => {
            if !from_pending {
                return Err(text::changed_since(name, before, &there));
            }
            there
        }
        Pending::None | Pending::Unreadable => Vec::new(),
    };
    if same(&there, before) { Ok(()) } else { Err(text::changed_since(name, before, &there)) }
}

/// The files of the update that waits, for the journal.
fn waiting(
    host: &Host,
    boot_dir: &str,
    number: u32,
    files: &mut Files,
) -> Result<Vec<PendingFile>, ActError> {
    let mut waiting = Vec::new();
    for name in eeprom::FILES {
        let path = format!("{boot_dir}/{name}");
        if host.exists(&path) {
            let file = files.add(format!("before/{number}-{name}"), &host.read(&path)?);
            waiting.push(PendingFile { path, file });
        }
    }
    Ok(waiting)
}

/// Every step in turn; the number of the one that failed with its error.
fn do_steps(
    host: &Host,
    facts: &Facts,
    journal: &Journal<'_>,
    transaction: &mut Transaction,
    progress: &mut dyn FnMut(&str),
    interrupted: &dyn Fn() -> bool,
) -> Result<(), (usize, ActError)> {
    for at in 0..transaction.step.len() {
        if interrupted() {
            return Err((at, ActError::Signal));
        }
        let done = do_step(host, facts, journal, transaction, at, progress);
        done.map_err(|error| (at, error))?;
    }
    Ok(())
}

fn do_step(
    host: &Host,
    facts: &Facts,
    journal: &Journal<'_>,
    transaction: &mut Transaction,
    at: usize,
    progress: &mut dyn FnMut(&str),
) -> Result<(), ActError> {
    let Some(record) = transaction.step.get(at) else { return Ok(()) };
    progress(&format!("Changing {}", record.name()));
    let (before, after) = record.files();
    let (before, after) = (journal.bytes(transaction, before)?, journal.bytes(transaction, after)?);
    let Some(record) = transaction.step.get_mut(at) else { return Ok(()) };
    if let Record::File(file) = record {
        text::change(host, &site::locate(facts, file), file, &before, &after)?;
        file.result = Some(StepResult::Changed);
        return Ok(());
    }
    if let Record::Bootloader(boot) = record {
        boot.begun = true;
    }
    // From here on a look at the files alone may not tell what was done.
    journal.save(transaction)?;
    let Some(Record::Bootloader(boot)) = transaction.step.get_mut(at) else { return Ok(()) };
    let config = Journal::path(&transaction.id, &boot.after);
    let immediate = facts.eeprom.immediate == Some(true);
    let flash = Flash { config: &config, image: &boot.image, boot_dir: &boot.boot_dir, immediate };
    boot.method = Some(eeprom::flash(host, &flash, &after)?);
    boot.result = Some(StepResult::Changed);
    Ok(())
}

/// Takes back what was done, last one first, as far as it goes.
fn roll_back(
    host: &Host,
    facts: &Facts,
    journal: &Journal<'_>,
    mut transaction: Transaction,
    at: usize,
    error: ActError,
    progress: &mut dyn FnMut(&str),
) -> Report {
    progress("Putting everything back");
    transaction.state = State::Applying;
    let mut steps = Vec::new();
    let mut left = false;
    let back = Back { host, journal, transaction: &transaction, facts };
    for (number, record) in transaction.step.iter().enumerate().rev() {
        let done = back.examine(record).and_then(|todo| back.carry_out(record, &todo));
        if let Err(why) = &done {
            left = true;
            progress(&format!("{} could not be put back: {why}", record.name()));
        }
        let how = match (done.is_ok(), number.cmp(&at)) {
            (false, _) => StepResult::Failed,
            (true, std::cmp::Ordering::Less) => StepResult::RolledBack,
            (true, std::cmp::Ordering::Equal) if !matches!(error, ActError::Signal) => StepResult::Failed,
            (true, _) => StepResult::NotReached,
        };
        steps.push((record.name(), how));
    }
    steps.reverse();
    if !left {
        for (record, (_, how)) in transaction.step.iter_mut().zip(&steps) {
            record.set_result(*how);
        }
        transaction.state = State::Failed;
        // When this cannot be written, the next run finds all put back.
        let _ = journal.save(&transaction);
    }
    let rescue = left.then(|| Journal::path(&transaction.id, README));
    Report { transaction: Some(transaction.id), steps, error: Some(error), rescue, ..Report::nothing() }
}
