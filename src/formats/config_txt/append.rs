//! The one change that is ever made to config.txt: a block at its end.

use super::items::items;
use super::lines::{body, split, trim_cr};
use super::meaning::{generation, port};
use super::reading::explore;
use super::{Conditions, Evaluation, Files, Wanted};

/// How a comment line of ours begins.
const MARK: &[u8] = b"# pi5-nvme:";
const COMMENT: &str = "# pi5-nvme: added by setup; `sudo pi5-nvme undo` takes it back\n";

/// The new bytes of the top file, equal to `files.top` when every reading
/// already gives what is wanted (the port: by config.txt itself, not only
/// because the firmware has enabled it).
///
/// The old bytes are a prefix of the new ones, except that a block of ours
/// that stands last and does not do is taken back first. A bootloader
/// configuration with a `[config.txt]` section of its own may still undo the
/// block; read the meaning of the result.
pub fn append(files: &Files, conditions: &Conditions, wanted: Wanted) -> Vec<u8> {
    let by_text = Conditions { port_enabled_by_firmware: false, ..conditions.clone() };
    if met(&files.top, files, &by_text, wanted) {
        return files.top.clone();
    }
    let (base, own) = without_own_block(&files.top);
    let wanted = keeping(wanted, own);
    let base_files = with_top(base, files);
    let missing = missing_lines(&base_files, &by_text, wanted);
    if missing.is_empty() {
        return base.to_vec();
    }
    let all = lines(wanted.port, wanted.generation);
    let close = scope_is_open(&base_files, &by_text);
    let blocks = [(close, &missing), (!close, &missing), (close, &all), (!close, &all)];
    let mut candidates = blocks.map(|(close, lines)| with_block(base, close, lines)).into_iter();
    let first = candidates.next().unwrap_or_else(|| base.to_vec());
    if met(&first, files, &by_text, wanted) {
        return first;
    }
    candidates.find(|top| met(top, files, &by_text, wanted)).unwrap_or(first)
}

fn with_top(top: &[u8], files: &Files) -> Files {
    Files { top: top.to_vec(), ..files.clone() }
}

fn met(top: &[u8], files: &Files, conditions: &Conditions, wanted: Wanted) -> bool {
    missing_lines(&with_top(top, files), conditions, wanted).is_empty()
}

fn missing_lines(files: &Files, conditions: &Conditions, wanted: Wanted) -> Vec<String> {
    let items = items(files);
    let evaluation = Evaluation::new(&items, conditions);
    let on = wanted.port && !port(&evaluation).value.is_certainly(&true);
    let number = wanted.generation.filter(|number| !generation(&evaluation).value.is_certainly(number));
    lines(on, number)
}

fn lines(port: bool, generation: Option<u32>) -> Vec<String> {
    let port = port.then(|| "dtparam=pciex1\n".to_owned());
    let generation = generation.map(|number| format!("dtparam=pciex1_gen={number}\n"));
    port.into_iter().chain(generation).collect()
}

/// True when under every reading the last overlay of the top file is one whose
/// scope is still open: then the block closes it, so that an overlay that
/// fails to load cannot take our lines with it. A blank `dtoverlay=` before
/// any other would keep a HAT's own overlay from loading.
fn scope_is_open(files: &Files, conditions: &Conditions) -> bool {
    let top = Files { eeprom_section: None, ..files.clone() };
    let items = items(&top);
    let evaluation = Evaluation::new(&items, conditions);
    explore(|path| evaluation.open_overlay(path).is_some()).always(&true)
}

fn with_block(base: &[u8], close: bool, lines: &[String]) -> Vec<u8> {
    let mut new = base.to_vec();
    if !new.is_empty() && !new.ends_with(b"\n") {
        new.push(b'\n');
    }
    new.extend_from_slice(COMMENT.as_bytes());
    new.extend_from_slice(b"[all]\n");
    if close {
        new.extend_from_slice(b"dtoverlay=\n");
    }
    for line in lines {
        new.extend_from_slice(line.as_bytes());
    }
    new
}

/// What the block that is taken back had set stays set where nothing else is
/// wanted.
fn keeping(wanted: Wanted, own: &[u8]) -> Wanted {
    let mut wanted = wanted;
    for line in split(own).map(body) {
        if line == b"dtparam=pciex1" {
            wanted.port = true;
        } else if let Some(number) = line.strip_prefix(b"dtparam=pciex1_gen=") {
            let number = std::str::from_utf8(number).ok().and_then(|number| number.parse().ok());
            wanted.generation = wanted.generation.or(number);
        }
    }
    wanted
}

/// The text without a block of ours at its very end, and the block (empty when
/// there is none: a line of somebody else behind it makes it theirs to keep).
///
/// A block is a line that begins with [`MARK`], `[all]`, and lines of which
/// none is a filter, a comment, or blank.
pub(crate) fn without_own_block(text: &[u8]) -> (&[u8], &[u8]) {
    let whole = (text, &b""[..]);
    let mut start = None;
    let mut offset = 0;
    for line in split(text) {
        if line.starts_with(MARK) {
            start = Some(offset);
        }
        offset += line.len();
    }
    let Some((base, own)) = start.and_then(|start| text.split_at_checked(start)) else { return whole };
    let mut rest = split(own).skip(1);
    if rest.next() != Some(b"[all]\n") || !own.ends_with(b"\n") {
        return whole;
    }
    let mut count = 0;
    for line in rest {
        count += 1;
        if !is_own_line(body(line)) {
            return whole;
        }
    }
    if count == 0 { whole } else { (base, own) }
}

fn is_own_line(line: &[u8]) -> bool {
    let value = |name: &[u8]| line.strip_prefix(name).filter(|value| !value.is_empty());
    let digits = |value: &[u8]| value.iter().all(u8::is_ascii_hexdigit);
    trim_cr(line) == line
        && (matches!(line, b"dtoverlay=" | b"dtparam=pciex1" | b"PCIE_PROBE=1")
            || value(b"dtparam=pciex1_gen=").is_some_and(digits)
            || value(b"BOOT_ORDER=0x").is_some_and(digits))
}
