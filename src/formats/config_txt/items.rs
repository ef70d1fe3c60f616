//! The lines that can matter, of config.txt, its includes and the bootloader's
//! own section, in the order in which the firmware reads them.

use super::lines::{LONGEST, body, is_blank, lenient, shown, split, trim_cr, trim_start};
use super::{Files, LineRef};

/// What a line is, whatever the reading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `[...]`
    Filter,
    /// `include NAME`; the lines of the file follow, up to the item `end`.
    Include {
        /// First item behind the file's lines.
        end: usize,
        /// False when there is no such file.
        exists: bool,
        /// Filters are among its lines.
        filters: bool,
    },
    /// `dtoverlay=...`
    Overlay,
    /// `dtparam=...`
    Param,
    /// Any other `KEY=...` that was asked for.
    Setting,
    /// Here lines were left out, because there are too many of them: what is
    /// before it cannot be told.
    Cut,
}

/// A line that can matter.
#[derive(Debug, Clone)]
pub(crate) struct Item<'a> {
    pub(crate) kind: Kind,
    /// The whole line without blanks before it, at most what the firmware
    /// takes as one line.
    pub(crate) text: &'a [u8],
    /// Where what the line sets begins in `text` (behind `=` or `include `).
    pub(crate) value_at: usize,
    /// The `include` item through which it came.
    pub(crate) parent: Option<usize>,
    /// It begins beyond column 98 of the line.
    pub(crate) tail: bool,
    /// A byte order mark precedes it.
    pub(crate) bom: bool,
    /// The word before `=` is not all lower case.
    pub(crate) odd_case: bool,
    file: &'a str,
    number: u32,
    whole: &'a [u8],
}

impl<'a> Item<'a> {
    /// What stands behind `=` or `include `, to the end of the line.
    pub(crate) fn value(&self) -> &'a [u8] {
        self.text.get(self.value_at..).unwrap_or_default()
    }

    /// The word before `=`.
    pub(crate) fn key(&self) -> &'a [u8] {
        self.text.get(..self.value_at.saturating_sub(1)).unwrap_or_default()
    }

    /// Where it is, for a person.
    pub(crate) fn at(&self) -> LineRef {
        line_ref(self.file, self.number, self.whole)
    }
}

/// A line for a person to find.
pub(crate) fn line_ref(file: &str, number: u32, line: &[u8]) -> LineRef {
    LineRef { file: file.to_owned(), line: number, text: shown(trim_cr(body(line))) }
}

/// Includes within includes that are followed at most.
const DEEPEST: usize = 8;
/// Items from included files at most: two files that name each other many
/// times would be endless otherwise.
const MOST_INCLUDED: usize = 5_000;

/// The items of all files of a configuration.
pub(crate) fn items(files: &Files) -> Vec<Item<'_>> {
    let mut reader = Reader { files, items: Vec::new(), included: 0, open: Vec::new() };
    reader.read("config.txt", &files.top, None);
    if let Some(section) = &files.eeprom_section {
        reader.read("EEPROM", section, None);
    }
    reader.items
}

/// The items of a text whose settings are read by `KEY=`: filters and
/// settings (the bootloader configuration).
pub(crate) fn keys<'a>(file: &'a str, bytes: &'a [u8]) -> Vec<Item<'a>> {
    let mut items = Vec::new();
    pieces(file, bytes, None, |item| {
        let mut item = item;
        if item.text.starts_with(b"[") {
            item.kind = Kind::Filter;
        } else if let Some(equals) = item.text.iter().position(|byte| *byte == b'=') {
            item.value_at = equals + 1;
        } else {
            return;
        }
        items.push(item);
    });
    items
}

/// The plain names on `include` lines, each once, in file order. Names with a
/// folder in them are left out: the file must lie beside config.txt.
pub fn includes(bytes: &[u8]) -> Vec<String> {
    let mut names = Vec::new();
    pieces("", bytes, None, |item| {
        if let Some((Kind::Include { .. }, value_at, _)) = shape(item.text) {
            let name = include_name(item.text.get(value_at..).unwrap_or_default());
            if let Some(name) = name.filter(|name| !names.contains(name)) {
                names.push(name);
            }
        }
    });
    names
}

fn include_name(value: &[u8]) -> Option<String> {
    let name = std::str::from_utf8(lenient(trim_start(value))).ok()?;
    let plain = !name.is_empty() && !name.contains(['/', '\\', '\0']) && name != ".." && name != ".";
    plain.then(|| name.to_owned())
}

struct Reader<'a> {
    files: &'a Files,
    items: Vec<Item<'a>>,
    included: usize,
    open: Vec<&'a str>,
}

impl<'a> Reader<'a> {
    fn read(&mut self, file: &'a str, bytes: &'a [u8], parent: Option<usize>) {
        let files = self.files;
        pieces(file, bytes, parent, |mut item| {
            let Some((kind, value_at, odd_case)) = shape(item.text) else { return };
            (item.value_at, item.odd_case) = (value_at, odd_case);
            if parent.is_some() {
                self.included += 1;
                if self.included > MOST_INCLUDED {
                    if self.items.last().is_some_and(|last| last.kind != Kind::Cut) {
                        item.kind = Kind::Cut;
                        self.items.push(item);
                    }
                    return;
                }
            }
            let place = self.items.len();
            let is_include = matches!(kind, Kind::Include { .. });
            item.kind = kind;
            let value = item.value();
            self.items.push(item);
            if !is_include {
                return;
            }
            let found = include_name(value).and_then(|name| files.includes.get_key_value(&name));
            if let Some((name, content)) = found {
                if self.open.len() < DEEPEST && !self.open.contains(&name.as_str()) {
                    self.open.push(name);
                    self.read(name, content, Some(place));
                    self.open.pop();
                }
            }
            let end = self.items.len();
            let inside = self.items.get(place + 1..end).unwrap_or_default();
            let filters = inside.iter().any(|item| matches!(item.kind, Kind::Filter | Kind::Cut));
            if let Some(item) = self.items.get_mut(place) {
                item.kind = Kind::Include { end, exists: found.is_some(), filters };
            }
        });
    }
}

/// Gives every line that is no comment, and what is beyond column 98 of it or
/// of a comment, as items of no settled kind.
fn pieces<'a>(file: &'a str, bytes: &'a [u8], parent: Option<usize>, mut give: impl FnMut(Item<'a>)) {
    for (number, line) in (1u32..).zip(split(bytes)) {
        let whole = body(line);
        let (bom, mut rest) = match whole.strip_prefix(b"\xef\xbb\xbf") {
            Some(rest) if number == 1 => (true, rest),
            _ => (false, whole),
        };
        let mut tail = false;
        loop {
            let (piece, behind) = rest.split_at(rest.len().min(LONGEST));
            let text = trim_start(piece);
            if !text.is_empty() && !text.starts_with(b"#") {
                let (kind, value_at, odd_case) = (Kind::Setting, 0, false);
                let bom = bom && !tail;
                give(Item { kind, text, value_at, parent, tail, bom, odd_case, file, number, whole });
            }
            if behind.is_empty() {
                break;
            }
            (rest, tail) = (behind, true);
        }
    }
}

/// What a line is, where its value begins, and whether that needs case to be
/// ignored; `None` for a line that cannot matter here.
fn shape(text: &[u8]) -> Option<(Kind, usize, bool)> {
    if text.starts_with(b"[") {
        return Some((Kind::Filter, 0, false));
    }
    if text.strip_prefix(b"include").and_then(<[u8]>::first).copied().is_some_and(is_blank) {
        return Some((Kind::Include { end: 0, exists: false, filters: false }, "include".len(), false));
    }
    let equals = text.iter().position(|byte| *byte == b'=')?;
    let key = text.get(..equals).unwrap_or_default();
    let lower = key.to_ascii_lowercase();
    let kind = match lower.as_slice() {
        b"dtparam" | b"device_tree_param" => Kind::Param,
        b"dtoverlay" | b"device_tree_overlay" => Kind::Overlay,
        b"os_prefix" | b"cmdline" => Kind::Setting,
        _ => return None,
    };
    Some((kind, equals + 1, lower != key))
}
