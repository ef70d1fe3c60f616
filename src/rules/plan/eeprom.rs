//! The step for the bootloader configuration.

use super::{Draft, start};
use crate::facts::{Eeprom, Facts, PendingUpdate, PortState};
use crate::formats::config_txt::{self, Conditions};
use crate::formats::{bootconf, diff};
use crate::rules::bootloader::date;
use crate::rules::findings::{self, order_words};
use crate::rules::{BootGoal, Change, Finding, Goal, ProbeGoal, Step, check_text, id, known, machine};
use crate::terms::{BootMedium, BootOrder};

/// The most bytes that a configuration can have in an image.
///
/// Source: rpi-eeprom-config (4096 less the section's header).
const LARGEST: usize = 4076;

/// Adds the step that makes the bootloader configuration mean the goal.
pub(super) fn add(facts: &Facts, goal: &Goal, draft: &mut Draft) {
    let order_wanted = goal.boot == BootGoal::NvmeFirst;
    let probe = match goal.probe {
        ProbeGoal::On => true,
        ProbeGoal::Keep => false,
        ProbeGoal::Auto => order_wanted && !detected(facts),
    };
    if !order_wanted && !probe {
        return;
    }
    let conditions = machine::conditions(facts);
    let before = match present(&facts.eeprom) {
        Ok(before) => before,
        Err(finding) => return draft.refuse(finding),
    };
    let meaning = bootconf::read(before, &conditions);
    if !meaning.boot_order_certain {
        return draft.refuse(check_text(id::ORDER_UNCERTAIN, &[]));
    }
    let now = meaning.boot_order.unwrap_or(BootOrder::DEFAULT);
    let target = if order_wanted { now.with_nvme_first() } else { Some(now) };
    let Some(target) = target else {
        return draft.refuse(check_text(id::ORDER_FULL, &[("order", now.to_string())]));
    };
    if order_wanted {
        start::copies(facts, target, draft);
    }
    // The default is a promise of the bootloader in use, not of the next one.
    let order_changes = order_wanted && (target != now || meaning.boot_order.is_none());
    let probe_changes = probe && !meaning.pcie_probe;
    if !order_changes && !probe_changes {
        return;
    }
    if order_wanted {
        duplicates(facts, draft);
        start::from_nvme(facts, draft);
        if !target.has_fallback() {
            draft.refuse(check_text(id::ORDER_NO_FALLBACK, &[("words", order_words(target))]));
        }
    }
    tool(facts, &meaning, draft);
    if facts.eeprom.tool != Some(true) {
        // Without the tool its images cannot be used either.
        return;
    }
    let image = match image(&facts.eeprom) {
        Ok(image) => image,
        Err(finding) => return draft.refuse(finding),
    };
    match new_text(before, &conditions, order_changes.then_some(target), probe, target) {
        Ok(after) => draft.steps.push(step(
            facts,
            before,
            after,
            image,
            (&meaning, target),
            (order_changes, probe_changes),
        )),
        Err(why) => draft.refuse(check_text(id::BOOTCONF_NOT_CERTAIN, &[("why", why)])),
    }
}

/// With the same partition ids on two disks a start from the other one could
/// run on this one's root.
fn duplicates(facts: &Facts, draft: &mut Draft) {
    let mut found = Vec::new();
    findings::duplicates(&facts.boot.partitions, &mut found);
    let (roots, others): (Vec<_>, Vec<_>) = found.into_iter().partition(|f| f.id == id::DUPLICATE_PARTUUID);
    roots.into_iter().for_each(|f| draft.refuse(f));
    draft.notes.extend(others);
}

/// The firmware turned the connector on by itself: it detected the board, and
/// will do so at the next start.
fn detected(facts: &Facts) -> bool {
    let by_firmware = facts.boot.conditions.as_ref().is_some_and(|c| c.port_enabled_by_firmware);
    // Boards with the detect signal and no ID EEPROM show only in that the
    // connector is on although nothing in config.txt turns it on.
    let unasked = || {
        let files = facts.boot.files.as_ref()?;
        let conditions = Conditions { port_enabled_by_firmware: false, ..machine::conditions(facts) };
        let off = config_txt::read(files, &conditions).port.value.is_certainly(&false);
        Some(off && !matches!(facts.port.state, PortState::Disabled | PortState::Unknown))
    };
    // A HAT for something else says nothing of the board on the connector.
    let hat = facts.hat.as_ref().is_some_and(|h| {
        let product = h.product.to_ascii_uppercase();
        known::hat(&h.vendor, &h.product).is_some()
            || ["M.2", "NVME", "PCIE"].iter().any(|word| product.contains(word))
    });
    by_firmware || hat || unasked().unwrap_or(false)
}

/// The text that the next start will have: the waiting one, else the one just
/// flashed, else the running.
fn present(eeprom: &Eeprom) -> Result<&[u8], Finding> {
    let text = match &eeprom.pending {
        None => eeprom.flashed.as_deref().or(eeprom.running.as_deref()),
        Some(update) => Some(update.config.as_deref().ok_or_else(|| pending_unreadable(update))?),
    };
    // A text of a single line is what a failed reading looks like.
    let whole =
        |text: &&[u8]| text.split(|b| *b == b'\n').filter(|l| !l.trim_ascii().is_empty()).count() >= 2;
    text.filter(whole).ok_or_else(|| check_text(id::EEPROM_UNREADABLE, &[]))
}

fn pending_unreadable(update: &PendingUpdate) -> Finding {
    check_text(id::PENDING_UNREADABLE, &[("files", update.files.join(", "))])
}

/// What the official tool and its settings allow.
fn tool(facts: &Facts, meaning: &bootconf::Meaning, draft: &mut Draft) {
    let eeprom = &facts.eeprom;
    if meaning.frozen || eeprom.meaning.as_ref().is_some_and(|m| m.frozen) {
        draft.refuse(check_text(id::EEPROM_FROZEN, &[]));
    }
    if meaning.signed_boot && eeprom.secure_boot.is_none() {
        draft.refuse(check_text(
            id::SIGNED_BOOT,
            &[("evidence", "SIGNED_BOOT in the bootloader configuration".into())],
        ));
    }
    if eeprom.tool != Some(true) {
        draft.refuse(check_text(id::EEPROM_NO_TOOL, &[]));
    }
    for note in &eeprom.settings_notes {
        draft.notes.push(check_text(id::EEPROM_SETTINGS, &[("note", note.trim_end_matches('.').to_owned())]));
    }
    if eeprom.immediate == Some(true) {
        return;
    }
    if let (Some(tool), Some(mount)) = (&eeprom.boot_dir, &facts.boot.mount) {
        if tool.trim_end_matches('/') != mount.point.trim_end_matches('/') {
            let values = [("tool", tool.clone()), ("mount", mount.point.clone())];
            draft.refuse(check_text(id::EEPROM_BOOT_DIR, &values));
        }
    }
    if let Some(finding) = not_first(facts) {
        draft.refuse(finding);
    }
    let config_off = facts.boot.files.as_ref().is_some_and(|f| has(&f.top, b"bootloader_update=0"));
    if facts.boot.medium != Some(BootMedium::Sd) && (meaning.self_update_off || config_off) {
        let evidence = if config_off { "bootloader_update=0 in config.txt" } else { "ENABLE_SELF_UPDATE=0" };
        draft.refuse(check_text(id::EEPROM_STAGED_NEVER, &[("evidence", evidence.into())]));
    }
}

/// A system with several boot partitions (autoboot.txt, a boot menu) that was
/// started from a later one: recovery.bin before 2025-02-11 does not find itself
/// there to take itself away (raspberrypi/rpi-eeprom#663).
fn not_first(facts: &Facts) -> Option<Finding> {
    let partitions = &facts.boot.partitions;
    let own = partitions.iter().find(|p| Some(&p.device) == facts.boot.config_device.as_ref())?;
    let fat = partitions.iter().filter(|p| p.disk == own.disk && p.fs_type.as_deref() == Some("vfat"));
    let first = fat.min_by_key(|p| p.number).filter(|p| p.number < own.number)?;
    let values = [("own", own.device.clone()), ("first", first.device.clone())];
    Some(check_text(id::EEPROM_NOT_FIRST, &values))
}

/// As the update script greps: comments count.
fn has(text: &[u8], word: &[u8]) -> bool {
    text.windows(word.len()).any(|w| w == word)
}

/// The image to flash with: of exactly the running version, or that of a
/// waiting update to a newer one.
fn image(eeprom: &Eeprom) -> Result<String, Finding> {
    let shown = |built: Option<u32>| built.map_or_else(|| "an unknown day".into(), date);
    if let Some(update) = &eeprom.pending {
        match (update.build_timestamp, eeprom.build_timestamp) {
            (Some(new), Some(old)) if new == old => {}
            (new, old) => {
                let newer = new.zip(old).is_some_and(|(new, old)| new > old);
                let staged = update.files.iter().find(|f| f.ends_with(".upd"));
                return staged.filter(|_| newer).cloned().ok_or_else(|| {
                    check_text(id::PENDING_VERSION, &[("pending", shown(new)), ("running", shown(old))])
                });
            }
        }
    }
    let image = eeprom.image.as_ref().filter(|i| Some(i.build_timestamp) == eeprom.build_timestamp);
    let Some(image) = image else {
        return Err(check_text(id::EEPROM_NO_IMAGE, &[("date", shown(eeprom.build_timestamp))]));
    };
    match eeprom.min_boot_version.filter(|needed| *needed > 0) {
        Some(needed) if image.mfg_version.is_none_or(|has| has < needed) => {
            let has = image.mfg_version.map_or_else(|| "unknown".into(), |v| v.to_string());
            let values = [("path", image.path.clone()), ("image", has), ("needed", needed.to_string())];
            Err(check_text(id::EEPROM_IMAGE_TOO_OLD, &values))
        }
        _ => Ok(image.path.clone()),
    }
}

/// The new text, read again: it must certainly mean `target`.
fn new_text(
    before: &[u8],
    conditions: &Conditions,
    order: Option<BootOrder>,
    probe: bool,
    target: BootOrder,
) -> Result<Vec<u8>, String> {
    let after = bootconf::append(before, conditions, order, probe)?;
    let meaning = bootconf::read(&after, conditions);
    if !meaning.boot_order_certain || meaning.boot_order.unwrap_or(BootOrder::DEFAULT) != target {
        return Err("BOOT_ORDER would not be the one wanted".into());
    }
    if probe && !meaning.pcie_probe {
        return Err("PCIE_PROBE would not be on".into());
    }
    if after.len() > LARGEST {
        return Err(format!("{} bytes, and {LARGEST} fit", after.len()));
    }
    Ok(after)
}

fn step(
    facts: &Facts,
    before: &[u8],
    after: Vec<u8>,
    image: String,
    (meaning, target): (&bootconf::Meaning, BootOrder),
    (order_changes, probe): (bool, bool),
) -> Step {
    let diff = diff::unified("bootloader configuration", before, &after);
    let now = match meaning.boot_order {
        Some(order) => order_words(order),
        None => format!("not set, so the built-in {}", order_words(BootOrder::DEFAULT)),
    };
    let mut words = if order_changes {
        vec![format!("Boot order now: {now}"), format!("then: {}", order_words(target))]
    } else {
        vec![format!("Boot order stays: {now}")]
    };
    if probe {
        words.push("PCIE_PROBE=1: the bootloader looks for a drive on boards that it does not detect".into());
    }
    let why = if order_changes {
        "the Pi tries the NVMe drive first and keeps every other medium"
    } else {
        "the bootloader looks for a drive by itself"
    };
    let risk = match facts.eeprom.immediate {
        Some(true) => {
            "The bootloader is written at once, which cannot be cancelled: keep the power on; `sudo pi5-nvme undo` writes the old configuration back."
        }
        Some(false) => {
            "The bootloader is written in the first seconds of the next start: keep the power on then; until then `sudo pi5-nvme undo` cancels it."
        }
        None => {
            "The bootloader is written at once or in the first seconds of the next start: keep the power on; `sudo pi5-nvme undo` puts the old configuration back."
        }
    };
    let from_pending = facts.eeprom.pending.is_some();
    let change = Change::SetBootConfig { before: before.to_vec(), after, image, from_pending };
    Step { change, why: why.into(), risk: risk.into(), diff, words }
}
