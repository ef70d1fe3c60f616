//! `/etc/default/rpi-eeprom-update`: shell assignments that the update script
//! sources first, so that they beat the caller's environment.

use std::collections::BTreeMap;

/// Where they stand.
pub(super) const PATH: &str = "/etc/default/rpi-eeprom-update";

/// The assignments by name, the last one of a name counting. A value that only
/// a shell could work out (`$`, a backquote) is left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Settings(BTreeMap<String, String>);

impl Settings {
    /// Reads the file's bytes.
    pub(super) fn parse(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        Self(text.lines().filter_map(assignment).collect())
    }

    /// The value, when the name is assigned something other than nothing.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str).filter(|v| !v.is_empty())
    }
}

fn assignment(line: &str) -> Option<(String, String)> {
    let line = line.trim();
    let line = line.strip_prefix("export ").unwrap_or(line).trim_start();
    let (name, value) = line.split_once('=')?;
    let is_name = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
    let value = match quote {
        Some(quote) => value.get(1..)?.split(quote).next()?,
        None => value.split([' ', '\t', ';', '#']).next()?,
    };
    let literal = quote == Some('\'') || !value.contains(['$', '`']);
    (is_name && literal).then(|| (name.to_owned(), value.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_a_shell_would_without_running_it() {
        let settings = Settings::parse(
            b"# FIRMWARE_ROOT=/nowhere\nFIRMWARE_RELEASE_STATUS=\"latest\"\nexport BOOTFS=/boot # why\n\
              A='$x'\nB=$HOME/x\nC=\"a b\" # d\nEMPTY=\nBOOTFS=/mnt/boot\r\nif [ x = y ]; then\n  D=1;\n",
        );
        assert_eq!(settings.get("FIRMWARE_RELEASE_STATUS"), Some("latest"));
        assert_eq!(settings.get("BOOTFS"), Some("/mnt/boot"));
        assert_eq!(settings.get("A"), Some("$x"));
        assert_eq!(settings.get("C"), Some("a b"));
        assert_eq!(settings.get("D"), Some("1"));
        for none in ["FIRMWARE_ROOT", "B", "EMPTY", "if [ x "] {
            assert_eq!(settings.get(none), None, "{none}");
        }
    }
}
