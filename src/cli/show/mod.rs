//! Reports: the same facts as text and as JSON.

pub(super) mod bench;
mod compare;
pub(super) mod human;
pub(super) mod json;
pub(super) mod setup;
pub(super) mod verify;
pub(super) mod words;

use super::exit::Failure;
use super::page::{Page, Tone};
use super::ui::Ui;
use crate::host::Host;
use crate::rules::{Finding, Severity};

/// Columns by which what belongs to a mark is indented.
const HANG: usize = 4;

/// A failure for a person: what was found, then what to do.
pub(super) fn failure(failure: &Failure, ui: &Ui) -> String {
    let mut page = Page::new(ui.width, ui.colour_err);
    if let (Some(text), false) = (&failure.more.mark, ui.quiet) {
        let text = page.tone(Tone::Warn, text);
        page.line(&text);
    }
    let mark = page.tone(Tone::Bad, " x");
    page.hang(&mark, HANG, &failure.message);
    if ui.quiet {
        return page.into_text();
    }
    match &failure.remedy {
        Some(command) if is_command(command) => page.exact(&format!("    {command}")),
        Some(remedy) => page.hang("", HANG, remedy),
        None => {}
    }
    for (message, remedy) in &failure.more.also {
        page.hang(&mark, HANG, message);
        page.hang("", HANG, remedy);
    }
    if let Some(report) = failure.more.report.as_ref().filter(|r| !r.steps.is_empty()) {
        page.blank();
        setup::steps(&mut page, report);
    }
    if let Some(detail) = &failure.more.detail {
        page.blank();
        setup::diff(&mut page, detail.trim_end());
    }
    page.into_text()
}

/// A finding: mark and text, the remedy on a line of its own.
pub(super) fn finding(page: &mut Page, finding: &Finding, evidence: bool) {
    let mark = match finding.severity {
        Severity::Error => page.tone(Tone::Bad, " x"),
        Severity::Warning => page.tone(Tone::Warn, " !"),
        Severity::Info => page.tone(Tone::Dim, " i"),
    };
    page.hang(&mark, HANG, &finding.text);
    if !finding.remedy.is_empty() {
        page.hang("", HANG, &finding.remedy);
    }
    if evidence {
        for evidence in &finding.evidence {
            let text = page.tone(Tone::Dim, &format!("{}: {}", evidence.at, evidence.value));
            page.hang("", HANG, &text);
        }
    }
}

/// What to do next: sentences are wrapped, commands stay on one line, to be
/// copied.
pub(super) fn next(page: &mut Page, commands: &[String]) {
    for (number, command) in commands.iter().take(2).enumerate() {
        let lead = if number == 0 { "Next  " } else { "      " };
        let text = page.tone(Tone::Strong, command);
        if is_command(command) {
            page.exact(&format!("{lead}{text}"));
        } else {
            page.hang(lead, lead.len(), &text);
        }
    }
}

/// A command to copy, not a sentence.
fn is_command(text: &str) -> bool {
    (text.starts_with("sudo ") || text.starts_with("pi5-nvme ")) && !text.contains(['\n', ';', ','])
}

/// On a recorded machine, the line that says so.
pub(super) fn simulated(page: &mut Page, host: &Host) {
    if let Some(text) = mark_of(host) {
        let text = page.tone(Tone::Warn, &text);
        page.line(&text);
    }
}

/// What a report on a recorded machine begins with.
pub(super) fn mark_of(host: &Host) -> Option<String> {
    let name = host.root_path().file_name().unwrap_or_default().to_string_lossy();
    host.is_simulated().then(|| format!("Simulated: recorded machine {name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_told_from_sentences() {
        assert!(is_command("sudo reboot"));
        assert!(is_command("pi5-nvme verify"));
        assert!(!is_command("pi5-nvme status says what there is; pi5-nvme bench PATH measures another disk"));
        assert!(!is_command("Power off for ten seconds."));
    }
}
