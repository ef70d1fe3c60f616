//! The one change that is ever made to the bootloader configuration: a block
//! at its end.

use super::super::eeprom_image::MAX_CONFIG;
use super::{boot_order, parts, read};
use crate::formats::config_txt::{Conditions, split, without_own_block};
use crate::terms::BootOrder;

const COMMENT: &str = "# pi5-nvme: added by setup; `sudo pi5-nvme undo` takes it back\n";

/// The new text, equal to the old one when every reading already gives what is
/// wanted: `order`, and `PCIE_PROBE=1` with `probe` (`None` and false leave it
/// as it is).
///
/// The old bytes are a prefix of the new ones, except that a block of ours
/// that stands last and does not do is taken back first.
///
/// # Errors
///
/// In words, with nothing to apply: an empty or damaged text, one whose end
/// belongs to config.txt, one that would become longer than the EEPROM takes
/// (4076 bytes).
pub fn append(
    bytes: &[u8],
    conditions: &Conditions,
    order: Option<BootOrder>,
    probe: bool,
) -> Result<Vec<u8>, String> {
    if bytes.trim_ascii().is_empty() {
        return Err("it is empty, so it was not read rightly; nothing is built on it".into());
    }
    if bytes.contains(&0) {
        return Err("it holds NUL bytes, so it is damaged or was not read rightly".into());
    }
    if missing(bytes, conditions, order, probe).is_empty() {
        return Ok(bytes.to_vec());
    }
    if parts(bytes).1.is_some() {
        return Err(
            "it ends in a [config.txt] section, and what is added at its end would go to config.txt".into()
        );
    }
    let (base, own) = without_own_block(bytes);
    let (order, probe) = keeping(own, order, probe);
    let lines = missing(base, conditions, order, probe);
    let new = if lines.is_empty() { base.to_vec() } else { with_block(base, &lines) };
    if new.len() > MAX_CONFIG {
        return Err(format!("it would have {} bytes, and the EEPROM takes {MAX_CONFIG}", new.len()));
    }
    if missing(&new, conditions, order, probe).is_empty() {
        Ok(new)
    } else {
        Err("it cannot be made certain by lines at its end".into())
    }
}

fn missing(bytes: &[u8], conditions: &Conditions, order: Option<BootOrder>, probe: bool) -> Vec<String> {
    let meaning = read(bytes, conditions);
    let is_set = |wanted| meaning.boot_order_certain && meaning.boot_order == Some(wanted);
    let probe = (probe && !meaning.pcie_probe).then(|| "PCIE_PROBE=1\n".to_owned());
    let order = order.filter(|wanted| !is_set(*wanted)).map(|wanted| format!("BOOT_ORDER={wanted}\n"));
    order.into_iter().chain(probe).collect()
}

/// What the block that is taken back had set stays set where nothing else is
/// wanted.
fn keeping(own: &[u8], order: Option<BootOrder>, probe: bool) -> (Option<BootOrder>, bool) {
    let (mut order, mut probe) = (order, probe);
    for line in split(own) {
        if let Some(value) = line.strip_prefix(b"BOOT_ORDER=") {
            order = order.or_else(|| boot_order(value).map(|(order, _)| order));
        }
        probe |= line == b"PCIE_PROBE=1\n";
    }
    (order, probe)
}

/// Comment, `[all]` and a key are three lines, and fewer than three would be
/// thrown away by the next automatic update (rpi-eeprom-update).
fn with_block(base: &[u8], lines: &[String]) -> Vec<u8> {
    let mut new = base.to_vec();
    if !new.ends_with(b"\n") {
        new.push(b'\n');
    }
    new.extend_from_slice(COMMENT.as_bytes());
    new.extend_from_slice(b"[all]\n");
    for line in lines {
        new.extend_from_slice(line.as_bytes());
    }
    new
}
