//! `setup` and `undo` for a person: the exact change, and what came of it.

use super::{finding, next, simulated};
use crate::act::{Report, StepResult};
use crate::cli::page::{Page, Tone};
use crate::cli::ui::Ui;
use crate::host::Host;
use crate::rules::{Change, Plan, Step};

/// Columns of the number before a step.
const NUMBER: usize = 3;

/// The plan: every step with its diff, why, and the way back.
pub(in crate::cli) fn plan(page: &mut Page, plan: &Plan) {
    for (number, step) in plan.steps.iter().enumerate() {
        if number > 0 {
            page.blank();
        }
        let title = page.tone(Tone::Strong, &title(step));
        page.hang(&format!("{}.", number + 1), NUMBER, &title);
        page.hang("", NUMBER, &step.why);
        for words in &step.words {
            let words = page.tone(Tone::Strong, words);
            page.hang("", NUMBER, &words);
        }
        diff(page, &step.diff);
        page.hang("", NUMBER, &step.risk);
    }
    if !plan.notes.is_empty() {
        page.blank();
    }
    for note in &plan.notes {
        finding(page, note, false);
    }
}

fn title(step: &Step) -> String {
    match &step.change {
        Change::AppendToFile { path, device: None, .. } => path.clone(),
        Change::AppendToFile { path, device: Some(device), .. } => format!("{path} on {device}"),
        Change::SetBootConfig { from_pending: false, .. } => "bootloader configuration (EEPROM)".into(),
        Change::SetBootConfig { from_pending: true, .. } => {
            "bootloader configuration (EEPROM), merged with the update that waits".into()
        }
    }
}

/// The diff as it is: a line of it must never be wrapped or cut.
pub(in crate::cli) fn diff(page: &mut Page, diff: &str) {
    for line in diff.lines() {
        let header = line.starts_with("--- ") || line.starts_with("+++ ");
        let line = match line.as_bytes().first() {
            _ if header => page.tone(Tone::Dim, line),
            Some(b'+') => page.tone(Tone::Good, line),
            Some(b'-') => page.tone(Tone::Bad, line),
            Some(b'@') => page.tone(Tone::Dim, line),
            _ => line.to_owned(),
        };
        page.exact(&line);
    }
}

/// The answer of `--dry-run`.
pub(in crate::cli) fn dry_run(
    headline: &str,
    planned: &Plan,
    unread: &[String],
    host: &Host,
    ui: &Ui,
) -> String {
    let mut page = ui.page();
    simulated(&mut page, host);
    let line = page.tone(Tone::Strong, headline);
    page.line(&line);
    page.blank();
    plan(&mut page, planned);
    if !unread.is_empty() {
        page.blank();
        for line in unread {
            page.hang(" ?", super::HANG, line);
        }
    }
    page.into_text()
}

/// What was done: the result first, then each step, then what comes next.
pub(in crate::cli) fn done(
    headline: &str,
    report: &Report,
    commands: &[String],
    host: &Host,
    ui: &Ui,
) -> String {
    let mut page = ui.page();
    simulated(&mut page, host);
    let line = page.tone(Tone::Strong, headline);
    page.line(&line);
    steps(&mut page, report);
    page.blank();
    next(&mut page, commands);
    page.into_text()
}

/// Each step and how it ended.
pub(in crate::cli) fn steps(page: &mut Page, report: &Report) {
    for (what, how) in &report.steps {
        let (mark, word) = match how {
            StepResult::Changed => (page.tone(Tone::Good, " OK"), "done"),
            StepResult::AlreadySet => (page.tone(Tone::Good, " OK"), "was so already"),
            StepResult::Failed => (page.tone(Tone::Bad, " x"), "failed"),
            // Undo asked for it; after a failure it is what saved the day.
            StepResult::RolledBack if report.error.is_none() => (page.tone(Tone::Good, " OK"), "put back"),
            StepResult::RolledBack => (page.tone(Tone::Warn, " !"), "put back"),
            StepResult::NotReached => (page.tone(Tone::Dim, " -"), "not reached"),
        };
        page.hang(&mark, super::HANG, &format!("{what}: {word}"));
    }
}
