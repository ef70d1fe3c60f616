//! The external PCIe connector and everything behind it.
//!
//! It is found by its device tree node, or by the name of its platform device,
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
///
/// `device` is its folder below `/sys/devices` ([`device`]).
pub(super) fn external(
    host: &Host,
    board: &Board,
    device: Option<&str>,
    missing: &mut Vec<Missing>,
) -> ExternalPort {
    let node = node(host);
    let property = |name: &str| host.read(&format!("{}/{name}", node.as_deref()?)).ok();
    let asked = property("max-link-speed").and_then(|bytes| device_tree::u32_be(&bytes));
    // No `status` means okay (Devicetree specification, 2.3.4).
    let enabled = node.as_ref().map(|_| match property("status") {
        Some(bytes) => matches!(device_tree::string(&bytes).as_str(), "okay" | "ok"),
        None => true,
    });
    let mut port =
        ExternalPort { state: PortState::Unknown, asked, root_port: None, others: vec![], switches: vec![] };
    let root = device.and_then(|device| root_port(host, device));
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

/// The folder of the connector's platform device below `/sys/devices`: the one
/// made from its node. Its name is an address of the controller's, which another
/// kernel may choose differently; it counts where no device tells its node.
pub(super) fn device(host: &Host) -> Option<String> {
    let node = node(host).and_then(|node| host.canonical(&node).ok());
    let folders = ["/sys/devices/platform/axi", "/sys/bus/platform/devices"];
    let named = |is_it: &dyn Fn(&str, &str) -> bool| {
        folders.iter().find_map(|folder| {
            let names = host.list(folder).ok()?;
            let name = names.iter().find(|name| name.ends_with(".pcie") && is_it(folder, name))?;
            host.canonical(&format!("{folder}/{name}")).ok()
        })
    };
    named(&|folder, name| {
        let own = host.canonical(&format!("{folder}/{name}/of_node")).ok();
        own.is_some() && own == node
    })
    .or_else(|| named(&|_, name| name.strip_suffix(".pcie").is_some_and(|unit| unit.ends_with(UNIT))))
}

/// True for a path below the connector's folder.
pub(super) fn is_behind(path: &str, device: Option<&str>) -> bool {
    let below = device.and_then(|device| path.strip_prefix(device));
    below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The root port: the bridge on the bus of the host below `device`.
fn root_port(host: &Host, device: &str) -> Option<(String, String)> {
    let bridge =
        host.list(device).ok()?.into_iter().find(|name| name.starts_with("pci") && name.contains(':'))?;
    let bridge = format!("{device}/{bridge}");
    let names = host.list(&bridge).ok()?.into_iter().filter(|name| sysfs::is_address(name));
    names
        .map(|address| (format!("{bridge}/{address}"), address))
        .find(|(folder, _)| is_bridge(sysfs::hex(host, &format!("{folder}/class"))))
        .map(|(folder, address)| (address, folder))
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
    use super::*;
    use crate::facts::made_up::Machine;

    #[test]
    fn only_what_is_below_it() {
        let device = Some("/sys/devices/platform/axi/1000110000.pcie");
        assert!(is_behind("/sys/devices/platform/axi/1000110000.pcie/pci0000:00/0000:00:00.0", device));
        assert!(!is_behind("/sys/devices/platform/axi/1000110000.pciex", device));
        assert!(!is_behind("/sys/devices/platform/axi/1000120000.pcie/pci0000:00/0000:00:00.0", device));
        assert!(!is_behind("/sys/devices/pci0000:00/0000:00:1d.0", None));
    }

    #[test]
    fn its_node_decides_then_its_name() {
        let machine = Machine::bare();
        let folder = "/sys/devices/platform/axi";
        for (name, node) in [("4010000000.pcie", "pcie@1000110000"), ("1000120000.pcie", "pcie@1000120000")] {
            machine.device_tree(&format!("axi/{node}/status"), "okay\0");
            let of_node = format!("../../../../firmware/devicetree/base/axi/{node}");
            machine.link(&format!("{folder}/{name}/of_node"), &of_node);
        }
        let found = device(&machine.host());
        assert_eq!(found.as_deref(), Some("/sys/devices/platform/axi/4010000000.pcie"));

        machine.remove(&format!("{folder}/4010000000.pcie"));
        machine.put(&format!("{folder}/1000110000.pcie/uevent"), "");
        let found = device(&machine.host());
        assert_eq!(found.as_deref(), Some("/sys/devices/platform/axi/1000110000.pcie"));
        machine.remove(&format!("{folder}/1000110000.pcie"));
        assert_eq!(device(&machine.host()), None, "RP1 is not it");
    }
}
