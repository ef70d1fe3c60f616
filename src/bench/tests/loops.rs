//! The loop over a scripted disk.

use super::fake::{FakeClock, FakeDisk, World};
use crate::bench::cap::Cap;
use crate::bench::data::stamp;
use crate::bench::drive::{Broken, Pass, Work, drive};
use crate::bench::job::{FILL, JOBS, Job};
use crate::terms::Direction;
use std::collections::HashSet;
use std::rc::Rc;
use std::sync::Mutex;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

const SPAN: u64 = 64 << 20;

fn named(name: &str) -> Job {
    JOBS.into_iter().find(|j| j.name == name).unwrap()
}

fn run(world: &Rc<World>, job: &Job, rate: f64, cap: Option<f64>, time: u64) -> Result<Pass, Broken> {
    let mut disk = FakeDisk::new(world, Duration::from_micros(100), rate, job.depth, job.block);
    let cap = cap.map(|c| Mutex::new(Cap::new(c)));
    let (next_block, time) = (AtomicU64::new(0), Duration::from_millis(time));
    let work = Work {
        job,
        span: SPAN,
        time,
        once: false,
        next_block: &next_block,
        pass: 5,
        lane: 0,
        cap: cap.as_ref(),
    };
    drive(&mut disk, &FakeClock(world.clone()), &work, &mut |_| false)
}

fn rate(pass: &Pass) -> f64 {
    pass.bytes as f64 / pass.elapsed.as_secs_f64()
}

fn close(value: f64, to: f64, within: f64) -> bool {
    (value / to - 1.0).abs() < within
}

#[test]
fn the_rate_is_the_disks_and_the_queue_is_full() {
    for job in JOBS.into_iter().filter(|j| j.depth > 1) {
        let world = Rc::new(World::default());
        let pass = run(&world, &job, 800e6, None, 1000).unwrap();
        assert!(
            close(rate(&pass), 800e6, 0.02) || close(rate(&pass), 32.0 * 4096.0 / 100e-6, 0.02),
            "{}",
            job.name
        );
        assert_eq!(world.most_in_flight.get(), job.depth);
        assert_eq!(pass.bytes, pass.transfers * job.block as u64);
        assert_eq!(pass.transfers, pass.latency.len());
    }
}

#[test]
fn one_transfer_at_a_time_shows_the_latency() {
    let world = Rc::new(World::default());
    let pass = run(&world, &named("rnd4k-q1t1-read"), 1e12, None, 1000).unwrap();
    assert!(close(pass.transfers as f64, 10_000.0, 0.01), "{}", pass.transfers);
    let p50 = pass.latency.value_at_quantile(0.5) as f64;
    assert!(close(p50, 100_000.0, 0.002), "{p50}");
    assert_eq!(world.submits.get(), 0, "one call a transfer: the wait submits");
}

#[test]
fn the_queue_is_filled_in_chunks() {
    for (name, submits) in [("rnd4k-q32t1-read", 7), ("seq1m-q8t1-read", 7), ("rnd4k-q1t1-read", 0)] {
        let world = Rc::new(World::default());
        let job = named(name);
        let mut disk = FakeDisk::new(&world, Duration::from_millis(2), 1e12, job.depth, job.block);
        let next_block = AtomicU64::new(0);
        // Over before the first transfer is done: the queue is filled once.
        let (time, once) = (Duration::from_millis(1), false);
        let (job, next_block) = (&job, &next_block);
        let work = Work { job, span: SPAN, time, once, next_block, pass: 1, lane: 0, cap: None };
        let pass = drive(&mut disk, &FakeClock(world.clone()), &work, &mut |_| false).unwrap();
        assert_eq!(pass.transfers, job.depth as u64, "{name}");
        // Eight chunks; the last goes out with the wait.
        assert_eq!(world.submits.get(), submits, "{name}");
    }
}

#[test]
fn what_is_in_flight_at_the_end_is_waited_for_and_its_time_counts() {
    let world = Rc::new(World::default());
    // 10 MB/s: the last eight take 0.84 s after the time is over.
    let pass = run(&world, &named("seq1m-q8t1-read"), 10e6, None, 100).unwrap();
    assert_eq!(pass.bytes % (1 << 20), 0);
    assert!(pass.elapsed > Duration::from_millis(800), "{:?}", pass.elapsed);
    assert!(close(rate(&pass), 10e6, 0.01), "{}", rate(&pass));
    assert!(!pass.interrupted);
}

#[test]
fn errors_and_short_transfers_end_it_with_the_offset() {
    for (result, words) in
        [(-libc::EIO, "I/O error"), (512, "only 512 of 4096"), (0, "only 0 of"), (i32::MIN, "")]
    {
        let world = Rc::new(World::default());
        world.script.borrow_mut().extend([None, None, Some(result)]);
        let broken = run(&world, &named("rnd4k-q32t1-read"), 1e9, None, 100).unwrap_err();
        assert!(broken.why.contains(words), "{broken:?}");
        let third = world.started.borrow()[2].1;
        assert_eq!(broken.offset, Some(third));
    }
}

#[test]
fn offsets_stay_inside_and_cover_the_file() {
    for job in JOBS {
        let world = Rc::new(World::default());
        run(&world, &job, 2e9, None, 1000).unwrap();
        let started = world.started.borrow();
        assert!(started.iter().all(|(d, o, _)| *d == job.direction && o % job.block as u64 == 0));
        assert!(started.iter().all(|(_, o, _)| o + job.block as u64 <= SPAN));
        let quarters: HashSet<u64> = started.iter().map(|(_, o, _)| o * 4 / SPAN).collect();
        assert_eq!(quarters.len(), 4, "{}", job.name);
    }
    let world = Rc::new(World::default());
    run(&world, &named("seq1m-q8t1-read"), 1e9, None, 200).unwrap();
    let started = world.started.borrow();
    assert!(started.windows(2).all(|w| w[1].1 == (w[0].1 + (1 << 20)) % SPAN));
}

#[test]
fn every_write_carries_its_own_stamp() {
    let world = Rc::new(World::default());
    run(&world, &named("rnd4k-q32t1-write"), 1e9, None, 50).unwrap();
    for (direction, offset, first) in world.started.borrow().iter() {
        assert_eq!(*direction, Direction::Write);
        assert_eq!(*first, stamp(5, *offset));
    }
}

#[test]
fn filling_goes_once_through_the_file() {
    let world = Rc::new(World::default());
    let mut disk = FakeDisk::new(&world, Duration::from_micros(10), 1e9, FILL.depth, FILL.block);
    let next_block = AtomicU64::new(0);
    let time = Duration::from_secs(100);
    let work = Work {
        job: &FILL,
        span: SPAN,
        time,
        once: true,
        next_block: &next_block,
        pass: 1,
        lane: 0,
        cap: None,
    };
    let pass = drive(&mut disk, &FakeClock(world.clone()), &work, &mut |_| false).unwrap();
    assert_eq!(pass.bytes, SPAN);
    let mut offsets: Vec<u64> = world.started.borrow().iter().map(|s| s.1).collect();
    offsets.sort_unstable();
    assert_eq!(offsets, (0..64).map(|n| n << 20).collect::<Vec<_>>());
}

#[test]
fn the_cap_holds() {
    for job in JOBS {
        for most in [421e6, 829e6] {
            let world = Rc::new(World::default());
            let pass = run(&world, &job, 5e9, Some(most), 1000).unwrap();
            if job.depth > 1 {
                assert!(close(rate(&pass), most, 0.1), "{} {}", job.name, rate(&pass));
            }
            assert!(rate(&pass) <= most * 1.0001, "{} {}", job.name, rate(&pass));
        }
    }
}

#[test]
fn somebody_can_stop_it() {
    let world = Rc::new(World::default());
    let job = named("seq1m-q8t1-read");
    let mut disk = FakeDisk::new(&world, Duration::from_micros(100), 1e9, job.depth, job.block);
    let next_block = AtomicU64::new(0);
    let time = Duration::from_secs(60);
    let work = Work {
        job: &job,
        span: SPAN,
        time,
        once: false,
        next_block: &next_block,
        pass: 1,
        lane: 0,
        cap: None,
    };
    let mut asked = 0;
    let pass = drive(&mut disk, &FakeClock(world.clone()), &work, &mut |_| {
        asked += 1;
        asked == 3
    });
    let pass = pass.unwrap();
    assert!(pass.interrupted);
    assert!(pass.elapsed < Duration::from_millis(300) && pass.bytes > 0);
}
