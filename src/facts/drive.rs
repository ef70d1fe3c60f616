//! NVMe controllers, and drives on the bus that have none.

use super::hop::{self, is_drive};
use super::{Drive, DriveState, HopKind, Missing, Namespace, port, smart, sysfs};
use crate::host::Host;

const CLASS: &str = "/sys/class/nvme";

/// Reads every NVMe drive of the machine: controllers in the order of their
/// names, then functions without a controller. `connector` is the folder of the
/// external connector ([`port::device`]).
pub(super) fn drives(host: &Host, connector: Option<&str>, missing: &mut Vec<Missing>) -> Vec<Drive> {
    let mut names: Vec<String> = host.list(CLASS).unwrap_or_default();
    names.sort_by_key(|name| (name.len(), name.clone()));
    let mut drives: Vec<Drive> =
        names.iter().filter_map(|name| controller(host, name, connector, missing)).collect();
    for address in host.list("/sys/bus/pci/devices").unwrap_or_default() {
        if !drives.iter().any(|drive| drive.address.as_deref() == Some(address.as_str())) {
            drives.extend(without_controller(host, address, connector));
        }
    }
    drives
}

/// A drive that the driver knows. `None` for one that is reached over a
/// network.
fn controller(host: &Host, name: &str, connector: Option<&str>, missing: &mut Vec<Missing>) -> Option<Drive> {
    let at = |attribute: &str| format!("{CLASS}/{name}/{attribute}");
    if sysfs::text(host, &at("transport")).is_some_and(|transport| transport != "pcie") {
        return None;
    }
    let own = host.canonical(&format!("{CLASS}/{name}")).ok()?;
    let function = host.canonical(&at("device")).unwrap_or_else(|_| own.clone());
    let functions = hop::functions(&function);
    let last = functions.last();
    let path = hop::walk(host, &function);
    let (model, serial) = (sysfs::text(host, &at("model")), sysfs::text(host, &at("serial")));
    let state = match sysfs::text(host, &at("state")) {
        _ if last.is_some_and(|(_, folder)| hop::is_gone(host, folder)) => DriveState::NotAnswering,
        Some(state) if state == "live" => DriveState::Live,
        Some(state) => DriveState::Driver(state),
        None => {
            missing.push(Missing { path: at("state"), why: "could not be read".into() });
            DriveState::Driver("unknown state".into())
        }
    };
    let mut drive = Drive {
        name: name.to_owned(),
        identity: model.as_deref().zip(serial.as_deref()).map(|(model, serial)| identity(model, serial)),
        model,
        firmware: sysfs::text(host, &at("firmware_rev")),
        state,
        address: last.map(|(address, _)| (*address).to_owned()),
        vendor: path.last().and_then(|hop| hop.vendor),
        device: path.last().and_then(|hop| hop.device),
        path,
        external: port::is_behind(&function, connector),
        namespaces: namespaces(host, name, &own),
        temperature_celsius: None,
        warning_celsius: None,
        critical_celsius: None,
        smart: None,
    };
    if drive.state == DriveState::Live {
        temperatures(host, &mut drive, &own, &function);
        health(host, &mut drive, missing);
    }
    unknown_hops(host, &drive, missing);
    Some(drive)
}

/// A function that is a drive by its class, or that answers with all ones,
/// with no controller behind it.
fn without_controller(host: &Host, address: String, connector: Option<&str>) -> Option<Drive> {
    let folder = host.canonical(&format!("/sys/bus/pci/devices/{address}")).ok()?;
    if !is_drive(sysfs::hex(host, &format!("{folder}/class"))) {
        return None;
    }
    let path = hop::walk(host, &folder);
    let gone = hop::is_gone(host, &folder);
    Some(Drive {
        name: address.clone(),
        model: None,
        firmware: None,
        identity: None,
        state: if gone { DriveState::NotAnswering } else { DriveState::NoDriver },
        address: Some(address),
        vendor: path.last().and_then(|hop| hop.vendor),
        device: path.last().and_then(|hop| hop.device),
        path,
        external: port::is_behind(&folder, connector),
        namespaces: Vec::new(),
        temperature_celsius: None,
        warning_celsius: None,
        critical_celsius: None,
        smart: None,
    })
}

/// FNV-1a, 64 bits, of model and serial number: the same drive gives the same
/// digits on every machine, and the number itself is not in them.
fn identity(model: &str, serial: &str) -> String {
    let bytes = model.bytes().chain([0]).chain(serial.bytes());
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    format!("{hash:016x}")
}

/// Block devices of the controller at `own`: below it, or (with native
/// multipath) below a subsystem that links to it. Names decide nothing.
fn namespaces(host: &Host, controller: &str, own: &str) -> Vec<Namespace> {
    let mut found = Vec::new();
    for name in host.list("/sys/block").unwrap_or_default() {
        let at = |attribute: &str| format!("/sys/block/{name}/{attribute}");
        if !name.starts_with("nvme") || sysfs::number::<u8>(host, &at("hidden")).unwrap_or(0) != 0 {
            continue;
        }
        let owner = host.canonical(&at("device")).unwrap_or_default();
        let shared = host.canonical(&format!("{owner}/{controller}")).is_ok_and(|path| path == own);
        if owner == own || shared {
            // `size` counts 512 bytes, whatever the block size.
            let size = sysfs::number::<u64>(host, &at("size"));
            found.push(Namespace {
                capacity_bytes: size.and_then(|sectors| sectors.checked_mul(512)),
                logical_block_size_bytes: sysfs::number(host, &at("queue/logical_block_size")),
                name,
            });
        }
    }
    found.sort_by_key(|namespace| (namespace.name.len(), namespace.name.clone()));
    found
}

/// The sensor whose device is this controller; its number changes from boot to
/// boot.
fn temperatures(host: &Host, drive: &mut Drive, own: &str, function: &str) {
    let sensors = host.list("/sys/class/hwmon").unwrap_or_default();
    let Some(sensor) = sensors.iter().map(|name| format!("/sys/class/hwmon/{name}")).find(|sensor| {
        let device = host.canonical(&format!("{sensor}/device")).unwrap_or_default();
        (device == own || device == function)
            && sysfs::text(host, &format!("{sensor}/name")).as_deref() == Some("nvme")
    }) else {
        return;
    };
    let celsius = |name: &str| {
        let milli = sysfs::number::<i64>(host, &format!("{sensor}/temp1_{name}"))?;
        // Drives report 0 K and 65535 K where they have no threshold.
        (-60_000..=150_000).contains(&milli).then_some(milli as f64 / 1000.0)
    };
    drive.temperature_celsius = celsius("input");
    drive.warning_celsius = celsius("max");
    drive.critical_celsius = celsius("crit");
}

/// The SMART log, and one entry for all that a run without root cannot read.
fn health(host: &Host, drive: &mut Drive, missing: &mut Vec<Missing>) {
    let device = format!("/dev/{}", drive.name);
    if host.euid() != 0 {
        let mut what = vec!["the SMART log"];
        if drive.path.iter().any(|hop| hop.max_payload_bytes.is_none()) {
            what.push("the Max Payload Size of its path");
        }
        missing.push(Missing { path: device.clone(), why: format!("needs root: {}", what.join(" and ")) });
    } else {
        match host.nvme_log(&device, 2, smart::LENGTH) {
            Ok(page) => drive.smart = smart::parse(&page),
            Err(error) => {
                let why = format!("SMART log: {}", sysfs::why(&device, &error));
                missing.push(Missing { path: device.clone(), why });
            }
        }
    }
    if drive.temperature_celsius.is_none() {
        drive.temperature_celsius = drive.smart.as_ref().and_then(smart::celsius);
    }
    if drive.temperature_celsius.is_none() {
        missing.push(Missing { path: device, why: "temperature: the kernel has no sensor for it".into() });
    }
}

/// One entry for the hops whose speed or width the kernel does not tell.
fn unknown_hops(host: &Host, drive: &Drive, missing: &mut Vec<Missing>) {
    let unknown: Vec<_> =
        drive.path.iter().filter(|hop| hop.speed.is_none() || hop.width.is_none()).collect();
    if let Some(hop) = unknown.first() {
        let path = format!("{}/current_link_speed", hop.path);
        let why = match host.read_text(&path) {
            Ok(text) => format!("reads {text:?}"),
            Err(error) => sysfs::why(&path, &error),
        };
        let addresses: Vec<&str> = unknown.iter().map(|hop| hop.address.as_str()).collect();
        missing.push(Missing { path, why: format!("{why} (link of {})", addresses.join(", ")) });
    } else if drive.path.last().is_none_or(|hop| hop.kind != HopKind::Endpoint) {
        missing.push(Missing {
            path: format!("{CLASS}/{}", drive.name),
            why: "no PCI function above it".into(),
        });
    }
}

#[cfg(test)]
mod tests;
