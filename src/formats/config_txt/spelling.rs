//! What the text of a line alone tells: a misspelt name, a value that is none,
//! a line too long or two in one.

use super::items::line_ref;
use super::lines::{LONGEST, body, comment_start, lenient, shown, split, trim_cr, trim_end, trim_start};
use super::names::{distance, fused, is_port_param, meant, other_file};
use super::params::{Param, Target, c_integer, params};
use super::remarks::MOST;
use super::{LineRef, Remark, RemarkKind};

/// What the text of each line alone tells.
pub(super) fn spelling(file: &str, bytes: &[u8], found: &mut Vec<Remark>) {
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
        let text = shown(trim_cr(line));
        let Some((key, value)) = text.split_once('=') else { continue };
        for (kind, detail) in setting(key, value, trim_cr(line).len() != line.len()) {
            found.push(Remark { kind, at: at(), detail });
        }
    }
}

fn over_long(line: &[u8], at: &impl Fn() -> LineRef, found: &mut Vec<Remark>) {
    let whole = trim_cr(line);
    let Some(tail) = whole.get(LONGEST..).map(trim_start).filter(|tail| !tail.is_empty()) else {
        return;
    };
    let comment = trim_start(line).starts_with(b"#");
    // The cut was seen one character later too (raspberrypi/firmware#1669).
    let later = whole.get(LONGEST + 1..).map(trim_start).unwrap_or_default();
    if !comment || could_be_a_line(tail) || could_be_a_line(later) {
        let detail = format!(
            "the firmware takes {LONGEST} characters of a line; whether the rest, `{}`, is dropped or read as a line \
             of its own is not settled",
            clipped(trim_end(tail))
        );
        found.push(Remark { kind: RemarkKind::OverLongLine, at: at(), detail });
    }
}

/// True when what follows the cut of a comment could be a setting, a filter or
/// an include.
fn could_be_a_line(tail: &[u8]) -> bool {
    let word = tail.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    let setting = word > 0 && tail.get(word) == Some(&b'=');
    let filter = tail.starts_with(b"[") && trim_end(tail).ends_with(b"]");
    setting || filter || tail.starts_with(b"include ")
}

fn clipped(tail: &[u8]) -> String {
    let text = shown(tail);
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or_default()),
        None => text,
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
    let first = shown(lenient(value.trim_start().as_bytes()));
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
        _ if is_port_param(&first) && distance(bare, "dtparam") <= 2 => {
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
        let name = shown(param.name);
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
    let value = param.value.map(shown);
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
