//! Real files that lie beside the project where it was made; without them the
//! tests that sweep over them have nothing to do.

use std::path::Path;

/// The files of a folder of collected boot files, by name, or `None` (said on
/// the test's output) where the collection is not there.
#[allow(clippy::disallowed_methods, clippy::disallowed_macros)]
pub(crate) fn folder(name: &str) -> Option<Vec<(String, Vec<u8>)>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/configs").join(name);
    let Ok(entries) = std::fs::read_dir(&folder) else {
        println!("skipped: no {}", folder.display());
        return None;
    };
    let files = entries.filter_map(|entry| {
        let path = entry.ok()?.path();
        Some((path.file_name()?.to_string_lossy().into_owned(), std::fs::read(&path).ok()?))
    });
    Some(files.collect())
}
