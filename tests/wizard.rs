//! The wizard on a pseudo-terminal: every question, and Ctrl-C at each.

use crate::machine::{Machine, differences};
use rexpect::process::wait::WaitStatus;
use rexpect::session::{PtySession, spawn_command};
use std::process::Command;

/// What a terminal takes to show its cursor again, and to hide it.
const SHOW: &str = "\u{1b}[?25h";
const HIDE: &str = "\u{1b}[?25l";

/// The questions in their order, with the key that answers each.
const QUESTIONS: [(&str, &str); 4] = [
    ("Which generation?", "\r"),
    ("Boot from NVMe?", "\r"),
    ("Measure first?", "\u{1b}[B\u{1b}[B\r"),
    ("Make this change?", "y"),
];

fn start(machine: &Machine, arguments: &[&str]) -> PtySession {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pi5-nvme"));
    command.arg("--root").arg(machine.root()).args(arguments);
    command.env_clear().env("TERM", "xterm").env("NO_COLOR", "1");
    spawn_command(command, Some(20_000)).unwrap()
}

/// Answers the first `count` questions; gives everything printed.
fn answer(session: &mut PtySession, count: usize) -> String {
    let mut seen = String::new();
    for (question, keys) in &QUESTIONS[..count] {
        seen += &until(session, question);
        session.send(keys).unwrap();
        session.flush().unwrap();
    }
    seen
}

fn until(session: &mut PtySession, text: &str) -> String {
    let before = session.exp_string(text).unwrap_or_else(|e| panic!("waiting for {text:?}: {e}"));
    format!("{before}{text}")
}

fn status(session: &PtySession) -> i32 {
    match session.process().wait().unwrap() {
        WaitStatus::Exited(_, code) => code,
        other => panic!("ended by {other:?}"),
    }
}

#[test]
fn every_question_answered_makes_the_change_and_says_the_command() {
    let machine = Machine::copy("pi5-trixie-sd");
    let before = machine.read("boot/firmware/config.txt");
    let mut session = start(&machine, &["setup"]);
    let mut seen = answer(&mut session, QUESTIONS.len());
    seen += &until(&mut session, "Reboot now?");
    session.send("n").unwrap();
    session.flush().unwrap();
    seen += &session.exp_eof().unwrap();
    assert_eq!(status(&session), 0, "{seen}");
    for words in [
        "Simulated",
        "not certified",
        "NVMe -> SD card",
        "dtparam=pciex1_gen=3",
        "setup --gen 3 --boot nvme --bench off --reboot no --yes",
    ] {
        assert!(seen.contains(words), "{words:?} is not in:\n{seen}");
    }
    let after = machine.read("boot/firmware/config.txt");
    assert!(after.starts_with(&before) && after.len() > before.len());
}

#[test]
fn ctrl_c_at_any_question_changes_nothing_and_shows_the_cursor() {
    for (count, (question, _)) in QUESTIONS.iter().enumerate() {
        let machine = Machine::copy("pi5-trixie-sd");
        let start_of_it = machine.snapshot();
        let mut session = start(&machine, &["setup"]);
        let mut seen = answer(&mut session, count);
        seen += &until(&mut session, question);
        session.send_control('c').unwrap();
        seen += &session.exp_eof().unwrap();
        assert_eq!(status(&session), 130, "at {question:?}:\n{seen}");
        assert!(seen.contains("nothing was changed"), "{seen}");
        let (shown, hidden) = (seen.rfind(SHOW), seen.rfind(HIDE));
        assert!(shown.is_some() && shown > hidden, "the cursor stays hidden:\n{seen:?}");
        assert_eq!(differences(&start_of_it, &machine.snapshot()), [""; 0]);
    }
}

#[test]
fn a_no_changes_nothing() {
    let machine = Machine::copy("pi5-trixie-sd");
    let start_of_it = machine.snapshot();
    let mut session = start(&machine, &["setup", "--bench", "off"]);
    answer(&mut session, 2);
    until(&mut session, "Make this change?");
    session.send("n").unwrap();
    session.flush().unwrap();
    let seen = session.exp_eof().unwrap();
    assert!(seen.contains("nothing was changed"), "{seen}");
    assert_eq!(status(&session), 5);
    assert_eq!(differences(&start_of_it, &machine.snapshot()), [""; 0]);
}

#[test]
fn a_flag_answers_its_question() {
    let machine = Machine::copy("pi5-trixie-sd");
    let mut session =
        start(&machine, &["setup", "--gen", "3", "--boot", "keep", "--bench", "off", "--reboot", "no"]);
    let seen = until(&mut session, "Make this change?");
    for (question, _) in &QUESTIONS[..3] {
        assert!(!seen.contains(question), "{question} was asked:\n{seen}");
    }
    session.send("y").unwrap();
    session.flush().unwrap();
    let seen = session.exp_eof().unwrap();
    assert_eq!(status(&session), 0, "{seen}");
    assert!(!seen.contains("Reboot now?"), "{seen}");
}

#[test]
fn at_40_columns_no_sentence_is_wider_than_the_terminal() {
    let machine = Machine::copy("pi5-trixie-sd");
    let mut command = Command::new(env!("CARGO_BIN_EXE_pi5-nvme"));
    command.arg("--root").arg(machine.root()).arg("setup");
    command.env_clear().env("TERM", "xterm").env("NO_COLOR", "1").env("COLUMNS", "40");
    let mut session = spawn_command(command, Some(20_000)).unwrap();
    let seen = answer(&mut session, QUESTIONS.len());
    session.send("\u{3}").unwrap();
    // rexpect gives each byte as a character.
    let bytes: Vec<u8> = seen.chars().filter_map(|c| u8::try_from(c).ok()).collect();
    let seen = String::from_utf8(bytes).unwrap();
    let whole = |line: &str| line.starts_with(['+', '-', '@', ' ']) && !line.starts_with("  ");
    for line in seen.lines().map(|l| console::strip_ansi_codes(l).replace('\r', "").trim_end().to_owned()) {
        assert!(line.chars().count() <= 40 || whole(&line), "wider than 40: {line:?}");
    }
    assert!(seen.contains("+dtparam=pciex1_gen=3"), "{seen}");
}
