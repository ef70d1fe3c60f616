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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

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
