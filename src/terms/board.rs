//! Which board of the family, from the revision code.

use serde::Serialize;

/// A board, told by the type bits (4 to 11) of a new-style revision code.
///
/// Source: Raspberry Pi documentation, revision codes; names and lists of
/// whole codes go out of date, the type bits do not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum BoardKind {
    /// Raspberry Pi 5 Model B, type 0x17.
    Pi5,
    /// Compute Module 5, type 0x18.
    Cm5,
    /// Raspberry Pi 500 and 500+, type 0x19.
    Pi500,
    /// Compute Module 5 Lite, type 0x1a.
    Cm5Lite,
    /// Anything else: an older Pi, another computer.
    Other,
}

impl BoardKind {
    /// The kind for a revision code (the u32 of `system/linux,revision`).
    pub fn from_revision(code: u32) -> Self {
        let new_style = code & (1 << 23) != 0;
        match (new_style, (code >> 4) & 0xff) {
            (true, 0x17) => Self::Pi5,
            (true, 0x18) => Self::Cm5,
            (true, 0x19) => Self::Pi500,
            (true, 0x1a) => Self::Cm5Lite,
            _ => Self::Other,
        }
    }

    /// True for the BCM2712 boards that this tool writes to.
    pub fn supported(self) -> bool {
        self != Self::Other
    }
}

#[cfg(test)]
mod tests {
    use super::BoardKind::{self, *};

    #[test]
    fn type_bits_decide() {
        for (code, kind) in [
            (0x00d0_4170, Pi5),
            (0x00e0_4171, Pi5),
            (0x00c0_4170, Pi5),
            (0x00b0_4180, Cm5),
            (0x00d0_4190, Pi500),
            (0x00c0_41a0, Cm5Lite),
            (0x00c0_3114, Other),
            (0x0000_000e, Other),
            (0x0000_0170, Other),
        ] {
            assert_eq!(BoardKind::from_revision(code), kind, "{code:#x}");
        }
    }
}
