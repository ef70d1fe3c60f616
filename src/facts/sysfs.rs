//! Attributes of sysfs and names of PCI functions.

use super::Missing;
use crate::host::{Host, HostError};

/// The text of an attribute, if it can be read and is not empty.
pub(super) fn text(host: &Host, path: &str) -> Option<String> {
    host.read_text(path).ok().filter(|text| !text.is_empty())
}

/// A decimal attribute.
pub(super) fn number<T: std::str::FromStr>(host: &Host, path: &str) -> Option<T> {
    text(host, path)?.parse().ok()
}

/// A hexadecimal attribute, with or without `0x`.
pub(super) fn hex(host: &Host, path: &str) -> Option<u32> {
    let text = text(host, path)?;
    u32::from_str_radix(text.strip_prefix("0x").unwrap_or(&text), 16).ok()
}

/// Major and minor number as the kernel writes them: `179:1`.
pub(super) fn numbers(text: &str) -> Option<(u64, u64)> {
    let (major, minor) = text.split_once(':')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// True for the address of a PCI function, `0001:01:00.0`. Domains beyond
/// 0xffff have more digits.
pub(super) fn is_address(name: &str) -> bool {
    let digits = |part: Option<&str>, least: usize, most: usize| {
        part.is_some_and(|p| (least..=most).contains(&p.len()) && p.bytes().all(|b| b.is_ascii_hexdigit()))
    };
    let Some((rest, function)) = name.rsplit_once('.') else { return false };
    let mut parts = rest.split(':');
    digits(parts.next(), 4, 8)
        && digits(parts.next(), 2, 2)
        && digits(parts.next(), 2, 2)
        && parts.next().is_none()
        && matches!(function.as_bytes(), [b'0'..=b'7'])
}

/// Why a read failed, without the path, which stands beside it.
pub(super) fn why(path: &str, error: &HostError) -> String {
    let text = error.to_string();
    match text.strip_prefix(path).and_then(|rest| rest.strip_prefix(": ")) {
        Some(rest) => rest.to_owned(),
        None => text,
    }
}

/// What could not be read, and why.
pub(super) fn gap(path: impl Into<String>, error: &HostError) -> Missing {
    let path = path.into();
    let why = why(&path, error);
    Missing { path, why }
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_root_may_read_is_told_from_what_nobody_can() {
        let gap = |error| super::gap("/x", &error);
        assert!(gap(crate::host::HostError::Denied("/x".into())).is_denied());
        assert!(!gap(crate::host::HostError::NotFound("/x".into())).is_denied());
    }

    #[test]
    fn addresses() {
        for good in ["0001:01:00.0", "0000:00:1f.7", "10000:e1:00.0"] {
            assert!(super::is_address(good), "{good}");
        }
        for bad in [
            "pci0001:00",
            "0001:01:00",
            "0001:01:00.8",
            "1000110000.pcie",
            "nvme0",
            "0001:01:00.0:pcie002",
            "",
        ] {
            assert!(!super::is_address(bad), "{bad}");
        }
    }
}
