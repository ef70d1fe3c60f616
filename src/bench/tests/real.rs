//! The real engines on a real file of this computer. Nothing here depends on
//! how fast it is.

use super::fake::facts;
use crate::bench::cap::Cap;
use crate::bench::data::stamp;
use crate::bench::drive::Work;
use crate::bench::engine::{Engine, FileEngine};
use crate::bench::job::{FILL, JOBS, Profile, Schedule};
use crate::bench::target::find;
use crate::bench::{BenchError, How, Progress, Request, Run, Target, run, run_on};
use crate::host::Host;
use crate::host::measure::{Arena, BLOCK};
use crate::terms::Direction;
use std::collections::HashSet;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

const SIZE: u64 = 16 << 20;

fn folder() -> tempfile::TempDir {
    // On the disk of the build, not on /tmp, which may be memory.
    tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap()
}

fn left_in(dir: &Path) -> Vec<String> {
    let names =
        std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().file_name().to_string_lossy().into_owned());
    names.collect()
}

fn work<'a>(job: &'a crate::bench::Job, pass: u64, next_block: &'a AtomicU64) -> Work<'a> {
    let once = job.name == FILL.name;
    let time = Duration::from_millis(if once { 60_000 } else { 20 });
    Work { job, span: SIZE, time, once, next_block, pass, lane: 0, cap: None }
}

#[test]
fn what_is_written_is_there_and_what_is_read_is_that() {
    for threads in [false, true] {
        let dir = folder();
        let file = Host::open(None).unwrap().create_test_file(dir.path().to_str().unwrap()).unwrap();
        let mut engine = FileEngine::new(file, threads).unwrap();
        if threads {
            assert_eq!(engine.used().name, "threads");
        }
        let next_block = AtomicU64::new(0);
        let filled = engine.pass(&work(&FILL, 1, &next_block), &mut |_| false).unwrap();
        assert_eq!(filled.bytes, SIZE);
        engine.sync().unwrap();

        // Every job that reads brings blocks of the fill into memory.
        let of_fill: HashSet<u64> = (0..SIZE / 4096).map(|unit| stamp(1, unit * 4096)).collect();
        for job in JOBS.iter().filter(|j| j.name.ends_with("read")) {
            engine.arena().unwrap().bytes_mut().fill(0);
            let pass = engine.pass(&work(job, 2, &next_block), &mut |_| false).unwrap();
            assert!(pass.transfers > 0 && pass.bytes == pass.transfers * job.block as u64);
            assert_eq!(pass.latency.len(), pass.transfers);
            let calls = if job.depth == 1 || threads { pass.transfers } else { pass.transfers * 2 };
            assert!((1..=calls).contains(&pass.calls), "{} {} {pass:?}", job.name, engine.used().name);
            let memory = engine.arena().unwrap().bytes_mut();
            for unit in memory[..job.block].chunks(BLOCK) {
                let found = u64::from_le_bytes(unit[..8].try_into().unwrap());
                assert!(of_fill.contains(&found), "{} {}", job.name, engine.used().name);
            }
        }

        // Every block is of the fill or of one of the passes that wrote.
        let mut written = 1;
        for (pass, job) in (10..).zip(JOBS.iter().filter(|j| j.name.ends_with("write"))) {
            engine.pass(&work(job, pass, &next_block), &mut |_| false).unwrap();
            written = pass;
        }
        let mut arena = Arena::new(BLOCK).unwrap();
        let mut changed = 0;
        for offset in (0..SIZE).step_by(BLOCK) {
            assert_eq!(engine.file.read_at(arena.bytes_mut(), offset).unwrap(), BLOCK);
            let found = u64::from_le_bytes(arena.bytes_mut()[..8].try_into().unwrap());
            let by = [1].into_iter().chain(10..=written).find(|pass| stamp(*pass, offset) == found);
            assert!(by.is_some(), "offset {offset} holds nobody's data");
            changed += u64::from(by != Some(1));
        }
        assert!(changed > 0);
        assert!(left_in(dir.path()).is_empty());
    }
}

#[test]
fn a_job_that_needs_more_memory_gets_it() {
    for threads in [false, true] {
        let dir = folder();
        let file = Host::open(None).unwrap().create_test_file(dir.path().to_str().unwrap()).unwrap();
        let mut engine = FileEngine::new(file, threads).unwrap();
        let next_block = AtomicU64::new(0);
        engine.pass(&work(&FILL, 1, &next_block), &mut |_| false).unwrap();
        let deep = crate::bench::Job { name: "deep", direction: Direction::Read, depth: 12, ..FILL };
        for (number, job) in [&deep, &JOBS[0], &deep].into_iter().enumerate() {
            let pass = engine.pass(&work(job, 2, &next_block), &mut |_| false).unwrap();
            assert!(pass.transfers >= job.depth as u64, "{number}: {pass:?}");
        }
        assert!(engine.arena().unwrap().bytes_mut().len() >= 12 << 20);
    }
}

#[test]
fn a_cap_counts_on_from_pass_to_pass() {
    for threads in [false, true] {
        let dir = folder();
        let file = Host::open(None).unwrap().create_test_file(dir.path().to_str().unwrap()).unwrap();
        let mut engine = FileEngine::new(file, threads).unwrap();
        let (next_block, mut transfers) = (AtomicU64::new(0), 0);
        engine.pass(&work(&FILL, 1, &next_block), &mut |_| false).unwrap();
        // One transfer a millisecond: 20 a pass.
        let cap = Mutex::new(Cap::new(4096e3));
        let job = JOBS.iter().find(|j| j.name == "rnd4k-q1t1-read").unwrap();
        for pass in 2..12 {
            let work = Work { cap: Some(&cap), ..work(job, pass, &next_block) };
            transfers += engine.pass(&work, &mut |_| false).unwrap().transfers;
        }
        // Time booked by one pass and held against the next would leave one
        // transfer to each pass after the first.
        assert!((60..=210).contains(&transfers), "{transfers}");
    }
}

#[test]
fn memory_is_refused() {
    if !Path::new("/dev/shm").is_dir() {
        return;
    }
    let host = Host::open(None).unwrap();
    let request = Request::new(Target::Dir("/dev/shm".into()), Profile::Quick);
    match run(&host, &facts(None), &request, &mut |_| {}, &|| false) {
        Err(BenchError::NotDirect { at, why }) => assert!(at == "/dev/shm" && why.contains("tmpfs"), "{why}"),
        // Not on a tmpfs or not ours to write to: refused as well.
        Err(BenchError::NotWritable { .. }) => {}
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_is_not_there_is_said() {
    let host = Host::open(None).unwrap();
    let go = |target, size| {
        let request = Request { size_bytes: size, ..Request::new(target, Profile::Quick) };
        run(&host, &facts(Some(3)), &request, &mut |_| {}, &|| false).unwrap_err()
    };
    let missing = go(Target::Dir("/not/there".into()), None);
    assert!(missing.to_string().contains("no such folder"), "{missing}");
    let none = go(Target::Drive("nvme7".into()), None);
    assert_eq!(none, BenchError::NoDrive { name: "nvme7".into() });
    let dir = folder();
    let here = || Target::Dir(dir.path().to_str().unwrap().into());
    match go(here(), Some(1 << 20)) {
        BenchError::TooSmall { asked_bytes, .. } => assert_eq!(asked_bytes, 1 << 20),
        BenchError::NotDirect { .. } => return, // the build lies in memory here
        other => panic!("{other:?}"),
    }
    assert!(matches!(go(here(), Some(1 << 60)), BenchError::NoRoom { .. }));
}

#[test]
fn folder_and_drive_lead_to_each_other() {
    let host = Host::open(None).unwrap();
    let dir = folder();
    let here = Target::Dir(dir.path().to_str().unwrap().into());
    let no_drive = facts(None);
    let by_folder = match find(&host, &no_drive, &here) {
        Ok(place) => place,
        Err(BenchError::NotDirect { .. }) => return, // the build lies on no disk here
        Err(error) => panic!("{error}"),
    };
    let disk = by_folder.info.disk.clone().unwrap();
    assert!(by_folder.drive.is_none(), "this computer's disk is none of no drives");

    let mut one_drive = facts(Some(2));
    one_drive.drives[0].namespaces[0].name = disk.clone();
    let by_folder = find(&host, &one_drive, &here).unwrap();
    assert_eq!(by_folder.drive.unwrap().name, "nvme0");
    for name in [disk.clone(), format!("/dev/{disk}"), "nvme0".into()] {
        match find(&host, &one_drive, &Target::Drive(name.clone())) {
            Ok(place) => {
                assert_eq!(place.info.disk.as_deref(), Some(disk.as_str()), "{name}");
                assert_eq!(place.info.identity.as_deref(), Some("0123456789abcdef"));
            }
            Err(BenchError::NotWritable { .. }) => {} // only root may write at its top
            Err(error) => panic!("{name}: {error}"),
        }
    }
    one_drive.drives[0].namespaces[0].name = "nvme9n9".into();
    let nowhere = find(&host, &one_drive, &Target::Drive("nvme9n9".into())).unwrap_err();
    assert_eq!(nowhere, BenchError::NotMounted { drive: "nvme9n9".into() });
}

/// A recorded machine with this mountinfo.
fn recorded(mountinfo: &str) -> (tempfile::TempDir, Host) {
    let dir = folder();
    std::fs::create_dir_all(dir.path().join("proc/self")).unwrap();
    std::fs::create_dir_all(dir.path().join("mnt/nvme")).unwrap();
    std::fs::write(dir.path().join("proc/self/mountinfo"), mountinfo).unwrap();
    std::fs::create_dir_all(dir.path().join("sys/devices/nvme0n1/nvme0n1p1")).unwrap();
    std::fs::write(dir.path().join("sys/devices/nvme0n1/nvme0n1p1/partition"), "1\n").unwrap();
    std::fs::create_dir_all(dir.path().join("sys/class/block")).unwrap();
    let link = dir.path().join("sys/class/block/nvme0n1p1");
    std::os::unix::fs::symlink("../../devices/nvme0n1/nvme0n1p1", link).unwrap();
    std::fs::write(dir.path().join("replay.toml"), "euid = 0\ntime = \"2026-12-01T10:00:00Z\"\n").unwrap();
    let host = Host::open(Some(dir.path())).unwrap();
    (dir, host)
}

const MOUNTED: &str =
    "22 1 179:2 / / rw - ext4 /dev/mmcblk0p2 rw\n30 22 259:1 / /mnt/nvme rw - ext4 /dev/nvme0n1p1 rw\n";

const SHORT: Schedule = Schedule {
    file_bytes: SIZE,
    fill: Duration::from_secs(30),
    ramp: Duration::from_millis(5),
    pass: Duration::from_millis(20),
    passes: 3,
};

fn simulate(host: &Host, generation: u8, threads: bool) -> Run {
    let request = Request {
        read_only: true,
        // So low that any computer reaches it.
        cap_bytes_per_second: Some((50e6 * f64::from(generation), 50e6)),
        ..Request::new(Target::Drive("nvme0n1".into()), Profile::Quick)
    };
    let how = How { schedule: SHORT, threads };
    run_on(host, &facts(Some(generation)), &request, &how, &mut |_: Progress| {}, &|| false).unwrap()
}

#[test]
fn a_recorded_machine_is_measured_on_this_one_and_says_so() {
    for threads in [false, true] {
        let (dir, host) = recorded(MOUNTED);
        let run = simulate(&host, 2, threads);
        assert!(run.simulated && !run.partial && run.notes[0].starts_with("simulated"));
        assert_eq!(run.time, "2026-12-01T10:00:00Z");
        assert_eq!(run.target.mount, "/mnt/nvme");
        assert_eq!(run.target.device.as_deref(), Some("/dev/nvme0n1p1"));
        assert_eq!(run.target.partition, Some(1));
        assert_eq!(run.target.model.as_deref(), Some("Test Drive"));
        assert_eq!(run.target.file_bytes, SIZE);
        assert_eq!(run.environment.link.unwrap().generation, 2);
        let names: Vec<_> = run.results.iter().map(|r| r.job.as_str()).collect();
        assert_eq!(names, ["seq1m-q8t1-read", "rnd4k-q32t1-read", "rnd4k-q1t1-read"]);
        for result in &run.results {
            assert!(result.valid && result.median > 0.0, "{result:?}");
            assert!(result.median <= 100e6 * 1.001, "{} passed the cap: {}", result.job, result.median);
            assert_eq!(result.disk_ratio, None, "the recorded disk does not move");
        }
        assert_eq!(left_in(&dir.path().join("mnt/nvme")), [""; 0]);
        assert!(left_in(dir.path()).iter().all(|n| !n.contains("pi5-nvme")));
    }
}

#[test]
fn a_recorded_drive_that_is_not_mounted_is_measured_too() {
    let (_dir, host) = recorded("22 1 179:2 / / rw - ext4 /dev/mmcblk0p2 rw\n");
    let run = simulate(&host, 3, false);
    assert_eq!((run.target.mount.as_str(), run.target.file_system.as_str()), ("none", "none"));
    assert_eq!(run.target.disk.as_deref(), Some("nvme0n1"));
    assert_eq!(run.target.identity.as_deref(), Some("0123456789abcdef"));
}

#[test]
fn a_recorded_drive_that_does_not_answer_is_not_measured() {
    let (_dir, host) = recorded(MOUNTED);
    let mut dead = facts(Some(2));
    dead.drives[0].state = crate::facts::DriveState::NotAnswering;
    let request = Request::new(Target::Drive("nvme0".into()), Profile::Quick);
    let error = run(&host, &dead, &request, &mut |_| {}, &|| false).unwrap_err();
    assert!(error.to_string().contains("does not answer"), "{error}");
    assert_eq!(Target::first(&dead), None);

    // Alive, and the link cannot be read: nothing is said of a link.
    let mut unknown = facts(Some(2));
    unknown.drives[0].path[0].speed = None;
    let request = Request { read_only: true, ..request };
    let how = How { schedule: SHORT, threads: false };
    let run = run_on(&host, &unknown, &request, &how, &mut |_| {}, &|| false).unwrap();
    assert!(run.notes[0].contains("the recorded link is not known"), "{:?}", run.notes);
    assert!(run.environment.link.is_none());
    assert!(run.results.iter().all(|r| r.ceiling_bytes_per_second.is_none() && r.valid));
}
