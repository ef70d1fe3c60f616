//! Configurations as they are shipped and as people have made them.

use super::*;
use crate::terms::BoardKind;
use proptest::prelude::*;

const NVME_FIRST: Option<BootOrder> = Some(BootOrder(0xf416));
const COMMENT: &str = "# pi5-nvme: added by setup; `sudo pi5-nvme undo` takes it back\n[all]\n";

fn pi5() -> Conditions {
    Conditions {
        board: BoardKind::Pi5,
        revision: Some(0x00d0_4170),
        serial: Some(0x1000_0000_abcd_ef01),
        tryboot: false,
        partition: Some(1),
        bootloader: Some(1_755_000_000),
        overlays: None,
        port_enabled_by_firmware: false,
    }
}

fn order_of(text: &str) -> (Option<u32>, bool) {
    let meaning = read(text.as_bytes(), &pi5());
    (meaning.boot_order.map(|order| order.0), meaning.boot_order_certain)
}

#[test]
fn the_last_effective_order_wins() {
    for (text, order, certain) in [
        ("[all]\nBOOT_UART=1\nBOOT_ORDER=0xf461\nNET_INSTALL_AT_POWER_ON=1\n", Some(0xf461), true),
        ("[all]\nBOOT_UART=1\nBOOT_ORDER=0xf641\n", Some(0xf641), true),
        ("BOOT_ORDER=0xf416 # first the drive\nPCIE_PROBE=1 # for this board\n", Some(0xf416), true),
        ("[all]\nBOOT_UART=1\nPOWER_OFF_ON_HALT=0\n#BOOT_ORDER=0xf41\n", None, true),
        ("[all]\nBOOT_ORDER=0xf41\n\n[tryboot]\nBOOT_ORDER=0xf14\n", Some(0xf41), true),
        ("# BOOT_ORDER=0xf2461\n\n# USB first\nBOOT_ORDER=0xf2641\n", Some(0xf2641), true),
        ("[all]\nPCIE_PROBE=1\nBOOT_ORDER=0xf4167\n", Some(0xf4167), true),
        ("BOOT_ORDER=0xf41\nBOOT_ORDER=0xf416\n", Some(0xf416), true),
        ("BOOT_ORDER=0xf461\n[none]\nBOOT_ORDER=0xf416", Some(0xf461), true),
        ("BOOT_ORDER=0xf461\n[cm5]\nBOOT_ORDER=0xf416\n", Some(0xf461), true),
        ("BOOT_ORDER=0xf461\r\nPCIE_PROBE=1\r\n", Some(0xf461), true),
        ("BOOT_ORDER=0xf461\n[gpio17=0]\nBOOT_ORDER=0xf2\n", Some(0xf2), false),
        ("BOOT_ORDER=0xf461\n[partition=1]\nBOOT_ORDER=0xf2\n", Some(0xf2), false),
        ("BOOT_ORDER=0xf461\n[pi6]\nBOOT_ORDER=0xf2\n", Some(0xf461), false),
        ("BOOT_ORDER=nvme\n", None, false),
        ("boot_order=0xf416\nBOOT_ORDER = 0xf416\n", None, true),
        ("BOOT_ORDER=0xf461\n[config.txt]\nBOOT_ORDER=0xf416\n", Some(0xf461), true),
        ("", None, true),
    ] {
        assert_eq!(order_of(text), (order, certain), "{text:?}");
    }
}

#[test]
fn the_other_keys_are_read() {
    let text = "[none]\nFREEZE_VERSION=1\nSIGNED_BOOT=1\n[all]\nPCIeTopology=1\nPCIE_PROBE=1\n\
                [cm5]\nNOBODY=1\n[all]\n#ENABLE_SELF_UPDATE=0\n [config.txt] \ndtparam=pciex1=off\n";
    let meaning = read(text.as_bytes(), &pi5());
    assert!(meaning.frozen && meaning.signed_boot && meaning.self_update_off && meaning.pcie_probe);
    assert_eq!(meaning.config_txt_section.as_deref(), Some(&b"dtparam=pciex1=off\n"[..]));
    assert_eq!(meaning.unknown_keys, ["PCIeTopology"]);
    let plain = read(b"[all]\nBOOT_UART=1\nSIGNED_BOOT=0\nPCIE_PROBE=0\n", &pi5());
    assert!(!plain.frozen && !plain.signed_boot && !plain.self_update_off && !plain.pcie_probe);
    assert!(plain.unknown_keys.is_empty() && plain.config_txt_section.is_none());
    let probe = |text: &str| read(text.as_bytes(), &pi5()).pcie_probe;
    assert!(!probe("PCIE_PROBE=1\n[all]\nPCIE_PROBE=0\n"));
    assert!(!probe("[gpio4=1]\nPCIE_PROBE=1\n"));
}

#[test]
fn text_behind_a_number_is_pointed_at() {
    let text = b"BOOT_ORDER=0xf416 # first\nPCIE_PROBE=1 # needed\r\nBOOT_ORDER=0xf41\r\nPCIE_PROBE=1\n#BOOT_ORDER=1 #\n";
    assert_eq!(trailing_text(text), ["BOOT_ORDER=0xf416 # first", "PCIE_PROBE=1 # needed"]);
}

#[test]
fn one_block_is_added_and_only_what_differs() {
    for (text, order, probe, block) in [
        ("[all]\nBOOT_UART=1\nBOOT_ORDER=0xf461\n", NVME_FIRST, false, "BOOT_ORDER=0xf416\n"),
        ("[all]\nBOOT_UART=1\nBOOT_ORDER=0xf461\n", NVME_FIRST, true, "BOOT_ORDER=0xf416\nPCIE_PROBE=1\n"),
        ("[all]\nBOOT_ORDER=0xf416\n", NVME_FIRST, true, "PCIE_PROBE=1\n"),
        ("BOOT_ORDER=0xf416 # x\nPCIE_PROBE=1 # y\n", NVME_FIRST, true, ""),
        ("[all]\nBOOT_UART=1\n#BOOT_ORDER=0xf41\n", NVME_FIRST, false, "BOOT_ORDER=0xf416\n"),
        (
            "[all]\nBOOT_ORDER=0xf41\n\n[tryboot]\nBOOT_ORDER=0xf14\n",
            NVME_FIRST,
            false,
            "BOOT_ORDER=0xf416\n",
        ),
        ("BOOT_ORDER=0xf461\n[none]\nUART_BAUD=921600", NVME_FIRST, false, "BOOT_ORDER=0xf416\n"),
        ("BOOT_ORDER=0xf416\n[gpio17=0]\nBOOT_ORDER=0xf2\n", NVME_FIRST, false, "BOOT_ORDER=0xf416\n"),
        ("BOOT_ORDER=0xf416\n[config.txt]\ndtparam=audio=on\n", NVME_FIRST, false, ""),
        ("anything", None, false, ""),
    ] {
        let end = if block.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        let comment = if block.is_empty() { "" } else { COMMENT };
        let new = append(text.as_bytes(), &pi5(), order, probe).unwrap();
        assert_eq!(String::from_utf8_lossy(&new), format!("{text}{end}{comment}{block}"));
        assert_eq!(append(&new, &pi5(), order, probe).as_ref(), Ok(&new), "twice: {text}");
        assert!(block.is_empty() || new.iter().filter(|byte| **byte == b'\n').count() >= 3);
    }
}

#[test]
fn an_own_block_that_stands_last_is_replaced() {
    let text = "[all]\nBOOT_ORDER=0xf461\n";
    let once = append(text.as_bytes(), &pi5(), NVME_FIRST, true).unwrap();
    let other = append(&once, &pi5(), Some(BootOrder(0xf146)), false).unwrap();
    assert_eq!(String::from_utf8_lossy(&other), format!("{text}{COMMENT}BOOT_ORDER=0xf146\nPCIE_PROBE=1\n"));
    assert_eq!(append(&once, &pi5(), Some(BootOrder(0xf461)), false).unwrap(), {
        format!("{text}{COMMENT}PCIE_PROBE=1\n").into_bytes()
    });
    let foreign = [&once[..], b"BOOT_UART=1\n"].concat();
    assert!(append(&foreign, &pi5(), Some(BootOrder(0xf146)), false).unwrap().starts_with(&foreign));
}

#[test]
fn what_cannot_be_done_is_said() {
    for text in ["", " \n\n", "[config.txt]\n", "BOOT_ORDER=0xf41\n[CONFIG.TXT]\n", "BOOT_ORDER=0xf41\0\n"] {
        assert!(append(text.as_bytes(), &pi5(), NVME_FIRST, false).is_err(), "{text:?}");
    }
    let full = format!("{:#<4000}\n", "");
    assert!(append(full.as_bytes(), &pi5(), NVME_FIRST, true).unwrap_err().contains("4076"));
}

#[test]
fn every_collected_configuration_can_be_completed() {
    let Some(files) = crate::formats::sweep::folder("eeprom") else { return };
    for (name, text) in files {
        let before = read(&text, &pi5());
        let order = before.boot_order.unwrap_or(BootOrder::DEFAULT);
        assert!(before.boot_order_certain, "{name}");
        let wanted = order.with_nvme_first();
        let new = append(&text, &pi5(), wanted, true).unwrap();
        assert!(new.starts_with(&text), "{name}");
        let after = read(&new, &pi5());
        assert_eq!(
            (after.boot_order, after.boot_order_certain, after.pcie_probe),
            (wanted, true, true),
            "{name}"
        );
        assert_eq!(append(&new, &pi5(), wanted, true), Ok(new), "{name}");
    }
}

fn line() -> impl Strategy<Value = Vec<u8>> {
    let known = prop::sample::select(vec![
        "[all]",
        "[none]",
        "[pi5]",
        "[PI5]",
        "[pi6]",
        "[cm5] ",
        "[tryboot]",
        "[gpio4=1]",
        "[partition=2]",
        "[bad",
        "BOOT_ORDER=0xf41",
        "BOOT_ORDER=0xf416 # x",
        "BOOT_ORDER=",
        "PCIE_PROBE=1",
        "PCIE_PROBE=0",
        "# note",
        "",
    ]);
    let end = prop::sample::select(vec!["\n", "\r\n", ""]);
    prop_oneof![
        8 => (known, end).prop_map(|(line, end)| format!("{line}{end}").into_bytes()),
        1 => proptest::collection::vec(1u8..=255, 0..120),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]
    #[test]
    fn after_the_append_the_order_is_the_one_wanted(lines in proptest::collection::vec(line(), 0..12), probe: bool) {
        let text = lines.concat();
        if let Ok(new) = append(&text, &pi5(), NVME_FIRST, probe) {
            let meaning = read(&new, &pi5());
            prop_assert!(new.starts_with(&text));
            prop_assert_eq!((meaning.boot_order, meaning.boot_order_certain), (NVME_FIRST, true));
            prop_assert!(meaning.pcie_probe || !probe);
            prop_assert_eq!(append(&new, &pi5(), NVME_FIRST, probe), Ok(new));
        } else {
            prop_assert!(text.trim_ascii().is_empty() || parts(&text).1.is_some());
        }
    }
}
