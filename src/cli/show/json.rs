//! The JSON objects. Keys are a promise: more may be added, none renamed.

use super::bench::Compared;
use crate::act::Report;
use crate::bench::{Run, changes};
use crate::cli::exit::Failure;
use crate::facts::{Boot, Drive, DriveState, Eeprom, Facts, Hop};
use crate::formats::config_txt::{Setting, Value as Reading};
use crate::host::Host;
use crate::rules::{Change, Finding, Plan, Step, Verdict};
use crate::terms::{BootMedium, Direction, Link};
use serde_json::{Map, Value, json};

/// Max Payload Size that every PCIe device takes (PCIe base specification,
/// 7.5.3.4): what a ceiling is told for when the size in force is unknown.
const LEAST_PAYLOAD: u32 = 128;

/// The object of `command`, with the keys of `body` after the common ones.
pub(in crate::cli) fn object(command: &str, host: &Host, body: Value) -> Value {
    let mut object = Map::new();
    object.insert("schema".into(), json!(format!("pi5-nvme/{command}/1")));
    object.insert("simulated".into(), json!(host.is_simulated()));
    if let Value::Object(body) = body {
        object.extend(body);
    }
    Value::Object(object)
}

/// `status`.
pub(in crate::cli) fn status(facts: &Facts, findings: &[Finding]) -> Value {
    json!({
        "board": {
            "model": facts.board.model,
            "kind": facts.board.kind,
            "supported": facts.board.kind.supported(),
            "revision": facts.board.revision.map(|r| format!("{r:x}")),
            "memory_bytes": facts.board.memory_bytes,
        },
        "os": {"id": facts.os.id, "version": facts.os.version, "name": facts.os.name},
        "kernel": facts.kernel,
        "boot": boot(&facts.boot),
        "eeprom": eeprom(&facts.eeprom),
        "hat": facts.hat.as_ref().map(|h| json!({"vendor": h.vendor, "product": h.product})),
        "connector": {
            "state": facts.port.state,
            "asked_generation": facts.port.asked,
            "root_port": facts.port.root_port,
        },
        "power": {
            "max_current_ma": facts.power.max_current_ma,
            "undervoltage_now": facts.power.undervoltage_now,
            "undervoltage_seen": facts.power.undervoltage_seen,
        },
        "drives": facts.drives.iter().map(drive).collect::<Vec<_>>(),
        "findings": findings,
        "missing": facts.missing,
    })
}

fn boot(boot: &Boot) -> Value {
    let meaning = boot.meaning.as_ref();
    json!({
        "medium": boot.medium.map(medium),
        "root_device": boot.root.as_ref().map(|p| &p.device),
        "config_path": boot.config_path,
        "config_device": boot.config_device,
        "same_as_booted": boot.same_as_booted,
        "port": meaning.map(|m| setting(&m.port, |on| json!(if *on { "on" } else { "off" })))
            .unwrap_or_else(unread),
        "generation": meaning.map(|m| setting(&m.generation, |g| json!(g))).unwrap_or_else(unread),
    })
}

fn unread() -> Value {
    json!({"value": null, "lines": []})
}

fn setting<T>(setting: &Setting<T>, word: impl Fn(&T) -> Value) -> Value {
    match &setting.value {
        Reading::Certain(value) => json!({"value": word(value), "lines": setting.lines}),
        Reading::Uncertain(values) => json!({
            "value": "uncertain",
            "readings": values.iter().map(word).collect::<Vec<_>>(),
            "lines": setting.lines,
        }),
    }
}

/// The medium as a word.
fn medium(medium: BootMedium) -> String {
    match medium {
        BootMedium::Other(code) => format!("unknown-{code}"),
        known => json!(known).as_str().unwrap_or_default().to_owned(),
    }
}

fn eeprom(eeprom: &Eeprom) -> Value {
    let order = eeprom.boot_order();
    json!({
        "boot_order": order.map(|o| o.to_string()),
        "boot_order_words": order.map(|o| o.words()),
        "pcie_probe": eeprom.meaning.as_ref().map(|m| m.pcie_probe),
        "pending": eeprom.pending.is_some(),
        "pending_boot_order": eeprom.pending.as_ref().and_then(|p| p.meaning.as_ref())
            .and_then(|m| m.boot_order).map(|o| o.to_string()),
        "changeable": changeable(eeprom),
        "build_timestamp_seconds": eeprom.build_timestamp,
    })
}

/// Whether the configuration can be changed from here; unknown where its
/// parts are.
pub(in crate::cli) fn changeable(eeprom: &Eeprom) -> Option<bool> {
    let frozen = eeprom.meaning.as_ref().map(|m| m.frozen || m.signed_boot);
    if eeprom.secure_boot.is_some() || frozen == Some(true) || eeprom.tool == Some(false) {
        return Some(false);
    }
    frozen?;
    eeprom.tool?;
    Some(eeprom.image.is_some())
}

fn drive(drive: &Drive) -> Value {
    let link = drive.link();
    let space = drive.namespaces.first();
    json!({
        "name": drive.name,
        "model": drive.model,
        "firmware": drive.firmware,
        "state": state(&drive.state),
        "address": drive.address,
        "temperature_celsius": drive.temperature_celsius,
        "capacity_bytes": space.and_then(|n| n.capacity_bytes),
        "logical_block_size_bytes": space.and_then(|n| n.logical_block_size_bytes),
        "namespaces": drive.namespaces.iter().map(|n| json!({
            "name": n.name, "capacity_bytes": n.capacity_bytes,
            "logical_block_size_bytes": n.logical_block_size_bytes,
        })).collect::<Vec<_>>(),
        "path": drive.path.iter().map(hop).collect::<Vec<_>>(),
        "link": {
            "generation": link.map(|l| l.generation),
            "width": link.map(|l| l.width),
            "bottleneck": bottleneck(drive).map(|h| &h.address),
            "ceiling_bytes_per_second": link.map(|l| ceiling(l, drive.max_payload_bytes())),
            "max_payload_bytes": drive.max_payload_bytes(),
        },
        "smart": drive.smart.as_ref().map(smart),
    })
}

/// The most that a link carries towards the Pi, bytes a second.
pub(in crate::cli) fn ceiling(link: Link, payload_bytes: Option<u32>) -> u64 {
    link.ceiling_bytes_per_second(payload_bytes.unwrap_or(LEAST_PAYLOAD), Direction::Read).round() as u64
}

/// The state as a word.
pub(in crate::cli) fn state(state: &DriveState) -> &str {
    match state {
        DriveState::Live => "live",
        DriveState::Driver(word) => word,
        DriveState::NotAnswering => "not-answering",
        DriveState::NoDriver => "no-driver",
    }
}

/// The first hop, seen from the Pi, at the speed of the whole.
pub(in crate::cli) fn bottleneck(drive: &Drive) -> Option<&Hop> {
    let link = drive.link()?;
    drive.path.iter().find(|h| h.speed == Some(link.generation))
}

fn hop(hop: &Hop) -> Value {
    json!({
        "address": hop.address,
        "kind": hop.kind,
        "speed_gtps": hop.speed.map(|s| s.gtps()),
        "max_speed_gtps": hop.max_speed.map(|s| s.gtps()),
        "width": hop.width,
        "max_width": hop.max_width,
        "vendor": hop.vendor.map(|v| format!("{v:04x}")),
        "device": hop.device.map(|d| format!("{d:04x}")),
        "aer": hop.aer,
    })
}

/// The counters are 128 bits wide, which JSON numbers are not: those beyond
/// 64 bits are told as the largest.
fn smart(smart: &crate::facts::Smart) -> Value {
    let fit = |n: u128| u64::try_from(n).unwrap_or(u64::MAX);
    json!({
        "critical_warning": smart.critical_warning,
        "spare_percent": smart.spare_percent,
        "used_percent": smart.used_percent,
        "media_errors": fit(smart.media_errors),
        "error_log_entries": fit(smart.error_log_entries),
        "unsafe_shutdowns": fit(smart.unsafe_shutdowns),
        "warning_temp_minutes": smart.warning_temp_minutes,
        "critical_temp_minutes": smart.critical_temp_minutes,
        "thermal_transitions": smart.thermal_transitions,
    })
}

/// A plan.
pub(in crate::cli) fn plan(plan: &Plan) -> Value {
    json!({
        "goal": plan.goal,
        "steps": plan.steps.iter().map(step).collect::<Vec<_>>(),
        "refusals": plan.refusals,
        "notes": plan.notes,
        "reboot": plan.reboot,
    })
}

fn step(step: &Step) -> Value {
    let (kind, path, device) = match &step.change {
        Change::AppendToFile { path, device, .. } => ("append-to-file", path.as_str(), device.as_deref()),
        Change::SetBootConfig { .. } => ("set-boot-config", "EEPROM", None),
    };
    json!({"kind": kind, "path": path, "device": device, "why": step.why, "risk": step.risk,
           "diff": step.diff, "words": step.words})
}

/// What applying or undoing did: the keys that `setup` and `undo` share.
pub(in crate::cli) fn report(report: &Report, next: &[String]) -> Value {
    json!({
        "changed": report.changed,
        "reboot_required": report.reboot_required,
        "transaction": report.transaction,
        "steps": report.steps.iter().map(|(what, how)| json!({"step": what, "result": how})).collect::<Vec<_>>(),
        "next": next,
    })
}

/// `verify`.
pub(in crate::cli) fn verify(verdict: &Verdict, facts: &Facts) -> Value {
    json!({
        "met": verdict.met,
        "headline": verdict.headline,
        "asked_generation": verdict.asked,
        "reached_generation": verdict.reached,
        "findings": verdict.findings,
        "next": verdict.next,
        "missing": facts.missing,
    })
}

/// `bench`: a run, what it was compared with, and where it is kept.
pub(in crate::cli) fn bench(
    run: &Run,
    compared: Option<&Compared>,
    kept: Option<&Result<String, Failure>>,
    reports: &[Result<String, Failure>],
) -> Value {
    let mut object = match json!(run) {
        Value::Object(object) => object,
        _ => Map::new(),
    };
    object.remove("schema");
    if let Some(compared) = compared {
        let before = compared.before.as_ref();
        object.insert("compare".into(), json!(compared.rows.as_ref().ok()));
        object.insert("not_compared".into(), json!(compared.rows.as_ref().err()));
        object.insert(
            "before".into(),
            json!(before.map(|b| json!({"time": b.time, "label": b.label, "link": b.environment.link}))),
        );
        object.insert("changes".into(), json!(before.map(|b| changes(b, run))));
    }
    if let Some(kept) = kept {
        object.insert("kept_as".into(), json!(kept.as_ref().ok()));
        object.insert("not_kept".into(), json!(kept.as_ref().err().map(|f| &f.message)));
    }
    if !reports.is_empty() {
        let failed = |r: &Result<String, Failure>| r.as_ref().err().map(|f| f.message.clone());
        object.insert("reports".into(), json!(reports.iter().flatten().collect::<Vec<_>>()));
        object.insert("not_reported".into(), json!(reports.iter().filter_map(failed).collect::<Vec<_>>()));
    }
    Value::Object(object)
}
