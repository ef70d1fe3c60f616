//! cmdline.txt: one line of kernel arguments.
//!
//! The firmware passes on the first line only; the kernel takes the last
//! `root=` of several (Linux init/do_mounts.c, `root_dev_setup` runs for each
//! occurrence). Double quotes keep blanks inside an argument (lib/cmdline.c,
//! `next_arg`).

/// The value of the `root=` that wins on the first line, without quotes;
/// `None` when there is none or it is empty.
pub fn root(bytes: &[u8]) -> Option<String> {
    let line = String::from_utf8_lossy(first_line(bytes));
    let mut found = None;
    for argument in arguments(&line) {
        // What follows ` -- ` goes to init, not to the kernel.
        if argument == "--" {
            break;
        }
        if let Some(value) = argument.strip_prefix("root=") {
            found = Some(value.to_owned()).filter(|value| !value.is_empty());
        }
    }
    found
}

/// True when something other than blanks stands after the first line: the
/// firmware does not pass it on.
pub fn extra_lines(bytes: &[u8]) -> bool {
    let rest = bytes.get(first_line(bytes).len()..).unwrap_or_default();
    rest.iter().any(|byte| !byte.is_ascii_whitespace() && *byte != 0)
}

fn first_line(bytes: &[u8]) -> &[u8] {
    bytes.split(|byte| matches!(byte, b'\n' | b'\r')).next().unwrap_or_default()
}

fn arguments(line: &str) -> Vec<String> {
    let mut arguments = Vec::new();
    let mut current = String::new();
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            c if c.is_ascii_whitespace() && !quoted => {
                if !current.is_empty() {
                    arguments.push(std::mem::take(&mut current));
                }
            }
            c => current.push(c),
        }
    }
    if !current.is_empty() {
        arguments.push(current);
    }
    arguments
}

#[cfg(test)]
mod tests {
    use super::{extra_lines, root};

    #[test]
    fn the_last_root_of_the_first_line_wins() {
        for (text, expected) in [
            ("console=tty1 root=PARTUUID=1a2b3c4d-02 rootwait\n", Some("PARTUUID=1a2b3c4d-02")),
            ("root=/dev/mmcblk0p2 root=/dev/nvme0n1p2", Some("/dev/nvme0n1p2")),
            ("root=\"LABEL=my root\" quiet", Some("LABEL=my root")),
            ("\"root=LABEL=a b\" quiet", Some("LABEL=a b")),
            ("quiet\nroot=/dev/sda2\n", None),
            ("nfsroot=/srv/pi xroot=/dev/a", None),
            ("root=/dev/sda1 -- root=/dev/sdb1", Some("/dev/sda1")),
            ("root=/dev/sda1\r\n", Some("/dev/sda1")),
            ("root=", None),
            ("", None),
        ] {
            assert_eq!(root(text.as_bytes()).as_deref(), expected, "{text:?}");
        }
        assert_eq!(root(b"\xff\xfe root=/dev/sda1").as_deref(), Some("/dev/sda1"));
    }

    #[test]
    fn only_text_counts_as_an_extra_line() {
        assert!(!extra_lines(b"root=/dev/sda1\n"));
        assert!(!extra_lines(b"root=/dev/sda1\r\n\n \n"));
        assert!(!extra_lines(b""));
        assert!(extra_lines(b"root=/dev/sda1\nquiet\n"));
        assert!(extra_lines(b"\nroot=/dev/sda1\n"));
    }
}
