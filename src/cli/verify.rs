//! `verify`: whether the link runs as asked.

use super::Answer;
use super::args::Verify;
use super::exit::{self, Exit, Failure};
use super::show::{self, json};
use super::ui::Ui;
use crate::act::{self, ActError};
use crate::facts::{self, Facts};
use crate::host::{Host, HostError};
use crate::rules::{self, Met, Verdict};
use std::time::{Duration, Instant};

/// How long to wait between two looks. A drive that trains late does so
/// within seconds.
const PAUSE: Duration = Duration::from_millis(500);

/// Looks until the answer is yes or the time is over.
pub(super) fn command(host: &Host, args: &Verify, ui: &Ui) -> Result<Answer, Failure> {
    let record = act::newest(host);
    let denied = matches!(record, Err(ActError::Host(HostError::Denied(_))));
    let remark =
        denied.then_some("What setup changed is kept for root: sudo pi5-nvme verify compares with it too");
    let judge = |facts: &Facts| match &record {
        Ok(recorded) => rules::verdict(facts, recorded.as_ref()),
        Err(_) if denied => rules::verdict(facts, None),
        Err(error) => rules::verdict_without_record(facts, &error.to_string()),
    };
    let (facts, verdict) = look(host, &judge, Duration::from_secs(args.wait), ui);
    // Another board is no answer to the question.
    if let Some(board) = verdict.findings.first().filter(|f| exit::not_here(&f.id)) {
        return Err(Failure::new(Exit::NotHere, "not-here", board.text.clone())
            .remedy(board.remedy.clone())
            .with(json::verify(&verdict, &facts)));
    }
    Ok(Answer {
        json: json::object("verify", host, json::verify(&verdict, &facts)),
        headline: verdict.headline.clone(),
        text: show::verify::report(&verdict, host, ui, remark),
        exit: if verdict.met == Met::Yes { Exit::Done } else { Exit::No },
        after: None,
    })
}

fn look(host: &Host, judge: &dyn Fn(&Facts) -> Verdict, wait: Duration, ui: &Ui) -> (Facts, Verdict) {
    let start = Instant::now();
    let mut told = false;
    loop {
        let facts = facts::read(host);
        let verdict = judge(&facts);
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
