//! `verify`: whether the link runs as asked.

use super::Answer;
use super::args::Verify;
use super::exit::{self, Exit, Failure};
use super::show::{self, json};
use super::ui::Ui;
use crate::act;
use crate::facts::{self, Facts};
use crate::host::{Host, HostError};
use crate::rules::{self, Met, Recorded, Verdict};
use std::time::{Duration, Instant};

/// How long to wait between two looks. A drive that trains late does so
/// within seconds.
const PAUSE: Duration = Duration::from_millis(500);

/// Looks until the answer is yes or the time is over.
pub(super) fn command(host: &Host, args: &Verify, ui: &Ui) -> Result<Answer, Failure> {
    let mut remarks = Vec::new();
    let recorded = match act::newest(host) {
        Ok(recorded) => recorded,
        Err(act::ActError::Host(HostError::Denied(_))) => {
            remarks.push(
                "What setup changed is kept for root: sudo pi5-nvme verify compares with it too".into(),
            );
            None
        }
        Err(error) => {
            remarks.push(format!("What setup changed could not be read: {error}"));
            None
        }
    };
    let (facts, verdict) = look(host, recorded.as_ref(), Duration::from_secs(args.wait), ui);
    // Another board is no answer to the question.
    if let Some(board) = verdict.findings.first().filter(|f| exit::not_here(&f.id)) {
        return Err(Failure::new(Exit::NotHere, "not-here", board.text.clone())
            .remedy(board.remedy.clone())
            .with(json::verify(&verdict, &facts)));
    }
    Ok(Answer {
        json: json::object("verify", host, json::verify(&verdict, &facts)),
        headline: verdict.headline.clone(),
        text: show::verify::report(&verdict, host, ui, &remarks),
        exit: if verdict.met == Met::Yes { Exit::Done } else { Exit::No },
        after: None,
    })
}

fn look(host: &Host, recorded: Option<&Recorded>, wait: Duration, ui: &Ui) -> (Facts, Verdict) {
    let start = Instant::now();
    let mut told = false;
    loop {
        let facts = facts::read(host);
        let verdict = rules::verdict(&facts, recorded);
        if verdict.met == Met::Yes || start.elapsed() >= wait {
            return (facts, verdict);
        }
        if !told {
            ui.say("Not yet; looking again ...");
            told = true;
        }
        std::thread::sleep(PAUSE.min(wait.saturating_sub(start.elapsed())));
    }
}
