//! What the colours and marks of a chart mean.

use super::Subject;
use super::svg::{Anchor, Svg, text_width};

/// Height of a line of the legend.
const LINE: f64 = 20.0;

/// A mark and what it means.
pub(super) enum Mark {
    /// A filled box of this class.
    Box(&'static str),
    /// The ceiling.
    Ceiling,
    /// An interval.
    Interval,
    /// A dot, by the number of the percentile.
    Dot(usize),
}

/// The names of the sides, with their colours.
pub(super) fn sides(subject: &Subject) -> Vec<(Mark, String)> {
    let sides = subject.sides();
    let classes: &[&str] = if sides.len() > 1 { &["before", "after"] } else { &["after"] };
    classes.iter().zip(sides).map(|(class, name)| (Mark::Box(class), name)).collect()
}

/// Draws the entries in as many lines as `width` needs; gives their height.
pub(super) fn draw(svg: &mut Svg, entries: &[(Mark, String)], width: f64) -> f64 {
    let (mut x, mut y) = (0.0, 0.0);
    for (mark, name) in entries {
        let wide = 22.0 + text_width(name, 13.0) + 16.0;
        if x > 0.0 && x + wide - 16.0 > width {
            (x, y) = (0.0, y + LINE);
        }
        let middle = y + 8.0;
        match mark {
            Mark::Box(class) => svg.rect(class, x, middle - 5.0, 14.0, 10.0),
            Mark::Ceiling => svg.line("ceiling", x + 7.0, middle - 8.0, x + 7.0, middle + 8.0),
            Mark::Interval => super::bars::whisker(svg, x, x + 14.0, middle, 4.0),
            Mark::Dot(number) => super::latency::mark(svg, "after", *number, x + 7.0, middle),
        }
        svg.text("label", x + 20.0, middle + 4.5, Anchor::Start, name);
        x += wide;
    }
    y + LINE
}
