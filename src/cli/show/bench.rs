//! `bench` for a person: the result, a table, what to know about it.

use super::simulated;
use crate::bench::{JobResult, LinkInfo, NotComparable, Row, Run};
use crate::cli::exit::Failure;
use crate::cli::page::{Page, Tone, dotted, tied};
use crate::cli::ui::Ui;
use crate::host::Host;
use crate::terms::rate;
use std::time::Duration;

/// Two runs side by side, or why not.
#[derive(Debug)]
pub(in crate::cli) struct Compared {
    pub(in crate::cli) before: Option<Run>,
    pub(in crate::cli) rows: Result<Vec<Row>, String>,
}

impl Compared {
    pub(in crate::cli) fn of(before: Run, rows: Result<Vec<Row>, NotComparable>) -> Self {
        Self { before: Some(before), rows: rows.map_err(|why| why.to_string()) }
    }
}

/// Below this many columns each job takes lines of its own.
const TABLE: usize = 74;

/// The job that people ask about first.
const FIRST: &str = "seq1m-q8t1-read";

/// `SEQ1M Q8 read` for `seq1m-q8t1-read`.
pub(in crate::cli) fn job(name: &str) -> String {
    match name.split('-').collect::<Vec<_>>().as_slice() {
        [kind, queue, way] => {
            let queue = queue.split('t').next().unwrap_or(queue);
            format!("{} {} {way}", kind.to_uppercase(), queue.to_uppercase())
        }
        _ if name == "fill" => "writing the test file".to_owned(),
        _ => name.to_owned(),
    }
}

fn link(link: Option<LinkInfo>) -> String {
    link.and_then(LinkInfo::link).map_or_else(|| "link unknown".into(), |l| l.to_string())
}

fn short(link: Option<LinkInfo>) -> String {
    link.map_or_else(|| "unknown link".into(), |l| format!("Gen {} x{}", l.generation, l.width))
}

/// A run in one line.
pub(in crate::cli) fn headline(run: &Run) -> String {
    let speed = match run.results.iter().find(|r| r.job == FIRST).or_else(|| run.results.first()) {
        Some(result) => format!("{} {}{}", job(&result.job), rate(result.median), share(result)),
        None => "nothing measured".to_owned(),
    };
    let simulated = if run.simulated { "simulated · " } else { "" };
    let what = match (run.environment.link, &run.target.disk) {
        (None, Some(disk)) => disk.clone(),
        (link, _) => short(link),
    };
    format!("{simulated}{what} · {speed}{}", doubts(run))
}

/// What keeps the numbers of a run from being believed.
fn doubts(run: &Run) -> String {
    let invalid = run.results.iter().filter(|r| !r.valid).count();
    let mut text = match invalid {
        0 => String::new(),
        some => format!(" · INVALID: {some} of {}", run.results.len()),
    };
    if run.partial {
        text.push_str(" · interrupted");
    }
    text
}

fn share(result: &JobResult) -> String {
    match result.ceiling_ratio {
        Some(ratio) => format!(", {:.0} % of what the link carries", ratio * 100.0),
        None => String::new(),
    }
}

/// The result in one line: of the comparison where there is one.
pub(in crate::cli) fn result(run: &Run, compared: Option<&Compared>) -> String {
    let simulated = if run.simulated { "simulated · " } else { "" };
    match compared {
        None => headline(run),
        Some(Compared { rows: Err(why), .. }) => format!("{simulated}Not compared: {why}{}", doubts(run)),
        Some(Compared { rows: Ok(rows), before }) => {
            let before = before.as_ref().and_then(|b| b.environment.link);
            let row = rows.iter().find(|r| r.job == FIRST).or_else(|| rows.first());
            let gain = row.map(|r| format!("{}: {}", job(&r.job), r.verdict)).unwrap_or_default();
            format!("{simulated}{} -> {} · {gain}{}", short(before), short(run.environment.link), doubts(run))
        }
    }
}

/// The whole report.
pub(in crate::cli) fn report(
    run: &Run,
    compared: Option<&Compared>,
    kept: Option<&Result<String, Failure>>,
    host: &Host,
    ui: &Ui,
) -> String {
    let mut page = ui.page();
    simulated(&mut page, host);
    let line = dotted(&result(run, compared)).replace(" to ", &tied(" to "));
    let line = page.tone(Tone::Strong, &line);
    page.line(&line);
    let target = &run.target;
    let model = target.model.as_deref().or(target.disk.as_deref()).unwrap_or("drive unknown");
    let link = run.environment.link.map(|l| format!(" · {}", link(Some(l)))).unwrap_or_default();
    let about = format!("{model}{link} · {} at {}", target.file_system, target.mount);
    page.line(&dotted(&about));
    page.blank();
    match compared {
        Some(Compared { rows: Ok(rows), before: Some(before) }) => {
            comparison(&mut page, rows, before, run, ui)
        }
        _ => results(&mut page, run, ui),
    }
    page.blank();
    remarks(&mut page, run, compared, ui);
    match kept {
        Some(Ok(name)) => page.line(&format!("Kept as {name}.")),
        Some(Err(failure)) => page.line(&format!("Not kept: {}", failure.message)),
        None => {}
    }
    page.into_text()
}

fn results(page: &mut Page, run: &Run, ui: &Ui) {
    let wide = ui.width >= TABLE;
    if wide {
        let head =
            format!("{:<16} {:>9}  {:<21} {:>7} {:>7}", "", "median", "95 % interval", "of link", "p99");
        let head = page.tone(Tone::Dim, &head);
        page.exact(&head);
    }
    for result in &run.results {
        let name = job(&result.job);
        let interval = match (result.low, result.high) {
            (Some(low), Some(high)) => format!("{} to {}", number(low, high), rate(high)),
            // Too few passes for one.
            _ => "-".into(),
        };
        let of_link = result.ceiling_ratio.map_or_else(|| "-".into(), |r| format!("{:.0} %", r * 100.0));
        let late = result.p99_ns.map_or_else(|| "-".into(), latency);
        let invalid = if result.valid { "" } else { "  INVALID" };
        if wide {
            let speed = rate(result.median);
            page.exact(&format!("{name:<16} {speed:>9}  {interval:<21} {of_link:>7} {late:>7}{invalid}"));
        } else {
            page.line(&format!("{name}{invalid}"));
            let share = result.ceiling_ratio.map(|_| format!(", {of_link} of link")).unwrap_or_default();
            page.hang("", 2, &format!("{}{share}", rate(result.median)));
            page.hang("", 2, &dotted(&format!("95 %: {interval} · p99 {late}")));
        }
    }
}

/// The lower end of an interval without its unit where the upper end has the
/// same one.
fn number(low: f64, high: f64) -> String {
    let (low, high) = (rate(low), rate(high));
    match (low.split_once(' '), high.split_once(' ')) {
        (Some((number, unit)), Some((_, other))) if unit == other => number.to_owned(),
        _ => low,
    }
}

fn latency(nanoseconds: u64) -> String {
    let time = Duration::from_nanos(nanoseconds);
    match nanoseconds {
        0..=999_999 => format!("{:.0} µs", time.as_secs_f64() * 1e6),
        1_000_000..=999_999_999 => format!("{:.1} ms", time.as_secs_f64() * 1e3),
        _ => format!("{:.1} s", time.as_secs_f64()),
    }
}

fn comparison(page: &mut Page, rows: &[Row], before: &Run, after: &Run, ui: &Ui) {
    let (old, new) = (short(before.environment.link), short(after.environment.link));
    let wide = ui.width >= TABLE;
    if wide {
        let head = format!("{:<16} {:>9} {:>9}  {}", "", old, new, "after against before, 95 % interval");
        let head = page.tone(Tone::Dim, &head);
        page.exact(&head);
    }
    for row in rows {
        let (name, was, is) = (job(&row.job), rate(row.before), rate(row.after));
        if wide {
            page.exact(&format!("{name:<16} {was:>9} {is:>9}  {}", row.verdict));
        } else {
            page.line(&name);
            page.hang("", 2, &format!("{old}: {was}"));
            page.hang("", 2, &format!("{new}: {is}"));
            page.hang("", 2, &row.verdict);
        }
    }
    for way in ["read", "write"] {
        let Some(row) = rows.iter().find(|r| r.job.ends_with(way)) else { continue };
        if let (Some(was), Some(is)) = (row.ceiling_before, row.ceiling_after) {
            let text = if wide {
                format!("{:<16} {:>9} {:>9}", format!("the link, {way}"), rate(was), rate(is))
            } else {
                format!("the link carries at most ({way}):\n  {old}: {}\n  {new}: {}", rate(was), rate(is))
            };
            let text = page.tone(Tone::Dim, &text);
            page.exact(&text);
        }
    }
    page.blank();
    page.line(&format!("Before: {}.", before.time));
}

fn remarks(page: &mut Page, run: &Run, compared: Option<&Compared>, ui: &Ui) {
    if run.partial {
        let mark = page.tone(Tone::Warn, " !");
        page.hang(&mark, super::HANG, "Interrupted: jobs are missing or short.");
    }
    for result in &run.results {
        for warning in &result.warnings {
            let mark = if result.valid { page.tone(Tone::Warn, " !") } else { page.tone(Tone::Bad, " x") };
            page.hang(&mark, super::HANG, &format!("{}: {warning}", job(&result.job)));
        }
    }
    for note in &run.notes {
        page.hang(" i", super::HANG, note);
    }
    if run.results.iter().any(|r| r.ceiling_assumed) {
        page.hang(
            " i",
            super::HANG,
            "The drive's payload size could not be read: the link is judged by the largest.",
        );
    }
    if ui.verbose {
        let engine = &run.engine;
        let way = if engine.direct { "past the page cache" } else { "through the page cache" };
        page.hang(" i", super::HANG, &format!("{}, {way}", engine.name));
        if let Some(before) = compared.and_then(|c| c.before.as_ref()) {
            page.hang(" i", super::HANG, &format!("compared with the run of {}", before.time));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_are_named_as_people_name_them() {
        for (name, words) in [
            ("seq1m-q8t1-read", "SEQ1M Q8 read"),
            ("rnd4k-q32t1-write", "RND4K Q32 write"),
            ("fill", "writing the test file"),
            ("other", "other"),
        ] {
            assert_eq!(job(name), words);
        }
        assert!(crate::bench::JOBS.iter().all(|j| job(j.name) != j.name));
        assert!(crate::bench::JOBS.iter().any(|j| j.name == FIRST));
    }

    #[test]
    fn an_interval_names_its_unit_once() {
        assert_eq!(number(429e6, 437e6), "429");
        assert_eq!(number(40.8e3, 68.3e6), "40.8 kB/s");
        assert_eq!(latency(529_000), "529 µs");
        assert_eq!(latency(4_600_000), "4.6 ms");
        assert_eq!(latency(1_500_000_000), "1.5 s");
    }
}
