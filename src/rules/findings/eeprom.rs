//! The bootloader: its configuration, a waiting update, its age.

use crate::facts::{DriveState, Eeprom, Facts, PendingUpdate, PortState};
use crate::formats::bootconf;
use crate::rules::{Finding, bootloader, check_text, id, machine};
use crate::terms::{BootMode, BootOrder};

/// The updater throws a configuration with fewer ended lines away.
///
/// Source: rpi-eeprom-update (`wc -l` below 3).
const FEWEST_LINES: usize = 3;

pub(super) fn find(facts: &Facts, found: &mut Vec<Finding>) {
    let eeprom = &facts.eeprom;
    found.extend(waiting(facts));
    if let Some(text) = &eeprom.flashed {
        let then = bootconf::read(text, &machine::conditions(facts));
        let values = [
            ("running", eeprom.meaning.as_ref().map_or_else(|| "not known".into(), read_order)),
            ("flashed", read_order(&then)),
        ];
        found.push(check_text(id::EEPROM_FLASHED, &values));
    }
    found.extend(bootloader::old(facts));
    found.extend(bootloader::sn550(facts));
    let Some(meaning) = &eeprom.meaning else { return };
    if meaning.frozen {
        found.push(check_text(id::EEPROM_FROZEN, &[]).seen("bootloader configuration", "FREEZE_VERSION=1"));
    }
    for key in &meaning.unknown_keys {
        found.push(
            check_text(id::EEPROM_UNKNOWN_KEY, &[("key", key.clone())]).seen("bootloader configuration", key),
        );
    }
    for line in eeprom.running.iter().flat_map(|text| bootconf::trailing_text(text)) {
        let values = [("line", format!("`{line}`"))];
        found.push(check_text(id::EEPROM_TRAILING_TEXT, &values).seen("bootloader configuration", line));
    }
    if eeprom.running.as_ref().is_some_and(|text| text.iter().filter(|b| **b == b'\n').count() < FEWEST_LINES)
    {
        found.push(check_text(id::EEPROM_FEW_LINES, &[]));
    }
    order(facts, meaning, found);
    if meaning.pcie_probe && facts.port.state == PortState::LinkDown {
        found.push(check_text(id::PROBE_LINK_DOWN, &[]).seen("bootloader configuration", "PCIE_PROBE=1"));
    }
}

/// The update that the next start carries out.
pub(in crate::rules) fn waiting(facts: &Facts) -> Option<Finding> {
    facts.eeprom.pending.as_ref().map(|update| pending(&facts.eeprom, update))
}

fn order(facts: &Facts, meaning: &bootconf::Meaning, found: &mut Vec<Finding>) {
    if !meaning.boot_order_certain {
        found.push(check_text(id::ORDER_UNCERTAIN, &[]));
        return;
    }
    let order = meaning.boot_order.unwrap_or(BootOrder::DEFAULT);
    let words = order_words(order);
    let mut add = |id: &str| {
        found.push(check_text(id, &[("words", words.clone())]).seen("BOOT_ORDER", order.to_string()))
    };
    let attempts = order.attempts();
    if matches!(attempts.first(), Some(BootMode(0x2 | 0x7))) {
        add(id::ORDER_NETWORK_FIRST);
    }
    let live = facts.drives.iter().any(|d| d.state == DriveState::Live);
    let has_nvme = attempts.contains(&BootMode::NVME);
    if order.nvme_first() && !live && facts.port.state != PortState::Unknown {
        add(id::ORDER_NVME_NO_DRIVE);
    }
    if has_nvme && !order.has_fallback() {
        add(id::ORDER_NO_FALLBACK);
    }
    if live && !has_nvme {
        add(id::ORDER_WITHOUT_NVME);
    }
    if live && has_nvme {
        found.extend(bootloader::any_switch(facts));
        found.extend(bootloader::sectors(facts));
        found.extend(bootloader::large_files(facts));
    }
}

fn pending(eeprom: &Eeprom, update: &PendingUpdate) -> Finding {
    let mut finding = match (&update.config, &update.meaning) {
        (Some(_), Some(meaning)) => {
            let running = eeprom.meaning.as_ref().map_or_else(|| "not known".into(), read_order);
            let change = match read_order(meaning) {
                pending if pending == running => format!("stays {running}"),
                pending => format!("now {running}, then {pending}"),
            };
            check_text(id::EEPROM_PENDING, &[("change", change)])
        }
        _ => check_text(id::PENDING_UNREADABLE, &[("files", update.files.join(", "))]),
    };
    for file in &update.files {
        finding = finding.seen(file, "waits for the next reboot");
    }
    match (update.build_timestamp, eeprom.build_timestamp) {
        (Some(new), Some(old)) if new != old => finding.seen(
            "bootloader version",
            format!("{} now, then {}", bootloader::date(old), bootloader::date(new)),
        ),
        _ => finding,
    }
}

/// The order that a configuration asks for, in words.
fn read_order(meaning: &bootconf::Meaning) -> String {
    order_words(meaning.boot_order.unwrap_or(BootOrder::DEFAULT))
}

/// `0xf461 = SD card -> NVMe -> USB -> restart`.
pub(in crate::rules) fn order_words(order: BootOrder) -> String {
    format!("{order} = {}", order.words())
}
