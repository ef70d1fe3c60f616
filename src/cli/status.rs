//! `status`: what is there, and what stands out.

use super::Answer;
use super::exit::{Exit, Failure};
use super::show::{human, json};
use super::ui::Ui;
use crate::act;
use crate::facts::{Facts, PortState};
use crate::host::Host;
use crate::rules::{self, BootGoal, Goal, LinkGoal, ProbeGoal};
use crate::terms::BootMedium;

/// Reads and tells. A board that is not a Pi 5 is told too.
pub(super) fn command(host: &Host, ui: &Ui) -> Result<Answer, Failure> {
    let facts = act::look(host);
    let findings = rules::findings(&facts);
    Ok(Answer {
        json: json::object("status", host, json::status(&facts, &findings)),
        headline: human::headline(&facts),
        text: human::report(&facts, &findings, &super::all_typed(host, next(&facts)), host, ui),
        exit: Exit::Done,
        after: None,
    })
}

/// At most two commands that follow from what is there.
fn next(facts: &Facts) -> &'static [&'static str] {
    let running =
        facts.drives.iter().filter_map(|d| d.link()).map(|l| u32::from(l.generation.number())).min();
    let wanted = facts.boot.meaning.as_ref().and_then(|m| m.generation.value.certain().copied());
    let booted = facts.boot.medium == Some(BootMedium::Nvme);
    let first = facts.eeprom.boot_order().is_some_and(|o| o.nvme_first());
    match (running, wanted) {
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

/// True when setup would not refuse from the start: what is certified, without
/// the boot order.
fn can_change(facts: &Facts) -> bool {
    let other = facts.drives.is_empty() && facts.port.state == PortState::Occupied;
    let goal = Goal { link: LinkGoal::Gen2, boot: BootGoal::Keep, probe: ProbeGoal::Keep };
    !other && rules::plan(facts, &goal).refusals.is_empty()
}
