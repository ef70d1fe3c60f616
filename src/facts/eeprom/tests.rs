use super::super::made_up::{BOOTCONF, BUILT, Machine};
use super::*;
use crate::formats::eeprom_image::synthetic;

const IMAGES: &str = "/usr/lib/firmware/raspberrypi/bootloader-2712";

#[test]
fn the_running_configuration_is_found_by_its_node() {
    let machine = Machine::on_sd();
    // Another device with a lower number is not it.
    machine.put("/sys/devices/platform/otp/nvmem0/nvmem", "A=1\nB=2\n");
    machine.link("/sys/bus/nvmem/devices/nvmem0", "../../../devices/platform/otp/nvmem0");
    let eeprom = machine.read().eeprom;
    assert_eq!(eeprom.running.as_deref(), Some(BOOTCONF.as_bytes()));
    assert_eq!(eeprom.running_from.as_deref(), Some("/sys/bus/nvmem/devices/rmem0/nvmem"));
    assert_eq!(eeprom.build_timestamp, Some(BUILT));
    assert!(eeprom.meaning.is_some());
}

#[test]
fn padding_is_cut_and_nothing_else() {
    let machine = Machine::on_sd();
    let mut padded = b"[all]\nBOOT_ORDER=0xf41\n\n".to_vec();
    padded.extend([0, 0, 0xff, 0xff, 0]);
    machine.nvmem("blconfig", "nvram@7", "rmem3", &padded);
    assert_eq!(machine.read().eeprom.running.as_deref(), Some(&b"[all]\nBOOT_ORDER=0xf41\n\n"[..]));
}

#[test]
fn the_firmware_is_asked_when_there_is_no_node() {
    let machine = Machine::on_sd();
    machine.remove("/sys/firmware/devicetree/base/aliases/blconfig");
    let said = |said: &str, status: i32| {
        let text = format!(
            "euid = 0\n[[program]]\nargv = [\"vcgencmd\", \"bootloader_config\"]\nstdout = {said:?}\nstatus = {status}\n"
        );
        machine.replay(&text);
        machine.read()
    };
    let read = said(BOOTCONF, 0);
    assert_eq!(read.eeprom.running_from.as_deref(), Some("vcgencmd bootloader_config"));
    for (text, status) in [
        ("error=1 error_msg=\"Command not registered\"\n", 0),
        ("ioctl_set_msg failed:-1\nvcgencmd_send=1\n", 0),
        ("BOOT_ORDER=0xf416\n", 0),
        ("", 0),
        (BOOTCONF, 255),
    ] {
        let read = said(text, status);
        assert_eq!(read.eeprom.running, None, "{text}");
        assert!(read.lacks("vcgencmd bootloader_config"));
    }
}

#[test]
fn an_empty_node_is_not_a_configuration() {
    let machine = Machine::on_sd();
    machine.nvmem("blconfig", "nvram@7", "rmem3", &[0xff; 64]);
    let read = machine.read();
    assert_eq!(read.eeprom.running, None);
    assert!(read.lacks("rmem3/nvmem"));
}

#[test]
fn an_update_that_waits_is_read_and_comes_first() {
    let machine = Machine::on_sd();
    assert_eq!(machine.read().eeprom.pending, None);
    let pending = "[all]\nBOOT_UART=1\nBOOT_ORDER=0xf416\n";
    machine.put("/boot/firmware/pieeprom.upd", synthetic(BUILT, 1, pending.as_bytes()));
    machine.put("/boot/firmware/pieeprom.sig", "");
    machine.put("/boot/firmware/recovery.bin", "");
    let eeprom = machine.read().eeprom;
    assert_eq!(eeprom.next_config(), Some(pending.as_bytes()));
    let found = eeprom.pending.unwrap();
    assert_eq!(found.files.len(), 3);
    assert_eq!(found.files[0], "/boot/firmware/pieeprom.upd");
    assert_eq!(found.build_timestamp, Some(BUILT));
    assert_eq!(eeprom.boot_dir.as_deref(), Some("/boot/firmware"));
}

#[test]
fn an_update_that_cannot_be_read_still_waits() {
    let machine = Machine::on_sd();
    machine.put("/boot/firmware/pieeprom.upd", "half");
    let read = machine.read();
    assert_eq!(read.eeprom.pending.as_ref().unwrap().config, None);
    // What the next boot has is then not known.
    assert_eq!(read.eeprom.next_config(), None);
    assert!(read.lacks("pieeprom.upd"));
    machine.remove("/boot/firmware/pieeprom.upd");
    machine.put("/boot/firmware/recovery.bin", "");
    assert_eq!(machine.read().eeprom.pending.unwrap().files, ["/boot/firmware/recovery.bin"]);
}

#[test]
fn an_update_staged_elsewhere_is_found_and_said() {
    let machine = Machine::on_sd();
    machine.put(settings::PATH, "BOOTFS=/mnt/other/\n");
    machine.put("/mnt/other/pieeprom.upd", synthetic(1, 1, BOOTCONF.as_bytes()));
    let eeprom = machine.read().eeprom;
    assert_eq!(eeprom.pending.unwrap().files, ["/mnt/other/pieeprom.upd"]);
    assert_eq!(eeprom.boot_dir.as_deref(), Some("/mnt/other"));
}

#[test]
fn every_sign_of_secure_boot() {
    let evidence = |change: &dyn Fn(&Machine)| {
        let machine = Machine::on_sd();
        change(&machine);
        machine.read().eeprom.secure_boot
    };
    assert_eq!(evidence(&|_| ()), None);
    assert_eq!(evidence(&|m| m.bootloader("signed", 0)), None);
    assert!(evidence(&|m| m.bootloader("signed", 8)).unwrap().contains("signed is 0x8"));
    assert!(evidence(&|m| m.device_tree("chosen/bootloader/boot_img_sha256", [1; 32])).is_some());
    let key = |m: &Machine, bytes: &[u8]| m.nvmem("blpubkey", "nvram@1", "rmem2", bytes);
    assert!(evidence(&|m| key(m, &[7; 264])).unwrap().contains("rmem2"));
    assert_eq!(evidence(&|m| key(m, &[0; 264])), None);
    assert_eq!(evidence(&|m| key(m, &[0xff; 264])), None);
    let signed = format!("{BOOTCONF}SIGNED_BOOT=1\n");
    assert!(evidence(&|m| m.nvmem("blconfig", "nvram@7", "rmem3", signed.as_bytes())).is_some());
    let pending = |m: &Machine| m.put("/boot/firmware/pieeprom.upd", synthetic(1, 1, signed.as_bytes()));
    assert!(evidence(&pending).is_some());
}

#[test]
fn only_the_image_of_the_running_version() {
    let machine = Machine::on_sd();
    let image = |machine: &Machine| machine.read().eeprom.image.map(|i| (i.path, i.mfg_version));
    assert_eq!(image(&machine), None);
    machine.put(&format!("{IMAGES}/default/pieeprom-2025-05-08.bin"), synthetic(BUILT + 1, 1, b""));
    machine.put(&format!("{IMAGES}/default/pieeprom-2024-05-08.bin"), synthetic(BUILT, 1, b""));
    assert_eq!(image(&machine), None);
    machine.put(&format!("{IMAGES}/latest/pieeprom-2025-05-08.bin"), synthetic(BUILT, 3, b""));
    assert_eq!(image(&machine), Some((format!("{IMAGES}/latest/pieeprom-2025-05-08.bin"), Some(3))));
    // A board with images of its own takes those.
    let own = format!("{IMAGES}/default-d04170/pieeprom-2025-05-08.bin");
    machine.put(&own, synthetic(BUILT, 4, b""));
    assert_eq!(image(&machine), Some((own, Some(4))));
    // From the device tree the code comes with its leading zeros.
    let own = format!("{IMAGES}/default-00d04170/pieeprom-2025-05-08.bin");
    machine.put(&own, synthetic(BUILT, 6, b""));
    assert_eq!(image(&machine), Some((own, Some(6))));
    // The settings name another root.
    machine.put(settings::PATH, "FIRMWARE_ROOT=\"/opt/bl\"\nFIRMWARE_RELEASE_STATUS=beta\n");
    machine.put("/opt/bl-2712/beta/pieeprom-2025-05-08.bin", synthetic(BUILT, 5, b""));
    assert_eq!(image(&machine).unwrap().1, Some(5));
}

#[test]
fn whether_it_would_be_flashed_at_once() {
    let immediate = |installed: &str, spi: bool, settings: &str, script: &str| {
        let machine = Machine::on_sd();
        machine.replay(&format!("euid = 0\ninstalled = [{installed}]\n"));
        machine.put(settings::PATH, settings);
        if spi {
            machine.put("/dev/spidev10.0", "");
        }
        if !script.is_empty() {
            machine.put("/usr/bin/rpi-eeprom-update", script);
        }
        machine.read().eeprom.immediate
    };
    assert_eq!(immediate("", true, "", ""), Some(false));
    assert_eq!(immediate("\"flashrom\"", false, "", ""), Some(false));
    let flashrom = |settings: &str, script: &str| immediate("\"flashrom\"", true, settings, script);
    assert_eq!(flashrom("", ""), Some(true));
    assert_eq!(flashrom("RPI_EEPROM_IMMEDIATE_UPDATE=1\n", ""), Some(true));
    let both = "RPI_EEPROM_IMMEDIATE_UPDATE=0\nRPI_EEPROM_USE_FLASHROM=0\n";
    assert_eq!(flashrom(both, ""), Some(false));
    let newer = "RPI_EEPROM_IMMEDIATE_UPDATE=0\n";
    assert_eq!(flashrom(newer, ""), None);
    assert_eq!(flashrom(newer, "x=${RPI_EEPROM_IMMEDIATE_UPDATE:-1}"), Some(false));
    assert_eq!(flashrom(newer, "x=${RPI_EEPROM_USE_FLASHROM:-1}"), Some(true));
}

/// As rpi-eeprom-update chooses: A/B needs the firmware's word and an image
/// with that layout.
#[test]
fn whether_the_ab_tool_would_flash_at_once() {
    const OK: Option<(i32, &str)> = Some((0, "SPI check: OK"));
    const FAILED: Option<(i32, &str)> = Some((255, "SPI check: Failed"));
    const NO_ANSWER: Option<(i32, &str)> = Some((255, "Failed to get SPI check: no mailbox"));
    let immediate = |euid: u32, check: Option<(i32, &str)>, layout: bool, flashrom: bool, settings: &str| {
        let machine = Machine::on_sd();
        let tools = if flashrom { "\"rpi-eeprom-ab\", \"flashrom\"" } else { "\"rpi-eeprom-ab\"" };
        let answer = check.map_or_else(String::new, |(status, said)| {
            format!("[[program]]\nargv = [\"rpi-eeprom-ab\", \"spi-check\"]\nstatus = {status}\nstdout = \"{said}\\n\"\n")
        });
        machine.replay(&format!("euid = {euid}\ninstalled = [{tools}]\n{answer}"));
        machine.put(settings::PATH, settings);
        if flashrom {
            machine.put("/dev/spidev10.0", "");
        }
        let mut image = synthetic(BUILT, 1, b"");
        if layout {
            image[0x10008..0x10010].copy_from_slice(b"bootsys\0");
        }
        machine.put(&format!("{IMAGES}/default/pieeprom-2025-05-08.bin"), image);
        machine.read().eeprom.immediate
    };
    assert_eq!(immediate(0, OK, true, false, ""), Some(true));
    assert_eq!(
        immediate(0, OK, true, false, "RPI_EEPROM_IMMEDIATE_UPDATE=0\nRPI_EEPROM_USE_FLASHROM=0\n"),
        Some(false)
    );
    assert_eq!(immediate(0, OK, false, true, ""), Some(false), "staged, although flashrom is there");
    for no in [FAILED, NO_ANSWER] {
        assert_eq!(immediate(0, no, true, false, ""), Some(false));
        assert_eq!(immediate(0, no, true, true, ""), Some(true), "flashrom");
    }
    assert_eq!(immediate(0, OK, false, true, "AB_EEPROM=0\n"), Some(true), "flashrom");
    assert_eq!(immediate(1000, FAILED, true, false, ""), Some(false));
    for unknown in [NO_ANSWER, None] {
        assert_eq!(immediate(1000, unknown, true, false, ""), None);
        assert_eq!(immediate(1000, unknown, true, true, ""), Some(true), "by the one or the other");
        assert_eq!(immediate(1000, unknown, false, false, ""), Some(false), "neither");
    }
}

#[test]
fn reasons_against_a_change() {
    let machine = Machine::on_sd();
    assert_eq!(machine.read().eeprom.settings_notes, [""; 0]);
    machine.put(settings::PATH, "BOOTFS=/boot/firmware/\nEEPROM_CONFIG_HOOK=/usr/local/bin/hook\n");
    machine.put("/boot/firmware/config.txt", "#eeprom_write_protect=1\neeprom_write_protect=1\n");
    let notes = machine.read().eeprom.settings_notes;
    assert_eq!(notes.len(), 2);
    assert!(notes[0].starts_with("EEPROM_CONFIG_HOOK=/usr/local/bin/hook"));
    assert!(notes[1].starts_with("eeprom_write_protect=1 in /boot/firmware/config.txt"));
}
