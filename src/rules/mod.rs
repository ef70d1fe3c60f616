//! Deciding: pure functions over facts.

mod bootloader;
mod findings;
mod id;
pub mod known;
mod machine;
mod plan;
mod text;
mod types;
mod verdict;

#[cfg(test)]
mod testing;

pub use findings::findings;
pub use plan::plan;
pub use text::{Check, check, check_text};
pub use types::*;
pub use verdict::{verdict, verdict_without_record};
