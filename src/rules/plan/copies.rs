//! The same lines for boot partitions on NVMe drives: the first start from
//! there reads their own config.txt.

use super::{Draft, generation, link};
use crate::facts::{BootCopy, Facts};
use crate::formats::config_txt::{self, Conditions};
use crate::rules::machine::{self, needed_bytes};
use crate::rules::{BootGoal, Goal, Step, check_text, id};

/// Adds a step for each copy whose config.txt does not mean the goal yet.
///
/// A copy that cannot be changed is a note; it forbids the change only where
/// the Pi shall start from it.
pub(super) fn add(facts: &Facts, goal: &Goal, draft: &mut Draft) {
    let Some(wanted) = generation(goal.link) else { return };
    for copy in &facts.boot.copies {
        let device = copy.partition.device.clone();
        match step(facts, copy, wanted) {
            Ok(None) => {}
            Ok(Some(step)) => {
                draft.notes.push(check_text(id::COPY_CHANGED_TOO, &[("device", device)]));
                draft.steps.push(step);
            }
            Err(why) => {
                let finding = check_text(id::COPY_NOT_CHANGED, &[("device", device), ("why", why)]);
                if goal.boot == BootGoal::NvmeFirst {
                    draft.refuse(finding);
                } else {
                    draft.notes.push(finding);
                }
            }
        }
    }
}

fn step(facts: &Facts, copy: &BootCopy, wanted: u32) -> Result<Option<Step>, String> {
    let Some(files) = &copy.files else { return Ok(None) };
    let conditions = copy.conditions.clone().unwrap_or_else(|| Conditions {
        partition: copy.partition.number,
        overlays: None,
        port_enabled_by_firmware: true,
        ..machine::conditions(facts)
    });
    let (path, device) = match &copy.mount {
        Some(mount) if mount.read_only => return Err(format!("{} is mounted read-only", mount.point)),
        Some(mount) => (format!("{}/config.txt", mount.point.trim_end_matches('/')), None),
        None => ("/config.txt".to_owned(), Some(copy.partition.device.as_str())),
    };
    let Some(after) = link::new_text(&path, files, &conditions, wanted).map_err(|f| lower(&f.text))? else {
        return Ok(None);
    };
    if copy.space.is_some_and(|s| s.free_bytes < needed_bytes(files.top.len(), after.len())) {
        return Err("there is too little room on it".into());
    }
    let before = config_txt::read(files, &conditions);
    Ok(Some(link::step(facts, &path, device, files, after, (&before, wanted))))
}

/// A sentence to stand behind a colon.
fn lower(sentence: &str) -> String {
    let sentence = sentence.trim_end_matches('.');
    let mut letters = sentence.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}
