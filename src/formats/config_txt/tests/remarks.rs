//! What a person is told of lines that do not do what they seem to.

use super::*;
use RemarkKind::*;

/// Kind and line of every remark.
fn told(text: &str) -> Vec<(RemarkKind, u32)> {
    read(&top(text), &pi5()).remarks.iter().map(|remark| (remark.kind, remark.at.line)).collect()
}

fn details(text: &str) -> String {
    read(&top(text), &pi5()).remarks.iter().map(|remark| remark.detail.clone() + "\n").collect()
}

#[test]
fn each_kind_is_told_with_its_line() {
    let long = format!("{:<98}force_turbo=1\n", "# a comment that goes on");
    let later = format!("{:.<99}force_turbo=1\n", "# a comment that goes on");
    for (text, expected) in [
        ("[cm4]\ndtparam=pciex1_gen=3\n", vec![(WrongSection, 2)]),
        ("[tryboot]\ndtparam=pciex1\n[all]\n", vec![(WrongSection, 2)]),
        ("dtparam=pcie1_gen=3\n", vec![(MisspeltName, 1)]),
        ("pciex1_gen=3\n", vec![(MisspeltName, 1)]),
        ("dtoverlay=pciex1\n", vec![(MisspeltName, 1)]),
        ("dtparm=pciex1\n", vec![(MisspeltName, 1)]),
        ("dtparam=pcie_aspm=off\n", vec![(WrongFile, 1)]),
        ("pcie_aspm=off\n", vec![(WrongFile, 1)]),
        ("PCIE_PROBE=1\nBOOT_ORDER=0xf416\n", vec![(WrongFile, 1), (WrongFile, 2)]),
        ("dtoverlay=dwc2dtoverlay=hyperpixel\n", vec![(FusedLine, 1)]),
        ("dtparam=spi=onstart_x=1\n", vec![(FusedLine, 1)]),
        (long.as_str(), vec![(OverLongLine, 1)]),
        (later.as_str(), vec![(OverLongLine, 1)]),
        ("dtparam=pciex1_gen=2\ndtparam=pciex1_gen=3\n", vec![(Overridden, 1)]),
        ("dtparam=pciex1\ndtparam=nvme=off\n", vec![(Overridden, 1)]),
        ("dtparam=pciex1=ON\n", vec![(InvalidValue, 1)]),
        ("dtparam=pciex1_gen=gen3\n", vec![(InvalidValue, 1)]),
        ("dtparam=pciex1_gen\n", vec![(InvalidValue, 1)]),
        ("dtparam=pciex1_gen=4\n", vec![(InvalidValue, 1)]),
        ("dtparam=PCIEX1\n", vec![(InvalidValue, 1)]),
        ("dtparam = pciex1\n", vec![(InvalidValue, 1)]),
        ("dtparam=pciex1_gen = 3\n", vec![(InvalidValue, 1)]),
        ("DTPARAM=pciex1\n", vec![(InvalidValue, 1)]),
        ("dtparam=pciex1_gen=3 # fast\n", vec![(TrailingText, 1)]),
        ("dtparam=pciex1_gen=3 \n", vec![(TrailingText, 1)]),
        ("dtparam=pciex1\r\n", vec![(TrailingText, 1)]),
        ("[pi6]\ndtparam=pciex1\ndtparam=pciex1_gen=3\n", vec![(UnknownFilter, 1)]),
        ("[PI5]\ndtparam=pciex1\n", vec![(UnknownFilter, 1)]),
        ("dtoverlay=missing\ndtparam=pciex1\n", vec![(MissingOverlay, 2)]),
    ] {
        assert_eq!(told(text), expected, "{text}");
    }
}

#[test]
fn what_is_healthy_or_a_comment_is_silent() {
    for text in [
        "",
        "#dtparam=pcie1_gen=3\n# dtoverlay=dwc2dtoverlay=x\n#BOOT_ORDER=1\n",
        "dtparam=pciex1\ndtparam=pciex1_gen=3\n",
        "dtparam=nvme\ndtparam=pciex1\ndtparam=pciex1_gen=0x3\n",
        "dtparam=pciex1,pciex1_no_l0s=on,pciex1_tperst_clk_ms=100\n",
        "dtoverlay=vc4-kms-v3d\ndtparam=audio=on,spi=on\n[cm5]\ndtoverlay=dwc2,dr_mode=host\n[all]\n",
        "# a comment with a long address https://www.example.org/a/page/that/goes/on/and/on/and/on/and?x=1#part\n",
        "[pi6]\ndtoverlay=vc4-kms-v3d-pi6\n[all]\ndtparam=pciex1\n",
        "dtoverlay=missing\ndtoverlay=\ndtparam=pciex1\n",
        "dtparam=uart0=on \r\ncmdline=cmdline.txt\r\n",
    ] {
        assert_eq!(read(&top(text), &pi5()).remarks, [], "{text}");
    }
}

#[test]
fn the_words_name_what_was_meant() {
    assert!(details("[cm4]\ndtparam=pciex1\n").contains("[cm4] (line 1), which applies to CM4 only"));
    assert!(
        details("dtparam=pcie1_gen=3\n").contains("`pcie1_gen` is not known; did you mean `pciex1_gen`?")
    );
    assert!(details("dtparam=pcie_aspm=off\n").contains("belongs in cmdline.txt"));
    assert!(details("dtparam=pciex1_gen=2\n#\ndtparam=pciex1_gen=1\n").contains("line 3 comes later"));
    assert!(details("dtoverlay=missing\ndtparam=pciex1\n").contains("`missing` (line 1)"));
}

#[test]
fn a_stock_file_is_read_at_once() {
    let files = top(cases::STOCK);
    let meaning = read(&files, &pi5());
    assert_eq!(meaning.remarks, []);
    let start = std::time::Instant::now();
    for _ in 0..100 {
        assert_eq!(read(&files, &pi5()), meaning);
    }
    // Without optimisation and on a busy computer; with it, far below 1 ms.
    assert!(start.elapsed().as_millis() < 2000, "{:?}", start.elapsed());
}
