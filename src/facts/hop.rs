//! One PCI function of a path, and the way from a function up to its root
//! port.

use super::{Hop, HopKind, aer, config_space, sysfs};
use crate::host::Host;
use crate::terms::Generation;

/// Class codes (pci_ids.h); the last byte is the programming interface.
const BRIDGE: u32 = 0x0604;
const NVM: u32 = 0x0108;
/// What a function that does not answer shows.
const CLASS_GONE: u32 = 0x00ff_ffff;

/// True for a PCI bridge: a root port or a switch port.
pub(super) fn is_bridge(class: Option<u32>) -> bool {
    class.is_some_and(|class| class >> 8 == BRIDGE)
}

/// True for an NVMe drive, or a function that no longer says what it is.
pub(super) fn is_drive(class: Option<u32>) -> bool {
    class.is_some_and(|class| class >> 8 == NVM || class == CLASS_GONE)
}

/// Every function of `path` (a real sysfs path) with its folder, from the host
/// bridge down.
pub(super) fn functions(path: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    let mut start = 0;
    for part in path.split_inclusive('/') {
        let end = start + part.trim_end_matches('/').len();
        let name = &path[start..end];
        if sysfs::is_address(name) {
            found.push((name, &path[..end]));
        }
        start += part.len();
    }
    found
}

/// The hops from the root port to the function at `path`.
///
/// What a hop is follows from its place: a switch is always a port upwards
/// and one downwards, so no capability has to be read, which needs root.
pub(super) fn walk(host: &Host, path: &str) -> Vec<Hop> {
    let functions = functions(path);
    let last = functions.len().saturating_sub(1);
    functions
        .iter()
        .enumerate()
        .map(|(depth, (address, folder))| hop(host, address, folder, kind_at(depth, depth == last)))
        .collect()
}

/// What stands at this depth below the host bridge.
fn kind_at(depth: usize, last: bool) -> HopKind {
    match (depth, last) {
        (_, true) => HopKind::Endpoint,
        (0, false) => HopKind::RootPort,
        (depth, false) if depth % 2 == 1 => HopKind::UpstreamPort,
        (_, false) => HopKind::DownstreamPort,
    }
}

/// Reads one function.
pub(super) fn hop(host: &Host, address: &str, folder: &str, kind: HopKind) -> Hop {
    let at = |name: &str| format!("{folder}/{name}");
    let speed = |name: &str| Generation::parse_speed(&sysfs::text(host, &at(name))?);
    let id = |name: &str| sysfs::hex(host, &at(name)).and_then(|id| u16::try_from(id).ok());
    Hop {
        address: address.to_owned(),
        kind,
        vendor: id("vendor"),
        device: id("device"),
        speed: speed("current_link_speed"),
        max_speed: speed("max_link_speed"),
        width: width(host, &at("current_link_width")),
        max_width: width(host, &at("max_link_width")),
        max_payload_bytes: host.read(&at("config")).ok().and_then(|space| config_space::max_payload(&space)),
        aer: aer::counters(host, folder),
        path: folder.to_owned(),
    }
}

/// Lanes, 1 to 32. 0 means no link, 63 registers of all ones, 255 a device
/// without link capabilities (drivers/pci/pci.c).
fn width(host: &Host, path: &str) -> Option<u8> {
    sysfs::number::<u8>(host, path).filter(|width| (1..=32).contains(width))
}

/// True when the function answers with all ones: it has left the bus.
pub(super) fn is_gone(host: &Host, folder: &str) -> bool {
    sysfs::hex(host, &format!("{folder}/class")) == Some(CLASS_GONE)
        || sysfs::number::<u8>(host, &format!("{folder}/current_link_width")) == Some(63)
        || host.read(&format!("{folder}/config")).is_ok_and(|space| config_space::is_gone(&space))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_a_path() {
        let path =
            "/sys/devices/platform/axi/1000110000.pcie/pci0001:00/0001:00:00.0/0001:01:00.0/nvme/nvme0";
        let found = functions(path);
        assert_eq!(found.iter().map(|(a, _)| *a).collect::<Vec<_>>(), ["0001:00:00.0", "0001:01:00.0"]);
        assert_eq!(found[1].1, path.strip_suffix("/nvme/nvme0").unwrap());
        assert!(functions("/sys/devices/virtual/nvme-fabrics/ctl/nvme1").is_empty());
        assert!(functions("").is_empty());
    }

    #[test]
    fn a_switch_has_a_port_each_way() {
        use HopKind::*;
        let kinds: Vec<HopKind> = (0..4).map(|depth| kind_at(depth, depth == 3)).collect();
        assert_eq!(kinds, [RootPort, UpstreamPort, DownstreamPort, Endpoint]);
        assert_eq!(kind_at(0, true), Endpoint);
    }
}
