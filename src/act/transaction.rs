//! What is written down of a transaction (`transaction.toml`).

use super::{ActError, StepResult};
use crate::rules::Goal;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The version of the file that this writes. Only this and the one before it
/// are read.
pub(super) const SCHEMA: u32 = 1;

/// How far it got.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum State {
    /// Begun; any step may be done, half done or not.
    Applying,
    /// All steps are done and proved.
    Committed,
    /// Being put back.
    Undoing,
    /// Put back.
    Undone,
    /// A step failed, and all was put back.
    Failed,
}

impl State {
    /// It ended in the middle.
    pub(super) fn is_open(self) -> bool {
        matches!(self, Self::Applying | Self::Undoing)
    }
}

/// The whole file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Transaction {
    pub(super) schema: u32,
    pub(super) id: String,
    /// The version of this program.
    pub(super) tool: String,
    /// UTC.
    pub(super) time: String,
    pub(super) state: State,
    /// `/proc/sys/kernel/random/boot_id` at the time.
    pub(super) boot_id: Option<String>,
    /// The config.txt of the boot partition in use.
    pub(super) config_path: Option<String>,
    /// The file here that holds the bytes it was left with.
    pub(super) config_after: Option<String>,
    pub(super) goal: Goal,
    /// SHA-256 of each file here, by its name. Empty in what was written before
    /// there were any.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) sha256: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) drive: Vec<Drive>,
    #[serde(default)]
    pub(super) step: Vec<Record>,
}

/// A drive that was there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Drive {
    pub(super) model: String,
    pub(super) identity: String,
}

/// A step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(super) enum Record {
    /// A text file of a boot partition.
    File(FileRecord),
    /// The bootloader configuration.
    Bootloader(BootRecord),
}

/// A changed text file. `before` and `after` name files here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FileRecord {
    /// As the plan named it.
    pub(super) path: String,
    /// The partition that holds it: after a boot from another medium the same
    /// path leads to another file.
    pub(super) device: Option<String>,
    pub(super) part_uuid: Option<String>,
    /// Its path below the root of that partition.
    pub(super) inner: String,
    pub(super) before: String,
    pub(super) after: String,
    /// Name of the copy of the old file beside it.
    pub(super) backup: Option<String>,
    pub(super) result: Option<StepResult>,
}

/// How the bootloader configuration was set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Method {
    /// It waits for the next start, and can be cancelled until then.
    Staged,
    /// It was flashed at once.
    Immediate,
}

/// A changed bootloader configuration. `before` and `after` name files here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct BootRecord {
    pub(super) before: String,
    pub(super) after: String,
    /// The bootloader image it was flashed with.
    pub(super) image: String,
    /// Where updates are staged.
    pub(super) boot_dir: String,
    /// The update script may flash at once on this machine.
    pub(super) may_be_immediate: bool,
    /// The update script was about to be called.
    pub(super) begun: bool,
    pub(super) method: Option<Method>,
    pub(super) result: Option<StepResult>,
    /// The files of an update that was waiting already.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) pending: Vec<PendingFile>,
}

/// A file of an earlier update, and the file here that holds its bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PendingFile {
    pub(super) path: String,
    pub(super) file: String,
}

impl FileRecord {
    /// It was reached by mounting its partition for the edit.
    pub(super) fn is_beside(&self) -> bool {
        self.device.is_some() && self.path == self.inner
    }
}

impl Record {
    /// What a person calls it.
    pub(super) fn name(&self) -> String {
        match self {
            Self::File(file) => match &file.device {
                Some(device) if file.is_beside() => format!("{} of {device}", file.path),
                _ => file.path.clone(),
            },
            Self::Bootloader(_) => "bootloader configuration".into(),
        }
    }

    /// Names of the files here with its old and its new bytes.
    pub(super) fn files(&self) -> (&str, &str) {
        match self {
            Self::File(FileRecord { before, after, .. })
            | Self::Bootloader(BootRecord { before, after, .. }) => (before, after),
        }
    }

    pub(super) fn set_result(&mut self, how: StepResult) {
        match self {
            Self::File(file) => file.result = Some(how),
            Self::Bootloader(boot) => boot.result = Some(how),
        }
    }

    /// Whether both change the same thing.
    pub(super) fn is_same_thing(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Bootloader(_), Self::Bootloader(_)) => true,
            (Self::File(one), Self::File(two)) => {
                (&one.path, &one.device) == (&two.path, &two.device)
                    || one.device.is_some() && (&one.device, &one.inner) == (&two.device, &two.inner)
            }
            _ => false,
        }
    }
}

impl Transaction {
    /// From the bytes of the file at `path`.
    pub(super) fn parse(path: &str, bytes: &[u8]) -> Result<Self, ActError> {
        let bad = |why: String| ActError::Journal { path: path.into(), why };
        #[derive(Deserialize)]
        struct Version {
            schema: u32,
        }
        let text = std::str::from_utf8(bytes).map_err(|_| bad("not UTF-8".into()))?;
        let version: Version = toml_edit::de::from_str(text).map_err(|e| bad(first_line(&e.to_string())))?;
        if version.schema > SCHEMA {
            return Err(bad(format!("written by a newer pi5-nvme (schema {})", version.schema)));
        }
        if version.schema + 1 < SCHEMA || version.schema == 0 {
            return Err(bad(format!("too old to be read (schema {})", version.schema)));
        }
        toml_edit::de::from_str(text).map_err(|e| bad(first_line(&e.to_string())))
    }

    /// The bytes to write.
    pub(super) fn render(&self, path: &str) -> Result<Vec<u8>, ActError> {
        let text = toml_edit::ser::to_string_pretty(self)
            .map_err(|e| ActError::Journal { path: path.into(), why: e.to_string() })?;
        Ok(text.into_bytes())
    }

    /// Whether no start came between it and the start with this id.
    pub(super) fn is_of_boot(&self, boot_id: Option<&str>) -> bool {
        self.boot_id.is_some() && self.boot_id.as_deref() == boot_id
    }
}

/// As `sha256sum` prints it.
pub(super) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut text, byte| {
        // Writing to a String does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn first_line(text: &str) -> String {
    text.lines().find(|line| !line.trim().is_empty()).unwrap_or("not understood").to_owned()
}
