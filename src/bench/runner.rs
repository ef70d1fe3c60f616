//! Fills the file, runs the jobs, and checks each result before it is
//! believed.

use super::cap::Cap;
use super::drive::{Broken, Pass, Work};
use super::engine::Engine;
use super::gauges::{Gauges, Reading};
use super::job::{FILL, Job, Pattern, Schedule};
use super::stats;
use super::timeline::{Recorder, Timeline};
use super::types::JobResult;
use crate::terms::{Direction, Link};
use std::sync::Mutex;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

/// What a run tells while it goes on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Progress {
    /// A part begins: `fill`, then each job.
    Phase {
        /// Its name.
        job: &'static str,
        /// Its number, from 0.
        index: usize,
        /// How many there are.
        of: usize,
    },
    /// How far the part is.
    Tick {
        /// 0.0 to 1.0.
        done: f64,
        /// Bytes a second in this pass so far.
        rate: f64,
    },
}

/// What a run needs beside the engine.
pub(super) struct Setting<'a> {
    pub(super) jobs: &'a [Job],
    pub(super) schedule: Schedule,
    /// The drive's link and its payload size.
    pub(super) link: Option<(Link, Option<u32>)>,
    /// Highest rates allowed: read, write.
    pub(super) caps: Option<(f64, f64)>,
    pub(super) gauges: &'a mut dyn Gauges,
    pub(super) progress: &'a mut dyn FnMut(Progress),
    pub(super) interrupted: &'a dyn Fn() -> bool,
}

/// What came out of all jobs.
pub(super) struct Outcome {
    pub(super) results: Vec<JobResult>,
    pub(super) file_bytes: u64,
    pub(super) partial: bool,
    pub(super) first: Reading,
    pub(super) last: Reading,
    pub(super) peak_celsius: Option<f64>,
    pub(super) timeline: Timeline,
}

/// An I/O error and the part in which it came.
pub(super) struct Failed {
    pub(super) what: String,
    pub(super) broken: Broken,
}

/// The largest payload that BCM2712 can do: its inbound burst.
pub(super) const LARGEST_PAYLOAD: u32 = 512;

struct Runner<'e, 's, 'a> {
    engine: &'e mut dyn Engine,
    setting: &'s mut Setting<'a>,
    pass_number: u64,
    peak_celsius: Option<f64>,
    /// Speeds of the link when the run began: what its results stand for.
    speeds: Vec<String>,
    next_block: AtomicU64,
    recorder: Recorder,
}

/// Fills `size` bytes and runs every job over them.
pub(super) fn run(engine: &mut dyn Engine, setting: &mut Setting<'_>, size: u64) -> Result<Outcome, Failed> {
    let first = setting.gauges.read();
    let next_block = AtomicU64::new(0);
    let (peak_celsius, speeds) = (first.temperature_celsius, first.speeds.clone());
    let mut recorder = Recorder::new();
    recorder.temperature(first.temperature_celsius);
    let mut runner = Runner { engine, setting, pass_number: 0, peak_celsius, speeds, next_block, recorder };
    let parts = runner.setting.jobs.len() + 1;
    (runner.setting.progress)(Progress::Phase { job: FILL.name, index: 0, of: parts });
    let fill = runner.fill(size).map_err(|broken| Failed { what: FILL.name.into(), broken })?;
    let mut outcome = Outcome {
        results: Vec::new(),
        file_bytes: fill.bytes,
        partial: fill.interrupted,
        first: first.clone(),
        last: first,
        peak_celsius: None,
        timeline: Timeline::default(),
    };
    for (index, job) in runner.setting.jobs.iter().enumerate() {
        if outcome.partial || fill.bytes < job.block as u64 {
            outcome.partial = true;
            break;
        }
        (runner.setting.progress)(Progress::Phase { job: job.name, index: index + 1, of: parts });
        let result =
            runner.job(job, fill.bytes).map_err(|broken| Failed { what: job.name.into(), broken })?;
        outcome.partial |= result.interrupted;
        outcome.results.extend(result.result);
    }
    outcome.last = runner.setting.gauges.read();
    outcome.peak_celsius = hotter(runner.peak_celsius, outcome.last.temperature_celsius);
    outcome.timeline = runner.recorder.into_timeline();
    Ok(outcome)
}

fn hotter(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    a.into_iter().chain(b).reduce(f64::max)
}

struct JobOutcome {
    result: Option<JobResult>,
    interrupted: bool,
}

impl Runner<'_, '_, '_> {
    fn fill(&mut self, size: u64) -> Result<Pass, Broken> {
        let time = self.setting.schedule.fill;
        self.recorder.phase(FILL.name);
        let pass = self.pass(&FILL, size, time, None, true, &|bytes| bytes as f64 / size.max(1) as f64)?;
        self.engine.sync()?;
        Ok(pass)
    }

    fn pass(
        &mut self,
        job: &Job,
        span: u64,
        time: Duration,
        cap: Option<&Mutex<Cap>>,
        once: bool,
        done: &dyn Fn(u64) -> f64,
    ) -> Result<Pass, Broken> {
        self.pass_number += 1;
        let (pass, next_block) = (self.pass_number, &self.next_block);
        let work = Work { job, span, time, once, next_block, pass, lane: 0, cap };
        let begun = std::time::Instant::now();
        self.recorder.pass();
        let recorder = &mut self.recorder;
        let (progress, interrupted) = (&mut *self.setting.progress, self.setting.interrupted);
        let mut watch = |bytes: u64| {
            let rate = bytes as f64 / begun.elapsed().as_secs_f64().max(1e-9);
            recorder.tick(bytes);
            progress(Progress::Tick { done: done(bytes).clamp(0.0, 1.0), rate });
            interrupted()
        };
        if watch(0) {
            return Ok(Pass { interrupted: true, ..Pass::empty() });
        }
        let pass = self.engine.pass(&work, &mut watch)?;
        self.recorder.pass_ends(pass.bytes);
        Ok(pass)
    }

    fn job(&mut self, job: &Job, file_bytes: u64) -> Result<JobOutcome, Broken> {
        let Schedule { ramp, pass: length, passes, .. } = self.setting.schedule;
        let span = file_bytes - file_bytes % job.block as u64;
        let cap = self.setting.caps.map(|(read, write)| {
            Mutex::new(Cap::new(if job.direction == Direction::Read { read } else { write }))
        });
        let whole = (ramp + length * u32::try_from(passes).unwrap_or(u32::MAX)).as_secs_f64().max(1e-9);
        let before = self.setting.gauges.read();
        self.recorder.phase(job.name);
        let mut seen = Seen::new();
        for number in 0..=passes {
            // Pass 0 wakes up the link and the drive and is not counted.
            let time = if number == 0 { ramp } else { length };
            let begun = std::time::Instant::now();
            let past = if number == 0 { 0.0 } else { (ramp + length * (number as u32 - 1)).as_secs_f64() };
            // The last transfers of a pass may come late: the next one starts
            // where this one should have ended.
            let done = |_| (past + begun.elapsed().min(time).as_secs_f64()) / whole;
            let pass = self.pass(job, span, time, cap.as_ref(), false, &done)?;
            let now = self.setting.gauges.read();
            self.peak_celsius = hotter(self.peak_celsius, now.temperature_celsius);
            self.recorder.temperature(now.temperature_celsius);
            if now.speeds != self.speeds {
                // Also when it comes back before the job ends.
                seen.speeds.get_or_insert(now.speeds);
            }
            seen.moved += pass.bytes;
            seen.interrupted |= pass.interrupted;
            // What was cut short says little, and nothing at all without a
            // transfer.
            let counts = number > 0 && pass.transfers > 0;
            if counts && (!pass.interrupted || pass.elapsed * 2 > length) {
                seen.samples.push(pass.bytes as f64 / pass.elapsed.as_secs_f64().max(1e-9));
                seen.transfers += pass.transfers;
                seen.cpu += pass.cpu;
                // Same bounds on both sides: nothing can be out of range.
                let _ = seen.latency.add(&pass.latency);
            }
            if seen.interrupted {
                break;
            }
        }
        // Read before the sync: what only memory holds by now was not written
        // directly.
        let after = self.setting.gauges.read();
        if job.direction == Direction::Write {
            self.engine.sync()?;
        }
        let interrupted = seen.interrupted;
        let result = (!seen.samples.is_empty()).then(|| self.result(job, &seen, &before, &after));
        Ok(JobOutcome { result, interrupted })
    }

    fn result(&self, job: &Job, seen: &Seen, before: &Reading, after: &Reading) -> JobResult {
        let median = stats::median(&seen.samples);
        let (low, high) = stats::median_interval(&seen.samples).unzip();
        let payload = self.setting.link.and_then(|(_, payload)| payload);
        let ceiling = self.setting.link.map(|(link, _)| {
            link.ceiling_bytes_per_second(payload.unwrap_or(LARGEST_PAYLOAD), job.direction)
        });
        let used = self.engine.used();
        let mut result = JobResult {
            job: job.name.into(),
            unit: "bytes_per_second".into(),
            engine: if job.depth == 1 { "pread/pwrite".into() } else { used.name },
            median,
            low,
            high,
            min: seen.samples.iter().copied().fold(f64::INFINITY, f64::min),
            max: seen.samples.iter().copied().fold(0.0, f64::max),
            samples: seen.samples.clone(),
            iops: median / job.block as f64,
            mean_ns: seen.latency.mean(),
            p50_ns: seen.percentile(0.5),
            p99_ns: seen.percentile(0.99),
            p999_ns: seen.percentile(0.999),
            max_ns: seen.latency.max(),
            cpu_ns_per_io: seen.cpu.as_nanos() as f64 / seen.transfers.max(1) as f64,
            disk_ratio: disk_ratio(job.direction, seen.moved, before, after),
            valid: true,
            warnings: Vec::new(),
            ceiling_bytes_per_second: ceiling,
            ceiling_ratio: ceiling.map(|c| median / c),
            ceiling_assumed: ceiling.is_some() && payload.is_none(),
        };
        let speeds = seen.speeds.as_ref().unwrap_or(&after.speeds);
        super::checks::judge(&mut result, &self.speeds, speeds, job.pattern == Pattern::Sequential);
        result
    }
}

fn disk_ratio(direction: Direction, moved: u64, before: &Reading, after: &Reading) -> Option<f64> {
    let ((read_before, written_before), (read_after, written_after)) =
        (before.disk_bytes?, after.disk_bytes?);
    let counted = match direction {
        Direction::Read => read_after.saturating_sub(read_before),
        Direction::Write => written_after.saturating_sub(written_before),
    };
    (moved > 0).then(|| counted as f64 / moved as f64)
}

struct Seen {
    samples: Vec<f64>,
    moved: u64,
    transfers: u64,
    cpu: Duration,
    latency: hdrhistogram::Histogram<u64>,
    interrupted: bool,
    /// Speeds of the link, when they are not those of the run's beginning.
    speeds: Option<Vec<String>>,
}

impl Seen {
    fn new() -> Self {
        let Pass { latency, .. } = Pass::empty();
        Self {
            samples: Vec::new(),
            moved: 0,
            transfers: 0,
            cpu: Duration::ZERO,
            latency,
            interrupted: false,
            speeds: None,
        }
    }

    /// Only with ten transfers or more beyond it.
    fn percentile(&self, share: f64) -> Option<u64> {
        let beyond = self.latency.len() as f64 * (1.0 - share);
        (beyond >= 10.0).then(|| self.latency.value_at_quantile(share))
    }
}
