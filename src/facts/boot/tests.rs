use super::super::made_up::{CARD, Machine};
use super::*;

fn device(partition: Option<&Partition>) -> Option<&str> {
    partition.map(|p| p.device.as_str())
}

#[test]
fn an_sd_card_as_it_comes() {
    let read = Machine::on_sd().read();
    let boot = &read.boot;
    assert_eq!((boot.medium, boot.partition, boot.tryboot), (Some(BootMedium::Sd), Some(1), Some(false)));
    assert_eq!(device(boot.booted.as_ref()), Some("/dev/mmcblk0p1"));
    assert_eq!(device(boot.root.as_ref()), Some("/dev/mmcblk0p2"));
    assert_eq!(boot.config_path.as_deref(), Some("/boot/firmware/config.txt"));
    assert_eq!(boot.config_device.as_deref(), Some("/dev/mmcblk0p1"));
    assert_eq!(boot.same_as_booted, Some(true));
    assert_eq!(boot.partitions.len(), 2);
    let first = &boot.partitions[0];
    assert_eq!((first.disk.as_str(), first.number), ("mmcblk0", Some(1)));
    assert_eq!(first.part_uuid.as_deref(), Some("1d2c3b4a-01"));
    assert_eq!(first.fs_uuid.as_deref(), Some("1a2b-3c4d"));
    assert_eq!(read.hindrances(), []);
    assert_eq!(read.missing, []);
}

#[test]
fn the_older_names_with_underscores_are_read_too() {
    let machine = Machine::on_sd();
    machine.remove("/sys/firmware/devicetree/base/chosen/bootloader/boot-mode");
    machine.bootloader("boot_mode", 6);
    assert_eq!(machine.read().boot.medium, Some(BootMedium::Nvme));
}

#[test]
fn the_booted_partition_wins_wherever_it_is_mounted() {
    let mut machine = Machine::bare();
    machine.nvme(0, "6a7b8c9d");
    machine.mount("259:2", "/", "ext4", "/dev/nvme0n1p2", "rw");
    machine.mount("259:1", "/boot/firmware", "vfat", "/dev/nvme0n1p1", "rw");
    machine.mount("179:1", "/media/pi/My\\040Card", "vfat", "/dev/mmcblk0p1", "rw");
    machine.put("/boot/firmware/config.txt", "arm_boost=1\n");
    machine.put("/media/pi/My Card/config.txt", "dtparam=audio=on\n");
    let read = machine.read();
    assert_eq!(read.boot.config_path.as_deref(), Some("/media/pi/My Card/config.txt"));
    assert_eq!(read.boot.same_as_booted, Some(true));
    assert_eq!(read.hindrances(), []);
    // The other one is what a boot from NVMe would read.
    let copies: Vec<_> = read.boot.copies.iter().map(|c| c.partition.device.as_str()).collect();
    assert_eq!(copies, ["/dev/nvme0n1p1"]);
}

#[test]
fn another_disks_boot_partition_is_told() {
    let mut machine = Machine::bare();
    machine.nvme(0, "6a7b8c9d");
    machine.mount("259:2", "/", "ext4", "/dev/nvme0n1p2", "rw");
    machine.mount("259:1", "/boot/firmware", "vfat", "/dev/nvme0n1p1", "rw");
    machine.put("/boot/firmware/config.txt", "arm_boost=1\n");
    let read = machine.read();
    assert_eq!(read.boot.same_as_booted, Some(false));
    assert_eq!(read.boot.config_device.as_deref(), Some("/dev/nvme0n1p1"));
    assert_eq!(read.boot.hindrances[0].kind, super::super::HindranceKind::OtherPartition);
    assert_eq!(
        read.boot.hindrances[0].evidence,
        "/boot/firmware is /dev/nvme0n1p1, the firmware used /dev/mmcblk0p1"
    );
}

#[test]
fn partition_number_zero_is_the_first_fat_partition() {
    let machine = Machine::on_sd();
    machine.bootloader("partition", 0);
    assert_eq!(device(machine.read().boot.booted.as_ref()), Some("/dev/mmcblk0p1"));
}

#[test]
fn an_older_bootloader_says_zero_whatever_it_used() {
    let booted = |built: u32, number: u32, second: bool| {
        let mut machine = Machine::on_sd();
        machine.bootloader("partition", number);
        machine.bootloader("build-timestamp", built);
        if second {
            // As with autoboot.txt on the first one.
            machine.partition(CARD, "mmcblk0p3", 3, "179:3", "vfat", "1A2B-0003", "1d2c3b4a-03");
            machine.mount("179:3", "/boot/firmware", "vfat", "/dev/mmcblk0p3", "rw");
        }
        let boot = machine.read().boot;
        (boot.booted.map(|p| p.device), boot.same_as_booted, boot.config_device.unwrap_or_default())
    };
    let (first, third) = ("/dev/mmcblk0p1".to_owned(), "/dev/mmcblk0p3".to_owned());
    assert_eq!(booted(1_712_313_679, 0, false), (Some(first.clone()), Some(true), first.clone()));
    assert_eq!(booted(1_712_313_679, 0, true), (None, None, third.clone()));
    assert_eq!(booted(1_712_313_679, 3, true), (Some(third.clone()), Some(true), third.clone()));
    assert_eq!(booted(1_715_613_301, 3, true), (Some(third.clone()), Some(true), third.clone()));
    assert_eq!(booted(1_715_613_301, 0, true), (Some(first), Some(false), third));
}

#[test]
fn of_two_drives_only_the_one_that_fits_is_named() {
    let machine = Machine::on_sd();
    machine.bootloader("boot-mode", 6);
    machine.nvme(0, "6a7b8c9d");
    machine.nvme(1, "0badcafe");
    let read = machine.read();
    assert_eq!(read.boot.booted, None);
    assert_eq!(read.boot.same_as_booted, None);
    assert!(read.lacks("chosen/bootloader/partition"));
    // The second one has no FAT partition: then only the first can be it.
    let other = "/sys/devices/platform/axi/1000110000.pcie/pci0001:00/0001:01:00.0/nvme/nvme1/nvme1n1";
    machine.partition(other, "nvme1n1p1", 1, "259:5", "ext4", "ff", "0badcafe-01");
    assert_eq!(device(machine.read().boot.booted.as_ref()), Some("/dev/nvme0n1p1"));
}

#[test]
fn a_card_in_a_usb_reader_is_not_the_card_slot() {
    let machine = Machine::on_sd();
    let reader = "/sys/devices/platform/axi/1000120000.pcie/1f00200000.usb/xhci-hcd.0/usb1/mmcblk1";
    machine.partition(reader, "mmcblk1p1", 1, "179:33", "vfat", "FFFF-0001", "ffff0001-01");
    assert_eq!(device(machine.read().boot.booted.as_ref()), Some("/dev/mmcblk0p1"));
}

#[test]
fn root_behind_dev_root_and_behind_an_overlay() {
    let mut machine = Machine::on_sd();
    machine.mount("179:2", "/", "ext4", "/dev/root", "rw");
    assert_eq!(device(machine.read().boot.root.as_ref()), Some("/dev/mmcblk0p2"));
    machine.mount("0:31", "/", "overlay", "overlay", "rw,lowerdir=/lower,upperdir=/upper/data");
    let read = machine.read();
    assert_eq!(read.boot.root, None);
    assert!(read.missing.iter().any(|m| m.path == "/" && m.why.contains("overlay")), "{:?}", read.missing);
    machine.mount("179:2", "/media/root-ro", "ext4", "/dev/mmcblk0p2", "ro");
    machine.mount("0:31", "/", "overlay", "overlayroot", "rw,lowerdir=/media/root-ro,upperdir=/media/rw");
    assert_eq!(device(machine.read().boot.root.as_ref()), Some("/dev/mmcblk0p2"));
}

#[test]
fn btrfs_is_found_by_its_source() {
    let mut machine = Machine::on_sd();
    machine.mount("0:27", "/", "btrfs", "/dev/mmcblk0p2", "rw,subvol=/root");
    assert_eq!(device(machine.read().boot.root.as_ref()), Some("/dev/mmcblk0p2"));
}

#[test]
fn identifiers_come_from_the_device_where_udev_is_absent() {
    let machine = Machine::on_sd();
    machine.remove("/run/udev");
    assert!(machine.read().lacks("/dev/mmcblk0p1"));
    let mut boot = vec![0; 4096];
    boot[510..512].copy_from_slice(&[0x55, 0xaa]);
    boot[0x43..0x47].copy_from_slice(&[0x4d, 0x3c, 0x2b, 0x1a]);
    boot[0x52..0x5a].copy_from_slice(b"FAT32   ");
    machine.put("/dev/mmcblk0p1", boot);
    let mut disk = vec![0; 64 * 1024];
    disk[510..512].copy_from_slice(&[0x55, 0xaa]);
    disk[0x1b8..0x1bc].copy_from_slice(&[0x4a, 0x3b, 0x2c, 0x1d]);
    machine.put("/dev/mmcblk0", disk);
    let read = machine.read();
    let first = &read.boot.partitions[0];
    assert_eq!(first.part_uuid.as_deref(), Some("1d2c3b4a-01"));
    assert_eq!(first.fs_uuid.as_deref(), Some("1a2b-3c4d"));
    assert_eq!(first.fs_type.as_deref(), Some("vfat"));
}

#[test]
fn with_multipath_the_disk_is_the_subsystems() {
    let machine = Machine::on_sd();
    let disk = "/sys/devices/virtual/nvme-subsystem/nvme-subsys0/nvme0n1";
    machine.partition(disk, "nvme0n1p1", 1, "259:1", "vfat", "AB00-0001", "6a7b8c9d-01");
    let read = machine.read();
    assert_eq!(read.boot.copies[0].partition.disk, "nvme0n1");
}

#[test]
fn nothing_at_all_is_read_without_a_word_that_is_not_so() {
    let read = Machine::empty().read();
    assert_eq!(read.boot.medium, None);
    assert_eq!(read.boot.booted, None);
    assert_eq!(read.boot.same_as_booted, None);
    assert_eq!(read.boot.config_path, None);
    assert!(read.boot.meaning.is_none());
    for path in ["boot-mode", "partition", "tryboot", "/sys/class/block", "build-timestamp", "blconfig"] {
        assert!(read.lacks(path), "{path}: {:?}", read.missing);
    }
}

#[test]
fn a_symlink_to_the_real_file_is_not_what_is_edited() {
    let machine = Machine::on_sd();
    machine.link("/boot/config.txt", "firmware/config.txt");
    assert_eq!(machine.read().boot.config_path.as_deref(), Some("/boot/firmware/config.txt"));
}

#[test]
fn an_appliance_on_nvme_with_its_boot_partition_read_only() {
    let mut machine = Machine::empty();
    machine.link("/proc/device-tree", "../sys/firmware/devicetree/base");
    for (name, value) in [("boot-mode", 6), ("partition", 1), ("tryboot", 0)] {
        machine.bootloader(name, value);
    }
    machine.nvme(0, "6a7b8c9d");
    machine.mount("259:2", "/", "ext4", "/dev/nvme0n1p2", "ro");
    machine.mount("259:1", "/boot", "vfat", "/dev/nvme0n1p1", "ro");
    machine.put("/boot/config.txt", "# (appliance image)\n");
    let read = machine.read();
    assert_eq!(read.hindrances(), [super::super::HindranceKind::ReadOnly]);
    assert_eq!(read.boot.hindrances[0].evidence, "/dev/nvme0n1p1 on /boot");
    assert_eq!(read.boot.same_as_booted, Some(true));
}

#[test]
fn of_two_cards_with_the_same_ids_the_mounted_one_is_told_by_its_device() {
    let mut machine = Machine::on_sd();
    machine.nvme(0, "1d2c3b4a");
    machine.mount("259:1", "/boot/firmware", "vfat", "/dev/nvme0n1p1", "rw");
    let boot = machine.read().boot;
    assert_eq!(boot.same_as_booted, Some(false));
    assert_eq!(boot.config_device.as_deref(), Some("/dev/nvme0n1p1"));
    assert_eq!(boot.partitions.iter().filter(|p| p.part_uuid.as_deref() == Some("1d2c3b4a-02")).count(), 2);
}
