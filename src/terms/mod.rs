//! The nouns of the field, pure values: no reading, no deciding, no doing.

mod board;
mod boot_order;
mod link;
mod medium;
mod quantity;

pub use board::BoardKind;
pub use boot_order::{BootMode, BootOrder};
pub use link::{Direction, Generation, Link};
pub use medium::BootMedium;
pub use quantity::{bytes, celsius, rate};
