//! What a measurement is called and what follows from it, in words: the same
//! on the terminal and in reports.

use crate::bench::{Gain, JobResult, Limit, LinkInfo, Row, Run, limit, waits};
use crate::terms::rate;
use std::time::Duration;

/// The job that people ask about first.
pub(in crate::cli) const FIRST: &str = "seq1m-q8t1-read";

/// `SEQ1M Q8T1 read` for `seq1m-q8t1-read`.
pub(in crate::cli) fn job(name: &str) -> String {
    match name.rsplit_once('-') {
        Some((shape, way @ ("read" | "write" | "mixed"))) => {
            format!("{} {way}", shape.to_uppercase().replace('-', " "))
        }
        _ if name == "fill" => "writing the test file".to_owned(),
        _ => name.to_owned(),
    }
}

/// `Gen 3 x1`.
pub(in crate::cli) fn short(link: Option<LinkInfo>) -> String {
    link.map_or_else(|| "unknown link".into(), |l| format!("Gen {} x{}", l.generation, l.width))
}

/// What the two runs are called beside each other: by their links, else by
/// their names, else by their drives. Long names are cut; they stand in full
/// where the run is described.
pub(in crate::cli) fn sides(before: &Run, after: &Run) -> (String, String) {
    if let (Some(old), Some(new)) = (before.environment.link, after.environment.link) {
        if (old.generation, old.width) != (new.generation, new.width) {
            return (short(Some(old)), short(Some(new)));
        }
    }
    let drive = |r: &Run| r.target.model.clone().or_else(|| r.target.disk.clone());
    let apart = drive(before) != drive(after);
    let name = |r: &Run, other: &str| {
        let drive = || drive(r).filter(|_| apart);
        cut(&r.label.clone().or_else(drive).unwrap_or_else(|| other.to_owned()))
    };
    let (old, new) = (name(before, "before"), name(after, "after"));
    if old == new { ("before".into(), "after".into()) } else { (old, new) }
}

/// At most 20 letters.
fn cut(name: &str) -> String {
    const MOST: usize = 20;
    match name.char_indices().nth(MOST) {
        Some(_) => {
            let kept: String = name.chars().take(MOST - 1).collect();
            format!("{}\u{2026}", kept.trim_end())
        }
        None => name.to_owned(),
    }
}

/// An interval: `429 to 437 MB/s`.
pub(in crate::cli) fn interval(low: f64, high: f64) -> String {
    from_to(low, high, " to ")
}

/// Two rates, the first without its unit where the second has the same one.
pub(in crate::cli) fn from_to(first: f64, second: f64, between: &str) -> String {
    let (first, second) = (rate(first), rate(second));
    match (first.split_once(' '), second.split_once(' ')) {
        (Some((number, unit)), Some((_, other))) if unit == other => format!("{number}{between}{second}"),
        _ => format!("{first}{between}{second}"),
    }
}

/// `529 µs`, `4.6 ms`.
pub(in crate::cli) fn latency(nanoseconds: u64) -> String {
    let time = Duration::from_nanos(nanoseconds);
    match nanoseconds {
        0..=999_499 => format!("{:.0} µs", time.as_secs_f64() * 1e6),
        999_500..=999_949_999 => format!("{:.1} ms", time.as_secs_f64() * 1e3),
        _ => format!("{:.1} s", time.as_secs_f64()),
    }
}

/// A share in whole per cent, without the sign.
pub(in crate::cli) fn percent(share: f64) -> String {
    format!("{:.0}", share * 100.0)
}

/// The verdict of a row; where there is no clear difference, with the interval
/// that says how far that goes.
pub(in crate::cli) fn verdict(row: &Row) -> String {
    match row.gain {
        Gain::Faster | Gain::Slower => row.verdict.clone(),
        Gain::Same | Gain::Unclear => {
            format!("{}, {:.2} to {:.2}", row.verdict, row.ratio_low, row.ratio_high)
        }
    }
}

/// `98 -> 97 % of the link`; empty where the link is not known.
pub(in crate::cli) fn shares(row: &Row, arrow: &str) -> String {
    match (row.ceiling_ratio_before, row.ceiling_ratio_after) {
        (Some(was), Some(is)) => format!("{} {arrow} {} % of link", percent(was), percent(is)),
        (None, Some(is)) => format!("{} % of link", percent(is)),
        _ => String::new(),
    }
}

/// The limit in a word.
pub(in crate::cli) fn limit_word(limit: Limit) -> &'static str {
    match limit {
        Limit::Link => "link",
        Limit::Drive => "drive",
        Limit::Cpu => "CPU",
    }
}

/// What follows from a comparison, a sentence for each thing to know.
pub(in crate::cli) fn conclusions(rows: &[Row], before: &Run, after: &Run) -> Vec<String> {
    let mut said = Vec::new();
    let of = |gain: Gain| rows.iter().filter(move |r| r.gain == gain);
    let link = faster_link(before, after);
    // Jobs with the same reason share a sentence.
    let mut reasons: Vec<(&str, Vec<&Row>)> = Vec::new();
    for row in of(Gain::Same) {
        let reason = match (&link, after.results.iter().find(|r| r.job == row.job)) {
            (Some(_), Some(result)) => why_nothing(result),
            _ => "",
        };
        match reasons.iter_mut().find(|(r, _)| *r == reason) {
            Some((_, rows)) => rows.push(row),
            None => reasons.push((reason, vec![row])),
        }
    }
    for (reason, rows) in reasons {
        let jobs = list(rows.into_iter());
        said.push(match &link {
            Some(link) => format!("{link} brings nothing for {jobs}{reason}."),
            None => format!("No difference for {jobs}."),
        });
    }
    let slower = list(of(Gain::Slower));
    if let (Some(link), false) = (&link, slower.is_empty()) {
        said.push(format!(
            "Slower at {link}: {slower}. Look at the drive's temperature and at what pi5-nvme status says."
        ));
    }
    let unclear = list(of(Gain::Unclear));
    if !unclear.is_empty() {
        said.push(format!(
            "Too uneven to tell: {unclear}. bench --profile deep measures longer and narrows the interval."
        ));
    }
    said.extend(left_out(rows, before, after));
    if before.partial {
        said.push("The earlier run was interrupted: jobs are missing or short.".into());
    }
    said
}

/// `Gen 3` when the link is faster after than before.
fn faster_link(before: &Run, after: &Run) -> Option<String> {
    let (old, new) = (before.environment.link?, after.environment.link?);
    if new.generation > old.generation && new.width >= old.width {
        Some(format!("Gen {}", new.generation))
    } else if new.width > old.width && new.generation >= old.generation {
        Some(format!("x{}", new.width))
    } else {
        None
    }
}

/// Why a faster link does nothing for a job, where that can be told.
fn why_nothing(result: &JobResult) -> &'static str {
    match limit(result) {
        Some(Limit::Drive) if waits(result) => {
            ": each transfer waits for the answer to the one before, and little of that time is the link's"
        }
        Some(Limit::Drive) => ": the drive is the limit",
        Some(Limit::Cpu) => ": the processor is the limit",
        Some(Limit::Link) | None => "",
    }
}

/// Jobs that are not in the comparison, and why.
fn left_out(rows: &[Row], before: &Run, after: &Run) -> Vec<String> {
    let mut names: Vec<&str> = Vec::new();
    for result in before.results.iter().chain(&after.results) {
        if !names.contains(&result.job.as_str()) && rows.iter().all(|r| r.job != result.job) {
            names.push(&result.job);
        }
    }
    let why = |name: &str| {
        let find = |run: &Run| run.results.iter().find(|r| r.job == name).map(|r| r.valid);
        match (find(before), find(after)) {
            (None, _) => "not measured before",
            (_, None) => "not measured after",
            (Some(false), _) => "not valid before",
            (_, Some(false)) => "not valid after",
            (Some(true), Some(true)) => "fewer than six passes",
        }
    };
    names.into_iter().map(|name| format!("Not compared: {}, {}.", job(name), why(name))).collect()
}

/// `A, B and C`.
fn list<'r>(rows: impl Iterator<Item = &'r Row>) -> String {
    let names: Vec<_> = rows.map(|r| job(&r.job)).collect();
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::{Pairing, compare};
    use crate::cli::made_up::run;

    #[test]
    fn jobs_are_named_as_people_name_them() {
        for (name, words) in [
            ("seq1m-q8t1-read", "SEQ1M Q8T1 read"),
            ("rnd4k-q32t1-write", "RND4K Q32T1 write"),
            ("fill", "writing the test file"),
            ("other", "other"),
            ("my-own", "my-own"),
        ] {
            assert_eq!(job(name), words);
        }
        assert!(crate::bench::JOBS.iter().all(|j| job(j.name) != j.name));
        assert!(crate::bench::JOBS.iter().any(|j| j.name == FIRST));
    }

    fn said(before: &Run, after: &Run) -> Vec<String> {
        conclusions(&compare(before, after, Pairing::Named).unwrap(), before, after)
    }

    #[test]
    fn what_follows_is_said_plainly() {
        let (before, after) = (run(2), run(3));
        let nothing = "Gen 3 brings nothing for RND4K Q1T1 read: each transfer waits for the answer to the one \
                       before, and little of that time is the link's.";
        let mut one = after.clone();
        (one.results[2].iops, one.results[2].mean_ns) = (10_000.0, 90_000.0);
        assert_eq!(said(&before, &one), [nothing]);
        // Where the reason is not known there is none.
        one.results[2].engine = "threads".into();
        assert_eq!(said(&before, &one), ["Gen 3 brings nothing for RND4K Q1T1 read."]);
        // The same link: no generation brings anything.
        one.environment.link = before.environment.link;
        assert_eq!(said(&before, &one), ["No difference for RND4K Q1T1 read."]);
        // Slower, uneven, not valid, missing, interrupted.
        let mut odd = after.clone();
        odd.results[0].valid = false;
        odd.results[1].samples = before.results[1].samples.iter().map(|s| s * 0.5).collect();
        odd.results[1].median = before.results[1].median * 0.5;
        odd.results[2].samples.iter_mut().enumerate().for_each(|(i, s)| *s *= 0.5 + 0.2 * i as f64);
        let mut cut = before.clone();
        cut.partial = true;
        cut.results.push(JobResult { job: "seq1m-q1t1-read".into(), ..cut.results[0].clone() });
        assert_eq!(
            said(&cut, &odd),
            [
                "Slower at Gen 3: SEQ1M Q8T1 write. Look at the drive's temperature and at what pi5-nvme status says.",
                "Too uneven to tell: RND4K Q1T1 read. bench --profile deep measures longer and narrows the interval.",
                "Not compared: SEQ1M Q8T1 read, not valid after.",
                "Not compared: SEQ1M Q1T1 read, not measured after.",
                "The earlier run was interrupted: jobs are missing or short.",
            ]
        );
    }

    #[test]
    fn sides_are_named_by_what_sets_them_apart() {
        let names = |before: &Run, after: &Run| {
            let (old, new) = sides(before, after);
            format!("{old} | {new}")
        };
        let (gen2, gen3) = (run(2), run(3));
        assert_eq!(names(&gen2, &gen3), "Gen 2 x1 | Gen 3 x1");
        assert_eq!(names(&gen3, &gen3), "before | after");
        let new = Run { label: Some("new cable".into()), ..gen3.clone() };
        assert_eq!(names(&gen3, &new), "before | new cable");
        let mut card = gen3.clone();
        (card.environment.link, card.target.model, card.target.disk) = (None, None, Some("mmcblk0".into()));
        assert_eq!(names(&card, &gen3), "mmcblk0 | EXAMPLE NV500");
    }

    #[test]
    fn a_long_name_is_cut() {
        assert_eq!(cut("the new cable"), "the new cable");
        assert_eq!(cut("ünï twenty letters.."), "ünï twenty letters..");
        assert_eq!(cut("the old cable from the drawer"), "the old cable from\u{2026}");
    }

    #[test]
    fn an_interval_names_its_unit_once() {
        assert_eq!(interval(429e6, 437e6), "429 to 437 MB/s");
        assert_eq!(interval(40.8e3, 68.3e6), "40.8 kB/s to 68.3 MB/s");
        assert_eq!(latency(529_000), "529 µs");
        assert_eq!(latency(999_700), "1.0 ms");
        assert_eq!(latency(4_600_000), "4.6 ms");
        assert_eq!(latency(1_500_000_000), "1.5 s");
    }
}
