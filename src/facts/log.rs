//! The kernel log: what it says of the external link, the drives and the
//! supply. Wording by kernel: see each arm.

use super::{KernelLog, LogEvent, Missing, sysfs};
use crate::host::{Ending, Host, Program};
use std::time::Duration;

/// Lines kept of one kind: a bad cable writes thousands.
const MOST: usize = 100;

/// Reads the kernel log of this boot: the ring buffer, and the journal when
/// that is not allowed or has lost its start.
pub(super) fn kernel_log(host: &Host, missing: &mut Vec<Missing>) -> KernelLog {
    let ring = run(host, &["dmesg"]);
    if let Ok(text) = &ring {
        let log = parse(text);
        if log.from_boot {
            return log;
        }
    }
    match (run(host, &["journalctl", "-k", "-b", "-o", "short-monotonic", "--no-pager"]), ring) {
        (Ok(text), _) => parse(&text),
        (Err(_), Ok(text)) => parse(&text),
        (Err(journal), Err(ring)) => {
            let why = format!("{ring}; the journal: {journal}");
            missing.push(Missing { path: "dmesg".into(), why });
            KernelLog::default()
        }
    }
}

/// The output of a program that has one.
fn run(host: &Host, argv: &[&str]) -> Result<String, String> {
    let program = Program { argv, env: &[], timeout: Duration::from_secs(5), ending: Ending::Forced };
    let name = argv.first().copied().unwrap_or_default();
    let output = host.run(&program).map_err(|error| sysfs::why(name, &error))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    // Without the right to read, journalctl ends well and says so in a line.
    if output.status != 0 || text.lines().all(|line| line.trim().is_empty() || line.starts_with("-- ")) {
        let said = String::from_utf8_lossy(&output.stderr);
        let said = said.lines().next().unwrap_or("gave no lines").trim();
        return Err(format!("{said} (status {})", output.status));
    }
    Ok(text)
}

/// Picks the lines that matter.
fn parse(text: &str) -> KernelLog {
    let mut log = KernelLog { read: true, ..KernelLog::default() };
    for line in text.lines() {
        // A cheap look first: nearly every line is about something else.
        if !(line.contains("nvme") || line.contains("pci") || line.contains("ndervoltage")) {
            log.from_boot |= line.contains("Booting Linux on") || line.contains("Linux version ");
            continue;
        }
        if let Some((kind, device)) = classify(message(line)) {
            if log.events.iter().filter(|event| event.kind == kind).count() < MOST {
                let text = line.trim().to_owned();
                log.events.push(LogEvent { kind, device: device.to_owned(), text });
            }
        }
    }
    log
}

/// A line without its time stamp (`[    0.66] `) and, from the journal,
/// without `host kernel: `.
fn message(line: &str) -> &str {
    if let Some((_, message)) = line.split_once("kernel: ") {
        return message;
    }
    match line.strip_prefix('[').and_then(|rest| rest.split_once("] ")) {
        Some((_, message)) => message,
        None => line,
    }
}

/// What a message is, and the device it names.
fn classify(message: &str) -> Option<(&'static str, &str)> {
    let (driver, rest) = message.trim().split_once(' ')?;
    if let Some(subject) = driver.strip_suffix(':') {
        return without_driver(subject, rest);
    }
    let (device, said) = rest.split_once(": ")?;
    if said.contains("PCIe Bus Error: severity=")
        || (said.starts_with("AER: ") && said.contains("(no details found"))
    {
        return Some(("aer", device));
    }
    let kind = match driver {
        "brcm-pcie" => {
            let unit = device.strip_suffix(".pcie")?;
            // RP1's controller prints the same on every board.
            return unit.ends_with("110000").then_some((link(said)?, unit));
        }
        "pci" | "pcieport" => port(said)?,
        "nvme" => controller(said)?,
        "hwmon" if said.starts_with("Undervoltage detected") => "undervolt",
        _ => return None,
    };
    Some((kind, device))
}

/// `nvme: probe of 0001:01:00.0 failed with error -12` (up to 6.9), and
/// `nvme0n1: I/O Cmd(0x2) @ LBA 2500, 32 blocks, I/O Error (sct 0x3 / sc 0x71)`.
fn without_driver<'a>(subject: &'a str, said: &'a str) -> Option<(&'static str, &'a str)> {
    if subject == "nvme" {
        let (device, rest) = said.strip_prefix("probe of ")?.split_once(' ')?;
        return rest.starts_with("failed with error").then_some(("nvme_probe_fail", device));
    }
    let error = subject.starts_with("nvme") && said.contains(" @ LBA ") && said.contains("(sct ");
    error.then_some(("nvme_io_err", subject))
}

fn link(said: &str) -> Option<&'static str> {
    match said {
        "link down" => Some("link_down"),
        _ => said.starts_with("link up, ").then_some("link_up"),
    }
}

/// drivers/pci/quirks.c, `pcie_failed_link_retrain` (6.5 and later).
fn port(said: &str) -> Option<&'static str> {
    if said.starts_with("broken device, retraining") {
        Some("retrain_clamp")
    } else if said.starts_with("removing 2.5GT/s downstream link speed restriction") {
        Some("retrain_lift")
    } else {
        said.starts_with("retraining failed").then_some("retrain_fail")
    }
}

/// drivers/nvme/host/pci.c and core.c, 6.1 to 6.18.
fn controller(said: &str) -> Option<&'static str> {
    const STARTS: [(&str, &str); 6] = [
        ("controller is down; will reset", "nvme_down"),
        ("Device not ready; aborting", "nvme_notready"),
        ("Removing after probe failure status:", "nvme_removed"),
        ("Disabling device after reset failure:", "nvme_removed"),
        ("probe with driver nvme failed with error", "nvme_probe_fail"),
        ("Unable to change power state from D3cold to D0", "nvme_d3"),
    ];
    if let Some((_, kind)) = STARTS.iter().find(|(start, _)| said.starts_with(start)) {
        return Some(kind);
    }
    if said.starts_with("I/O ") && said.contains(" timeout, ") {
        return Some("nvme_timeout");
    }
    (said.starts_with("min host memory (") && said.contains("above limit")).then_some("nvme_hmb_over")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines in the shape of every kernel from 6.1 to 6.18.
    const LINES: [(&str, &str, &str); 27] = [
        (
            "[    0.495733] brcm-pcie 1000110000.pcie: link up, 5.0 GT/s PCIe x1 (!SSC)",
            "link_up",
            "1000110000",
        ),
        ("[    0.665537] brcm-pcie 1000110000.pcie: link down", "link_down", "1000110000"),
        ("[    0.665537] pi kernel: brcm-pcie 1000110000.pcie: link down", "link_down", "1000110000"),
        ("[    0.773540] brcm-pcie 1000120000.pcie: link up, 5.0 GT/s PCIe x4 (!SSC)", "", ""),
        ("[    0.773540] brcm-pcie 1000120000.pcie: link down", "", ""),
        ("[    0.559371] brcm-pcie 1000110000.pcie: Forcing gen 3", "", ""),
        (
            "[    0.900000] pci 0001:02:03.0: broken device, retraining non-functional downstream link at 2.5GT/s",
            "retrain_clamp",
            "0001:02:03.0",
        ),
        (
            "[    0.910000] pci 0001:02:03.0: removing 2.5GT/s downstream link speed restriction",
            "retrain_lift",
            "0001:02:03.0",
        ),
        ("[    1.910000] pcieport 0001:02:03.0: retraining failed", "retrain_fail", "0001:02:03.0"),
        (
            "Feb 21 10:16:03 pi kernel: pcieport 0000:00:00.0: PCIe Bus Error: severity=Corrected, type=Data Link Layer, (Transmitter ID)",
            "aer",
            "0000:00:00.0",
        ),
        (
            "[  188.000000] nvme 0001:01:00.0: PCIe Bus Error: severity=Correctable, type=Physical Layer, (Receiver ID)",
            "aer",
            "0001:01:00.0",
        ),
        (
            "[  188.000000] nvme 0001:01:00.0: AER: PCIe Bus Error: severity=Uncorrected (Fatal), type=Transaction Layer, (Receiver ID)",
            "aer",
            "0001:01:00.0",
        ),
        (
            "[  186.765644] pcieport 0001:00:00.0: AER: Correctable error message received from 0001:00:00.0 (no details found",
            "aer",
            "0001:00:00.0",
        ),
        (
            "[  187.789034] pcieport 0001:00:00.0: AER: Correctable error message received from 0001:01:00.0",
            "",
            "",
        ),
        ("[    0.670354] pcieport 0001:00:00.0: AER: enabled with IRQ 38", "", ""),
        (
            "[   79.340981] nvme nvme0: controller is down; will reset: CSTS=0xffffffff, PCI_STATUS=0x10",
            "nvme_down",
            "nvme0",
        ),
        ("[  100.0] nvme nvme0: I/O 384 (Read) QID 2 timeout, aborting", "nvme_timeout", "nvme0"),
        (
            "[  100.0] nvme nvme0: I/O tag 12 (100c) opcode 0x2 (Read) QID 3 timeout, aborting req_op:READ(0) size:4096",
            "nvme_timeout",
            "nvme0",
        ),
        (
            "[  122.009439] nvme nvme0: Device not ready; aborting initialisation, CSTS=0x0",
            "nvme_notready",
            "nvme0",
        ),
        ("[  122.016559] nvme nvme0: Removing after probe failure status: -19", "nvme_removed", "nvme0"),
        ("[  122.016559] nvme nvme0: Disabling device after reset failure: -19", "nvme_removed", "nvme0"),
        (
            "[    1.0] nvme 0001:01:00.0: probe with driver nvme failed with error -12",
            "nvme_probe_fail",
            "0001:01:00.0",
        ),
        ("[    1.0] nvme: probe of 0000:01:00.0 failed with error -12", "nvme_probe_fail", "0000:01:00.0"),
        (
            "[   93.458190] nvme 0001:03:00.0: Unable to change power state from D3cold to D0, device inaccessible",
            "nvme_d3",
            "0001:03:00.0",
        ),
        (
            "[   93.445704] nvme0n1: I/O Cmd(0x2) @ LBA 250069504, 32 blocks, I/O Error (sct 0x3 / sc 0x71) ",
            "nvme_io_err",
            "nvme0n1",
        ),
        (
            "[    1.000000] nvme nvme0: min host memory (64 MiB) above limit (32 MiB).",
            "nvme_hmb_over",
            "nvme0",
        ),
        ("[  300.0] hwmon hwmon2: Undervoltage detected!", "undervolt", "hwmon2"),
    ];

    #[test]
    fn every_line_by_its_own_rule() {
        for (line, kind, device) in LINES {
            let events = parse(line).events;
            match events.as_slice() {
                [] => assert_eq!(kind, "", "{line}"),
                [event] => assert_eq!((event.kind, event.device.as_str()), (kind, device), "{line}"),
                _ => panic!("{line}"),
            }
        }
    }

    #[test]
    fn a_flood_stays_small_and_hides_nothing_else() {
        let mut text = "[0.0] nvme nvme0: I/O 1 QID 2 timeout, aborting\n".repeat(5000);
        text.push_str("[9.0] brcm-pcie 1000110000.pcie: link down\n");
        let log = parse(&text);
        assert_eq!(log.events.len(), MOST + 1);
        assert_eq!(log.events.last().map(|event| event.kind), Some("link_down"));
        assert!(log.read && !log.from_boot);
        assert!(parse("[    0.000000] Linux version 6.12.75\n").from_boot);
    }
}
