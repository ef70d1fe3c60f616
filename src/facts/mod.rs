//! Reading the machine: everything that is known, and what could not be read
//! and why. Nothing is decided here.

mod types;

pub use types::*;
