//! What keeps a job from being faster: the link, the drive, or the processor.

use super::types::JobResult;
use serde::Serialize;

/// What was the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Limit {
    /// The PCI Express link carries no more.
    Link,
    /// The drive gives no more.
    Drive,
    /// The processor that makes the transfers does nothing else.
    Cpu,
}

/// From this share of the ceiling on the link is full: what reads and writes in
/// large blocks reaches 0.93 to 0.98 of it on a Raspberry Pi 5 when the drive
/// could do more (442 of 457 MB/s at Gen 2, 858 of 900 MB/s at Gen 3).
const FULL: f64 = 0.9;

/// Below this share the link has room for a quarter more.
const ROOM: f64 = 0.8;

/// By how much a ceiling may be too high that was taken for the largest packets
/// (512 bytes) when it is the smallest (128 bytes) that are in use.
const ASSUMED: f64 = 940.5 / 829.1;

/// A processor that is busy for this share of the time is the limit.
const BUSY: f64 = 0.9;

/// The limit of a job; `None` where that cannot be told.
pub fn limit(result: &JobResult) -> Option<Limit> {
    let share = result.ceiling_ratio?;
    if share >= FULL {
        return Some(Limit::Link);
    }
    // By threads the work is spread over all processors.
    let alone = result.engine != "threads";
    if alone && result.cpu_ns_per_io * result.iops / 1e9 >= BUSY {
        return Some(Limit::Cpu);
    }
    let most = if result.ceiling_assumed { share * ASSUMED } else { share };
    (alone && most < ROOM).then_some(Limit::Drive)
}

/// One transfer at a time: the next one waits for the answer to the one before,
/// so what counts is how long that takes. By Little's law, transfers in flight =
/// rate x time of each.
pub fn waits(result: &JobResult) -> bool {
    result.iops * result.mean_ns / 1e9 < 1.5
}
