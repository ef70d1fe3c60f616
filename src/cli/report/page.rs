//! The report as one page that needs nothing else: no scripts, no letters and
//! no pictures from elsewhere.

use super::Subject;
use super::bars::{self, LIGHT, STYLE};
use super::svg::escape;
use super::tables::{self, Table};
use super::{latency, over_time};
use crate::bench::Row;
use crate::cli::show::words;
use crate::terms::rate;
use std::fmt::Write;

/// Colours by night, and everything that is no chart.
const DARK: &str = include_str!("dark.css");
const PAGE: &str = include_str!("page.css");

/// Widths that charts are drawn for; the page shows the one that fits.
const WIDE: f64 = 820.0;
const NARROW: f64 = 350.0;

/// The page.
pub(super) fn page(subject: &Subject) -> String {
    let title = escape(&tables::headline(subject));
    let mut body = String::new();
    header(&mut body, subject);
    tiles(&mut body, subject);
    section(&mut body, "Throughput", &both(|width, class| Some(bars::element(subject, width, class))));
    list(&mut body, &tables::sentences(subject));
    body.push_str(&table(&tables::results(subject)));
    if latency::element(subject, WIDE, "wide").is_some() {
        section(&mut body, "Latency", &both(|width, class| latency::element(subject, width, class)));
        folded(&mut body, "The numbers", &tables::latencies(subject));
    }
    time(&mut body, subject);
    checks(&mut body, subject);
    section(&mut body, "Environment", "");
    body.push_str(&table(&tables::environment(subject)));
    footer(&mut body, subject);
    format!(
        concat!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n",
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n",
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\"/>\n",
            "<meta name=\"color-scheme\" content=\"light dark\"/>\n",
            "<title>{title}</title>\n<style>\n{light}{dark}{chart}{page}</style>\n</head>\n",
            "<body>\n<main>\n{body}</main>\n</body>\n</html>\n"
        ),
        title = title,
        light = LIGHT,
        dark = DARK,
        chart = STYLE,
        page = PAGE,
        body = body
    )
}

/// A chart twice: for a screen and for a phone.
fn both(chart: impl Fn(f64, &str) -> Option<String>) -> String {
    let wide = chart(WIDE, "wide").unwrap_or_default();
    let narrow = chart(NARROW, "narrow").unwrap_or_default();
    format!("{wide}\n{narrow}\n")
}

fn header(body: &mut String, subject: &Subject) {
    let kind = if subject.before.is_some() { "Comparison" } else { "Measurement" };
    let simulated = if subject.run.simulated {
        "<p class=\"simulated\">Simulated: these are not numbers of a Raspberry Pi.</p>\n"
    } else {
        ""
    };
    let _ = write!(
        body,
        "<header>\n<p class=\"eyebrow\">{kind} by pi5-nvme</p>\n<h1>{}</h1>\n<p class=\"about\">{}</p>\n{simulated}</header>\n",
        escape(&tables::model(&subject.run)),
        escape(&about(subject)),
    );
}

/// The line below the title, which holds the model already.
fn about(subject: &Subject) -> String {
    let run = &subject.run;
    let link = subject.sides().join(" \u{2192} ");
    let kernel = run.environment.kernel.as_ref().map(|k| format!(" · Linux {k}")).unwrap_or_default();
    let day = run.time.split('T').next().unwrap_or(&run.time);
    format!("{link} · {}{kernel} · {day}", run.target.file_system)
}

/// What people look for first: the jobs that read.
fn tiles(body: &mut String, subject: &Subject) {
    let reads: Vec<_> = subject.run.results.iter().filter(|r| r.job.ends_with("-read")).collect();
    let shown = if reads.is_empty() { subject.run.results.iter().collect() } else { reads };
    body.push_str("<div class=\"tiles\">\n");
    for result in shown.into_iter().take(4) {
        let (figure, text) = match subject.row(&result.job) {
            Some(row) => compared(row),
            None if !result.valid => ("invalid".into(), "see the checks below".into()),
            None => (
                rate(result.median),
                match result.ceiling_ratio {
                    Some(share) => format!("{} % of what the link carries", words::percent(share)),
                    None => format!("{:.0} transfers a second", result.iops),
                },
            ),
        };
        let _ = writeln!(
            body,
            "<div class=\"tile\"><p class=\"job\">{}</p><p class=\"figure\">{}</p><p class=\"text\">{}</p></div>",
            escape(&words::job(&result.job)),
            escape(&figure),
            escape(&text)
        );
    }
    body.push_str("</div>\n");
}

fn compared(row: &Row) -> (String, String) {
    use crate::bench::Gain;
    let from = words::from_to(row.before, row.after, " \u{2192} ");
    let figure = match row.gain {
        Gain::Faster | Gain::Slower if row.ratio >= 9.995 => format!("{:.1}\u{d7}", row.ratio),
        Gain::Faster | Gain::Slower => format!("{:.2}\u{d7}", row.ratio),
        Gain::Same => "no change".into(),
        Gain::Unclear => "not clear".into(),
    };
    (figure, from)
}

fn section(body: &mut String, title: &str, inside: &str) {
    let _ = write!(body, "<h2>{title}</h2>\n{inside}");
}

fn list(body: &mut String, sentences: &[String]) {
    if sentences.is_empty() {
        return;
    }
    body.push_str("<ul>\n");
    for sentence in sentences {
        let _ = writeln!(body, "<li>{}</li>", escape(sentence));
    }
    body.push_str("</ul>\n");
}

fn table(table: &Table) -> String {
    let mut text = "<div class=\"scroll\"><table>\n<thead><tr>".to_owned();
    for cell in &table.head {
        let _ = write!(text, "<th scope=\"col\">{}</th>", escape(cell));
    }
    text.push_str("</tr></thead>\n<tbody>\n");
    for row in &table.rows {
        text.push_str("<tr>");
        for (column, cell) in row.iter().enumerate() {
            let cell = escape(cell);
            // On a phone the head of the column stands before each cell.
            let head = table.head.get(column).map(|h| escape(h)).unwrap_or_default();
            let bad = if cell == "NO" || cell.contains("INVALID") { " class=\"bad\"" } else { "" };
            let _ = match column {
                0 => write!(text, "<th scope=\"row\">{cell}</th>"),
                _ => write!(text, "<td data-head=\"{head}\"{bad}>{cell}</td>"),
            };
        }
        text.push_str("</tr>\n");
    }
    text + "</tbody>\n</table></div>\n"
}

fn folded(body: &mut String, title: &str, rows: &Table) {
    let _ = write!(body, "<details><summary>{title}</summary>\n{}</details>\n", table(rows));
}

/// The course of each run, with one scale for both.
fn time(body: &mut String, subject: &Subject) {
    let runs = subject.runs();
    let phases = runs.iter().flat_map(|r| &r.timeline.phases);
    let most = phases.flat_map(|p| &p.bytes_per_second).copied().fold(0.0, f64::max) * 1.05;
    if runs.iter().all(|r| r.timeline.is_empty()) {
        return;
    }
    section(body, "Over time", "");
    for (number, (run, side)) in runs.iter().zip(subject.sides()).enumerate() {
        let class = if number + 1 == runs.len() { "after" } else { "before" };
        if run.timeline.is_empty() {
            let _ = writeln!(body, "<p class=\"small-text\">{}: not written down.</p>", escape(&side));
            continue;
        }
        let charts = both(|width, size| over_time::element(run, most, class, width, size));
        let heat = if run.timeline.temperature_celsius.len() > 1 {
            "above: throughput; below: the drive's temperature"
        } else {
            "throughput; the drive's temperature could not be read"
        };
        let _ = write!(
            body,
            "<figure>\n<figcaption><b>{}</b> {heat}</figcaption>\n{charts}</figure>\n",
            escape(&side)
        );
    }
}

/// What was looked at; open only where there is something to know.
fn checks(body: &mut String, subject: &Subject) {
    let results: Vec<_> = subject.runs().into_iter().flat_map(|r| &r.results).collect();
    let (count, valid) = (results.len(), results.iter().filter(|r| r.valid).count());
    let said = match count - valid {
        0 => format!("All {count} results are valid."),
        _ => format!("{valid} of {count} results are valid; the others are not the drive's."),
    };
    section(body, "Checks", &format!("<p>{said}</p>\n"));
    let rows = tables::checks(subject);
    if results.iter().all(|r| r.valid && r.warnings.is_empty()) {
        folded(body, "Each of them", &rows);
    } else {
        body.push_str(&table(&rows));
    }
}

fn footer(body: &mut String, subject: &Subject) {
    let _ = writeln!(
        body,
        "<footer><p>Each rate is the median of a job's passes; MB = 10<sup>6</sup> bytes. The ceiling is what the \
         link carries after its coding and the overhead of its packets. Intervals hold the scatter of the passes, not what changes \
         from one run to the next. SEQ1M Q8T1: 1 MiB blocks in order, 8 in flight, one thread; RND4K: 4 KiB blocks anywhere. \
         Method: docs/bench.md of pi5-nvme {}.</p></footer>",
        escape(&subject.run.version)
    );
}
