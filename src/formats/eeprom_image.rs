//! A bootloader image (`pieeprom-*.bin`, `pieeprom.upd`): finding and
//! replacing the configuration inside it.
