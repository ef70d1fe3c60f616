//! `bench`: measures, keeps, lists, compares.

use super::args::{Baseline, Bench, Profile};
use super::exit::{Exit, Failure};
use super::progress::Bar;
use super::report::{Sheet, Subject};
use super::show::bench::Compared;
use super::show::{self, json};
use super::ui::Ui;
use super::{Answer, listen};
use crate::bench::{self, BenchError, Pairing, Request, Run, Target, store};
use crate::facts::{self, Facts};
use crate::host::{Host, HostError};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, Ordering};

/// Does what the flags say.
pub(super) fn command(host: &Host, args: &Bench, ui: &Ui) -> Result<Answer, Failure> {
    if args.list {
        return list(host, ui);
    }
    // What cannot be read or written is said before the minute of measuring.
    let sheets: Vec<Sheet> = args.report.iter().map(|f| Sheet::new(f)).collect::<Result<_, _>>()?;
    match args.compare.as_deref() {
        Some([before, after]) => {
            if args.path.is_some() || args.profile.is_some() || args.read_only || args.save.is_some() {
                let why = "--compare A B measures nothing, so it takes no PATH and none of --profile, --read-only and --save";
                return Err(Failure::new(Exit::Usage, "usage", why)
                    .remedy("pi5-nvme bench --help says what there is"));
            }
            let (before, after) = (load(host, before)?, load(host, after)?);
            let compared = bench::compare(&before, &after, Pairing::Named);
            Ok(answer(host, &after, Some(Compared::of(before, compared)), None, args, &sheets, ui))
        }
        Some([before]) => {
            let before = load(host, before)?;
            let run = measure_now(host, args, ui)?;
            let kept = keep(host, &run, args.save.as_deref());
            let compared = bench::compare(&before, &run, Pairing::Named);
            Ok(answer(host, &run, Some(Compared::of(before, compared)), Some(kept), args, &sheets, ui))
        }
        Some(_) => {
            store::list(host)?;
            let run = measure_now(host, args, ui)?;
            let kept = keep(host, &run, args.save.as_deref());
            let compared = match bench::baseline(host, &run)? {
                Some(before) => {
                    let rows = bench::compare(&before, &run, Pairing::Alike);
                    Compared::of(before, rows)
                }
                None => {
                    let why = if run.environment.link.is_some() { NONE } else { NO_LINK };
                    Compared { before: None, rows: Err(why.into()) }
                }
            };
            Ok(answer(host, &run, Some(compared), Some(kept), args, &sheets, ui))
        }
        None => {
            let run = measure_now(host, args, ui)?;
            let kept = keep(host, &run, args.save.as_deref());
            Ok(answer(host, &run, None, Some(kept), args, &sheets, ui))
        }
    }
}

/// Why there is nothing to compare with.
const NONE: &str = "no earlier run of this drive at another link speed or under another name is kept; \
measure before a change (setup --bench quick does), then compare after the reboot";

/// The same where this run's own link is unknown.
const NO_LINK: &str = "the link of this drive is not known, so no earlier run can be told to be at \
another one; --compare NAME compares with a run of your choice";

fn load(host: &Host, name: &str) -> Result<Run, Failure> {
    store::load(host, name).map_err(|error| match error {
        HostError::NotFound(_) => Failure::new(Exit::Usage, "no-run", format!("no run named {name} is kept"))
            .remedy("pi5-nvme bench --list"),
        other => other.into(),
    })
}

fn measure_now(host: &Host, args: &Bench, ui: &Ui) -> Result<Run, Failure> {
    let facts = facts::read(host);
    let target = match &args.path {
        Some(path) => Target::Dir(whole(host, path)?),
        None => Target::first(&facts).ok_or_else(|| {
            Failure::new(Exit::NotHere, "no-drive", "no NVMe drive that works was found")
                .remedy("pi5-nvme status says what there is; pi5-nvme bench PATH measures another disk")
        })?,
    };
    let mut request = Request::new(target, profile(args.profile.unwrap_or_default()));
    request.read_only = args.read_only;
    let stop = listen()?;
    ui.say("Measuring ...");
    let run = measure(host, &facts, &request, &stop, ui).map_err(failure)?;
    Ok(Run { label: args.save.clone(), ..run })
}

/// The whole path of a folder: from where the user stands, on a recorded machine
/// from its top.
fn whole(host: &Host, path: &str) -> Result<String, Failure> {
    let wrong = |why: &str| Failure::new(Exit::Usage, "usage", format!("{path:?}: {why}"));
    if host.is_simulated() {
        let why = "on a recorded machine PATH begins with /, which is the top of its folder";
        return if path.starts_with('/') { Ok(path.to_owned()) } else { Err(wrong(why)) };
    }
    let whole = std::path::absolute(path).map_err(|e| wrong(&e.to_string()))?;
    whole
        .to_str()
        .map(str::to_owned)
        .ok_or_else(|| wrong("the folder you are in has a name that is not UTF-8"))
}

fn measure(
    host: &Host,
    facts: &Facts,
    request: &Request,
    stop: &AtomicBool,
    ui: &Ui,
) -> Result<Run, BenchError> {
    let mut bar = Bar::new(ui);
    let run = bench::run(host, facts, request, &mut |p| bar.progress(p), &|| stop.load(Ordering::Relaxed));
    bar.clear();
    run
}

fn profile(profile: Profile) -> bench::Profile {
    match profile {
        Profile::Quick => bench::Profile::Quick,
        Profile::Standard => bench::Profile::Standard,
        Profile::Deep => bench::Profile::Deep,
    }
}

fn failure(error: BenchError) -> Failure {
    let message = error.to_string();
    match error {
        BenchError::Host(error) => error.into(),
        BenchError::NoDrive { .. } => Failure::new(Exit::NotHere, "no-drive", message),
        BenchError::NotMounted { .. } => Failure::new(Exit::NotHere, "not-mounted", message),
        BenchError::NotDirect { .. } => Failure::new(Exit::Refused, "not-direct", message),
        BenchError::NoFolder { .. } => Failure::new(Exit::NotHere, "not-found", message),
        BenchError::Denied { .. } => Failure::new(Exit::NeedsRoot, "needs-root", message),
        BenchError::NotWritable { .. } => Failure::new(Exit::Refused, "not-writable", message),
        BenchError::NoRoom { .. } => Failure::new(Exit::Refused, "no-room", message),
        BenchError::TooSmall { .. } => Failure::new(Exit::Usage, "too-small", message),
        BenchError::Io { .. } => Failure::new(Exit::PutBack, "io", message),
    }
}

/// Keeps a run; gives its name, or why it could not be kept.
fn keep(host: &Host, run: &Run, label: Option<&str>) -> Result<String, Failure> {
    if run.results.is_empty() {
        return Err(Failure::new(Exit::Interrupted, "interrupted", "nothing was measured"));
    }
    let path = store::save(host, run, label)?;
    let file = path.rsplit('/').next().unwrap_or(&path);
    Ok(file.trim_end_matches(".json").to_owned())
}

/// The measurement before a change. What keeps it from being made is said and
/// is no reason not to go on.
pub(super) fn baseline(host: &Host, facts: &Facts, how: Baseline, stop: &AtomicBool, ui: &Ui) -> Value {
    let profile = match how {
        Baseline::Off => return Value::Null,
        Baseline::Quick => bench::Profile::Quick,
        Baseline::Standard => bench::Profile::Standard,
    };
    let Some(target) = Target::first(facts) else {
        let why = "no drive works yet";
        ui.say(&format!("Not measured: {why}."));
        return json!({"measured": false, "why": why});
    };
    ui.say("Measuring as it is now ...");
    match measure(host, facts, &Request::new(target, profile), stop, ui) {
        // The caller sees the same flag and stops.
        Ok(run) if run.partial => json!({"measured": false, "why": "interrupted"}),
        Ok(run) => match keep(host, &run, None) {
            Ok(name) => {
                ui.say(&format!("Measured: {}", show::bench::headline(&run)));
                json!({"measured": true, "run": name})
            }
            Err(error) => {
                ui.say(&format!("Measured, but not kept: {}", error.message));
                json!({"measured": false, "why": error.message})
            }
        },
        Err(error) => {
            ui.say(&format!("Not measured: {error}"));
            json!({"measured": false, "why": error.to_string()})
        }
    }
}

fn answer(
    host: &Host,
    run: &Run,
    compared: Option<Compared>,
    kept: Option<Result<String, Failure>>,
    args: &Bench,
    sheets: &[Sheet],
    ui: &Ui,
) -> Answer {
    let valid = run.results.iter().all(|r| r.valid);
    let comparable = compared.as_ref().is_none_or(|c| c.rows.is_ok());
    let exit = match (run.partial, valid && comparable) {
        (true, _) => Exit::Interrupted,
        (false, true) => match &kept {
            // Keeping it was asked for by name.
            Some(Err(failure)) if args.save.is_some() => failure.exit,
            _ => Exit::Done,
        },
        (false, false) => Exit::No,
    };
    let reports = reports(run, compared.as_ref(), args, sheets);
    let exit = match reports.iter().find_map(|r| r.as_ref().err()) {
        Some(failure) if exit == Exit::Done => failure.exit,
        _ => exit,
    };
    let mut headline = show::bench::result(run, compared.as_ref());
    if let (Some(Err(_)), Some(_)) = (&kept, &args.save) {
        headline.push_str(" · not kept");
    }
    if reports.iter().any(Result::is_err) {
        headline.push_str(" · report not written");
    }
    Answer {
        json: json::object("bench", host, json::bench(run, compared.as_ref(), kept.as_ref(), &reports)),
        headline,
        text: show::bench::report(run, compared.as_ref(), kept.as_ref(), &reports, host, ui),
        exit,
        after: None,
    }
}

/// Writes the reports; gives each one's file, or why it could not be written.
fn reports(
    run: &Run,
    compared: Option<&Compared>,
    args: &Bench,
    sheets: &[Sheet],
) -> Vec<Result<String, Failure>> {
    let subject = Subject::new(run, compared, args.identify);
    let write = |sheet: &Sheet| {
        if run.results.is_empty() {
            let why = format!("{}: nothing was measured, so there is no report", sheet.file().display());
            return Err(Failure::new(Exit::Interrupted, "interrupted", why));
        }
        sheet.write(&subject).map(|()| sheet.file().display().to_string())
    };
    sheets.iter().map(write).collect()
}

fn list(host: &Host, ui: &Ui) -> Result<Answer, Failure> {
    let stored = store::list(host)?;
    let headline = match stored.len() {
        0 => "No runs are kept".to_owned(),
        1 => "1 run is kept".to_owned(),
        many => format!("{many} runs are kept"),
    };
    let mut page = ui.page();
    show::simulated(&mut page, host);
    page.line(&headline);
    for kept in &stored {
        let label = kept.run.label.as_deref().map(|l| format!(" ({l})")).unwrap_or_default();
        page.hang("", 2, &format!("{}{label} · {}", kept.name, show::bench::headline(&kept.run)));
    }
    let rows: Vec<_> = stored
        .iter()
        .map(|s| {
            json!({"name": s.name, "label": s.run.label, "time": s.run.time, "model": s.run.target.model,
                   "link": s.run.environment.link, "partial": s.run.partial})
        })
        .collect();
    Ok(Answer {
        json: json::object("bench", host, json!({"runs": rows})),
        headline,
        text: page.into_text(),
        exit: Exit::Done,
        after: None,
    })
}
