//! Storing runs, finding them again, and comparing two.

use crate::bench::store::{self, FOLDER};
use crate::bench::{
    EngineUsed, Environment, JobResult, LinkInfo, NotComparable, Profile, Run, SCHEMA, TargetInfo, baseline,
    compare,
};
use crate::host::Host;

fn result(job: &str, samples: &[f64]) -> JobResult {
    let median = samples[samples.len() / 2];
    JobResult {
        job: job.into(),
        unit: "bytes_per_second".into(),
        engine: "io_uring".into(),
        median,
        low: Some(samples[0]),
        high: Some(samples[samples.len() - 1]),
        min: samples[0],
        max: samples[samples.len() - 1],
        samples: samples.to_vec(),
        iops: median / 4096.0,
        mean_ns: 1.5,
        p50_ns: Some(90_000),
        p99_ns: None,
        p999_ns: None,
        max_ns: 100_000,
        cpu_ns_per_io: 4_000.0,
        disk_ratio: Some(1.0),
        valid: true,
        warnings: Vec::new(),
        ceiling_bytes_per_second: Some(457e6),
        ceiling_ratio: Some(median / 457e6),
        ceiling_assumed: false,
    }
}

fn run(generation: u8, results: Vec<JobResult>) -> Run {
    Run {
        schema: SCHEMA.into(),
        time: "2026-12-01T10:00:00Z".into(),
        version: "0.1.0".into(),
        simulated: false,
        label: None,
        profile: Profile::Quick,
        target: TargetInfo {
            device: Some("/dev/nvme0n1p2".into()),
            partition: Some(2),
            identity: Some("aaaa".into()),
            file_system: "ext4".into(),
            mount: "/".into(),
            file_bytes: 1 << 30,
            ..TargetInfo::default()
        },
        environment: Environment {
            link: Some(LinkInfo { generation, width: 1, gtps: [2.5, 5.0, 8.0][usize::from(generation) - 1] }),
            ..Environment::default()
        },
        engine: EngineUsed { name: "io_uring".into(), direct: true, ..EngineUsed::default() },
        results,
        partial: false,
        notes: Vec::new(),
    }
}

const SEQ: &str = "seq1m-q8t1-read";
const SLOW: [f64; 6] = [448e6, 449e6, 450e6, 450e6, 451e6, 452e6];
const FAST: [f64; 6] = [870e6, 872e6, 873e6, 873e6, 875e6, 876e6];

fn verdict(before: &[f64], after: &[f64]) -> String {
    let rows = compare(&run(2, vec![result(SEQ, before)]), &run(3, vec![result(SEQ, after)])).unwrap();
    rows[0].verdict.clone()
}

#[test]
fn verdicts_in_words() {
    assert_eq!(verdict(&SLOW, &FAST), "1.94 times faster, 1.92 to 1.96");
    assert_eq!(verdict(&FAST, &SLOW), "1.94 times slower, 1.92 to 1.96");
    assert_eq!(verdict(&SLOW, &SLOW), "no clear difference");
    // Clear but small; large but scattered.
    assert_eq!(verdict(&SLOW, &SLOW.map(|s| s * 1.015)), "no clear difference");
    assert_eq!(
        verdict(&[300e6, 400e6, 450e6, 450e6, 500e6, 900e6], &[200e6, 300e6, 500e6, 600e6, 900e6, 990e6]),
        "no clear difference"
    );
    assert_eq!(verdict(&[0.0; 6], &FAST), "no clear difference");
}

#[test]
fn a_row_holds_both_sides() {
    let before = run(2, vec![result(SEQ, &SLOW), result("rnd4k-q1t1-read", &SLOW)]);
    let rows = compare(&before, &run(3, vec![result(SEQ, &FAST)])).unwrap();
    assert_eq!(rows.len(), 1, "only what both have");
    let row = &rows[0];
    assert_eq!((row.before, row.after), (450e6, 873e6));
    assert!(row.ratio_low < row.ratio && row.ratio < row.ratio_high);
    assert_eq!(row.ceiling_before, Some(457e6));
    assert!(row.ceiling_ratio_after.unwrap() > 1.9);
}

#[test]
fn what_does_not_belong_together_is_not_compared() {
    let before = run(2, vec![result(SEQ, &SLOW)]);
    let after = run(3, vec![result(SEQ, &FAST)]);
    assert!(compare(&before, &after).is_ok());
    let with = |change: &dyn Fn(&mut Run)| {
        let mut changed = after.clone();
        change(&mut changed);
        compare(&before, &changed).unwrap_err()
    };
    use NotComparable as No;
    assert_eq!(with(&|r| r.simulated = true), No::SimulatedAndReal);
    assert_eq!(with(&|r| r.target.identity = None), No::UnknownDrive);
    assert!(matches!(with(&|r| r.target.identity = Some("bbbb".into())), No::OtherDrive(..)));
    assert!(matches!(with(&|r| r.target.file_system = "btrfs".into()), No::OtherFileSystem(..)));
    assert!(matches!(with(&|r| r.target.partition = Some(1)), No::OtherFileSystem(..)));
    assert!(matches!(with(&|r| r.engine.name = "threads".into()), No::OtherEngine(..)));
    assert_eq!(
        with(&|r| r.environment.link = before.environment.link),
        No::SameLink("Gen 2 (5.0 GT/s x1)".into())
    );
    assert_eq!(with(&|r| r.results[0].valid = false), No::NoCommonJob);
    assert_eq!(with(&|r| r.results[0].samples.truncate(2)), No::NoCommonJob);
    // The kernel may number the drives anew, and `/` may have moved.
    let mut moved = after.clone();
    moved.target.device = Some("/dev/nvme1n1p2".into());
    moved.target.mount = "/mnt".into();
    assert!(compare(&before, &moved).is_ok());
    // A name of its own makes two runs at one link comparable.
    let named = Run { label: Some("new cable".into()), ..run(2, vec![result(SEQ, &FAST)]) };
    assert!(compare(&before, &named).is_ok());
}

fn machine() -> (tempfile::TempDir, Host) {
    let dir = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
    std::fs::write(dir.path().join("replay.toml"), "euid = 0\n").unwrap();
    let host = Host::open(Some(dir.path())).unwrap();
    (dir, host)
}

#[test]
fn a_stored_run_comes_back_as_it_was() {
    let (dir, host) = machine();
    assert_eq!(store::list(&host).unwrap(), []);
    let first = run(2, vec![result(SEQ, &SLOW)]);
    assert_eq!(
        store::save(&host, &first, Some("before")).unwrap(),
        format!("{FOLDER}/20261201T100000Z.json")
    );
    // The same second again, and nine more; the tenth sorts after the second.
    for count in 2..=11 {
        let path = store::save(&host, &run(3, vec![result(SEQ, &FAST)]), None).unwrap();
        assert_eq!(path, format!("{FOLDER}/20261201T100000Z-{count}.json"));
    }
    let later = Run { time: "2026-12-02T00:00:00Z".into(), ..first.clone() };
    store::save(&host, &later, None).unwrap();
    // Odd files are passed over.
    let folder = dir.path().join(&FOLDER[1..]);
    std::fs::write(folder.join("garbage.json"), b"{\"schema\": 1}").unwrap();
    std::fs::write(folder.join("notes.txt"), b"hello").unwrap();
    std::fs::write(folder.join("empty.json"), b"").unwrap();
    std::fs::create_dir(folder.join("folder.json")).unwrap();

    let listed = store::list(&host).unwrap();
    assert_eq!(listed.len(), 12);
    assert_eq!(listed[0].run.time, "2026-12-02T00:00:00Z");
    assert_eq!(listed[1].name, "20261201T100000Z-11");
    assert_eq!(listed[11].name, "20261201T100000Z");
    let named = Run { label: Some("before".into()), ..first };
    for name in ["before", "20261201T100000Z", "20261201T100000Z.json"] {
        assert_eq!(store::load(&host, name).unwrap(), named, "{name}");
    }
    assert_eq!(store::load(&host, "2026-12-02T00:00:00Z").unwrap(), later);
    assert!(store::load(&host, "nothing").unwrap_err().to_string().contains("nothing"));
}

#[cfg(unix)]
#[test]
fn stored_runs_are_the_owners_only() {
    use std::os::unix::fs::PermissionsExt;
    let (dir, host) = machine();
    let path = store::save(&host, &run(2, vec![result(SEQ, &SLOW)]), None).unwrap();
    let mode = |p: &str| std::fs::metadata(dir.path().join(&p[1..])).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&path), mode(FOLDER)), (0o600, 0o700));
}

#[test]
fn the_baseline_is_the_newest_that_fits() {
    let (_dir, host) = machine();
    let now = run(3, vec![result(SEQ, &FAST)]);
    assert_eq!(baseline(&host, &now).unwrap(), None);
    let at = |time: &str, change: &dyn Fn(&mut Run)| {
        let mut old = Run { time: time.into(), ..run(2, vec![result(SEQ, &SLOW)]) };
        change(&mut old);
        store::save(&host, &old, None).unwrap();
    };
    at("2026-11-01T00:00:00Z", &|_| {});
    at("2026-11-02T00:00:00Z", &|_| {});
    at("2026-11-03T00:00:00Z", &|r| r.target.identity = Some("bbbb".into()));
    at("2026-11-04T00:00:00Z", &|r| r.results[0].valid = false);
    at("2026-11-05T00:00:00Z", &|r| r.partial = true);
    at("2026-11-06T00:00:00Z", &|r| r.environment.link = now.environment.link);
    at("2026-11-07T00:00:00Z", &|r| r.environment.link = None);
    at("2026-11-08T00:00:00Z", &|r| r.results.clear());
    assert_eq!(baseline(&host, &now).unwrap().unwrap().time, "2026-11-02T00:00:00Z");
    // Without a link of its own there is no other link.
    let unknown = Run { environment: Environment::default(), ..now };
    assert_eq!(baseline(&host, &unknown).unwrap(), None);
}
