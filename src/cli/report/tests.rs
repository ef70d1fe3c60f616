//! Reports of made-up runs, read back by a parser.

// Tests look at the files behind the door.
#![allow(clippy::disallowed_methods)]

use super::svg::escape;
use super::*;
use crate::bench::{Environment, Pairing, Timeline, compare};
use crate::cli::made_up::run;

fn compared(before: &Run, after: &Run, identify: bool) -> Subject {
    let rows = compare(before, after, Pairing::Named);
    Subject::new(after, Some(&Compared::of(before.clone(), rows)), identify)
}

fn all(subject: &Subject) -> [String; 4] {
    [page::page(subject), bars::file(subject), markdown::text(subject), data::text(subject)]
}

/// The elements of a drawing or page, which must be well formed.
fn elements(text: &str, look: impl Fn(roxmltree::Node<'_, '_>)) {
    let text = text.trim_start_matches("<!DOCTYPE html>\n");
    let document = roxmltree::Document::parse(text).unwrap_or_else(|e| panic!("{e} in\n{text}"));
    document.descendants().filter(|n| n.is_element()).for_each(look);
}

#[test]
fn a_page_needs_nothing_from_elsewhere() {
    for text in &all(&compared(&run(2), &run(3), false))[..2] {
        elements(text, |node| {
            assert!(
                !["script", "img", "link", "iframe", "object"].contains(&node.tag_name().name()),
                "{node:?}"
            );
            let asks = |name: &str| matches!(name, "src" | "href" | "srcset") || name.starts_with("on");
            assert!(!node.attributes().any(|a| asks(a.name())), "{node:?}");
        });
        assert!(!text.contains("url(") && !text.contains("@import"));
    }
}

#[test]
fn every_kind_says_the_result() {
    let subject = compared(&run(2), &run(3), false);
    for text in &all(&subject)[..3] {
        assert!(text.contains("1.94 times faster, 1.9"), "{text}");
        assert!(text.contains("442 MB/s") && text.contains("858 MB/s"));
    }
    let [page, _, text, data] = all(&subject);
    for text in [&page, &text] {
        assert!(text.contains("Gen 3 brings nothing for RND4K Q1T1 read"), "{text}");
    }
    let data: serde_json::Value = serde_json::from_str(&data).unwrap();
    assert_eq!(data["schema"], "pi5-nvme/bench-report/1");
    assert_eq!(data["runs"][0]["results"][0]["samples"].as_array().unwrap().len(), 7);
    assert_eq!(data["runs"][1]["timeline"]["temperature_celsius"][3], 48.0);
    assert_eq!(data["compare"][0]["limit_after"], "link");
    // One run alone.
    let [page, chart, text, data] = all(&Subject::new(&run(3), None, false));
    assert!(page.contains("95 % of what the link carries") && chart.contains("95 % of the link"));
    assert!(text.contains("| SEQ1M Q8T1 read | 858 MB/s |"), "{text}");
    assert_eq!(
        serde_json::from_str::<serde_json::Value>(&data).unwrap()["runs"].as_array().unwrap().len(),
        1
    );
}

#[test]
fn bars_are_as_long_as_what_they_stand_for() {
    let chart = bars::file(&compared(&run(2), &run(3), false));
    let (bars, ceilings) = (std::cell::RefCell::new(Vec::new()), std::cell::RefCell::new(Vec::new()));
    elements(&chart, |node| {
        let number = |name: &str| node.attribute(name).unwrap().parse::<f64>().unwrap();
        // Those of the legend have another height.
        match node.attribute("class") {
            Some("before" | "after") if node.attribute("height") == Some("15") => {
                bars.borrow_mut().push(number("width"))
            }
            Some("ceiling") => ceilings.borrow_mut().push(number("x1")),
            _ => {}
        }
    });
    let (bars, ceilings) = (bars.into_inner(), ceilings.into_inner());
    assert_eq!((bars.len(), ceilings.len()), (6, 1 + 4), "{chart}");
    let is = |found: f64, wanted: f64| assert!((found / wanted - 1.0).abs() < 0.01, "{found}, not {wanted}");
    is(bars[1] / bars[0], 858.0 / 442.0);
    is(ceilings[2] / bars[1], 900.0 / 858.0);
    is(ceilings[1] / bars[0], 457.0 / 442.0);
    // Far from the ceiling jobs have an axis of their own.
    is(bars[4], bars[5]);
    assert!(bars[4] > bars[1] && chart.contains("the link carries far more"));
}

#[test]
fn what_somebody_named_stays_text() {
    let bad = "<script>alert('x')</script> & \"|*`\u{1b}[1m";
    let mut before = run(2);
    let mut after = run(3);
    for run in [&mut before, &mut after] {
        run.target.model = Some(bad.into());
        run.target.firmware = Some(bad.into());
        run.environment.kernel = Some(bad.into());
        run.target.file_system = bad.into();
        run.notes = vec![bad.into()];
        run.results[0].warnings = vec![bad.into()];
        run.version = bad.into();
        run.timeline.phases[0].job = bad.into();
        run.results[2].job = bad.into();
    }
    after.environment.link = before.environment.link;
    (before.label, after.label) = (Some(bad.into()), Some(format!("{bad} 2")));
    let [page, chart, text, data] = all(&compared(&before, &after, true));
    for text in [&page, &chart] {
        assert!(text.contains(&escape("<script>alert(")));
        elements(text, |node| assert_ne!(node.tag_name().name(), "script"));
    }
    assert!(!text.contains("<script") && !text.contains('\u{1b}'), "{text}");
    let table: Vec<_> = text.lines().filter(|l| l.starts_with("| SEQ1M")).collect();
    let cells = |line: &str| line.replace("\\|", "").matches('|').count();
    assert!(table.iter().all(|l| [6, 7].contains(&cells(l))), "{table:?}");
    assert!(serde_json::from_str::<serde_json::Value>(&data).is_ok());
}

#[test]
fn a_report_does_not_tell_whose_machine_it_is() {
    let secrets = ["alice", "0123456789abcdef", "01234567"];
    for text in all(&compared(&run(2), &run(3), false)) {
        for secret in secrets {
            assert!(!text.contains(secret), "{secret} in\n{text}");
        }
    }
    let [page, _, text, data] = all(&compared(&run(2), &run(3), true));
    for text in [page, text, data] {
        assert!(
            text.contains("alice") && text.contains("0123456789abcdef"),
            "asked for by --identify\n{text}"
        );
    }
    // Whether it is the same drive is looked at before the ids are taken out.
    let [page, ..] = all(&compared(&run(2), &run(3), false));
    assert!(!page.contains("Not the same: drive"), "{page}");
}

#[test]
fn what_is_missing_is_said_or_left_out() {
    // As older versions stored it, of a disk without a known link, by few passes.
    let mut bare = run(3);
    bare.timeline = Timeline::default();
    bare.environment = Environment::default();
    for result in &mut bare.results {
        (result.ceiling_bytes_per_second, result.ceiling_ratio) = (None, None);
        (result.low, result.high) = (None, None);
        (result.p50_ns, result.p99_ns, result.max_ns) = (None, None, 0);
    }
    bare.results[1].valid = false;
    bare.results[1].warnings = vec!["memory answered".into()];
    bare.partial = true;
    let [page, chart, text, _] = all(&Subject::new(&bare, None, false));
    elements(&page, |_| {});
    elements(&chart, |node| assert_ne!(node.attribute("class"), Some("ceiling")));
    assert!(!page.contains("Over time") && !page.contains("<h2>Latency"));
    assert!(page.contains("2 of 3 results are valid") && page.contains("memory answered"));
    assert!(chart.contains(">invalid</text>") && chart.contains("INVALID: 1 of 3"));
    assert!(text.contains("INVALID") && text.contains("Interrupted"));
    // Asked for, but not to be had.
    let why = Compared { before: None, rows: Err("there is no other run".into()) };
    let [page, _, text, data] = all(&Subject::new(&run(3), Some(&why), false));
    for text in [page, text, data] {
        assert!(text.contains("there is no other run"));
    }
}

#[test]
fn a_kind_is_told_by_the_end_of_the_name() {
    let of = |name: &str| Kind::of(Path::new(name));
    assert_eq!(of("a.b/x.html"), Some(Kind::Html));
    assert_eq!(
        (of("x.SVG"), of("x.md"), of("x.json")),
        (Some(Kind::Svg), Some(Kind::Markdown), Some(Kind::Json))
    );
    assert_eq!((of("x"), of("x.txt"), of(".html"), of("")), (None, None, None, None));
}

#[test]
fn nothing_that_is_there_is_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let subject = Subject::new(&run(3), None, false);
    let sheet = Sheet::new(&at("new.svg")).unwrap();
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing lies there before");
    sheet.write(&subject).unwrap();
    let written = std::fs::read_to_string(at("new.svg")).unwrap();
    assert_eq!(written, bars::file(&subject));
    // There already, then there by the time it is written, then not to be made.
    let refused = Sheet::new(&at("new.svg")).unwrap_err();
    assert_eq!((refused.exit, refused.kind), (Exit::Refused, "report-exists"));
    let sheet = Sheet::new(&at("late.md")).unwrap();
    std::fs::write(at("late.md"), "mine").unwrap();
    assert!(sheet.write(&subject).unwrap_err().message.contains("already there"));
    assert_eq!(std::fs::read_to_string(at("late.md")).unwrap(), "mine");
    std::os::unix::fs::symlink(at("nowhere"), at("link.md")).unwrap();
    assert!(Sheet::new(&at("link.md")).unwrap_err().message.contains("already there"));
    assert_eq!(Sheet::new(&at("no/folder.md")).unwrap_err().exit, Exit::NotHere);
    assert_eq!(Sheet::new(&at("page.txt")).unwrap_err().exit, Exit::Usage);
}
