//! `bench --report FILE`: the measurement as a page, a picture, a text for a
//! forum, or data. See `docs/bench.md`, "Reports".

mod bars;
mod data;
mod latency;
mod legend;
mod markdown;
mod over_time;
mod page;
mod redact;
mod scale;
mod svg;
mod tables;
#[cfg(test)]
mod tests;

use super::exit::{Exit, Failure};
use super::show::bench::Compared;
use crate::bench::{Change, Row, Run, changes};
use crate::host::{Host, HostError};
use std::path::{Path, PathBuf};

/// What a report is about.
#[derive(Debug, Clone)]
pub(super) struct Subject {
    /// The run, or the later one of two.
    run: Run,
    /// The earlier one, and the comparison.
    before: Option<(Run, Vec<Row>)>,
    /// What else differs between the two.
    changes: Vec<Change>,
    /// Why there is no comparison though one was asked for.
    not_compared: Option<String>,
}

impl Subject {
    /// The same measurement without what tells whose machine it is, unless
    /// `identify`.
    pub(super) fn new(run: &Run, compared: Option<&Compared>, identify: bool) -> Self {
        let plain = |run: &Run| if identify { run.clone() } else { redact::redacted(run) };
        let mut subject = Self { run: plain(run), before: None, changes: Vec::new(), not_compared: None };
        match compared {
            Some(Compared { before: Some(before), rows: Ok(rows) }) => {
                subject.before = Some((plain(before), rows.clone()));
                // Looked for before the ids are taken out, which tell drives apart.
                subject.changes = changes(before, run);
            }
            Some(Compared { rows: Err(why), .. }) => subject.not_compared = Some(why.clone()),
            _ => {}
        }
        subject
    }

    /// The run and the one before it, in the order of time.
    fn runs(&self) -> Vec<&Run> {
        self.before.iter().map(|(run, _)| run).chain([&self.run]).collect()
    }

    /// What the two runs are called; one name for one run.
    fn sides(&self) -> Vec<String> {
        match &self.before {
            Some((before, _)) => {
                let (old, new) = super::show::words::sides(before, &self.run);
                vec![old, new]
            }
            None => vec![super::show::words::short(self.run.environment.link)],
        }
    }

    fn rows(&self) -> &[Row] {
        self.before.as_ref().map(|(_, rows)| rows.as_slice()).unwrap_or_default()
    }

    /// The row of a job.
    fn row(&self, job: &str) -> Option<&Row> {
        self.rows().iter().find(|r| r.job == job)
    }
}

/// How a report is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A page with everything.
    Html,
    /// The chart alone.
    Svg,
    /// Text with tables, for a forum or an issue.
    Markdown,
    /// Every number.
    Json,
}

impl Kind {
    /// By the end of the file's name.
    pub(super) fn of(file: &Path) -> Option<Self> {
        match file.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "html" | "htm" => Some(Self::Html),
            "svg" => Some(Self::Svg),
            "md" => Some(Self::Markdown),
            "json" => Some(Self::Json),
            _ => None,
        }
    }
}

/// A file that a report will be written to.
#[derive(Debug)]
pub(super) struct Sheet {
    /// This computer, also when it is a recorded machine that is measured.
    host: Host,
    path: String,
    kind: Kind,
    file: PathBuf,
}

impl Sheet {
    /// Makes sure, before the minute of measuring, that a report can be written
    /// there.
    ///
    /// # Errors
    /// The name's end is none of the four, something stands there already, or
    /// no file can be made there.
    pub(super) fn new(file: &Path) -> Result<Self, Failure> {
        let shown = file.display();
        let kind = Kind::of(file).ok_or_else(|| {
            Failure::new(Exit::Usage, "usage", format!("{shown}: its name does not say what kind of report"))
                .remedy(
                    "end the name with .html (a page), .svg (the chart), .md (a text) or .json (the data)",
                )
        })?;
        let wrong = |why: &str| Failure::new(Exit::Usage, "usage", format!("{shown}: {why}"));
        let whole = std::path::absolute(file).map_err(|e| wrong(&e.to_string()))?;
        let path = whole.to_str().ok_or_else(|| wrong("its folder has a name that is not UTF-8"))?;
        let sheet = Self { host: Host::open(None)?, path: path.to_owned(), kind, file: file.to_owned() };
        if sheet.host.exists(path) {
            return Err(Failure::new(
                Exit::Refused,
                "report-exists",
                format!("{shown} is there already and is not overwritten"),
            )
            .remedy("give the report another name, or remove that file first"));
        }
        sheet.put(b"")?;
        sheet.host.remove(path)?;
        Ok(sheet)
    }

    /// Writes the report.
    ///
    /// # Errors
    /// What the system says; nothing is left at that name then.
    pub(super) fn write(&self, subject: &Subject) -> Result<(), Failure> {
        let text = match self.kind {
            Kind::Html => page::page(subject),
            Kind::Svg => bars::file(subject),
            Kind::Markdown => markdown::text(subject),
            Kind::Json => data::text(subject),
        };
        self.put(text.as_bytes())
    }

    fn put(&self, bytes: &[u8]) -> Result<(), Failure> {
        self.host.write_new(&self.path, bytes, 0o644).map_err(|error| {
            let (exit, why) = match error {
                HostError::NotFound(_) => (Exit::NotHere, "there is no such folder".to_owned()),
                HostError::Denied(_) => (Exit::NeedsRoot, "you may not write there".to_owned()),
                HostError::NoSpace(_) => (Exit::PutBack, "the disk is full".to_owned()),
                HostError::ReadOnly(_) => (Exit::PutBack, "the file system is read-only".to_owned()),
                HostError::Other(_, why) => (Exit::PutBack, why),
                other => (Exit::PutBack, other.to_string()),
            };
            Failure::new(exit, "report", format!("{} cannot be written: {why}", self.file.display()))
                .remedy("give the report another name")
        })
    }

    /// The file as the user named it.
    pub(super) fn file(&self) -> &Path {
        &self.file
    }
}
