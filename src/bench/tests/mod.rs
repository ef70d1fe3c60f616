//! Tests of more than one file: a scripted disk under the loop and the runner,
//! and the real engines on a real file.

// Tests look at the disk behind the door.
#![allow(clippy::disallowed_methods)]

mod fake;
mod loops;
mod pairs;
mod real;
mod runs;
