//! Conditional filters: which there are, and whether a run of them holds.
//!
//! Source: Raspberry Pi documentation, config_txt/conditional.adoc, and the
//! release notes of raspberrypi/rpi-eeprom firmware-2712.

use super::Conditions;
use super::params::c_integer;
use super::reading::{Path, Rule};
use crate::terms::BoardKind;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Filters of one kind replace each other; those of different kinds must all
/// hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Group {
    Serial,
    Edid,
    Gpio,
    Hdmi,
    Tryboot,
    Partition,
    BootPartition,
    Expression,
}

/// Whether a filter holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Truth {
    Known(bool),
    /// It is true or false by a rule or by something that cannot be seen.
    Open(Rule),
}

/// A filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Filter {
    All,
    None,
    Model(Truth),
    BoardType(Truth),
    Other(Group, Truth),
    Unknown,
}

/// 2024-06-04: from then on `[pi5]` covers the whole family (release notes).
const PI5_COVERS_FAMILY: u32 = 1_717_459_200;

/// The bootloader of 2025-03-10, the first with `[boot_partition=N]` (release
/// notes).
const BOOT_PARTITION_TESTED: u32 = 1_741_626_637;

/// The filter that a cleaned line spells; anything it does not know, a missing
/// bracket too, is [`Filter::Unknown`].
pub(crate) fn parse(line: &[u8], conditions: &Conditions) -> Filter {
    let Some(name) = line.strip_prefix(b"[").and_then(|rest| rest.strip_suffix(b"]")) else {
        return Filter::Unknown;
    };
    let Ok(name) = std::str::from_utf8(name) else { return Filter::Unknown };
    match name {
        "all" => return Filter::All,
        "none" => return Filter::None,
        "tryboot" => return Filter::Other(Group::Tryboot, Truth::Known(conditions.tryboot)),
        _ => {}
    }
    if let Some(truth) = model(name, conditions) {
        return Filter::Model(truth);
    }
    if let Some(number) = name.strip_prefix("board-type=") {
        return number_of(number)
            .map_or(Filter::Unknown, |number| Filter::BoardType(board_type(number, name, conditions)));
    }
    if let Some(hex) = name.strip_prefix("0x") {
        return u64::from_str_radix(hex, 16).map_or(Filter::Unknown, |number| {
            Filter::Other(Group::Serial, serial(number, name, conditions))
        });
    }
    if name.starts_with("EDID=") {
        return Filter::Other(Group::Edid, open(name));
    }
    if matches!(name, "HDMI:0" | "HDMI:1") {
        return Filter::Other(Group::Hdmi, open(name));
    }
    if let Some(rest) = name.strip_prefix("gpio") {
        let pin = rest.strip_suffix("=0").or_else(|| rest.strip_suffix("=1"));
        let valid = pin.is_some_and(|pin| !pin.is_empty() && pin.bytes().all(|byte| byte.is_ascii_digit()));
        return if valid { Filter::Other(Group::Gpio, open(name)) } else { Filter::Unknown };
    }
    expression(name, conditions).unwrap_or(Filter::Unknown)
}

fn model(name: &str, conditions: &Conditions) -> Option<Truth> {
    use BoardKind::{Cm5, Cm5Lite, Other, Pi5, Pi500};
    let known = matches!(
        name,
        "pi0"
            | "pi0w"
            | "pi02"
            | "pi1"
            | "pi2"
            | "pi3"
            | "pi3+"
            | "pi4"
            | "pi400"
            | "pi5"
            | "pi500"
            | "cm0"
            | "cm4"
            | "cm4s"
            | "cm5"
    );
    if !known {
        return None;
    }
    Some(match (conditions.board, name) {
        (Other, _) => open(name),
        (Pi5 | Pi500, "pi5") | (Pi500, "pi500") | (Cm5 | Cm5Lite, "cm5") => Truth::Known(true),
        (Cm5 | Cm5Lite, "pi5") => match conditions.bootloader {
            Some(time) => Truth::Known(time >= PI5_COVERS_FAMILY),
            None => Truth::Open(Rule::Pi5CoversCm5),
        },
        _ => Truth::Known(false),
    })
}

fn board_type(number: u32, name: &str, conditions: &Conditions) -> Truth {
    let own = match (conditions.revision, conditions.board) {
        (Some(revision), _) if revision & (1 << 23) != 0 => (revision >> 4) & 0xff,
        (_, BoardKind::Pi5) => 0x17,
        (_, BoardKind::Cm5) => 0x18,
        (_, BoardKind::Pi500) => 0x19,
        (_, BoardKind::Cm5Lite) => 0x1a,
        (_, BoardKind::Other) => return open(name),
    };
    Truth::Known(number == own)
}

fn serial(number: u64, name: &str, conditions: &Conditions) -> Truth {
    match conditions.serial {
        Some(own) if own == number => Truth::Known(true),
        // Whether the lower half alone is compared is not documented.
        Some(own) if own & 0xffff_ffff == number => open(name),
        Some(_) => Truth::Known(false),
        None => open(name),
    }
}

/// `A=V`, `A&M`, `A&M=V`, `A<V`, `A>V` without blanks.
fn expression(name: &str, conditions: &Conditions) -> Option<Filter> {
    let at = name.find(['=', '&', '<', '>'])?;
    let (variable, rest) = name.split_at(at);
    let (operator, operand) = rest.split_at(1);
    let group = match variable {
        "partition" => Group::Partition,
        "boot_partition" => Group::BootPartition,
        "boot_arg1" | "boot_count" | "bootvar0" | "board_attributes" => Group::Expression,
        _ => return None,
    };
    let (mask, operand) = match operand.split_once('=') {
        Some((mask, value)) if operator == "&" => (Some(number_of(mask)?), number_of(value)?),
        _ => (None, number_of(operand)?),
    };
    // `partition` is the number that the restart asked for (`reboot N`), which
    // nobody can know now; an older bootloader takes no notice of
    // `boot_partition` and what stands below applies.
    let tested = group == Group::BootPartition
        && conditions.bootloader.is_some_and(|time| time >= BOOT_PARTITION_TESTED);
    let own = conditions.partition.filter(|_| tested);
    let truth = own.map_or(open(name), |own| {
        Truth::Known(match (operator, mask) {
            ("=", _) => own == operand,
            ("<", _) => own < operand,
            (">", _) => own > operand,
            (_, Some(mask)) => own & mask == operand,
            (_, None) => own & operand != 0,
        })
    });
    Some(Filter::Other(group, truth))
}

fn number_of(text: &str) -> Option<u32> {
    if text.is_empty() { None } else { c_integer(text.as_bytes()) }
}

fn open(name: &str) -> Truth {
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    Truth::Open(Rule::Holds(hasher.finish()))
}

/// Whether the lines below these filters (all since `[all]`, in file order)
/// apply.
pub(crate) fn hold(filters: &[Filter], path: &mut Path) -> bool {
    let mut others: Vec<(Group, Truth)> = Vec::new();
    let (mut none, mut revivable) = (false, false);
    for filter in filters {
        match *filter {
            Filter::All => {
                others.clear();
                (none, revivable) = (false, false);
            }
            Filter::None => (none, revivable) = (true, false),
            Filter::Model(_) | Filter::BoardType(_) => revivable = none,
            Filter::Other(group, truth) => {
                others.retain(|(other, _)| *other != group);
                others.push((group, truth));
            }
            Filter::Unknown => {}
        }
    }
    if others.iter().any(|(group, truth)| *truth == Truth::Known(false) && !replaceable(*group, &others)) {
        return false;
    }
    if none && !(revivable && path.decide(Rule::NoneRevives)) {
        return false;
    }
    board_holds(filters, path) && others_hold(&others, path)
}

/// True when another partition filter, which comes later, may have replaced
/// this one.
fn replaceable(group: Group, others: &[(Group, Truth)]) -> bool {
    let last = others.iter().rev().map(|(group, _)| *group).find(|group| is_partition(*group));
    is_partition(group) && last.is_some_and(|last| last != group)
}

fn is_partition(group: Group) -> bool {
    matches!(group, Group::Partition | Group::BootPartition)
}

fn others_hold(others: &[(Group, Truth)], path: &mut Path) -> bool {
    for (group, truth) in others {
        let holds = match truth {
            Truth::Known(holds) => *holds,
            Truth::Open(rule) => path.decide(*rule),
        };
        let holds = holds || replaceable(*group, others) && path.decide(Rule::PartitionsReplace);
        if !holds {
            return false;
        }
    }
    true
}

/// Model and board-type filters, and unknown ones, which take the place of a
/// model when they count as false.
fn board_holds(filters: &[Filter], path: &mut Path) -> bool {
    let start = filters.iter().rposition(|filter| *filter == Filter::All).map_or(0, |all| all + 1);
    let mut events = Vec::new();
    for filter in filters.get(start..).unwrap_or_default() {
        match filter {
            Filter::Model(truth) => events.push((Some(false), *truth)),
            Filter::BoardType(truth) => events.push((Some(true), *truth)),
            Filter::Unknown => events.push((None, Truth::Known(false))),
            _ => {}
        }
    }
    let fold = |unknown_is_false: bool, replaces: bool, path: &mut Path| {
        let (mut model, mut board) = (Truth::Known(true), Truth::Known(true));
        for (kind, truth) in &events {
            match kind {
                Some(true) => {
                    board = *truth;
                    if replaces {
                        model = Truth::Known(true);
                    }
                }
                Some(false) => {
                    model = *truth;
                    if replaces {
                        board = Truth::Known(true);
                    }
                }
                None if unknown_is_false => {
                    model = Truth::Known(false);
                    if replaces {
                        board = Truth::Known(true);
                    }
                }
                None => {}
            }
        }
        [model, board].into_iter().all(|truth| match truth {
            Truth::Known(holds) => holds,
            Truth::Open(rule) => path.decide(rule),
        })
    };
    let unknown = events.iter().any(|(kind, _)| kind.is_none());
    let both = events.iter().any(|(kind, _)| *kind == Some(true))
        && events.iter().any(|(kind, _)| *kind != Some(true));
    // Try without the coins first: a rule that changes nothing is not turned.
    let differs = unknown
        && (fold(true, true, path) != fold(false, true, path)
            || fold(true, false, path) != fold(false, false, path));
    let unknown_is_false = differs && path.decide(Rule::UnknownIsFalse);
    let differs = both && fold(unknown_is_false, true, path) != fold(unknown_is_false, false, path);
    let replaces = !differs || path.decide(Rule::BoardTypeReplaces);
    fold(unknown_is_false, replaces, path)
}
