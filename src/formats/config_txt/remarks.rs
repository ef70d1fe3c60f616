//! Lines that look meant for the PCIe port but do nothing, or not what they
//! seem to.

use super::evaluate::{missing, overlay_name};
use super::filter::{Filter, parse};
use super::items::{Item, Kind, line_ref};
use super::lines::{LONGEST, body, comment_start, lenient, split, trim_cr, trim_end, trim_start};
use super::names::{fused, is_port_param, meant, other_file};
use super::params::{Param, Target, c_integer, params};
use super::reading::{Path, explore};
use super::{Evaluation, Files, LineRef, Remark, RemarkKind, Setting};

/// Remarks at most: a file that earns more is not read to the end by anybody.
const MOST: usize = 200;

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

/// What the text of each line alone tells.
fn spelling(file: &str, bytes: &[u8], found: &mut Vec<Remark>) {
    for (number, line) in (1u32..).zip(split(bytes)) {
        if found.len() >= MOST {
            return;
        }
        let whole = body(line);
        let at = || line_ref(file, number, whole);
        over_long(whole, &at, found);
        let line = trim_start(whole);
        if line.starts_with(b"#") || line.starts_with(b"[") {
            continue;
        }
        let text = String::from_utf8_lossy(trim_cr(line)).into_owned();
        let Some((key, value)) = text.split_once('=') else { continue };
        for (kind, detail) in setting(key, value, trim_cr(line).len() != line.len()) {
            found.push(Remark { kind, at: at(), detail });
        }
    }
}

fn over_long(line: &[u8], at: &impl Fn() -> LineRef, found: &mut Vec<Remark>) {
    let Some(tail) = trim_cr(line).get(LONGEST..).map(trim_start).filter(|tail| !tail.is_empty()) else {
        return;
    };
    let comment = trim_start(line).starts_with(b"#");
    let word = tail.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    let setting = word > 0 && tail.get(word) == Some(&b'=');
    let filter = tail.starts_with(b"[") && trim_end(tail).ends_with(b"]");
    if !comment || setting || filter || tail.starts_with(b"include ") {
        let detail = format!(
            "the firmware takes {LONGEST} characters of a line; whether the rest, `{}`, is dropped or read as a line \
             of its own is not settled",
            String::from_utf8_lossy(trim_end(tail))
        );
        found.push(Remark { kind: RemarkKind::OverLongLine, at: at(), detail });
    }
}

fn setting(key: &str, value: &str, cr: bool) -> Vec<(RemarkKind, String)> {
    let bare = key.trim();
    if let Some(place) = other_file(bare) {
        return vec![(RemarkKind::WrongFile, format!("`{bare}` {place}"))];
    }
    if let Some(word) = fused(value) {
        let detail = format!("`{word}` stands inside the value: two lines have run together");
        return vec![(RemarkKind::FusedLine, detail)];
    }
    let first = String::from_utf8_lossy(lenient(value.trim_start().as_bytes())).into_owned();
    let first = first.split([',', '=', ' ', ':']).next().unwrap_or_default().to_owned();
    match bare {
        "dtparam" | "device_tree_param" if bare != key || value.starts_with(' ') => spaced(bare, value),
        "dtparam" | "device_tree_param" => list(value, cr),
        "dtoverlay" | "device_tree_overlay" if is_port_param(&first) => {
            vec![(
                RemarkKind::MisspeltName,
                format!("`{first}` is no overlay; did you mean `dtparam={first}`?"),
            )]
        }
        _ if is_port_param(bare) => {
            vec![(RemarkKind::MisspeltName, format!("did you mean `dtparam={bare}={}`?", value.trim()))]
        }
        _ if bare.eq_ignore_ascii_case("dtparam") && is_port_param(&first) => {
            vec![(
                RemarkKind::InvalidValue,
                "whether upper case is taken is not settled; write `dtparam`".into(),
            )]
        }
        _ if is_port_param(&first) && super::names::distance(bare, "dtparam") <= 2 => {
            vec![(RemarkKind::MisspeltName, format!("`{bare}`: did you mean `dtparam`?"))]
        }
        _ => Vec::new(),
    }
}

fn spaced(key: &str, value: &str) -> Vec<(RemarkKind, String)> {
    let name = value.trim().split([',', '=', ' ']).next().unwrap_or_default();
    if !is_port_param(name) && meant(name).is_none() {
        return Vec::new();
    }
    let detail = format!("blanks round `=` are not ignored; write `{key}={}` without them", value.trim());
    vec![(RemarkKind::InvalidValue, detail)]
}

/// The parameters of a `dtparam` line.
fn list(value: &str, cr: bool) -> Vec<(RemarkKind, String)> {
    let mut found = Vec::new();
    let clean = lenient(value.as_bytes());
    let mut port = false;
    for param in params(clean) {
        let name = String::from_utf8_lossy(param.name).into_owned();
        port |= is_port_param(&name);
        found.extend(parameter(&name, &param));
    }
    if !port {
        return found;
    }
    if comment_start(value.as_bytes()).is_some() {
        let detail = "text follows the value; the format has no comments at the end of a line, and what the firmware \
                      makes of it is not settled";
        found.push((RemarkKind::TrailingText, detail.into()));
    } else if clean.len() != value.len() {
        found.push((
            RemarkKind::TrailingText,
            "blanks follow the value; whether they are cut is not settled".into(),
        ));
    } else if cr {
        let detail = "the line ends in CR LF; whether the CR is cut is not settled";
        found.push((RemarkKind::TrailingText, detail.into()));
    }
    found
}

fn parameter(name: &str, param: &Param<'_>) -> Option<(RemarkKind, String)> {
    if let Some(place) = other_file(name) {
        return Some((RemarkKind::WrongFile, format!("`{name}` {place}")));
    }
    let bare = name.trim();
    if bare != name && is_port_param(bare) {
        return Some((
            RemarkKind::InvalidValue,
            format!("blanks round `=` or `,` make `{name}` another name than `{bare}`"),
        ));
    }
    if name != name.to_ascii_lowercase() && is_port_param(&name.to_ascii_lowercase()) {
        return Some((RemarkKind::InvalidValue, format!("`{name}` must be in lower case")));
    }
    if let Some(wanted) = meant(name) {
        return Some((RemarkKind::MisspeltName, format!("`{name}` is not known; did you mean `{wanted}`?")));
    }
    let value = param.value.map(|value| String::from_utf8_lossy(value).into_owned());
    if bool::is_name(param.name) {
        let word = value?;
        let known = ["y", "yes", "on", "true", "enable", "1", "okay", "ok", "n", "no", "off", "false", "0"];
        return (!known.contains(&word.as_str())).then(|| {
            (
                RemarkKind::InvalidValue,
                format!("`{word}` is none of the values (`on`, `off`), so the port stays off"),
            )
        });
    }
    if !u32::is_name(param.name) {
        return None;
    }
    let detail = match (u32::value(param.value), value) {
        (Some(1..=3), Some(word)) if !word.is_empty() && c_integer(word.as_bytes()).is_some() => return None,
        (Some(number), None) => format!("no number is given, which means {number}"),
        (Some(number), Some(word)) => {
            format!("`{word}` means {number}; the generations of a Raspberry Pi 5 are 1, 2, 3")
        }
        (None, word) => format!("`{}` is no number, so the firmware ignores it", word.unwrap_or_default()),
    };
    Some((RemarkKind::InvalidValue, detail))
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
    let name = String::from_utf8_lossy(lenient(item.text)).into_owned();
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
        let name = String::from_utf8_lossy(line).into_owned();
        let lower = line.to_ascii_lowercase();
        let detail = if parse(&lower, evaluation.conditions) == Filter::Unknown {
            format!(
                "{name} is no filter that is known; whether the PCIe settings below it apply is not settled"
            )
        } else {
            format!("{name} must be {}; whether case counts is not settled", String::from_utf8_lossy(&lower))
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
        (owns && evaluation.applies(place, path)).then(|| String::from_utf8_lossy(name).into_owned())
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
