//! A made-up machine in a temporary folder, for the tests of this floor: a
//! Raspberry Pi 5 that booted from its SD card, until a test changes it.
#![allow(clippy::disallowed_methods)] // It makes the files that the host then reads.

use super::boot;
use super::{Board, Boot, Eeprom, Hat, HindranceKind, Missing, Os};
use crate::host::Host;
use crate::terms::BoardKind;
use std::fs;
use std::os::unix::fs::symlink;
use tempfile::TempDir;

const TREE: &str = "/sys/firmware/devicetree/base";
pub(super) const CARD: &str =
    "/sys/devices/platform/axi/1000fff000.mmc/mmc_host/mmc0/mmc0:aaaa/block/mmcblk0";

/// 2025-05-08 14:13:17 UTC.
pub(super) const BUILT: u32 = 1_746_713_597;
pub(super) const BOOTCONF: &str = "[all]\nBOOT_UART=1\nBOOT_ORDER=0xf461\n";

pub(super) struct Machine {
    folder: TempDir,
    mounts: String,
    pub(super) os: Os,
    pub(super) hat: Option<Hat>,
    pub(super) uefi_acpi: bool,
    pub(super) look_inside: bool,
}

/// What was read of it.
pub(super) struct Read {
    pub(super) boot: Boot,
    pub(super) eeprom: Eeprom,
    pub(super) missing: Vec<Missing>,
}

impl Read {
    pub(super) fn hindrances(&self) -> Vec<HindranceKind> {
        self.boot.hindrances.iter().map(|h| h.kind).collect()
    }

    pub(super) fn lacks(&self, path: &str) -> bool {
        self.missing.iter().any(|m| m.path.contains(path))
    }
}

impl Machine {
    /// An empty one.
    pub(super) fn empty() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("replay.toml"), "euid = 0\n").unwrap();
        let (mounts, os) = (String::new(), Os::default());
        Self { folder, mounts, os, hat: None, uefi_acpi: false, look_inside: true }
    }

    /// With an SD card of two partitions, the first mounted at
    /// `/boot/firmware`.
    pub(super) fn on_sd() -> Self {
        let mut machine = Self::bare();
        machine.mount("179:2", "/", "ext4", "/dev/mmcblk0p2", "rw");
        machine.mount("179:1", "/boot/firmware", "vfat", "/dev/mmcblk0p1", "rw");
        machine.put("/boot/firmware/config.txt", "dtparam=audio=on\n");
        machine.put("/boot/firmware/cmdline.txt", "console=tty1 root=PARTUUID=1d2c3b4a-02 rootwait\n");
        machine.put("/boot/firmware/overlays/vc4-kms-v3d.dtbo", "");
        machine.put("/boot/firmware/overlays/README", "");
        machine
    }

    /// The same with nothing mounted.
    pub(super) fn bare() -> Self {
        let machine = Self::empty();
        machine.link("/proc/device-tree", "../sys/firmware/devicetree/base");
        for (name, value) in [("boot-mode", 1), ("partition", 1), ("tryboot", 0), ("build-timestamp", BUILT)]
        {
            machine.bootloader(name, value);
        }
        machine.partition(CARD, "mmcblk0p1", 1, "179:1", "vfat", "1A2B-3C4D", "1d2c3b4a-01");
        machine.partition(CARD, "mmcblk0p2", 2, "179:2", "ext4", "5f0e6a44", "1d2c3b4a-02");
        machine.nvmem("blconfig", "nvram@0", "rmem0", BOOTCONF.as_bytes());
        machine
    }

    pub(super) fn put(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let path = self.folder.path().join(path.trim_start_matches('/'));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    pub(super) fn remove(&self, path: &str) {
        let path = self.folder.path().join(path.trim_start_matches('/'));
        if path.is_dir() { fs::remove_dir_all(path).unwrap() } else { fs::remove_file(path).unwrap() }
    }

    pub(super) fn link(&self, path: &str, target: &str) {
        let path = self.folder.path().join(path.trim_start_matches('/'));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(target, path).unwrap();
    }

    /// A sparse file of this length.
    pub(super) fn put_large(&self, path: &str, len: u64) {
        self.put(path, "");
        let path = self.folder.path().join(path.trim_start_matches('/'));
        fs::OpenOptions::new().write(true).open(path).unwrap().set_len(len).unwrap();
    }

    pub(super) fn device_tree(&self, path: &str, bytes: impl AsRef<[u8]>) {
        self.put(&format!("{TREE}/{path}"), bytes);
    }

    pub(super) fn bootloader(&self, name: &str, value: u32) {
        self.device_tree(&format!("chosen/bootloader/{name}"), value.to_be_bytes());
    }

    pub(super) fn replay(&self, text: &str) {
        self.put("/replay.toml", text);
    }

    /// A line of mountinfo.
    pub(super) fn mount(&mut self, number: &str, point: &str, fs_type: &str, source: &str, options: &str) {
        let n = self.mounts.lines().count() + 30;
        self.mounts +=
            &format!("{n} 1 {number} / {point} {options} shared:{n} - {fs_type} {source} {options}\n");
        self.put(&format!("{}/.point", point.replace("\\040", " ")), "");
    }

    /// A partition whose identifiers udev knows, unless they are empty.
    #[allow(clippy::too_many_arguments)] // One row of a table.
    pub(super) fn partition(
        &self,
        disk: &str,
        name: &str,
        number: u32,
        device: &str,
        fs_type: &str,
        fs_uuid: &str,
        part_uuid: &str,
    ) {
        let disk_name = disk.rsplit('/').next().unwrap();
        for (folder, name) in [(disk.to_owned(), disk_name), (format!("{disk}/{name}"), name)] {
            self.put(&format!("{folder}/uevent"), "");
            if !self.folder.path().join(format!("sys/class/block/{name}")).exists() {
                self.link(&format!("/sys/class/block/{name}"), &folder.replacen("/sys", "../..", 1));
            }
        }
        self.put(&format!("{disk}/{name}/partition"), format!("{number}\n"));
        self.put(&format!("{disk}/{name}/dev"), format!("{device}\n"));
        if !part_uuid.is_empty() {
            let data = format!(
                "S:disk/by-x\nE:ID_FS_TYPE={fs_type}\nE:ID_FS_UUID={fs_uuid}\nE:ID_PART_ENTRY_UUID={part_uuid}\n"
            );
            self.put(&format!("/run/udev/data/b{device}"), data);
        }
    }

    /// An NVMe disk `nvme<n>n1`: a FAT partition, then one with ext4.
    pub(super) fn nvme(&self, n: u32, disk_id: &str) {
        let disk = format!(
            "/sys/devices/platform/axi/1000110000.pcie/pci0001:00/0001:0{n}:00.0/nvme/nvme{n}/nvme{n}n1"
        );
        for (number, fs_type) in [(1, "vfat"), (2, "ext4")] {
            let device = format!("259:{}", n * 4 + number);
            let fs_uuid = format!("AB{n}0-000{number}");
            let name = format!("nvme{n}n1p{number}");
            self.partition(&disk, &name, number, &device, fs_type, &fs_uuid, &format!("{disk_id}-0{number}"));
        }
    }

    /// A node of `reserved-memory` with its alias, and the nvmem device that
    /// shows its content.
    pub(super) fn nvmem(&self, alias: &str, node: &str, name: &str, bytes: &[u8]) {
        self.device_tree(&format!("aliases/{alias}"), format!("/reserved-memory/{node}\0"));
        self.device_tree(&format!("reserved-memory/{node}/reg"), [0; 8]);
        let device = format!("/sys/devices/platform/{node}/{name}");
        self.put(&format!("{device}/nvmem"), bytes);
        self.link(
            &format!("{device}/of_node"),
            &format!("../../../../firmware/devicetree/base/reserved-memory/{node}"),
        );
        self.link(&format!("/sys/bus/nvmem/devices/{name}"), &device.replacen("/sys", "../../..", 1));
    }

    pub(super) fn host(&self) -> Host {
        self.put("/proc/self/mountinfo", &self.mounts);
        Host::open(Some(self.folder.path())).unwrap()
    }

    pub(super) fn read(&self) -> Read {
        let board = Board {
            model: None,
            revision: Some(0xd0_4170),
            kind: BoardKind::Pi5,
            memory_bytes: None,
            serial: None,
            uefi_acpi: self.uefi_acpi,
        };
        let mut missing = Vec::new();
        let (boot, eeprom) =
            boot::read(&self.host(), &board, &self.os, self.hat.as_ref(), self.look_inside, &mut missing);
        Read { boot, eeprom, missing }
    }
}
