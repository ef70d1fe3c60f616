//! The texts and images that the firmware reads: bytes in, bytes out, no file
//! is touched here.

pub mod bootconf;
pub mod cmdline_txt;
pub mod config_txt;
pub mod device_tree;
pub mod diff;
pub mod eeprom_image;
#[cfg(test)]
mod sweep;
