//! Any text in the place of config.txt.

use super::*;
use proptest::prelude::*;

/// Lines that decide something, and some that are anything.
fn line() -> impl Strategy<Value = Vec<u8>> {
    let known = prop::sample::select(vec![
        "dtparam=pciex1",
        "dtparam=pciex1=off",
        "dtparam=nvme",
        "dtparam=pciex1_gen=3 # fast",
        "dtparam=pciex1_gen=1",
        "dtparam=pciex1_gen",
        "dtoverlay=vc4-kms-v3d",
        "dtoverlay=",
        "[all]",
        "[pi5]",
        "[pi4]",
        "[none]",
        "[pi6]",
        "[gpio4=1]",
        "[tryboot]",
        "include more.txt",
        "#dtparam=pciex1\r",
    ]);
    prop_oneof![
        4 => known.prop_map(|text| text.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..120),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever stands there: the plan either refuses with a reason or its
    /// text certainly means the goal, keeps the old bytes, and is not
    /// added to again.
    #[test]
    fn is_refused_or_certain(lines in prop::collection::vec(line(), 0..12), ended: bool) {
        let mut top = lines.join(&b'\n');
        if ended {
            top.push(b'\n');
        }
        let mut facts = trixie();
        with_config(&mut facts, &top);
        let first = plan(&facts, &GEN3);
        prop_assert_eq!(first.steps.is_empty() && !first.refusals.is_empty(), !first.refusals.is_empty());
        if let Some(step) = first.steps.first() {
            let (_, _, before, after) = appended(step);
            prop_assert!(after.starts_with(before) && after.len() > before.len());
            with_config(&mut facts, after);
            let second = plan(&facts, &GEN3);
            prop_assert!(second.steps.is_empty() && second.refusals.is_empty(), "{:?}", second.refusals);
        }
    }
}
