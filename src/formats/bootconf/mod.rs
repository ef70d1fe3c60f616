//! The bootloader configuration (the EEPROM's `bootconf.txt`).

mod append;
mod keys;
#[cfg(test)]
mod tests;

pub use append::append;

use super::config_txt::{self, Conditions, Evaluation, Item, Kind, explore, split};
use crate::terms::BootOrder;

/// What a bootloader configuration means for this board in a normal boot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Meaning {
    /// `BOOT_ORDER` in force, or `None` when no effective line sets it (the
    /// bootloader then uses [`BootOrder::DEFAULT`]).
    pub boot_order: Option<BootOrder>,
    /// False when an unsettled rule decides which `BOOT_ORDER` wins.
    pub boot_order_certain: bool,
    /// `PCIE_PROBE` is on.
    pub pcie_probe: bool,
    /// `SIGNED_BOOT` is set to something other than 0, in any section.
    pub signed_boot: bool,
    /// `FREEZE_VERSION=1` stands in any section.
    pub frozen: bool,
    /// `ENABLE_SELF_UPDATE=0` stands anywhere, as the update script greps it.
    pub self_update_off: bool,
    /// What stands below a `[config.txt]` line.
    pub config_txt_section: Option<Vec<u8>>,
    /// Keys in force that nobody documents, as written.
    pub unknown_keys: Vec<String>,
}

/// What the bootloader configuration `bytes` means on this board.
///
/// The syntax is that of config.txt with its filters; there are no includes
/// and no overlays, and keys are upper case. Source: Raspberry Pi
/// documentation, eeprom-bootloader.adoc.
pub fn read(bytes: &[u8], conditions: &Conditions) -> Meaning {
    let (text, config_txt_section) = parts(bytes);
    let conditions = of_bootloader(conditions);
    let items = config_txt::keys("bootconf.txt", text);
    let evaluation = Evaluation::new(&items, &conditions);
    let order = order(&evaluation);
    Meaning {
        boot_order: order.first,
        boot_order_certain: order.certain,
        pcie_probe: probe(&evaluation),
        signed_boot: any_line(&items, b"SIGNED_BOOT", |value| number(value) != Some(0)),
        frozen: any_line(&items, b"FREEZE_VERSION", |value| number(value) == Some(1)),
        // The update script greps the plain text, comments too.
        self_update_off: contains(bytes, b"ENABLE_SELF_UPDATE=0"),
        config_txt_section: config_txt_section.map(<[u8]>::to_vec),
        unknown_keys: unknown_keys(&evaluation),
    }
}

/// The lines with `BOOT_ORDER` or `PCIE_PROBE` that carry something behind the
/// number: the format has no such comments, although the number is read.
pub fn trailing_text(bytes: &[u8]) -> Vec<String> {
    let items = config_txt::keys("bootconf.txt", parts(bytes).0);
    let trails = |item: &&Item<'_>| match item.key() {
        b"BOOT_ORDER" => boot_order(item.value()).is_some_and(|(_, rest)| rest > 0),
        b"PCIE_PROBE" => {
            let value = item.value().trim_ascii();
            value.iter().position(|byte| !byte.is_ascii_digit()).is_some_and(|at| at > 0)
        }
        _ => false,
    };
    items.iter().filter(|item| item.kind == Kind::Setting).filter(trails).map(|item| item.at().text).collect()
}

/// What the bootloader reads, and what it hands on to config.txt: all below
/// the first line `[config.txt]`.
fn parts(bytes: &[u8]) -> (&[u8], Option<&[u8]>) {
    let mut end = 0;
    for line in split(bytes) {
        if line.trim_ascii().eq_ignore_ascii_case(b"[config.txt]") {
            return (bytes.get(..end).unwrap_or_default(), bytes.get(end + line.len()..));
        }
        end += line.len();
    }
    (bytes, None)
}

/// The number of the partition in the bootloader's stage is that which the
/// reboot asked for, not the one that was booted in the end.
fn of_bootloader(conditions: &Conditions) -> Conditions {
    Conditions { partition: None, overlays: None, ..conditions.clone() }
}

struct Order {
    first: Option<BootOrder>,
    certain: bool,
}

fn order(evaluation: &Evaluation<'_>) -> Order {
    let answers = explore(|path| {
        let last = evaluation.last(evaluation.items.len(), path, |item, place, path| {
            let set =
                item.kind == Kind::Setting && item.key() == b"BOOT_ORDER" && evaluation.applies(place, path);
            set.then(|| boot_order(item.value()).map(|(order, _)| order))
        });
        last.map(|(_, order)| order)
    });
    let first = answers.found.first().copied().flatten().flatten();
    // What the bootloader makes of a value without a digit is not settled.
    let number = answers.certain().is_some_and(|order| *order != Some(None));
    Order { first, certain: number }
}

fn probe(evaluation: &Evaluation<'_>) -> bool {
    let answers = explore(|path| {
        let last = evaluation.last(evaluation.items.len(), path, |item, place, path| {
            let set =
                item.kind == Kind::Setting && item.key() == b"PCIE_PROBE" && evaluation.applies(place, path);
            set.then(|| number(item.value()).is_some_and(|number| number != 0))
        });
        last.is_some_and(|(_, on)| on)
    });
    answers.always(&true)
}

fn unknown_keys(evaluation: &Evaluation<'_>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for (place, item) in evaluation.items.iter().enumerate() {
        let strange = item.kind == Kind::Setting && !item.tail && !keys::is_known(item.key());
        let name = String::from_utf8_lossy(item.key()).into_owned();
        let new = strange && !found.contains(&name);
        if new && explore(|path| evaluation.applies(place, path)).maybe(&true) {
            found.push(name);
        }
    }
    found
}

fn any_line(items: &[Item<'_>], key: &[u8], holds: impl Fn(&[u8]) -> bool) -> bool {
    items.iter().any(|item| item.kind == Kind::Setting && item.key() == key && holds(item.value()))
}

fn boot_order(value: &[u8]) -> Option<(BootOrder, usize)> {
    BootOrder::parse(&String::from_utf8_lossy(value))
}

/// The decimal number at the start of a value.
fn number(value: &[u8]) -> Option<u32> {
    let digits: Vec<u8> = value.trim_ascii_start().iter().copied().take_while(u8::is_ascii_digit).collect();
    String::from_utf8(digits).ok()?.parse().ok()
}

fn contains(bytes: &[u8], word: &[u8]) -> bool {
    bytes.windows(word.len()).any(|window| window == word)
}
