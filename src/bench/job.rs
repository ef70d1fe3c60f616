//! What is measured: the shapes people compare, and how long each profile
//! takes for them.

use crate::terms::Direction;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Where the next transfer goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pattern {
    /// To the next block; at the end of the file it begins again.
    Sequential,
    /// Anywhere, every block as likely.
    Random,
}

/// A shape of load in CrystalDiskMark's words: block size, queue depth, one
/// thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Job {
    /// `seq1m-q8t1-read`.
    pub name: &'static str,
    /// Which way.
    pub direction: Direction,
    /// Order of the blocks.
    pub pattern: Pattern,
    /// Bytes a transfer.
    pub block: usize,
    /// Transfers in flight.
    pub depth: usize,
}

const MIB: usize = 1 << 20;

const fn job(name: &'static str, direction: Direction, pattern: Pattern, block: usize, depth: usize) -> Job {
    Job { name, direction, pattern, block, depth }
}

/// Every job, in the order in which they run.
pub const JOBS: [Job; 6] = [
    job("seq1m-q8t1-read", Direction::Read, Pattern::Sequential, MIB, 8),
    job("seq1m-q8t1-write", Direction::Write, Pattern::Sequential, MIB, 8),
    job("rnd4k-q32t1-read", Direction::Read, Pattern::Random, 4096, 32),
    job("rnd4k-q32t1-write", Direction::Write, Pattern::Random, 4096, 32),
    job("rnd4k-q1t1-read", Direction::Read, Pattern::Random, 4096, 1),
    job("rnd4k-q1t1-write", Direction::Write, Pattern::Random, 4096, 1),
];

/// How the file is filled: once through, in order.
pub(super) const FILL: Job = job("fill", Direction::Write, Pattern::Sequential, MIB, 8);

/// How much time is spent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// At most 20 s.
    Quick,
    /// At most 60 s.
    Standard,
    /// Some minutes.
    Deep,
}

/// Times and sizes of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Schedule {
    /// Wanted size of the file.
    pub(super) file_bytes: u64,
    /// The fill ends after this long, with what is written by then.
    pub(super) fill: Duration,
    /// Load before each job that is not counted: link and drive wake up.
    pub(super) ramp: Duration,
    /// One measured pass.
    pub(super) pass: Duration,
    /// Passes a job.
    pub(super) passes: usize,
}

/// The least that a file must hold: less fits into a drive's own cache.
pub(super) const LEAST_BYTES: u64 = 128 << 20;

impl Profile {
    pub(super) fn schedule(self) -> Schedule {
        let ms = Duration::from_millis;
        let (file_bytes, fill, ramp, pass, passes) = match self {
            Self::Quick => (512 << 20, ms(5_000), ms(200), ms(350), 6),
            Self::Standard => (1 << 30, ms(10_000), ms(500), ms(1_000), 7),
            Self::Deep => (8 << 30, ms(60_000), ms(1_000), ms(5_000), 9),
        };
        Schedule { file_bytes, fill, ramp, pass, passes }
    }
}

impl Schedule {
    /// On a recorded machine: enough to see a capped rate, in a few seconds.
    pub(super) const SIMULATED: Self = Self {
        file_bytes: 64 << 20,
        fill: Duration::from_secs(5),
        ramp: Duration::from_millis(10),
        pass: Duration::from_millis(100),
        passes: 6,
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_keep_their_word() {
        for (profile, seconds) in [(Profile::Quick, 20.0), (Profile::Standard, 60.0)] {
            let s = profile.schedule();
            let jobs = JOBS.len() as f64 * (s.ramp + s.pass * s.passes as u32).as_secs_f64();
            assert!(s.fill.as_secs_f64() + jobs < seconds, "{profile:?}");
            assert!(s.file_bytes >= LEAST_BYTES);
            assert!(s.passes >= super::super::stats::LEAST_SAMPLES);
        }
    }

    #[test]
    fn names_say_the_shape() {
        for job in JOBS {
            let (kind, block) = match job.pattern {
                Pattern::Sequential => ("seq1m", 1 << 20),
                Pattern::Random => ("rnd4k", 4096),
            };
            let way = if job.direction == Direction::Read { "read" } else { "write" };
            assert_eq!(job.name, format!("{kind}-q{}t1-{way}", job.depth));
            assert_eq!(job.block, block);
        }
    }
}
