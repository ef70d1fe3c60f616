//! Every test that runs the program or the library as a whole; one binary, so
//! that it is linked once.

mod crash;
