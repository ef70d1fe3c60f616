//! The boot order and the medium of this start against what was asked for.

use super::{Draft, asks_eeprom};
use crate::facts::Facts;
use crate::formats::bootconf;
use crate::rules::findings::{order_words, waiting};
use crate::rules::{BootGoal, Recorded, check_text, id, machine};
use crate::terms::{BootMedium, BootOrder};

pub(super) fn judge(facts: &Facts, recorded: Option<&Recorded>, draft: &mut Draft) {
    if let Some(recorded) = recorded.filter(|r| asks_eeprom(r)) {
        if !order(facts, recorded, draft) {
            return;
        }
    }
    if !recorded.is_some_and(asks_eeprom) {
        waiting(facts).into_iter().for_each(|f| draft.add(f));
    }
    medium(facts, recorded, draft);
}

/// Compares the running configuration with what setup set; false when they
/// differ or it could not be read.
fn order(facts: &Facts, recorded: &Recorded, draft: &mut Draft) -> bool {
    let conditions = machine::conditions(facts);
    let Some(live) = &facts.eeprom.meaning else {
        draft.unknown(check_text(id::EEPROM_NOT_KNOWN, &[]));
        return false;
    };
    let now = live.boot_order.unwrap_or(BootOrder::DEFAULT);
    let wanted = recorded.bootconf_after.as_ref().map(|text| bootconf::read(text, &conditions));
    let order_met = match &wanted {
        Some(wanted) => wanted.boot_order.unwrap_or(BootOrder::DEFAULT) == now,
        None => recorded.goal.boot != BootGoal::NvmeFirst || now.nvme_first(),
    };
    let probe_met = wanted.as_ref().is_none_or(|w| !w.pcie_probe || live.pcie_probe);
    if order_met && probe_met {
        return true;
    }
    let words = |order: BootOrder, probe: bool| {
        format!("{}{}", order_words(order), if probe && !probe_met { ", PCIE_PROBE=1" } else { "" })
    };
    let target = match &wanted {
        Some(wanted) => words(wanted.boot_order.unwrap_or(BootOrder::DEFAULT), wanted.pcie_probe),
        None => "NVMe first".into(),
    };
    let values = [("live", words(now, false)), ("wanted", target)];
    // Nothing but the old text says that the change was never carried out.
    let untouched = recorded.bootconf_before.is_some() && recorded.bootconf_before == facts.eeprom.running;
    let id = if facts.eeprom.pending.is_some() || untouched { id::EEPROM_NOT_LIVE } else { id::EEPROM_LOST };
    draft.no(check_text(id, &values).seen("BOOT_ORDER", now.to_string()));
    false
}

/// NVMe first, and the firmware started from something else all the same.
fn medium(facts: &Facts, recorded: Option<&Recorded>, draft: &mut Draft) {
    let Some(medium) = facts.boot.medium.filter(|m| *m != BootMedium::Nvme) else { return };
    let order = facts.eeprom.boot_order();
    if !order.is_some_and(BootOrder::nvme_first) {
        return;
    }
    if facts.boot.copies.iter().any(|c| c.files.is_some()) {
        let finding = check_text(id::FELL_BACK, &[("medium", medium.name().into())]);
        if recorded.is_some_and(|r| r.goal.boot == BootGoal::NvmeFirst) {
            draft.no(finding);
        } else {
            draft.add(finding);
        }
    } else {
        let values = [("next", medium.name().to_owned())];
        draft.add(check_text(id::BOOT_NOTHING_ON_DRIVE, &values));
    }
}
