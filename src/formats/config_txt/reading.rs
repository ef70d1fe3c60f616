//! Rules of the firmware that are not settled, and trying them all.
//!
//! A text is evaluated as if each rule were a coin: the first evaluation takes
//! one side of every coin it meets, and further ones take the other sides, so
//! that only rules which matter for this text cost anything.

use std::collections::BTreeMap;

/// A rule that is not settled, or a truth that cannot be known from here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rule {
    /// A CR at the end of a line is stripped.
    CrStripped,
    /// ` #` starts a comment inside a line.
    InlineComment,
    /// Blanks at the end of a line are stripped.
    BlanksTrimmed,
    /// Filters and the words dtparam and dtoverlay ignore case.
    CaseIgnored,
    /// An unknown filter is false; else it is as if it were not there.
    UnknownIsFalse,
    /// A model filter ends `[none]`.
    NoneRevives,
    /// What is beyond column 98 is a line of its own; else it is dropped.
    TailIsLine,
    /// An overlay that is not there takes its parameters with it.
    MissingTakesAll,
    /// `[board-type=]` replaces a model filter and the other way round; else
    /// both must hold.
    BoardTypeReplaces,
    /// `[partition=]` and `[boot_partition=]` replace each other; else both
    /// must hold.
    PartitionsReplace,
    /// A byte order mark spoils the first line.
    BomSpoils,
    /// Filters of an included file stay in force behind it.
    IncludeLeaks,
    /// `[pi5]` covers the compute module (it depends on the bootloader).
    Pi5CoversCm5,
    /// A port that the firmware has enabled stays on whatever config.txt says.
    FirmwareEnables,
    /// A filter, by the hash of its text, is true in the boot in question.
    Holds(u64),
}

/// Evaluations of one question at most. A text that needs more counts as
/// uncertain.
const MOST_PATHS: usize = 256;
/// Steps of all evaluations of one question at most, so that a hostile text
/// ends too.
const MOST_STEPS: u32 = 60_000;

/// Includes whose effect depends on one another at most.
const MOST_DEPTH: u32 = 64;

/// One evaluation: the sides taken so far.
#[derive(Debug, Default)]
pub(crate) struct Path {
    taken: Vec<(Rule, bool)>,
    steps: u32,
    depth: u32,
    /// Whether items apply, as far as that was asked on this path.
    applies: BTreeMap<usize, bool>,
}

impl Path {
    /// The side of `rule` on this path.
    pub(crate) fn decide(&mut self, rule: Rule) -> bool {
        if let Some((_, side)) = self.taken.iter().find(|(taken, _)| *taken == rule) {
            return *side;
        }
        self.taken.push((rule, true));
        true
    }

    /// What was found before on this path of the item at `place`.
    pub(crate) fn known(&self, place: usize) -> Option<bool> {
        self.applies.get(&place).copied()
    }

    /// Keeps what was found of the item at `place`, and gives it.
    pub(crate) fn keep(&mut self, place: usize, applies: bool) -> bool {
        self.applies.insert(place, applies);
        applies
    }

    /// Counts a step; false when there were too many.
    pub(crate) fn step(&mut self) -> bool {
        self.steps = self.steps.saturating_add(1);
        self.steps < MOST_STEPS
    }

    /// Goes one include deeper; gives up when that is too deep.
    pub(crate) fn enter(&mut self) -> bool {
        if self.depth >= MOST_DEPTH {
            self.give_up();
            return false;
        }
        self.depth += 1;
        true
    }

    /// Comes back from where [`Path::enter`] went.
    pub(crate) fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// The question has no answer that can be found.
    pub(crate) fn give_up(&mut self) {
        self.steps = MOST_STEPS;
    }

    fn exhausted(&self) -> bool {
        self.steps >= MOST_STEPS
    }

    /// The next path that differs in the last coin not yet turned.
    fn turn(mut self) -> Option<Self> {
        while let Some((rule, side)) = self.taken.pop() {
            if side {
                self.taken.push((rule, false));
                self.applies.clear();
                return Some(self);
            }
        }
        None
    }
}

/// The answers to a question under every reading, each once, in the order in
/// which they were found; the first is the answer when every rule is true.
#[derive(Debug)]
pub(crate) struct Answers<T> {
    pub(crate) found: Vec<T>,
    /// False when there were too many readings to try.
    pub(crate) complete: bool,
}

impl<T: PartialEq> Answers<T> {
    /// The answer on which all readings agree.
    pub(crate) fn certain(&self) -> Option<&T> {
        match self.found.as_slice() {
            [one] if self.complete => Some(one),
            _ => None,
        }
    }

    /// True when every reading gives `answer`.
    pub(crate) fn always(&self, answer: &T) -> bool {
        self.certain() == Some(answer)
    }

    /// True when some reading may give `answer`.
    pub(crate) fn maybe(&self, answer: &T) -> bool {
        !self.complete || self.found.contains(answer)
    }
}

/// Asks `question` under every reading.
pub(crate) fn explore<T: PartialEq>(mut question: impl FnMut(&mut Path) -> T) -> Answers<T> {
    let mut answers = Answers { found: Vec::new(), complete: true };
    let mut next = Some(Path::default());
    let mut paths = 0;
    while let Some(mut path) = next.take() {
        let answer = question(&mut path);
        paths += 1;
        if path.exhausted() || paths > MOST_PATHS {
            answers.complete = false;
            return answers;
        }
        if !answers.found.contains(&answer) {
            answers.found.push(answer);
        }
        next = path.turn();
    }
    answers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_rules_that_are_met_are_tried() {
        let mut asked = 0;
        let answers = explore(|path| {
            asked += 1;
            path.decide(Rule::CrStripped) && path.decide(Rule::TailIsLine)
        });
        assert_eq!((answers.found, answers.complete, asked), (vec![true, false], true, 3));
        assert!(explore(|_| 7).always(&7));
    }

    #[test]
    fn too_many_readings_are_not_certain() {
        let answers = explore(|path| {
            for id in 0..60 {
                path.decide(Rule::Holds(id));
            }
            1
        });
        assert!(answers.certain().is_none() && answers.maybe(&2));
        assert!(explore(|path| while path.step() {}).certain().is_none());
    }
}
