//! `bench`.
use super::args::{Baseline,Bench};
use super::{Answer,Failure};
use super::ui::Ui;
use crate::facts::Facts;
use crate::host::Host;
pub(super) fn baseline(_host: &Host, _facts: &Facts, _how: Baseline, _ui: &Ui) {}
pub(super) fn command(_host: &Host, _a: &Bench, _ui: &Ui)->Result<Answer,Failure> {Err(Failure::new(super::Exit::Usage,"x","x"))}
