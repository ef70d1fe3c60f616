//! A run as it is shown, stored and compared. Rates are bytes a second, times
//! nanoseconds, sizes bytes.

use super::job::Profile;
use super::timeline::Timeline;
use crate::terms::{Generation, Link};
use serde::{Deserialize, Serialize};

/// The schema of a stored run.
pub const SCHEMA: &str = "pi5-nvme/bench-run/1";

/// One run of the benchmark.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// [`SCHEMA`].
    pub schema: String,
    /// When it began, UTC (`2026-12-01T10:00:00Z`).
    pub time: String,
    /// Version of this program.
    pub version: String,
    /// Measured for a recorded machine, on the disk of another computer.
    pub simulated: bool,
    /// The name that the user gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// How long it measured.
    pub profile: Profile,
    /// What was measured.
    pub target: TargetInfo,
    /// Under what conditions.
    pub environment: Environment,
    /// How the transfers were made.
    pub engine: EngineUsed,
    /// What came out, one entry a job.
    pub results: Vec<JobResult>,
    /// It was interrupted: jobs are missing or short.
    pub partial: bool,
    /// What to know about the run as a whole.
    pub notes: Vec<String>,
    /// Throughput and temperature over its time; empty in runs of versions that
    /// did not write it down.
    #[serde(default)]
    pub timeline: Timeline,
}

/// What was measured.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct TargetInfo {
    /// `/dev/nvme0n1p2`, where the file lies.
    pub device: Option<String>,
    /// `nvme0n1`.
    pub disk: Option<String>,
    /// Number of the partition.
    pub partition: Option<u32>,
    /// Model of the drive.
    pub model: Option<String>,
    /// Its firmware.
    pub firmware: Option<String>,
    /// Hash of model and serial number.
    pub identity: Option<String>,
    /// `ext4`.
    pub file_system: String,
    /// Where it is mounted.
    pub mount: String,
    /// Size of the test file.
    pub file_bytes: u64,
}

/// Under what conditions.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Environment {
    /// Kernel release.
    pub kernel: Option<String>,
    /// The drive's link; `None` where there is none or it could not be read.
    pub link: Option<LinkInfo>,
    /// Max Payload Size of the drive's path.
    pub max_payload_bytes: Option<u32>,
    /// `powersave`: the kernel's ASPM policy.
    pub aspm_policy: Option<String>,
    /// `none`: the disk's I/O scheduler.
    pub scheduler: Option<String>,
    /// `ondemand`: the processor's frequency governor.
    pub governor: Option<String>,
    /// The drive before the first job.
    pub temperature_before_celsius: Option<f64>,
    /// The highest seen.
    pub temperature_peak_celsius: Option<f64>,
    /// The drive after the last job.
    pub temperature_after_celsius: Option<f64>,
}

/// A link in numbers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LinkInfo {
    /// 3 for Gen 3.
    pub generation: u8,
    /// Lanes.
    pub width: u8,
    /// 8.0.
    pub gtps: f64,
}

impl From<Link> for LinkInfo {
    fn from(link: Link) -> Self {
        Self { generation: link.generation.number(), width: link.width, gtps: link.generation.gtps() }
    }
}

impl LinkInfo {
    /// The link again; `None` for a generation that does not exist.
    pub fn link(self) -> Option<Link> {
        Generation::new(self.generation).map(|generation| Link { generation, width: self.width })
    }
}

/// How the transfers were made.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct EngineUsed {
    /// For jobs with a queue: `io_uring` or `threads`. Jobs with one transfer
    /// at a time use plain `pread` and `pwrite`.
    pub name: String,
    /// False only on a recorded machine: through the page cache.
    pub direct: bool,
    /// Buffers registered with the kernel.
    pub registered_buffers: bool,
    /// File registered with the kernel.
    pub registered_file: bool,
    /// All buffers lie on huge pages, as the kernel tells (not only asked for).
    pub huge_pages: bool,
}

/// What came out of a job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JobResult {
    /// `seq1m-q8t1-read`.
    pub job: String,
    /// `bytes_per_second`: of `median`, `samples`, `low`, `high`, `min`, `max`.
    pub unit: String,
    /// `io_uring`, `threads` or `pread/pwrite`.
    pub engine: String,
    /// Median of the passes.
    pub median: f64,
    /// Lower end of the 95 % interval of the median; `None` with fewer than
    /// six passes, which have none.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// The slowest pass.
    pub min: f64,
    /// The fastest pass.
    pub max: f64,
    /// Every pass.
    pub samples: Vec<f64>,
    /// Transfers a second at the median.
    pub iops: f64,
    /// Mean latency of all passes together.
    pub mean_ns: f64,
    /// Percentiles of the latency; `None` with fewer than ten transfers beyond.
    pub p50_ns: Option<u64>,
    /// 99 %.
    pub p99_ns: Option<u64>,
    /// 99.9 %.
    pub p999_ns: Option<u64>,
    /// The longest.
    pub max_ns: u64,
    /// Processor time a transfer, user and system.
    pub cpu_ns_per_io: f64,
    /// Bytes that the disk itself counted for each byte moved.
    pub disk_ratio: Option<f64>,
    /// False: this number is not the drive's, and the warnings say why.
    pub valid: bool,
    /// What stands out.
    pub warnings: Vec<String>,
    /// The most that the link can carry this way.
    pub ceiling_bytes_per_second: Option<f64>,
    /// `median` as a share of it.
    pub ceiling_ratio: Option<f64>,
    /// The drive's payload size could not be read: the ceiling is that of the
    /// largest which the board can do (512 bytes).
    pub ceiling_assumed: bool,
}

impl Run {
    /// Nothing in it that this program would not have written: rates are
    /// positive numbers, the link is one that exists.
    pub(super) fn is_sound(&self) -> bool {
        let rate = |r: &f64| r.is_finite() && *r > 0.0;
        let link = |l: LinkInfo| l.width > 0 && l.link().is_some();
        self.environment.link.is_none_or(link)
            && self.timeline.is_sound()
            && self
                .results
                .iter()
                .all(|r| rate(&r.median) && r.samples.iter().all(rate) && !r.samples.is_empty())
    }

    /// Complete, and every number is the drive's: fit to be compared with.
    pub fn is_baseline(&self) -> bool {
        !self.partial && !self.results.is_empty() && self.results.iter().all(|r| r.valid)
    }
}
