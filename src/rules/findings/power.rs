//! The supply.

use crate::facts::Facts;
use crate::rules::{Finding, check_text, id};

/// What a Pi 5 with peripherals is made for, in mA.
///
/// Source: Raspberry Pi documentation, power supplies.
const FULL_MA: u32 = 5000;

pub(super) fn find(facts: &Facts, found: &mut Vec<Finding>) {
    let power = &facts.power;
    let in_log = facts.log.events.iter().find(|e| e.kind == "undervolt" && e.text.contains("detected"));
    let now = power.undervoltage_now == Some(true);
    if now || power.undervoltage_seen == Some(true) || in_log.is_some() {
        let when = if now { "at this moment" } else { "at least once since the start" };
        let mut finding = check_text(id::UNDERVOLTAGE, &[("when", when.into())]);
        if now || power.undervoltage_seen == Some(true) {
            finding =
                finding.seen("get_throttled", if now { "under-voltage now" } else { "under-voltage seen" });
        }
        if let Some(event) = in_log {
            finding = finding.seen("kernel log", &event.text);
        }
        found.push(finding);
    }
    // 0 is what the firmware writes when it does not know.
    if let Some(current) = power.max_current_ma.filter(|ma| (1..FULL_MA).contains(ma)) {
        let amps = format!("{:.1}", f64::from(current) / 1000.0);
        found.push(
            check_text(id::SUPPLY_WEAK, &[("amps", amps)])
                .seen("chosen/power/max_current", format!("{current} mA")),
        );
    }
}
