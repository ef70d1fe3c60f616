//! The rules of filters, includes and overlays, settled and not.

use super::*;

const B: &str = "dtparam=pciex1\n";
const ON: &[bool] = &[true];
const OFF: &[bool] = &[false];
const EITHER: &[bool] = &[false, true];

fn port(text: &str) -> Vec<bool> {
    values(&read(&top(text), &pi5()).port)
}

#[test]
fn filters_of_one_kind_replace_and_of_several_must_all_hold() {
    for (filters, expected) in [
        ("[cm5]\n", OFF),
        ("[pi500]\n", OFF),
        ("[pi4]\n[all]\n", ON),
        ("[pi4]\n[EDID=X]\n", OFF),
        ("[EDID=X]\n[pi4]\n", OFF),
        ("[EDID=X]\n[pi5]\n", EITHER),
        ("[HDMI:1]\n", EITHER),
        ("[gpio4=1]\n[gpio4=0]\n", EITHER),
        ("[gpio4]\n", EITHER),
        ("[tryboot]\n[pi5]\n", OFF),
        ("[none]\n[all]\n", ON),
        ("[none]\n[tryboot]\n", OFF),
        ("[pi5]\n[none]\n", OFF),
        ("[board-type=0x18]\n", OFF),
        ("[board-type=23]\n", ON),
        ("[board-type=0x17]\n[pi4]\n", OFF),
        ("[pi4]\n[board-type=0x17]\n", EITHER),
        ("[board-type=x]\n", EITHER),
        ("[pi6]\n[pi5]\n", ON),
        ("[pi5]\n[pi6]\n", EITHER),
        ("[pi4]\n[pi6]\n", OFF),
        ("[0x10000000abcdef01]\n", ON),
        ("[0xABCDEF01]\n", EITHER),
        ("[0x1]\n", OFF),
        ("[partition=1]\n", EITHER),
        ("[partition=2]\n", EITHER),
        ("[boot_partition=1]\n", ON),
        ("[boot_partition=2]\n", OFF),
        ("[partition=2]\n[boot_partition=1]\n", EITHER),
        ("[boot_partition=2]\n[partition=2]\n", EITHER),
        ("[boot_partition>0]\n", ON),
        ("[boot_partition<1]\n", OFF),
        ("[boot_partition&1]\n", ON),
        ("[boot_partition&3=2]\n", OFF),
        ("[boot_count>3]\n", EITHER),
        ("[boot_arg1=x]\n", EITHER),
        ("[pi5\n", EITHER),
        ("[pi5] # mine\n", EITHER),
        ("[pi4] \n", EITHER),
        ("[pi5]\r\n", EITHER),
        ("[ALL]\n", EITHER),
        ("[pi4]\n[All]\n", EITHER),
        ("[edid=X]\n", EITHER),
        ("[]\n", EITHER),
    ] {
        assert_eq!(port(&format!("{filters}{B}")), expected, "{filters}");
        assert_goal(&top(format!("{filters}{B}")), &pi5());
    }
}

#[test]
fn what_is_not_known_of_the_board_stays_open() {
    let unknown = Conditions { revision: None, serial: None, partition: None, overlays: None, ..pi5() };
    for (filter, expected) in
        [("[0x1]", EITHER), ("[boot_partition=1]", EITHER), ("[board-type=0x17]", ON), ("[pi5]", ON)]
    {
        let files = top(format!("{filter}\ndtoverlay=missing\n{B}"));
        assert_eq!(values(&read(&files, &unknown).port), expected, "{filter}");
    }
    // Before 2025-03-10 [boot_partition=N] was text that nobody knows.
    for (built, expected) in [(1_741_626_636, EITHER), (1_741_626_637, OFF)] {
        let dated = Conditions { bootloader: Some(built), ..pi5() };
        assert_eq!(values(&read(&top(format!("[boot_partition=2]\n{B}")), &dated).port), expected, "{built}");
    }
    let other = Conditions { board: BoardKind::Other, revision: Some(0x00c0_3114), ..pi5() };
    assert_eq!(values(&read(&top(format!("[pi4]\n{B}")), &other).port), EITHER);
}

#[test]
fn a_byte_order_mark_may_spoil_the_first_line_only() {
    assert_eq!(port("\u{feff}dtparam=pciex1\n"), EITHER);
    assert_eq!(port("\u{feff}#\ndtparam=pciex1\n"), ON);
    assert_eq!(port("\u{feff}[cm4]\ndtparam=pciex1\n"), EITHER);
}

#[test]
fn filters_of_an_included_file_may_stay_in_force() {
    let with = |text: &str, included: &str| {
        let mut files = top(text);
        files.includes.insert("a.txt".into(), included.into());
        assert_goal(&files, &pi5());
        values(&read(&files, &pi5()).port)
    };
    assert_eq!(with("include a.txt\ndtparam=pciex1\n", "[pi4]\n"), EITHER);
    assert_eq!(with("include a.txt\n[all]\ndtparam=pciex1\n", "[pi4]\n"), ON);
    assert_eq!(with("[pi4]\ninclude a.txt\n[all]\n", "dtparam=pciex1\n"), OFF);
    assert_eq!(with("[pi4]\ninclude a.txt\n", "[pi5]\ndtparam=pciex1\n"), OFF);
    assert_eq!(with("[gpio4=1]\ninclude a.txt\n", "dtparam=pciex1\n"), EITHER);
    assert_eq!(with("dtparam=pciex1\ninclude a.txt\n", "dtparam=pciex1=off\n[all]\ninclude a.txt\n"), OFF);
    assert_eq!(with("include a.txt\r\n", "dtparam=pciex1\n"), EITHER);
    assert_eq!(with("  include   a.txt", "dtparam=pciex1\n"), ON);
    assert_eq!(with("include sub/a.txt\ninclude b.txt", "dtparam=pciex1\n"), OFF);
    assert_eq!(with("[none]\ninclude a.txt\ndtparam=pciex1\n", "[all]\n"), OFF);
}

#[test]
fn files_that_include_each_other_end() {
    let mut files = top("include a.txt\ninclude b.txt\n".repeat(50));
    files.includes.insert("a.txt".into(), "include b.txt\n[pi6]\ndtparam=pciex1\n".repeat(50).into());
    files.includes.insert("b.txt".into(), "include a.txt\n[EDID=X]\ndtparam=pciex1=off\n".repeat(50).into());
    assert_eq!(values(&read(&files, &pi5()).port), EITHER);
    assert_goal(&files, &pi5());
}

#[test]
fn thousands_of_includes_end_too() {
    let mut files = top("include a.txt\n".repeat(30_000) + "dtparam=pciex1\n");
    files.includes.insert("a.txt".into(), b"[pi4]\n".to_vec());
    assert_eq!(values(&read(&files, &pi5()).port), EITHER);
    assert_goal(&files, &pi5());
}

#[test]
fn parameters_of_an_overlay_are_its_own() {
    assert_eq!(port("dtoverlay=vc4-kms-v3d,pciex1\n"), OFF);
    assert_eq!(port("dtparam=pciex1\ndtoverlay=missing,nvme=off\n"), ON);
    assert_eq!(port("dtoverlay=missing\ndtoverlay=dwc2\ndtparam=pciex1\n"), ON);
    assert_eq!(port("dtoverlay=missing\n[cm4]\ndtoverlay=\n[all]\ndtparam=pciex1\n"), EITHER);
    assert_eq!(port("[cm4]\ndtoverlay=missing\n[all]\ndtparam=pciex1\n"), ON);
    assert_eq!(port("device_tree_overlay=missing\ndtparam=pciex1\n"), EITHER);
    assert_eq!(port("dtoverlay=dwc2:dr_mode=host\ndtparam=pciex1\n"), ON);
    assert_eq!(port("DTPARAM=pciex1\n"), EITHER);
}

#[test]
fn lines_that_decide_are_named_in_order() {
    let text = "dtparam=pciex1_gen=2\n[pi6]\ndtparam=pciex1_gen=3\n[all]\n#\ndtparam=pciex1_gen=1 # slow\n";
    let generation = read(&top(text), &pi5()).generation;
    assert_eq!(generation.value, Value::Uncertain(vec![1, 2, 3]));
    assert_eq!(generation.lines.iter().map(|line| line.line).collect::<Vec<_>>(), [1, 3, 6]);
    let certain = read(&top("dtparam=pciex1_gen=2\ndtparam=pciex1_gen=3\n"), &pi5()).generation;
    assert_eq!(certain.lines.iter().map(|line| line.line).collect::<Vec<_>>(), [2]);
}

#[test]
fn more_readings_than_can_be_tried_are_uncertain_and_still_completed() {
    let text: String = (0..40).map(|n| format!("[EDID=A{n}]\n[gpio{n}=1]\n[boot_count>{n}]\n{B}")).collect();
    assert_eq!(port(&text), EITHER);
    assert_goal(&top(&text), &pi5());
}
