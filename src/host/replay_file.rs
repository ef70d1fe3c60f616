//! `replay.toml`: what a recorded machine answers where files do not.

use super::HostError;
use serde::Deserialize;

/// Where it lies in the recorded machine.
pub(super) const PATH: &str = "/replay.toml";

/// Noon of a day on which nothing happened: the clock of a recorded machine
/// that has none.
const DEFAULT_TIME: &str = "2026-01-01T12:00:00Z";

/// The whole file. A key that it does not know is an error, so that a typing
/// error never turns into a silent "not there".
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ReplayFile {
    /// Effective user id.
    #[serde(default)]
    pub(super) euid: u32,
    /// The time it is, RFC 3339.
    #[serde(default = "default_time")]
    time: String,
    /// Names of programs that are installed.
    #[serde(default)]
    pub(super) installed: Vec<String>,
    /// Answers of programs.
    #[serde(default)]
    pub(super) program: Vec<Answer>,
    /// NVMe log pages.
    #[serde(default)]
    nvme_log: Vec<LogPage>,
    /// Room of file systems.
    #[serde(default)]
    pub(super) space: Vec<Room>,
    /// What partitions hold.
    #[serde(default)]
    pub(super) partition: Vec<Partition>,
    /// How a change of the bootloader configuration goes.
    pub(super) eeprom: Option<Eeprom>,
}

fn default_time() -> String {
    DEFAULT_TIME.into()
}

/// What a program answers to exactly these arguments.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Answer {
    pub(super) argv: Vec<String>,
    #[serde(default)]
    pub(super) stdout: String,
    #[serde(default)]
    pub(super) stderr: String,
    #[serde(default)]
    pub(super) status: i32,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct LogPage {
    device: String,
    page: u8,
    hex: String,
}

/// Room of the file system that holds `path`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Room {
    pub(super) path: String,
    pub(super) free_bytes: u64,
    pub(super) total_bytes: u64,
}

/// The folder that stands for the content of a partition.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Partition {
    pub(super) device: String,
    pub(super) tree: String,
}

/// How the bootloader's own tools behave.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Eeprom {
    pub(super) apply: Apply,
    pub(super) boot_dir: String,
}

/// What `rpi-eeprom-config --apply` does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Apply {
    /// Leaves the update in the boot folder for the next boot.
    Staged,
    /// Writes it at once; the running configuration stays until the next boot.
    Immediate,
    /// Ends with status 1.
    Fails,
}

/// A log page as bytes: controller, page, content.
pub(super) type Page = (String, u8, Vec<u8>);

impl ReplayFile {
    /// Reads the file's text (empty: the defaults).
    ///
    /// # Errors
    /// [`HostError::Other`] with the file, and the line where one is to blame.
    pub(super) fn parse(bytes: &[u8]) -> Result<(Self, jiff::Timestamp, Vec<Page>), HostError> {
        let bad = |why: String| HostError::Other(PATH.into(), why);
        let text = std::str::from_utf8(bytes).map_err(|e| {
            let before = bytes.get(..e.valid_up_to()).unwrap_or_default();
            bad(format!("line {}: not UTF-8", line(before)))
        })?;
        let file: Self = toml_edit::de::from_str(text).map_err(|e| {
            let at = e.span().and_then(|span| text.as_bytes().get(..span.start)).map(line);
            bad(match at {
                Some(at) => format!("line {at}: {}", e.message()),
                None => e.message().to_owned(),
            })
        })?;
        let time = file.time.parse().map_err(|e| bad(format!("time {:?}: {e}", file.time)))?;
        let pages = file.nvme_log.iter().map(|page| match from_hex(&page.hex) {
            Some(bytes) => Ok((page.device.clone(), page.page, bytes)),
            None => Err(bad(format!(
                "nvme_log {} page {}: hex is not pairs of hex digits",
                page.device, page.page
            ))),
        });
        let pages = pages.collect::<Result<_, _>>()?;
        if let Some(empty) = file.program.iter().find(|answer| answer.argv.is_empty()) {
            return Err(bad(format!("a program without a name says {:?}", empty.stdout)));
        }
        Ok((file, time, pages))
    }
}

/// The number of the line that follows `before`.
fn line(before: &[u8]) -> usize {
    before.iter().filter(|&&byte| byte == b'\n').count() + 1
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> = text
        .chars()
        .filter(|c| !c.is_whitespace())
        .map(|c| c.to_digit(16).and_then(|digit| u8::try_from(digit).ok()))
        .collect();
    let pairs = digits?;
    if pairs.len() % 2 != 0 {
        return None;
    }
    Some(pairs.chunks_exact(2).map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | digit)).collect())
}
