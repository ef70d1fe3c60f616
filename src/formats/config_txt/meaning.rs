//! What a configuration means, under every reading.

use super::items::{Item, Kind, items};
use super::lines::{lenient, trim_start};
use super::params::{Target, params};
use super::reading::{Path, Rule, explore};
use super::remarks::remarks;
use super::{Conditions, Evaluation, Files, Meaning, Setting, Value};

/// What `files` mean on the board and in the boot that `conditions` tell of.
///
/// Never fails: bytes that are no text are lines that mean nothing, a text with
/// more readings than can be tried is uncertain.
pub fn read(files: &Files, conditions: &Conditions) -> Meaning {
    let items = items(files);
    let evaluation = Evaluation::new(&items, conditions);
    let (port, generation) = (port(&evaluation), generation(&evaluation));
    let remarks = remarks(files, &evaluation, &port, &generation);
    let mut path = Path::default();
    let missing = |(place, item): (usize, &Item<'_>), path: &mut Path| {
        let missing = matches!(item.kind, Kind::Include { exists: false, .. });
        (missing && evaluation.applies(place, path)).then(|| item.at())
    };
    let missing_includes = items.iter().enumerate().filter_map(|item| missing(item, &mut path)).collect();
    Meaning {
        port,
        generation,
        remarks,
        missing_includes,
        os_prefix: word(&evaluation, b"os_prefix").unwrap_or_default(),
        cmdline: word(&evaluation, b"cmdline")
            .filter(|name| !name.is_empty())
            .unwrap_or_else(|| "cmdline.txt".into()),
    }
}

/// Whether the port is on. That `off` prevails over a port that the firmware
/// has enabled is doubted by a maintainer (raspberrypi/rpi-sb-provisioner#180).
pub(super) fn port(evaluation: &Evaluation<'_>) -> Setting<bool> {
    let by_firmware = evaluation.conditions.port_enabled_by_firmware;
    setting(evaluation, by_firmware, &[false, true], |on, path| {
        on || by_firmware && path.decide(Rule::FirmwareEnables)
    })
}

/// The generation; 2 when nothing is said (bcm2712.dtsi).
pub(super) fn generation(evaluation: &Evaluation<'_>) -> Setting<u32> {
    setting(evaluation, 2, &[2, 3], |value, _| value)
}

fn setting<T: Target>(
    evaluation: &Evaluation<'_>,
    default: T,
    usual: &[T],
    effect: impl Fn(T, &mut Path) -> T,
) -> Setting<T> {
    let answers = explore(|path| match evaluation.decided::<T>(path) {
        Some((place, value)) => (effect(value, path), Some(place)),
        None => (default, None),
    });
    let mut values: Vec<T> = answers.found.iter().map(|(value, _)| *value).collect();
    let mut places: Vec<usize> = answers.found.iter().filter_map(|(_, place)| *place).collect();
    if !answers.complete {
        values.extend(usual);
        values.extend(mentioned::<T>(evaluation));
    }
    values.sort_unstable();
    values.dedup();
    places.sort_unstable();
    places.dedup();
    let value = match values.as_slice() {
        [one] => Value::Certain(*one),
        _ => Value::Uncertain(values),
    };
    let lines = places.iter().filter_map(|place| evaluation.items.get(*place)).map(Item::at).collect();
    Setting { value, lines }
}

fn mentioned<T: Target>(evaluation: &Evaluation<'_>) -> Vec<T> {
    let lines = evaluation.items.iter().filter(|item| item.kind == Kind::Param);
    let named = lines.flat_map(|item| params(lenient(item.value()))).filter(|param| T::is_name(param.name));
    named.filter_map(|param| T::value(param.value)).collect()
}

/// The last effective value of a plain key, as the documentation has the
/// rules.
fn word(evaluation: &Evaluation<'_>, key: &[u8]) -> Option<String> {
    let mut path = Path::default();
    let (_, value) = evaluation.last(evaluation.items.len(), &mut path, |item, place, path| {
        let wanted = item.kind == Kind::Setting && item.key() == key && !item.tail;
        (wanted && evaluation.applies(place, path)).then(|| lenient(trim_start(item.value())))
    })?;
    Some(String::from_utf8_lossy(value).into_owned())
}
