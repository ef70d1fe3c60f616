//! Measuring a drive: the number is the drive's, or it is called invalid.
//!
//! A nameless file on the drive's own file system is filled with random bytes
//! and read and written past the page cache. See `docs/bench.md`.

mod bootstrap;
mod cap;
mod changes;
mod checks;
mod compare;
mod data;
mod drive;
mod engine;
mod error;
mod gauges;
mod job;
mod latency;
mod limit;
mod runner;
mod stats;
pub mod store;
mod target;
mod timeline;
mod trial;
mod types;

#[cfg(test)]
mod tests;

pub use changes::{Change, changes};
pub use compare::{Gain, NotComparable, Pairing, Row, baseline, compare};
pub use error::BenchError;
pub use job::{JOBS, Job, Pattern, Profile};
pub use limit::{Limit, limit, waits};
pub use runner::Progress;
pub use target::Target;
pub use timeline::{Phase, Timeline};
pub use trial::{Trial, TrialResult};
pub use types::{EngineUsed, Environment, JobResult, LinkInfo, Run, SCHEMA, TargetInfo};

use crate::facts::{Drive, Facts};
use crate::host::{Host, Space};
use crate::terms::{Direction, bytes};
use engine::{Engine, FileEngine};
use gauges::{SysfsGauges, environment};
use job::{LEAST_BYTES, Schedule};
use runner::{Outcome, Setting};

/// What is wanted of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// What is measured.
    pub target: Target,
    /// How long.
    pub profile: Profile,
    /// Only the jobs that read (the file is still written once before).
    pub read_only: bool,
    /// On a recorded machine: the highest rate, read and write, in bytes a
    /// second; without it the ceiling of the recorded link. Elsewhere it is
    /// not used.
    pub cap_bytes_per_second: Option<(f64, f64)>,
    /// Size of the test file in bytes; without it the profile's.
    pub size_bytes: Option<u64>,
}

impl Request {
    /// Everything in the time of `profile`.
    pub fn new(target: Target, profile: Profile) -> Self {
        Self { target, profile, read_only: false, cap_bytes_per_second: None, size_bytes: None }
    }
}

/// Measures. `progress` is told what goes on, `interrupted` is asked about
/// twenty times a second whether to stop: then the run holds what there is and
/// is marked partial.
///
/// # Errors
/// Nothing was measured, or the drive failed: the message says what to do.
pub fn run(
    host: &Host,
    facts: &Facts,
    request: &Request,
    progress: &mut dyn FnMut(Progress),
    interrupted: &dyn Fn() -> bool,
) -> Result<Run, BenchError> {
    let schedule = if host.is_simulated() { Schedule::SIMULATED } else { request.profile.schedule() };
    run_on(host, facts, request, &How { schedule, threads: false }, progress, interrupted)
}

/// How a run goes about it.
struct How {
    schedule: Schedule,
    /// By threads even if there is an io_uring.
    threads: bool,
}

fn run_on(
    host: &Host,
    facts: &Facts,
    request: &Request,
    how: &How,
    progress: &mut dyn FnMut(Progress),
    interrupted: &dyn Fn() -> bool,
) -> Result<Run, BenchError> {
    let time = host.now();
    let simulated = host.is_simulated();
    let schedule = how.schedule;
    let target::Place { file, dir, drive, mut info } = target::find(host, facts, &request.target)?;
    let size = file_size(&dir, request.size_bytes, schedule, simulated, file.space()?)?;
    let mut environment = environment(host, facts, drive, &info);
    let device = info.disk.clone().unwrap_or_else(|| dir.clone());

    let mut engine =
        FileEngine::new(file, how.threads).map_err(|b| BenchError::broken(&device, "start", b))?;
    let jobs: Vec<Job> =
        JOBS.into_iter().filter(|j| !request.read_only || j.direction == Direction::Read).collect();
    let mut gauges = SysfsGauges::new(host, drive, &info);
    let mut setting = Setting {
        jobs: &jobs,
        schedule,
        link: drive.and_then(|d| d.link().map(|link| (link, d.max_payload_bytes()))),
        caps: if simulated { request.cap_bytes_per_second.or_else(|| ceilings(drive)) } else { None },
        gauges: &mut gauges,
        progress,
        interrupted,
    };
    let outcome = runner::run(&mut engine, &mut setting, size)
        .map_err(|failed| BenchError::broken(&device, &failed.what, failed.broken))?;

    let mut notes = notes(&outcome, drive, size);
    if info.file_system == "btrfs" && !request.read_only {
        notes.push("btrfs copies and checksums what is written: the drive itself can write faster".into());
    }
    if simulated {
        notes.insert(0, simulation(setting.caps.is_some(), engine.used().direct));
    }
    if let Some(why) = engine.refused() {
        notes.push(format!("measured by threads: the kernel refused io_uring ({why})"));
    }
    info.file_bytes = outcome.file_bytes;
    environment.temperature_before_celsius = outcome.first.temperature_celsius;
    environment.temperature_peak_celsius = outcome.peak_celsius;
    environment.temperature_after_celsius = outcome.last.temperature_celsius;
    Ok(Run {
        schema: SCHEMA.into(),
        time: time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        version: env!("CARGO_PKG_VERSION").into(),
        simulated,
        label: None,
        profile: request.profile,
        target: info,
        environment,
        engine: engine.used(),
        results: outcome.results,
        partial: outcome.partial,
        notes,
        timeline: outcome.timeline,
    })
}

/// The rates of a recorded drive's link, read and write.
fn ceilings(drive: Option<&Drive>) -> Option<(f64, f64)> {
    let drive = drive?;
    let (link, payload) = (drive.link()?, drive.max_payload_bytes().unwrap_or(runner::LARGEST_PAYLOAD));
    let of = |direction| link.ceiling_bytes_per_second(payload, direction);
    Some((of(Direction::Read), of(Direction::Write)))
}

/// As large as wanted, or as the room allows: the file and a tenth more, and
/// after that 1 GiB and 5 % stay free. A recorded machine's file is small.
fn file_size(
    at: &str,
    asked: Option<u64>,
    schedule: Schedule,
    simulated: bool,
    space: Space,
) -> Result<u64, BenchError> {
    const MIB: u64 = 1 << 20;
    let least_bytes = if simulated { 16 * MIB } else { LEAST_BYTES };
    let wanted = asked.unwrap_or(schedule.file_bytes);
    if wanted < least_bytes {
        return Err(BenchError::TooSmall { asked_bytes: wanted, least_bytes });
    }
    let keep = if simulated { 0 } else { (1024 * MIB).max(space.total_bytes / 20) };
    let most = space.free_bytes.saturating_sub(keep) / 11 * 10;
    // A size that was asked for is not made smaller in silence.
    let least = asked.unwrap_or(least_bytes);
    if most < least {
        let needed_bytes = least + least / 10 + keep;
        return Err(BenchError::NoRoom { at: at.into(), free_bytes: space.free_bytes, needed_bytes });
    }
    Ok(wanted.min(most) / MIB * MIB)
}

fn simulation(capped: bool, direct: bool) -> String {
    let place = if direct { "on this computer's disk" } else { "through this computer's memory" };
    let speed = match capped {
        true => "slowed down to the recorded link",
        false => "not slowed down, as the recorded link is not known",
    };
    format!("simulated: measured {place}, {speed}")
}

fn notes(outcome: &Outcome, drive: Option<&Drive>, size: u64) -> Vec<String> {
    let mut notes = Vec::new();
    if outcome.file_bytes < size && !outcome.partial {
        let (small, wanted) = (bytes(outcome.file_bytes), bytes(size));
        notes.push(format!("the test file holds {small} of {wanted}: the drive took too long to write more"));
        if outcome.file_bytes < LEAST_BYTES {
            notes.push("so small a file may fit into a cache of the drive".into());
        }
    }
    if let (Some(peak), Some(limit)) = (outcome.peak_celsius, drive.and_then(|d| d.warning_celsius)) {
        if peak >= limit {
            notes.push(format!("the drive reached {peak:.0} °C, its own warning threshold is {limit:.0} °C"));
        }
    }
    notes
}
