//! What is read of the hardware of each recorded machine.

use super::*;
use crate::terms::{BoardKind, Generation};
use std::path::Path;

fn facts(name: &str) -> Facts {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/machines").join(name);
    read(&Host::open(Some(&root)).unwrap_or_else(|e| panic!("{name}: {e}")))
}

/// `slowest generation, width, hops` of each drive.
fn links(facts: &Facts) -> Vec<(Option<u8>, Option<u8>, usize)> {
    let of = |d: &Drive| (d.link().map(|l| l.generation.number()), d.link().map(|l| l.width), d.path.len());
    facts.drives.iter().map(of).collect()
}

#[test]
fn the_link_of_every_drive_is_that_of_its_whole_path() {
    let up = |generation, hops| vec![(Some(generation), Some(1), hops)];
    for (name, port, asked, expected) in [
        ("pi5-trixie-sd", PortState::Occupied, Some(2), up(2, 2)),
        ("pi5-trixie-sd-gen3", PortState::Occupied, Some(3), up(3, 2)),
        ("pi5-hatplus-nvme", PortState::Occupied, Some(2), up(2, 2)),
        ("pi5-kernel66-domain0", PortState::Occupied, Some(2), up(2, 2)),
        ("pi5-multipath", PortState::Occupied, Some(2), up(2, 2)),
        ("pi5-trained-down", PortState::Occupied, Some(3), up(2, 2)),
        ("pi5-asm1182e", PortState::Occupied, Some(2), up(2, 4)),
        ("pi5-asm2806", PortState::Occupied, Some(3), up(3, 4)),
        ("pi5-link-down", PortState::LinkDown, Some(3), vec![]),
        ("pi5-port-disabled", PortState::Disabled, None, vec![]),
        ("pi5-hailo", PortState::Occupied, Some(3), vec![]),
        ("cm5", PortState::Occupied, Some(2), up(2, 2)),
        ("pi4", PortState::Unknown, None, vec![]),
    ] {
        let facts = facts(name);
        assert_eq!(facts.port.state, port, "{name}");
        if asked.is_some() {
            assert_eq!(facts.port.asked, asked, "{name}");
        }
        assert_eq!(links(&facts), expected, "{name}");
    }
}

#[test]
fn two_drives_have_a_path_each() {
    let facts = facts("pi5-two-drives");
    let mut generations: Vec<_> = links(&facts).into_iter().map(|(generation, ..)| generation).collect();
    generations.sort_unstable();
    assert_eq!(generations.len(), 2);
    assert_eq!(generations[0], Some(1), "one is held at 2.5 GT/s");
    assert_ne!(facts.drives[0].identity, facts.drives[1].identity);
}

#[test]
fn the_root_port_says_what_was_asked_and_not_what_is_possible() {
    let facts = facts("pi5-trixie-sd");
    let drive = &facts.drives[0];
    assert_eq!(drive.path[0].kind, HopKind::RootPort);
    assert_eq!(drive.path[0].max_speed, Some(Generation::GEN2));
    assert!(drive.possible() >= Some(Generation::GEN3), "{:?}", drive.possible());
    assert!(drive.max_payload_bytes().is_some());
    assert_eq!(drive.state, DriveState::Live);
    assert!(drive.smart.is_some() && drive.temperature_celsius.is_some());
    assert_eq!(drive.namespaces[0].name, "nvme0n1");
}

#[test]
fn the_south_bridge_is_never_taken_for_the_connector() {
    let all = Host::open(Some(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/machines"))).unwrap();
    for name in all.list("/").unwrap() {
        let facts = facts(&name);
        assert!(facts.port.others.iter().all(|f| f.vendor != Some(0x1de4)), "{name}");
        assert!(facts.drives.iter().flat_map(|d| &d.path).all(|h| h.vendor != Some(0x1de4)), "{name}");
    }
}

#[test]
fn a_device_that_is_no_drive_and_a_drive_that_is_silent_are_told_apart() {
    let hailo = facts("pi5-hailo");
    assert_eq!(hailo.port.others.iter().map(|f| f.vendor).collect::<Vec<_>>(), [Some(0x1e60)]);
    let silent = facts("pi5-class-ffffff");
    assert_eq!(silent.drives.len(), 1);
    assert_eq!(silent.drives[0].state, DriveState::NotAnswering);
    let dropped = facts("pi5-dropped");
    assert_eq!(dropped.drives.len(), 1);
    assert_ne!(dropped.drives[0].state, DriveState::Live);
    assert_eq!(dropped.drives[0].link(), None, "Unknown and width 63 are no link");
}

#[test]
fn boards_hats_and_switches() {
    assert_eq!(facts("pi5-trixie-sd").board.kind, BoardKind::Pi5);
    assert_eq!(facts("cm5").board.kind, BoardKind::Cm5);
    let old = facts("pi4");
    assert_eq!(old.board.kind, BoardKind::Other);
    assert!(old.board.model.is_some_and(|m| m.contains("Pi 4")));
    assert!(facts("pi5-uefi").board.uefi_acpi);
    assert!(facts("pi5-hatplus-nvme").hat.is_some_and(|h| h.product.contains("M.2 HAT+")));
    assert_eq!(facts("pi5-trixie-sd").hat, None);
    let switches = |name| facts(name).port.switches.iter().map(|h| h.device).collect::<Vec<_>>();
    assert!(switches("pi5-asm1182e").contains(&Some(0x1182)));
    assert!(switches("pi5-asm2806").contains(&Some(0x2806)));
}

#[test]
fn digits_of_names_decide_nothing() {
    let facts = facts("pi5-multipath");
    let [drive] = facts.drives.as_slice() else { panic!("{:?}", facts.drives) };
    assert_eq!(drive.name, "nvme1");
    let names: Vec<_> = drive.namespaces.iter().map(|n| n.name.as_str()).collect();
    assert_eq!(names, ["nvme0n1"], "the hidden path nvme0c1n1 is no namespace");
    assert_eq!(drive.address.as_deref(), Some("0001:01:00.0"));
    assert!(drive.smart.is_some() && drive.temperature_celsius.is_some());
    let disks: Vec<_> = facts.boot.partitions.iter().map(|p| p.disk.as_str()).collect();
    assert_eq!(disks, ["mmcblk0", "mmcblk0", "nvme0n1"]);
}
