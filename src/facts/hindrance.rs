//! Systems whose config.txt is not this tool's to edit in place, each told by
//! what it leaves behind.

use super::boot::{Ground, POINTS};
use super::{Board, Boot, Eeprom, Hindrance, HindranceKind as Kind, Os, config};
use crate::host::Host;

/// The size up to which this tool lets config.txt grow, in bytes.
const MOST: usize = 16 * 1024;

/// Room that a new file, a backup and their clusters take on top of twice the
/// file's length, in bytes.
const SLACK: u64 = 64 * 1024;

/// Every reason found, the most important first: what makes an edit useless or
/// dangerous on this board, then which file it is, then what the system does
/// to the file, then the file system.
pub(super) fn find(
    host: &Host,
    board: &Board,
    os: &Os,
    boot: &Boot,
    ground: &Ground,
    eeprom: &Eeprom,
) -> Vec<Hindrance> {
    let mut found = Vec::new();
    let mut say = |kind: Kind, evidence: Option<String>| {
        found.extend(evidence.map(|evidence| Hindrance { kind, evidence }));
    };
    let top = boot.files.as_ref().map(|f| f.top.as_slice());
    say(Kind::UefiAcpi, board.uefi_acpi.then(|| "no device tree, ACPI tables instead".into()));
    say(Kind::Signed, eeprom.secure_boot.clone());
    say(Kind::BootImg, boot_img(host, boot, top));
    say(Kind::NotMounted, not_mounted(boot));
    say(Kind::OtherPartition, other_partition(boot));
    if let Some((kind, evidence)) = file(host, boot, top) {
        say(kind, Some(evidence));
    }
    for (kind, evidence) in system(host, os, boot, ground, top) {
        say(kind, Some(evidence));
    }
    if let Some(mount) = &boot.mount {
        let what = format!("{} on {}", mount.source, mount.point);
        say(Kind::ReadOnly, mount.read_only.then_some(what));
    }
    let needed = 2 * top.map_or(0, <[u8]>::len) as u64 + SLACK;
    let full = boot.space.filter(|s| top.is_some() && s.free_bytes < needed);
    say(Kind::NoSpace, full.map(|s| format!("{} bytes free, {needed} needed", s.free_bytes)));
    found
}

/// True when a config.txt only says that it is elsewhere.
pub(super) fn is_decoy(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    ["has moved to", "has been moved"].iter().any(|phrase| text.contains(phrase)) && !holds_settings(bytes)
}

/// The lines that the firmware could take for something: neither blank nor a
/// comment.
fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split(|b| *b == b'\n').map(<[u8]>::trim_ascii).filter(|l| !l.is_empty() && l.first() != Some(&b'#'))
}

/// True when some line is `key=value` (the key being one word), `[filter]`,
/// `include` or `initramfs`.
fn holds_settings(bytes: &[u8]) -> bool {
    lines(bytes).any(|line| {
        let key = line.split(|b| *b == b'=').next().unwrap_or_default();
        let word = |b: &u8| b.is_ascii_alphanumeric() || b"_-.:".contains(b);
        let setting = key.len() < line.len() && !key.is_empty() && key.iter().all(word);
        let filter = line.first() == Some(&b'[') && line.contains(&b']');
        setting || filter || line.starts_with(b"include ") || line.starts_with(b"initramfs ")
    })
}

/// The value that stands last for `key=` in `bytes`, comments left out.
fn value<'a>(bytes: &'a [u8], key: &str) -> Option<&'a [u8]> {
    lines(bytes).filter_map(|l| l.strip_prefix(key.as_bytes())?.strip_prefix(b"=")).last()
}

fn boot_img(host: &Host, boot: &Boot, top: Option<&[u8]>) -> Option<String> {
    let point = &boot.mount.as_ref()?.point;
    let asked = top.and_then(|t| value(t, "boot_ramdisk")).is_some_and(|v| v.starts_with(b"1"));
    let image = format!("{point}/boot.img");
    let there = host.exists(&image);
    match (asked, there, top) {
        (true, true, _) => Some(format!("boot_ramdisk=1 and {image}")),
        (true, false, _) => Some(format!("boot_ramdisk=1 in {point}/config.txt")),
        (false, true, None) => Some(format!("{image}, and no config.txt beside it")),
        _ => None,
    }
}

fn not_mounted(boot: &Boot) -> Option<String> {
    let booted = boot.booted.as_ref().filter(|_| boot.mount.is_none())?;
    Some(format!("{}, which the firmware used, is mounted nowhere", booted.device))
}

fn other_partition(boot: &Boot) -> Option<String> {
    let (mount, booted) = (boot.mount.as_ref()?, boot.booted.as_ref()?);
    let device = boot.config_device.as_ref()?;
    (boot.same_as_booted == Some(false))
        .then(|| format!("{} is {device}, the firmware used {}", mount.point, booted.device))
}

/// What is wrong with the file itself.
fn file(host: &Host, boot: &Boot, top: Option<&[u8]>) -> Option<(Kind, String)> {
    let path = || boot.config_path.clone().unwrap_or_else(|| "config.txt".into());
    let Some(top) = top else {
        return match (&boot.config_path, &boot.mount) {
            (Some(path), _) => {
                let len = host.stat(path).map_or(0, |s| s.len);
                (len > config::LIMIT).then(|| (Kind::TooLarge, format!("{path}: {len} bytes")))
            }
            (None, Some(mount)) => Some((Kind::NoConfig, format!("no config.txt in {}", mount.point))),
            (None, None) => lone_file(host, boot),
        };
    };
    if is_decoy(top) {
        return Some((Kind::Decoy, path()));
    }
    if let Some(at) = top.iter().position(|b| *b == 0) {
        return Some((Kind::Damaged, format!("{}: byte {at} is NUL", path())));
    }
    if !holds_settings(top) && lines(top).next().is_some() {
        return Some((Kind::NotAConfig, format!("{}: no line of it is a setting or a filter", path())));
    }
    (top.len() > MOST).then(|| (Kind::TooLarge, format!("{}: {} bytes", path(), top.len())))
}

/// With no boot partition mounted, a config.txt on the root file system is
/// nothing that the firmware reads.
fn lone_file(host: &Host, boot: &Boot) -> Option<(Kind, String)> {
    let mut paths = POINTS.iter().map(|p| format!("{p}/config.txt"));
    let decoy = paths.find(|p| host.read_limited(p, config::LIMIT).is_ok_and(|b| is_decoy(&b)));
    match decoy {
        Some(path) => Some((Kind::Decoy, path)),
        None if boot.booted.is_some() => None,
        None => Some((Kind::NoConfig, format!("no FAT partition on {}", POINTS.join(", ")))),
    }
}

/// Systems that generate, replace or hide the file.
fn system(host: &Host, os: &Os, boot: &Boot, ground: &Ground, top: Option<&[u8]>) -> Vec<(Kind, String)> {
    let mut found = Vec::new();
    let id = os.id.as_deref().unwrap_or_default();
    let name = os.name.as_deref().unwrap_or_default();
    let kind = match id {
        "hassos" | "haos" => Some(Kind::HomeAssistant),
        "libreelec" => Some(Kind::LibreElec),
        "batocera" | "recalbox" => Some(Kind::Batocera),
        "nixos" => Some(Kind::NixOs),
        "balena-os" | "balenaos" => Some(Kind::Balena),
        "talos" | "ubuntu-core" | "bottlerocket" => Some(Kind::Appliance),
        _ if name.starts_with("Home Assistant OS") => Some(Kind::HomeAssistant),
        _ => None,
    };
    found.extend(kind.map(|kind| (kind, format!("ID={id} in /etc/os-release"))));
    let files = [
        (Kind::Batocera, "/usr/share/batocera/batocera.version"),
        (Kind::Batocera, "/recalbox/recalbox.version"),
        (Kind::NixOs, "/etc/NIXOS"),
    ];
    for (kind, path) in files {
        if found.iter().all(|(k, _)| *k != kind) && host.exists(path) {
            found.push((kind, path.into()));
        }
    }
    found.extend(piboot_try(host, os, boot, top).map(|e| (Kind::PibootTry, e)));
    found.extend(autoboot(host, boot, ground).map(|e| (Kind::AutobootAb, e)));
    found.extend(top.and_then(raspi_firmware).map(|e| (Kind::RaspiFirmware, e)));
    found
}

/// Ubuntu from 25.10 on keeps two sets of boot files, `current/` and `new/`,
/// and owns tryboot.txt.
fn piboot_try(host: &Host, os: &Os, boot: &Boot, top: Option<&[u8]>) -> Option<String> {
    let point = &boot.mount.as_ref()?.point;
    let prefixes =
        |value: &[u8]| lines(top.unwrap_or_default()).any(|l| l == [b"os_prefix=", value].concat());
    if prefixes(b"current/") && prefixes(b"new/") {
        return Some(format!("os_prefix=current/ and os_prefix=new/ in {point}/config.txt"));
    }
    let version = os.version.as_deref().and_then(|v| v.split_once('.'));
    let version =
        version.and_then(|(year, month)| Some((year.parse::<u32>().ok()?, month.parse::<u32>().ok()?)));
    let recent = os.id.as_deref() == Some("ubuntu") && version.is_some_and(|v| v >= (25, 10));
    let folder = format!("{point}/current");
    (recent && host.stat(&folder).is_ok_and(|s| s.is_dir)).then(|| format!("Ubuntu with {folder}/"))
}

/// `tryboot_a_b=1` in an autoboot.txt on any mounted boot partition: it stands
/// on the first one of the disk, which need not be the one in use.
fn autoboot(host: &Host, boot: &Boot, ground: &Ground) -> Option<String> {
    let mounted = ground.mounts.iter().filter(|e| e.is_whole_fat()).map(|e| &e.mount.point);
    let points = boot.mount.iter().map(|m| &m.point).chain(mounted);
    points.map(|p| format!("{p}/autoboot.txt")).find_map(|path| {
        let bytes = host.read_limited(&path, config::LIMIT).ok()?;
        (value(&bytes, "tryboot_a_b")? == b"1").then(|| format!("tryboot_a_b=1 in {path}"))
    })
}

/// Debian's raspi-firmware writes the file anew with every kernel, and says so
/// at its top. (Raspberry Pi OS has a package and a kernel hook of the same
/// name that leave the file alone.)
fn raspi_firmware(top: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(top);
    let says = |phrase: &str| text.lines().find(|l| l.starts_with('#') && l.contains(phrase));
    let line = says("automatically generated upon install or update")
        .or_else(|| says("/etc/default/raspi-firmware"))?;
    Some(format!("its own words: {}", line.trim_start_matches('#').trim()))
}

#[cfg(test)]
mod tests;
