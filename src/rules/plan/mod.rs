//! What is to be done to reach a goal, or why not. The plan is data: the value
//! that is shown is the one that is applied and journalled.

mod copies;
mod eeprom;
mod link;
mod start;
#[cfg(test)]
mod tests;

use super::{BootGoal, Finding, Goal, LinkGoal, Plan, ProbeGoal, Reboot, Refusal, Step, id, machine};
use crate::facts::{Facts, PortState};

/// A plan that is being made.
#[derive(Default)]
struct Draft {
    steps: Vec<Step>,
    refusals: Vec<Finding>,
    notes: Vec<Finding>,
}

impl Draft {
    fn refuse(&mut self, finding: Finding) {
        if !self.refusals.iter().any(|f| f.id == finding.id && f.text == finding.text) {
            self.refusals.push(finding);
        }
    }
}

/// The plan for `goal`. With any refusal there are no steps: nothing that was
/// asked for is done by halves.
pub fn plan(facts: &Facts, goal: &Goal) -> Plan {
    let mut draft = Draft::default();
    if let Some(board) = machine::board(facts) {
        draft.refuse(board);
    } else if asks(goal) {
        machine::hindrances(facts).into_iter().for_each(|f| draft.refuse(f));
        start::check(facts, &mut draft);
        link::add(facts, goal, &mut draft);
        copies::add(facts, goal, &mut draft);
        eeprom::add(facts, goal, &mut draft);
    }
    let refusals: Vec<_> =
        draft.refusals.into_iter().map(|f| Refusal { id: f.id, why: f.text, do_instead: f.remedy }).collect();
    if !refusals.is_empty() {
        draft.steps.clear();
    }
    let reboot = if refusals.is_empty() && (!draft.steps.is_empty() || waits(facts, goal)) {
        Reboot::Needed
    } else {
        Reboot::No
    };
    Plan { goal: *goal, steps: draft.steps, refusals, notes: draft.notes, reboot }
}

fn asks(goal: &Goal) -> bool {
    goal.link != LinkGoal::Keep || goal.boot != BootGoal::Keep || goal.probe == ProbeGoal::On
}

/// An earlier change still waits for a reboot: a bootloader update, staged or
/// flashed in this start, or a config.txt that already means what is asked for while this start does not.
fn waits(facts: &Facts, goal: &Goal) -> bool {
    if facts.eeprom.pending.is_some() || facts.eeprom.flashed.is_some() {
        return true;
    }
    let (Some(generation), Some(meaning)) = (generation(goal.link), &facts.boot.meaning) else {
        return false;
    };
    let reached =
        meaning.port.value.is_certainly(&true) && meaning.generation.value.is_certainly(&generation);
    // Without a line that says it, a reboot would not change what this start
    // got from elsewhere (a HAT can ask for Gen 3).
    let said = !meaning.generation.lines.is_empty();
    let other = facts.port.asked.is_some_and(|asked| asked != generation);
    reached && ((said && other) || facts.port.state == PortState::Disabled)
}

/// The generation asked for, `None` to keep it.
fn generation(link: LinkGoal) -> Option<u32> {
    match link {
        LinkGoal::Keep => None,
        LinkGoal::Gen1 => Some(1),
        LinkGoal::Gen2 => Some(2),
        LinkGoal::Gen3 => Some(3),
    }
}

/// The finding that fits a text that would not certainly mean the goal.
fn not_certain(path: &str, eeprom_section: bool) -> Finding {
    let id = if eeprom_section { id::EEPROM_SECTION_UNDOES } else { id::CONFIG_NOT_CERTAIN };
    super::check_text(id, &[("path", path.to_owned())])
}
