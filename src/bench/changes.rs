//! What else differs between two runs: a comparison says what came of all of
//! it together.

use super::types::Run;
use crate::terms::{bytes, celsius};
use serde::Serialize;

/// Something that was not the same in both runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Change {
    /// `kernel`.
    pub what: &'static str,
    /// Before.
    pub before: String,
    /// After.
    pub after: String,
}

/// A difference in temperature at the start that is worth a word, in degrees.
const WARMER: f64 = 15.0;

/// Everything but the link and the name that differs.
pub fn changes(before: &Run, after: &Run) -> Vec<Change> {
    let mut changes = Vec::new();
    let mut add = |what, before: String, after: String| {
        if before != after {
            changes.push(Change { what, before, after });
        }
    };
    let said = |text: &Option<String>| text.clone().unwrap_or_else(|| "unknown".into());
    let (old, new) = (&before.target, &after.target);
    if old.identity.is_none() || old.identity != new.identity {
        let name = |t: &super::TargetInfo| {
            t.model.clone().or_else(|| t.disk.clone()).unwrap_or_else(|| "unknown".into())
        };
        let (old, new) = (name(old), name(new));
        let new = if old == new { format!("{new}, perhaps another of the kind") } else { new };
        add("drive", old, new);
    }
    add("drive's firmware", said(&old.firmware), said(&new.firmware));
    add("file system", old.file_system.clone(), new.file_system.clone());
    let partition = |t: &super::TargetInfo| t.partition.map_or_else(|| "none".into(), |p| p.to_string());
    add("partition", partition(old), partition(new));
    add("test file", bytes(old.file_bytes), bytes(new.file_bytes));
    let engine = |r: &Run| {
        let through = if r.engine.direct { "" } else { " through memory" };
        let huge = if r.engine.huge_pages { "" } else { ", small pages" };
        format!("{}{through}{huge}", r.engine.name)
    };
    add("engine", engine(before), engine(after));
    let profile = |r: &Run| format!("{:?}", r.profile).to_lowercase();
    add("profile", profile(before), profile(after));
    let (old, new) = (&before.environment, &after.environment);
    let payload = |p: Option<u32>| p.map_or_else(|| "unknown".into(), |p| format!("{p} B"));
    add("link's payload size", payload(old.max_payload_bytes), payload(new.max_payload_bytes));
    add("kernel", said(&old.kernel), said(&new.kernel));
    add("processor's governor", said(&old.governor), said(&new.governor));
    add("ASPM policy", said(&old.aspm_policy), said(&new.aspm_policy));
    add("I/O scheduler", said(&old.scheduler), said(&new.scheduler));
    if let (Some(old), Some(new)) = (old.temperature_before_celsius, new.temperature_before_celsius) {
        if (old - new).abs() >= WARMER {
            add("drive's temperature at the start", celsius(old), celsius(new));
        }
    }
    add("pi5-nvme", before.version.clone(), after.version.clone());
    changes
}
