//! The external connector, the link of each drive, and errors on it.

use crate::facts::{AerCounters, Drive, DriveState, Facts, Hop, HopKind, PciFunction, PortState};
use crate::rules::bootloader::{drive_name, switch_name};
use crate::rules::{Finding, check_text, id, known};
use crate::terms::Generation;

/// From here on corrected errors are more than now and then.
pub(super) const FLOOD: u64 = 100;

pub(super) fn find(facts: &Facts, found: &mut Vec<Finding>) {
    let port = &facts.port;
    match port.state {
        PortState::Disabled => {
            let on = facts.boot.meaning.as_ref().is_some_and(|m| m.port.value.is_certainly(&true));
            let id = if on { id::PORT_OFF_NOW } else { id::PORT_DISABLED };
            found.push(check_text(id, &[]).seen("device tree status", "disabled"))
        }
        PortState::LinkDown => {
            found.push(check_text(id::LINK_DOWN, &[]).seen("1000110000.pcie", "link down"))
        }
        PortState::Empty => {
            let root = port.root_port.clone().unwrap_or_else(|| "root port".into());
            found.push(check_text(id::SLOT_EMPTY, &[]).seen(root, "nothing behind it"));
        }
        PortState::Occupied | PortState::Unknown => {}
    }
    for other in &port.others {
        let finding = check_text(
            id::OTHER_DEVICE,
            &[("device", device_name(other)), ("address", other.address.clone())],
        );
        found.push(finding.seen(&other.address, ids(other)));
    }
    if let Some(hop) = gen2_limit(&port.switches) {
        found.push(
            check_text(id::SWITCH_GEN2, &[("switch", switch_name(hop))]).seen(&hop.address, "upstream port"),
        );
    }
    for drive in facts.drives.iter().filter(|d| d.state == DriveState::Live) {
        found.extend(trained(facts, drive));
    }
}

/// The first switch that can do no more than Gen 2, by name or by what its
/// upstream port says of itself.
pub(in crate::rules) fn gen2_limit(switches: &[Hop]) -> Option<&Hop> {
    switches.iter().find(|hop| {
        let known = hop.vendor.zip(hop.device).and_then(|(v, d)| known::switch(v, d));
        let can = known.and_then(|s| Generation::new(s.generation)).or(hop.max_speed);
        hop.kind == HopKind::UpstreamPort && can.is_some_and(|c| c < Generation::GEN3)
    })
}

fn trained(facts: &Facts, drive: &Drive) -> Option<Finding> {
    let Some(link) = drive.link() else {
        return Some(check_text(id::LINK_UNKNOWN, &[("drive", drive_name(drive))]));
    };
    if let Some(finding) = clamped(facts, drive) {
        return Some(finding);
    }
    let asked = facts.port.asked.and_then(|a| u8::try_from(a).ok()).and_then(Generation::new)?;
    let possible = drive.possible().unwrap_or(Generation::GEN3).min(Generation::GEN3);
    if link.generation >= asked.min(possible) {
        return None;
    }
    if let Some(finding) = kernel_ignores(facts, drive) {
        return Some(finding);
    }
    Some(trained_lower(drive, link.generation, asked))
}

pub(in crate::rules) fn trained_lower(drive: &Drive, reached: Generation, asked: Generation) -> Finding {
    let values = [
        ("drive", drive_name(drive)),
        ("reached", reached.number().to_string()),
        ("asked", asked.number().to_string()),
    ];
    let id = if drive.possible().is_some() { id::TRAINED_LOWER } else { id::SLOWER_THAN_ASKED };
    hops(check_text(id, &values), drive)
}

/// A hop of the drive's path that runs at 2.5 GT/s although both of its ends
/// and the setting allow more.
pub(in crate::rules) fn clamped(facts: &Facts, drive: &Drive) -> Option<Finding> {
    let asked = facts.port.asked.unwrap_or(2);
    let possible = drive.possible()?;
    if asked < 2 || possible < Generation::GEN2 {
        return None;
    }
    // The link's end towards the Pi names the slot.
    let hop = drive.path.iter().find(|h| h.speed == Some(Generation::GEN1))?;
    let values = [("address", hop.address.clone()), ("drive", drive_name(drive))];
    let mut finding = hops(check_text(id::LINK_CLAMPED, &values), drive);
    for event in facts.log.events.iter().filter(|e| e.kind.starts_with("retrain_")) {
        finding = finding.seen("kernel log", &event.text);
    }
    Some(finding)
}

/// The device tree asks for more than the kernel set the root port to.
pub(in crate::rules) fn kernel_ignores(facts: &Facts, drive: &Drive) -> Option<Finding> {
    let asked = facts.port.asked?;
    let root = drive.path.iter().find(|h| h.kind == HopKind::RootPort)?;
    let set = root.max_speed?;
    if u32::from(set.number()) >= asked.min(3) {
        return None;
    }
    let kernel = facts.kernel.clone().unwrap_or_else(|| "version not known".into());
    let values = [("asked", asked.to_string()), ("kernel", kernel), ("set", set.number().to_string())];
    let finding = check_text(id::KERNEL_IGNORES, &values).seen("max-link-speed", asked.to_string());
    Some(finding.seen(format!("{} max_link_speed", root.address), format!("{:.1} GT/s", set.gtps())))
}

fn hops(mut finding: Finding, drive: &Drive) -> Finding {
    for hop in &drive.path {
        let speed = hop.speed.map_or_else(|| "unknown".into(), |s| format!("{:.1} GT/s", s.gtps()));
        finding = finding.seen(format!("{} current_link_speed", hop.address), speed);
    }
    finding
}

/// AER counters of every hop that a drive or a switch port has.
pub(super) fn errors(facts: &Facts, found: &mut Vec<Finding>) {
    for hop in ports_by_drive(facts) {
        let Some(counters) = &hop.aer else { continue };
        let uncorrected = counters.nonfatal.saturating_add(counters.fatal);
        let mut add = |id: &str, count: u64| {
            let values =
                [("address", hop.address.clone()), ("count", count.to_string()), ("names", names(counters))];
            found.push(check_text(id, &values).seen(&hop.address, names(counters)));
        };
        if uncorrected > 0 {
            add(id::AER_UNCORRECTED, uncorrected);
        }
        match counters.correctable {
            0 => {}
            few if few < FLOOD => add(id::AER_FEW, few),
            many => add(id::AER_FLOOD, many),
        }
    }
}

/// Every hop of every drive's path, each once.
pub(super) fn ports_by_drive(facts: &Facts) -> Vec<&Hop> {
    let mut seen: Vec<&Hop> = Vec::new();
    for hop in facts.drives.iter().flat_map(|d| &d.path) {
        if !seen.iter().any(|h| h.address == hop.address) {
            seen.push(hop);
        }
    }
    seen
}

fn names(counters: &AerCounters) -> String {
    let names: Vec<_> = counters.names.iter().map(|(name, count)| format!("{name} {count}")).collect();
    if names.is_empty() { "kinds not told".into() } else { names.join(", ") }
}

fn ids(function: &PciFunction) -> String {
    let hex = |id: Option<u16>| id.map_or_else(|| "????".into(), |id| format!("{id:04x}"));
    format!("{}:{}", hex(function.vendor), hex(function.device))
}

fn device_name(function: &PciFunction) -> String {
    if let Some(name) = function.vendor.zip(function.device).and_then(|(v, d)| known::device(v, d)) {
        return name;
    }
    // Class codes: PCI Code and ID Assignment Specification.
    let kind = match function.class.map(|c| c >> 8) {
        Some(0x0106) => "a SATA controller",
        Some(0x0104) => "a RAID controller",
        Some(0x0200) => "a network adapter",
        Some(0x0280) => "a wireless adapter",
        Some(0x0c03) => "a USB controller",
        Some(class) if class >> 8 == 0x12 => "an accelerator",
        Some(class) if class >> 8 == 0x03 => "a graphics card",
        _ => "a device",
    };
    format!("{kind} [{}]", ids(function))
}
