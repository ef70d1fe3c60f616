//! What the machine says of itself around a pass: bytes that went through the
//! disk, the drive's temperature, the speed of its link.

use super::types::{Environment, TargetInfo};
use crate::facts::{Drive, Facts};
use crate::host::Host;

/// One look at all gauges.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Reading {
    /// Bytes read from and written to the disk since it was found.
    pub(super) disk_bytes: Option<(u64, u64)>,
    /// The drive's temperature.
    pub(super) temperature_celsius: Option<f64>,
    /// Current link speed of every hop, in sysfs' words.
    pub(super) speeds: Vec<String>,
}

/// Something that can be looked at again and again.
pub(super) trait Gauges {
    fn read(&mut self) -> Reading;
}

/// The gauges in sysfs.
pub(super) struct SysfsGauges<'h> {
    host: &'h Host,
    stat: Option<String>,
    temperature: Option<String>,
    speeds: Vec<String>,
}

impl<'h> SysfsGauges<'h> {
    pub(super) fn new(host: &'h Host, drive: Option<&Drive>, target: &TargetInfo) -> Self {
        // A recorded disk does not move while another computer's works.
        let disk = target.disk.as_ref().filter(|_| !host.is_simulated());
        let hops = drive.map(|d| d.path.as_slice()).unwrap_or_default();
        let speed = |h: &crate::facts::Hop| format!("/sys/bus/pci/devices/{}/current_link_speed", h.address);
        Self {
            host,
            stat: disk.map(|d| format!("/sys/block/{d}/stat")),
            temperature: drive.and_then(|d| thermometer(host, &d.name)),
            speeds: hops.iter().map(speed).collect(),
        }
    }
}

/// The drive's own sensor: hwmon stands below the controller, on older kernels
/// below its PCI function.
fn thermometer(host: &Host, controller: &str) -> Option<String> {
    let base = format!("/sys/class/nvme/{controller}");
    for dir in [base.clone(), format!("{base}/hwmon"), format!("{base}/device/hwmon")] {
        for name in host.list(&dir).unwrap_or_default().iter().filter(|n| n.starts_with("hwmon")) {
            let path = format!("{dir}/{name}/temp1_input");
            if host.exists(&path) {
                return Some(path);
            }
        }
    }
    None
}

impl Gauges for SysfsGauges<'_> {
    fn read(&mut self) -> Reading {
        let text = |path: &Option<String>| path.as_ref().and_then(|p| self.host.read_text(p).ok());
        Reading {
            disk_bytes: text(&self.stat).and_then(|t| disk_bytes(&t)),
            temperature_celsius: text(&self.temperature)
                .and_then(|t| t.parse::<f64>().ok())
                .map(|m| m / 1000.0),
            speeds: self.speeds.iter().map(|p| self.host.read_text(p).unwrap_or_default()).collect(),
        }
    }
}

/// Sectors there have 512 bytes whatever the disk's own size of a block is
/// (Documentation/block/stat.rst).
fn disk_bytes(stat: &str) -> Option<(u64, u64)> {
    let mut fields = stat.split_ascii_whitespace().map(|f| f.parse::<u64>().ok());
    let read = fields.nth(2)??;
    let written = fields.nth(3)??;
    Some((read.saturating_mul(512), written.saturating_mul(512)))
}

/// What does not change during a run.
pub(super) fn environment(
    host: &Host,
    facts: &Facts,
    drive: Option<&Drive>,
    target: &TargetInfo,
) -> Environment {
    let text = |path: &str| host.read_text(path).ok().filter(|t| !t.is_empty());
    // `default performance [powersave]`: the one in brackets is in force.
    let chosen = |path: &str| {
        let text = text(path)?;
        let inside =
            text.split_once('[').and_then(|(_, rest)| rest.split_once(']')).map(|(word, _)| word.to_owned());
        inside.or(Some(text))
    };
    Environment {
        kernel: facts.kernel.clone(),
        link: drive.and_then(Drive::link).map(Into::into),
        max_payload_bytes: drive.and_then(Drive::max_payload_bytes),
        aspm_policy: chosen("/sys/module/pcie_aspm/parameters/policy"),
        scheduler: target.disk.as_ref().and_then(|d| chosen(&format!("/sys/block/{d}/queue/scheduler"))),
        governor: text("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        ..Environment::default()
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn sectors_are_counted_in_512_bytes() {
        let stat =
            "    1000       5    16384      90     2000      11    32768     120        0      150      210";
        assert_eq!(super::disk_bytes(stat), Some((16384 * 512, 32768 * 512)));
        assert_eq!(super::disk_bytes(""), None);
        assert_eq!(super::disk_bytes("1 2 x 4 5 6 7"), None);
    }
}
