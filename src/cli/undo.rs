//! `undo`: puts back, byte for byte.

use super::Answer;
use super::args::Undo;
use super::exit::{self, Exit, Failure};
use super::show::{self, json};
use super::ui::Ui;
use crate::act;
use crate::host::Host;
use serde_json::json;

/// Puts back the newest transaction or the one named, or lists them.
pub(super) fn command(host: &Host, args: &Undo, ui: &Ui) -> Result<Answer, Failure> {
    if args.list {
        return list(host, ui);
    }
    if host.euid() != 0 {
        let id = args.id.as_deref().map(|id| format!(" {id}")).unwrap_or_default();
        return Err(exit::needs_root(host, "Putting files back", &format!("pi5-nvme undo{id}")));
    }
    let report = act::undo(host, args.id.as_deref(), &mut |line| ui.say(line));
    let commands: &[&str] = if report.reboot_required { &["sudo reboot"] } else { &[] };
    let next = super::all_typed(host, commands);
    let body = json::report(&report, &next);
    if let Some(failure) = exit::of_report(&report, false) {
        return Err(failure.with(json::object("undo", host, body)));
    }
    let headline = match (&report.transaction, report.changed) {
        (Some(id), true) if report.reboot_required => {
            format!("Put back: transaction {id}, byte for byte; it takes effect at the next boot")
        }
        (Some(id), true) => format!("Put back: transaction {id}, byte for byte"),
        (Some(id), false) => format!("Nothing to put back: transaction {id} has left nothing"),
        (None, _) => "Nothing to put back: no change of setup is in force".to_owned(),
    };
    Ok(Answer {
        json: json::object("undo", host, body),
        text: show::setup::done(&headline, &report, &next, host, ui),
        headline,
        exit: Exit::Done,
        after: None,
    })
}

fn list(host: &Host, ui: &Ui) -> Result<Answer, Failure> {
    let entries = act::list(host)?;
    let headline = match entries.len() {
        0 => "No transactions".to_owned(),
        1 => "1 transaction".to_owned(),
        many => format!("{many} transactions"),
    };
    let mut page = ui.page();
    show::simulated(&mut page, host);
    page.line(&headline);
    for entry in &entries {
        page.hang(
            &format!("{}  ", entry.id),
            6,
            &format!("{} · {} · {}", entry.time, entry.state, entry.goal),
        );
    }
    let rows: Vec<_> = entries
        .iter()
        .map(|e| json!({"id": e.id, "time": e.time, "goal": e.goal, "state": e.state.to_string()}))
        .collect();
    Ok(Answer {
        json: json::object("undo", host, json!({"transactions": rows})),
        headline,
        text: page.into_text(),
        exit: Exit::Done,
        after: None,
    })
}
