//! The link of every drive against what was asked for.

use super::{Draft, setting};
use crate::facts::{Drive, DriveState, Facts, HopKind, PortState};
use crate::rules::bootloader::{drive_name, switch_name};
use crate::rules::findings::{clamped, findings, gen2_limit, kernel_ignores, trained_lower};
use crate::rules::{LinkGoal, Recorded, check_text, id};
use crate::terms::Generation;

pub(super) fn judge(facts: &Facts, recorded: Option<&Recorded>, asked: Option<u32>, draft: &mut Draft) {
    // What the device tree says comes first: a setting that never arrived
    // explains everything after it.
    if let Some(asked) = asked {
        let enabled = facts.port.state != PortState::Disabled;
        if facts.port.asked.is_some_and(|live| live != asked) || (!enabled && recorded.is_some()) {
            setting(facts, recorded, asked, draft);
        }
    }
    // Without a record (it is root's) config.txt is the only witness of what
    // was to be: a link at the old speed is not as asked.
    if recorded.is_none() {
        told(facts, &[id::ASKED_DIFFERS], "", draft);
    }
    missing(facts, recorded, draft);
    for drive in &facts.drives {
        match drive.state {
            DriveState::Live => speed(facts, drive, asked, draft),
            _ => not_live(facts, drive, draft),
        }
    }
    if let Some(recorded) = recorded {
        changed_since(facts, recorded, draft);
    }
}

/// The link is as asked, and config.txt was changed since: the next start may
/// not be.
fn changed_since(facts: &Facts, recorded: &Recorded, draft: &mut Draft) {
    let Some(meaning) = &facts.boot.meaning else { return };
    if recorded.goal.link == LinkGoal::Keep {
        return;
    }
    let Some(wanted) = super::asked(facts, Some(recorded)) else { return };
    let holds = meaning.port.value.is_certainly(&true) && meaning.generation.value.is_certainly(&wanted);
    if let Some(finding) = super::not_as_written(facts, recorded).filter(|_| !holds) {
        draft.add(finding);
    }
}

fn missing(facts: &Facts, recorded: Option<&Recorded>, draft: &mut Draft) {
    if facts.drives.is_empty() {
        // Where setup changed nothing, the connector itself is the reason, and undo no way out.
        if recorded.is_none()
            && told(
                facts,
                &[id::PORT_DISABLED, id::PORT_OFF_NOW, id::LINK_DOWN, id::SLOT_EMPTY, id::OTHER_DEVICE],
                "",
                draft,
            )
        {
            return;
        }
        let port = match facts.port.state {
            PortState::Disabled => "the connector is off",
            PortState::LinkDown => "the connector is on, the link is down",
            PortState::Empty => "the root port is there, nothing is behind it",
            PortState::Occupied => "something else is on the connector",
            PortState::Unknown => "the state of the connector could not be read",
        };
        let finding = check_text(id::DRIVE_MISSING, &[("port", port.into())]);
        if facts.port.state == PortState::Unknown {
            draft.unknown(finding);
        } else {
            draft.no(finding);
        }
        return;
    }
    for (model, identity) in recorded.map_or(&[][..], |r| &r.drives) {
        let there = |d: &Drive| d.identity.as_ref().is_none_or(|i| i == identity);
        if !facts.drives.iter().any(there) {
            draft.no(check_text(id::DRIVE_MISSING_ONE, &[("drive", model.clone())]));
        }
    }
}

/// The finding that `status` has for this drive.
fn not_live(facts: &Facts, drive: &Drive, draft: &mut Draft) {
    let ids = [id::DRIVE_NOT_ANSWERING, id::DRIVE_NO_DRIVER, id::DRIVE_STATE];
    told(facts, &ids, &drive_name(drive), draft);
}

/// Takes over what `status` finds of these ids with a text that begins with
/// `name`; false when it finds none.
fn told(facts: &Facts, ids: &[&str], name: &str, draft: &mut Draft) -> bool {
    let found = findings(facts);
    let mut found =
        found.into_iter().filter(|f| ids.contains(&f.id.as_str()) && f.text.starts_with(name)).peekable();
    let any = found.peek().is_some();
    found.for_each(|f| draft.no(f));
    any
}

fn speed(facts: &Facts, drive: &Drive, asked: Option<u32>, draft: &mut Draft) {
    let name = ("drive", drive_name(drive));
    let Some(link) = drive.link() else {
        return draft.unknown(check_text(id::LINK_UNKNOWN, &[name]));
    };
    let Some(asked) = asked.and_then(|a| u8::try_from(a).ok()).and_then(Generation::new) else {
        return draft.unknown(check_text(id::NOTHING_ASKED, &[]));
    };
    // BCM2712 does no more, whatever the number says.
    let asked = asked.min(Generation::GEN3);
    let reached = link.generation;
    let numbers = [name, ("reached", reached.number().to_string()), ("asked", asked.number().to_string())];
    if reached == asked {
        return;
    }
    if reached > asked {
        return draft.no(check_text(id::FASTER_THAN_ASKED, &numbers));
    }
    // A setting that did not arrive has been told already.
    if facts
        .port
        .asked
        .is_some_and(|live| live == u32::from(reached.number()) && live < u32::from(asked.number()))
    {
        return;
    }
    if drive.possible().is_some_and(|possible| possible <= reached) {
        let limit = drive.path.iter().find(|h| {
            h.kind != HopKind::Endpoint && h.kind != HopKind::RootPort && h.max_speed <= Some(reached)
        });
        let limit = gen2_limit(&drive.path).or(limit);
        return draft.no(match limit {
            Some(hop) => {
                let [name, reached, asked] = numbers;
                check_text(id::LIMITED_BY_SWITCH, &[name, reached, asked, ("switch", switch_name(hop))])
            }
            None => check_text(id::LIMITED_BY_DRIVE, &numbers),
        });
    }
    if let Some(finding) = clamped(facts, drive).or_else(|| kernel_ignores(facts, drive)) {
        return draft.no(finding);
    }
    draft.no(trained_lower(drive, reached, asked));
}
