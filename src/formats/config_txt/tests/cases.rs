//! Files in the shape of those from bug reports.

use super::*;
use RemarkKind::*;

/// In the shape of the file that Raspberry Pi OS ships.
pub(super) const STOCK: &str = "\
# Uncomment some or all of these to enable the optional hardware interfaces
#dtparam=i2c_arm=on
#dtparam=spi=on

dtparam=audio=on
camera_auto_detect=1
display_auto_detect=1
auto_initramfs=1
dtoverlay=vc4-kms-v3d
max_framebuffers=2
disable_fw_kms_setup=1
arm_64bit=1
disable_overscan=1
arm_boost=1

[cm4]
otg_mode=1

[cm5]
dtoverlay=dwc2,dr_mode=host

[pi5]
dtoverlay=nospi10

[all]
";

struct Case {
    id: &'static str,
    text: &'static str,
    port: &'static [bool],
    generation: &'static [u32],
    remarks: &'static [(RemarkKind, u32)],
}

const CASES: &[Case] = &[
    Case {
        id: "cfg-01",
        text: "[all]\ndtoverlay=vc4-kms-v3d\n\n[pi5]\ndtoverlay=spi0-2cs\n#dtoverlay=disable-wifi",
        port: &[false],
        generation: &[2],
        remarks: &[],
    },
    Case {
        id: "cfg-02",
        text: "dtparam=audio=on\n[cm4]\notg_mode=1\n\n[cm5]\ndtoverlay=dwc2,dr_mode=host\ndtparam=pciex1\n",
        port: &[false],
        generation: &[2],
        remarks: &[(WrongSection, 7)],
    },
    Case {
        id: "cfg-03",
        text: "dtoverlay=dwc2dtparam=pciex1\n",
        port: &[false],
        generation: &[2],
        remarks: &[(FusedLine, 1)],
    },
    Case { id: "cfg-05", text: "[pi5]\ndtparam=pciex1\n", port: &[true], generation: &[2], remarks: &[] },
    Case {
        id: "cfg-10",
        text: "arm_boost=1\n\n[cm4]\ndtparam=pciex1_gen=3\notg_mode=1\n\n[all]\n",
        port: &[false],
        generation: &[2],
        remarks: &[(WrongSection, 4)],
    },
    Case {
        id: "cfg-14",
        text: "dtoverlay=spi1-3cs\ndtparam=cs0_pin=18\ndtoverlay=\ndtparam=pciex1\ndtparam=pciex1_gen=3\n",
        port: &[true],
        generation: &[3],
        remarks: &[],
    },
    Case {
        id: "cfg-15",
        text: "[all]\ndtparam=audio=on\n\n[cm4]\ndtoverlay=dwc2,dr_mode=host\n\n[all]\n\
               dtoverlay=vc4-kms-v3d,cma-128\n",
        port: &[false],
        generation: &[2],
        remarks: &[],
    },
    Case {
        id: "cfg-26",
        text: "[all]\ndtparam=pcie1_gen=3\ndtparam=pcie_aspm=off\ndtparam=pcie_port_pm=off\n",
        port: &[false],
        generation: &[2],
        remarks: &[(MisspeltName, 2), (WrongFile, 3), (WrongFile, 4)],
    },
    Case {
        id: "cfg-28",
        text: "[all]\ndtparam=nvme\ndtparam=pciex1_gen=3\ndtparam=usb_max_current_enable=1\n\
               dtoverlay=dwc2,dr_mode=host\n",
        port: &[true],
        generation: &[3],
        remarks: &[],
    },
    Case {
        id: "cfg-32",
        text: "[cm5]\ndtoverlay=dwc2,dr_mode=host\n[all]\navoid_safe_mode=1\ndtparam=pciex1\n\
               dtparam=pciex1_gen=3\ndtparam=arm_freq=2800\n",
        port: &[true],
        generation: &[3],
        remarks: &[],
    },
    Case {
        id: "cfg-33",
        text: "dtparam=pciex1\ndtparam=pciex1_gen=3 # if you want Gen 3\n",
        port: &[true],
        generation: &[2, 3],
        remarks: &[(TrailingText, 2)],
    },
    Case {
        id: "cfg-38",
        text: "[all]\ndtparam=pciex1_gen=3 \n",
        port: &[false],
        generation: &[2, 3],
        remarks: &[(TrailingText, 2)],
    },
    Case {
        id: "cfg-40",
        text: "dtparam=pciex1\nboot_ramdisk=1\n",
        port: &[true],
        generation: &[2],
        remarks: &[],
    },
    Case {
        id: "cfg-42",
        text: "dtparam=pciex1_gen=2\n# notes\n[all]\ndtparam=pciex1_gen=3\ndtparam=pciex1_gen=1\n",
        port: &[false],
        generation: &[1],
        remarks: &[(Overridden, 1), (Overridden, 4)],
    },
    Case { id: "stock", text: STOCK, port: &[false], generation: &[2], remarks: &[] },
];

#[test]
fn every_case_means_and_tells_what_it_should() {
    for case in CASES {
        let files = top(case.text);
        let meaning = read(&files, &pi5());
        assert_eq!(values(&meaning.port), case.port, "{}", case.id);
        assert_eq!(values(&meaning.generation), case.generation, "{}", case.id);
        let told: Vec<_> = meaning.remarks.iter().map(|remark| (remark.kind, remark.at.line)).collect();
        assert_eq!(told, case.remarks, "{}: {:?}", case.id, meaning.remarks);
        assert_goal(&files, &pi5());
    }
}

#[test]
fn a_line_is_never_fused_with_the_last_one() {
    let case = CASES.iter().find(|case| case.id == "cfg-01").unwrap();
    let new = append(&top(case.text), &pi5(), GEN3);
    let block = "[all]\ndtoverlay=\ndtparam=pciex1\ndtparam=pciex1_gen=3\n";
    assert_eq!(String::from_utf8_lossy(&new), with_block(case.text, block));
    assert!(new.split(|byte| *byte == b'\n').all(|line| line.len() < 80));
}

#[test]
fn what_is_set_already_is_left_alone() {
    for id in ["cfg-14", "cfg-28", "cfg-32"] {
        let case = CASES.iter().find(|case| case.id == id).unwrap();
        assert_eq!(append(&top(case.text), &pi5(), GEN3), case.text.as_bytes(), "{id}");
    }
}

#[test]
fn included_files_count_and_missing_ones_do_no_harm() {
    let mut files = top("arm_64bit=1\ninclude usercfg.txt\ninclude distrocfg.txt\n");
    files.includes.insert("usercfg.txt".into(), b"dtparam=pciex1\ndtparam=pciex1_gen=3\n".to_vec());
    assert_eq!(includes(&files.top), ["usercfg.txt", "distrocfg.txt"]);
    let meaning = read(&files, &pi5());
    assert!(meaning.generation.value.is_certainly(&3));
    assert_eq!(
        (meaning.generation.lines[0].file.as_str(), meaning.generation.lines[0].line),
        ("usercfg.txt", 2)
    );
    let missing: Vec<_> = meaning.missing_includes.iter().map(|line| line.line).collect();
    assert_eq!(missing, [3]);
}

#[test]
fn the_tail_of_a_long_comment_may_be_a_setting() {
    let text = format!("{:<98}dtparam=pciex1\ndtparam=pciex1_gen=3\n", "# kept just long enough");
    let meaning = read(&top(&text), &pi5());
    assert_eq!(values(&meaning.port), [false, true]);
    assert_eq!(meaning.remarks.first().map(|remark| remark.kind), Some(OverLongLine));
}

#[test]
fn a_prefix_for_all_other_files_is_that_of_a_normal_boot() {
    let text =
        "[all]\nos_prefix=current/\nkernel=vmlinuz\ncmdline=cmdline.txt\n\n[tryboot]\nos_prefix=new/\n";
    let meaning = read(&top(text), &pi5());
    assert_eq!((meaning.os_prefix.as_str(), meaning.cmdline.as_str()), ("current/", "cmdline.txt"));
    let tryboot = Conditions { tryboot: true, ..pi5() };
    assert_eq!(read(&top(text), &tryboot).os_prefix, "new/");
    assert_eq!(read(&top("cmdline=other.txt\r\n"), &pi5()).cmdline, "other.txt");
    assert_goal(&top(text), &pi5());
}
