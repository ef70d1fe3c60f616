//! A disk that does what the test says, in time that the test owns.

use crate::bench::data::fill_pool;
use crate::bench::drive::{Broken, Clock, Pass, Queue, Work, drive};
use crate::bench::engine::Engine;
use crate::bench::gauges::{Gauges, Reading};
use crate::bench::types::EngineUsed;
use crate::host::measure::Done;
use crate::terms::Direction;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Duration;

/// What the test and the disk share.
#[derive(Default)]
pub(super) struct World {
    pub(super) now: Cell<Duration>,
    pub(super) read: Cell<u64>,
    pub(super) written: Cell<u64>,
    /// Every transfer that was started: which way, where, and the first stamp.
    pub(super) started: RefCell<Vec<(Direction, u64, u64)>>,
    pub(super) most_in_flight: Cell<usize>,
    pub(super) submits: Cell<usize>,
    /// Results of the next transfers instead of success.
    pub(super) script: RefCell<VecDeque<Option<i32>>>,
    /// Share of the bytes that the disk's own counters show.
    pub(super) counted: Cell<f64>,
    pub(super) celsius: Cell<f64>,
    pub(super) speed: RefCell<String>,
    pub(super) syncs: Cell<usize>,
    /// Writes reach the disk at a sync only.
    pub(super) lazy: Cell<bool>,
    held: Cell<u64>,
}

#[derive(Clone)]
pub(super) struct FakeClock(pub(super) Rc<World>);

impl Clock for FakeClock {
    fn now(&self) -> u64 {
        self.0.now.get().as_nanos().try_into().unwrap()
    }
    fn wait_until(&self, until: u64) {
        self.0.now.set(self.0.now.get().max(Duration::from_nanos(until)));
    }
}

/// Transfers take `latency`, and no more than `rate` bytes a second pass.
pub(super) struct FakeDisk {
    pub(super) world: Rc<World>,
    pub(super) latency: Duration,
    pub(super) bytes_per_second: f64,
    block: usize,
    buffers: Vec<Vec<u8>>,
    queued: Vec<(usize, Duration, i32)>,
    line_free: Duration,
}

impl FakeDisk {
    pub(super) fn new(world: &Rc<World>, latency: Duration, rate: f64, depth: usize, block: usize) -> Self {
        let mut buffer = vec![0; block];
        fill_pool(&mut buffer, 3);
        Self {
            world: world.clone(),
            latency,
            bytes_per_second: rate,
            block,
            buffers: vec![buffer; depth],
            queued: Vec::new(),
            line_free: Duration::ZERO,
        }
    }
}

impl Queue for FakeDisk {
    fn depth(&self) -> usize {
        self.buffers.len()
    }
    fn slot(&mut self, slot: usize) -> Option<&mut [u8]> {
        self.buffers.get_mut(slot).map(Vec::as_mut_slice)
    }
    fn push(&mut self, slot: usize, direction: Direction, offset: u64) -> Result<(), Broken> {
        assert!(self.queued.iter().all(|(busy, ..)| *busy != slot), "slot {slot} is in flight");
        let world = &self.world;
        let stamp = u64::from_le_bytes(self.buffers[slot][..8].try_into().unwrap());
        world.started.borrow_mut().push((direction, offset, stamp));
        let carry = Duration::from_secs_f64(self.block as f64 / self.bytes_per_second);
        self.line_free = self.line_free.max(world.now.get()) + carry;
        let result = world.script.borrow_mut().pop_front().flatten().unwrap_or(self.block as i32);
        let counter = match direction {
            Direction::Read => &world.read,
            Direction::Write if world.lazy.get() => &world.held,
            Direction::Write => &world.written,
        };
        counter.set(counter.get() + u64::try_from(result).unwrap_or(0));
        self.queued.push((slot, self.line_free.max(world.now.get() + self.latency), result));
        world.most_in_flight.set(world.most_in_flight.get().max(self.queued.len()));
        Ok(())
    }
    fn submit(&mut self) -> Result<(), Broken> {
        self.world.submits.set(self.world.submits.get() + 1);
        Ok(())
    }
    fn wait(&mut self, done: &mut Vec<Done>) -> Result<(), Broken> {
        let first = self.queued.iter().map(|(_, end, _)| *end).min().expect("something is in flight");
        let now = first.max(self.world.now.get());
        self.world.now.set(now);
        let (over, left): (Vec<_>, Vec<_>) = self.queued.drain(..).partition(|(_, end, _)| *end <= now);
        self.queued = left;
        done.extend(over.into_iter().map(|(slot, _, result)| Done { slot, result }));
        Ok(())
    }
}

/// The engine over such disks.
pub(super) struct FakeEngine {
    pub(super) world: Rc<World>,
    pub(super) latency: Duration,
    /// Rate of reading and of writing.
    pub(super) rates: (f64, f64),
}

impl Engine for FakeEngine {
    fn used(&self) -> EngineUsed {
        EngineUsed { name: "fake".into(), direct: true, ..EngineUsed::default() }
    }
    fn pass(&mut self, work: &Work<'_>, watch: &mut dyn FnMut(u64) -> bool) -> Result<Pass, Broken> {
        let rate = if work.job.direction == Direction::Read { self.rates.0 } else { self.rates.1 };
        let mut disk = FakeDisk::new(&self.world, self.latency, rate, work.job.depth, work.job.block);
        drive(&mut disk, &FakeClock(self.world.clone()), work, watch)
    }
    fn sync(&mut self) -> Result<(), Broken> {
        self.world.syncs.set(self.world.syncs.get() + 1);
        self.world.written.set(self.world.written.get() + self.world.held.take());
        Ok(())
    }
}

impl Gauges for Rc<World> {
    fn read(&mut self) -> Reading {
        let counted = |bytes: u64| (bytes as f64 * self.counted.get()) as u64;
        Reading {
            disk_bytes: Some((counted(self.read.get()), counted(self.written.get()))),
            temperature_celsius: Some(self.celsius.get()),
            speeds: vec![self.speed.borrow().clone()],
        }
    }
}

/// Facts of a machine with one drive on a link of this generation.
pub(super) fn facts(generation: Option<u8>) -> crate::facts::Facts {
    use crate::facts::{
        Board, Boot, Drive, DriveState, Eeprom, ExternalPort, Facts, Hop, HopKind, KernelLog, Namespace, Os,
        PortState, Power,
    };
    use crate::terms::{BoardKind, Generation};
    let speed = generation.and_then(Generation::new);
    let hop = Hop {
        address: "0001:01:00.0".into(),
        kind: HopKind::Endpoint,
        vendor: None,
        device: None,
        speed,
        max_speed: speed,
        width: speed.map(|_| 1),
        max_width: Some(4),
        max_payload_bytes: Some(256),
        aer: None,
        path: "/sys/x".into(),
    };
    let drive = Drive {
        name: "nvme0".into(),
        model: Some("Test Drive".into()),
        firmware: Some("1.0".into()),
        identity: Some("0123456789abcdef".into()),
        state: DriveState::Live,
        address: Some("0001:01:00.0".into()),
        vendor: None,
        device: None,
        path: vec![hop],
        external: true,
        namespaces: vec![Namespace {
            name: "nvme0n1".into(),
            capacity_bytes: None,
            logical_block_size_bytes: Some(512),
        }],
        temperature_celsius: None,
        warning_celsius: Some(80.0),
        critical_celsius: None,
        smart: None,
    };
    let board = Board {
        model: None,
        revision: None,
        kind: BoardKind::Pi5,
        memory_bytes: None,
        serial: None,
        uefi_acpi: false,
    };
    Facts {
        simulated: true,
        boot_id: None,
        board,
        kernel: Some("6.12.47".into()),
        os: Os::default(),
        boot: Boot::default(),
        eeprom: Eeprom::default(),
        port: ExternalPort {
            state: PortState::Occupied,
            asked: None,
            root_port: None,
            others: Vec::new(),
            switches: Vec::new(),
        },
        drives: if generation.is_some() { vec![drive] } else { Vec::new() },
        hat: None,
        power: Power::default(),
        log: KernelLog::default(),
        missing: Vec::new(),
    }
}
