//! The board: device tree first, `/proc/cpuinfo` and firmware tables else.

use super::{Board, Missing, sysfs};
use crate::formats::device_tree;
use crate::host::Host;
use crate::terms::BoardKind;

pub(super) const TREE: &str = "/proc/device-tree";

/// Reads what board this is.
pub(super) fn board(host: &Host, missing: &mut Vec<Missing>) -> Board {
    let property = |name: &str| host.read(&format!("{TREE}/{name}")).ok().filter(|bytes| !bytes.is_empty());
    let cpuinfo = host.read_text("/proc/cpuinfo").unwrap_or_default();
    let revision = property("system/linux,revision")
        .and_then(|bytes| device_tree::u32_be(&bytes))
        .or_else(|| u32::from_str_radix(cpuinfo_value(&cpuinfo, "Revision")?, 16).ok());
    let serial = property("serial-number")
        .map(|bytes| device_tree::string(&bytes))
        .or_else(|| cpuinfo_value(&cpuinfo, "Serial").map(str::to_owned))
        .and_then(|text| u64::from_str_radix(&text, 16).ok());
    let from_tree =
        property("model").map(|bytes| device_tree::string(&bytes)).filter(|model| !model.is_empty());
    let acpi = from_tree.is_none() && (host.exists("/sys/firmware/efi") || host.exists("/sys/firmware/acpi"));
    let model = from_tree
        .or_else(|| cpuinfo_value(&cpuinfo, "Model").map(str::to_owned))
        .or_else(|| sysfs::text(host, "/sys/class/dmi/id/product_name"));
    let kind = match (revision, &model) {
        (Some(code), _) => BoardKind::from_revision(code),
        (None, Some(model)) => kind_of(model),
        (None, None) => BoardKind::Other,
    };
    // Every PC has such tables; only with the name of a Pi 5 they say something of a Pi.
    let uefi_acpi = acpi && kind.supported();
    if revision.is_none() {
        missing
            .push(Missing { path: format!("{TREE}/system/linux,revision"), why: "no revision code".into() });
    }
    let memory_bytes = host.read_text("/proc/meminfo").ok().and_then(|text| memory(&text));
    if memory_bytes.is_none() {
        missing.push(Missing { path: "/proc/meminfo".into(), why: "no MemTotal".into() });
    }
    Board { model, revision, kind, memory_bytes, serial, uefi_acpi }
}

/// The kind by the name that firmware tables (SMBIOS) give, where there is no
/// revision code.
fn kind_of(model: &str) -> BoardKind {
    const NAMES: [(&str, BoardKind); 4] = [
        ("Raspberry Pi 5 ", BoardKind::Pi5),
        ("Raspberry Pi 500", BoardKind::Pi500),
        ("Raspberry Pi Compute Module 5 Lite", BoardKind::Cm5Lite),
        ("Raspberry Pi Compute Module 5", BoardKind::Cm5),
    ];
    let model = format!("{model} ");
    NAMES.iter().find(|(name, _)| model.starts_with(name)).map_or(BoardKind::Other, |(_, kind)| *kind)
}

/// The value of a line `Key\t\t: value`.
fn cpuinfo_value<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        (name.trim() == key && !value.trim().is_empty()).then_some(value.trim())
    })
}

/// `MemTotal` in bytes.
fn memory(meminfo: &str) -> Option<u64> {
    let value = cpuinfo_value(meminfo, "MemTotal")?;
    value.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_firmware_tables() {
        assert_eq!(kind_of("Raspberry Pi 5 Model B"), BoardKind::Pi5);
        assert_eq!(kind_of("Raspberry Pi 5"), BoardKind::Pi5);
        assert_eq!(kind_of("Raspberry Pi 500"), BoardKind::Pi500);
        assert_eq!(kind_of("Raspberry Pi Compute Module 5 Rev 1.0"), BoardKind::Cm5);
        assert_eq!(kind_of("Raspberry Pi 4 Model B"), BoardKind::Other);
        assert_eq!(kind_of("OptiPlex 7010"), BoardKind::Other);
    }

    #[test]
    #[allow(clippy::disallowed_methods)] // It makes the files that the host then reads.
    fn a_pc_is_no_pi_that_was_started_through_uefi() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("sys/firmware/acpi")).unwrap();
        let of = |name: &str| {
            let dmi = folder.path().join("sys/class/dmi/id");
            std::fs::create_dir_all(&dmi).unwrap();
            std::fs::write(dmi.join("product_name"), name).unwrap();
            let board = board(&Host::open(Some(folder.path())).unwrap(), &mut Vec::new());
            (board.kind.supported(), board.uefi_acpi)
        };
        assert_eq!(of("OptiPlex 7010\n"), (false, false));
        assert_eq!(of("Raspberry Pi 5 Model B\n"), (true, true));
    }

    #[test]
    fn lines_of_proc() {
        assert_eq!(memory("MemTotal:        8256512 kB\nMemFree: 1 kB\n"), Some(8_454_668_288));
        assert_eq!(memory("MemTotal: many kB\n"), None);
        assert_eq!(memory("MemTotal: 99999999999999999999 kB\n"), None);
        assert_eq!(cpuinfo_value("Hardware : BCM2835\nRevision\t: d04170\n", "Revision"), Some("d04170"));
        assert_eq!(cpuinfo_value("Revision :\n", "Revision"), None);
    }
}
