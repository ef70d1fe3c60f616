//! The chart that people quote: a bar for each job, before and after, with the
//! interval of its median and the most that the link carries.

use super::Subject;
use super::legend::{self, Mark};
use super::scale::Scale;
use super::svg::{Anchor, Svg, text_width};
use crate::bench::{JobResult, Run};
use crate::cli::show::words;
use crate::terms::rate;

/// Height of a bar, and of the space between the two of a job.
const BAR: f64 = 15.0;
const BETWEEN: f64 = 2.0;

/// Room for a rate at the right of the bars.
const VALUE: f64 = 74.0;

/// Height of a line of text with its space.
const TEXT: f64 = 21.0;

/// The least width of a panel that is good to read.
const PANEL: f64 = 320.0;

/// Space between panels.
const GAP: f64 = 36.0;

/// From this share on the ceiling is worth having on the axis.
const NEAR: f64 = 0.3;

/// Letters and colours of every chart.
pub(super) const STYLE: &str = include_str!("chart.css");

/// Colours by day; a page adds those by night.
pub(super) const LIGHT: &str = include_str!("light.css");

/// Jobs of one shape: `seq1m-q8t1`, with its reading and its writing.
struct Shape<'s> {
    name: String,
    jobs: Vec<&'s str>,
}

/// The chart as a file of its own.
pub(super) fn file(subject: &Subject) -> String {
    let width = 760.0;
    let mut svg = Svg::default();
    let mut y = 0.0;
    for line in wrapped(&super::tables::headline(subject), width, 17.0) {
        svg.text("headline", 0.0, y + 16.0, Anchor::Start, &line);
        y += 23.0;
    }
    for line in wrapped(&super::tables::about(subject), width, 11.5) {
        svg.text("small", 0.0, y + 12.0, Anchor::Start, &line);
        y += 17.0;
    }
    y += 16.0;
    let mut height = 0.0;
    svg.group(0.0, y, "", |svg| height = draw(svg, subject, width));
    y += height + 20.0;
    let foot = format!("pi5-nvme {} · bars: median of the passes · MB = 10^6 bytes", subject.run.version);
    svg.text("small", 0.0, y, Anchor::Start, &foot);
    svg.file(width, y + 4.0, &format!("{LIGHT}{STYLE}"), &label(subject))
}

/// Lines of at most `width` pixels.
fn wrapped(text: &str, width: f64, size: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if text_width(&format!("{line} {word}"), size * 1.1) <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// The chart for a page, `width` wide.
pub(super) fn element(subject: &Subject, width: f64, class: &str) -> String {
    let mut svg = Svg::default();
    let height = draw(&mut svg, subject, width);
    svg.element(width, height, class, &label(subject))
}

/// The chart in words.
fn label(subject: &Subject) -> String {
    let each = subject.run.results.iter().map(|r| match subject.row(&r.job) {
        Some(row) => {
            let (was, is) = (rate(row.before), rate(row.after));
            format!("{}: {was}, then {is}, {}", words::job(&r.job), words::verdict(row))
        }
        None => format!("{}: {}", words::job(&r.job), rate(r.median)),
    });
    format!("Throughput by job. {}.", each.collect::<Vec<_>>().join("; "))
}

fn draw(svg: &mut Svg, subject: &Subject, width: f64) -> f64 {
    let runs = subject.runs();
    let shapes = shapes(&runs);
    let mut entries = legend::sides(subject);
    entries.push((Mark::Interval, "95 % interval".into()));
    if runs.iter().flat_map(|r| &r.results).any(|r| r.ceiling_bytes_per_second.is_some()) {
        entries.push((Mark::Ceiling, "the most that the link carries".into()));
    }
    let mut y = legend::draw(svg, &entries, width) + 14.0;
    let columns = if width >= 2.0 * PANEL + GAP && shapes.len() > 1 { 2 } else { 1 };
    let wide = (width - GAP * (columns - 1) as f64) / columns as f64;
    for line in shapes.chunks(columns) {
        let mut tallest = 0.0_f64;
        for (column, shape) in line.iter().enumerate() {
            let x = column as f64 * (wide + GAP);
            svg.group(x, y, "", |svg| tallest = tallest.max(panel(svg, subject, &runs, shape, wide)));
        }
        y += tallest + 18.0;
    }
    y - 18.0
}

fn shapes<'r>(runs: &[&'r Run]) -> Vec<Shape<'r>> {
    let mut shapes: Vec<Shape<'r>> = Vec::new();
    for result in runs.iter().flat_map(|r| &r.results) {
        let name = match result.job.rsplit_once('-') {
            Some((shape, "read" | "write" | "mixed")) => shape.to_uppercase().replace('-', " "),
            _ => words::job(&result.job),
        };
        match shapes.iter_mut().find(|s| s.name == name) {
            Some(shape) if shape.jobs.contains(&result.job.as_str()) => {}
            Some(shape) => shape.jobs.push(&result.job),
            None => shapes.push(Shape { name, jobs: vec![&result.job] }),
        }
    }
    shapes
}

fn panel(svg: &mut Svg, subject: &Subject, runs: &[&Run], shape: &Shape<'_>, width: f64) -> f64 {
    let plot = width - VALUE;
    let of = |job: &str| -> Vec<(usize, &JobResult)> {
        let each = runs.iter().enumerate();
        each.filter_map(|(i, run)| Some((i, run.results.iter().find(|r| r.job == job)?))).collect()
    };
    let all: Vec<_> = shape.jobs.iter().flat_map(|job| of(job)).map(|(_, r)| r).collect();
    let most = all.iter().map(|r| r.high.unwrap_or(r.median).max(r.median)).fold(0.0, f64::max);
    let ceiling = all.iter().filter_map(|r| r.ceiling_bytes_per_second).fold(0.0, f64::max);
    let near = most >= ceiling * NEAR;
    let scale = Scale::linear(if near { most.max(ceiling) } else { most } * 1.02, plot);

    svg.text("title", 0.0, 13.0, Anchor::Start, &shape.name);
    if !near {
        svg.text("small", width, 13.0, Anchor::End, "the link carries far more");
    }
    let rows = 24.0;
    let each = TEXT + runs.len() as f64 * (BAR + BETWEEN) + 7.0;
    let bottom = rows + each * shape.jobs.len() as f64;
    for mark in scale.marks(5) {
        let x = scale.at(mark);
        for number in 0..shape.jobs.len() {
            // Not through the words.
            let y = rows + each * number as f64;
            svg.line("grid", x, y + TEXT - 2.0, x, y + each - 5.0);
        }
    }
    axis(svg, &scale, bottom + 14.0);
    for (number, job) in shape.jobs.iter().enumerate() {
        let y = rows + each * number as f64;
        let way = job.rsplit('-').next().unwrap_or(job);
        svg.text("label", 0.0, y + 14.0, Anchor::Start, way);
        let said = beside(subject, job);
        svg.text("label", width, y + 14.0, Anchor::End, &said);
        for (side, result) in of(job) {
            let y = y + TEXT + side as f64 * (BAR + BETWEEN);
            let class = if side + 1 == runs.len() { "after" } else { "before" };
            bar(svg, &scale, result, class, y, width, near);
        }
    }
    bottom + 18.0
}

/// Numbers below the marks, the unit at the last.
fn axis(svg: &mut Svg, scale: &Scale, y: f64) {
    let marks = scale.marks(5);
    let unit = marks.last().map(|m| short_rate(*m)).unwrap_or_default();
    let size = match unit.rsplit(' ').next() {
        Some("GB/s") => 1e9,
        Some("MB/s") => 1e6,
        Some("kB/s") => 1e3,
        _ => 1.0,
    };
    for (number, mark) in marks.iter().enumerate() {
        let text = if number + 1 == marks.len() { &unit } else { &round_number(mark / size) };
        let anchor = if number == 0 { Anchor::Start } else { Anchor::Middle };
        svg.text("small", scale.at(*mark), y, anchor, text);
    }
}

/// What stands above the bars of a job.
fn beside(subject: &Subject, job: &str) -> String {
    if let Some(row) = subject.row(job) {
        return words::verdict(row);
    }
    if subject.before.is_some() {
        return "not compared".into();
    }
    let result = subject.run.results.iter().find(|r| r.job == job);
    match result.and_then(|r| r.ceiling_ratio) {
        Some(share) => format!("{} % of the link", words::percent(share)),
        None => String::new(),
    }
}

fn bar(svg: &mut Svg, scale: &Scale, result: &JobResult, class: &str, y: f64, width: f64, near: bool) {
    let mut title = format!("{}: {}", words::job(&result.job), rate(result.median));
    if let (Some(low), Some(high)) = (result.low, result.high) {
        title.push_str(&format!(", 95 % interval {}", words::interval(low, high)));
    }
    if let Some(ceiling) = result.ceiling_bytes_per_second {
        title.push_str(&format!(", the link carries at most {}", rate(ceiling)));
    }
    svg.group(0.0, y, &title, |svg| {
        let class = if result.valid { class } else { "invalid" };
        svg.rect(class, 0.0, 0.0, scale.at(result.median), BAR);
        if let (Some(low), Some(high)) = (result.low, result.high) {
            whisker(svg, scale.at(low), scale.at(high), BAR / 2.0, 4.0);
        }
        if let Some(ceiling) = result.ceiling_bytes_per_second.filter(|_| near) {
            let x = scale.at(ceiling);
            svg.line("ceiling", x, -2.0, x, BAR + 2.0);
        }
        let value = if result.valid { rate(result.median) } else { "invalid".into() };
        svg.text("value", width, BAR - 3.0, Anchor::End, &value);
    });
}

/// An interval, in a colour that stands out on the bar and beside it.
pub(super) fn whisker(svg: &mut Svg, low: f64, high: f64, y: f64, half: f64) {
    for class in ["halo", "whisker"] {
        svg.line(class, low, y, high, y);
        svg.line(class, low, y - half, low, y + half);
        svg.line(class, high, y - half, high, y + half);
    }
}

/// `200 MB/s`, for a round value.
pub(super) fn short_rate(value: f64) -> String {
    for (unit, size) in [("GB/s", 1e9), ("MB/s", 1e6), ("kB/s", 1e3)] {
        if value >= size {
            return format!("{} {unit}", round_number(value / size));
        }
    }
    format!("{value:.0} B/s")
}

fn round_number(value: f64) -> String {
    ((value * 100.0).round() / 100.0).to_string()
}
