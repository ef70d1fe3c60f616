//! The loop that keeps a queue full and counts.

use super::cap::Cap;
use super::data::{Random, stamp_all};
use super::job::{Job, Pattern};
use crate::host::measure::{Done, errno_words};
use crate::terms::Direction;
use hdrhistogram::Histogram;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

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

/// Time as the loop sees it.
pub(super) trait Clock {
    /// Since some fixed moment.
    fn now(&self) -> Duration;
    /// Comes back at `until` or later.
    fn wait_until(&self, until: Duration);
}

/// The monotonic clock.
pub(super) struct Monotonic(pub(super) Instant);

impl Clock for Monotonic {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }
    fn wait_until(&self, until: Duration) {
        // The timer of a sleep comes late by about 60 us: the rest is spun.
        const LATE: Duration = Duration::from_micros(200);
        if let Some(long) = until.checked_sub(self.now() + LATE) {
            std::thread::sleep(long);
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
    fn next_offset(&self, random: &mut Random) -> Option<u64> {
        let blocks = self.span / self.job.block as u64;
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
            let start = cap.lock().unwrap_or_else(|e| e.into_inner()).book(clock.now(), self.job.block);
            clock.wait_until(start);
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
    /// Ended before its time because somebody asked.
    pub(super) interrupted: bool,
    /// Nanoseconds from start to completion.
    pub(super) latency: Histogram<u64>,
}

impl Pass {
    pub(super) fn empty() -> Self {
        // Three digits from 1 ns to a minute: the bounds are in range, so the
        // second form is never needed.
        let latency = Histogram::new_with_bounds(1, 60_000_000_000, 3)
            .or_else(|_| Histogram::new(3))
            .unwrap_or_else(|_| unreachable!("three digits are allowed"));
        let zero = Duration::ZERO;
        Self { bytes: 0, transfers: 0, elapsed: zero, cpu: zero, interrupted: false, latency }
    }
}

/// How often somebody looks at the clock and the signals from outside.
pub(super) const TICK: Duration = Duration::from_millis(50);

/// Keeps the queue full until the time is over, then waits for the rest.
/// `watch` is told the bytes so far, now and then, and says whether to stop.
///
/// The clock is read once a batch of completions. Latency therefore runs from
/// the moment before the start to the moment when the completion was seen.
pub(super) fn drive(
    queue: &mut impl Queue,
    clock: &impl Clock,
    work: &Work<'_>,
    watch: &mut dyn FnMut(u64) -> bool,
) -> Result<Pass, Broken> {
    let (block, depth) = (work.job.block, queue.depth());
    // All at once lets the drive run dry between two batches; one at a time
    // costs a call each.
    let chunk = (depth / 8).max(1);
    let mut random = Random::new(work.pass ^ (work.lane << 32));
    let mut pass = Pass::empty();
    let mut flights = vec![(Duration::ZERO, 0_u64); depth];
    let mut done: Vec<Done> = Vec::with_capacity(depth);
    let start = clock.now();
    let mut next_tick = start + TICK;
    let mut in_flight = 0_usize;
    let mut over = false;
    // At the start every slot is "done" with nothing to count.
    done.extend((0..depth).map(|slot| Done { slot, result: 0 }));
    let mut first = true;
    loop {
        let now = clock.now();
        over |= now - start >= work.time;
        if now >= next_tick {
            next_tick = now + TICK;
            if watch(pass.bytes) {
                pass.interrupted |= !over;
                over = true;
            }
        }
        let mut queued = 0;
        let last = done.len().saturating_sub(1);
        for (index, one) in done.iter().enumerate() {
            let Some(flight) = flights.get_mut(one.slot) else { continue };
            if !first {
                count(&mut pass, one, block, flight.1)?;
                pass.latency
                    .saturating_record(u64::try_from((now - flight.0).as_nanos()).unwrap_or(u64::MAX));
                in_flight -= 1;
            }
            let offset = if over { None } else { work.next_offset(&mut random) };
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
                    stamp_all(buffer, work.pass, offset);
                }
            }
            queue.push(one.slot, work.job.direction, offset)?;
            in_flight += 1;
            queued += 1;
            if queued == chunk && index < last {
                queue.submit()?;
                queued = 0;
            }
        }
        first = false;
        if in_flight == 0 {
            break;
        }
        done.clear();
        queue.wait(&mut done)?;
    }
    pass.elapsed = clock.now() - start;
    Ok(pass)
}

fn count(pass: &mut Pass, done: &Done, block: usize, offset: u64) -> Result<(), Broken> {
    let moved = match usize::try_from(done.result) {
        Ok(moved) => moved,
        Err(_) => {
            let why = errno_words(done.result.saturating_neg()).to_owned();
            return Err(Broken { offset: Some(offset), why });
        }
    };
    if moved != block {
        let why = format!("only {moved} of {block} bytes were moved");
        return Err(Broken { offset: Some(offset), why });
    }
    pass.bytes += moved as u64;
    pass.transfers += 1;
    Ok(())
}
