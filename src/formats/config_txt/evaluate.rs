//! Questions to a configuration, asked from the end of it backwards: the line
//! that decides is the last one that applies, so that lines before it, and the
//! unsettled rules that only they would need, cost nothing.

use super::Conditions;
use super::filter::{self, Filter};
use super::items::{Item, Kind};
use super::lines::{comment_start, lenient, trim_cr, trim_end, trim_start};
use super::params::{self, Target};
use super::reading::{Path, Rule};

/// A configuration with what its filters and overlays are judged against.
pub(crate) struct Evaluation<'a> {
    pub(crate) items: &'a [Item<'a>],
    pub(crate) conditions: &'a Conditions,
    /// The first overlay that may be missing.
    first_missing: Option<usize>,
}

impl<'a> Evaluation<'a> {
    /// An evaluation of `items`.
    pub(crate) fn new(items: &'a [Item<'a>], conditions: &'a Conditions) -> Self {
        let may_be_missing = |item: &Item<'_>| {
            let name = overlay_name(lenient(item.value()));
            item.kind == Kind::Overlay
                && (missing(name, conditions)
                    || conditions.overlays.is_some() && lenient(item.value()) != item.value())
        };
        Self { items, conditions, first_missing: items.iter().position(may_be_missing) }
    }

    /// The last item before `before` that `decides`, and what it gives. Items
    /// of which `decides` gives nothing are passed over.
    pub(crate) fn last<T>(
        &self,
        before: usize,
        path: &mut Path,
        mut decides: impl FnMut(&Item<'a>, usize, &mut Path) -> Option<T>,
    ) -> Option<(usize, T)> {
        let items = self.items.get(..before)?;
        for (place, item) in items.iter().enumerate().rev() {
            if !path.step() {
                return None;
            }
            if item.kind == Kind::Cut {
                path.give_up();
                return None;
            }
            if let Some(value) = decides(item, place, path) {
                return Some((place, value));
            }
        }
        None
    }

    /// What the last effective line sets for the port or the generation, and
    /// which line that is.
    pub(crate) fn decided<T: Target>(&self, path: &mut Path) -> Option<(usize, T)> {
        self.last(self.items.len(), path, |_, place, path| self.sets(place, path))
    }

    /// What the item at `place` sets on the base device tree, if it applies.
    pub(crate) fn sets<T: Target>(&self, place: usize, path: &mut Path) -> Option<T> {
        let item = self.items.get(place).filter(|item| item.kind == Kind::Param)?;
        let named = params::params(lenient(item.value())).any(|param| T::is_name(param.name));
        if !named {
            return None;
        }
        let value = params::last(clean(item.value(), path))?;
        (self.applies(place, path) && self.reaches_base(place, path)).then_some(value)
    }

    /// True when the line at `place` is a line at all, the filters above it
    /// hold, and so for the `include` line through which it came.
    pub(crate) fn applies(&self, place: usize, path: &mut Path) -> bool {
        let Some(item) = self.items.get(place) else { return false };
        if let Some(known) = path.known(place) {
            return known;
        }
        let mut filters = Vec::new();
        self.filters_before(place, item.parent, true, path, &mut |filter, _| filters.push(filter));
        filters.reverse();
        let applies = filter::hold(&filters, path)
            && self.exists(item, path)
            && item.parent.is_none_or(|parent| self.included(parent, path));
        path.keep(place, applies)
    }

    fn exists(&self, item: &Item<'_>, path: &mut Path) -> bool {
        (!item.tail || path.decide(Rule::TailIsLine))
            && (!item.bom || !path.decide(Rule::BomSpoils))
            && (!item.odd_case || path.decide(Rule::CaseIgnored))
    }

    fn included(&self, place: usize, path: &mut Path) -> bool {
        let Some(item) = self.items.get(place) else { return false };
        let named = clean(trim_start(item.value()), path) == lenient(trim_start(item.value()));
        // Each include asks for the filters that those before it leave behind.
        named && path.enter() && {
            let applies = self.applies(place, path);
            path.leave();
            applies
        }
    }

    /// Gives the filters in force before the item at `place`, the nearest
    /// first, back to the last `[all]`. With `outward` it goes on before the
    /// `include` line through which the item came; it gives true when it has
    /// met an `[all]`.
    pub(crate) fn filters_before(
        &self,
        place: usize,
        parent: Option<usize>,
        outward: bool,
        path: &mut Path,
        give: &mut dyn FnMut(Filter, usize),
    ) -> bool {
        let (mut place, mut parent) = (place, parent);
        while let Some(before) = place.checked_sub(1) {
            if !path.step() {
                return true;
            }
            if parent == Some(before) {
                if !outward {
                    return false;
                }
                parent = self.items.get(before).and_then(|item| item.parent);
                place = before;
                continue;
            }
            let Some(sibling) = self.sibling(before, parent) else { return true };
            place = sibling;
            let Some(item) = self.items.get(sibling) else { return true };
            match item.kind {
                Kind::Filter if self.exists(item, path) => {
                    let filter = self.filter(item, path);
                    if filter == Filter::All {
                        return true;
                    }
                    give(filter, sibling);
                }
                Kind::Include { end, filters: true, .. }
                    if self.included(sibling, path)
                        && path.decide(Rule::IncludeLeaks)
                        && self.filters_before(end, Some(sibling), false, path, give) =>
                {
                    return true;
                }
                Kind::Cut => {
                    path.give_up();
                    return true;
                }
                _ => {}
            }
        }
        false
    }

    /// The item of the same file as `parent`'s other lines that is at `place`
    /// or holds it.
    fn sibling(&self, place: usize, parent: Option<usize>) -> Option<usize> {
        let mut place = place;
        while self.items.get(place)?.parent != parent {
            place = self.items.get(place)?.parent?;
        }
        Some(place)
    }

    fn filter(&self, item: &Item<'_>, path: &mut Path) -> Filter {
        let line = clean(item.text, path);
        let filter = filter::parse(line, self.conditions);
        if filter != Filter::Unknown {
            return filter;
        }
        let mut other = line.to_ascii_lowercase();
        if other.starts_with(b"[edid=") || other.starts_with(b"[hdmi:") {
            if let Some(word) = other.get_mut(1..5) {
                word.make_ascii_uppercase();
            }
        }
        match filter::parse(&other, self.conditions) {
            Filter::Unknown => Filter::Unknown,
            known if path.decide(Rule::CaseIgnored) => known,
            _ => Filter::Unknown,
        }
    }

    /// False when the parameters at `place` go down with a missing overlay.
    pub(crate) fn reaches_base(&self, place: usize, path: &mut Path) -> bool {
        let Some(first) = self.first_missing else { return true };
        let scope = self.last(place, path, |item, place, path| {
            if place < first {
                return Some(false);
            }
            if item.kind != Kind::Overlay || !self.applies(place, path) {
                return None;
            }
            Some(missing(overlay_name(clean(item.value(), path)), self.conditions))
        });
        !scope.is_some_and(|(_, missing)| missing && path.decide(Rule::MissingTakesAll))
    }

    /// The overlay whose scope is open at the end, by its line.
    pub(crate) fn open_overlay(&self, path: &mut Path) -> Option<usize> {
        let last = self.last(self.items.len(), path, |item, place, path| {
            let overlay = item.kind == Kind::Overlay && self.applies(place, path);
            overlay.then(|| !overlay_name(clean(item.value(), path)).is_empty())
        });
        last.filter(|(_, open)| *open).map(|(place, _)| place)
    }
}

/// The name of the overlay: what stands before its parameters.
pub(crate) fn overlay_name(value: &[u8]) -> &[u8] {
    value.split(|byte| matches!(byte, b',' | b':')).next().unwrap_or_default()
}

/// True for the name of an overlay that is known not to be there.
pub(crate) fn missing(name: &[u8], conditions: &Conditions) -> bool {
    let Some(overlays) = &conditions.overlays else { return false };
    !name.is_empty() && !std::str::from_utf8(name).is_ok_and(|name| overlays.contains(name))
}

/// The end of a line as this reading takes it.
pub(crate) fn clean<'t>(text: &'t [u8], path: &mut Path) -> &'t [u8] {
    let mut text = text;
    if text.ends_with(b"\r") && path.decide(Rule::CrStripped) {
        text = trim_cr(text);
    }
    if let Some(at) = comment_start(text) {
        if path.decide(Rule::InlineComment) {
            text = text.get(..at).unwrap_or_default();
        }
    }
    if trim_end(text).len() != text.len() && path.decide(Rule::BlanksTrimmed) {
        text = trim_end(text);
    }
    text
}
