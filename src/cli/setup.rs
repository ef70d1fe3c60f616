//! `setup`: look, ask what is open, show the exact change, do it.

use super::args::{Baseline, Boot, Gen, Probe, Reboot, Setup, word};
use super::exit::{self, Exit, Failure};
use super::page::{Page, Tone};
use super::show::{self, json};
use super::ui::Ui;
use super::{After, Answer, listen, wizard};
use crate::act;
use crate::facts::Facts;
use crate::host::Host;
use crate::rules::{self, Goal, Plan, ProbeGoal};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Every answer that `setup` needs, from a flag or a person.
#[derive(Debug, Clone)]
pub(super) struct Choices {
    pub(super) r#gen: Option<Gen>,
    pub(super) boot: Option<Boot>,
    pub(super) probe: Option<Probe>,
    pub(super) bench: Option<Baseline>,
    pub(super) reboot: Option<Reboot>,
}

/// Does it, or with `--dry-run` only says what would be done.
pub(super) fn command(host: &Host, args: &Setup, ui: &Ui) -> Result<Answer, Failure> {
    run(host, args, ui).map_err(|failure| {
        if failure.more.keys.contains_key("plan") {
            return failure;
        }
        // It ended before there was a plan: the keys that others rely on are there all the same.
        let nothing: [String; 0] = [];
        failure.with(json!({"plan": null, "changed": false,
            "reboot_required": null, "transaction": null, "steps": nothing, "next": nothing}))
    })
}

fn run(host: &Host, args: &Setup, ui: &Ui) -> Result<Answer, Failure> {
    let mut choices = Choices {
        r#gen: args.r#gen,
        boot: args.boot,
        probe: args.probe,
        bench: args.bench,
        reboot: args.reboot,
    };
    if !ui.can_ask {
        all_given(args)?;
    }
    if !args.dry_run && host.euid() != 0 {
        let line = choices.line(host, args.yes);
        return Err(exit::needs_root(host, "Changing the boot files", line.trim_start_matches("sudo ")));
    }
    let interrupted = listen()?;
    let healed = if args.dry_run { None } else { heal(host, ui)? };
    let facts = act::look(host);
    if ui.can_ask && (choices.r#gen.is_none() || choices.boot.is_none()) {
        wizard::goal(&facts, host, &mut choices, ui)?;
    }
    let plan = rules::plan(&facts, &choices.goal());
    if let Some(failure) = exit::of_refusals(&plan.refusals) {
        return Err(failure.with(body(host, &plan, None)));
    }
    if args.dry_run {
        return Ok(dry_run(host, &facts, &plan, ui));
    }
    if plan.steps.is_empty() {
        let mut answer = already(host, &plan, &choices, ui);
        merge(&mut answer.json, json!({"healed": healed}));
        return Ok(answer);
    }
    if ui.can_ask && choices.bench.is_none() {
        choices.bench = Some(wizard::baseline(&facts, ui)?);
    }
    // Nobody is asked to agree to what was not shown.
    if !ui.json && (!ui.quiet || !args.yes) {
        let mut page = Page::new(ui.width, ui.colour_err);
        let title = page.tone(Tone::Strong, "The change");
        page.line(&title);
        show::setup::plan(&mut page, &plan);
        ui.talk(&format!("\n{}\n", page.into_text()));
    }
    if !args.yes {
        wizard::confirm_change(ui)?;
    }
    let how = choices.bench.unwrap_or(Baseline::Off);
    let baseline = super::bench::baseline(host, &facts, how, &interrupted, ui);
    if interrupted.load(Ordering::Relaxed) {
        return Err(wizard::stopped());
    }
    let mut result = apply(host, &facts, &plan, &choices, &interrupted, ui);
    if let Ok(answer) = &mut result {
        merge(&mut answer.json, json!({"baseline": baseline, "healed": healed}));
    }
    result
}

fn apply(
    host: &Host,
    facts: &Facts,
    plan: &Plan,
    choices: &Choices,
    interrupted: &Arc<AtomicBool>,
    ui: &Ui,
) -> Result<Answer, Failure> {
    let report =
        act::apply(host, facts, plan, &mut |line| ui.say(line), &|| interrupted.load(Ordering::Relaxed));
    ui.say("");
    if let Some(failure) = exit::of_report(&report, interrupted.load(Ordering::Relaxed)) {
        let next: &[String] = &[];
        let mut object = body(host, plan, None);
        merge(&mut object, json::report(&report, next));
        return Err(failure.with(object));
    }
    if !report.changed {
        // Somebody else did the same in the meantime.
        return Ok(already(host, plan, choices, ui));
    }
    let reboot = report.reboot_required;
    let now = reboot && choices.reboot == Some(Reboot::Now);
    let next = next(host, reboot, now);
    let headline = match (&report.transaction, reboot) {
        (Some(id), true) => format!("Done (transaction {id}); it takes effect at the next boot"),
        (Some(id), false) => format!("Done (transaction {id})"),
        (None, _) => "Done".to_owned(),
    };
    let mut object = body(host, plan, None);
    merge(&mut object, json::report(&report, &next));
    let ask = reboot && ui.can_ask && matches!(choices.reboot, None | Some(Reboot::Ask));
    Ok(Answer {
        json: object,
        text: show::setup::done(&headline, &report, &next, host, ui),
        headline,
        exit: Exit::Done,
        after: Some(After { ask, now, choices: choices.clone() }),
    })
}

/// Asks for the reboot where that is open, says how to do the same without
/// questions, reboots where it was asked for.
pub(super) fn after(host: &Host, after: &After, ui: &Ui) -> Result<(), Failure> {
    let mut now = after.now;
    if after.ask {
        ui.say("");
        now = wizard::confirm(ui, "Reboot now?")?;
    }
    if ui.can_ask && !ui.quiet {
        let reboot = Some(if now { Reboot::Now } else { Reboot::No });
        let line = Choices { reboot, ..after.choices.clone() }.line(host, true);
        ui.say("\nThe same without questions:");
        ui.talk(&format!("  {line}\n"));
    }
    if now {
        ui.say("Rebooting ...");
        host.reboot()?;
        if host.is_simulated() {
            // A recorded machine has a simulated firmware for this.
            act::simulated::boot(host)?.iter().for_each(|line| ui.say(line));
        }
    }
    Ok(())
}

fn next(host: &Host, reboot: bool, now: bool) -> Vec<String> {
    let commands: &[&str] =
        if reboot && !now { &["sudo reboot", "pi5-nvme verify"] } else { &["pi5-nvme verify"] };
    super::all_typed(host, commands)
}

/// Nothing is left to change.
fn already(host: &Host, plan: &Plan, choices: &Choices, ui: &Ui) -> Answer {
    let waits = plan.reboot == rules::Reboot::Needed;
    let headline = if waits {
        "Already set; it takes effect at the next boot".to_owned()
    } else {
        "Already set; nothing to change".to_owned()
    };
    let now = waits && choices.reboot == Some(Reboot::Now);
    let next = next(host, waits, now);
    let report = act::Report {
        transaction: None,
        steps: Vec::new(),
        changed: false,
        reboot_required: waits,
        error: None,
        rescue: None,
    };
    let mut object = body(host, plan, None);
    merge(&mut object, json::report(&report, &next));
    let mut page = ui.page();
    show::simulated(&mut page, host);
    page.line(&headline);
    for note in &plan.notes {
        show::finding(&mut page, note, ui.verbose);
    }
    page.blank();
    show::next(&mut page, &next);
    let after = now.then(|| After { ask: false, now, choices: choices.clone() });
    Answer { json: object, headline, text: page.into_text(), exit: Exit::Done, after }
}

fn dry_run(host: &Host, facts: &Facts, plan: &Plan, ui: &Ui) -> Answer {
    let headline = match plan.steps.len() {
        0 => "Nothing to change (dry run)".to_owned(),
        1 => "This 1 change would be made; nothing was changed (dry run)".to_owned(),
        many => format!("These {many} changes would be made; nothing was changed (dry run)"),
    };
    let mut unread: Vec<_> =
        facts.missing.iter().map(|m| format!("not read: {}: {}", m.path, m.why)).collect();
    let stopped = interrupted_before(host);
    if let Some(id) = &stopped {
        unread.push(format!(
            "transaction {id} was interrupted: setup deals with it first, and the change may differ"
        ));
    }
    let mut object = body(host, plan, Some(facts));
    merge(&mut object, json!({"dry_run": true, "interrupted_transaction": stopped}));
    Answer {
        json: object,
        text: show::setup::dry_run(&headline, plan, &unread, host, ui),
        headline,
        exit: Exit::Done,
        after: None,
    }
}

/// The transaction that was stopped in the middle, as far as it can be seen:
/// the journal is root's.
fn interrupted_before(host: &Host) -> Option<String> {
    let entries = act::list(host).unwrap_or_default();
    entries.into_iter().find(|e| e.state == act::EntryState::Interrupted).map(|e| e.id)
}

/// The JSON object before anything was done.
fn body(host: &Host, plan: &Plan, facts: Option<&Facts>) -> Value {
    let nothing: [String; 0] = [];
    let mut object = json::object(
        "setup",
        host,
        json!({"plan": json::plan(plan), "changed": false,
               "reboot_required": plan.reboot == rules::Reboot::Needed,
               "transaction": null, "steps": nothing, "next": nothing}),
    );
    if let Some(facts) = facts {
        merge(&mut object, json!({"missing": facts.missing}));
    }
    object
}

fn merge(into: &mut Value, from: Value) {
    if let (Value::Object(into), Value::Object(from)) = (into, from) {
        into.extend(from);
    }
}

/// Without a person to ask, names every answer that is missing, all at once.
fn all_given(args: &Setup) -> Result<(), Failure> {
    let mut missing = Vec::new();
    if args.r#gen.is_none() {
        missing.push("--gen 1|2|3|keep (which PCIe generation)");
    }
    if args.boot.is_none() {
        missing.push("--boot nvme|keep (whether to boot from NVMe)");
    }
    if !args.dry_run {
        if args.bench.is_none() {
            missing.push("--bench quick|standard|off (whether to measure before the change)");
        }
        match args.reboot {
            None => missing.push("--reboot now|no (whether to reboot when done)"),
            Some(Reboot::Ask) => missing.push("--reboot now|no (there is no terminal to ask on)"),
            Some(Reboot::Now | Reboot::No) => {}
        }
        if !args.yes {
            missing.push("--yes (whether to make the change; --dry-run shows it first)");
        }
    }
    if missing.is_empty() {
        return Ok(());
    }
    let flags: Vec<_> = missing.iter().filter_map(|m| m.split(' ').next()).collect();
    let mut failure = Failure::new(
        Exit::Usage,
        "answers-missing",
        format!("without a terminal every answer must be given; missing: {}", flags.join(", ")),
    )
    .remedy(missing.join("\n"))
    .with(json!({"missing_flags": flags}));
    failure.more.detail = Some("Nothing was changed.".into());
    Err(failure)
}

/// Deals with a transaction that was interrupted before anything new begins;
/// gives its number.
fn heal(host: &Host, ui: &Ui) -> Result<Option<String>, Failure> {
    let Some(report) = act::heal(host, &mut |line| ui.say(line))? else { return Ok(None) };
    match exit::of_report(&report, false) {
        Some(failure) => Err(failure),
        None => Ok(report.transaction),
    }
}

impl Choices {
    /// The goal, where what is still open stays as it is.
    pub(super) fn goal(&self) -> Goal {
        Goal {
            link: self.r#gen.unwrap_or(Gen::Keep).into(),
            boot: self.boot.unwrap_or(Boot::Keep).into(),
            probe: self.probe.map_or(ProbeGoal::Auto, Into::into),
        }
    }

    /// The command line that asks nothing and does the same.
    pub(super) fn line(&self, host: &Host, yes: bool) -> String {
        let sudo = if host.is_simulated() { "" } else { "sudo " };
        let mut line = format!("{sudo}pi5-nvme{} setup", super::root_flag(host));
        let mut flag = |name: &str, value: Option<String>| {
            if let Some(value) = value {
                line.push_str(&format!(" --{name} {value}"));
            }
        };
        flag("gen", self.r#gen.map(word));
        flag("boot", self.boot.map(word));
        flag("probe", self.probe.map(word));
        flag("bench", self.bench.map(word));
        flag("reboot", self.reboot.map(word));
        if yes {
            line.push_str(" --yes");
        }
        line
    }
}
