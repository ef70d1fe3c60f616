//! `verify` for a person.

use super::{finding, next, simulated};
use crate::cli::page::Tone;
use crate::cli::ui::Ui;
use crate::host::Host;
use crate::rules::{Met, Verdict};

/// The result line, with a word that says it without colour.
pub(in crate::cli) fn headline(verdict: &Verdict) -> String {
    let word = match verdict.met {
        Met::Yes => "PASS",
        Met::No => "FAIL",
        Met::Unknown => "UNKNOWN",
    };
    format!("{word}: {}", verdict.headline)
}

/// The whole report.
pub(in crate::cli) fn report(verdict: &Verdict, host: &Host, ui: &Ui, remarks: &[String]) -> String {
    let mut page = ui.page();
    simulated(&mut page, host);
    let (tone, line) = (
        match verdict.met {
            Met::Yes => Tone::Good,
            Met::No => Tone::Bad,
            Met::Unknown => Tone::Warn,
        },
        headline(verdict),
    );
    let line = page.tone(tone, &line);
    page.line(&line);
    page.blank();
    for found in &verdict.findings {
        finding(&mut page, found, ui.verbose);
    }
    for remark in remarks {
        page.hang(" i", super::HANG, remark);
    }
    page.blank();
    next(&mut page, &verdict.next);
    page.into_text()
}
