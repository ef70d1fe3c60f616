//! A drawing in SVG, part by part. Colours and letters come from classes, so
//! that a page can have a light and a dark side.

use std::fmt::Write;

/// Where a text stands from its point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    /// To the right of it.
    Start,
    /// Around it.
    Middle,
    /// To the left of it.
    End,
}

/// A drawing under construction; lengths are CSS pixels, y grows downwards.
#[derive(Debug, Clone, Default)]
pub(super) struct Svg {
    body: String,
}

/// Text that is safe between tags and inside quotes. Control characters, which
/// XML does not have, become blanks.
pub(super) fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => safe.push(' '),
            c => safe.push(c),
        }
    }
    safe
}

/// A length with one decimal, without a needless `.0`.
fn n(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}

impl Svg {
    /// A filled rectangle.
    pub(super) fn rect(&mut self, class: &str, x: f64, y: f64, width: f64, height: f64) {
        let (x, y, width, height) = (n(x), n(y), n(width.max(0.0)), n(height.max(0.0)));
        let _ =
            write!(self.body, r#"<rect class="{class}" x="{x}" y="{y}" width="{width}" height="{height}"/>"#);
    }

    /// A straight line.
    pub(super) fn line(&mut self, class: &str, x1: f64, y1: f64, x2: f64, y2: f64) {
        let (x1, y1, x2, y2) = (n(x1), n(y1), n(x2), n(y2));
        let _ = write!(self.body, r#"<line class="{class}" x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"/>"#);
    }

    /// Text; `x` and `y` are its base line.
    pub(super) fn text(&mut self, class: &str, x: f64, y: f64, anchor: Anchor, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let (x, y, text) = (n(x), n(y), escape(text));
        let _ = write!(
            self.body,
            r#"<text class="{class}" x="{x}" y="{y}" text-anchor="{anchor}">{text}</text>"#
        );
    }

    /// A line through points; closed when it has an inside.
    pub(super) fn path(&mut self, class: &str, points: &[(f64, f64)], closed: bool) {
        let mut way = String::new();
        for (number, (x, y)) in points.iter().enumerate() {
            let _ = write!(way, "{}{} {}", if number == 0 { 'M' } else { 'L' }, n(*x), n(*y));
        }
        if closed {
            way.push('Z');
        }
        let _ = write!(self.body, r#"<path class="{class}" d="{way}"/>"#);
    }

    /// A dot.
    pub(super) fn dot(&mut self, class: &str, x: f64, y: f64, radius: f64) {
        let (x, y, radius) = (n(x), n(y), n(radius));
        let _ = write!(self.body, r#"<circle class="{class}" cx="{x}" cy="{y}" r="{radius}"/>"#);
    }

    /// What `draw` adds, moved, and with `title` shown when it is pointed at.
    pub(super) fn group(&mut self, dx: f64, dy: f64, title: &str, draw: impl FnOnce(&mut Self)) {
        let (dx, dy) = (n(dx), n(dy));
        let _ = write!(self.body, r#"<g transform="translate({dx} {dy})">"#);
        if !title.is_empty() {
            let _ = write!(self.body, "<title>{}</title>", escape(title));
        }
        draw(self);
        self.body.push_str("</g>");
    }

    /// The drawing as an element for a page; `label` is for those who do not
    /// see it.
    pub(super) fn element(&self, width: f64, height: f64, class: &str, label: &str) -> String {
        let (w, h, label) = (n(width), n(height), escape(label));
        format!(
            r#"<svg class="{class}" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {w} {h}" width="{w}" height="{h}" role="img" aria-label="{label}">{}</svg>"#,
            self.body
        )
    }

    /// The drawing as a file of its own with a margin around it and `style`.
    pub(super) fn file(&self, width: f64, height: f64, style: &str, label: &str) -> String {
        const MARGIN: f64 = 20.0;
        let (w, h) = (n(width + 2.0 * MARGIN), n(height + 2.0 * MARGIN));
        format!(
            concat!(
                r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {w} {h}" width="{w}" height="{h}" role="img" aria-label="{label}">"#,
                "\n<style>\n{style}</style>\n",
                r#"<rect class="paper" width="{w}" height="{h}"/><g transform="translate({m} {m})">{body}</g></svg>"#,
                "\n"
            ),
            w = w,
            h = h,
            m = n(MARGIN),
            label = escape(label),
            style = style,
            body = self.body
        )
    }
}

/// About how wide a text is at a size, in the usual sans-serif letters.
pub(super) fn text_width(text: &str, size: f64) -> f64 {
    text.chars().count() as f64 * size * 0.56
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_leave_its_place() {
        assert_eq!(
            escape(r#"<a b="c" d='e'> & ]]>"#),
            "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt; &amp; ]]&gt;"
        );
        assert_eq!(escape("a\u{1b}[1mb\0\n\u{fffe}ü"), "a [1mb   ü");
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(
            (n(3.0), n(0.25), n(-1.04), n(100.0)),
            ("3".into(), "0.2".into(), "-1".into(), "100".into())
        );
    }
}
