//! Supply and under-voltage.

use super::{Board, KernelLog, Missing, Power, board::TREE, sysfs};
use crate::formats::device_tree;
use crate::host::{Ending, Host, Program};
use std::time::Duration;

/// `get_throttled`: under-voltage now, and since boot (Raspberry Pi
/// documentation, vcgencmd).
const NOW: u32 = 1;
const SEEN: u32 = 1 << 16;

/// Reads the supply and the under-voltage flags.
pub(super) fn power(host: &Host, board: &Board, log: &KernelLog, missing: &mut Vec<Missing>) -> Power {
    let path = format!("{TREE}/chosen/power/max_current");
    let max_current_ma = host.read(&path).ok().and_then(|bytes| device_tree::u32_be(&bytes));
    let throttled = throttled(host);
    let alarm = alarm(host);
    let logged = log.events.iter().any(|event| event.kind == "undervolt");
    // The sensor's alarm covers the seconds since the driver last asked.
    let now = match (throttled.as_ref().ok(), alarm) {
        (None, None) => None,
        (bits, alarm) => Some(bits.is_some_and(|b| b & NOW != 0) || alarm == Some(true)),
    };
    let seen = match &throttled {
        Ok(bits) => Some(bits & SEEN != 0 || logged || now == Some(true)),
        Err(_) if logged || now == Some(true) => Some(true),
        // A whole log without the line is as good as the flag.
        Err(_) => (alarm.is_some() && log.read && log.from_boot).then_some(false),
    };
    if board.kind.supported() {
        if max_current_ma.is_none() {
            missing.push(Missing {
                path,
                why: "not there: the bootloader does not tell the supply current".into(),
            });
        }
        if let (Err(why), true) = (throttled, now.is_none() || seen.is_none()) {
            missing.push(Missing { path: "vcgencmd get_throttled".into(), why });
        }
    }
    Power { max_current_ma, undervoltage_now: now, undervoltage_seen: seen }
}

/// The alarm of the firmware's voltage sensor.
fn alarm(host: &Host) -> Option<bool> {
    let sensors = host.list("/sys/class/hwmon").ok()?;
    let folder = sensors
        .iter()
        .map(|name| format!("/sys/class/hwmon/{name}"))
        .find(|folder| sysfs::text(host, &format!("{folder}/name")).as_deref() == Some("rpi_volt"))?;
    Some(sysfs::number::<u8>(host, &format!("{folder}/in0_lcrit_alarm"))? != 0)
}

/// The bits of `vcgencmd get_throttled`. The sysfs attribute of the same name
/// is left alone: reading it puts a warning into the kernel log.
fn throttled(host: &Host) -> Result<u32, String> {
    let argv = ["vcgencmd", "get_throttled"];
    let program = Program { argv: &argv, env: &[], timeout: Duration::from_secs(2), ending: Ending::Forced };
    let output = host.run(&program).map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    text.trim()
        .strip_prefix("throttled=0x")
        .and_then(|hex| u32::from_str_radix(hex, 16).ok())
        .ok_or_else(|| format!("answered {:?} (status {})", text.trim(), output.status))
}
