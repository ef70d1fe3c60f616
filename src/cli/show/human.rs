//! `status` for a person: one screen, the result first.

use super::{finding, next, simulated};
use crate::cli::page::{Page, Tone, dotted, tied};
use crate::cli::show::json;
use crate::cli::ui::Ui;
use crate::facts::{Drive, DriveState, Facts, HopKind, PortState};
use crate::formats::config_txt::{Setting, Value};
use crate::host::Host;
use crate::rules::{self, Finding, Severity};
use crate::terms::{BootMedium, Generation, bytes, celsius, rate};

/// Columns of the labels on the left.
const LABEL: usize = 12;

/// The result in one line.
pub(in crate::cli) fn headline(facts: &Facts) -> String {
    let boots = match facts.boot.medium {
        Some(BootMedium::Nvme) => "yes",
        Some(_) => "no",
        None => "unknown",
    };
    let asked = match facts.port.asked {
        Some(number) => format!("Gen {number}"),
        None => "unknown".into(),
    };
    let after = after_reboot(facts).map(|g| format!(" · after a reboot: Gen {g}")).unwrap_or_default();
    format!("NVMe boots: {boots} · link: {} · asked: {asked}{after}", links(facts))
}

/// The generation that the next boot asks for, when it differs from this one.
/// Where no line says it a HAT may have set this one, and will again.
fn after_reboot(facts: &Facts) -> Option<u32> {
    let setting = &facts.boot.meaning.as_ref()?.generation;
    let wanted = *setting.value.certain()?;
    let by_hat = facts.hat.is_some() && setting.lines.is_empty();
    (facts.port.asked? != wanted && !by_hat).then_some(wanted)
}

fn links(facts: &Facts) -> String {
    let speeds: Vec<_> = facts
        .drives
        .iter()
        .map(|d| match (d.link(), &d.state) {
            (_, DriveState::NotAnswering) => "drive not answering".to_owned(),
            (Some(link), _) => link.to_string(),
            (None, _) => "unknown".to_owned(),
        })
        .collect();
    match speeds.as_slice() {
        [] => nothing(facts.port.state).to_owned(),
        [one] => one.clone(),
        [first, rest @ ..] if rest.iter().all(|s| s == first) => format!("{first}, {} drives", speeds.len()),
        _ => facts
            .drives
            .iter()
            .zip(&speeds)
            .map(|(d, s)| format!("{} {s}", d.name))
            .collect::<Vec<_>>()
            .join(", "),
    }
}

fn nothing(state: PortState) -> &'static str {
    match state {
        PortState::Disabled => "none, the connector is off",
        PortState::LinkDown => "down",
        PortState::Empty => "none, nothing in the slot",
        PortState::Occupied => "none, the device is not NVMe",
        PortState::Unknown => "unknown",
    }
}

/// The whole report. `root` says whether everything could be asked for.
pub(in crate::cli) fn report(
    facts: &Facts,
    findings: &[Finding],
    commands: &[String],
    host: &Host,
    ui: &Ui,
) -> String {
    let mut head = ui.page();
    simulated(&mut head, host);
    let line = head.tone(Tone::Strong, &dotted(&headline(facts)));
    head.line(&line);
    head.blank();
    machine(&mut head, facts);
    for drive in &facts.drives {
        self::drive(&mut head, drive, ui.verbose);
    }
    head.blank();

    let mut tail = ui.page();
    missing(&mut tail, facts, host, ui.verbose);
    tail.blank();
    next(&mut tail, commands);

    // One screen at 80 columns; a narrow terminal takes as much text in more lines.
    let screen = ui.height.max(24) * 80 / ui.width.min(80);
    let room = screen.saturating_sub(head.lines() + tail.lines() + 3);
    fitting(&mut head, findings, room, ui);
    head.blank();
    head.append(&tail);
    head.into_text()
}

/// What the wizard shows before it asks.
pub(in crate::cli) fn found(page: &mut Page, facts: &Facts, host: &Host) {
    simulated(page, host);
    let line = page.tone(Tone::Strong, &dotted(&headline(facts)));
    page.line(&line);
    page.blank();
    machine(page, facts);
    for drive in &facts.drives {
        self::drive(page, drive, false);
    }
}

/// The findings that fit, most severe first, but always the first.
fn fitting(page: &mut Page, findings: &[Finding], room: usize, ui: &Ui) {
    let start = page.lines();
    let mut shown = 0;
    for found in findings {
        let mut one = ui.page();
        finding(&mut one, found, ui.verbose);
        if shown > 0 && !ui.verbose && page.lines() + one.lines() > start + room {
            break;
        }
        page.append(&one);
        shown += 1;
    }
    let left_out = findings.get(shown..).unwrap_or_default();
    if !left_out.is_empty() {
        let errors = match left_out.iter().filter(|f| f.severity == Severity::Error).count() {
            0 => String::new(),
            1 => " (1 error)".into(),
            errors => format!(" ({errors} errors)"),
        };
        page.hang("", super::HANG, &format!("and {} more{errors}: pi5-nvme status -v", left_out.len()));
    }
    if findings.is_empty() {
        let good = page.tone(Tone::Good, " OK");
        page.hang(&good, super::HANG, "nothing stands out");
    }
}

fn machine(page: &mut Page, facts: &Facts) {
    let unknown = "unknown";
    let model = facts.board.model.as_deref().unwrap_or("unknown board");
    let kernel = facts.kernel.as_deref().map(|k| format!("kernel {k}"));
    let parts: Vec<_> =
        [Some(model.to_owned()), facts.os.name.clone(), kernel].into_iter().flatten().collect();
    page.hang("Board", LABEL, &dotted(&parts.join(" · ")));
    if let Some(hat) = &facts.hat {
        page.hang("HAT", LABEL, &format!("{} {}", hat.vendor, hat.product));
    }
    let medium = facts.boot.medium.map_or(unknown, BootMedium::name);
    let order = match facts.eeprom.boot_order() {
        Some(order) => order.words(),
        None => unknown.into(),
    };
    page.hang("Booted from", LABEL, &dotted(&format!("{medium} · order: {order}")));
    if let Some(pending) = facts.eeprom.pending.as_ref() {
        let order = pending.meaning.as_ref().and_then(|m| m.boot_order).map(|o| o.words());
        let text = match order {
            Some(order) => format!("an update waits for the next boot; its order: {order}"),
            None => "an update waits for the next boot".into(),
        };
        page.hang("EEPROM", LABEL, &text);
    }
    // The connector is off by default: what is on without a line was turned on
    // by the firmware (a HAT+ it detected, or a start from NVMe).
    let on = facts.boot.meaning.as_ref().is_some_and(|m| m.port.value.is_certainly(&true));
    let unsaid = if on { "(by the firmware)" } else { "(default)" };
    let config = match (&facts.boot.config_path, &facts.boot.meaning) {
        (Some(path), Some(meaning)) => format!(
            "{path} · connector {} · {}",
            setting(&meaning.port, |on| if *on { "on".into() } else { "off".into() }, unsaid),
            setting(&meaning.generation, |g| tied(&format!("Gen {g}")), "(default)")
        ),
        (Some(path), None) => format!("{path} · not read"),
        (None, _) => "not found".into(),
    };
    page.hang("config.txt", LABEL, &dotted(&config));
}

/// The value and the lines that decide it; `unsaid` when there are none.
fn setting<T>(setting: &Setting<T>, word: impl Fn(&T) -> String, unsaid: &str) -> String {
    let value = match &setting.value {
        Value::Certain(value) => word(value),
        Value::Uncertain(values) => {
            format!("uncertain ({})", values.iter().map(word).collect::<Vec<_>>().join(" or "))
        }
    };
    let lines: Vec<_> = setting
        .lines
        .iter()
        .map(|l| if l.file == "config.txt" { l.line.to_string() } else { format!("{}:{}", l.file, l.line) })
        .collect();
    match lines.as_slice() {
        [] => format!("{value} {}", tied(unsaid)),
        [one] => format!("{value} {}", tied(&format!("(line {one})"))),
        many => format!("{value} (lines {})", many.join(", ")),
    }
}

fn drive(page: &mut Page, drive: &Drive, verbose: bool) {
    let model = drive.model.as_deref().unwrap_or("model unknown");
    let capacity = drive.namespaces.first().and_then(|n| n.capacity_bytes).map(bytes);
    let temperature = drive.temperature_celsius.map(celsius);
    let state = (drive.state != DriveState::Live)
        .then(|| page.tone(Tone::Bad, &json::state(&drive.state).replace('-', " ")));
    let mut parts = vec![model.to_owned()];
    parts.extend([capacity, temperature, state].into_iter().flatten());
    page.hang(&short(&drive.name), LABEL, &dotted(&parts.join(" · ")));
    let mut route = path(drive);
    if let Some(link) = drive.link() {
        route = format!("{route} · at most {}", rate(json::ceiling(link, drive.max_payload_bytes()) as f64));
    }
    page.hang("", LABEL, &dotted(&route));
    if verbose {
        for hop in &drive.path {
            let speed = hop.speed.map_or("speed unknown".into(), |s| s.to_string());
            let width = hop.width.map(|w| format!(" x{w}")).unwrap_or_default();
            let text = page.tone(Tone::Dim, &format!("{} {speed}{width}", hop.address));
            page.hang("", LABEL, &text);
        }
        if let Some(firmware) = &drive.firmware {
            let text = page.tone(Tone::Dim, &format!("firmware {firmware}"));
            page.hang("", LABEL, &text);
        }
    }
}

/// A name that fits the label column: the PCI address of a drive without a
/// controller does not.
fn short(name: &str) -> String {
    if name.len() < LABEL { name.to_owned() } else { "drive".to_owned() }
}

/// `root port -> ASM1182e (Gen 2) -> drive (Gen 2 x1)`: each switch once,
/// with the speed towards the Pi.
pub(in crate::cli) fn path(drive: &Drive) -> String {
    let mut parts = vec!["root port".to_owned()];
    for hop in drive.path.iter().filter(|h| h.kind == HopKind::UpstreamPort) {
        let name = switch(hop.vendor, hop.device);
        parts.push(tied(&format!("{name} ({})", generation(hop.speed))));
    }
    let end = drive.path.iter().find(|h| h.kind == HopKind::Endpoint);
    let width = end.and_then(|h| h.width).map(|w| format!(" x{w}")).unwrap_or_default();
    parts.push(match end {
        Some(hop) => tied(&format!("drive ({}{width})", generation(hop.speed))),
        None => "drive".into(),
    });
    parts.join(" -> ")
}

/// A switch by the name of its chip, else by its ids.
fn switch(vendor: Option<u16>, device: Option<u16>) -> String {
    let (Some(vendor), Some(device)) = (vendor, device) else { return "switch".into() };
    match rules::known::switch(vendor, device) {
        Some(known) => known.name,
        None => format!("switch {vendor:04x}:{device:04x}"),
    }
}

fn generation(speed: Option<Generation>) -> String {
    speed.map_or_else(|| "speed unknown".into(), |s| s.to_string())
}

/// What could not be read: one line, or with `-v` each.
fn missing(page: &mut Page, facts: &Facts, host: &Host, verbose: bool) {
    // On another board what a Pi 5 has is not missing.
    if facts.missing.is_empty() || (!facts.board.kind.supported() && !verbose) {
        return;
    }
    if verbose {
        for missing in &facts.missing {
            let text = page.tone(Tone::Dim, &format!("not read: {}: {}", missing.path, missing.why));
            page.hang(" ?", super::HANG, &text);
        }
        return;
    }
    let count = facts.missing.len();
    let things = if count == 1 { "1 thing" } else { &format!("{count} things") };
    let text = if host.euid() == 0 {
        format!("{things} could not be read: pi5-nvme status -v names them")
    } else {
        format!("{things} could not be read without root; sudo pi5-nvme status shows more")
    };
    page.hang(" ?", super::HANG, &text);
}
