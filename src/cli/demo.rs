//! `demo`: the whole journey on a recorded machine that ships inside the
//! program, with a simulated firmware in place of the reboot.

use super::args::{Baseline, Bench, Boot, Demo, Gen, Profile, Reboot, Setup, Verify};
use super::exit::{Exit, Failure};
use super::page::Tone;
use super::ui::Ui;
use super::{Answer, print};
use crate::act;
use crate::host::Host;
use serde_json::{Map, Value, json};
use std::path::PathBuf;

/// `fixtures/machines/pi5-trixie-sd`, packed when this was built.
const MACHINE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/machine.tar.gz"));

/// Plays it. Each chapter prints its own report; the answer is the end of it.
pub(super) fn command(args: &Demo, ui: &Ui) -> Result<Answer, Failure> {
    let folder = Host::unpack(MACHINE, &places(), "pi5-nvme-demo-")?;
    let host = Host::open(Some(&folder))?;
    play(&host, args, ui).map_err(|mut failure| {
        failure.more.mark = Some(format!("Simulated: the recorded machine stays in {}", folder.display()));
        failure
    })
}

fn play(host: &Host, args: &Demo, ui: &Ui) -> Result<Answer, Failure> {
    let root = super::root_flag(host);
    let mut parts = Map::new();
    let ask = ui.can_ask && !args.yes;
    // With answers given nothing is asked, also on a terminal.
    let mut quiet = ui.clone();
    quiet.can_ask = ask;
    let ui = &quiet;

    chapter(ui, 1, "the machine as it is", &format!("$ pi5-nvme{root} status"));
    part("status", super::status::command(host, ui), &mut parts, ui)?;

    let setup = answers(ask);
    chapter(ui, 2, "the change", &format!("$ pi5-nvme{root} setup"));
    part("setup", super::setup::command(host, &setup, ui), &mut parts, ui)?;

    chapter(ui, 3, "the reboot", "(a simulated firmware reads the changed files)");
    let booted = act::simulated::boot(host)?;
    if !ui.json && !ui.quiet {
        let mut page = ui.page();
        booted.iter().for_each(|line| page.hang(" -", 4, line));
        let _ = super::ui::answer(&page.into_text());
    }
    parts.insert("boot".into(), json!(booted));

    chapter(ui, 4, "the proof", &format!("$ pi5-nvme{root} verify"));
    let verified = part("verify", super::verify::command(host, &Verify::default(), ui), &mut parts, ui)?;

    let bench = Bench { profile: Some(Profile::Quick), compare: Some(Vec::new()), ..Bench::default() };
    chapter(ui, 5, "the gain", &format!("$ pi5-nvme{root} bench --compare"));
    let compared = part("bench", super::bench::command(host, &bench, ui), &mut parts, ui)?;

    let exit = match (verified, compared) {
        (Exit::Done, Exit::Done) => Exit::Done,
        (_, Exit::Interrupted) => Exit::Interrupted,
        _ => Exit::No,
    };
    Ok(end(host, exit, parts, ui))
}

/// Where to unpack: a test file there must go past the page cache where that
/// can be had, so folders that are often in memory come last.
fn places() -> Vec<PathBuf> {
    let own = super::ui::variable("TMPDIR").filter(|v| !v.is_empty()).map(PathBuf::from);
    own.into_iter().chain(["/var/tmp".into(), "/tmp".into()]).collect()
}

fn answers(ask: bool) -> Setup {
    if ask {
        return Setup { reboot: Some(Reboot::No), ..Setup::default() };
    }
    Setup {
        r#gen: Some(Gen::Three),
        boot: Some(Boot::Nvme),
        bench: Some(Baseline::Quick),
        reboot: Some(Reboot::No),
        yes: true,
        ..Setup::default()
    }
}

fn chapter(ui: &Ui, number: u8, title: &str, what: &str) {
    if ui.json || ui.quiet {
        return;
    }
    let mut page = ui.page();
    let title = page.tone(Tone::Strong, &format!("== Simulated Raspberry Pi 5 · {number} of 5: {title} =="));
    page.line(&title);
    page.line(&page.tone(Tone::Dim, what));
    let _ = super::ui::answer(&format!("\n{}\n", page.into_text()));
}

/// Prints a chapter's report and keeps its JSON; gives its exit code.
fn part(
    name: &str,
    result: Result<Answer, Failure>,
    parts: &mut Map<String, Value>,
    ui: &Ui,
) -> Result<Exit, Failure> {
    match result {
        Ok(answer) => {
            if !ui.json {
                print(&answer, ui);
            }
            parts.insert(name.into(), answer.json);
            Ok(answer.exit)
        }
        Err(failure) => {
            let done = Value::Object(parts.clone());
            Err(failure.with(json!({"simulated": true, "failed_at": name})).with(done))
        }
    }
}

fn end(host: &Host, exit: Exit, parts: Map<String, Value>, ui: &Ui) -> Answer {
    let root = super::root_flag(host);
    let headline = match exit {
        Exit::Done => "Simulated: the whole journey passed".to_owned(),
        Exit::Interrupted => "Simulated: interrupted".to_owned(),
        _ => "Simulated: the journey did not pass; see above".to_owned(),
    };
    let mut page = ui.page();
    page.line("");
    let line = page.tone(if exit == Exit::Done { Tone::Good } else { Tone::Bad }, &headline);
    page.line(&line);
    page.line("The simulated machine stays; every command works on it:");
    for command in ["undo", "status", "setup --gen 2 --boot keep --dry-run"] {
        page.exact(&format!("  pi5-nvme{root} {command}"));
    }
    page.line("To remove it:");
    page.exact(&format!("  rm -r {}", host.root_path().display()));
    page.line("On a Raspberry Pi 5:");
    page.exact("  sudo pi5-nvme setup");
    let mut object = super::show::json::object(
        "demo",
        host,
        json!({"root": host.root_path(), "passed": exit == Exit::Done}),
    );
    if let Value::Object(object) = &mut object {
        object.extend(parts);
    }
    Answer { json: object, headline, text: page.into_text(), exit, after: None }
}
