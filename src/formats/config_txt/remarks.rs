//! Lines that look meant for the PCIe port but do nothing, or not what they
//! seem to.

use super::evaluate::{missing, overlay_name};
use super::filter::{Filter, parse};
use super::items::{Item, Kind};
use super::lines::{lenient, shown};
use super::params::{Target, params};
use super::reading::{Path, explore};
use super::spelling::spelling;
use super::{Evaluation, Files, Remark, RemarkKind, Setting};

/// Remarks at most: a file that earns more is not read to the end by anybody.
pub(super) const MOST: usize = 200;

/// All remarks, in the order of the lines.
pub(super) fn remarks(
    files: &Files,
    evaluation: &Evaluation<'_>,
    port: &Setting<bool>,
    generation: &Setting<u32>,
) -> Vec<Remark> {
    let mut found = Vec::new();
    spelling("config.txt", &files.top, &mut found);
    for (name, bytes) in &files.includes {
        spelling(name, bytes, &mut found);
    }
    if let Some(section) = &files.eeprom_section {
        spelling("EEPROM", section, &mut found);
    }
    let named = |item: &Item<'_>| item.kind == Kind::Param && (names::<bool>(item) || names::<u32>(item));
    let lines = evaluation.items.iter().enumerate().filter(|(_, item)| named(item));
    for (place, item) in lines.take(MOST) {
        let applies = explore(|path| evaluation.applies(place, path));
        if !applies.complete {
            // So it would be for the lines that follow.
            break;
        }
        if !applies.maybe(&true) {
            if !item.tail {
                let detail = why_not(evaluation, place);
                found.push(Remark { kind: RemarkKind::WrongSection, at: item.at(), detail });
            }
            continue;
        }
        unknown_filters(evaluation, place, &mut found);
        missing_overlay(evaluation, place, &mut found);
        if names::<bool>(item) {
            overridden(evaluation, place, port, &mut found);
        }
        if names::<u32>(item) {
            overridden(evaluation, place, generation, &mut found);
        }
    }
    let order = |file: &str| (file != "config.txt", file == "EEPROM", file.to_owned());
    found.sort_by_key(|remark: &Remark| (order(&remark.at.file), remark.at.line, remark.kind));
    found.dedup();
    found
}

fn names<T: Target>(item: &Item<'_>) -> bool {
    params(lenient(item.value())).any(|param| T::is_name(param.name))
}

/// The filter, or the include above, for which a line certainly does not
/// apply.
fn why_not(evaluation: &Evaluation<'_>, place: usize) -> String {
    let mut path = Path::default();
    let mut filters = Vec::new();
    let parent = evaluation.items.get(place).and_then(|item| item.parent);
    evaluation.filters_before(place, parent, true, &mut path, &mut |_, at| filters.push(at));
    // The nearest filter that is false by itself is what a person looks for.
    let own = |at: &&usize| {
        let line = evaluation.items.get(**at).map_or(&b""[..], |item| lenient(item.text));
        let filter = parse(line, evaluation.conditions);
        filter == Filter::None || !explore(|path| super::filter::hold(&[filter], path)).maybe(&true)
    };
    let at = filters.iter().find(own).or(filters.first());
    let Some(item) = at.and_then(|at| evaluation.items.get(*at)) else {
        return "the line through which it is included does not apply".into();
    };
    let name = shown(lenient(item.text));
    let inner = name.trim_matches(['[', ']']);
    let meaning = match inner {
        "none" => "applies to nothing".to_owned(),
        "tryboot" => "applies to a tryboot only".to_owned(),
        _ if inner.starts_with("0x") => "applies to the board with that serial number only".to_owned(),
        _ if inner.contains("partition") => "applies to a boot from that partition only".to_owned(),
        _ => format!("applies to {} only", board_name(inner)),
    };
    format!("it stands below {name} (line {}), which {meaning}", item.at().line)
}

fn board_name(filter: &str) -> String {
    match filter.strip_prefix("cm") {
        Some(rest) => format!("CM{}", rest.to_ascii_uppercase()),
        None => match filter.strip_prefix("pi") {
            Some(rest) => format!("Pi {rest}"),
            None => filter.to_owned(),
        },
    }
}

fn unknown_filters(evaluation: &Evaluation<'_>, place: usize, found: &mut Vec<Remark>) {
    let mut path = Path::default();
    let parent = evaluation.items.get(place).and_then(|item| item.parent);
    let mut lines = Vec::new();
    evaluation.filters_before(place, parent, true, &mut path, &mut |_, at| lines.push(at));
    for item in lines.into_iter().filter_map(|at| evaluation.items.get(at)) {
        let line = lenient(item.text);
        if parse(line, evaluation.conditions) != Filter::Unknown {
            continue;
        }
        let name = shown(line);
        let lower = line.to_ascii_lowercase();
        let detail = if parse(&lower, evaluation.conditions) == Filter::Unknown {
            format!(
                "{name} is no filter that is known; whether the PCIe settings below it apply is not settled"
            )
        } else {
            format!("{name} must be {}; whether case counts is not settled", shown(&lower))
        };
        let remark = Remark { kind: RemarkKind::UnknownFilter, at: item.at(), detail };
        if !found.contains(&remark) {
            found.push(remark);
        }
    }
}

fn missing_overlay(evaluation: &Evaluation<'_>, place: usize, found: &mut Vec<Remark>) {
    let Some(item) = evaluation.items.get(place) else { return };
    if explore(|path| evaluation.reaches_base(place, path)).always(&true) {
        return;
    }
    let mut path = Path::default();
    let owner = evaluation.last(place, &mut path, |item, place, path| {
        let name = overlay_name(lenient(item.value()));
        let owns = item.kind == Kind::Overlay && missing(name, evaluation.conditions);
        (owns && evaluation.applies(place, path)).then(|| shown(name))
    });
    let Some((owner, name)) = owner else { return };
    let line = evaluation.items.get(owner).map_or(0, |item| item.at().line);
    let detail = format!(
        "it belongs to the overlay `{name}` (line {line}), which is not on the boot partition; it may be dropped with it"
    );
    found.push(Remark { kind: RemarkKind::MissingOverlay, at: item.at(), detail });
}

fn overridden<T: Target>(
    evaluation: &Evaluation<'_>,
    place: usize,
    winner: &Setting<T>,
    found: &mut Vec<Remark>,
) {
    let Some(item) = evaluation.items.get(place) else { return };
    let at = item.at();
    let Some(last) = winner.lines.last().filter(|_| !winner.lines.contains(&at)) else { return };
    let Some(own) = super::params::last::<T>(lenient(item.value())) else { return };
    // What another line sets is taken from its text: the setting itself may be
    // uncertain.
    let text = lenient(last.text.as_bytes());
    let list = text.iter().position(|byte| *byte == b'=').and_then(|equals| text.get(equals + 1..));
    if list.and_then(super::params::last::<T>).is_none_or(|new| new == own) {
        return;
    }
    let file = if last.file == at.file { String::new() } else { format!("{}:", last.file) };
    let detail = format!("line {file}{} comes later and prevails: `{}`", last.line, last.text.trim());
    found.push(Remark { kind: RemarkKind::Overridden, at, detail });
}
