//! Splitting into lines without losing a byte.

/// The longest line that the firmware takes as one, bytes.
///
/// Source: Raspberry Pi documentation, config.txt: "limited to 98 characters";
/// raspberrypi/firmware#1669 saw the rest parsed as a line of its own.
pub(crate) const LONGEST: usize = 98;

/// The lines with their LF; only the last one may lack it. Put together they
/// are the input again.
pub(crate) fn split(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split_inclusive(|byte| *byte == b'\n')
}

/// The line without its LF (a CR before it stays: whether the firmware strips
/// it is not settled).
pub(crate) fn body(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\n").unwrap_or(line)
}

/// True for a blank inside a line.
pub(crate) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// Without leading blanks, which the firmware tolerates.
pub(crate) fn trim_start(line: &[u8]) -> &[u8] {
    let start = line.iter().position(|byte| !is_blank(*byte)).unwrap_or(line.len());
    line.get(start..).unwrap_or_default()
}

/// Without trailing blanks.
pub(crate) fn trim_end(line: &[u8]) -> &[u8] {
    let end = line.iter().rposition(|byte| !is_blank(*byte)).map_or(0, |last| last + 1);
    line.get(..end).unwrap_or_default()
}

/// Without the CRs at its end.
pub(crate) fn trim_cr(line: &[u8]) -> &[u8] {
    let end = line.iter().rposition(|byte| *byte != b'\r').map_or(0, |last| last + 1);
    line.get(..end).unwrap_or_default()
}

/// Where a `#` after a blank, and the blanks before it, begin.
pub(crate) fn comment_start(line: &[u8]) -> Option<usize> {
    let hash = line.windows(2).position(|pair| matches!(pair, [b' ' | b'\t', b'#']))?;
    Some(line.get(..hash).map_or(0, |before| trim_end(before).len()))
}

/// The line as a person means it: no CR, no comment, no blanks at its end.
pub(crate) fn lenient(line: &[u8]) -> &[u8] {
    let line = trim_cr(line);
    let line = comment_start(line).and_then(|at| line.get(..at)).unwrap_or(line);
    trim_end(line)
}

/// For a person to read: invalid UTF-8 and control characters replaced, so
/// that a line cannot steer a terminal.
pub(crate) fn shown(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    text.chars().map(|c| if c.is_control() && c != '\t' { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_a_person_means() {
        assert_eq!(lenient(b"a=3  # x\r"), b"a=3");
        assert_eq!(lenient(b"a=3#x \t"), b"a=3#x");
        assert_eq!(lenient(b" #"), b"");
        assert_eq!(trim_start(b" \t[pi5]"), b"[pi5]");
        assert_eq!(shown(b"a\tb\x1b[2J\xff"), "a\tb\u{fffd}[2J\u{fffd}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn nothing_is_lost(bytes in proptest::collection::vec(prop_oneof![Just(b'\n'), Just(b'\r'), any::<u8>()], 0..200)) {
            let lines: Vec<&[u8]> = split(&bytes).collect();
            prop_assert_eq!(lines.concat(), bytes);
        }
    }
}
