//! The external PCIe connector and everything behind it.
//!
//! It is found by its device tree node or by the name of its platform device,
//! never by a domain number: that changes with the kernel and with whether the
//! link is up, and RP1, which every board has, can take the lowest.

use super::board::TREE;
use super::hop::{self, is_bridge, is_drive};
use super::{Board, ExternalPort, HopKind, Missing, PciFunction, PortState, sysfs};
use crate::formats::device_tree;
use crate::host::Host;

/// How the connector's node and platform device end, on every kernel
/// (`pcie@110000`, `pcie@1000110000`, `1000110000.pcie`); RP1's is `120000`.
const UNIT: &str = "110000";

/// Buses below each other that are followed.
const DEPTH: usize = 8;

/// Reads the connector.
pub(super) fn external(host: &Host, board: &Board, missing: &mut Vec<Missing>) -> ExternalPort {
    let node = node(host);
    let property = |name: &str| host.read(&format!("{}/{name}", node.as_deref()?)).ok();
    let asked = property("max-link-speed").and_then(|bytes| device_tree::u32_be(&bytes));
    // No `status` means okay (Devicetree specification, 2.3.4).
    let enabled = node.as_ref().map(|_| match property("status") {
        Some(bytes) => matches!(device_tree::string(&bytes).as_str(), "okay" | "ok"),
        None => true,
    });
    let device = platform_device(host);
    let mut port =
        ExternalPort { state: PortState::Unknown, asked, root_port: None, others: vec![], switches: vec![] };
    let root = device.as_deref().and_then(|device| root_port(host, device));
    if let Some((address, folder)) = root {
        let mut found = 0;
        behind(host, &folder, 1, &mut port, &mut found);
        port.state = if found == 0 { PortState::Empty } else { PortState::Occupied };
        port.root_port = Some(address);
        return port;
    }
    port.state = match (enabled, device) {
        (Some(false), _) => PortState::Disabled,
        (Some(true), Some(_)) => PortState::LinkDown,
        (Some(true), None) => {
            let why = "enabled, but the kernel has no such device".into();
            missing.push(Missing { path: "/sys/devices/platform/axi/1000110000.pcie".into(), why });
            PortState::Unknown
        }
        (None, _) => {
            if board.kind.supported() {
                let why = "no device tree node of the external connector".into();
                missing.push(Missing { path: format!("{TREE}/__symbols__/pciex1"), why });
            }
            PortState::Unknown
        }
    };
    port
}

/// The connector's device tree node.
fn node(host: &Host) -> Option<String> {
    let symbol =
        host.read(&format!("{TREE}/__symbols__/pciex1")).ok().map(|bytes| device_tree::string(&bytes));
    if let Some(path) = symbol.filter(|path| path.starts_with('/') && host.exists(&format!("{TREE}{path}"))) {
        return Some(format!("{TREE}{path}"));
    }
    let names = host.list(&format!("{TREE}/axi")).ok()?;
    let name =
        names.iter().find(|name| name.strip_prefix("pcie@").is_some_and(|unit| unit.ends_with(UNIT)))?;
    Some(format!("{TREE}/axi/{name}"))
}

/// The folder of the connector's platform device.
fn platform_device(host: &Host) -> Option<String> {
    ["/sys/devices/platform/axi", "/sys/bus/platform/devices"].iter().find_map(|folder| {
        let names = host.list(folder).ok()?;
        let name = names.iter().find(|name| is_external(&format!("/{name}/")))?;
        host.canonical(&format!("{folder}/{name}")).ok()
    })
}

/// True for a path below the connector's platform device.
pub(super) fn is_external(path: &str) -> bool {
    path.split('/').any(|part| part.strip_suffix(".pcie").is_some_and(|unit| unit.ends_with(UNIT)))
}

/// The function on the bus of a host bridge below `device`.
fn root_port(host: &Host, device: &str) -> Option<(String, String)> {
    let bridge =
        host.list(device).ok()?.into_iter().find(|name| name.starts_with("pci") && name.contains(':'))?;
    let bridge = format!("{device}/{bridge}");
    let address = host.list(&bridge).ok()?.into_iter().find(|name| sysfs::is_address(name))?;
    let folder = format!("{bridge}/{address}");
    Some((address, folder))
}

/// Sorts what is below `folder` into switch ports and others, in bus order.
fn behind(host: &Host, folder: &str, depth: usize, port: &mut ExternalPort, found: &mut usize) {
    if depth > DEPTH {
        return;
    }
    for address in host.list(folder).unwrap_or_default().into_iter().filter(|name| sysfs::is_address(name)) {
        let at = format!("{folder}/{address}");
        let class = sysfs::hex(host, &format!("{at}/class"));
        *found += 1;
        if is_bridge(class) {
            let kind = if depth % 2 == 1 { HopKind::UpstreamPort } else { HopKind::DownstreamPort };
            port.switches.push(hop::hop(host, &address, &at, kind));
            behind(host, &at, depth + 1, port, found);
        } else if !is_drive(class) {
            let id =
                |name: &str| sysfs::hex(host, &format!("{at}/{name}")).and_then(|id| u16::try_from(id).ok());
            port.others.push(PciFunction { vendor: id("vendor"), device: id("device"), class, address });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_external;

    #[test]
    fn never_rp1() {
        assert!(is_external("/sys/devices/platform/axi/1000110000.pcie/pci0000:00/0000:00:00.0"));
        assert!(!is_external("/sys/devices/platform/axi/1000120000.pcie/pci0000:00/0000:00:00.0"));
        assert!(!is_external("/sys/devices/pci0000:00/0000:00:1d.0"));
    }
}
