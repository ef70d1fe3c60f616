//! Findings from `assets/checks.toml`: the words, with the machine's values
//! filled in.

use super::{Finding, Severity};
use serde::Deserialize;

const CHECKS: &str = include_str!("../../assets/checks.toml");

/// One entry of `assets/checks.toml`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Check {
    /// Its id.
    pub id: String,
    /// How much it matters.
    pub severity: Severity,
    /// What it means; `{names}` stand for values.
    pub text: String,
    /// What happens when it is ignored.
    pub impact: String,
    /// What to do.
    pub remedy: String,
    /// Where the rule comes from.
    pub source: String,
}

/// The entry with this id.
pub fn check(id: &str) -> Option<Check> {
    toml_edit::de::from_str(entry(CHECKS, "[[check]]", &format!("id = \"{id}\""))?).ok()
}

/// The finding with this id, its `{names}` replaced by the values given.
///
/// An id that is not in the file gives a warning that carries the id itself: a
/// finding is never lost. A name that is not given reads `unknown`.
pub fn check_text(id: &str, values: &[(&str, String)]) -> Finding {
    let (severity, text, remedy) = match check(id) {
        Some(check) => (check.severity, fill(&check.text, values), fill(&check.remedy, values)),
        None => (Severity::Warning, id.to_owned(), String::new()),
    };
    Finding { id: id.to_owned(), severity, text, remedy, evidence: Vec::new() }
}

/// The lines of the table that begins with `header` and has `key` on its next
/// line. Cutting one table out of the text is much quicker than reading the
/// whole file, and `status` shall take less than 10 ms.
pub(super) fn entry<'t>(text: &'t str, header: &str, key: &str) -> Option<&'t str> {
    let at = text.find(&format!("{header}\n{key}\n"))? + header.len();
    let rest = text.get(at..)?;
    let end = rest.find("\n[[").unwrap_or(rest.len());
    rest.get(..end)
}

/// Replaces `{name}` once, from left to right: a value that holds braces is
/// not looked at again.
fn fill(template: &str, values: &[(&str, String)]) -> String {
    let mut filled = String::with_capacity(template.len() + 64);
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        let Some((name, after)) = after.split_once('}') else {
            filled.push('{');
            rest = after;
            break;
        };
        let value = values.iter().find(|(key, _)| *key == name).map(|(_, value)| value.as_str());
        debug_assert!(value.is_some(), "no value for {{{name}}} in: {template}");
        filled.push_str(value.unwrap_or("unknown"));
        rest = after;
    }
    filled.push_str(rest);
    filled
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::id;
    use std::collections::BTreeSet;

    #[derive(Deserialize)]
    struct All {
        check: Vec<Check>,
    }

    #[test]
    fn ids_of_code_and_file_are_the_same() {
        let all: All = toml_edit::de::from_str(CHECKS).unwrap();
        let file: BTreeSet<_> = all.check.iter().map(|c| c.id.as_str()).collect();
        assert_eq!(file.len(), all.check.len(), "an id stands twice");
        assert_eq!(file, id::ALL.iter().copied().collect());
        for whole in &all.check {
            let cut = check(&whole.id).unwrap();
            assert_eq!((cut.text, cut.source), (whole.text.clone(), whole.source.clone()));
            for words in [&whole.text, &whole.impact, &whole.remedy, &whole.source] {
                assert!(!words.is_empty(), "{}", whole.id);
            }
            assert!(whole.remedy == "{remedy}" || whole.text.ends_with(['.', '}']), "{}", whole.text);
        }
    }

    #[test]
    fn every_id_is_used() {
        let sources = [
            include_str!("machine.rs"),
            include_str!("findings/config.rs"),
            include_str!("findings/boot.rs"),
            include_str!("findings/eeprom.rs"),
            include_str!("findings/link.rs"),
            include_str!("findings/drive.rs"),
            include_str!("findings/log.rs"),
            include_str!("findings/power.rs"),
            include_str!("plan/mod.rs"),
            include_str!("plan/link.rs"),
            include_str!("plan/copies.rs"),
            include_str!("plan/eeprom.rs"),
            include_str!("plan/start.rs"),
            include_str!("verdict/mod.rs"),
            include_str!("verdict/link.rs"),
            include_str!("verdict/boot.rs"),
            include_str!("bootloader.rs"),
        ]
        .concat();
        for id in id::ALL {
            let name = format!("id::{}", id.to_uppercase().replace('-', "_"));
            let used = sources
                .split(&name)
                .skip(1)
                .any(|after| !after.starts_with(|c: char| c == '_' || c.is_alphanumeric()));
            assert!(used, "{name} is not used");
        }
    }

    #[test]
    fn values_are_filled_in_once() {
        let values = [("a", "{b}".to_owned()), ("b", "x".to_owned())];
        assert_eq!(fill("<{a}> {b}{", &values), "<{b}> x{");
        let finding = check_text(
            id::CONFIG_MISSPELT,
            &[
                ("file", "config.txt".into()),
                ("line", "3".into()),
                ("detail", "pcie1_gen, did you mean pciex1_gen?".into()),
            ],
        );
        assert_eq!(finding.severity, Severity::Warning);
        assert!(finding.text.starts_with("config.txt line 3 names"), "{}", finding.text);
        assert_eq!(check_text("none-such", &[]).text, "none-such");
    }
}
