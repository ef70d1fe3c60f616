//! After the reboot: is it so, and if not, why.

mod boot;
mod link;
#[cfg(test)]
mod tests;

use super::findings::{quality, remarks};
use super::{BootGoal, Finding, LinkGoal, Met, ProbeGoal, Recorded, Verdict, check_text, id, machine};
use crate::facts::Facts;
use crate::terms::Generation;

/// A verdict that is being made.
struct Draft {
    met: Met,
    findings: Vec<Finding>,
}

impl Draft {
    /// A reason for `no`; it beats an unknown.
    fn no(&mut self, finding: Finding) {
        self.met = Met::No;
        self.add(finding);
    }

    /// A reason for not knowing.
    fn unknown(&mut self, finding: Finding) {
        if self.met == Met::Yes {
            self.met = Met::Unknown;
        }
        self.add(finding);
    }

    fn add(&mut self, finding: Finding) {
        if !self.findings.iter().any(|f| f.id == finding.id && f.text == finding.text) {
            self.findings.push(finding);
        }
    }
}

/// Whether the machine does what `recorded` (the newest change of `setup`)
/// was to reach; without it, what this start asked for.
///
/// Reasons come first, in the order in which they were found; what only stands
/// out (errors on the link, resets, the supply) follows and does not change the
/// verdict.
pub fn verdict(facts: &Facts, recorded: Option<&Recorded>) -> Verdict {
    let mut draft = Draft { met: Met::Yes, findings: Vec::new() };
    let asked = asked(facts, recorded);
    let reached =
        facts.drives.iter().map(|d| d.link().map(|l| u32::from(l.generation.number()))).min().flatten();
    if let Some(board) = machine::board(facts) {
        draft.unknown(board);
    } else if recorded.is_some_and(|r| not_rebooted(facts, r)) {
        draft.no(check_text(id::NOT_REBOOTED, &[]));
    } else {
        link::judge(facts, recorded, asked, &mut draft);
        boot::judge(facts, recorded, &mut draft);
        let reasons = draft.findings.len();
        quality(facts).into_iter().for_each(|f| draft.add(f));
        if let Some(rest) = draft.findings.get_mut(reasons..) {
            rest.sort_by_key(|f| std::cmp::Reverse(f.severity));
        }
    }
    let next = next(&draft);
    Verdict {
        met: draft.met,
        headline: headline(facts, &draft, asked, reached),
        asked,
        reached,
        findings: draft.findings,
        next,
    }
}

/// The same, where something is written down of what `setup` changed and `why`
/// it cannot be read: the link may be right and the boot order is not known.
pub fn verdict_without_record(facts: &Facts, why: &str) -> Verdict {
    let mut found = verdict(facts, None);
    let unreadable = check_text(id::RECORD_UNREADABLE, &[("why", why.into())]);
    if found.met == Met::Yes {
        found.met = Met::Unknown;
        found.headline = format!("UNKNOWN: {}", unreadable.text);
        found.next = vec![unreadable.remedy.clone()];
        found.findings.insert(0, unreadable);
    } else {
        found.findings.push(unreadable);
    }
    found
}

/// The boot id of this start is the one at which the change was made.
///
/// A record whose change was taken into force before (same id, and everything
/// already as asked) does not exist: setup records only what it changed.
fn not_rebooted(facts: &Facts, recorded: &Recorded) -> bool {
    recorded.boot_id.is_some() && recorded.boot_id == facts.boot_id
}

fn asked(facts: &Facts, recorded: Option<&Recorded>) -> Option<u32> {
    match recorded.map(|r| r.goal.link) {
        Some(LinkGoal::Gen1) => Some(1),
        Some(LinkGoal::Gen2) => Some(2),
        Some(LinkGoal::Gen3) => Some(3),
        Some(LinkGoal::Keep) | None => facts
            .port
            .asked
            .or_else(|| facts.boot.meaning.as_ref().and_then(|m| m.generation.value.certain().copied())),
    }
}

fn headline(facts: &Facts, draft: &Draft, asked: Option<u32>, reached: Option<u32>) -> String {
    let speed = |number: u32| {
        u8::try_from(number)
            .ok()
            .and_then(Generation::new)
            .map(|g| format!("Gen {number} ({:.1} GT/s)", g.gtps()))
    };
    let said = |number: Option<u32>| number.and_then(speed);
    match draft.met {
        Met::Yes => {
            let runs = match facts.drives.as_slice() {
                [one] => format!("{} runs", one.model.as_ref().unwrap_or(&one.name)),
                several => format!("{} drives run", several.len()),
            };
            match said(reached) {
                Some(reached) => format!("PASS: {runs} at {reached}, as asked"),
                None => "PASS: everything is as asked".into(),
            }
        }
        Met::No | Met::Unknown => {
            let word = if draft.met == Met::No { "FAIL" } else { "UNKNOWN" };
            let limited =
                |f: &Finding| [id::LIMITED_BY_SWITCH, id::LIMITED_BY_DRIVE].contains(&f.id.as_str());
            if let (Some(first), Some(asked)) = (draft.findings.first(), said(asked)) {
                if limited(first) {
                    return format!("NOT {asked}: {}", first.text);
                }
            }
            draft.findings.first().map_or_else(|| word.to_owned(), |f| format!("{word}: {}", f.text))
        }
    }
}

fn next(draft: &Draft) -> Vec<String> {
    if draft.met == Met::Yes {
        return Vec::new();
    }
    let mut next: Vec<String> = Vec::new();
    for finding in &draft.findings {
        if next.len() < 2 && finding.severity != super::Severity::Info && !next.contains(&finding.remedy) {
            next.push(finding.remedy.clone());
        }
    }
    if next.is_empty() {
        next.extend(draft.findings.first().map(|f| f.remedy.clone()));
    }
    next
}

/// Why the setting that setup wrote is not the one of this start.
fn setting(facts: &Facts, recorded: Option<&Recorded>, asked: u32, draft: &mut Draft) {
    let boot = &facts.boot;
    let before = draft.findings.len();
    if boot.same_as_booted == Some(false) {
        machine::hindrances(facts)
            .into_iter()
            .filter(|f| f.id == id::OTHER_PARTITION)
            .for_each(|f| draft.no(f));
    }
    if boot.tryboot == Some(true) {
        draft.no(check_text(id::TRYBOOT_NOW, &[]));
    }
    if let Some(finding) = recorded.and_then(|r| not_as_written(facts, r)) {
        draft.no(finding);
    }
    if let Some(meaning) = &boot.meaning {
        if !meaning.port.value.is_certainly(&true) || !meaning.generation.value.is_certainly(&asked) {
            let all: Vec<_> = meaning.port.lines.iter().chain(&meaning.generation.lines).cloned().collect();
            let values = [("asked", asked.to_string()), ("lines", machine::lines(&all))];
            draft.no(check_text(id::SETTING_NOT_MEANT, &values));
            remarks(meaning).into_iter().for_each(|f| draft.add(f));
        }
    }
    if draft.findings.len() == before {
        let live = facts.port.asked.map_or_else(|| "nothing".into(), |live| live.to_string());
        let values = [("asked", asked.to_string()), ("live", live.clone())];
        draft.no(check_text(id::SETTING_NOT_REACHED, &values).seen("max-link-speed", live));
    }
}

/// config.txt is not the text that setup left.
fn not_as_written(facts: &Facts, recorded: &Recorded) -> Option<Finding> {
    let boot = &facts.boot;
    let (files, path) = (boot.files.as_ref()?, boot.config_path.as_ref()?);
    if recorded.config_path == *path && recorded.config_after == files.top {
        return None;
    }
    let leftovers = match boot.leftovers.as_slice() {
        [] => "no other version lies beside it".into(),
        some => format!("beside it: {}", some.join(", ")),
    };
    let values = [("path", recorded.config_path.clone()), ("leftovers", leftovers)];
    Some(check_text(id::CONFIG_NOT_AS_WRITTEN, &values).seen(path, "differs from the record"))
}

/// Whether anything of the bootloader was asked for.
fn asks_eeprom(recorded: &Recorded) -> bool {
    recorded.goal.boot == BootGoal::NvmeFirst
        || recorded.goal.probe == ProbeGoal::On
        || recorded.bootconf_after.is_some()
}
