use super::super::made_up::{BOOTCONF, Machine};
use super::*;

const POINT: &str = "/boot/firmware";

#[test]
fn conditions_are_those_of_the_next_normal_boot() {
    let machine = Machine::on_sd();
    machine.bootloader("tryboot", 1);
    let boot = machine.read().boot;
    assert_eq!(boot.tryboot, Some(true));
    let conditions = boot.conditions.unwrap();
    assert!(!conditions.tryboot);
    assert_eq!(conditions.partition, Some(1));
    assert_eq!(conditions.bootloader, Some(super::super::made_up::BUILT));
    assert_eq!(conditions.overlays, Some(BTreeSet::from(["vc4-kms-v3d".to_owned()])));
    assert!(!conditions.port_enabled_by_firmware);
}

#[test]
fn the_firmware_enables_the_port_for_its_own_boards_and_after_a_boot_from_nvme() {
    let mut machine = Machine::on_sd();
    let enabled = |machine: &Machine| machine.read().boot.conditions.unwrap().port_enabled_by_firmware;
    let hat = |product: &str| Some(Hat { vendor: "v".into(), product: product.into() });
    machine.hat = hat("M.2 HAT+ M Key");
    assert!(enabled(&machine));
    machine.hat = hat("Raspberry Pi AI Hat, Model Hailo-8L");
    assert!(enabled(&machine));
    machine.hat = hat("Sense HAT");
    assert!(!enabled(&machine));
    machine.bootloader("boot-mode", 6);
    assert!(enabled(&machine));
}

#[test]
fn an_unreadable_overlay_folder_is_not_an_empty_one() {
    let machine = Machine::on_sd();
    machine.remove("/boot/firmware/overlays");
    let read = machine.read();
    assert_eq!(read.boot.conditions.as_ref().unwrap().overlays, None);
    assert!(read.lacks("overlays"));
}

#[test]
fn includes_are_followed_and_never_out_of_the_partition() {
    let machine = Machine::on_sd();
    machine.put("/boot/firmware/config.txt", "include a.txt\ninclude none.txt\ninclude ../../etc/secret\n");
    machine.put("/boot/firmware/a.txt", "include b.txt\ninclude a.txt\n");
    machine.put("/boot/firmware/b.txt", "include a.txt\ndtparam=pciex1\n");
    machine.put("/etc/secret", "x\n");
    let files = machine.read().boot.files.unwrap();
    let names: Vec<_> = files.includes.keys().map(String::as_str).collect();
    assert_eq!(names, ["a.txt", "b.txt"]);
}

#[test]
fn a_chain_of_includes_ends() {
    let machine = Machine::on_sd();
    machine.put("/boot/firmware/config.txt", "include i0.txt\n");
    for n in 0..40 {
        machine.put(&format!("{POINT}/i{n}.txt"), format!("include i{}.txt\n", n + 1));
    }
    assert_eq!(machine.read().boot.files.unwrap().includes.len(), DEPTH);
}

#[test]
fn os_prefix_moves_the_command_line_and_the_overlays() {
    let machine = Machine::on_sd();
    machine.put("/boot/firmware/config.txt", "os_prefix=current/\n[tryboot]\nos_prefix=new/\n");
    machine.put("/boot/firmware/current/cmdline.txt", "root=LABEL=writable\n");
    machine.put("/boot/firmware/current/overlays/dwc2.dtbo", "");
    let overlays = |boot: &Boot| boot.conditions.as_ref().unwrap().overlays.clone().unwrap();
    let boot = machine.read().boot;
    let cmdline = boot.cmdline.as_ref().unwrap();
    assert_eq!(cmdline.path, "/boot/firmware/current/cmdline.txt");
    assert_eq!(cmdline.root.as_deref(), Some("LABEL=writable"));
    // Without a README there the prefix does not count for overlays.
    assert_eq!(overlays(&boot), BTreeSet::from(["vc4-kms-v3d".to_owned()]));
    machine.put("/boot/firmware/current/overlays/README", "");
    assert_eq!(overlays(&machine.read().boot), BTreeSet::from(["dwc2".to_owned()]));
}

#[test]
fn a_prefix_without_a_device_tree_is_dropped() {
    let machine = Machine::on_sd();
    machine.put("/boot/firmware/config.txt", "os_prefix=gone/\n");
    machine.put("/boot/firmware/bcm2712-rpi-5-b.dtb", "");
    let cmdline = machine.read().boot.cmdline.unwrap();
    assert_eq!(cmdline.path, "/boot/firmware/cmdline.txt");
    machine.put("/boot/firmware/gone/bcm2712-rpi-5-b.dtb", "");
    assert!(machine.read().lacks("/boot/firmware/gone/cmdline.txt"));
}

#[test]
fn a_command_line_with_a_leading_slash_is_not_prefixed() {
    let machine = Machine::on_sd();
    machine.put("/boot/firmware/config.txt", "os_prefix=slot-A/\ncmdline=/cmdline.txt\n");
    assert_eq!(machine.read().boot.cmdline.unwrap().path, "/boot/firmware/cmdline.txt");
}

#[test]
fn the_root_of_the_next_boot_is_looked_up() {
    let machine = Machine::on_sd();
    let cmdline = machine.read().boot.cmdline.unwrap();
    assert_eq!(cmdline.resolves, Some(true));
    assert_eq!(cmdline.partition.unwrap().device, "/dev/mmcblk0p2");
    machine.put("/boot/firmware/cmdline.txt", "root=PARTUUID=7d233660-02 rw\nsecond line\n");
    let cmdline = machine.read().boot.cmdline.unwrap();
    assert_eq!((cmdline.resolves, cmdline.extra_lines), (Some(false), true));
}

#[test]
fn what_the_eeprom_appends_comes_from_the_pending_update_first() {
    let machine = Machine::on_sd();
    let of = |section: &str| format!("{BOOTCONF}[config.txt]\n{section}");
    machine.nvmem("blconfig", "nvram@7", "rmem1", of("dtparam=pciex1_gen=1\n").as_bytes());
    let section = |machine: &Machine| machine.read().boot.files.unwrap().eeprom_section;
    assert_eq!(section(&machine).as_deref(), Some(&b"dtparam=pciex1_gen=1\n"[..]));
    let image = crate::formats::eeprom_image::synthetic(1, 1, BOOTCONF.as_bytes());
    machine.put("/boot/firmware/pieeprom.upd", image);
    assert_eq!(section(&machine), None);
}

#[test]
fn leftovers_and_large_files() {
    let machine = Machine::on_sd();
    for name in [
        "config.txt.save",
        "config.txt.save.1",
        "config.txt~",
        ".config.txt.swp",
        "config.txt.bak",
        "config.txtx",
    ] {
        machine.put(&format!("{POINT}/{name}"), "");
    }
    machine.put_large("/boot/firmware/initramfs_2712", 48_234_496);
    machine.put_large("/boot/firmware/kernel_2712.img", 9_000_000);
    machine.put_large("/boot/firmware/recovery.img", 90_000_000);
    let boot = machine.read().boot;
    let names: Vec<_> = boot.leftovers.iter().map(|p| p.trim_start_matches("/boot/firmware/")).collect();
    assert_eq!(
        names,
        [".config.txt.swp", "config.txt.bak", "config.txt.save", "config.txt.save.1", "config.txt~"]
    );
    assert_eq!(boot.large_files, [("initramfs_2712".to_owned(), 48_234_496)]);
}

#[test]
fn a_copy_on_the_drive_is_looked_into() {
    let machine = Machine::on_sd();
    machine.nvme(0, "6a7b8c9d");
    machine.replay("euid = 0\n[[partition]]\ndevice = \"/dev/nvme0n1p1\"\ntree = \"/replay/nvme0n1p1\"\n");
    machine.put("/replay/nvme0n1p1/config.txt", "[partition=1]\narm_boost=1\n");
    machine.put("/replay/nvme0n1p1/cmdline.txt", "root=PARTUUID=1d2c3b4a-02 rootwait\n");
    let read = machine.read();
    let copy = &read.boot.copies[0];
    assert_eq!(copy.partition.device, "/dev/nvme0n1p1");
    assert_eq!(copy.mount, None);
    assert!(copy.files.as_ref().unwrap().top.starts_with(b"[partition=1]"));
    let conditions = copy.conditions.as_ref().unwrap();
    assert_eq!((conditions.partition, conditions.port_enabled_by_firmware), (Some(1), true));
    // The clone's command line still names the card.
    let cmdline = copy.cmdline.as_ref().unwrap();
    assert_eq!(cmdline.path, "/cmdline.txt");
    assert_eq!(cmdline.partition.as_ref().unwrap().device, "/dev/mmcblk0p2");
    assert!(read.lacks("/dev/nvme0n1p1: /overlays"), "{:?}", read.missing);
}

#[test]
fn a_copy_that_cannot_be_looked_into_is_named() {
    let mut machine = Machine::on_sd();
    machine.nvme(0, "6a7b8c9d");
    machine.look_inside = false;
    let read = machine.read();
    assert!(read.boot.copies[0].files.is_none());
    assert!(read.lacks("/dev/nvme0n1p1"));
    // Mounted, it can be read by anyone.
    machine.mount("259:1", "/media/pi/bootfs", "vfat", "/dev/nvme0n1p1", "rw");
    machine.put("/media/pi/bootfs/config.txt", "arm_boost=1\n");
    let read = machine.read();
    assert_eq!(read.boot.copies[0].files.as_ref().unwrap().top, b"arm_boost=1\n");
    assert_eq!(read.boot.copies[0].mount.as_ref().unwrap().point, "/media/pi/bootfs");
}

#[test]
fn a_drive_that_does_not_answer_is_left_alone() {
    let machine = Machine::on_sd();
    machine.nvme(0, "6a7b8c9d");
    let disk = "/sys/devices/platform/axi/1000110000.pcie/pci0001:00/0001:00:00.0/nvme/nvme0/nvme0n1";
    machine.put(&format!("{disk}/device/state"), "resetting\n");
    let read = machine.read();
    assert!(read.missing.iter().any(|m| m.path == "/dev/nvme0n1p1" && m.why.contains("resetting")));
}

#[test]
fn a_data_partition_is_a_copy_without_files() {
    let machine = Machine::on_sd();
    machine.nvme(0, "6a7b8c9d");
    machine.replay("euid = 0\n[[partition]]\ndevice = \"/dev/nvme0n1p1\"\ntree = \"/replay/nvme0n1p1\"\n");
    machine.put("/replay/nvme0n1p1/photo.jpg", "");
    let read = machine.read();
    assert!(read.boot.copies[0].files.is_none());
    assert_eq!(read.missing, []);
}

#[test]
fn a_second_boot_partition_in_use_is_no_copy_of_itself() {
    let mut machine = Machine::bare();
    machine.nvme(0, "6a7b8c9d");
    machine.bootloader("boot-mode", 6);
    machine.mount("259:1", POINT, "vfat", "/dev/nvme0n1p1", "rw");
    machine.put("/boot/firmware/config.txt", "");
    assert_eq!(machine.read().boot.copies.len(), 0);
}
