//! `BOOT_ORDER` of the bootloader: a hexadecimal number that is read from the
//! right, one digit an attempt.

use std::fmt;

/// One attempt of the boot order, a hexadecimal digit.
///
/// Source: Raspberry Pi documentation, bootloader configuration, `BOOT_ORDER`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BootMode(pub u8);

impl BootMode {
    /// SD card or eMMC.
    pub const SD: Self = Self(0x1);
    /// USB mass storage.
    pub const USB: Self = Self(0x4);
    /// NVMe.
    pub const NVME: Self = Self(0x6);
    /// Stop with an error pattern.
    pub const STOP: Self = Self(0xe);
    /// Start again with the first attempt.
    pub const RESTART: Self = Self(0xf);

    /// The name in words, as the documentation uses it.
    pub fn name(self) -> &'static str {
        match self.0 {
            0x0 => "SD card (detect)",
            0x1 => "SD card",
            0x2 => "network",
            0x3 => "rpiboot",
            0x4 => "USB",
            0x5 => "USB (BCM, not on a Pi 5)",
            0x6 => "NVMe",
            0x7 => "HTTP",
            0xe => "stop",
            0xf => "restart",
            _ => "undefined",
        }
    }

    /// True for a medium that can hold a system (not stop, restart, undefined).
    pub fn is_medium(self) -> bool {
        matches!(self.0, 0x0..=0x4 | 0x6 | 0x7)
    }
}

/// A boot order as the bootloader takes it: at most eight digits, the
/// rightmost one is tried first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BootOrder(pub u32);

impl BootOrder {
    /// What the bootloader uses when the key is absent (documented: 0xf41).
    pub const DEFAULT: Self = Self(0xf41);

    /// Reads `0xf461` (or `f461`, or any C-style hexadecimal number of at most
    /// eight digits) up to the first character that is no digit, and says how
    /// many bytes followed it.
    ///
    /// Gives `None` where no digit stands, or more than eight.
    pub fn parse(text: &str) -> Option<(Self, usize)> {
        let trimmed = text.trim_start();
        let digits = trimmed.strip_prefix("0x").or_else(|| trimmed.strip_prefix("0X")).unwrap_or(trimmed);
        let end = digits.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(digits.len());
        let (number, rest) = digits.split_at(end);
        let number = number.trim_start_matches('0');
        if end == 0 || number.len() > 8 {
            return None;
        }
        let value = if number.is_empty() { 0 } else { u32::from_str_radix(number, 16).ok()? };
        Some((Self(value), rest.trim().len()))
    }

    /// The attempts in the order in which they are made.
    pub fn attempts(self) -> Vec<BootMode> {
        let mut rest = self.0;
        let mut attempts = Vec::new();
        while rest != 0 {
            attempts.push(BootMode((rest & 0xf) as u8));
            rest >>= 4;
        }
        attempts
    }

    /// `NVMe -> SD card -> USB -> restart`.
    pub fn words(self) -> String {
        let names: Vec<_> = self.attempts().iter().map(|m| m.name()).collect();
        if names.is_empty() { "nothing".into() } else { names.join(" -> ") }
    }

    /// True when the first attempt is NVMe.
    pub fn nvme_first(self) -> bool {
        self.attempts().first() == Some(&BootMode::NVME)
    }

    /// The same order with NVMe tried first and every other attempt kept, in
    /// its order. `None` when NVMe has to be added and all eight digits are in
    /// use.
    pub fn with_nvme_first(self) -> Option<Self> {
        let mut attempts = self.attempts();
        if attempts.first() == Some(&BootMode::NVME) {
            return Some(self);
        }
        attempts.retain(|m| *m != BootMode::NVME);
        attempts.insert(0, BootMode::NVME);
        if attempts.len() > 8 {
            return None;
        }
        let value = attempts.iter().rev().fold(0u32, |value, mode| value << 4 | u32::from(mode.0));
        Some(Self(value))
    }

    /// True when some medium other than NVMe is tried too, so that a drive
    /// that does not start is not the end.
    pub fn has_fallback(self) -> bool {
        self.attempts()
            .iter()
            .take_while(|m| !matches!(**m, BootMode::STOP | BootMode::RESTART))
            .any(|m| m.is_medium() && *m != BootMode::NVME)
    }
}

impl fmt::Display for BootOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_read_from_the_right() {
        assert_eq!(BootOrder(0xf641).words(), "SD card -> USB -> NVMe -> restart");
        assert_eq!(BootOrder(0xf416).words(), "NVMe -> SD card -> USB -> restart");
        assert_eq!(BootOrder(0xf2641).words(), "SD card -> USB -> NVMe -> network -> restart");
        assert_eq!(BootOrder(0).words(), "nothing");
    }

    #[test]
    fn nvme_moves_to_the_front_and_nothing_is_lost() {
        for (before, after) in [
            (0xf461, Some(0xf416)),
            (0xf41, Some(0xf416)),
            (0xf2641, Some(0xf2416)),
            (0xf416, Some(0xf416)),
            (0xf4167, Some(0xf4176)),
            (0x1, Some(0x16)),
            (0, Some(0x6)),
            (0x6416, Some(0x6416)),
            (0x1234_5761, Some(0x1234_5716)),
            (0x1234_5712, None),
        ] {
            assert_eq!(BootOrder(before).with_nvme_first(), after.map(BootOrder), "{before:#x}");
        }
    }

    #[test]
    fn text_after_the_digits_is_counted() {
        assert_eq!(BootOrder::parse("0xf416"), Some((BootOrder(0xf416), 0)));
        assert_eq!(BootOrder::parse("0xf416 # first"), Some((BootOrder(0xf416), 7)));
        assert_eq!(BootOrder::parse("0xf416\t"), Some((BootOrder(0xf416), 0)));
        assert_eq!(BootOrder::parse("F461"), Some((BootOrder(0xf461), 0)));
        assert_eq!(BootOrder::parse("0x"), None);
        assert_eq!(BootOrder::parse("nvme"), None);
        assert_eq!(BootOrder::parse("0x123456789"), None);
    }

    #[test]
    fn a_fallback_is_a_medium_before_stop_or_restart() {
        assert!(BootOrder(0xf416).has_fallback());
        assert!(!BootOrder(0xf6).has_fallback());
        assert!(!BootOrder(0x1f6).has_fallback());
        assert!(!BootOrder(0x6).has_fallback());
    }
}
