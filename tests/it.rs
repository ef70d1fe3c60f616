//! Every test that runs the program or the library as a whole; one binary, so
//! that it is linked once.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "a test is no floor: it reads, writes and runs what it needs"
)]

mod bench;
mod cases;
mod configs;
mod crash;
mod demo;
mod expected;
mod floors;
mod journey;
mod machine;
mod wizard;
