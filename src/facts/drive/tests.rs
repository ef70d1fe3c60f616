use super::*;
use crate::facts::made_up::Machine;
use crate::facts::{Board, ExternalPort, PortState};
use crate::terms::BoardKind;

const AXI: &str = "/sys/devices/platform/axi";
const PORT: &str = "/sys/devices/platform/axi/1000110000.pcie/pci0001:00/0001:00:00.0";
const DRIVE: u32 = 0x01_0802;
const BRIDGE: u32 = 0x06_0400;

/// A PCI function with a link of this speed, as a run without root sees it:
/// 64 bytes of its configuration space.
fn function(machine: &Machine, folder: &str, class: u32, gts: &str) {
    for (name, text) in [
        ("class", format!("0x{class:06x}\n")),
        ("vendor", "0x1b21\n".into()),
        ("device", "0x2806\n".into()),
        ("current_link_speed", format!("{gts} GT/s PCIe\n")),
        ("max_link_speed", "8.0 GT/s PCIe\n".into()),
        ("current_link_width", "1\n".into()),
        ("max_link_width", "4\n".into()),
    ] {
        machine.put(&format!("{folder}/{name}"), text);
    }
    machine.put(&format!("{folder}/config"), [0; 64]);
    let address = folder.rsplit('/').next().unwrap();
    machine.link(&format!("/sys/bus/pci/devices/{address}"), &folder.replacen("/sys", "../../..", 1));
}

/// A live controller of the function at `folder`; gives its own folder.
fn controller(machine: &Machine, folder: &str, name: &str) -> String {
    let own = format!("{folder}/nvme/{name}");
    for (attribute, text) in [("transport", "pcie"), ("state", "live"), ("model", "A  "), ("serial", "1  ")] {
        machine.put(&format!("{own}/{attribute}"), format!("{text}\n"));
    }
    machine.link(&format!("{own}/device"), "../..");
    machine.link(&format!("/sys/class/nvme/{name}"), &own.replacen("/sys", "../..", 1));
    own
}

fn namespace(machine: &Machine, own: &str, name: &str, sectors: u64, block: u32) {
    machine.put(&format!("{own}/{name}/size"), format!("{sectors}\n"));
    machine.put(&format!("{own}/{name}/queue/logical_block_size"), format!("{block}\n"));
    machine.link(&format!("{own}/{name}/device"), "..");
    machine.link(&format!("/sys/block/{name}"), &format!("{own}/{name}").replacen("/sys", "..", 1));
}

/// A sensor in milli-degrees; `device` is the folder it belongs to.
fn sensor(machine: &Machine, device: &str, number: u8, name: &str, values: &[(&str, i64)]) {
    let own = format!("{device}/hwmon{number}");
    machine.put(&format!("{own}/name"), format!("{name}\n"));
    for (attribute, value) in values {
        machine.put(&format!("{own}/temp1_{attribute}"), format!("{value}\n"));
    }
    machine.link(&format!("{own}/device"), "..");
    machine.link(&format!("/sys/class/hwmon/hwmon{number}"), &own.replacen("/sys", "../..", 1));
}

/// A drive at the connector, and its controller's folder.
fn one_drive() -> (Machine, String) {
    let machine = Machine::bare();
    function(&machine, PORT, BRIDGE, "8.0");
    let folder = format!("{PORT}/0001:01:00.0");
    function(&machine, &folder, DRIVE, "8.0");
    let own = controller(&machine, &folder, "nvme0");
    (machine, own)
}

fn found(machine: &Machine) -> (Vec<Drive>, Vec<Missing>) {
    let mut missing = Vec::new();
    let host = machine.host();
    let connector = super::port::device(&host);
    let drives = drives(&host, connector.as_deref(), &mut missing);
    (drives, missing)
}

fn port(machine: &Machine) -> ExternalPort {
    let board = Board {
        model: None,
        revision: None,
        kind: BoardKind::Pi5,
        memory_bytes: None,
        serial: None,
        uefi_acpi: false,
    };
    let host = machine.host();
    let device = super::super::port::device(&host);
    super::super::port::external(&host, &board, device.as_deref(), &mut Vec::new())
}

#[test]
fn a_number_of_its_own_for_each_drive() {
    assert_ne!(identity("A", "12"), identity("A1", "2"));
    assert_eq!(identity("A", "12"), identity("A", "12"));
    // Published FNV-1a test vector of one NUL byte.
    assert_eq!(identity("", ""), "af63bd4c8601b7df");
}

#[test]
fn without_root_one_entry_a_drive_and_nothing_invented() {
    let (machine, own) = one_drive();
    machine.replay("euid = 1000\n");
    namespace(&machine, &own, "nvme0n1", 1000, 512);
    sensor(&machine, &own, 0, "nvme", &[("input", 36_850)]);
    let (drives, missing) = found(&machine);
    assert_eq!(drives.len(), 1);
    assert_eq!((&drives[0].smart, drives[0].max_payload_bytes()), (&None, None));
    assert_eq!((drives[0].state.clone(), drives[0].temperature_celsius), (DriveState::Live, Some(36.85)));
    assert_eq!(drives[0].link().map(|l| l.generation.number()), Some(3));
    let told: Vec<_> = missing.iter().map(|m| (m.path.as_str(), m.why.as_str())).collect();
    let why = "needs root: the SMART log and the Max Payload Size of its path";
    assert_eq!(told, [("/dev/nvme0", why)]);
}

#[test]
fn temperatures_that_no_drive_has_are_dropped() {
    for (value, kept) in [
        (-60_000, true),
        (150_000, true),
        (82_850, true),
        (-60_001, false),
        (150_001, false),
        (-273_150, false),
        (65_261_850, false),
    ] {
        let (machine, own) = one_drive();
        sensor(&machine, &own, 1, "nvme", &[("input", value), ("max", value), ("crit", value)]);
        let (drives, _) = found(&machine);
        let drive = &drives[0];
        let expected = kept.then_some(value as f64 / 1000.0);
        let all = [drive.temperature_celsius, drive.warning_celsius, drive.critical_celsius];
        assert_eq!(all, [expected; 3], "{value}");
    }
}

#[test]
fn a_sensor_is_known_by_its_device_and_not_by_its_number() {
    let read = |numbers: [u8; 3]| {
        let (machine, first) = one_drive();
        let folder = format!("{PORT}/0001:02:00.0");
        function(&machine, &folder, DRIVE, "8.0");
        let second = controller(&machine, &folder, "nvme1");
        sensor(&machine, &format!("{AXI}/cpu"), numbers[0], "cpu_thermal", &[("input", 70_000)]);
        sensor(&machine, &first, numbers[1], "nvme", &[("input", 31_000)]);
        sensor(&machine, &second, numbers[2], "nvme", &[("input", 32_000)]);
        found(&machine).0.iter().map(|d| d.temperature_celsius).collect::<Vec<_>>()
    };
    for numbers in [[0, 1, 2], [2, 1, 0], [1, 0, 2], [0, 2, 1]] {
        assert_eq!(read(numbers), [Some(31.0), Some(32.0)], "{numbers:?}");
    }
}

#[test]
fn the_size_counts_512_bytes_whatever_the_block_size() {
    let (machine, own) = one_drive();
    namespace(&machine, &own, "nvme0n1", 976_773_168, 4096);
    namespace(&machine, &own, "nvme0n10", u64::MAX, 512);
    namespace(&machine, &own, "nvme0n2", 8, 512);
    let (drives, _) = found(&machine);
    let sizes: Vec<_> = drives[0]
        .namespaces
        .iter()
        .map(|n| (n.name.as_str(), n.capacity_bytes, n.logical_block_size_bytes))
        .collect();
    assert_eq!(
        sizes,
        [
            ("nvme0n1", Some(500_107_862_016), Some(4096)),
            ("nvme0n2", Some(4096), Some(512)),
            ("nvme0n10", None, Some(512)),
        ]
    );
}

#[test]
fn behind_two_switches_the_slowest_link_counts() {
    use HopKind::*;
    let machine = Machine::bare();
    let mut folder = PORT.to_owned();
    function(&machine, &folder, BRIDGE, "8.0");
    for (address, gts) in
        [("0001:01:00.0", "8.0"), ("0001:02:03.0", "5.0"), ("0001:04:00.0", "5.0"), ("0001:05:00.0", "2.5")]
    {
        folder = format!("{folder}/{address}");
        function(&machine, &folder, BRIDGE, gts);
    }
    folder += "/0001:06:00.0";
    function(&machine, &folder, DRIVE, "2.5");
    controller(&machine, &folder, "nvme0");
    let (drives, _) = found(&machine);
    let kinds: Vec<_> = drives[0].path.iter().map(|hop| hop.kind).collect();
    assert_eq!(kinds, [RootPort, UpstreamPort, DownstreamPort, UpstreamPort, DownstreamPort, Endpoint]);
    assert_eq!(drives[0].link().map(|l| l.generation.number()), Some(1));
    assert!(drives[0].external);
    let port = port(&machine);
    assert_eq!((port.state, port.switches.len(), port.others.len()), (PortState::Occupied, 4, 0));
}

/// Before 6.12 the first bridge found got domain 0000: with the link down
/// that is RP1's.
#[test]
fn the_south_bridge_in_domain_0000_is_not_the_connector() {
    let machine = Machine::bare();
    machine.device_tree("__symbols__/pciex1", "/axi/pcie@110000\0");
    machine.device_tree("axi/pcie@110000/status", "okay\0");
    machine.device_tree("axi/pcie@110000/max-link-speed", 3u32.to_be_bytes());
    machine.put(&format!("{AXI}/1000110000.pcie/uevent"), "");
    let root = format!("{AXI}/1000120000.pcie/pci0000:00/0000:00:00.0");
    function(&machine, &root, BRIDGE, "5.0");
    function(&machine, &format!("{root}/0000:01:00.0"), 0x02_0000, "5.0");
    let found_port = port(&machine);
    assert_eq!((found_port.state, found_port.asked), (PortState::LinkDown, Some(3)));
    assert_eq!((found_port.root_port, found_port.others.len(), found_port.switches.len()), (None, 0, 0));
    assert!(found(&machine).0.is_empty());
}
