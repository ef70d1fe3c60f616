//! Whole runs over a scripted disk: what is believed and what is not.

use super::fake::{FakeEngine, World};
use crate::bench::job::{JOBS, Schedule};
use crate::bench::runner::{Failed, Outcome, Progress, Setting, run};
use crate::terms::{Generation, Link};
use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

const SIZE: u64 = 16 << 20;
const GEN2: Link = Link { generation: Generation::GEN2, width: 1 };

fn schedule() -> Schedule {
    let ms = Duration::from_millis;
    Schedule { file_bytes: SIZE, fill: ms(10_000), ramp: ms(20), pass: ms(60), passes: 6 }
}

fn world() -> Rc<World> {
    let world = Rc::new(World::default());
    world.counted.set(1.0);
    world.celsius.set(40.0);
    *world.speed.borrow_mut() = "5.0 GT/s PCIe".into();
    world
}

fn measure(
    world: &Rc<World>,
    rates: (f64, f64),
    progress: &mut dyn FnMut(Progress),
    interrupted: &dyn Fn() -> bool,
) -> Result<Outcome, Failed> {
    let mut engine = FakeEngine { world: world.clone(), latency: Duration::from_micros(80), rates };
    let mut gauges = world.clone();
    let mut setting = Setting {
        jobs: &JOBS,
        schedule: schedule(),
        link: Some((GEN2, Some(256))),
        caps: None,
        gauges: &mut gauges,
        progress,
        interrupted,
    };
    run(&mut engine, &mut setting, SIZE)
}

fn plain(world: &Rc<World>, rates: (f64, f64)) -> Outcome {
    measure(world, rates, &mut |_| {}, &|| false).ok().unwrap()
}

#[test]
fn an_honest_drive_is_believed() {
    let world = world();
    let outcome = plain(&world, (440e6, 400e6));
    assert_eq!(outcome.file_bytes, SIZE);
    assert!(!outcome.partial);
    let names: Vec<_> = outcome.results.iter().map(|r| r.job.as_str()).collect();
    assert_eq!(names, JOBS.map(|j| j.name));
    for result in &outcome.results {
        assert!(result.valid && result.warnings.is_empty(), "{result:?}");
        assert_eq!(result.samples.len(), 6);
        let (low, high) = (result.low.unwrap(), result.high.unwrap());
        assert!(result.min <= low && low <= result.median && result.median <= high && high <= result.max);
        assert!((result.disk_ratio.unwrap() - 1.0).abs() < 0.001);
        assert!(!result.ceiling_assumed);
    }
    let seq = &outcome.results[0];
    assert!((seq.median / 440e6 - 1.0).abs() < 0.01, "{}", seq.median);
    assert!((seq.ceiling_ratio.unwrap() - 440.0 / 457.1).abs() < 0.02);
    assert_eq!(seq.p999_ns, None, "a few hundred transfers say nothing of one in a thousand");
    assert!(outcome.results[2].p99_ns.is_some());
    assert_eq!(outcome.results[0].engine, "fake");
    assert_eq!(outcome.results[4].engine, "pread/pwrite");
    assert!(world.syncs.get() >= 4, "the fill and each writing job reach the medium");
    // The file is filled before anything is read.
    let started = world.started.borrow();
    let first_read = started.iter().position(|s| s.0 == crate::terms::Direction::Read).unwrap();
    assert_eq!(first_read as u64, SIZE >> 20);
}

#[test]
fn memory_is_called_memory() {
    // Above the link.
    let outcome = plain(&world(), (7721e6, 400e6));
    let seq = &outcome.results[0];
    assert!(!seq.valid && seq.warnings[0].contains("more than the link can carry"), "{:?}", seq.warnings);
    assert!(outcome.results[1].valid, "writing was within the link");
    // Below the disk's own count.
    let world = world();
    world.counted.set(0.4);
    let outcome = plain(&world, (440e6, 400e6));
    assert!(outcome.results.iter().all(|r| !r.valid), "{:?}", outcome.results);
    assert!(outcome.results[0].warnings[0].contains("40 %"));
    // Somebody else on the disk is a warning only.
    world.counted.set(1.2);
    let outcome = plain(&world, (440e6, 400e6));
    assert!(outcome.results.iter().all(|r| r.valid && r.warnings.len() == 1));
    world.counted.set(1.6);
    let outcome = plain(&world, (440e6, 400e6));
    assert!(outcome.results.iter().all(|r| !r.valid), "somebody else had the disk");
}

#[test]
fn writes_that_wait_in_memory_are_found() {
    let world = world();
    world.lazy.set(true);
    for result in plain(&world, (440e6, 400e6)).results {
        assert_eq!(result.valid, result.job.ends_with("read"), "{result:?}");
    }
}

#[test]
fn a_link_that_retrains_spoils_the_rest() {
    let world = world();
    let during = world.clone();
    let mut progress = move |p: Progress| {
        if let Progress::Phase { job: "seq1m-q8t1-read", .. } = p {
            *during.speed.borrow_mut() = "5.0 GT/s PCIe".into();
        } else if let Progress::Tick { .. } = p {
            *during.speed.borrow_mut() = "2.5 GT/s PCIe".into();
            during.celsius.set(77.0);
        }
    };
    let outcome = measure(&world, (440e6, 400e6), &mut progress, &|| false).ok().unwrap();
    assert!(!outcome.results[0].valid);
    assert!(outcome.results[0].warnings[0].contains("2.5 GT/s"), "{:?}", outcome.results[0].warnings);
    // The run is told as one at the link it began with.
    assert!(outcome.results.iter().all(|r| !r.valid));
    assert_eq!(outcome.peak_celsius, Some(77.0));
    assert_eq!(outcome.first.temperature_celsius, Some(40.0));
}

#[test]
fn a_broken_drive_ends_it_with_the_job_named() {
    let world = world();
    world.script.borrow_mut().extend(vec![None; 20]);
    world.script.borrow_mut().push_back(Some(-libc::EIO));
    let failed = measure(&world, (440e6, 400e6), &mut |_| {}, &|| false).err().unwrap();
    assert_eq!(failed.what, "seq1m-q8t1-read");
    assert!(failed.broken.why.contains("I/O error"));
}

#[test]
fn an_interruption_keeps_what_there_is() {
    let count = Cell::new(0);
    let third_job = Cell::new(false);
    let mut progress = |p: Progress| {
        if let Progress::Phase { index: 3, .. } = p {
            third_job.set(true);
        }
    };
    let interrupted = || {
        count.set(count.get() + 1);
        third_job.get()
    };
    let outcome = measure(&world(), (440e6, 400e6), &mut progress, &interrupted).ok().unwrap();
    assert!(outcome.partial);
    assert_eq!(outcome.results.len(), 2);
    assert!(count.get() > 10);
    // At once: nothing, and no panic.
    let outcome = measure(&world(), (440e6, 400e6), &mut |_| {}, &|| true).ok().unwrap();
    assert!(outcome.partial && outcome.results.is_empty());
}

#[test]
fn progress_goes_forward_and_names_every_part() {
    let mut seen = Vec::new();
    let mut last = 0.0;
    let mut progress = |p: Progress| match p {
        Progress::Phase { job, index, of } => {
            seen.push((job, index, of));
            last = 0.0;
        }
        Progress::Tick { done, .. } => {
            assert!((0.0..=1.0).contains(&done) && done >= last, "{done} after {last}");
            last = done;
        }
    };
    measure(&world(), (440e6, 400e6), &mut progress, &|| false).ok().unwrap();
    assert_eq!(seen.len(), 7);
    assert_eq!(seen[0], ("fill", 0, 7));
    assert_eq!(seen[6], ("rnd4k-q1t1-write", 6, 7));
}

#[test]
fn a_cliff_is_shown() {
    let mut result = plain(&world(), (440e6, 400e6)).results.remove(1);
    result.samples = vec![400e6, 395e6, 110e6, 108e6, 105e6];
    crate::bench::checks::judge(&mut result, &[], &[], true);
    assert!(
        result.valid && result.warnings[0].contains("fell from 400 MB/s to 105 MB/s"),
        "{:?}",
        result.warnings
    );
}
