//! Two runs: what changed, and whether that is more than chance.

use super::bootstrap::ratio_interval;
use super::limit::{Limit, limit};
use super::store;
use super::types::{JobResult, Run};
use crate::host::{Host, HostError};
use serde::Serialize;

/// One job before and after.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// `seq1m-q8t1-read`.
    pub job: String,
    /// Median before, bytes a second.
    pub before: f64,
    /// Median after, bytes a second.
    pub after: f64,
    /// `after` over `before`.
    pub ratio: f64,
    /// Lower end of its 95 % interval.
    pub ratio_low: f64,
    /// Upper end.
    pub ratio_high: f64,
    /// In words.
    pub verdict: String,
    /// In one of four words.
    pub gain: Gain,
    /// The most that the link could carry before, bytes a second.
    pub ceiling_before: Option<f64>,
    /// And after.
    pub ceiling_after: Option<f64>,
    /// `before` as a share of its ceiling.
    pub ceiling_ratio_before: Option<f64>,
    /// `after` as a share of its ceiling.
    pub ceiling_ratio_after: Option<f64>,
    /// What kept it from being faster before.
    pub limit_before: Option<Limit>,
    /// And after.
    pub limit_after: Option<Limit>,
}

/// What came of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Gain {
    /// Clearly faster.
    Faster,
    /// Clearly slower.
    Slower,
    /// The same, within 5 %.
    Same,
    /// The passes are too uneven to tell.
    Unclear,
}

/// Which runs may be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pairing {
    /// Found by this program: the same drive and file system, and something
    /// that sets the runs apart (the link's speed, or the name).
    Alike,
    /// Named by the user: any two, but for two drives that are known to be two
    /// (numbers change between two starts, so that the user may not know). What
    /// else differs is for [`super::changes`] to say.
    Named,
}

/// Why two runs say nothing about each other.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum NotComparable {
    /// One of them belongs to a recorded machine only.
    #[error("one run is simulated and the other is real")]
    SimulatedAndReal,
    /// One run twice.
    #[error("both names mean the same run")]
    SameRun,
    /// The drive could not be told from others.
    #[error(
        "the drive of a run is not known (only NVMe drives have a stored identity), so it may be another one"
    )]
    UnknownDrive,
    /// Another drive.
    #[error("the runs are of two drives: {0} and {1}")]
    OtherDrive(String, String),
    /// Another file system.
    #[error("the test files lay on two file systems: {0} and {1}")]
    OtherFileSystem(String, String),
    /// Another way to make the transfers.
    #[error("the runs were made with two engines: {0} and {1}")]
    OtherEngine(String, String),
    /// Nothing to compare: the same link and the same name.
    #[error("both runs were made at the same link ({0}) and have the same name")]
    NothingChanged(String),
    /// No job is in both with a valid result.
    #[error("no job has a valid result with at least six passes in both runs")]
    NoCommonJob,
}

/// Smaller changes are not told from the drive's own mood.
const NOTICEABLE: f64 = 0.02;

/// Within this an interval around 1 says that nothing came of the change.
const SAME: f64 = 0.05;

/// Compares two runs, job by job.
///
/// # Errors
/// The runs do not belong together; the reason is for the user.
pub fn compare(before: &Run, after: &Run, pairing: Pairing) -> Result<Vec<Row>, NotComparable> {
    if before == after {
        return Err(NotComparable::SameRun);
    }
    if before.simulated != after.simulated {
        return Err(NotComparable::SimulatedAndReal);
    }
    same_drive(before, after, pairing)?;
    if pairing == Pairing::Alike {
        belong_together(before, after)?;
    }
    let valid = before.results.iter().filter(|r| r.valid);
    let rows: Vec<Row> = valid
        .filter_map(|old| row(old, after.results.iter().find(|r| r.job == old.job && r.valid)?))
        .collect();
    if rows.is_empty() { Err(NotComparable::NoCommonJob) } else { Ok(rows) }
}

fn row(old: &JobResult, new: &JobResult) -> Option<Row> {
    let (ratio_low, ratio_high) = ratio_interval(&old.samples, &new.samples)?;
    let ratio = new.median / old.median;
    let gain = gain(ratio, ratio_low, ratio_high);
    Some(Row {
        job: old.job.clone(),
        before: old.median,
        after: new.median,
        ratio,
        ratio_low,
        ratio_high,
        verdict: verdict(gain, ratio, ratio_low, ratio_high),
        gain,
        ceiling_before: old.ceiling_bytes_per_second,
        ceiling_after: new.ceiling_bytes_per_second,
        ceiling_ratio_before: old.ceiling_ratio,
        ceiling_ratio_after: new.ceiling_ratio,
        limit_before: limit(old),
        limit_after: limit(new),
    })
}

fn gain(ratio: f64, low: f64, high: f64) -> Gain {
    // Against 0 nothing is so and so many times faster.
    let finite = low > 0.0 && high.is_finite();
    let apart = finite && (low > 1.0 || high < 1.0) && (ratio - 1.0).abs() >= NOTICEABLE;
    match apart {
        true if ratio > 1.0 => Gain::Faster,
        true => Gain::Slower,
        false if low >= 1.0 - SAME && high <= 1.0 + SAME => Gain::Same,
        false => Gain::Unclear,
    }
}

/// In words: `1.94 times faster, 1.92 to 1.96`.
fn verdict(gain: Gain, ratio: f64, low: f64, high: f64) -> String {
    let (word, ratio, low, high) = match gain {
        Gain::Faster => ("faster", ratio, low, high),
        Gain::Slower => ("slower", 1.0 / ratio, 1.0 / high, 1.0 / low),
        Gain::Same | Gain::Unclear => return "no clear difference".into(),
    };
    // Three digits say enough.
    let digits = if high >= 9.995 { 1 } else { 2 };
    format!("{ratio:.digits$} times {word}, {low:.digits$} to {high:.digits$}")
}

fn same_drive(before: &Run, after: &Run, pairing: Pairing) -> Result<(), NotComparable> {
    let (old, new) = (&before.target, &after.target);
    let (Some(old_drive), Some(new_drive)) = (&old.identity, &new.identity) else {
        return if pairing == Pairing::Named { Ok(()) } else { Err(NotComparable::UnknownDrive) };
    };
    if old_drive == new_drive {
        return Ok(());
    }
    let name = |model: &Option<String>, id: &String| {
        let id = id.chars().take(8).collect::<String>();
        format!("{} ({id})", model.as_deref().unwrap_or("unknown model"))
    };
    Err(NotComparable::OtherDrive(name(&old.model, old_drive), name(&new.model, new_drive)))
}

fn belong_together(before: &Run, after: &Run) -> Result<(), NotComparable> {
    let (old, new) = (&before.target, &after.target);
    // Where it is mounted and how the kernel numbers the drives may change
    // between two boots.
    if (&old.file_system, old.partition) != (&new.file_system, new.partition) {
        let name = |t: &super::TargetInfo| {
            format!("{} on {}", t.file_system, t.device.as_deref().unwrap_or("an unknown device"))
        };
        return Err(NotComparable::OtherFileSystem(name(old), name(new)));
    }
    let (old_engine, new_engine) = (&before.engine, &after.engine);
    if (&old_engine.name, old_engine.direct) != (&new_engine.name, new_engine.direct) {
        let name =
            |e: &super::EngineUsed| format!("{}{}", e.name, if e.direct { "" } else { " through memory" });
        return Err(NotComparable::OtherEngine(name(old_engine), name(new_engine)));
    }
    if link(before) == link(after) && before.label == after.label {
        let words = after.environment.link.and_then(super::LinkInfo::link);
        return Err(NotComparable::NothingChanged(words.map_or_else(|| "unknown".into(), |l| l.to_string())));
    }
    Ok(())
}

fn link(run: &Run) -> Option<(u8, u8)> {
    run.environment.link.map(|l| (l.generation, l.width))
}

/// The newest stored run that `now` can be compared with: the same drive at
/// another link speed; where there is none, at the same speed under another
/// name.
///
/// # Errors
/// The folder of stored runs is there but could not be read.
pub fn baseline(host: &Host, now: &Run) -> Result<Option<Run>, HostError> {
    let runs: Vec<Run> = store::list(host)?.into_iter().map(|stored| stored.run).collect();
    let fits = |r: &&Run| r.is_baseline() && compare(r, now, Pairing::Alike).is_ok();
    let known = |r: &Run| link(r).is_some() && link(now).is_some();
    let other_link = runs.iter().filter(|r| known(r) && link(r) != link(now)).find(fits);
    let other_name = || runs.iter().filter(|r| link(r) == link(now) && r.label != now.label).find(fits);
    Ok(other_link.or_else(other_name).cloned())
}
