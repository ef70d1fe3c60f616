//! Deciding: pure functions over facts.

mod types;

pub use types::*;
