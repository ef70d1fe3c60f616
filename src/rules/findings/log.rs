//! What the kernel log says of the drives. Each rule of the log has one
//! finding with the number of its lines.

use super::link::{FLOOD, ports_by_drive};
use crate::facts::{Facts, LogEvent};
use crate::rules::{Finding, check_text, id};

/// Reading stops at so many lines of one kind.
const MOST: usize = 100;

pub(super) fn find(facts: &Facts, found: &mut Vec<Finding>) {
    let events = &facts.log.events;
    let (no_memory, failed): (Vec<_>, Vec<_>) =
        of(events, &["nvme_probe_fail"]).partition(|e| e.text.contains("error -12"));
    add(found, id::NVME_NO_MEMORY, no_memory);
    let failed = failed.into_iter().chain(of(events, &["nvme_notready", "nvme_removed"]));
    add(found, id::NVME_START_FAILED, failed.collect());
    add(found, id::NVME_RESET, of(events, &["nvme_down"]).collect());
    add(found, id::NVME_TIMEOUT, of(events, &["nvme_timeout"]).collect());
    add(found, id::NVME_IO_ERROR, of(events, &["nvme_io_err"]).collect());
    add(found, id::NVME_D3COLD, of(events, &["nvme_d3"]).collect());
    add(found, id::NVME_HMB, of(events, &["nvme_hmb_over"]).collect());
    bus_errors(facts, found);
}

/// Bus errors of functions whose counters could not be read: the log is then
/// the only witness.
fn bus_errors(facts: &Facts, found: &mut Vec<Finding>) {
    let counted: Vec<_> = ports_by_drive(facts).into_iter().filter(|h| h.aer.is_some()).collect();
    let (corrected, not): (Vec<_>, Vec<_>) = of(&facts.log.events, &["aer"])
        .filter(|e| !counted.iter().any(|h| h.address == e.device))
        .partition(|e| e.text.contains("=Correct") || e.text.contains("AER: Correct"));
    let flood = u64::try_from(corrected.len()).is_ok_and(|count| count >= FLOOD);
    add(found, id::AER_UNCORRECTED, not);
    add(found, if flood { id::AER_FLOOD } else { id::AER_FEW }, corrected);
}

fn of<'e>(events: &'e [LogEvent], kinds: &'e [&str]) -> impl Iterator<Item = &'e LogEvent> {
    events.iter().filter(|e| kinds.contains(&e.kind))
}

fn add(found: &mut Vec<Finding>, id: &str, events: Vec<&LogEvent>) {
    let Some(first) = events.first() else { return };
    let mut devices: Vec<_> = events.iter().map(|e| e.device.as_str()).filter(|d| !d.is_empty()).collect();
    devices.sort_unstable();
    devices.dedup();
    let device = if devices.is_empty() { "device not named".to_owned() } else { devices.join(", ") };
    let count = match events.len() {
        MOST.. => format!("{} or more", events.len()),
        few => few.to_string(),
    };
    let values =
        [("device", device.clone()), ("address", device), ("count", count), ("names", "kernel log".into())];
    found.push(check_text(id, &values).seen("kernel log", &first.text));
}
