//! Failures on purpose, for the tests of what survives them.

use super::HostError;
use std::sync::atomic::{AtomicU64, Ordering};

/// From which durable operation on a machine fails, and how. Operations count
/// from 1, so `1..=host.operations()` of a run that went well is every point
/// at which it can be hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Faults(Option<(Kind, u64)>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Stop,
    Full,
    ReadOnly,
}

impl Faults {
    /// Nothing fails.
    pub fn none() -> Self {
        Self(None)
    }
    /// The power fails: operation `k` and all later ones are
    /// [`HostError::Stopped`]; a write that is hit leaves half its bytes.
    pub fn stop_at(k: u64) -> Self {
        Self(Some((Kind::Stop, k)))
    }
    /// The file system is full: from operation `k` on those that need room
    /// (mkdir, create, write) are [`HostError::NoSpace`]; a write that is hit
    /// leaves half its bytes.
    pub fn full_at(k: u64) -> Self {
        Self(Some((Kind::Full, k)))
    }
    /// The file system turns read-only: operation `k` and all later ones are
    /// [`HostError::ReadOnly`].
    pub fn read_only_at(k: u64) -> Self {
        Self(Some((Kind::ReadOnly, k)))
    }
}

/// A durable operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Op {
    Mkdir,
    Create,
    Write,
    Sync,
    Rename,
    Remove,
    Program,
}

impl Op {
    fn needs_room(self) -> bool {
        matches!(self, Self::Mkdir | Self::Create | Self::Write | Self::Program)
    }

    fn word(self) -> &'static str {
        match self {
            Self::Mkdir => "mkdir",
            Self::Create => "create",
            Self::Write => "write",
            Self::Sync => "fsync",
            Self::Rename => "rename",
            Self::Remove => "remove",
            Self::Program => "run",
        }
    }
}

/// Counts durable operations and fails those that are to fail.
#[derive(Debug, Default)]
pub(super) struct Counter {
    faults: Faults,
    begun: AtomicU64,
}

impl Counter {
    pub(super) fn new(faults: Faults) -> Self {
        Self { faults, begun: AtomicU64::new(0) }
    }

    pub(super) fn count(&self) -> u64 {
        self.begun.load(Ordering::SeqCst)
    }

    /// Counts one operation on `at`; the error when it must not be done.
    pub(super) fn begin(&self, op: Op, at: &str) -> Result<(), HostError> {
        let number = self.begun.fetch_add(1, Ordering::SeqCst) + 1;
        let Faults(Some((kind, from))) = self.faults else { return Ok(()) };
        if number < from {
            return Ok(());
        }
        match kind {
            Kind::Stop => Err(HostError::Stopped(format!("{} {at} (operation {number})", op.word()))),
            Kind::Full if op.needs_room() => Err(HostError::NoSpace(at.into())),
            Kind::Full => Ok(()),
            Kind::ReadOnly => Err(HostError::ReadOnly(at.into())),
        }
    }
}
