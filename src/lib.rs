//! Set up, prove, measure and undo NVMe at PCIe Gen 3 on a Raspberry Pi 5.
//!
//! Folders are floors; a folder uses only folders above it in this list
//! (`tests/floors.rs` holds that).

pub mod terms;

pub mod formats;

pub mod host;

pub mod facts;

pub mod rules;

pub mod act;

pub mod bench;

pub mod cli;
