//! Exit codes, and how a failure is told: once for people, once for programs.

use crate::act::{ActError, Report, StepResult};
use crate::host::{Host, HostError};
use crate::rules::Refusal;
use serde_json::{Map, Value, json};

/// The exit codes; a script may rely on each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Exit {
    /// Done, or already so.
    Done = 0,
    /// The answer is no: not met, not valid.
    No = 1,
    /// Wrong use.
    Usage = 2,
    /// Needs root.
    NeedsRoot = 3,
    /// Not a Pi 5, no drive, a needed program is missing.
    NotHere = 4,
    /// Refused for safety, nothing changed.
    Refused = 5,
    /// Failed, everything is as it was.
    PutBack = 6,
    /// Failed, and not everything was put back.
    NotPutBack = 7,
    /// Ctrl-C.
    Interrupted = 130,
}

/// A command that ended without what was asked for.
#[derive(Debug, Clone)]
pub(super) struct Failure {
    /// The exit code.
    pub(super) exit: Exit,
    /// A short word for programs.
    pub(super) kind: &'static str,
    /// What was found, and where.
    pub(super) message: String,
    /// What to do next.
    pub(super) remedy: Option<String>,
    /// More, where there is more.
    pub(super) more: Box<More>,
}

/// What only some failures have.
#[derive(Debug, Clone, Default)]
pub(super) struct More {
    /// On a recorded machine, what says so.
    pub(super) mark: Option<String>,
    /// More of the same kind: message and what to do.
    pub(super) also: Vec<(String, String)>,
    /// The steps that were tried.
    pub(super) report: Option<Report>,
    /// Printed for a person as it is (a diff).
    pub(super) detail: Option<String>,
    /// More keys of the JSON object.
    pub(super) keys: Map<String, Value>,
}

impl Failure {
    /// A failure with its message.
    pub(super) fn new(exit: Exit, kind: &'static str, message: impl Into<String>) -> Self {
        Self { exit, kind, message: message.into(), remedy: None, more: Box::default() }
    }

    /// The same with what to do next.
    #[must_use]
    pub(super) fn remedy(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = Some(remedy.into());
        self
    }

    /// The same with the keys of `object` in its JSON.
    #[must_use]
    pub(super) fn with(mut self, object: Value) -> Self {
        if let Value::Object(map) = object {
            self.more.keys.extend(map);
        }
        self
    }

    /// The JSON object for `command`.
    pub(super) fn json(&self, command: &str) -> Value {
        let mut object = Map::new();
        object.insert("schema".into(), json!(format!("pi5-nvme/{command}/1")));
        object.insert("simulated".into(), json!(self.more.mark.is_some()));
        object.extend(
            self.more.keys.iter().filter(|(key, _)| *key != "schema").map(|(k, v)| (k.clone(), v.clone())),
        );
        object.insert(
            "error".into(),
            json!({"kind": self.kind, "exit": self.exit as u8, "message": self.message,
                   "do_instead": self.remedy, "detail": self.more.detail}),
        );
        Value::Object(object)
    }
}

/// Root is needed to do `what`; `command` is what to type.
pub(super) fn needs_root(host: &Host, what: &str, command: &str) -> Failure {
    let remedy = if host.is_simulated() {
        "the recorded machine was recorded without root: euid in its replay.toml says so".to_owned()
    } else {
        format!("sudo {command}")
    };
    Failure::new(Exit::NeedsRoot, "needs-root", format!("{what} needs root")).remedy(remedy)
}

impl From<HostError> for Failure {
    fn from(error: HostError) -> Self {
        use HostError as H;
        let message = error.to_string();
        match error {
            H::Denied(_) => {
                Self::new(Exit::NeedsRoot, "needs-root", message).remedy("run the same command with sudo")
            }
            H::ProgramMissing(name) => Self::new(Exit::NotHere, "program-missing", message)
                .remedy(format!("install the package that holds {name}, then run the same command again")),
            H::Locked(_) => Self::new(Exit::Refused, "locked", message)
                .remedy("wait until it is done, then run the same command again"),
            H::ReadOnly(_) => Self::new(Exit::PutBack, "read-only", message)
                .remedy("see why the file system is read-only (dmesg), then run the same command again"),
            H::NoSpace(_) => Self::new(Exit::PutBack, "no-space", message)
                .remedy("make room there, then run the same command again"),
            H::NotFound(_) => Self::new(Exit::NotHere, "not-found", message),
            H::NotRecorded(_) => Self::new(Exit::NotHere, "not-recorded", message)
                .remedy("add the answer to the machine's replay.toml"),
            H::TooLarge(..) | H::ReadBack(_) | H::Timeout(..) | H::Stopped(_) | H::Other(..) => {
                Self::new(Exit::PutBack, "failed", message)
            }
        }
    }
}

impl From<ActError> for Failure {
    fn from(error: ActError) -> Self {
        let message = error.to_string();
        let by_hand = error.by_hand();
        match error {
            ActError::Host(error) => error.into(),
            ActError::ChangedSince { path, diff } => {
                let mut failure = Self::new(Exit::Refused, "changed-since", message).remedy(format!(
                    "keep {path} as it is, or take those edits out of it first and run the same command again"
                ));
                failure.more.detail = Some(diff);
                failure
            }
            ActError::Program { .. } => Self::new(Exit::PutBack, "program", message)
                .remedy("try again; with --boot keep the link is set without that program"),
            ActError::Interrupted(id) => Self::new(Exit::Refused, "interrupted-before", message).remedy(
                format!("sudo pi5-nvme undo {id}   puts everything back; sudo pi5-nvme setup   goes on"),
            ),
            ActError::Signal => Self::new(Exit::Interrupted, "interrupted", message),
            ActError::Newer { newer, .. } => {
                Self::new(Exit::Refused, "newer", message).remedy(format!("sudo pi5-nvme undo {newer}"))
            }
            ActError::NoTransaction(_) => Self::new(Exit::Usage, "no-transaction", message)
                .remedy("pi5-nvme undo --list   shows which there are"),
            ActError::Journal { path, .. } => Self::new(Exit::Refused, "journal", message)
                .remedy(by_hand.map_or(
                format!("nothing was changed; see what {path} is and move it away"),
                |readme| {
                    format!(
                        "nothing was changed; {readme} says how to put the files back by hand; after that, \
                             move its folder away and setup works again"
                    )
                },
            )),
        }
    }
}

/// The failure of a report that carries an error, or nothing.
pub(super) fn of_report(report: &Report, interrupted: bool) -> Option<Failure> {
    let error = report.error.clone()?;
    let mut failure = Failure::from(error);
    let tried =
        report.steps.iter().any(|(_, how)| matches!(how, StepResult::Failed | StepResult::RolledBack));
    if let Some(rescue) = &report.rescue {
        failure.exit = Exit::NotPutBack;
        failure.remedy = Some(format!("{rescue} says, step by step, how to put the rest back by hand"));
        failure = failure.with(json!({"rescue": rescue}));
    } else if interrupted {
        failure.exit = Exit::Interrupted;
        failure.message = match tried {
            true => format!("Interrupted ({}); everything was put back", failure.message),
            false => "Interrupted; nothing was changed".to_owned(),
        };
    } else if tried && failure.exit != Exit::Refused {
        failure.exit = Exit::PutBack;
        failure.message = format!("{}; everything is as it was", failure.message);
    }
    failure.more.report = Some(report.clone());
    Some(failure)
}

/// The failure of a plan that is refused.
pub(super) fn of_refusals(refusals: &[Refusal]) -> Option<Failure> {
    let first = refusals.first()?;
    // The code and the message are of the same reason.
    let here = !not_here(&first.id);
    let exit = if here { Exit::Refused } else { Exit::NotHere };
    let mut failure = Failure::new(exit, if here { "refused" } else { "not-here" }, first.why.clone())
        .remedy(first.do_instead.clone());
    failure.more.also = refusals.iter().skip(1).map(|r| (r.why.clone(), r.do_instead.clone())).collect();
    Some(failure)
}

/// Whether the reason means that something is not here.
pub(super) fn not_here(id: &str) -> bool {
    NOT_HERE.contains(&id)
}

/// The refusals that mean: this is not the machine for it, or something that
/// has to be here is not.
const NOT_HERE: [&str; 3] = ["board-not-supported", "boot-no-drive", "eeprom-no-tool"];

#[cfg(test)]
mod tests {
    use super::*;

    fn report(error: Option<ActError>, step: StepResult, rescue: Option<&str>) -> Report {
        Report {
            transaction: Some("0001".into()),
            steps: vec![("config.txt".into(), step)],
            changed: false,
            reboot_required: false,
            error,
            rescue: rescue.map(Into::into),
        }
    }

    fn no_space() -> Option<ActError> {
        Some(ActError::Host(HostError::NoSpace("/boot".into())))
    }

    #[test]
    fn what_was_put_back_decides_the_code() {
        use StepResult::{NotReached, RolledBack};
        for (error, step, rescue, interrupted, code) in [
            (no_space(), RolledBack, None, false, 6),
            (no_space(), StepResult::Failed, Some("/var/lib/x/README.txt"), false, 7),
            (no_space(), RolledBack, None, true, 130),
            (Some(ActError::Host(HostError::Locked("pid 7".into()))), NotReached, None, false, 5),
            (Some(ActError::Host(HostError::Denied("/var".into()))), NotReached, None, false, 3),
            (
                Some(ActError::Host(HostError::ProgramMissing("rpi-eeprom-config".into()))),
                NotReached,
                None,
                false,
                4,
            ),
            (Some(ActError::NoTransaction("9".into())), NotReached, None, false, 2),
            (Some(ActError::Interrupted("0001".into())), NotReached, None, false, 5),
        ] {
            let words = format!("{error:?} {step:?} {rescue:?}");
            let failure = of_report(&report(error, step, rescue), interrupted).unwrap();
            assert_eq!(failure.exit as u8, code, "{words}");
        }
        assert!(of_report(&report(None, StepResult::Changed, None), true).is_none());
    }

    #[test]
    fn a_rescue_says_where_it_lies() {
        let failure =
            of_report(&report(no_space(), StepResult::Failed, Some("/x/README.txt")), false).unwrap();
        assert!(failure.remedy.as_ref().unwrap().starts_with("/x/README.txt"));
        assert_eq!(failure.json("setup")["rescue"], "/x/README.txt");
    }

    #[test]
    fn a_refusal_keeps_the_others_and_their_remedies() {
        let refusal = |id: &str| Refusal { id: id.into(), why: format!("{id}."), do_instead: "Do.".into() };
        let failure = of_refusals(&[refusal("read-only-boot"), refusal("boot-img")]).unwrap();
        assert_eq!((failure.exit as u8, failure.more.also.len()), (5, 1));
        let failure = of_refusals(&[refusal("board-not-supported")]).unwrap();
        assert_eq!(failure.exit as u8, 4);
        let failure = of_refusals(&[refusal("home-assistant"), refusal("eeprom-no-tool")]).unwrap();
        assert_eq!(failure.exit as u8, 5, "the code is that of the reason that is told first");
        assert!(of_refusals(&[]).is_none());
        // The ids that decide must exist, or another code would come of a new name.
        for id in NOT_HERE {
            assert!(crate::rules::check(id).is_some(), "{id}");
        }
    }

    #[test]
    fn json_has_the_schema_first_and_the_error_last() {
        let failure = Failure::new(Exit::Refused, "refused", "No.").remedy("Do.").with(json!({"plan": null}));
        let object = failure.json("setup");
        let keys: Vec<_> = object.as_object().unwrap().keys().cloned().collect();
        assert_eq!(keys, ["schema", "simulated", "plan", "error"]);
        assert_eq!(object["error"]["do_instead"], "Do.");
        assert_eq!(object["error"]["exit"], 5);
    }
}
