//! Values of `dtparam` parameters, as dtoverlay and the firmware apply them.
//!
//! Source: raspberrypi/utils dtmerge/dtoverlay.c (override types), Linux
//! arch/arm64/boot/dts/broadcom/bcm2712-rpi.dtsi (`__overrides__`), Linux
//! drivers/of/base.c (`of_device_is_available`).

/// One parameter of a comma-separated list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Param<'a> {
    pub(crate) name: &'a [u8],
    /// `None` for a name alone, which stands for true.
    pub(crate) value: Option<&'a [u8]>,
}

/// The parameters of a list, in the order in which they are applied.
pub(crate) fn params(list: &[u8]) -> impl Iterator<Item = Param<'_>> {
    list.split(|byte| *byte == b',').map(|item| match item.iter().position(|byte| *byte == b'=') {
        Some(at) => Param { name: item.get(..at).unwrap_or_default(), value: item.get(at + 1..) },
        None => Param { name: item, value: None },
    })
}

/// What a parameter sets.
pub(crate) trait Target: Copy + Ord {
    /// True for a name that sets it.
    fn is_name(name: &[u8]) -> bool;
    /// What the value sets, or `None` when the firmware rejects the value and
    /// an earlier one stands.
    fn value(value: Option<&[u8]>) -> Option<Self>;
}

/// The port of the external connector: status of `&pciex1`.
impl Target for bool {
    fn is_name(name: &[u8]) -> bool {
        matches!(name, b"pciex1" | b"nvme")
    }

    /// A string override for a status property: the words for true give
    /// `okay`, everything else is not `okay` (unknown words are written as
    /// they are, and Linux takes only `okay` and `ok`).
    fn value(value: Option<&[u8]>) -> Option<Self> {
        Some(match value {
            None => true,
            Some(word) => {
                matches!(word, b"y" | b"yes" | b"on" | b"true" | b"enable" | b"1" | b"okay" | b"ok")
            }
        })
    }
}

/// The generation: `max-link-speed` of `&pciex1`.
impl Target for u32 {
    fn is_name(name: &[u8]) -> bool {
        name == b"pciex1_gen"
    }

    /// An integer override: a whole C integer, or a word.
    fn value(value: Option<&[u8]>) -> Option<Self> {
        let Some(word) = value else { return Some(1) };
        if let Some(number) = c_integer(word) {
            return Some(number);
        }
        match word {
            b"y" | b"yes" | b"on" | b"true" | b"down" => Some(1),
            b"n" | b"no" | b"off" | b"false" => Some(0),
            b"up" => Some(2),
            _ => None,
        }
    }
}

/// The value that a whole list sets: the last one of the right name that is
/// taken.
pub(crate) fn last<T: Target>(list: &[u8]) -> Option<T> {
    params(list).filter(|param| T::is_name(param.name)).filter_map(|param| T::value(param.value)).last()
}

/// What `strtoul(text, &end, 0)` gives when it takes the whole text; the empty
/// text is 0.
pub(crate) fn c_integer(text: &[u8]) -> Option<u32> {
    let text = std::str::from_utf8(text).ok()?;
    if text.is_empty() {
        return Some(0);
    }
    let text = text.trim_start_matches(|c: char| c.is_ascii_whitespace());
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (digits, radix) = if let Some(hex) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        (hex, 16)
    } else if digits.len() > 1 && digits.starts_with('0') {
        (digits, 8)
    } else {
        (digits, 10)
    };
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
        return None;
    }
    let value = u64::from_str_radix(digits, radix).unwrap_or(u64::MAX) as u32;
    Some(if negative { value.wrapping_neg() } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_on_for_the_listed_words_only() {
        for word in ["y", "yes", "on", "true", "enable", "1", "okay"] {
            assert_eq!(bool::value(Some(word.as_bytes())), Some(true), "{word}");
        }
        for word in ["n", "no", "off", "false", "0", "ON", "On", "on ", "on\r", "", "enabled", "2", "1 # x"] {
            assert_eq!(bool::value(Some(word.as_bytes())), Some(false), "{word:?}");
        }
        assert_eq!(bool::value(None), Some(true));
    }

    #[test]
    fn an_integer_is_a_whole_c_integer_or_a_word() {
        for (text, value) in [
            ("3", Some(3)),
            ("03", Some(3)),
            ("0x3", Some(3)),
            (" 3", Some(3)),
            ("", Some(0)),
            ("8", Some(8)),
            ("on", Some(1)),
            ("down", Some(1)),
            ("off", Some(0)),
            ("up", Some(2)),
            ("3 ", None),
            ("3.0", None),
            ("gen3", None),
            ("3\r", None),
            ("3 # fast", None),
            ("08", None),
            ("0x", None),
            ("-1", Some(u32::MAX)),
            ("enable", None),
        ] {
            assert_eq!(u32::value(Some(text.as_bytes())), value, "{text:?}");
        }
        assert_eq!(u32::value(None), Some(1));
    }

    #[test]
    fn the_last_of_a_list_wins_and_names_are_aliases() {
        assert_eq!(last::<bool>(b"pciex1,nvme=off"), Some(false));
        assert_eq!(last::<u32>(b"pciex1_gen=2,pciex1,pciex1_gen=3"), Some(3));
        assert_eq!(last::<u32>(b"pciex1_gen=2,pciex1_gen=x"), Some(2));
        assert_eq!(last::<u32>(b"pciex1_gen = 3"), None);
        assert_eq!(last::<bool>(b"PCIEX1,pciex1_gen=3"), None);
    }
}
