//! config.txt: what is uncertain, and lines that look meant but do nothing.

use crate::facts::Facts;
use crate::formats::config_txt::{Meaning, Remark, RemarkKind, Value};
use crate::rules::machine::{self, lines};
use crate::rules::{Finding, check_text, id};

pub(super) fn find(facts: &Facts, found: &mut Vec<Finding>) {
    let boot = &facts.boot;
    // What only root may read is no fault of the machine.
    if boot.hindrances.is_empty() && machine::gap(facts).is_some_and(|gap| !gap.is_denied()) {
        found.push(machine::unreadable(facts));
    }
    if let Some(meaning) = &boot.meaning {
        uncertain(meaning, found);
        found.extend(remarks(meaning));
        for line in &meaning.missing_includes {
            let values = [
                ("file", line.file.clone()),
                ("line", line.line.to_string()),
                ("detail", line.text.trim().to_owned()),
            ];
            found.push(
                check_text(id::INCLUDE_MISSING, &values)
                    .seen(format!("{}:{}", line.file, line.line), &line.text),
            );
        }
        found.extend(differs(facts, meaning));
    }
    if boot
        .files
        .as_ref()
        .is_some_and(|f| f.eeprom_section.as_ref().is_some_and(|s| !s.trim_ascii().is_empty()))
    {
        found.push(check_text(id::EEPROM_CONFIG_SECTION, &[]));
    }
    if !boot.leftovers.is_empty() {
        let mut finding = check_text(id::LEFTOVER_FILES, &[("files", boot.leftovers.join(", "))]);
        for file in &boot.leftovers {
            finding = finding.seen(file, "beside config.txt");
        }
        found.push(finding);
    }
    if boot.tryboot == Some(true) {
        found.push(check_text(id::TRYBOOT_NOW, &[]).seen("chosen/bootloader/tryboot", "1"));
    }
}

fn uncertain(meaning: &Meaning, found: &mut Vec<Finding>) {
    if let Value::Uncertain(_) = meaning.port.value {
        let mut finding = check_text(id::PORT_UNCERTAIN, &[("lines", lines(&meaning.port.lines))]);
        for line in &meaning.port.lines {
            finding = finding.seen(format!("{}:{}", line.file, line.line), &line.text);
        }
        found.push(finding);
    }
    if let Value::Uncertain(values) = &meaning.generation.value {
        let values: Vec<_> = values.iter().map(|v| format!("Gen {v}")).collect();
        let values = values.join(" or ");
        let mut finding = check_text(
            id::GENERATION_UNCERTAIN,
            &[("values", values), ("lines", lines(&meaning.generation.lines))],
        );
        for line in &meaning.generation.lines {
            finding = finding.seen(format!("{}:{}", line.file, line.line), &line.text);
        }
        found.push(finding);
    }
}

/// The lines that look meant but do nothing, one finding each.
pub(in crate::rules) fn remarks(meaning: &Meaning) -> Vec<Finding> {
    meaning.remarks.iter().map(remark).collect()
}

fn remark(remark: &Remark) -> Finding {
    let id = match remark.kind {
        RemarkKind::WrongSection => id::CONFIG_WRONG_SECTION,
        RemarkKind::MisspeltName => id::CONFIG_MISSPELT,
        RemarkKind::FusedLine => id::CONFIG_FUSED,
        RemarkKind::OverLongLine => id::CONFIG_LONG_LINE,
        RemarkKind::Overridden => id::CONFIG_OVERRIDDEN,
        RemarkKind::InvalidValue => id::CONFIG_INVALID_VALUE,
        RemarkKind::TrailingText => id::CONFIG_TRAILING_TEXT,
        RemarkKind::WrongFile => id::CONFIG_WRONG_FILE,
        RemarkKind::UnknownFilter => id::CONFIG_UNKNOWN_FILTER,
        RemarkKind::MissingOverlay => id::CONFIG_MISSING_OVERLAY,
    };
    let at = &remark.at;
    let values =
        [("file", at.file.clone()), ("line", at.line.to_string()), ("detail", remark.detail.clone())];
    check_text(id, &values).seen(format!("{}:{}", at.file, at.line), &at.text)
}

/// What this start asked for is not what config.txt means.
fn differs(facts: &Facts, meaning: &Meaning) -> Option<Finding> {
    let (asked, config) = (facts.port.asked?, meaning.generation.value.certain()?);
    // A port that nothing turns on says nothing of the speed that it would have.
    let in_use = meaning.port.value.is_certainly(&true);
    if !in_use || asked == *config || facts.boot.same_as_booted == Some(false) {
        return None;
    }
    if let (Some(hat), true) = (&facts.hat, meaning.generation.lines.is_empty()) {
        let values = [("asked", asked.to_string()), ("hat", hat.product.clone())];
        return Some(check_text(id::ASKED_BY_HAT, &values).seen("max-link-speed", asked.to_string()));
    }
    let values = [("config", config.to_string()), ("asked", asked.to_string())];
    Some(check_text(id::ASKED_DIFFERS, &values).seen("max-link-speed", asked.to_string()))
}

/// The same, where no line of config.txt says the generation: something else
/// decided it, and will again.
pub(in crate::rules) fn elsewhere(facts: &Facts, meaning: &Meaning) -> Option<Finding> {
    differs(facts, meaning).filter(|_| meaning.generation.lines.is_empty())
}
