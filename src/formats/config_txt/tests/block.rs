//! The block: what it holds, and what happens to an older one.

use super::*;

fn want(port: bool, generation: Option<u32>) -> Wanted {
    Wanted { port, generation }
}

fn text(files: &Files, wanted: Wanted) -> String {
    String::from_utf8(append(files, &pi5(), wanted)).unwrap()
}

#[test]
fn nothing_wanted_is_nothing_written() {
    for input in ["", "dtparam=audio=on", "[cm4]\n"] {
        assert_eq!(text(&top(input), want(false, None)), input);
        assert_eq!(text(&top(input), want(false, Some(2))), input);
    }
}

#[test]
fn a_block_that_stands_last_makes_room_for_the_next() {
    let gen3 = text(&top("arm_boost=1\n"), GEN3);
    let gen1 = text(&top(&gen3), want(true, Some(1)));
    assert_eq!(gen1, with_block("arm_boost=1\n", "[all]\ndtparam=pciex1\ndtparam=pciex1_gen=1\n"));
    // Back at the default nothing but the port remains.
    assert_eq!(
        text(&top(&gen1), want(true, Some(2))),
        with_block("arm_boost=1\n", "[all]\ndtparam=pciex1\n")
    );
    // What is not asked for stays as the block had it.
    let only_generation = text(&top("arm_boost=1\n"), want(false, Some(3)));
    assert_eq!(text(&top(&only_generation), want(true, None)), gen3);
    assert_eq!(text(&top(&gen3), want(true, None)), gen3);
}

#[test]
fn a_block_with_lines_of_others_behind_it_stays() {
    let gen3 = text(&top("arm_boost=1\n"), GEN3);
    for behind in ["dtparam=pciex1_gen=2\n# mine\n", "\n", "[cm4]\n", "dtparam=pciex1=off"] {
        let changed = format!("{gen3}{behind}");
        let new = text(&top(&changed), want(true, Some(1)));
        assert!(new.starts_with(&changed), "{behind}");
        assert_eq!(text(&top(&new), want(true, Some(1))), new, "{behind}");
    }
    let unfinished = "# pi5-nvme: a note of my own\ndtparam=pciex1_gen=1\n";
    assert!(text(&top(unfinished), GEN3).starts_with(unfinished));
    let cut = gen3.trim_end();
    assert!(text(&top(cut), want(true, Some(1))).starts_with(cut));
}

#[test]
fn an_overlay_of_a_hat_is_not_kept_from_loading() {
    // No overlay line applies here, so none may be closed.
    let text = text(&top("[cm5]\ndtoverlay=dwc2\n"), GEN3);
    assert!(!text.contains("dtoverlay=\n"), "{text}");
}
