//! Every test that runs the program or the library as a whole; one binary, so
//! that it is linked once.

mod demo;
mod expected;
mod floors;
mod machine;
mod wizard;
