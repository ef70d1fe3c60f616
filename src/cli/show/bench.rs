//! `bench` for a person: the result, a table, what to know about it.

use super::words::{self, FIRST, job, latency, short, sides};
use super::{compare, simulated};
use crate::bench::{JobResult, LinkInfo, NotComparable, Row, Run};
use crate::cli::exit::Failure;
use crate::cli::page::{Page, Tone, dotted, tied};
use crate::cli::ui::Ui;
use crate::host::Host;
use crate::terms::rate;

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

fn link(link: Option<LinkInfo>) -> String {
    link.and_then(LinkInfo::link).map_or_else(|| "link unknown".into(), |l| l.to_string())
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
pub(in crate::cli) fn doubts(run: &Run) -> String {
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
            let (old, new) = before.as_ref().map(|b| sides(b, run)).unwrap_or_default();
            let row = rows.iter().find(|r| r.job == FIRST).or_else(|| rows.first());
            let gain = row.map(|r| format!("{}: {}", job(&r.job), r.verdict)).unwrap_or_default();
            format!("{simulated}{old} -> {new} · {gain}{}", doubts(run))
        }
    }
}

/// The whole report.
pub(in crate::cli) fn report(
    run: &Run,
    compared: Option<&Compared>,
    kept: Option<&Result<String, Failure>>,
    reports: &[Result<String, Failure>],
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
            compare::comparison(&mut page, rows, before, run, ui.width);
        }
        _ => results(&mut page, run, ui.width),
    }
    page.blank();
    remarks(&mut page, run, compared, ui);
    match kept {
        Some(Ok(name)) => page.line(&format!("Kept as {name}.")),
        Some(Err(failure)) => page.line(&format!("Not kept: {}", failure.message)),
        None => {}
    }
    for report in reports {
        match report {
            Ok(file) => page.line(&format!("Report: {file}")),
            Err(failure) => page.line(&format!("No report: {}", failure.message)),
        }
    }
    page.into_text()
}

/// Columns of the table beside the name of the job.
const COLUMNS: usize = 62;

/// Columns of a bar.
const BAR: usize = 12;

fn results(page: &mut Page, run: &Run, width: usize) {
    let name = run.results.iter().map(|r| job(&r.job).chars().count()).max().unwrap_or(0);
    let wide = width >= name + COLUMNS;
    // Without a link the fastest job is the whole length.
    let known = run.results.iter().any(|r| r.ceiling_ratio.is_some());
    let most = run.results.iter().map(|r| r.median).fold(f64::MIN_POSITIVE, f64::max);
    if wide {
        let scale = if known { "of what the link" } else { "of the fastest" };
        let head = format!("{:name$} {:>9}  {scale:<19}{:<21} {:>7}", "", "median", "95 % interval", "p99");
        let head = page.tone(Tone::Dim, &head);
        page.exact(&head);
    }
    for result in &run.results {
        let job = job(&result.job);
        let speed = rate(result.median);
        let interval = match (result.low, result.high) {
            (Some(low), Some(high)) => words::interval(low, high),
            // Too few passes for one.
            _ => "-".into(),
        };
        let share = if known { result.ceiling_ratio } else { Some(result.median / most) };
        let percent = share.map_or_else(|| "-".into(), |s| format!("{} %", words::percent(s)));
        let late = result.p99_ns.map_or_else(|| "-".into(), latency);
        let invalid = if result.valid { "" } else { "  INVALID" };
        if wide {
            let bar = bar(share.unwrap_or(0.0), BAR);
            let last = if result.valid { late.as_str() } else { "INVALID" };
            page.exact(&format!("{job:<name$} {speed:>9}  {bar} {percent:>5} {interval:<21} {last:>7}"));
        } else {
            page.line(&format!("{job}{invalid}"));
            let scale = if known { "link" } else { "the fastest" };
            let share = share.map(|_| format!(" · {percent} of {scale}")).unwrap_or_default();
            page.hang("", 2, &dotted(&format!("{speed}{share}")));
            if let Some(known) = result.ceiling_ratio {
                page.exact(&format!("  {}", bar(known, width.saturating_sub(4).min(36))));
            }
            page.hang("", 2, &dotted(&format!("95 %: {interval} · p99 {late}")));
        }
    }
}

/// A bar of `width` columns that is full at a share of 1: `███████▌····`.
fn bar(share: f64, width: usize) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (share.clamp(0.0, 1.0) * width as f64 * 8.0).round() as usize;
    let mut text = "█".repeat(eighths / 8);
    text.push_str(EIGHTHS[eighths % 8]);
    let used = eighths.div_ceil(8);
    text + &"·".repeat(width - used)
}

fn remarks(page: &mut Page, run: &Run, compared: Option<&Compared>, ui: &Ui) {
    if run.partial {
        let mark = page.tone(Tone::Warn, " !");
        page.hang(&mark, super::HANG, "Interrupted: jobs are missing or short.");
    }
    if let Some(Compared { rows: Ok(rows), before: Some(before) }) = compared {
        compare::remarks(page, rows, before, run);
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
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::made_up::run;

    #[test]
    fn a_table_fits_the_terminal() {
        let mut odd = run(3);
        odd.results[0].valid = false;
        odd.results[0].job = "rnd4k-q32t1-write".into();
        (odd.results[1].low, odd.results[1].high) = (Some(1.04e3), Some(68.3e6));
        odd.results[2].ceiling_ratio = Some(1.3);
        for width in [100, 80, 79, 60, 40] {
            let mut page = Page::new(width, false);
            results(&mut page, &odd, width);
            let text = page.into_text();
            for line in text.lines() {
                assert!(line.chars().count() <= width, "{width}: {line:?} in\n{text}");
            }
            assert!(text.contains("INVALID") && text.contains("130 %"), "{text}");
        }
    }

    #[test]
    fn a_bar_has_its_width_whatever_the_share() {
        assert_eq!(bar(0.5, 4), "██··");
        assert_eq!(bar(0.53, 4), "██▏·");
        for share in [0.0, 0.01, 0.999, 1.0, 1.7, f64::NAN] {
            assert_eq!(bar(share, 12).chars().count(), 12, "{share}");
        }
    }
}
