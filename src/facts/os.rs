//! The operating system, from os-release.

use super::{Missing, Os};
use crate::host::Host;

/// Reads `/etc/os-release`, else the vendor's own copy (os-release(5)).
pub(super) fn os(host: &Host, missing: &mut Vec<Missing>) -> Os {
    let read = host.read_text("/etc/os-release").or_else(|_| host.read_text("/usr/lib/os-release"));
    match super::missed(missing, "/etc/os-release", read) {
        Some(text) => Os {
            id: value(&text, "ID"),
            version: value(&text, "VERSION_ID"),
            name: value(&text, "PRETTY_NAME"),
        },
        None => Os::default(),
    }
}

/// The value of the last assignment to `key`, without its quotes.
fn value(text: &str, key: &str) -> Option<String> {
    let assigned = text.lines().rev().find_map(|line| line.trim().strip_prefix(key)?.strip_prefix('='))?;
    let assigned = assigned.trim();
    let bare = ['"', '\'']
        .iter()
        .find_map(|quote| assigned.strip_prefix(*quote)?.strip_suffix(*quote))
        .unwrap_or(assigned);
    let plain = bare.replace("\\\"", "\"").replace("\\$", "$").replace("\\`", "`").replace("\\\\", "\\");
    (!plain.is_empty()).then_some(plain)
}

#[cfg(test)]
mod tests {
    use super::value;

    #[test]
    fn quotes_and_keys_that_begin_alike() {
        let text = "VERSION=\"13 (trixie)\"\nID=debian\nID_LIKE='a b'\nVERSION_ID=\"13\"\nEMPTY=\"\"\n";
        assert_eq!(value(text, "ID").as_deref(), Some("debian"));
        assert_eq!(value(text, "VERSION_ID").as_deref(), Some("13"));
        assert_eq!(value(text, "ID_LIKE").as_deref(), Some("a b"));
        assert_eq!(value(text, "EMPTY"), None);
        assert_eq!(value(text, "VERSION_CODENAME"), None);
    }
}
