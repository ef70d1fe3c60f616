//! The report as data: every number of the runs, and the comparison.

use super::Subject;
use serde_json::json;

/// The schema of the file.
const SCHEMA: &str = "pi5-nvme/bench-report/1";

/// One JSON object.
pub(super) fn text(subject: &Subject) -> String {
    let before = subject.before.as_ref();
    let object = json!({
        "schema": SCHEMA,
        "simulated": subject.run.simulated,
        "runs": subject.runs(),
        "compare": before.map(|(_, rows)| rows),
        "not_compared": subject.not_compared,
        "changes": before.map(|_| &subject.changes),
    });
    format!("{object:#}\n")
}
