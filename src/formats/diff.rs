//! The unified diff of a text file, as `diff -u` would print it.

use similar::TextDiff;

/// The difference with three lines of context, or an empty text when there is
/// none. Bytes that are no UTF-8 are shown replaced: the diff is for reading,
/// never for applying.
pub fn unified(name: &str, before: &[u8], after: &[u8]) -> String {
    if before == after {
        return String::new();
    }
    let (before, after) = (String::from_utf8_lossy(before), String::from_utf8_lossy(after));
    let diff = TextDiff::from_lines(before.as_ref(), after.as_ref());
    diff.unified_diff()
        .context_radius(3)
        .header(&format!("{name} (now)"), &format!("{name} (new)"))
        .to_string()
}

#[cfg(test)]
mod tests {
    #[test]
    fn shows_added_lines_and_a_missing_line_end() {
        assert_eq!(super::unified("f", b"a\n", b"a\n"), "");
        let text = super::unified("f", b"a\nb", b"a\nb\nc\n");
        assert!(text.contains("--- f (now)\n+++ f (new)\n"), "{text}");
        assert!(text.contains("+c\n"), "{text}");
        assert!(text.contains("No newline at end of file"), "{text}");
    }
}
