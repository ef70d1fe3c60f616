//! Throughput and temperature over the time of a run, one above the other with
//! the same seconds.

use super::scale::{Scale, round_up};
use super::svg::{Anchor, Svg, escape, text_width};
use crate::bench::{Phase, Run};
use crate::cli::show::words;

/// Room for the numbers of the axis.
const LEFT: f64 = 62.0;

/// Heights: the names of the jobs, throughput, the space below, temperature.
const NAMES: f64 = 34.0;
const RATE: f64 = 130.0;
const BETWEEN: f64 = 16.0;
const HEAT: f64 = 54.0;

/// The chart of `run` for a page, `width` wide; `None` when nothing was
/// written down. `most` is the top of the axis in bytes a
/// second, `side` the class of its colour.
pub(super) fn element(run: &Run, most: f64, side: &str, width: f64, class: &str) -> Option<String> {
    let timeline = &run.timeline;
    if timeline.is_empty() {
        return None;
    }
    let end = timeline
        .phases
        .iter()
        .filter_map(|p| p.seconds.last())
        .chain(timeline.temperature_seconds.last())
        .fold(0.0, |a: f64, b| a.max(*b));
    let time = Scale::linear(end, width - LEFT - 8.0);
    let mut svg = Svg::default();
    let numbered = names(&mut svg, &timeline.phases, &time);
    svg.group(LEFT, NAMES, "", |svg| rates(svg, &timeline.phases, &time, most, side));
    let mut bottom = NAMES + RATE;
    if timeline.temperature_celsius.len() > 1 {
        bottom += BETWEEN;
        svg.group(LEFT, bottom, "", |svg| {
            heat(svg, &timeline.temperature_seconds, &timeline.temperature_celsius, &time);
        });
        bottom += HEAT;
    }
    for mark in time.marks(if width > 500.0 { 8 } else { 4 }) {
        let x = LEFT + time.at(mark);
        svg.text("small", x, bottom + 15.0, Anchor::Middle, &format!("{} s", (mark * 10.0).round() / 10.0));
    }
    let chart = svg.element(width, bottom + 20.0, "", "Throughput and temperature over the time of the run");
    let key = numbered
        .into_iter()
        .map(|(i, p)| format!("{i} {}", words::job(&p.job)).replace(' ', "\u{a0}"))
        .collect::<Vec<_>>();
    let key = if key.is_empty() {
        String::new()
    } else {
        format!("<p class=\"small-text\">{}</p>", escape(&key.join(" · ")))
    };
    Some(format!("<div class=\"{class}\">{chart}{key}</div>"))
}

/// The name of each part, or a number where it has no room; gives those.
fn names<'p>(svg: &mut Svg, phases: &'p [Phase], time: &Scale) -> Vec<(usize, &'p Phase)> {
    let mut numbered = Vec::new();
    for (number, phase) in phases.iter().enumerate() {
        let Some(end) = phase.seconds.last() else { continue };
        let (from, to) = (LEFT + time.at(phase.began_seconds), LEFT + time.at(*end));
        if number % 2 == 0 {
            svg.rect("band", from, 0.0, to - from, NAMES + RATE);
        }
        let middle = (from + to) / 2.0;
        let name = words::job(&phase.job);
        let parts = match name.rsplit_once(' ') {
            _ if phase.job == "fill" => vec!["fill"],
            Some((shape, way)) => vec![shape, way],
            None => vec![name.as_str()],
        };
        let wide = parts.iter().map(|p| text_width(p, 11.5)).fold(0.0, f64::max);
        if wide <= to - from {
            for (line, part) in parts.iter().enumerate() {
                svg.text("small", middle, 13.0 + 14.0 * line as f64, Anchor::Middle, part);
            }
        } else {
            svg.text("small", middle, 20.0, Anchor::Middle, &(number + 1).to_string());
            numbered.push((number + 1, phase));
        }
    }
    numbered
}

fn rates(svg: &mut Svg, phases: &[Phase], time: &Scale, most: f64, side: &str) {
    let scale = Scale::linear(most, RATE);
    for mark in scale.marks(5) {
        let y = RATE - scale.at(mark);
        svg.line("grid", 0.0, y, time.at(f64::MAX), y);
        let text = if mark == 0.0 { "0".into() } else { super::bars::short_rate(mark) };
        svg.text("small", -6.0, y + 4.0, Anchor::End, &text);
    }
    for phase in phases {
        let mut line = Vec::new();
        let mut since = phase.began_seconds;
        for (end, rate) in phase.seconds.iter().zip(&phase.bytes_per_second) {
            let y = RATE - scale.at(*rate);
            line.push((time.at(since), y));
            line.push((time.at(*end), y));
            since = *end;
        }
        let (Some(first), Some(last)) = (line.first().copied(), line.last().copied()) else { continue };
        let mut area = vec![(first.0, RATE)];
        area.extend(&line);
        area.push((last.0, RATE));
        svg.path(&format!("{side} area"), &area, true);
        svg.path(&format!("{side} line"), &line, false);
    }
}

fn heat(svg: &mut Svg, seconds: &[f64], celsius: &[f64], time: &Scale) {
    let low = celsius.iter().copied().fold(f64::INFINITY, f64::min);
    let high = celsius.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    // A degree or two of change is not a mountain.
    let step = round_up(((high - low) / 2.0).max(5.0));
    let bottom = ((low - 1.0) / step).floor() * step;
    let top = (((high + 1.0) / step).ceil() * step).max(bottom + step);
    let y = |c: f64| HEAT - (c - bottom) / (top - bottom) * HEAT;
    for mark in [bottom, top] {
        svg.line("grid", 0.0, y(mark), time.at(f64::MAX), y(mark));
        svg.text("small", -6.0, y(mark) + 4.0, Anchor::End, &format!("{mark:.0} °C"));
    }
    let points: Vec<_> = seconds.iter().zip(celsius).map(|(s, c)| (time.at(*s), y(*c))).collect();
    svg.path("hot", &points, false);
}
