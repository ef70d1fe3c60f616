//! What must hold for any bytes, and for lines as people write them.

use super::*;
use proptest::prelude::*;

fn line() -> impl Strategy<Value = Vec<u8>> {
    let known = prop::sample::select(vec![
        "[all]",
        "[none]",
        "[pi5]",
        "[cm5]",
        "[PI5]",
        "[pi6]",
        "[EDID=A]",
        "[gpio4=1]",
        "[tryboot]",
        "[board-type=0x17]",
        "[board-type=0x18]",
        "[partition=2]",
        "[boot_partition=1]",
        "[0x12345678]",
        "[pi5",
        "include a.txt",
        "include b.txt",
        "dtparam=pciex1",
        "dtparam=nvme=off",
        "dtparam=pciex1_gen=3",
        "dtparam=pciex1_gen=2,pciex1=off",
        "dtparam=pciex1_gen",
        "DTPARAM=pciex1_gen=1",
        "dtparam = pciex1",
        "dtoverlay=",
        "dtoverlay=missing",
        "dtoverlay=vc4-kms-v3d",
        "# pi5-nvme: added by setup; `sudo pi5-nvme undo` takes it back",
        "# note",
        "",
        "os_prefix=current/",
    ]);
    let end = prop::sample::select(vec!["\n", "\n", "\n", "\r\n", " \n", " # x\n", ""]);
    prop_oneof![
        12 => (known, end).prop_map(|(line, end)| format!("{line}{end}").into_bytes()),
        1 => (90usize..110).prop_map(|width| format!("{:<width$}dtparam=pciex1=off\n", "#").into_bytes()),
        1 => proptest::collection::vec(any::<u8>(), 0..120),
    ]
}

fn lines(most: usize) -> impl Strategy<Value = Vec<u8>> {
    proptest::collection::vec(line(), 0..most).prop_map(|lines| lines.concat())
}

fn without_block(text: &[u8]) -> &[u8] {
    super::super::without_own_block(text).0
}

/// Settled rules only, from the first line to the last: the other way round
/// than the evaluation goes.
fn forward(lines: &[&str]) -> (bool, u32) {
    let (mut board, mut boot, mut port, mut generation) = (true, true, false, 2);
    for line in lines {
        match *line {
            "[all]" => (board, boot) = (true, true),
            "[pi5]" => board = true,
            "[cm5]" | "[pi4]" => board = false,
            "[tryboot]" => boot = false,
            _ => {
                let list = line.strip_prefix("dtparam=").filter(|_| board && boot).unwrap_or_default();
                for param in list.split(',') {
                    match param {
                        "pciex1" | "nvme=on" => port = true,
                        "pciex1=off" | "nvme=no" => port = false,
                        "pciex1_gen" => generation = 1,
                        _ => {
                            let number = param.strip_prefix("pciex1_gen=").and_then(|n| n.parse().ok());
                            generation = number.unwrap_or(generation);
                        }
                    }
                }
            }
        }
    }
    (port, generation)
}

fn settled_line() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "[all]",
        "[pi5]",
        "[cm5]",
        "[pi4]",
        "[tryboot]",
        "dtparam=pciex1",
        "dtparam=nvme=on,pciex1_gen=3",
        "dtparam=pciex1=off",
        "dtparam=pciex1_gen=2,nvme=no",
        "dtparam=pciex1_gen=1",
        "dtparam=pciex1_gen",
        "dtparam=pciex1_gen=gen3",
        "dtoverlay=dwc2,pciex1=off",
        "#dtparam=pciex1_gen=1",
    ])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn settled_rules_give_what_reading_forward_gives(
        lines in proptest::collection::vec(settled_line(), 0..20), from in 0usize..20, to in 0usize..20,
    ) {
        // Some of the lines stand in an included file, if that changes nothing.
        let (from, to) = (from.min(lines.len()), to.min(lines.len()));
        let mut text: Vec<String> = lines.iter().map(|line| format!("{line}\n")).collect();
        let mut files = Files::default();
        if from < to && !lines[from..to].iter().any(|line| line.starts_with('[')) {
            files.includes.insert("a.txt".into(), text[from..to].concat().into_bytes());
            text.splice(from..to, ["include a.txt\n".to_owned()]);
        }
        files.top = text.concat().into_bytes();
        let meaning = read(&files, &pi5());
        let (port, generation) = forward(&lines);
        prop_assert_eq!(meaning.port.value, Value::Certain(port));
        prop_assert_eq!(meaning.generation.value, Value::Certain(generation));
    }

    #[test]
    fn the_block_reaches_the_goal_once(
        text in lines(14), a in lines(5), b in lines(5), by_firmware: bool, generation in 1u32..=3,
    ) {
        let mut files = top(&text);
        files.includes.insert("a.txt".into(), a);
        files.includes.insert("b.txt".into(), b);
        let conditions = Conditions { port_enabled_by_firmware: by_firmware, ..pi5() };
        let wanted = Wanted { port: true, generation: Some(generation) };
        let new = append(&files, &conditions, wanted);
        prop_assert!(new.starts_with(without_block(&text)));
        let after = Files { top: new.clone(), ..files };
        let meaning = read(&after, &conditions);
        prop_assert!(meaning.port.value.is_certainly(&true));
        prop_assert!(meaning.generation.value.is_certainly(&generation));
        prop_assert_eq!(append(&after, &conditions, wanted), new);
    }

    #[test]
    fn the_bootloaders_section_cannot_make_blocks_pile_up(text in lines(8), section in lines(6)) {
        let files = Files { eeprom_section: Some(section), ..top(&text) };
        let new = append(&files, &pi5(), GEN3);
        prop_assert!(new.starts_with(without_block(&text)));
        let after = Files { top: new.clone(), ..files };
        prop_assert_eq!(append(&after, &pi5(), GEN3), new);
    }

    #[test]
    fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let files = top(&bytes);
        let _ = (read(&files, &pi5()), includes(&bytes));
        assert_goal(&files, &pi5());
    }
}
