//! `status`: what is there, and what stands out.

use super::Answer;
use super::exit::{Exit, Failure};
use super::show::{human, json};
use super::ui::Ui;
use crate::act;
use crate::facts::{Facts, PortState};
use crate::host::Host;
use crate::rules::{self, BootGoal, Finding, Goal, LinkGoal, ProbeGoal, Severity};
use crate::terms::BootMedium;

/// Reads and tells. A board that is not a Pi 5 is told too.
pub(super) fn command(host: &Host, ui: &Ui) -> Result<Answer, Failure> {
    let facts = act::look(host);
    let findings = rules::findings(&facts);
    Ok(Answer {
        json: json::object("status", host, json::status(&facts, &findings)),
        headline: human::headline(&facts),
        text: human::report(&facts, &findings, &super::all_typed(host, next(&facts, &findings)), host, ui),
        exit: Exit::Done,
        after: None,
    })
}

/// At most two commands that follow from what is there. Beside an error there
/// are none: what to do stands below it, and a setting or a reboot first could
/// make it worse.
fn next(facts: &Facts, findings: &[Finding]) -> &'static [&'static str] {
    if findings.iter().any(|f| f.severity == Severity::Error) {
        return &[];
    }
    let running =
        facts.drives.iter().filter_map(|d| d.link()).map(|l| u32::from(l.generation.number())).min();
    let wanted = facts.boot.meaning.as_ref().and_then(|m| m.generation.value.certain().copied());
    let booted = facts.boot.medium == Some(BootMedium::Nvme);
    let first = facts.eeprom.boot_order().is_some_and(|o| o.nvme_first());
    match (running, wanted) {
        _ if waits(facts, wanted) => &["sudo reboot", "pi5-nvme verify"],
        (Some(running), Some(wanted)) if wanted > running && facts.port.asked != Some(wanted) => {
            &["sudo reboot", "pi5-nvme verify"]
        }
        (Some(running), Some(wanted)) if wanted > running => &["pi5-nvme verify"],
        (Some(running), _) if running >= 3 && (booted || first) => {
            &["pi5-nvme verify", "sudo pi5-nvme bench"]
        }
        _ if can_change(facts) => &["sudo pi5-nvme setup"],
        _ => &[],
    }
}

/// True when config.txt has the connector on at its generation and this start
/// has not: the reboot is missing.
fn waits(facts: &Facts, wanted: Option<u32>) -> bool {
    let link = match wanted {
        Some(1) => LinkGoal::Gen1,
        Some(2) => LinkGoal::Gen2,
        Some(3) => LinkGoal::Gen3,
        _ => return false,
    };
    let plan = rules::plan(facts, &Goal { link, boot: BootGoal::Keep, probe: ProbeGoal::Keep });
    facts.eeprom.pending.is_none() && plan.steps.is_empty() && plan.reboot == rules::Reboot::Needed
}

/// True when setup would not refuse from the start: what is certified, without
/// the boot order.
fn can_change(facts: &Facts) -> bool {
    let other = facts.drives.is_empty() && facts.port.state == PortState::Occupied;
    let goal = Goal { link: LinkGoal::Gen2, boot: BootGoal::Keep, probe: ProbeGoal::Keep };
    !other && rules::plan(facts, &goal).refusals.is_empty()
}
