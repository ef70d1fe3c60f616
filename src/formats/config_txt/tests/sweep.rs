//! Collected files of systems and of people.

use super::*;
use crate::formats::sweep::folder;

#[test]
fn every_collected_file_can_be_completed() {
    for kind in ["defaults", "users"] {
        let Some(files) = folder(kind) else { return };
        for (name, text) in files.into_iter().filter(|(name, _)| name.contains("config")) {
            let files = top(&text);
            let meaning = read(&files, &pi5());
            let stock = name.starts_with("raspios");
            assert!(!stock || meaning.remarks.is_empty(), "{name}: {:?}", meaning.remarks);
            for overlays in [None, Some(std::collections::BTreeSet::new()), pi5().overlays] {
                assert_goal(&files, &Conditions { overlays, ..pi5() });
            }
        }
    }
}
