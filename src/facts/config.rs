//! config.txt of a boot partition: its files, what they are judged against and
//! what they mean in the next normal boot.

use super::partitions::Block;
use super::sysfs::gap;
use super::{Board, Boot, Cmdline, Eeprom, Hat, Missing, cmdline};
use crate::formats::config_txt::{self, Conditions, Files, Meaning};
use crate::host::{Host, HostError};
use crate::terms::BootMedium;
use std::collections::{BTreeMap, BTreeSet};

/// The largest config.txt or included file that is read, in bytes; the
/// firmware has been seen to stop far below.
pub(super) const LIMIT: u64 = 1 << 20;

/// Includes deeper or more than this are not followed.
const DEPTH: usize = 8;
const INCLUDES: usize = 32;

/// Files over 32 MB could not be loaded from NVMe before 2025-06-09
/// (rpi-eeprom release notes).
const LARGE: u64 = 32_000_000;

/// One boot partition, read.
pub(super) struct Read {
    pub(super) files: Files,
    pub(super) conditions: Conditions,
    pub(super) meaning: Meaning,
    pub(super) cmdline: Option<Cmdline>,
    /// `os_prefix` as far as it is in force.
    prefix: String,
}

/// What any file of this boot is judged against, but for the overlays.
///
/// The next normal boot counts, so it is never a tryboot.
pub(super) fn base(board: &Board, boot: &Boot, eeprom: &Eeprom, hat: Option<&Hat>) -> Conditions {
    Conditions {
        board: board.kind,
        revision: board.revision,
        serial: board.serial,
        tryboot: false,
        partition: boot.partition.filter(|n| *n != 0).or(boot.booted.as_ref().and_then(|b| b.number)),
        bootloader: eeprom.build_timestamp,
        overlays: None,
        port_enabled_by_firmware: boot.medium == Some(BootMedium::Nvme) || hat.is_some_and(enables_port),
    }
}

/// The official M.2 and AI boards pull the detect signal: the firmware then
/// enables the port by itself (Raspberry Pi documentation, `pcie.adoc`).
/// Boards of others cannot be told by name.
fn enables_port(hat: &Hat) -> bool {
    let product = hat.product.to_ascii_lowercase();
    ["m.2 hat+", "ai hat"].iter().any(|name| product.contains(name))
}

/// Fills in everything about the boot partition mounted at `point`.
pub(super) fn fill(
    host: &Host,
    point: &str,
    boot: &mut Boot,
    base: &Conditions,
    eeprom: &Eeprom,
    blocks: &[Block],
    missing: &mut Vec<Missing>,
) {
    let path = format!("{point}/config.txt");
    let names = host.list(point).unwrap_or_default();
    boot.leftovers = names.iter().filter(|n| is_leftover(n)).map(|n| format!("{point}/{n}")).collect();
    let read = match read(host, point, base, eeprom, blocks, missing) {
        Ok(read) => read,
        Err(error) => {
            // One that is there and cannot be read is found all the same.
            if !matches!(error, HostError::NotFound(_)) {
                boot.config_path = Some(path.clone());
            }
            missing.push(gap(path, &error));
            return;
        }
    };
    boot.large_files = large_files(host, point, "");
    if !read.prefix.is_empty() {
        boot.large_files.extend(large_files(host, point, &read.prefix));
    }
    boot.config_path = Some(path);
    boot.files = Some(read.files);
    boot.conditions = Some(read.conditions);
    boot.meaning = Some(read.meaning);
    boot.cmdline = read.cmdline;
}

/// Reads config.txt, what it includes, its overlays and its command line, of
/// the boot partition mounted at `point`.
///
/// # Errors
/// When config.txt itself cannot be read.
pub(super) fn read(
    host: &Host,
    point: &str,
    base: &Conditions,
    eeprom: &Eeprom,
    blocks: &[Block],
    missing: &mut Vec<Missing>,
) -> Result<Read, HostError> {
    let files = Files {
        top: host.read_limited(&format!("{point}/config.txt"), LIMIT)?,
        includes: BTreeMap::new(),
        eeprom_section: section(eeprom),
    };
    let files = with_includes(host, point, files, missing);
    let mut conditions = base.clone();
    // Which overlays there are depends on os_prefix, so it has to be known first.
    let prefixed = std::iter::once(&files.top)
        .chain(files.includes.values())
        .chain(files.eeprom_section.as_ref())
        .any(|bytes| bytes.windows(9).any(|w| w == b"os_prefix"));
    let prefix = if prefixed {
        in_force(host, point, config_txt::read(&files, &conditions).os_prefix)
    } else {
        String::new()
    };
    conditions.overlays = overlays(host, point, &prefix, missing);
    let meaning = config_txt::read(&files, &conditions);
    // A path with a leading slash is not prefixed.
    let cmdline = match meaning.cmdline.strip_prefix('/') {
        Some(name) => format!("{point}/{name}"),
        None => format!("{point}/{prefix}{}", meaning.cmdline),
    };
    let cmdline = cmdline::read(host, cmdline, blocks, missing);
    Ok(Read { files, conditions, meaning, cmdline, prefix })
}

/// The `[config.txt]` section that the next boot will append.
fn section(eeprom: &Eeprom) -> Option<Vec<u8>> {
    match &eeprom.pending {
        Some(pending) => pending.meaning.as_ref().or(eeprom.meaning.as_ref())?.config_txt_section.clone(),
        None => eeprom.meaning.as_ref()?.config_txt_section.clone(),
    }
}

fn with_includes(host: &Host, point: &str, mut files: Files, missing: &mut Vec<Missing>) -> Files {
    let mut waiting = config_txt::includes(&files.top);
    if let Some(section) = &files.eeprom_section {
        waiting.extend(config_txt::includes(section));
    }
    for _ in 0..DEPTH {
        let mut next = Vec::new();
        for name in waiting {
            let outside = name.split('/').any(|part| part == "..");
            if outside || files.includes.contains_key(&name) || files.includes.len() >= INCLUDES {
                continue;
            }
            let path = format!("{point}/{}", name.trim_start_matches('/'));
            match host.read_limited(&path, LIMIT) {
                Ok(bytes) => {
                    next.extend(config_txt::includes(&bytes));
                    files.includes.insert(name, bytes);
                }
                // The reading of config.txt names the line of one that is not there.
                Err(HostError::NotFound(_)) => {}
                Err(error) => missing.push(gap(path, &error)),
            }
        }
        waiting = next;
    }
    files
}

/// `os_prefix` as far as the firmware follows it: it is dropped when kernel and
/// device tree are not found there (Raspberry Pi documentation, `boot.adoc`).
fn in_force(host: &Host, point: &str, prefix: String) -> String {
    let has_tree = |prefix: &str| {
        let (folder, start) = prefix.rsplit_once('/').unwrap_or(("", prefix));
        let names = host.list(&format!("{point}/{folder}")).unwrap_or_default();
        names.iter().any(|n| n.starts_with(start) && n.ends_with(".dtb"))
    };
    // Without any device tree at hand there is nothing to tell it by.
    if has_tree(&prefix) || !has_tree("") { prefix } else { String::new() }
}

/// Names of the overlays. The prefix counts for them only when a README stands
/// in its folder (Raspberry Pi documentation, `boot.adoc`).
fn overlays(host: &Host, point: &str, prefix: &str, missing: &mut Vec<Missing>) -> Option<BTreeSet<String>> {
    let prefixed = format!("{point}/{prefix}overlays");
    let folder =
        if host.exists(&format!("{prefixed}/README")) { prefixed } else { format!("{point}/overlays") };
    match host.list(&folder) {
        Ok(names) => Some(names.iter().filter_map(|n| n.strip_suffix(".dtbo")).map(str::to_owned).collect()),
        Err(error) => {
            missing.push(gap(folder, &error));
            None
        }
    }
}

/// Names beside config.txt under which editors and tools leave an edit.
fn is_leftover(name: &str) -> bool {
    const ENDINGS: [&str; 8] = [".save", ".bak", ".orig", ".old", ".swp", ".new", ".tmp", "~"];
    let of_config = name.trim_start_matches('.').strip_prefix("config.txt");
    of_config.is_some_and(|rest| ENDINGS.iter().any(|e| rest == *e || rest.starts_with(&format!("{e}."))))
}

fn large_files(host: &Host, point: &str, prefix: &str) -> Vec<(String, u64)> {
    const STARTS: [&str; 4] = ["kernel", "initramfs", "initrd", "vmlinuz"];
    let (folder, start) = prefix.rsplit_once('/').map_or(("", prefix), |(f, s)| (f, s));
    let folder = if folder.is_empty() { String::new() } else { format!("{folder}/") };
    let names = host.list(&format!("{point}/{folder}")).unwrap_or_default();
    let of_boot =
        |n: &&String| n.strip_prefix(start).is_some_and(|n| STARTS.iter().any(|s| n.starts_with(s)));
    names
        .iter()
        .filter(of_boot)
        .filter_map(|n| Some((format!("{folder}{n}"), host.stat(&format!("{point}/{folder}{n}")).ok()?.len)))
        .filter(|(_, len)| *len > LARGE)
        .collect()
}

#[cfg(test)]
mod tests;
