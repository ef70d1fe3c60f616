//! Storing runs, finding them again, and comparing two.

use crate::bench::store::{self, FOLDER};
use crate::bench::{
    Change, EngineUsed, Environment, Gain, JobResult, Limit, LinkInfo, NotComparable, Pairing, Profile, Row,
    Run, SCHEMA, TargetInfo, Timeline, baseline, changes, compare, limit, waits,
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
        timeline: Timeline::default(),
    }
}

const SEQ: &str = "seq1m-q8t1-read";
const SLOW: [f64; 6] = [448e6, 449e6, 450e6, 450e6, 451e6, 452e6];
const FAST: [f64; 6] = [870e6, 872e6, 873e6, 873e6, 875e6, 876e6];

fn verdict(before: &[f64], after: &[f64]) -> String {
    row(before, after).verdict
}

fn row(before: &[f64], after: &[f64]) -> Row {
    let (before, after) = (run(2, vec![result(SEQ, before)]), run(3, vec![result(SEQ, after)]));
    compare(&before, &after, Pairing::Alike).unwrap().remove(0)
}

#[test]
fn verdicts_in_words() {
    assert_eq!(verdict(&SLOW, &FAST), "1.94 times faster, 1.93 to 1.95");
    assert_eq!(verdict(&FAST, &SLOW), "1.94 times slower, 1.93 to 1.95");
    assert_eq!(verdict(&SLOW, &SLOW.map(|s| s * 20.0)), "20.0 times faster, 19.9 to 20.1");
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
    let rows = compare(&before, &run(3, vec![result(SEQ, &FAST)]), Pairing::Alike).unwrap();
    assert_eq!(rows.len(), 1, "only what both have");
    let row = &rows[0];
    assert_eq!((row.before, row.after), (450e6, 873e6));
    assert!(row.ratio_low < row.ratio && row.ratio < row.ratio_high);
    assert_eq!(row.ceiling_before, Some(457e6));
    assert!(row.ceiling_ratio_after.unwrap() > 1.9);
    assert_eq!((row.limit_before, row.gain), (Some(Limit::Link), Gain::Faster));
}

#[test]
fn nothing_gained_is_not_the_same_as_not_known() {
    let gain = |after: &[f64]| row(&SLOW, after).gain;
    assert_eq!(gain(&SLOW.map(|s| s * 1.001)), Gain::Same);
    assert_eq!(gain(&SLOW.map(|s| s * 1.015)), Gain::Same, "clear but small");
    assert_eq!(gain(&[400e6, 420e6, 440e6, 460e6, 480e6, 500e6]), Gain::Unclear);
    assert_eq!(gain(&SLOW.map(|s| s * 0.97)), Gain::Slower);
    assert_eq!(row(&[0.0; 6], &FAST).gain, Gain::Unclear);
    assert_eq!(row(&SLOW, &[0.0; 6]).gain, Gain::Unclear);
}

#[test]
fn the_limit_is_named_only_where_it_can_be_told() {
    let of = |share: Option<f64>, change: &dyn Fn(&mut JobResult)| {
        let mut r = JobResult { ceiling_ratio: share, ..result(SEQ, &SLOW) };
        change(&mut r);
        limit(&r)
    };
    let busy = |r: &mut JobResult| (r.iops, r.cpu_ns_per_io) = (100_000.0, 9_500.0);
    assert_eq!(of(Some(0.95), &|_| {}), Some(Limit::Link));
    assert_eq!(of(Some(0.95), &busy), Some(Limit::Link));
    assert_eq!(of(Some(0.5), &busy), Some(Limit::Cpu));
    assert_eq!(of(Some(0.5), &|r| r.iops = 1_000.0), Some(Limit::Drive));
    // Between two marks, without a link, by threads, with a ceiling that is
    // not known for sure.
    assert_eq!(of(Some(0.85), &|r| r.iops = 1_000.0), None);
    assert_eq!(of(None, &|_| {}), None);
    assert_eq!(of(Some(0.5), &|r| r.engine = "threads".into()), None);
    assert_eq!(of(Some(0.75), &|r| (r.ceiling_assumed, r.iops) = (true, 1_000.0)), None);
    assert_eq!(of(Some(0.7), &|r| (r.ceiling_assumed, r.iops) = (true, 1_000.0)), Some(Limit::Drive));
}

#[test]
fn one_transfer_at_a_time_waits() {
    let with = |iops, mean_ns| waits(&JobResult { iops, mean_ns, ..result(SEQ, &SLOW) });
    assert!(with(10_000.0, 99_000.0));
    assert!(!with(100_000.0, 320_000.0));
}

#[test]
fn what_else_differs_is_told() {
    let before = run(2, vec![result(SEQ, &SLOW)]);
    let mut after = run(3, vec![result(SEQ, &FAST)]);
    assert_eq!(changes(&before, &after), [], "the link is what is compared");
    after.environment.kernel = Some("6.12".into());
    after.target.file_bytes = 512 << 20;
    after.environment.temperature_before_celsius = Some(60.0);
    let mut warm = before.clone();
    warm.environment.temperature_before_celsius = Some(40.0);
    let change =
        |what, before: &str, after: &str| Change { what, before: before.into(), after: after.into() };
    assert_eq!(
        changes(&warm, &after),
        [
            change("test file", "1.07 GB", "537 MB"),
            change("kernel", "unknown", "6.12"),
            change("drive's temperature at the start", "40 °C", "60 °C"),
        ]
    );
    after.target.identity = None;
    assert_eq!(
        changes(&before, &after)[0],
        change("drive", "unknown", "unknown, perhaps another of the kind")
    );
    after.target.disk = Some("mmcblk0".into());
    assert_eq!(changes(&before, &after)[0], change("drive", "unknown", "mmcblk0"));
}

#[test]
fn what_does_not_belong_together_is_not_compared() {
    let before = run(2, vec![result(SEQ, &SLOW)]);
    let after = run(3, vec![result(SEQ, &FAST)]);
    assert!(compare(&before, &after, Pairing::Alike).is_ok());
    let with = |change: &dyn Fn(&mut Run)| {
        let mut changed = after.clone();
        change(&mut changed);
        compare(&before, &changed, Pairing::Alike).unwrap_err()
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
        No::NothingChanged("Gen 2 (5.0 GT/s x1)".into())
    );
    assert_eq!(with(&|r| r.results[0].valid = false), No::NoCommonJob);
    assert_eq!(with(&|r| r.results[0].samples.truncate(2)), No::NoCommonJob);
    // Any two that are named are compared, but not what is no comparison.
    let mut other = after.clone();
    (other.target.identity, other.environment.link) = (Some("bbbb".into()), before.environment.link);
    assert!(matches!(compare(&before, &other, Pairing::Named), Err(No::OtherDrive(..))));
    (other.target.identity, other.target.file_system) = (None, "btrfs".into());
    assert!(compare(&before, &other, Pairing::Named).is_ok());
    other.simulated = true;
    assert_eq!(compare(&before, &other, Pairing::Named), Err(No::SimulatedAndReal));
    assert_eq!(compare(&before, &before, Pairing::Named), Err(No::SameRun));
    // The kernel may number the drives anew, and `/` may have moved.
    let mut moved = after.clone();
    moved.target.device = Some("/dev/nvme1n1p2".into());
    moved.target.mount = "/mnt".into();
    assert!(compare(&before, &moved, Pairing::Alike).is_ok());
    // A name of its own makes two runs at one link comparable.
    let named = Run { label: Some("new cable".into()), ..run(2, vec![result(SEQ, &FAST)]) };
    assert!(compare(&before, &named, Pairing::Alike).is_ok());
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

#[test]
fn a_run_from_before_the_timeline_is_read_too() {
    let (dir, host) = machine();
    let whole = run(2, vec![result(SEQ, &SLOW)]);
    store::save(&host, &whole, None).unwrap();
    let file = dir.path().join(&FOLDER[1..]).join("20261201T100000Z.json");
    let mut old: serde_json::Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    assert!(old.as_object_mut().unwrap().remove("timeline").is_some());
    std::fs::write(&file, old.to_string()).unwrap();
    assert_eq!(store::list(&host).unwrap()[0].run, whole);
    // Lists that do not belong together are no run.
    old["timeline"] =
        serde_json::json!({"phases": [], "temperature_seconds": [1.0], "temperature_celsius": []});
    std::fs::write(&file, old.to_string()).unwrap();
    assert_eq!(store::list(&host).unwrap(), []);
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
    // Another name at the same link, when there is no other link.
    at("2026-11-09T00:00:00Z", &|r| (r.label, r.environment.link) = (Some("x".into()), now.environment.link));
    assert_eq!(baseline(&host, &now).unwrap().unwrap().time, "2026-11-02T00:00:00Z");
    let slow = run(2, vec![result(SEQ, &FAST)]);
    let named = Run { label: Some("new cable".into()), ..slow.clone() };
    let found = |now: &Run| baseline(&host, now).unwrap().unwrap().time;
    assert_eq!(found(&named), "2026-11-09T00:00:00Z", "another link comes first");
    let (_dir, host) = machine();
    store::save(&host, &slow, Some("old cable")).unwrap();
    assert_eq!(baseline(&host, &named).unwrap().unwrap().label.as_deref(), Some("old cable"));
    assert_eq!(baseline(&host, &Run { label: Some("old cable".into()), ..slow.clone() }).unwrap(), None);
    // Without a link of its own there is no other link.
    let unknown = Run { environment: Environment::default(), ..now };
    assert_eq!(baseline(&host, &unknown).unwrap(), None);
}
