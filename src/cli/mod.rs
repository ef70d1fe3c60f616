//! Talking: the command line, the reports, the prompts, the exit codes. The
//! only floor that prints, prompts and reads the environment.

mod args;
mod bench;
mod demo;
mod exit;
mod generate;
#[cfg(test)]
mod made_up;
mod page;
mod progress;
mod report;
mod setup;
mod show;
mod status;
mod ui;
mod undo;
mod verify;
mod wizard;

use args::{Cli, Command, Global};
use clap::Parser;
use clap::error::ErrorKind;
use exit::{Exit, Failure};
use serde_json::Value;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use ui::Ui;

use crate::host::Host;

/// What a command gives.
#[derive(Debug)]
struct Answer {
    /// The JSON object.
    json: Value,
    /// One line: the result.
    headline: String,
    /// The whole of it for a person, wrapped.
    text: String,
    /// The exit code.
    exit: Exit,
    /// What follows once it is printed (`setup`).
    after: Option<After>,
}

/// What follows once the answer of `setup` is printed.
#[derive(Debug)]
struct After {
    /// Ask whether to reboot.
    ask: bool,
    /// Reboot.
    now: bool,
    /// What was chosen, for the command line that does the same.
    choices: setup::Choices,
}

/// Parses the command line, runs the command, prints its answer.
#[allow(clippy::disallowed_methods, reason = "cli/ is the floor that reads the command line")]
pub fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().collect();
    ExitCode::from(run(&args) as u8)
}

fn run(args: &[OsString]) -> Exit {
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) => return misused(args, &error),
    };
    let ui = Ui::new(&cli.global);
    let result = match &cli.command {
        Command::Generate { folder } => generate::command(folder).map(|answer| print(&answer, &ui)),
        Command::Demo(_) if cli.global.root.is_some() => {
            Err(Failure::new(Exit::Usage, "usage", "demo brings its own machine, so it takes no --root")
                .remedy(
                    "pi5-nvme --root DIR status, setup, verify, bench and undo work on a machine of yours",
                ))
        }
        Command::Demo(args) => demo::command(args, &ui).map(|answer| print(&answer, &ui)),
        command => open(&cli.global).and_then(|host| {
            on(command, &host, &ui).map_err(|mut failure| {
                failure.more.mark = show::mark_of(&host);
                failure
            })
        }),
    };
    match result {
        Ok(exit) => exit,
        Err(failure) => fail(&failure, cli.command.name(), &ui),
    }
}

/// Runs a command on a machine, prints its answer and does what follows.
fn on(command: &Command, host: &Host, ui: &Ui) -> Result<Exit, Failure> {
    let answer = match command {
        Command::Status => status::command(host, ui),
        Command::Setup(args) => setup::command(host, args, ui),
        Command::Verify(args) => verify::command(host, args, ui),
        Command::Bench(args) => bench::command(host, args, ui),
        Command::Undo(args) => undo::command(host, args, ui),
        // These open no machine, or one of their own.
        Command::Demo(args) => demo::command(args, ui),
        Command::Generate { folder } => generate::command(folder),
    }?;
    let exit = print(&answer, ui);
    if let Some(after) = &answer.after {
        setup::after(host, after, ui)?;
    }
    Ok(exit)
}

/// The machine meant: `--root`, else `PI5_NVME_ROOT`, else this one.
fn open(global: &Global) -> Result<Host, Failure> {
    let named = || ui::variable("PI5_NVME_ROOT").filter(|v| !v.is_empty()).map(PathBuf::from);
    let root = global.root.clone().or_else(named);
    Host::open(root.as_deref()).map_err(|error| {
        let mut failure =
            Failure::from(error).remedy("--root (or PI5_NVME_ROOT) takes the folder of a recorded machine");
        failure.exit = Exit::Usage;
        failure
    })
}

fn print(answer: &Answer, ui: &Ui) -> Exit {
    let text = if ui.json {
        format!("{:#}\n", answer.json)
    } else if ui.quiet {
        format!("{}\n", answer.headline)
    } else {
        answer.text.clone()
    };
    answered(&text, answer.exit)
}

/// Prints an answer; one that did not arrive is not done, whatever it says.
fn answered(text: &str, exit: Exit) -> Exit {
    match ui::answer(text) {
        Ok(()) => exit,
        Err(error) => {
            ui::complain(&format!("the answer could not be printed: {error}"));
            if exit == Exit::Done { Exit::No } else { exit }
        }
    }
}

/// From here on Ctrl-C and SIGTERM only set this flag: what is at work ends its
/// step first.
fn listen() -> Result<Arc<AtomicBool>, Failure> {
    let flag = Arc::new(AtomicBool::new(false));
    for signal in [libc::SIGINT, libc::SIGTERM] {
        signal_hook::flag::register(signal, Arc::clone(&flag))
            .map_err(|e| Failure::new(Exit::PutBack, "failed", format!("signal {signal}: {e}")))?;
    }
    Ok(flag)
}

/// ` --root DIR` on a recorded machine, so that a command shown can be typed.
fn root_flag(host: &Host) -> String {
    if host.is_simulated() {
        format!(" --root {}", quoted(&host.root_path().to_string_lossy()))
    } else {
        String::new()
    }
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-+,:@%=".contains(c);
    match word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

/// A command to type next, so that it can be typed as it stands: on a recorded
/// machine with its folder and without sudo. `None` for what would act on the
/// computer this runs on instead.
fn typed(host: &Host, command: &str) -> Option<String> {
    if !host.is_simulated() {
        return Some(command.to_owned());
    }
    let plain = command.strip_prefix("sudo ").unwrap_or(command);
    match plain.strip_prefix("pi5-nvme ") {
        Some(rest) => Some(format!("pi5-nvme{} {rest}", root_flag(host))),
        None if command.starts_with("sudo ") => None,
        None => Some(command.to_owned()),
    }
}

/// The commands that can be typed here.
fn all_typed(host: &Host, commands: &[&str]) -> Vec<String> {
    commands.iter().filter_map(|c| typed(host, c)).collect()
}

fn fail(failure: &Failure, command: &str, ui: &Ui) -> Exit {
    if ui.json {
        return answered(&format!("{:#}\n", failure.json(command)), failure.exit);
    }
    ui.talk(&show::failure(failure, ui));
    failure.exit
}

/// A command line that could not be parsed, or a plea for help.
fn misused(args: &[OsString], error: &clap::Error) -> Exit {
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        return answered(&error.to_string(), Exit::Done);
    }
    let typed: Vec<_> = args.iter().skip(1).filter_map(|a| a.to_str()).collect();
    if typed.iter().any(|a| *a == "--json" || a.starts_with("--json=")) {
        let known = ["status", "setup", "verify", "bench", "undo", "demo"];
        let command = typed.iter().find(|a| known.contains(*a)).copied().unwrap_or("usage");
        let text = error.to_string();
        let message = text.lines().next().unwrap_or_default().trim_start_matches("error: ");
        let failure = Failure::new(Exit::Usage, "usage", message)
            .remedy("pi5-nvme --help, or pi5-nvme COMMAND --help, says what there is");
        return answered(&format!("{:#}\n", failure.json(command)), failure.exit);
    }
    let _ = error.print();
    Exit::Usage
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn on_a_recorded_machine_no_command_acts_on_this_computer() {
        let folder = tempfile::tempdir().unwrap();
        let host = Host::open(Some(folder.path())).unwrap();
        let root = host.root_path().display();
        assert_eq!(
            all_typed(&host, &["sudo reboot", "sudo pi5-nvme setup", "pi5-nvme verify"]),
            [format!("pi5-nvme --root {root} setup"), format!("pi5-nvme --root {root} verify")]
        );
    }

    #[test]
    fn a_folder_with_blanks_can_be_typed() {
        assert_eq!(quoted("/tmp/a-b_1.x"), "/tmp/a-b_1.x");
        assert_eq!(quoted("/tmp/a b's"), r"'/tmp/a b'\''s'");
    }

    #[test]
    fn on_this_machine_commands_stand_as_they_are() {
        let host = Host::open(None).unwrap();
        assert_eq!(all_typed(&host, &["sudo reboot", "pi5-nvme verify"]), ["sudo reboot", "pi5-nvme verify"]);
    }
}
