//! Every row of the table of configurations with known meaning: what it means,
//! and that the block makes it mean Gen 3 on an enabled port, once.

use super::*;

const B: &str = "dtparam=pciex1\ndtparam=pciex1_gen=3\n";
const P: &str = "dtparam=pciex1\n";
const G: &str = "dtparam=pciex1_gen=3\n";
const ON: &[bool] = &[true];
const OFF: &[bool] = &[false];
const EITHER: &[bool] = &[false, true];

/// Input, port, generation, the lines that the block holds below its comment.
type Row = (String, &'static [bool], &'static [u32], &'static str);

fn rows() -> Vec<Row> {
    let all = "[all]\ndtparam=pciex1\ndtparam=pciex1_gen=3\n";
    let all_p = "[all]\ndtparam=pciex1\n";
    let all_g = "[all]\ndtparam=pciex1_gen=3\n";
    let closed = "[all]\ndtoverlay=\ndtparam=pciex1\ndtparam=pciex1_gen=3\n";
    let long = format!("{:<98}{G}{P}", "# a comment whose tail is a setting");
    vec![
        (String::new(), OFF, &[2], all),
        (P.into(), ON, &[2], all_g),
        ("dtparam=nvme\n".into(), ON, &[2], all_g),
        ("dtparam=pciex1=off\n".into(), OFF, &[2], all),
        (G.into(), OFF, &[3], all_p),
        (B.into(), ON, &[3], ""),
        ("dtparam=pciex1,pciex1_gen=3\n".into(), ON, &[3], ""),
        (format!("{P}dtparam=pciex1_gen=2\n{G}"), ON, &[3], ""),
        (format!("{B}dtparam=pciex1_gen=2\n"), ON, &[2], all_g),
        (format!("{B}dtparam=nvme=off\n"), OFF, &[3], all_p),
        (format!("[cm4]\n{B}"), OFF, &[2], all),
        (format!("{P}[pi4]\ndtparam=audio=on\n"), ON, &[2], all_g),
        (format!("[pi5]\n{B}"), ON, &[3], ""),
        (format!("[none]\n{B}"), OFF, &[2], all),
        (format!("[pi4]\n[pi5]\n{B}"), ON, &[3], ""),
        (format!("[pi5]\n[EDID=VSC-TD2220]\n{B}"), EITHER, &[2, 3], all),
        (format!("[board-type=0x17]\n{B}"), ON, &[3], ""),
        (format!("[pi6]\n{B}"), EITHER, &[2, 3], all),
        ("#dtparam=pciex1\n#dtparam=pciex1_gen=3\n".into(), OFF, &[2], all),
        ("dtparam=pciex1\n# end".into(), ON, &[2], all_g),
        (B.replace('\n', "\r\n"), EITHER, &[2, 3], all),
        (format!("dtoverlay=vc4-kms-v3d\n{B}"), ON, &[3], ""),
        (
            "dtoverlay=vc4-kms-v3d\n[cm5]\ndtoverlay=dwc2,dr_mode=host\n[pi5]\ndtoverlay=nospi10\n[all]\n"
                .into(),
            OFF,
            &[2],
            closed,
        ),
        (format!("{P}dtparam=pciex1_gen\n"), ON, &[1], all_g),
        (format!("dtparam=pciex1=ON\n{G}"), OFF, &[3], all_p),
        // The extras.
        ("dtparam = pciex1\ndtparam=pciex1_gen = 3\n".into(), OFF, &[2], all),
        (format!("{P}dtparam=pciex1_gen=0x3\n"), ON, &[3], ""),
        (format!("{P}dtparam=pciex1_gen=3 # fast\n"), ON, &[2, 3], all_g),
        (format!("{P}dtparam=pciex1_gen3\n"), ON, &[2], all_g),
        (format!("{P}device_tree_param=pciex1_gen=3\n"), ON, &[3], ""),
        (format!("[tryboot]\n{B}"), OFF, &[2], all),
        (format!("[gpio4=1]\n{B}"), EITHER, &[2, 3], all),
        ("  [pi5]\n  dtparam=pciex1\n".into(), ON, &[2], all_g),
        (format!("[PI4]\n{B}"), EITHER, &[2, 3], all),
        (format!("[none]\n[pi5]\n{B}"), EITHER, &[2, 3], all),
        (format!("dtoverlay=missing\n{B}"), EITHER, &[2, 3], closed),
        (format!("dtoverlay=vc4-kms-v3d\ndtoverlay=\n{B}"), ON, &[3], ""),
        ("[pi5]\ndtoverlay=nospi10\n".into(), OFF, &[2], closed),
        (long, ON, &[2, 3], all_g),
        (format!("{P}dtparam=pciex1_gen=\n"), ON, &[0], all_g),
        (format!("{P}dtparam=pciex1_gen=4\n"), ON, &[4], all_g),
        (format!("{P}dtparam=pciex1_gen=3 \n"), ON, &[2, 3], all_g),
        (format!("[0x12345678]\n{B}"), OFF, &[2], all),
    ]
}

#[test]
fn every_row_means_what_it_means_and_is_completed() {
    for (text, port, generation, block) in rows() {
        let files = top(&text);
        let meaning = read(&files, &pi5());
        assert_eq!(values(&meaning.port), port, "{text}");
        assert_eq!(values(&meaning.generation), generation, "{text}");
        let new = append(&files, &pi5(), GEN3);
        let expected = if block.is_empty() { text.clone() } else { with_block(&text, block) };
        assert_eq!(String::from_utf8_lossy(&new), expected);
        assert_goal(&files, &pi5());
    }
}

#[test]
fn a_file_that_is_included_is_read_and_not_written() {
    let mut files = top("include extra.txt\n");
    files.includes.insert("extra.txt".into(), B.into());
    let meaning = read(&files, &pi5());
    assert!(meaning.port.value.is_certainly(&true) && meaning.generation.value.is_certainly(&3));
    let line = &meaning.generation.lines[0];
    assert_eq!((line.file.as_str(), line.line, line.text.as_str()), ("extra.txt", 2, "dtparam=pciex1_gen=3"));
    assert_eq!(append(&files, &pi5(), GEN3), files.top);
}

#[test]
fn a_port_that_the_firmware_enables_is_written_all_the_same() {
    let conditions = Conditions { port_enabled_by_firmware: true, ..pi5() };
    let meaning = read(&top(""), &conditions);
    assert!(meaning.port.value.is_certainly(&true) && meaning.port.lines.is_empty());
    assert_eq!(append(&top(""), &conditions, GEN3), with_block("", &format!("[all]\n{B}")).into_bytes());
    // Whether `off` prevails is not settled.
    assert_eq!(values(&read(&top("dtparam=pciex1=off\n"), &conditions).port), EITHER);
    assert_goal(&top("dtparam=pciex1=off\n"), &conditions);
}

#[test]
fn the_bootloaders_own_section_comes_last() {
    let mut files = top(B);
    files.eeprom_section = Some(b"dtparam=pciex1_gen=2\n".to_vec());
    let meaning = read(&files, &pi5());
    assert!(meaning.generation.value.is_certainly(&2));
    assert_eq!(meaning.generation.lines[0].file, "EEPROM");
    // Nothing that is appended can win: it is tried once and does not pile up.
    let once = append(&files, &pi5(), GEN3);
    let again = Files { top: once.clone(), ..files };
    assert_eq!(append(&again, &pi5(), GEN3), once);
}

#[test]
fn the_compute_module_depends_on_the_bootloader() {
    let text = format!("[pi5]\n{B}");
    for (bootloader, expected) in [(Some(1_717_602_109), ON), (Some(1_715_613_301), OFF), (None, EITHER)] {
        let conditions =
            Conditions { board: BoardKind::Cm5, revision: Some(0x00b0_4180), bootloader, ..pi5() };
        assert_eq!(values(&read(&top(&text), &conditions).port), expected, "{bootloader:?}");
        assert_goal(&top(&text), &conditions);
    }
}
