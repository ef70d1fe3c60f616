//! config.txt as the firmware of a Raspberry Pi 5 reads it.
//!
//! [`read`] tells what the files mean, [`append`] gives the bytes that mean
//! what is wanted. Inside: `items` picks the lines that can matter (lossless
//! splitting in `lines`), `filter` and `params` know the rules of filters and
//! values, `evaluate` finds the line that decides from the end backwards, and
//! `reading` has that done under every reading of the rules that are not
//! settled. `remarks` and `spelling` tell of lines that look meant but do
//! nothing.

mod append;
mod evaluate;
mod filter;
mod items;
mod lines;
mod meaning;
mod names;
mod params;
mod reading;
mod remarks;
mod spelling;

pub use append::append;
pub use items::includes;
pub use meaning::read;

pub(super) use append::without_own_block;
pub(super) use evaluate::Evaluation;
pub(super) use items::{Item, Kind, keys};
pub(super) use lines::split;
pub(super) use reading::explore;

use crate::terms::BoardKind;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// A line of a file, for a person to find it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct LineRef {
    /// The file's name beside config.txt, or `EEPROM` for the bootloader
    /// configuration's own `[config.txt]` section.
    pub file: String,
    /// Counted from 1.
    pub line: u32,
    /// The line without its end, invalid UTF-8 replaced.
    pub text: String,
}

/// What a setting means under every reading of the unsettled rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value<T> {
    /// All readings agree.
    Certain(T),
    /// They do not: the values found, each once, in ascending order.
    Uncertain(Vec<T>),
}

impl<T: PartialEq> Value<T> {
    /// True when every reading gives `wanted`.
    pub fn is_certainly(&self, wanted: &T) -> bool {
        matches!(self, Self::Certain(value) if value == wanted)
    }

    /// The value, when all readings agree.
    pub fn certain(&self) -> Option<&T> {
        match self {
            Self::Certain(value) => Some(value),
            Self::Uncertain(_) => None,
        }
    }
}

/// A setting with the lines that decide it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting<T> {
    /// Its value.
    pub value: Value<T>,
    /// The lines that decide it under at least one reading, in file order;
    /// empty for the firmware's default.
    pub lines: Vec<LineRef>,
}

/// The files that make up one configuration.
#[derive(Debug, Clone, Default)]
pub struct Files {
    /// The bytes of config.txt.
    pub top: Vec<u8>,
    /// Files named by `include` lines that exist, by the name used there.
    pub includes: BTreeMap<String, Vec<u8>>,
    /// What the bootloader configuration carries below its `[config.txt]`
    /// line: the firmware reads it after the end of config.txt.
    pub eeprom_section: Option<Vec<u8>>,
}

/// What the filters and overlays are judged against.
#[derive(Debug, Clone)]
pub struct Conditions {
    /// The board.
    pub board: BoardKind,
    /// Revision code, for `[board-type=]` and expressions; `None`: unknown.
    pub revision: Option<u32>,
    /// The board's serial number, for `[0x...]`; `None`: unknown.
    pub serial: Option<u64>,
    /// Whether the boot in question is a tryboot.
    pub tryboot: bool,
    /// The boot partition's number, for `[boot_partition=]`.
    pub partition: Option<u32>,
    /// Build time of the bootloader (Unix seconds): `[pi5]` covers the CM5 only
    /// from 2024-06-04 on. `None`: unknown.
    pub bootloader: Option<u32>,
    /// Names of the overlays on the partition (without `.dtbo`). `None`: not
    /// read, then no overlay counts as missing.
    pub overlays: Option<BTreeSet<String>>,
    /// The firmware has enabled the port before config.txt is read: booted
    /// from NVMe, or the board was detected as HAT+.
    pub port_enabled_by_firmware: bool,
}

/// A line that looks meant but does nothing, or not what it seems to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// Which kind.
    pub kind: RemarkKind,
    /// Where.
    pub at: LineRef,
    /// What a person would want to know of it: the filter that is false, the
    /// name that was meant, the line that undoes it.
    pub detail: String,
}

/// The kinds of lines that look meant but do nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RemarkKind {
    /// A PCIe setting below a filter that is false for this board.
    WrongSection,
    /// A name nobody knows, close to one that was meant.
    MisspeltName,
    /// A second `dtparam=` or `dtoverlay=` inside a line.
    FusedLine,
    /// Beyond column 98.
    OverLongLine,
    /// A later line sets the same thing to another value.
    Overridden,
    /// Spaces round `=`, upper case, a value that is no number.
    InvalidValue,
    /// Text after the value, whose effect is not settled.
    TrailingText,
    /// A setting that belongs in cmdline.txt or the bootloader configuration.
    WrongFile,
    /// The filter is not known, so whether the lines below it apply is not
    /// settled.
    UnknownFilter,
    /// The parameter hangs on an overlay that is not on the partition.
    MissingOverlay,
}

/// What a configuration means for the external PCIe port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Meaning {
    /// Whether the port is enabled.
    pub port: Setting<bool>,
    /// The generation asked for (`max-link-speed`), 2 when nothing is said.
    pub generation: Setting<u32>,
    /// Lines that look meant but do nothing.
    pub remarks: Vec<Remark>,
    /// Files that `include` lines name and that do not exist.
    pub missing_includes: Vec<LineRef>,
    /// `os_prefix=` in force, empty when there is none.
    pub os_prefix: String,
    /// Name of the command line file (`cmdline=`), `cmdline.txt` when not said.
    pub cmdline: String,
}

/// What config.txt shall mean. `None` leaves a setting as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wanted {
    /// The port, on.
    pub port: bool,
    /// The generation.
    pub generation: Option<u32>,
}

#[cfg(test)]
mod tests;
