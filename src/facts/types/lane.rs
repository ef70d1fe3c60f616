//! The PCIe connector and the drives behind it.

use crate::terms::{Generation, Link};
use serde::Serialize;

/// Where the external connector stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PortState {
    /// The device tree says disabled: nothing asked for it.
    Disabled,
    /// Enabled, and the link did not come up.
    LinkDown,
    /// The root port is there, with nothing behind it.
    Empty,
    /// Something is behind it.
    Occupied,
    /// Could not be told.
    Unknown,
}

/// The external PCIe connector.
#[derive(Debug, Clone)]
pub struct ExternalPort {
    /// Its state.
    pub state: PortState,
    /// `max-link-speed` of the live device tree: the generation asked for at
    /// this boot.
    pub asked: Option<u32>,
    /// The root port's PCI address.
    pub root_port: Option<String>,
    /// Everything behind it that is neither a bridge nor NVMe.
    pub others: Vec<PciFunction>,
    /// Every bridge behind the root port, in bus order.
    pub switches: Vec<Hop>,
}

/// A PCI function that is not NVMe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PciFunction {
    /// `0001:01:00.0`.
    pub address: String,
    /// Vendor id.
    pub vendor: Option<u16>,
    /// Device id.
    pub device: Option<u16>,
    /// Class code, 24 bits.
    pub class: Option<u32>,
}

/// What a hop of the path is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum HopKind {
    /// The root port of the connector.
    RootPort,
    /// A switch's port towards the Pi.
    UpstreamPort,
    /// A switch's port towards a drive.
    DownstreamPort,
    /// The drive itself.
    Endpoint,
}

/// A PCI function on the way from the Pi to a drive.
#[derive(Debug, Clone, PartialEq)]
pub struct Hop {
    /// `0001:00:00.0`.
    pub address: String,
    /// What it is.
    pub kind: HopKind,
    /// Vendor id.
    pub vendor: Option<u16>,
    /// Device id.
    pub device: Option<u16>,
    /// Current speed; `None`: unknown.
    pub speed: Option<Generation>,
    /// Highest speed. For the root port this is what was *asked*, not what it
    /// can do.
    pub max_speed: Option<Generation>,
    /// Current width; `None`: unknown or no link (0, 63).
    pub width: Option<u8>,
    /// Highest width.
    pub max_width: Option<u8>,
    /// Max Payload Size in force, bytes (needs root).
    pub max_payload_bytes: Option<u32>,
    /// Error counters (AER), by kind; `None` where the kernel keeps none.
    pub aer: Option<AerCounters>,
    /// Its folder in sysfs.
    pub path: String,
}

/// AER totals of one function since it was enumerated.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct AerCounters {
    /// Corrected.
    pub correctable: u64,
    /// Not corrected, link still usable.
    pub nonfatal: u64,
    /// Not corrected, link lost.
    pub fatal: u64,
    /// The single counters that are not zero: name and count.
    pub names: Vec<(String, u64)>,
}

/// How a drive is doing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DriveState {
    /// The driver serves it.
    Live,
    /// The driver knows it, but it is in another state (`resetting`, `dead`).
    Driver(String),
    /// On the bus and not answering: class 0xffffff, or all-ones registers.
    NotAnswering,
    /// On the bus with no driver bound to it.
    NoDriver,
}

/// An NVMe drive.
#[derive(Debug, Clone)]
pub struct Drive {
    /// `nvme0`, or the PCI address where there is no controller.
    pub name: String,
    /// Model, trimmed.
    pub model: Option<String>,
    /// Firmware revision, trimmed.
    pub firmware: Option<String>,
    /// A hash of model and serial number: tells two drives apart without
    /// telling the number.
    pub identity: Option<String>,
    /// State.
    pub state: DriveState,
    /// The PCI function.
    pub address: Option<String>,
    /// Vendor id.
    pub vendor: Option<u16>,
    /// Device id.
    pub device: Option<u16>,
    /// From the root port to the drive.
    pub path: Vec<Hop>,
    /// On the external connector (always so on a Pi 5; kept for the reader).
    pub external: bool,
    /// Its namespaces.
    pub namespaces: Vec<Namespace>,
    /// Composite temperature.
    pub temperature_celsius: Option<f64>,
    /// The drive's own warning threshold, if sane (-60 to 150 °C).
    pub warning_celsius: Option<f64>,
    /// The drive's own critical threshold, if sane.
    pub critical_celsius: Option<f64>,
    /// The SMART log (needs root).
    pub smart: Option<Smart>,
}

/// A namespace: the block device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Namespace {
    /// `nvme0n1`.
    pub name: String,
    /// Bytes.
    pub capacity_bytes: Option<u64>,
    /// Logical block size in bytes.
    pub logical_block_size_bytes: Option<u32>,
}

/// The part of the SMART log that tells trouble.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Smart {
    /// Critical warning bits.
    pub critical_warning: u8,
    /// Available spare, percent.
    pub spare_percent: u8,
    /// Used, percent; can pass 100.
    pub used_percent: u8,
    /// Media errors.
    pub media_errors: u128,
    /// Error log entries.
    pub error_log_entries: u128,
    /// Unsafe shutdowns.
    pub unsafe_shutdowns: u128,
    /// Minutes above the warning threshold.
    pub warning_temp_minutes: u32,
    /// Minutes above the critical threshold.
    pub critical_temp_minutes: u32,
    /// Times the drive throttled itself (both thresholds).
    pub thermal_transitions: u64,
    /// Composite temperature in kelvin.
    pub temperature_kelvin: u16,
}

impl Drive {
    /// The link that limits the drive: the slowest hop, a hop with an unknown
    /// speed makes it unknown. Width: the narrowest.
    pub fn link(&self) -> Option<Link> {
        // A link is known at both of its ends; the root port's side of it is
        // enough where there is no switch, and equal to the other where there is.
        let mut slowest: Option<Link> = None;
        for hop in &self.path {
            let link = Link { generation: hop.speed?, width: hop.width? };
            slowest = Some(match slowest {
                None => link,
                Some(s) => {
                    Link { generation: s.generation.min(link.generation), width: s.width.min(link.width) }
                }
            });
        }
        slowest
    }

    /// What the devices of the path could do: the slowest of their own
    /// maxima, without the root port, whose maximum is only what was asked.
    pub fn possible(&self) -> Option<Generation> {
        self.path.iter().filter(|h| h.kind != HopKind::RootPort).map(|h| h.max_speed).min()?
    }

    /// The smallest Max Payload Size along the path.
    pub fn max_payload_bytes(&self) -> Option<u32> {
        self.path.iter().map(|h| h.max_payload_bytes).min()?
    }
}
