//! `verify` for a person.

use super::{finding, next, simulated};
use crate::cli::page::Tone;
use crate::cli::ui::Ui;
use crate::host::Host;
use crate::rules::{Met, Verdict};

/// The whole report.
pub(in crate::cli) fn report(verdict: &Verdict, host: &Host, ui: &Ui, remark: Option<&str>) -> String {
    let mut page = ui.page();
    simulated(&mut page, host);
    let tone = match verdict.met {
        Met::Yes => Tone::Good,
        Met::No => Tone::Bad,
        Met::Unknown => Tone::Warn,
    };
    let line = page.tone(tone, &verdict.headline);
    page.line(&line);
    for found in &verdict.findings {
        // The first reason is the headline itself: what to do stands below it.
        if verdict.headline.ends_with(&found.text) {
            page.hang("", super::HANG, &found.remedy);
            page.blank();
        } else {
            finding(&mut page, found, ui.verbose);
        }
    }
    if let Some(remark) = remark {
        page.hang(" i", super::HANG, remark);
    }
    page.blank();
    // A remedy that stands above is not said twice.
    let fresh = |n: &&String| !verdict.findings.iter().any(|f| f.remedy == **n);
    let commands: Vec<_> = verdict.next.iter().filter(fresh).cloned().collect();
    next(&mut page, &commands);
    page.into_text()
}
