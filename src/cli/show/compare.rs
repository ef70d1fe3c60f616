//! `bench --compare` for a person: a table with bars, then what follows.

use super::words;
use crate::bench::{Row, Run, changes};
use crate::cli::page::{Page, Tone, dotted};
use crate::terms::rate;

/// The two rates and the arrow between them; the bar stands below.
const NUMBERS: usize = 22;

/// The longest verdict.
const VERDICT: usize = 33;

/// The table and what follows from it.
pub(super) fn comparison(page: &mut Page, rows: &[Row], before: &Run, after: &Run, width: usize) {
    let name = rows.iter().map(|r| words::job(&r.job).chars().count()).max().unwrap_or(0);
    let wide = width >= name + 2 + NUMBERS + 2 + VERDICT;
    sides(page, before, after, width);
    page.blank();
    for row in rows {
        if wide { wide_row(page, row, name) } else { narrow_row(page, row, width) }
    }
    ceilings(page, rows, wide.then_some(name));
    let key = page.tone(Tone::Dim, "bar: █ before, ▒ gained, ░ lost; each job by its faster run");
    page.line(&key);
    page.blank();
}

/// Sentences below the table.
pub(super) fn remarks(page: &mut Page, rows: &[Row], before: &Run, after: &Run) {
    for sentence in words::conclusions(rows, before, after) {
        page.hang(" i", super::HANG, &sentence);
    }
    for change in changes(before, after) {
        page.hang(
            " i",
            super::HANG,
            &format!("Not the same: {}, {} -> {}", change.what, change.before, change.after),
        );
    }
}

/// Which run is which.
fn sides(page: &mut Page, before: &Run, after: &Run, width: usize) {
    for (lead, run) in [("before", before), ("after", after)] {
        let label = run.label.as_ref().map(|l| format!(" · {l}")).unwrap_or_default();
        let text = format!("{}{label} · {}", words::short(run.environment.link), run.time);
        let indent = if width >= 60 { 8 } else { 7 };
        page.hang(lead, indent, &dotted(&text));
    }
}

fn wide_row(page: &mut Page, row: &Row, name: usize) {
    let (was, is) = (rate(row.before), rate(row.after));
    let job = words::job(&row.job);
    page.exact(&format!("{job:<name$}  {was:>9} -> {is:>9}  {}", words::verdict(row)));
    let line = format!("{:name$}  {}  {}", "", bar(row, NUMBERS), beside(row));
    page.exact(line.trim_end());
}

fn narrow_row(page: &mut Page, row: &Row, width: usize) {
    page.line(&words::job(&row.job));
    page.hang("", 2, &format!("{} -> {}", rate(row.before), rate(row.after)));
    page.exact(&format!("  {}", bar(row, width.saturating_sub(4).min(36)).trim_end()));
    page.hang("", 2, &words::verdict(row));
    page.hang("", 2, &beside(row));
}

/// The share of the link, and what the limit is now.
fn beside(row: &Row) -> String {
    let limit = row.limit_after.map(|l| format!("limit: {}", words::limit_word(l)));
    let parts: Vec<_> = [words::shares(row, "->"), limit.unwrap_or_default()].into();
    parts.into_iter().filter(|p| !p.is_empty()).collect::<Vec<_>>().join(" · ")
}

/// `██████▒▒▒▒`: the slower run solid, what was gained or lost behind it.
fn bar(row: &Row, width: usize) -> String {
    let most = row.before.max(row.after).max(f64::MIN_POSITIVE);
    let solid = (row.before.min(row.after) / most * width as f64).round() as usize;
    let solid = solid.clamp(1, width);
    let rest = if row.after >= row.before { '▒' } else { '░' };
    "█".chars().cycle().take(solid).chain(std::iter::repeat_n(rest, width - solid)).collect()
}

/// What the link carries, each way; `name` is the width of the first column.
fn ceilings(page: &mut Page, rows: &[Row], name: Option<usize>) {
    for way in ["read", "write"] {
        let Some(row) = rows.iter().find(|r| r.job.ends_with(way)) else { continue };
        let (Some(was), Some(is)) = (row.ceiling_before, row.ceiling_after) else { continue };
        let (was, is) = (rate(was), rate(is));
        let what = format!("the link, {way}");
        let text = match name {
            Some(name) => format!("{what:<name$}  {was:>9} -> {is:>9}  at most"),
            None => format!("{what}, at most\n  {was} -> {is}"),
        };
        let text = page.tone(Tone::Dim, &text);
        page.exact(&text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::{Pairing, compare};
    use crate::cli::made_up::run;

    fn shown(before: &Run, after: &Run, width: usize) -> String {
        let rows = compare(before, after, Pairing::Named).unwrap();
        let mut page = Page::new(width, false);
        comparison(&mut page, &rows, before, after, width);
        remarks(&mut page, &rows, before, after);
        page.into_text()
    }

    #[test]
    fn a_comparison_fits_the_terminal() {
        let (before, mut after) = (run(2), run(3));
        after.label = Some("a name".into());
        for width in [100, 80, 79, 60, 40] {
            let text = shown(&before, &after, width);
            for line in text.lines() {
                assert!(line.chars().count() <= width, "{width}: {line:?} in\n{text}");
            }
            assert!(text.contains("1.94 times faster") && text.contains("limit: link"), "{text}");
        }
        let text = shown(&before, &after, 80);
        let bars: Vec<_> = text.lines().filter(|l| l.contains('█') && !l.starts_with("bar")).collect();
        assert_eq!(bars.len(), 3, "{text}");
        assert!(bars[0].contains(" ███████████▒▒▒▒▒▒▒▒▒▒▒ ") && bars[2].contains(&"█".repeat(22)), "{text}");
    }

    #[test]
    fn a_long_name_of_a_job_makes_no_line_too_long() {
        let (mut before, mut after) = (run(2), run(3));
        for run in [&mut before, &mut after] {
            run.results[0].job = "rnd128k-q256t16-r70-mixed".into();
        }
        let text = shown(&before, &after, 80);
        assert!(text.lines().all(|l| l.chars().count() <= 80), "{text}");
    }

    #[test]
    fn what_was_lost_looks_unlike_what_was_gained() {
        let (before, after) = (run(3), run(2));
        let text = shown(&before, &after, 80);
        assert!(text.contains("███████████░░░░░░░░░░░") && text.contains("1.94 times slower"), "{text}");
    }
}
