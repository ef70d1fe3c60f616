//! What the kernel log says of the drives. Each rule of the log has one
//! finding with the number of its lines.

use crate::facts::{Facts, LogEvent};
use crate::rules::{Finding, check_text, id};

pub(super) fn find(facts: &Facts, found: &mut Vec<Finding>) {
    let events = &facts.log.events;
    let (no_memory, failed): (Vec<_>, Vec<_>) =
        of(events, &["nvme_probe_fail"]).partition(|e| e.text.contains("error -12"));
    add(found, id::NVME_NO_MEMORY, no_memory);
    let failed = failed.into_iter().chain(of(events, &["nvme_notready", "nvme_removed"]));
    add(found, id::NVME_START_FAILED, failed.collect());
    add(found, id::NVME_RESET, of(events, &["nvme_down"]).collect());
    add(found, id::NVME_TIMEOUT, of(events, &["nvme_timeout"]).collect());
    let lost =
        of(events, &["nvme_io_err"]).chain(of(events, &["blk_err"]).filter(|e| e.device.starts_with("nvme")));
    let lost: Vec<_> = lost.collect();
    // The block layer repeats what the driver said, line for line.
    let by_driver: Vec<_> = lost.iter().copied().filter(|e| e.kind == "nvme_io_err").collect();
    add(found, id::NVME_IO_ERROR, if by_driver.is_empty() { lost } else { by_driver });
    add(found, id::NVME_D3COLD, of(events, &["nvme_d3"]).collect());
    add(found, id::NVME_HMB, of(events, &["nvme_hmb_over", "nvme_hmb_fail"]).collect());
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
    let finding = check_text(id, &[("device", device), ("count", events.len().to_string())]);
    found.push(finding.seen("kernel log", &first.text));
}
