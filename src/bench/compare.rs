//! Two runs of the same drive: what changed, and whether that is more than
//! chance.

use super::stats;
use super::store;
use super::types::Run;
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
    /// The most that the link could carry before, bytes a second.
    pub ceiling_before: Option<f64>,
    /// And after.
    pub ceiling_after: Option<f64>,
    /// `before` as a share of its ceiling.
    pub ceiling_ratio_before: Option<f64>,
    /// `after` as a share of its ceiling.
    pub ceiling_ratio_after: Option<f64>,
}

/// Why two runs say nothing about each other.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum NotComparable {
    /// One of them belongs to a recorded machine only.
    #[error("one run is simulated and the other is real")]
    SimulatedAndReal,
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
    /// Nothing to compare: the same link.
    #[error(
        "both runs were made at the same link ({0}); give them different names with --save to compare them"
    )]
    SameLink(String),
    /// No job is in both with a valid result.
    #[error("no job has a valid result with at least six passes in both runs")]
    NoCommonJob,
}

/// Smaller changes are not told from the drive's own mood.
const NOTICEABLE: f64 = 0.02;

/// Compares two runs, job by job.
///
/// # Errors
/// The runs do not belong together; the reason is for the user.
pub fn compare(before: &Run, after: &Run) -> Result<Vec<Row>, NotComparable> {
    belong_together(before, after)?;
    let mut rows = Vec::new();
    for old in before.results.iter().filter(|r| r.valid) {
        let Some(new) = after.results.iter().find(|r| r.job == old.job && r.valid) else { continue };
        let Some((ratio_low, ratio_high)) = stats::ratio_interval(&old.samples, &new.samples) else {
            continue;
        };
        let ratio = new.median / old.median;
        rows.push(Row {
            job: old.job.clone(),
            before: old.median,
            after: new.median,
            ratio,
            ratio_low,
            ratio_high,
            verdict: verdict(ratio, ratio_low, ratio_high),
            ceiling_before: old.ceiling_bytes_per_second,
            ceiling_after: new.ceiling_bytes_per_second,
            ceiling_ratio_before: old.ceiling_ratio,
            ceiling_ratio_after: new.ceiling_ratio,
        });
    }
    if rows.is_empty() { Err(NotComparable::NoCommonJob) } else { Ok(rows) }
}

/// In words: `1.94 times faster, 1.92 to 1.96`.
fn verdict(ratio: f64, low: f64, high: f64) -> String {
    // Against 0 nothing is so and so many times faster.
    let finite = low > 0.0 && high.is_finite();
    let clear = finite && (low > 1.0 || high < 1.0) && (ratio - 1.0).abs() >= NOTICEABLE;
    if !clear {
        "no clear difference".into()
    } else if ratio > 1.0 {
        format!("{ratio:.2} times faster, {low:.2} to {high:.2}")
    } else {
        format!("{:.2} times slower, {:.2} to {:.2}", 1.0 / ratio, 1.0 / high, 1.0 / low)
    }
}

fn belong_together(before: &Run, after: &Run) -> Result<(), NotComparable> {
    if before.simulated != after.simulated {
        return Err(NotComparable::SimulatedAndReal);
    }
    let (old, new) = (&before.target, &after.target);
    let (Some(old_drive), Some(new_drive)) = (&old.identity, &new.identity) else {
        return Err(NotComparable::UnknownDrive);
    };
    if old_drive != new_drive {
        let name = |model: &Option<String>, id: &String| {
            format!(
                "{} ({})",
                model.as_deref().unwrap_or("unknown model"),
                id.chars().take(8).collect::<String>()
            )
        };
        return Err(NotComparable::OtherDrive(name(&old.model, old_drive), name(&new.model, new_drive)));
    }
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
    let link = |r: &Run| r.environment.link.map(|l| (l.generation, l.width));
    if link(before) == link(after) && before.label == after.label {
        let words = after.environment.link.and_then(super::LinkInfo::link);
        return Err(NotComparable::SameLink(words.map_or_else(|| "unknown".into(), |l| l.to_string())));
    }
    Ok(())
}

/// The newest stored run that `now` can be compared with: the same drive,
/// another link. None when its own link is not known.
///
/// # Errors
/// The folder of stored runs is there but could not be read.
pub fn baseline(host: &Host, now: &Run) -> Result<Option<Run>, HostError> {
    let link = |r: &Run| r.environment.link.map(|l| (l.generation, l.width));
    let runs = store::list(host)?.into_iter().map(|stored| stored.run);
    Ok(runs
        .filter(|r| {
            r.is_baseline() && r.environment.link.is_some() && link(now).is_some() && link(r) != link(now)
        })
        .find(|r| belong_together(r, now).is_ok()))
}
