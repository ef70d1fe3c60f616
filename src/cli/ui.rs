//! The terminal: how wide, in colour or not, and the two streams. stdout is
//! the answer, stderr is talk.

use super::args::{ColorChoice, Global};
use std::io::{IsTerminal, Write};

/// Lines and columns that a report is made for when nothing else is known.
const DEFAULT: (usize, usize) = (24, 80);

/// How to talk.
#[derive(Debug, Clone)]
pub(super) struct Ui {
    /// One JSON object instead of text.
    pub(super) json: bool,
    /// The result line only.
    pub(super) quiet: bool,
    /// Details too.
    pub(super) verbose: bool,
    /// Columns.
    pub(super) width: usize,
    /// Lines of one screen.
    pub(super) height: usize,
    /// Colour on stdout.
    pub(super) colour: bool,
    /// Colour on stderr.
    pub(super) colour_err: bool,
    /// A person can be asked: stdin and stderr are a terminal.
    pub(super) can_ask: bool,
}

impl Ui {
    /// Looks at the streams and the environment.
    pub(super) fn new(global: &Global) -> Self {
        let (out, err) = (std::io::stdout().is_terminal(), std::io::stderr().is_terminal());
        let colour = |terminal: bool| match global.color {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => {
                let set = |name| variable(name).is_some_and(|v| !v.is_empty());
                terminal && !set("NO_COLOR") && variable("TERM").as_deref() != Some("dumb")
            }
        };
        let term = if out { console::Term::stdout() } else { console::Term::stderr() };
        let size = if out || err { term.size_checked() } else { None };
        let (height, width) = match size {
            Some((rows, columns)) if rows > 0 && columns > 0 => (usize::from(rows), usize::from(columns)),
            _ => {
                let columns = variable("COLUMNS").and_then(|c| c.parse().ok()).filter(|c| *c > 0);
                (DEFAULT.0, columns.unwrap_or(DEFAULT.1))
            }
        };
        Self {
            json: global.json,
            quiet: global.quiet,
            verbose: global.verbose,
            width: width.clamp(20, 100),
            height: height.max(10),
            colour: colour(out),
            colour_err: colour(err),
            can_ask: !global.json && err && std::io::stdin().is_terminal(),
        }
    }

    /// An empty page for stdout.
    pub(super) fn page(&self) -> super::page::Page {
        super::page::Page::new(self.width, self.colour)
    }

    /// Says something on stderr: talk, never the answer. Quiet and JSON runs
    /// say nothing.
    pub(super) fn say(&self, text: &str) {
        if !self.json && !self.quiet {
            let mut page = super::page::Page::new(self.width, self.colour_err);
            page.line(text);
            self.talk(&page.into_text());
        }
    }

    /// Prints a finished page on stderr.
    pub(super) fn talk(&self, text: &str) {
        // A closed stderr is no reason to stop half way through a change.
        let _ = std::io::stderr().lock().write_all(text.as_bytes());
    }
}

/// Says a line on stderr where there is no page to say it on.
pub(super) fn complain(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// Prints the answer. A reader that has seen enough (`status | head`) is no
/// error.
pub(super) fn answer(text: &str) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        done => done,
    }
}

/// A variable of the environment, when it is UTF-8.
#[allow(clippy::disallowed_methods, reason = "cli/ is the floor that reads the environment")]
pub(super) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}
