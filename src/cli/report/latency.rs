//! How long transfers took: median, 99 %, 99.9 % and the longest, each factor
//! of ten as wide as the next.

use super::Subject;
use super::legend::{self, Mark};
use super::scale::Scale;
use super::svg::{Anchor, Svg};
use crate::bench::{JobResult, Run};
use crate::cli::show::words;

/// Height of a job's name and of each run's line.
const NAME: f64 = 18.0;
const LINE: f64 = 15.0;

/// Names of the marks, by their numbers.
const MARKS: [&str; 4] = ["median", "99 %", "99.9 %", "longest"];

/// The chart for a page, `width` wide; `None` when nothing is known.
pub(super) fn element(subject: &Subject, width: f64, class: &str) -> Option<String> {
    let runs = subject.runs();
    let all: Vec<u64> =
        runs.iter().flat_map(|r| &r.results).flat_map(|r| values(r).into_iter().flatten()).collect();
    let (least, most) = (*all.iter().min()?, *all.iter().max()?);
    let mut svg = Svg::default();
    let mut entries = if runs.len() > 1 { legend::sides(subject) } else { Vec::new() };
    entries.extend(MARKS.iter().enumerate().map(|(i, name)| (Mark::Dot(i), (*name).to_owned())));
    let top = legend::draw(&mut svg, &entries, width) + 8.0;
    let jobs = jobs(&runs);
    let columns = if width >= 640.0 && jobs.len() > 2 { 2 } else { 1 };
    let gap = 36.0;
    let wide = (width - gap * (columns - 1) as f64) / columns as f64;
    let scale = Scale::log(least as f64 * 0.8, most as f64 * 1.25, wide);
    let each = NAME + LINE * runs.len() as f64 + 8.0;
    let lines = jobs.len().div_ceil(columns);
    let bottom = top + each * lines as f64;
    for column in 0..columns {
        let left = column as f64 * (wide + gap);
        for mark in scale.marks(9) {
            let x = left + scale.at(mark);
            let anchor = if scale.at(mark) + 24.0 > wide { Anchor::End } else { Anchor::Middle };
            for line in 0..lines {
                // Not through the names.
                let y = top + each * line as f64;
                svg.line("grid", x, y + NAME, x, y + each - 6.0);
            }
            svg.text("small", x, bottom + 14.0, anchor, &round_time(mark));
        }
    }
    for (number, job) in jobs.iter().enumerate() {
        // Side by side, so that a job's reading and writing stand in a line.
        let (x, y) = ((number % columns) as f64 * (wide + gap), (number / columns) as f64 * each + top);
        svg.group(x, y, "", |svg| row(svg, &runs, job, &scale, wide));
    }
    Some(svg.element(
        width,
        bottom + 20.0,
        class,
        "Latency percentiles by job; the table below has the numbers",
    ))
}

/// The jobs of all runs.
fn jobs<'r>(runs: &[&'r Run]) -> Vec<&'r str> {
    let mut jobs: Vec<&str> = Vec::new();
    for result in runs.iter().flat_map(|r| &r.results) {
        if !jobs.contains(&result.job.as_str()) {
            jobs.push(&result.job);
        }
    }
    jobs
}

/// In nanoseconds, in the order of [`MARKS`].
pub(super) fn values(result: &JobResult) -> [Option<u64>; 4] {
    [result.p50_ns, result.p99_ns, result.p999_ns, (result.max_ns > 0).then_some(result.max_ns)]
}

fn row(svg: &mut Svg, runs: &[&Run], job: &str, scale: &Scale, width: f64) {
    svg.text("label", 0.0, 13.0, Anchor::Start, &words::job(job));
    let medians: Vec<_> = runs
        .iter()
        .filter_map(|run| run.results.iter().find(|r| r.job == job)?.p50_ns)
        .map(words::latency)
        .collect();
    let said =
        if medians.is_empty() { String::new() } else { format!("median {}", medians.join(" \u{2192} ")) };
    svg.text("small", width, 13.0, Anchor::End, &said);
    for (side, run) in runs.iter().enumerate() {
        let Some(result) = run.results.iter().find(|r| r.job == job) else { continue };
        let class = if side + 1 == runs.len() { "after" } else { "before" };
        let y = NAME + LINE * side as f64 + LINE / 2.0;
        let points: Vec<_> = values(result)
            .into_iter()
            .enumerate()
            .filter_map(|(i, v)| Some((i, scale.at(v? as f64), v?)))
            .collect();
        let title: Vec<_> =
            points.iter().map(|(i, _, v)| format!("{} {}", MARKS[*i], words::latency(*v))).collect();
        svg.group(0.0, y, &format!("{}: {}", words::job(job), title.join(", ")), |svg| {
            if let (Some((_, low, _)), Some((_, high, _))) = (points.first(), points.last()) {
                svg.line(&format!("{class} span"), *low, 0.0, *high, 0.0);
            }
            // The first on top, where two fall together.
            for (i, x, _) in points.iter().rev() {
                mark(svg, class, *i, *x, 0.0);
            }
        });
    }
}

/// The mark of a percentile: told apart by shape, not by colour.
pub(super) fn mark(svg: &mut Svg, class: &str, number: usize, x: f64, y: f64) {
    match number {
        0 => svg.dot(class, x, y, 5.0),
        1 => svg.path(class, &[(x, y - 6.0), (x + 5.0, y), (x, y + 6.0), (x - 5.0, y)], true),
        2 => svg.dot(&format!("{class} hollow"), x, y, 3.6),
        _ => svg.rect(class, x - 1.2, y - 6.0, 2.4, 12.0),
    }
}

/// `100 µs`, for a power of ten in nanoseconds.
fn round_time(nanoseconds: f64) -> String {
    match nanoseconds {
        v if v >= 1e9 => format!("{:.0} s", v / 1e9),
        v if v >= 1e6 => format!("{:.0} ms", v / 1e6),
        v if v >= 1e3 => format!("{:.0} µs", v / 1e3),
        v => format!("{v:.0} ns"),
    }
}
