//! How this boot happened, and the boot partition that the next one reads.
//!
//! The order matters: the partition is found first, then the EEPROM is read
//! (an update waits on that partition), then config.txt gets its meaning (the
//! EEPROM can carry a section of it).

use super::mounts::{Entry, Mounts};
use super::partitions::{self, Block};
use super::sysfs::gap;
use super::{Board, Boot, Eeprom, Hat, Missing, Os, Partition, config, copies, eeprom, hindrance};
use crate::formats::device_tree;
use crate::host::Host;
use crate::terms::BootMedium;

/// Where systems mount the boot partition, the usual ones first.
pub(super) const POINTS: [&str; 7] =
    ["/boot/firmware", "/boot", "/flash", "/mnt/boot", "/boot/efi", "/efi", "/media/mmcblk0p1"];

const BOOTLOADER: &str = "/proc/device-tree/chosen/bootloader";

/// What the two later passes need beside [`Boot`].
pub(super) struct Ground {
    /// Every partition.
    pub(super) blocks: Vec<Block>,
    /// Every mount.
    pub(super) mounts: Mounts,
}

/// Reads the boot and the EEPROM.
///
/// Boot partitions on NVMe drives that are not mounted are mounted read-only
/// for a look when `look_inside` says so (that needs root).
pub(super) fn read(
    host: &Host,
    board: &Board,
    os: &Os,
    hat: Option<&Hat>,
    look_inside: bool,
    missing: &mut Vec<Missing>,
) -> (Boot, Eeprom) {
    let (mut boot, ground) = find(host, missing);
    let eeprom = eeprom::read(host, board, &boot, missing);
    let base = config::base(board, &boot, &eeprom, hat);
    if let Some(point) = boot.mount.as_ref().map(|m| m.point.clone()) {
        config::fill(host, &point, &mut boot, &base, &eeprom, &ground.blocks, missing);
    }
    boot.copies = copies::read(host, &boot, &ground, &base, &eeprom, look_inside, missing);
    boot.hindrances = hindrance::find(host, board, os, &boot, &ground, &eeprom);
    (boot, eeprom)
}

/// The first pass: medium, partitions, mounts.
pub(super) fn find(host: &Host, missing: &mut Vec<Missing>) -> (Boot, Ground) {
    let mut number = |name: &str| {
        let value = bootloader(host, name).and_then(|bytes| device_tree::u32_be(&bytes));
        if value.is_none() {
            missing.push(Missing { path: format!("{BOOTLOADER}/{name}"), why: "not there".into() });
        }
        value
    };
    let mut boot = Boot {
        medium: number("boot-mode").map(BootMedium::from_mode),
        partition: number("partition"),
        tryboot: number("tryboot").map(|value| value != 0),
        ..Boot::default()
    };
    let blocks = partitions::read(host, missing);
    let mounts = mounts(host, missing);
    boot.root = root(&mounts, &blocks, missing);
    let built = bootloader(host, "build-timestamp").and_then(|bytes| device_tree::u32_be(&bytes));
    let told = boot.partition.filter(|n| *n != 0).or((built >= Some(TELLS_PARTITION)).then_some(0));
    let booted = booted(boot.medium, told, &blocks);
    if booted.is_none() && boot.medium.is_some_and(|m| DISKS.iter().any(|(medium, _)| *medium == m)) {
        let why = "which partition the firmware used cannot be told: none fits, or several do";
        missing.push(Missing { path: format!("{BOOTLOADER}/partition"), why: why.into() });
    }
    if let Some(entry) = choose(host, &mounts, booted) {
        let block = blocks.iter().find(|b| b.device == Some(entry.device));
        boot.same_as_booted = booted.map(|b| b.device == Some(entry.device));
        boot.config_device =
            Some(block.map_or_else(|| entry.mount.source.clone(), |b| b.partition.device.clone()));
        boot.mount = Some(entry.mount.clone());
        match host.space(&entry.mount.point) {
            Ok(space) => boot.space = Some(space),
            Err(error) => missing.push(gap(entry.mount.point.clone(), &error)),
        }
    }
    boot.booted = booted.map(|b| b.partition.clone());
    boot.partitions = blocks.iter().map(|b| b.partition.clone()).collect();
    (boot, Ground { blocks, mounts })
}

/// A property of `chosen/bootloader`, under its name with dashes or the older
/// one with underscores.
pub(super) fn bootloader(host: &Host, name: &str) -> Option<Vec<u8>> {
    let older = name.replace('-', "_");
    host.read(&format!("{BOOTLOADER}/{name}")).or_else(|_| host.read(&format!("{BOOTLOADER}/{older}"))).ok()
}

/// The mounts; a point of systemd's automounter is touched first, so that the
/// partition behind it is there.
fn mounts(host: &Host, missing: &mut Vec<Missing>) -> Mounts {
    let mounts = Mounts::read(host, missing);
    let waiting = |point: &&str| mounts.at(point).is_some_and(|e| e.mount.fs_type == "autofs");
    let points: Vec<_> = POINTS.into_iter().filter(waiting).collect();
    if points.is_empty() {
        return mounts;
    }
    for point in points {
        host.exists(&format!("{point}/config.txt"));
    }
    Mounts::read(host, missing)
}

/// The partition of `/`. `/dev/root` and the like are names of nobody: the
/// device number decides. Below an overlay it is the lower folder's, when that
/// is a mount that can be seen.
fn root(mounts: &Mounts, blocks: &[Block], missing: &mut Vec<Missing>) -> Option<Partition> {
    let entry = mounts.at("/")?;
    let lower = entry.super_options.split(',').find_map(|o| o.strip_prefix("lowerdir="));
    let lower = lower.and_then(|l| l.rsplit(':').next()).and_then(|point| mounts.at(point));
    let entry = if entry.mount.fs_type == "overlay" { lower.unwrap_or(entry) } else { entry };
    let block = blocks
        .iter()
        .find(|b| b.device == Some(entry.device))
        // btrfs has device numbers of its own.
        .or_else(|| blocks.iter().find(|b| b.partition.device == entry.mount.source));
    if block.is_none() {
        let why =
            format!("mounted from {} ({}), which is no partition", entry.mount.source, entry.mount.fs_type);
        missing.push(Missing { path: "/".into(), why });
    }
    block.map(|b| b.partition.clone())
}

/// Where the disk of each medium stands in sysfs, or how it is named: the SD
/// card or eMMC of a Pi 5 is on 1000fff000.mmc.
const DISKS: [(BootMedium, &str); 3] =
    [(BootMedium::Sd, "mmcblk"), (BootMedium::Nvme, "nvme"), (BootMedium::Usb, "sd")];

/// The bootloader of 2024-05-13: before it the device tree said partition 0
/// also when autoboot.txt or a reboot had chosen another
/// (raspberrypi/rpi-eeprom#575).
const TELLS_PARTITION: u32 = 1_715_613_301;

/// The partition that the firmware used, when only one fits.
///
/// Partition number 0 means: the first FAT partition (Raspberry Pi
/// documentation, `autoboot.txt`, `boot_partition`). Where the number is not
/// told, any FAT partition of the disk may be it.
fn booted(medium: Option<BootMedium>, number: Option<u32>, blocks: &[Block]) -> Option<&Block> {
    let (medium, prefix) = DISKS.into_iter().find(|(m, _)| Some(*m) == medium)?;
    let fits = |b: &&Block| match medium {
        BootMedium::Sd => b.disk_path.contains("/1000fff000.mmc/"),
        BootMedium::Usb => b.disk_path.contains("/usb"),
        _ => true,
    };
    let of_medium: Vec<_> = blocks.iter().filter(|b| b.partition.disk.starts_with(prefix)).collect();
    let mut disks: Vec<_> = of_medium.iter().map(|b| b.partition.disk.as_str()).collect();
    disks.dedup();
    let mut candidates: Vec<&Block> = Vec::new();
    for disk in disks {
        let mut on_disk: Vec<_> = of_medium.iter().copied().filter(|b| b.partition.disk == disk).collect();
        on_disk.sort_by_key(|b| b.partition.number);
        let is_fat = |b: &&Block| b.partition.fs_type.as_deref() == Some("vfat");
        match number {
            None => candidates.extend(on_disk.into_iter().filter(is_fat)),
            Some(0) => candidates.extend(on_disk.into_iter().find(is_fat)),
            // A partition whose type could not be read may be it.
            Some(n) => candidates.extend(
                on_disk
                    .into_iter()
                    .find(|b| b.partition.number == Some(n) && (b.partition.fs_type.is_none() || is_fat(b))),
            ),
        }
    }
    if candidates.len() > 1 {
        candidates.retain(fits);
    }
    match candidates.as_slice() {
        [one] => Some(one),
        _ => None,
    }
}

/// The mount of the boot partition: the one of the partition that the
/// firmware used wherever it is, else the first usual point with a config.txt
/// that is no decoy.
fn choose<'a>(host: &Host, mounts: &'a Mounts, booted: Option<&Block>) -> Option<&'a Entry> {
    let usual: Vec<_> = POINTS.iter().filter_map(|p| mounts.at(p)).filter(|e| e.is_whole_fat()).collect();
    if let Some(device) = booted.and_then(|b| b.device) {
        let mut used =
            usual.iter().copied().chain(mounts.iter()).filter(|e| e.is_whole_fat() && e.device == device);
        if let Some(entry) = used.next() {
            return Some(entry);
        }
    }
    let holds = |entry: &&&Entry| {
        let bytes = host.read_limited(&format!("{}/config.txt", entry.mount.point), config::LIMIT);
        bytes.is_ok_and(|b| !hindrance::is_decoy(&b))
    };
    usual.iter().find(holds).or_else(|| usual.first()).copied()
}

#[cfg(test)]
mod recorded;
#[cfg(test)]
mod tests;
