//! A measurement for tests.

use crate::bench::{
    EngineUsed, Environment, JobResult, LinkInfo, Phase, Profile, Run, SCHEMA, TargetInfo, Timeline,
};

/// A result of seven passes within 0.3 % of `median`.
fn result(job: &str, median: f64, ceiling: Option<f64>) -> JobResult {
    let samples: Vec<f64> = (0..7).map(|i| median * (0.997 + 0.001 * f64::from(i))).collect();
    JobResult {
        job: job.into(),
        unit: "bytes_per_second".into(),
        engine: "io_uring".into(),
        median,
        low: Some(samples[0]),
        high: Some(samples[6]),
        min: samples[0],
        max: samples[6],
        samples,
        iops: median / 4096.0,
        mean_ns: 90_000.0,
        p50_ns: Some(80_000),
        p99_ns: Some(140_000),
        p999_ns: None,
        max_ns: 900_000,
        cpu_ns_per_io: 4_000.0,
        disk_ratio: Some(1.0),
        valid: true,
        warnings: Vec::new(),
        ceiling_bytes_per_second: ceiling,
        ceiling_ratio: ceiling.map(|c| median / c),
        ceiling_assumed: false,
    }
}

/// A run at this generation, as a Raspberry Pi 5 might give it, with names in it
/// that somebody gave.
pub(super) fn run(generation: u8) -> Run {
    let (seq, ceiling) = if generation == 3 { (858e6, 900e6) } else { (442e6, 457e6) };
    let jobs = ["seq1m-q8t1-read", "seq1m-q8t1-write", "rnd4k-q1t1-read"];
    let rates = [seq, seq * 0.97, 51e6];
    let phase = |i: usize| Phase {
        job: jobs[i].into(),
        began_seconds: i as f64 * 7.0,
        seconds: (1..=7).map(|s| i as f64 * 7.0 + f64::from(s)).collect(),
        bytes_per_second: vec![rates[i]; 7],
    };
    Run {
        schema: SCHEMA.into(),
        time: format!("2026-12-0{generation}T10:00:00Z"),
        version: "0.1.0".into(),
        simulated: false,
        label: None,
        profile: Profile::Standard,
        target: TargetInfo {
            device: Some("/dev/mapper/alice-home".into()),
            disk: Some("nvme0n1".into()),
            partition: Some(2),
            model: Some("EXAMPLE NV500".into()),
            firmware: Some("1.0".into()),
            identity: Some("0123456789abcdef".into()),
            file_system: "ext4".into(),
            mount: "/media/alice/fast".into(),
            file_bytes: 1 << 30,
        },
        environment: Environment {
            link: Some(LinkInfo { generation, width: 1, gtps: [2.5, 5.0, 8.0][usize::from(generation) - 1] }),
            kernel: Some("6.12.75".into()),
            ..Environment::default()
        },
        engine: EngineUsed { name: "io_uring".into(), direct: true, ..EngineUsed::default() },
        results: (0..3).map(|i| result(jobs[i], rates[i], Some(ceiling))).collect(),
        partial: false,
        notes: vec!["something was at work in /media/alice/fast".into()],
        timeline: Timeline {
            phases: (0..3).map(phase).collect(),
            temperature_seconds: vec![0.0, 7.0, 14.0, 21.0],
            temperature_celsius: vec![38.0, 44.0, 47.0, 48.0],
        },
    }
}
