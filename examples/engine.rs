//! The engine by itself, for `benches/gates` and `benches/fio`: one pass over a
//! file or device, the result as JSON. Writes go over what is there!
//!
//!   engine PATH JOB SECONDS [depth=N] [size=BYTES] [transfers=N] [seed=N] [threads]

#![allow(clippy::disallowed_methods, clippy::disallowed_macros, reason = "a program of its own, on no floor")]

use pi5_nvme::bench::{JOBS, Job, Trial};
use pi5_nvme::host::measure::TestFile;
use pi5_nvme::terms::Direction;
use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt;
use std::time::Duration;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match run(&words) {
        Ok(json) => println!("{json}"),
        Err(why) => {
            eprintln!("engine: {why}");
            std::process::exit(1);
        }
    }
}

fn run(words: &[String]) -> Result<serde_json::Value, String> {
    let [path, job, seconds, options @ ..] = words else {
        return Err(
            "usage: engine PATH JOB SECONDS [depth=N] [size=BYTES] [transfers=N] [seed=N] [threads]".into()
        );
    };
    let number = |name: &str, default: u64| {
        let given = options.iter().find_map(|o| o.strip_prefix(name)?.strip_prefix('='));
        given.map_or(Ok(default), |text| text.parse().map_err(|e| format!("{name}: {e}")))
    };
    let base = JOBS.iter().find(|j| j.name == *job).ok_or_else(|| format!("{job}: no such job"))?;
    let depth = usize::try_from(number("depth", base.depth as u64)?).map_err(|e| e.to_string())?;
    let job = Job { depth, ..*base };
    let seconds: f64 = seconds.parse().map_err(|e| format!("SECONDS: {e}"))?;
    let trial = Trial {
        job: &job,
        span_bytes: number("size", 1 << 30)?,
        time: Duration::try_from_secs_f64(seconds).map_err(|e| e.to_string())?,
        transfers: number("transfers", u64::MAX)?,
        threads: options.iter().any(|o| o == "threads"),
        seed: number("seed", 1)?,
    };
    let mut open = OpenOptions::new();
    open.read(true).write(job.direction == Direction::Write);
    // /dev/zero knows no direct I/O: there is no cache to go past.
    let file = match open.clone().custom_flags(libc::O_DIRECT).open(path) {
        Err(e) if e.raw_os_error() == Some(libc::EINVAL) => open.open(path),
        other => other,
    };
    let file = file.map_err(|e| format!("{path}: {e}"))?;
    let result = trial.run(TestFile::over(file, path))?;
    let at = |share| result.latency.value_at_quantile(share);
    Ok(serde_json::json!({
        "engine": result.engine,
        "transfers": result.transfers,
        "bytes": result.bytes,
        "seconds": result.elapsed.as_secs_f64(),
        "cpu_seconds": result.cpu.as_secs_f64(),
        "calls": result.calls,
        "latency_ns": {
            "mean": result.latency.mean(),
            "p50": at(0.5),
            "p99": at(0.99),
            "p999": at(0.999),
            "max": result.latency.max(),
        },
    }))
}
