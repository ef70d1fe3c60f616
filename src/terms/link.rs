//! A PCI Express link: generation, width, and what it can carry.

use serde::Serialize;
use std::fmt;

/// A link generation, known by its transfer rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Generation(u8);

impl Generation {
    /// 2.5 GT/s.
    pub const GEN1: Self = Self(1);
    /// 5.0 GT/s, what a Raspberry Pi 5 is certified for.
    pub const GEN2: Self = Self(2);
    /// 8.0 GT/s, the most that BCM2712 can do.
    pub const GEN3: Self = Self(3);

    /// The generation with this number, 1 to 6.
    pub fn new(number: u8) -> Option<Self> {
        (1..=6).contains(&number).then_some(Self(number))
    }

    /// Reads what sysfs prints (`8.0 GT/s PCIe`), and the older and the
    /// spoken forms (`8 GT/s`, `8GT/s`). The leading number decides, never a
    /// substring: `2.5 GT/s` contains `5 GT/s`. `Unknown` gives `None`.
    ///
    /// Source: Linux drivers/pci/probe.c, `pci_speed_string`.
    pub fn parse_speed(text: &str) -> Option<Self> {
        let text = text.trim();
        let end = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, unit) = text.split_at(end);
        if !unit.trim_start().starts_with("GT/s") {
            return None;
        }
        match number {
            "2.5" => Some(Self(1)),
            "5" | "5.0" => Some(Self(2)),
            "8" | "8.0" => Some(Self(3)),
            "16" | "16.0" => Some(Self(4)),
            "32" | "32.0" => Some(Self(5)),
            "64" | "64.0" => Some(Self(6)),
            _ => None,
        }
    }

    /// The number: 3 for Gen 3.
    pub fn number(self) -> u8 {
        self.0
    }

    /// Transfers a second and lane, in GT/s.
    pub fn gtps(self) -> f64 {
        [2.5, 5.0, 8.0, 16.0, 32.0, 64.0][usize::from(self.0 - 1)]
    }

    /// Bytes a second and lane after line coding (8b/10b up to Gen 2, 128b/130b
    /// from Gen 3 on).
    pub fn raw_bytes_per_second(self) -> f64 {
        let coding = if self.0 <= 2 { 8.0 / 10.0 } else { 128.0 / 130.0 };
        self.gtps() * 1e9 * coding / 8.0
    }
}

impl fmt::Display for Generation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Gen {}", self.0)
    }
}

impl Serialize for Generation {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u8(self.0)
    }
}

/// Which way the data goes, seen from the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// The drive writes into memory: packets with a 16-byte header.
    Read,
    /// The drive asks and gets completions: packets with a 12-byte header.
    Write,
}

/// A trained link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Link {
    /// Its generation.
    pub generation: Generation,
    /// Its lanes, 1 to 32.
    pub width: u8,
}

impl Link {
    /// Bytes a second before packet overhead.
    pub fn raw_bytes_per_second(self) -> f64 {
        self.generation.raw_bytes_per_second() * f64::from(self.width)
    }

    /// The most payload that fits, in bytes a second, for packets of
    /// `payload_bytes` (the Max Payload Size, 128 to 4096): each packet adds 8
    /// bytes of framing, sequence number and LCRC, and its header.
    pub fn ceiling_bytes_per_second(self, payload_bytes: u32, direction: Direction) -> f64 {
        let header = match direction {
            Direction::Read => 16.0,
            Direction::Write => 12.0,
        };
        let payload = f64::from(payload_bytes);
        self.raw_bytes_per_second() * payload / (payload + 8.0 + header)
    }
}

impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({:.1} GT/s x{})", self.generation, self.generation.gtps(), self.width)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_leading_number_decides() {
        for (text, number) in [
            ("2.5 GT/s PCIe\n", Some(1)),
            ("5.0 GT/s PCIe", Some(2)),
            ("8.0 GT/s PCIe", Some(3)),
            ("8 GT/s", Some(3)),
            ("8GT/s", Some(3)),
            ("16.0 GT/s PCIe", Some(4)),
            ("Unknown", None),
            ("Unknown speed", None),
            ("", None),
            ("8.0", None),
            ("3.0 GT/s", None),
        ] {
            assert_eq!(Generation::parse_speed(text).map(Generation::number), number, "{text:?}");
        }
    }

    #[test]
    fn ceilings_match_the_worked_table() {
        for (generation, payload, read, write) in [
            (1, 128, 210.5, 216.2),
            (1, 512, 238.8, 240.6),
            (2, 128, 421.1, 432.4),
            (2, 256, 457.1, 463.8),
            (2, 512, 477.6, 481.2),
            (3, 128, 829.1, 851.6),
            (3, 256, 900.2, 913.3),
            (3, 512, 940.5, 947.6),
        ] {
            let link = Link { generation: Generation::new(generation).unwrap(), width: 1 };
            for (direction, expected) in [(Direction::Read, read), (Direction::Write, write)] {
                let ceiling = link.ceiling_bytes_per_second(payload, direction) / 1e6;
                assert!((ceiling - expected).abs() < 0.06, "{link} {payload} {direction:?}: {ceiling}");
            }
        }
    }

    #[test]
    fn speaks_as_people_do() {
        let link = Link { generation: Generation::GEN2, width: 1 };
        assert_eq!(link.to_string(), "Gen 2 (5.0 GT/s x1)");
    }
}
