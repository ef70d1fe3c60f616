//! The floors of `docs/design.md`: a folder uses only folders below it, unsafe
//! code stands in one file, and no file grows into two ideas.

use std::fs;
use std::path::{Path, PathBuf};

const FLOORS: [&str; 8] = ["terms", "formats", "host", "facts", "rules", "act", "bench", "cli"];

fn sources() -> Vec<(PathBuf, String)> {
    fn walk(folder: &Path, found: &mut Vec<(PathBuf, String)>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                found.push((path, text));
            }
        }
    }
    let mut found = Vec::new();
    walk(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut found);
    found
}

/// The floor of a source file, counted from 0; `None` for lib.rs and main.rs.
fn floor(path: &Path) -> Option<usize> {
    let inside = path.strip_prefix(Path::new(env!("CARGO_MANIFEST_DIR")).join("src")).ok()?;
    let folder = inside.components().next()?.as_os_str().to_str()?.to_owned();
    FLOORS.iter().position(|f| *f == folder)
}

#[test]
fn a_folder_uses_only_lower_floors() {
    let mut wrong = Vec::new();
    let mut seen = 0;
    for (path, text) in sources() {
        let Some(own) = floor(&path) else { continue };
        for (number, line) in text.lines().enumerate() {
            for part in line.split("crate::").skip(1) {
                let name: String = part.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                if let Some(used) = FLOORS.iter().position(|f| *f == name) {
                    seen += 1;
                    if used > own {
                        wrong.push(format!("{}:{}: {} uses {name}", path.display(), number + 1, FLOORS[own]));
                    }
                }
            }
        }
    }
    assert!(seen > 20, "only {seen} uses found: does this test still read the sources?");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn unsafe_code_stands_in_one_file() {
    let allowed: Vec<_> = sources()
        .into_iter()
        .filter(|(_, text)| text.contains("allow(unsafe_code)"))
        .map(|(path, _)| path.file_name().unwrap().to_owned())
        .collect();
    assert_eq!(allowed, ["raw.rs"]);
}

#[test]
fn no_file_holds_two_ideas() {
    let long: Vec<_> = sources()
        .iter()
        .map(|(path, text)| (path.display().to_string(), text.lines().count()))
        .filter(|(_, lines)| *lines > 500)
        .collect();
    assert!(long.is_empty(), "over 500 lines: {long:?}");
}
