//! The one file with unsafe code: system calls that have no safe wrapper.
#![allow(unsafe_code)]
