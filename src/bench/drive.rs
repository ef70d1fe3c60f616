//! The loop that keeps a queue full and counts.

use super::cap::Cap;
use super::data::{Random, Stamps};
use super::job::{Job, Pattern};
use super::latency::{Latencies, empty};
use crate::host::measure::{Done, errno_words, monotonic_ns};
use crate::terms::Direction;
use hdrhistogram::Histogram;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Transfers in flight over one file. Slots are numbered from 0.
pub(super) trait Queue {
    /// How many slots there are.
    fn depth(&self) -> usize;
    /// The buffer of a slot that is not in flight.
    fn slot(&mut self, slot: usize) -> Option<&mut [u8]>;
    /// Queues a transfer of a whole slot.
    fn push(&mut self, slot: usize, direction: Direction, offset: u64) -> Result<(), Broken>;
    /// Starts what is queued.
    fn submit(&mut self) -> Result<(), Broken>;
    /// Starts what is queued and waits for at least one; may come back with
    /// none when a signal arrived. Appends to `done`.
    fn wait(&mut self, done: &mut Vec<Done>) -> Result<(), Broken>;
}

/// Time as the loop sees it: nanoseconds since some fixed moment.
pub(super) trait Clock {
    /// Now.
    fn now(&self) -> u64;
    /// Comes back at `until` or later.
    fn wait_until(&self, until: u64);
}

/// The monotonic clock.
pub(super) struct Monotonic;

impl Clock for Monotonic {
    #[inline(always)]
    fn now(&self) -> u64 {
        monotonic_ns()
    }
    fn wait_until(&self, until: u64) {
        // The timer of a sleep comes late by about 60 us: the rest is spun.
        const LATE_NS: u64 = 200_000;
        if let Some(long) = until.checked_sub(self.now() + LATE_NS) {
            std::thread::sleep(Duration::from_nanos(long));
        }
        while self.now() < until {
            std::hint::spin_loop();
        }
    }
}

/// An I/O error: it ends the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Broken {
    /// Where in the file.
    pub(super) offset: Option<u64>,
    /// What the system said.
    pub(super) why: String,
}

impl From<std::io::Error> for Broken {
    fn from(error: std::io::Error) -> Self {
        let why = error.raw_os_error().map_or_else(|| error.to_string(), |e| errno_words(e).to_owned());
        Self { offset: None, why }
    }
}

/// What one pass shall do.
pub(super) struct Work<'a> {
    pub(super) job: &'a Job,
    /// Bytes of the file that are used, a multiple of the job's block.
    pub(super) span: u64,
    /// No transfer starts after this long.
    pub(super) time: Duration,
    /// Ends after one time through the file.
    pub(super) once: bool,
    /// Block that comes next in a sequential order; shared by threads.
    pub(super) next_block: &'a AtomicU64,
    /// Tells the passes of a run apart: seed of the offsets and the stamps.
    pub(super) pass: u64,
    /// Tells the threads of a pass apart.
    pub(super) lane: u64,
    pub(super) cap: Option<&'a Mutex<Cap>>,
}

impl Work<'_> {
    /// Where the next transfer goes; `blocks` is how many there are.
    #[inline(always)]
    fn next_offset(&self, random: &mut Random, blocks: u64) -> Option<u64> {
        let block = match self.job.pattern {
            Pattern::Random => random.below(blocks),
            Pattern::Sequential => match self.next_block.fetch_add(1, Ordering::Relaxed) {
                next if self.once && next >= blocks => return None,
                next => next % blocks.max(1),
            },
        };
        Some(block * self.job.block as u64)
    }

    fn wait_for_the_cap(&self, clock: &impl Clock) {
        if let Some(cap) = self.cap {
            let now = Duration::from_nanos(clock.now());
            let start = cap.lock().unwrap_or_else(|e| e.into_inner()).book(now, self.job.block);
            clock.wait_until(nanos(start));
        }
    }
}

/// What one pass did. The time runs to the last completion.
#[derive(Debug, Clone)]
pub(super) struct Pass {
    /// Bytes moved.
    pub(super) bytes: u64,
    /// Transfers.
    pub(super) transfers: u64,
    /// From the first start to the last completion.
    pub(super) elapsed: Duration,
    /// Processor time used meanwhile.
    pub(super) cpu: Duration,
    /// System calls that the transfers took.
    pub(super) calls: u64,
    /// Ended before its time because somebody asked.
    pub(super) interrupted: bool,
    /// Nanoseconds from start to completion.
    pub(super) latency: Histogram<u64>,
}

impl Pass {
    pub(super) fn empty() -> Self {
        let zero = Duration::ZERO;
        Self {
            bytes: 0,
            transfers: 0,
            elapsed: zero,
            cpu: zero,
            calls: 0,
            interrupted: false,
            latency: empty(),
        }
    }
}

/// How often somebody looks at the clock and the signals from outside.
pub(super) const TICK: Duration = Duration::from_millis(50);

/// Keeps the queue full until the time is over, then waits for the rest.
/// `watch` is told the bytes so far, now and then, and says whether to stop.
///
/// The clock is read once a batch of completions: a latency runs from the
/// moment before the start to the moment when the completion was seen.
///
/// The loop is closed: a stall is seen by what is in flight, not by what would
/// have come meanwhile (coordinated omission, `docs/bench.md`).
///
/// Nothing in here allocates or formats once the queue is full.
pub(super) fn drive(
    queue: &mut impl Queue,
    clock: &impl Clock,
    work: &Work<'_>,
    watch: &mut dyn FnMut(u64) -> bool,
) -> Result<Pass, Broken> {
    let (block, depth) = (work.job.block, queue.depth());
    let whole = i32::try_from(block).unwrap_or(i32::MAX);
    // All at once lets the drive run dry between two batches; one at a time
    // costs a call each.
    let chunk = (depth / 8).max(1);
    let blocks = work.span / block as u64;
    let mut random = Random::new(work.pass ^ (work.lane << 32));
    let stamps = Stamps::of(work.pass);
    let mut pass = Pass::empty();
    let mut latencies = Latencies::new();
    let mut flights = vec![(0_u64, 0_u64); depth];
    let mut done: Vec<Done> = Vec::with_capacity(depth);
    let start = clock.now();
    let end = start.saturating_add(nanos(work.time));
    let mut look = end.min(start + nanos(TICK));
    let (mut transfers, mut in_flight) = (0_u64, 0_usize);
    let mut over = work.time.is_zero();
    // At the start every slot is "done" with nothing to count.
    done.extend((0..depth).map(|slot| Done { slot, result: whole }));
    let mut first = true;
    let mut now = start;
    loop {
        if now >= look {
            look = now + nanos(TICK);
            over |= now >= end;
            if !over {
                look = look.min(end);
            }
            if watch(transfers * block as u64) {
                pass.interrupted |= !over;
                over = true;
            }
        }
        let mut left = done.len();
        if !first {
            transfers += left as u64;
            in_flight -= left;
        }
        for group in done.chunks(chunk) {
            for one in group {
                let Some(flight) = flights.get_mut(one.slot) else { continue };
                if one.result != whole {
                    return Err(failed(one, block, flight.1));
                }
                if !first {
                    latencies.record(now - flight.0);
                }
                let offset = if over { None } else { work.next_offset(&mut random, blocks) };
                let Some(offset) = offset else {
                    over = true;
                    continue;
                };
                *flight = (now, offset);
                if work.cap.is_some() {
                    work.wait_for_the_cap(clock);
                    flight.0 = clock.now();
                }
                if work.job.direction == Direction::Write {
                    if let Some(buffer) = queue.slot(one.slot) {
                        stamps.put(buffer, offset);
                    }
                }
                queue.push(one.slot, work.job.direction, offset)?;
                in_flight += 1;
            }
            left -= group.len();
            // The last go out with the wait; less than a chunk has no call of
            // its own.
            if left >= chunk && !over {
                queue.submit()?;
            }
        }
        first = false;
        if in_flight == 0 {
            break;
        }
        done.clear();
        queue.wait(&mut done)?;
        now = clock.now();
    }
    pass.transfers = transfers;
    pass.bytes = transfers * block as u64;
    pass.latency = latencies.histogram();
    pass.elapsed = Duration::from_nanos(now - start);
    Ok(pass)
}

fn nanos(time: Duration) -> u64 {
    time.as_secs().saturating_mul(1_000_000_000).saturating_add(u64::from(time.subsec_nanos()))
}

/// Why a transfer did not move its block.
#[cold]
fn failed(done: &Done, block: usize, offset: u64) -> Broken {
    let why = match usize::try_from(done.result) {
        Ok(moved) => format!("only {moved} of {block} bytes were moved"),
        Err(_) => errno_words(done.result.saturating_neg()).to_owned(),
    };
    Broken { offset: Some(offset), why }
}
