//! Stored runs: `/var/lib/pi5-nvme/bench/<UTC time>.json`.

use super::types::{Run, SCHEMA};
use crate::host::{Host, HostError};

/// Where the runs lie.
pub const FOLDER: &str = "/var/lib/pi5-nvme/bench";

/// A run and the file that holds it.
#[derive(Debug, Clone, PartialEq)]
pub struct Stored {
    /// `20261201T100000Z`.
    pub name: String,
    /// The run.
    pub run: Run,
}

/// Stores a run, under `label` if one is given, and says in which file.
///
/// # Errors
/// What the system says; [`HostError::Denied`] when the user is not root.
pub fn save(host: &Host, run: &Run, label: Option<&str>) -> Result<String, HostError> {
    let named = Run { label: label.map(str::to_owned).or_else(|| run.label.clone()), ..run.clone() };
    let mut text =
        serde_json::to_vec_pretty(&named).map_err(|e| HostError::Other(FOLDER.into(), e.to_string()))?;
    text.push(b'\n');
    host.create_dir(FOLDER, 0o700)?;
    let stem: String = run.time.chars().filter(char::is_ascii_alphanumeric).collect();
    // Two runs of one second (a recorded machine's clock stands still).
    let taken = host.list(FOLDER)?;
    let name = (1..=taken.len() + 1)
        .map(|n| if n == 1 { stem.clone() } else { format!("{stem}-{n}") })
        .find(|name| !taken.contains(&format!("{name}.json")))
        .unwrap_or(stem);
    let path = format!("{FOLDER}/{name}.json");
    host.write_new(&path, &text, 0o600)?;
    Ok(path)
}

/// Every stored run, the newest first. Files that are no run are passed over.
///
/// # Errors
/// The folder is there and cannot be read.
pub fn list(host: &Host) -> Result<Vec<Stored>, HostError> {
    let names = match host.list(FOLDER) {
        Err(HostError::NotFound(_)) => return Ok(Vec::new()),
        other => other?,
    };
    let mut stored: Vec<Stored> = names
        .iter()
        .filter_map(|file| {
            let name = file.strip_suffix(".json")?;
            let bytes = host.read(&format!("{FOLDER}/{file}")).ok()?;
            let run: Run = serde_json::from_slice(&bytes).ok()?;
            (run.schema == SCHEMA && run.is_sound()).then(|| Stored { name: name.to_owned(), run })
        })
        .collect();
    stored.sort_by(|a, b| order(&b.name).cmp(&order(&a.name)));
    Ok(stored)
}

/// Time, then the number after it.
fn order(name: &str) -> (&str, u32) {
    match name.split_once('-') {
        Some((time, number)) => (time, number.parse().unwrap_or(0)),
        None => (name, 1),
    }
}

/// The run with this label (the newest of several), file name or time.
///
/// # Errors
/// [`HostError::NotFound`] when there is none.
pub fn load(host: &Host, name: &str) -> Result<Run, HostError> {
    let all = list(host)?;
    let is_it = |s: &&Stored| s.name == name.trim_end_matches(".json") || s.run.time == name;
    let found = all.iter().find(|s| s.run.label.as_deref() == Some(name)).or_else(|| all.iter().find(is_it));
    found.map(|s| s.run.clone()).ok_or_else(|| HostError::NotFound(format!("{FOLDER}: a run named {name}")))
}
