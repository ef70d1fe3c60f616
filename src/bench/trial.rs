//! The engine by itself, over any file: what `benches/` compares with fio and
//! counts instructions of. Nothing is filled, checked or kept here; a number
//! for people comes from [`super::run`].

use super::drive::{Broken, Work};
use super::engine::{Engine, FileEngine};
use super::job::Job;
use super::types::EngineUsed;
use crate::host::measure::TestFile;
use hdrhistogram::Histogram;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

/// What a trial shall do.
#[derive(Debug, Clone, Copy)]
pub struct Trial<'a> {
    /// Shape of the load.
    pub job: &'a Job,
    /// Bytes of the file that are used.
    pub span_bytes: u64,
    /// No transfer starts after this long.
    pub time: Duration,
    /// Ends early, at the next look at the clock after so many transfers.
    pub transfers: u64,
    /// By threads even if there is an io_uring.
    pub threads: bool,
    /// Seed of the offsets and of what is written.
    pub seed: u64,
}

/// What came out of a trial.
#[derive(Debug, Clone)]
pub struct TrialResult {
    /// How the transfers were made.
    pub engine: EngineUsed,
    /// Transfers.
    pub transfers: u64,
    /// Bytes moved.
    pub bytes: u64,
    /// From the first start to the last completion.
    pub elapsed: Duration,
    /// Processor time used meanwhile, user and system, all threads.
    pub cpu: Duration,
    /// System calls that the transfers took.
    pub calls: u64,
    /// Nanoseconds from start to completion.
    pub latency: Histogram<u64>,
}

impl Trial<'_> {
    /// One pass over `file`.
    ///
    /// # Errors
    /// What the system said of a transfer, in words.
    pub fn run(&self, file: TestFile) -> Result<TrialResult, String> {
        let words = |broken: Broken| match broken.offset {
            Some(offset) => format!("at byte {offset}: {}", broken.why),
            None => broken.why,
        };
        let mut engine = FileEngine::new(file, self.threads).map_err(words)?;
        let block = self.job.block as u64;
        let enough = self.transfers.saturating_mul(block);
        let (next_block, span) = (AtomicU64::new(0), self.span_bytes - self.span_bytes % block);
        let work = Work {
            job: self.job,
            span,
            time: self.time,
            once: false,
            next_block: &next_block,
            pass: self.seed,
            lane: 0,
            cap: None,
        };
        let pass = engine.pass(&work, &mut |bytes| bytes >= enough).map_err(words)?;
        Ok(TrialResult {
            engine: engine.used(),
            transfers: pass.transfers,
            bytes: pass.bytes,
            elapsed: pass.elapsed,
            cpu: pass.cpu,
            calls: pass.calls,
            latency: pass.latency,
        })
    }
}
