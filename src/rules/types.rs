//! The values that deciding gives: findings, a goal, a plan, a verdict.

use serde::{Deserialize, Serialize};

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Good to know.
    Info,
    /// Look at it.
    Warning,
    /// It does not work, or data is at risk.
    Error,
}

/// Where something was seen and what stood there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Evidence {
    /// A path, `config.txt:12`, a program, a PCI address.
    pub at: String,
    /// What stood there.
    pub value: String,
}

/// Something that stands out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Its id in `assets/checks.toml`.
    pub id: String,
    /// How much it matters.
    pub severity: Severity,
    /// What it means, one sentence, with the evidence filled in.
    pub text: String,
    /// What to do.
    pub remedy: String,
    /// What shows it.
    pub evidence: Vec<Evidence>,
}

/// What the link shall be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LinkGoal {
    /// As it is (the port is still enabled).
    Keep,
    /// 2.5 GT/s.
    Gen1,
    /// 5.0 GT/s.
    Gen2,
    /// 8.0 GT/s.
    Gen3,
}

/// What shall be tried first at boot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BootGoal {
    /// As it is.
    Keep,
    /// NVMe.
    NvmeFirst,
}

/// Whether the bootloader shall probe the lane by itself (`PCIE_PROBE`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProbeGoal {
    /// On when NVMe boot is wanted and no HAT+ was detected.
    Auto,
    /// As it is.
    Keep,
    /// On.
    On,
}

/// What `setup` shall reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Goal {
    /// The link.
    pub link: LinkGoal,
    /// The boot order.
    pub boot: BootGoal,
    /// `PCIE_PROBE`.
    pub probe: ProbeGoal,
}

/// A change of one thing, whole: what stands there and what shall.
///
/// `before` is there so that applying refuses when it changed since.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// A text file of a boot partition gets a longer text.
    AppendToFile {
        /// Its path on the mounted boot partition, or below the root of
        /// `device` when that is mounted only for the edit.
        path: String,
        /// Set when the partition is to be mounted for the edit.
        device: Option<String>,
        /// The bytes that stand there.
        before: Vec<u8>,
        /// The bytes that shall.
        after: Vec<u8>,
    },
    /// The bootloader configuration gets a longer text.
    SetBootConfig {
        /// The running or pending configuration.
        before: Vec<u8>,
        /// The new one.
        after: Vec<u8>,
        /// The bootloader image to flash it with, of the running version.
        image: String,
        /// The configuration comes from a pending update, not the running one.
        from_pending: bool,
    },
}

/// A step of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The change.
    pub change: Change,
    /// Why, one sentence.
    pub why: String,
    /// What can go wrong and the way back, one sentence.
    pub risk: String,
    /// The unified diff.
    pub diff: String,
    /// What the diff means, in words: the boot order before and after.
    pub words: Vec<String>,
}

/// Something that was asked for and is not done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Refusal {
    /// The id in `assets/checks.toml`.
    pub id: String,
    /// Why not.
    pub why: String,
    /// What to do instead.
    pub do_instead: String,
}

/// Whether the change needs a reboot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Reboot {
    /// No.
    No,
    /// Yes.
    Needed,
}

/// What is to be done: the very value that is shown, applied and journalled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// What it reaches.
    pub goal: Goal,
    /// In the order in which they are done: config.txt first, EEPROM last.
    pub steps: Vec<Step>,
    /// What is not done, and why. A refusal of anything asked for means that
    /// nothing at all is done.
    pub refusals: Vec<Refusal>,
    /// Things to know before saying yes.
    pub notes: Vec<Finding>,
    /// Whether a reboot follows, also when nothing is left to change but an
    /// earlier change still waits for one.
    pub reboot: Reboot,
}

/// Whether the goal is met.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Met {
    /// Yes.
    Yes,
    /// No.
    No,
    /// Could not be told.
    Unknown,
}

/// What `verify` says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// Whether the goal is met.
    pub met: Met,
    /// One line: the result.
    pub headline: String,
    /// What was asked for.
    pub asked: Option<u32>,
    /// What the slowest of the drives runs at.
    pub reached: Option<u32>,
    /// Why, and what else stands out.
    pub findings: Vec<Finding>,
    /// What to do next: commands or sentences, at most two.
    pub next: Vec<String>,
}

/// What `setup` recorded of its newest change, for `verify` to compare with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorded {
    /// The transaction (`0007`).
    pub id: String,
    /// What it was to reach.
    pub goal: Goal,
    /// `/proc/sys/kernel/random/boot_id` when it was applied: the same one now
    /// means that no reboot came between.
    pub boot_id: Option<String>,
    /// The config.txt that it changed or found already set.
    pub config_path: String,
    /// The bytes that it left there.
    pub config_after: Vec<u8>,
    /// The bootloader configuration it set, if it set one.
    pub bootconf_after: Option<Vec<u8>>,
    /// The bootloader configuration before that.
    pub bootconf_before: Option<Vec<u8>>,
    /// Model and identity of the drives that were there.
    pub drives: Vec<(String, String)>,
}

impl Finding {
    /// The same finding with a piece of evidence added.
    #[must_use]
    pub fn seen(mut self, at: impl Into<String>, value: impl Into<String>) -> Self {
        self.evidence.push(Evidence { at: at.into(), value: value.into() });
        self
    }
}
