//! What a report says in words and numbers, the same in a page and in a text.

use super::Subject;
use crate::bench::{JobResult, Run, limit};
use crate::cli::show::bench::doubts;
use crate::cli::show::words::{self, FIRST};
use crate::terms::{bytes, celsius, rate};

/// Cells of text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Table {
    pub(super) head: Vec<String>,
    pub(super) rows: Vec<Vec<String>>,
}

impl Table {
    fn new(head: &[&str]) -> Self {
        Self { head: head.iter().map(|h| (*h).to_owned()).collect(), rows: Vec::new() }
    }
}

/// The result in one line.
pub(super) fn headline(subject: &Subject) -> String {
    let run = &subject.run;
    let first = run.results.iter().find(|r| r.job == FIRST).or_else(|| run.results.first());
    let row = first.and_then(|r| subject.row(&r.job)).or_else(|| subject.rows().first());
    let what = match (row, first) {
        (Some(row), _) => {
            let sides = subject.sides().join(" \u{2192} ");
            format!("{sides}: {} {}", words::job(&row.job), words::verdict(row))
        }
        (None, Some(result)) => {
            let share = result
                .ceiling_ratio
                .map(|s| format!(", {} % of what the link carries", words::percent(s)))
                .unwrap_or_default();
            format!("{}: {}{share}", words::job(&result.job), rate(result.median))
        }
        (None, None) => "nothing measured".into(),
    };
    let simulated = if run.simulated { "simulated · " } else { "" };
    format!("{simulated}{what}{}", doubts(run))
}

/// What was measured, in one line.
pub(super) fn about(subject: &Subject) -> String {
    let run = &subject.run;
    let mut parts = vec![model(run), words::short(run.environment.link), run.target.file_system.clone()];
    if let Some(kernel) = &run.environment.kernel {
        parts.push(format!("Linux {kernel}"));
    }
    parts.push(run.time.split('T').next().unwrap_or(&run.time).to_owned());
    parts.retain(|p| !p.is_empty());
    parts.join(" · ")
}

/// The drive's model, or what else it is known by.
pub(super) fn model(run: &Run) -> String {
    let known = run.target.model.clone().or_else(|| run.target.disk.clone());
    known.unwrap_or_else(|| "unknown drive".into())
}

/// The results: a job in each line.
pub(super) fn results(subject: &Subject) -> Table {
    let sides = subject.sides();
    if let [before, after] = sides.as_slice() {
        let mut table =
            Table::new(&["Job", before, after, "Change, 95 % interval", "Of the link", "Limit now"]);
        for row in subject.rows() {
            table.rows.push(vec![
                words::job(&row.job),
                rate(row.before),
                rate(row.after),
                words::verdict(row),
                words::shares(row, "\u{2192}").replace(" of link", ""),
                row.limit_after.map(words::limit_word).unwrap_or("not known").to_owned(),
            ]);
        }
        return table;
    }
    let mut table =
        Table::new(&["Job", "Median", "95 % interval", "Of the link", "Limit", "Transfers a second"]);
    for result in &subject.run.results {
        let interval = result.low.zip(result.high).map(|(low, high)| words::interval(low, high));
        let share = result.ceiling_ratio.map(|s| format!("{} %", words::percent(s)));
        table.rows.push(vec![
            words::job(&result.job),
            if result.valid { rate(result.median) } else { format!("{} (INVALID)", rate(result.median)) },
            interval.unwrap_or_else(|| "fewer than six passes".into()),
            share.unwrap_or_else(|| "not known".into()),
            limit(result).map(words::limit_word).unwrap_or("not known").to_owned(),
            format!("{:.0}", result.iops),
        ]);
    }
    table
}

/// Each result of each run, with the side's name when there are two.
fn each(subject: &Subject) -> Vec<(String, &JobResult)> {
    let (runs, sides) = (subject.runs(), subject.sides());
    let mut all = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    for job in runs.iter().flat_map(|r| &r.results).map(|r| r.job.as_str()) {
        if seen.contains(&job) {
            continue;
        }
        seen.push(job);
        for (run, side) in runs.iter().zip(&sides) {
            if let Some(result) = run.results.iter().find(|r| r.job == job) {
                let name = words::job(job);
                all.push((if runs.len() > 1 { format!("{name}, {side}") } else { name }, result));
            }
        }
    }
    all
}

/// The latencies.
pub(super) fn latencies(subject: &Subject) -> Table {
    let mut table = Table::new(&["Job", "Median", "99 %", "99.9 %", "Longest", "CPU per transfer"]);
    for (name, result) in each(subject) {
        let values = super::latency::values(result);
        let cells = values.iter().map(|v| v.map_or_else(|| "too few".into(), words::latency));
        let cpu = format!("{:.1} µs", result.cpu_ns_per_io / 1e3);
        table.rows.push([name].into_iter().chain(cells).chain([cpu]).collect());
    }
    table
}

/// What was looked at before a result was believed.
pub(super) fn checks(subject: &Subject) -> Table {
    let mut table = Table::new(&["Job", "Valid", "Passes", "Counted by the disk", "To know"]);
    for (name, result) in each(subject) {
        let disk = result.disk_ratio.map(|r| format!("{} %", words::percent(r)));
        table.rows.push(vec![
            name,
            if result.valid { "yes" } else { "NO" }.into(),
            result.samples.len().to_string(),
            disk.unwrap_or_else(|| "not known".into()),
            if result.warnings.is_empty() { "\u{2013}".into() } else { result.warnings.join("; ") },
        ]);
    }
    table
}

/// Under what conditions: one column a run.
pub(super) fn environment(subject: &Subject) -> Table {
    let sides = subject.sides();
    let mut head = vec![""];
    head.extend(sides.iter().map(String::as_str));
    let mut table = Table::new(&head);
    let columns: Vec<_> = subject.runs().into_iter().map(conditions).collect();
    let names = columns.first().map(|c| c.iter().map(|(name, _)| *name).collect::<Vec<_>>());
    for (line, name) in names.unwrap_or_default().into_iter().enumerate() {
        let values: Vec<_> = columns.iter().filter_map(|c| c.get(line)).map(|(_, v)| v.clone()).collect();
        if values.iter().any(|v| !v.is_empty()) {
            let shown = values.into_iter().map(|v| if v.is_empty() { "not known".into() } else { v });
            table.rows.push([name.to_owned()].into_iter().chain(shown).collect());
        }
    }
    table
}

fn conditions(run: &Run) -> Vec<(&'static str, String)> {
    let (target, around, engine) = (&run.target, &run.environment, &run.engine);
    let said = |text: &Option<String>| text.clone().unwrap_or_default();
    let link = around.link.and_then(crate::bench::LinkInfo::link);
    let heat = [
        around.temperature_before_celsius,
        around.temperature_peak_celsius,
        around.temperature_after_celsius,
    ];
    let heat: Vec<_> = heat.into_iter().flatten().map(celsius).collect();
    let mut way = vec![engine.name.clone()];
    way.push(if engine.direct { "past the page cache" } else { "through memory" }.into());
    for (used, what) in [
        (engine.registered_buffers, "registered buffers"),
        (engine.registered_file, "registered file"),
        (engine.huge_pages, "huge pages"),
    ] {
        if used {
            way.push(what.into());
        }
    }
    vec![
        ("Name", said(&run.label)),
        ("Measured", run.time.clone()),
        ("Drive", model(run)),
        ("Drive's firmware", said(&target.firmware)),
        ("Drive's id", said(&target.identity)),
        ("Link", link.map(|l| l.to_string()).unwrap_or_default()),
        (
            "Payload of the link's packets",
            around.max_payload_bytes.map(|p| format!("{p} B")).unwrap_or_default(),
        ),
        ("Device", said(&target.device)),
        ("File system", target.file_system.clone()),
        ("Mounted at", target.mount.clone()),
        ("Test file", bytes(target.file_bytes)),
        ("Temperature before, highest, after", heat.join(", ")),
        ("Engine", way.join(", ")),
        ("Profile", format!("{:?}", run.profile).to_lowercase()),
        ("Kernel", said(&around.kernel)),
        ("Processor's governor", said(&around.governor)),
        ("ASPM policy", said(&around.aspm_policy)),
        ("I/O scheduler", said(&around.scheduler)),
        ("pi5-nvme", run.version.clone()),
    ]
}

/// Sentences: what follows, what else differs, what to know.
pub(super) fn sentences(subject: &Subject) -> Vec<String> {
    let mut said = Vec::new();
    if let Some((before, rows)) = &subject.before {
        said.extend(words::conclusions(rows, before, &subject.run));
        for change in &subject.changes {
            said.push(format!("Not the same: {}, {} \u{2192} {}.", change.what, change.before, change.after));
        }
    }
    if let Some(why) = &subject.not_compared {
        said.push(format!("Not compared: {why}."));
    }
    if subject.runs().iter().any(|r| r.partial) {
        said.push("Interrupted: jobs are missing or short.".into());
    }
    if subject.runs().iter().flat_map(|r| &r.results).any(|r| r.ceiling_assumed) {
        said.push("The drive's payload size could not be read: the link is judged by the largest.".into());
    }
    let mut notes: Vec<&String> = Vec::new();
    for note in subject.runs().into_iter().flat_map(|r| &r.notes) {
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    said.extend(notes.into_iter().map(|n| capital(n)));
    said
}

/// A note as a sentence.
fn capital(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", chars.as_str().trim_end_matches('.'))
}
