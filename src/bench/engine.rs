//! The engines: the kernel's queue (io_uring), threads where that is refused,
//! and plain pread and pwrite for one transfer at a time.

use super::data::fill_pool;
use super::drive::{Broken, Clock, Monotonic, Pass, Queue, TICK, Work, drive};
use super::types::EngineUsed;
use crate::host::measure::{Arena, Done, Ring, TestFile, cpu_time};
use crate::terms::Direction;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// What runs passes over one file.
pub(super) trait Engine {
    /// How.
    fn used(&self) -> EngineUsed;
    /// One pass; `watch` is told the bytes so far and says whether to stop.
    fn pass(&mut self, work: &Work<'_>, watch: &mut dyn FnMut(u64) -> bool) -> Result<Pass, Broken>;
    /// Everything onto the medium.
    fn sync(&mut self) -> Result<(), Broken>;
}

/// The engine for a real file.
pub(super) struct FileEngine {
    pub(super) file: TestFile,
    memory: Option<Memory>,
    used: EngineUsed,
    /// Why there is no io_uring, when that was asked for and refused.
    refused: Option<String>,
}

/// Where the memory for transfers is: with us, or with a ring of the kernel,
/// which is kept for as long as the shape of the transfers stays the same.
enum Memory {
    Idle(Arena),
    Ringed(Box<RingQueue>),
}

impl Memory {
    fn idle(self) -> Result<Arena, Broken> {
        match self {
            Self::Idle(arena) => Ok(arena),
            Self::Ringed(queue) => queue.ring.into_arena().ok_or_else(lost),
        }
    }

    fn ringed(self, file: &TestFile, depth: usize, block: usize) -> Result<Box<RingQueue>, Broken> {
        match self {
            Self::Ringed(queue) if (queue.depth, queue.block) == (depth, block) => Ok(queue),
            other => match Ring::new(file, other.idle()?, depth, block) {
                Ok(ring) => Ok(Box::new(RingQueue { ring, depth, block })),
                Err((_, error)) => Err(Broken::from(error)),
            },
        }
    }
}

/// The memory for transfers: eight of 1 MiB. A job that needs more gets more.
const ARENA_BYTES: usize = 8 << 20;

impl FileEngine {
    /// Takes the file; asks the kernel for a queue unless `threads` forbids it.
    pub(super) fn new(file: TestFile, threads: bool) -> Result<Self, Broken> {
        let arena = fresh_arena(ARENA_BYTES)?;
        let mut used = EngineUsed {
            name: "threads".into(),
            direct: file.indirect().is_none(),
            huge_pages: arena.huge(),
            ..EngineUsed::default()
        };
        let mut memory = Memory::Idle(arena);
        let mut refused = None;
        if !threads {
            memory = match memory.ringed(&file, 8, ARENA_BYTES / 8).and_then(tried) {
                Ok(queue) => {
                    let registered = queue.ring.registered();
                    (used.registered_buffers, used.registered_file) = (registered, registered);
                    used.name = "io_uring".into();
                    Memory::Ringed(queue)
                }
                Err(broken) => {
                    refused = Some(broken.why);
                    let arena = fresh_arena(ARENA_BYTES)?;
                    used.huge_pages = arena.huge();
                    Memory::Idle(arena)
                }
            };
        }
        Ok(Self { file, memory: Some(memory), used, refused })
    }

    /// Why there is no io_uring, when that was asked for and refused.
    pub(super) fn refused(&self) -> Option<&str> {
        self.refused.as_deref()
    }

    /// The memory for transfers.
    pub(super) fn arena(&mut self) -> Result<&mut Arena, Broken> {
        let arena = self.memory.take().ok_or_else(lost)?.idle()?;
        match self.memory.insert(Memory::Idle(arena)) {
            Memory::Idle(arena) => Ok(arena),
            Memory::Ringed(_) => Err(lost()),
        }
    }

    /// Sees to it that all transfers of a job have room.
    fn make_room(&mut self, bytes: usize) -> Result<(), Broken> {
        let large_enough = match &mut self.memory {
            Some(Memory::Idle(arena)) => arena.bytes_mut().len() >= bytes,
            Some(Memory::Ringed(queue)) => queue.depth * queue.block >= bytes,
            None => return Err(lost()),
        };
        if !large_enough && self.arena()?.bytes_mut().len() < bytes {
            // The old memory goes first.
            self.memory = None;
            let arena = fresh_arena(bytes)?;
            self.used.huge_pages &= arena.huge();
            self.memory = Some(Memory::Idle(arena));
        }
        Ok(())
    }

    fn by_ring(&mut self, work: &Work<'_>, watch: &mut dyn FnMut(u64) -> bool) -> Result<Pass, Broken> {
        let memory = self.memory.take().ok_or_else(lost)?;
        let mut queue = memory.ringed(&self.file, work.job.depth, work.job.block)?;
        // What is said of the run holds for all of it.
        self.used.registered_buffers &= queue.ring.registered();
        self.used.registered_file &= queue.ring.registered();
        let before = queue.ring.calls();
        let pass = drive(&mut *queue, &Monotonic, work, watch)?;
        let calls = queue.ring.calls() - before;
        self.memory = Some(Memory::Ringed(queue));
        Ok(Pass { calls, ..pass })
    }

    /// One thread for each transfer in flight; for a depth of 1 this thread.
    fn by_threads(&mut self, work: &Work<'_>, watch: &mut dyn FnMut(u64) -> bool) -> Result<Pass, Broken> {
        self.arena()?;
        let Self { file, memory: Some(Memory::Idle(arena)), .. } = self else { return Err(lost()) };
        let (clock, memory) = (&Monotonic, arena.bytes_mut());
        if work.job.depth == 1 {
            let mut queue = OneByOne::new(file, memory.get_mut(..work.job.block).ok_or_else(lost)?);
            let pass = drive(&mut queue, clock, work, watch)?;
            return Ok(Pass { calls: queue.calls, ..pass });
        }
        let (moved, stop, file) = (AtomicU64::new(0), AtomicBool::new(false), &*file);
        let begun = clock.now();
        std::thread::scope(|scope| {
            let mut running = Vec::new();
            for (number, buffer) in memory.chunks_exact_mut(work.job.block).take(work.job.depth).enumerate() {
                let own = Work { lane: number as u64, ..*work };
                let (moved, stop) = (&moved, &stop);
                let body = move || {
                    let mut told = 0;
                    let mut look = |bytes: u64| {
                        moved.fetch_add(bytes - told, Ordering::Relaxed);
                        told = bytes;
                        stop.load(Ordering::Relaxed)
                    };
                    let mut queue = OneByOne::new(file, buffer);
                    let result = drive(&mut queue, clock, &own, &mut look);
                    if result.is_err() {
                        stop.store(true, Ordering::Relaxed);
                    }
                    result.map(|pass| (Pass { calls: queue.calls, ..pass }, clock.now()))
                };
                running.push(std::thread::Builder::new().spawn_scoped(scope, body)?);
            }
            while running.iter().any(|r| !r.is_finished()) {
                if watch(moved.load(Ordering::Relaxed)) {
                    stop.store(true, Ordering::Relaxed);
                }
                // Short enough to end soon after the threads do.
                std::thread::sleep(TICK / 25);
            }
            let mut whole = Pass::empty();
            for thread in running {
                let (part, end) = thread.join().unwrap_or_else(|_| Err(lost()))?;
                whole.bytes += part.bytes;
                whole.transfers += part.transfers;
                whole.calls += part.calls;
                whole.interrupted |= part.interrupted;
                // Threads do not start at one moment: the time is that of all.
                whole.elapsed = whole.elapsed.max(Duration::from_nanos(end - begun));
                // Same bounds on both sides: nothing can be out of range.
                let _ = whole.latency.add(part.latency);
            }
            Ok(whole)
        })
    }
}

/// Memory full of random bytes.
fn fresh_arena(bytes: usize) -> Result<Arena, Broken> {
    let mut arena = Arena::new(bytes)?;
    fill_pool(arena.bytes_mut(), 0x5eed);
    Ok(arena)
}

/// A queue that has carried a transfer: some systems give a ring and refuse
/// its use.
fn tried(mut queue: Box<RingQueue>) -> Result<Box<RingQueue>, Broken> {
    queue.push(0, Direction::Read, 0)?;
    let mut done = Vec::new();
    while done.is_empty() {
        queue.wait(&mut done)?;
    }
    match done.first().map_or(0, |d: &Done| d.result) {
        errno if errno < 0 => Err(Broken::from(std::io::Error::from_raw_os_error(-errno))),
        _ => Ok(queue),
    }
}

fn lost() -> Broken {
    Broken { offset: None, why: "the memory for transfers was lost".into() }
}

impl Engine for FileEngine {
    fn used(&self) -> EngineUsed {
        self.used.clone()
    }

    fn pass(&mut self, work: &Work<'_>, watch: &mut dyn FnMut(u64) -> bool) -> Result<Pass, Broken> {
        let bytes = work.job.depth.checked_mul(work.job.block).ok_or_else(lost)?;
        self.make_room(bytes)?;
        let before = cpu_time();
        let pass = if self.used.name == "io_uring" && work.job.depth > 1 {
            self.by_ring(work, watch)
        } else {
            self.by_threads(work, watch)
        };
        pass.map(|p| Pass { cpu: cpu_time().saturating_sub(before), ..p })
    }

    fn sync(&mut self) -> Result<(), Broken> {
        self.file.sync().map_err(Broken::from)
    }
}

struct RingQueue {
    ring: Ring,
    depth: usize,
    block: usize,
}

impl Queue for RingQueue {
    fn depth(&self) -> usize {
        self.depth
    }
    #[inline(always)]
    fn slot(&mut self, slot: usize) -> Option<&mut [u8]> {
        self.ring.slot_mut(slot)
    }
    #[inline(always)]
    fn push(&mut self, slot: usize, direction: Direction, offset: u64) -> Result<(), Broken> {
        if self.ring.push(slot, direction == Direction::Write, offset) {
            return Ok(());
        }
        Err(Broken { offset: Some(offset), why: "the kernel's queue is full".into() })
    }
    fn submit(&mut self) -> Result<(), Broken> {
        self.ring.submit().map_err(Broken::from)
    }
    fn wait(&mut self, done: &mut Vec<Done>) -> Result<(), Broken> {
        self.ring.wait(done).map_err(Broken::from)
    }
}

/// A queue of depth 1: the transfer happens when it is waited for.
struct OneByOne<'a> {
    file: &'a TestFile,
    buffer: &'a mut [u8],
    queued: Option<(Direction, u64)>,
    calls: u64,
}

impl<'a> OneByOne<'a> {
    fn new(file: &'a TestFile, buffer: &'a mut [u8]) -> Self {
        Self { file, buffer, queued: None, calls: 0 }
    }
}

impl Queue for OneByOne<'_> {
    fn depth(&self) -> usize {
        1
    }
    #[inline(always)]
    fn slot(&mut self, _slot: usize) -> Option<&mut [u8]> {
        Some(self.buffer)
    }
    #[inline(always)]
    fn push(&mut self, _slot: usize, direction: Direction, offset: u64) -> Result<(), Broken> {
        self.queued = Some((direction, offset));
        Ok(())
    }
    fn submit(&mut self) -> Result<(), Broken> {
        Ok(())
    }
    #[inline(always)]
    fn wait(&mut self, done: &mut Vec<Done>) -> Result<(), Broken> {
        let Some((direction, offset)) = self.queued else { return Ok(()) };
        self.calls += 1;
        let moved = match direction {
            Direction::Read => self.file.read_at(self.buffer, offset),
            Direction::Write => self.file.write_at(self.buffer, offset),
        };
        let result = match moved {
            Ok(moved) => i32::try_from(moved).unwrap_or(i32::MAX),
            // The transfer stays queued and is made at the next call.
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => return Ok(()),
            Err(e) => e.raw_os_error().map_or(i32::MIN, |errno| -errno),
        };
        self.queued = None;
        done.push(Done { slot: 0, result });
        Ok(())
    }
}
