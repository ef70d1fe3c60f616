//! Programs of this machine.

use super::*;
use std::time::Instant;

fn shell(script: &str, timeout: Duration) -> Result<super::super::Output, HostError> {
    ended(script, timeout, Ending::Forced)
}

fn ended(script: &str, timeout: Duration, ending: Ending) -> Result<super::super::Output, HostError> {
    live().run(&Program { argv: &["sh", "-c", script], env: &[("PI5_TEST", "set")], timeout, ending })
}

const LONG: Duration = Duration::from_secs(60);

#[test]
fn status_and_both_outputs() {
    let said = shell("echo out; echo err >&2; exit 3", LONG).unwrap();
    assert_eq!(
        (said.status, said.stdout.as_slice(), said.stderr.as_slice()),
        (3, &b"out\n"[..], &b"err\n"[..])
    );
    assert_eq!(shell("kill -9 $$", LONG).unwrap().status, 137);
}

#[test]
fn the_environment_is_its_own() {
    let said = shell("echo $LC_ALL $PI5_TEST $HOME $PATH; pwd; cat", LONG).unwrap();
    let expected = "C set /usr/sbin:/usr/bin:/sbin:/bin:/usr/local/sbin:/usr/local/bin\n/\n";
    assert_eq!(String::from_utf8(said.stdout).unwrap(), expected);
}

#[test]
fn a_flood_on_both_outputs_does_not_block() {
    let flood = "(head -c 20000000 /dev/zero >&2) & head -c 20000000 /dev/zero; wait; exit 5";
    let said = shell(flood, LONG).unwrap();
    assert_eq!((said.status, said.stdout.len(), said.stderr.len()), (5, 8 << 20, 8 << 20));
}

#[test]
fn a_program_that_hangs_is_ended_with_its_children() {
    let tree = Tree::new(&[("/x", "")]);
    let pids = tree.real("/pids");
    let script =
        format!("trap '' TERM; sleep 300 & echo $! > {0}; echo $$ >> {0}; sleep 300", pids.display());
    let started = Instant::now();
    let result = shell(&script, Duration::from_millis(600));
    assert_eq!(result, Err(HostError::Timeout("sh".into(), 0)));
    assert!(started.elapsed() < Duration::from_secs(20));
    let written = std::fs::read_to_string(&pids).unwrap();
    assert_eq!(written.lines().count(), 2);
    for pid in written.lines() {
        let gone = || match std::fs::read_to_string(format!("/proc/{pid}/stat")) {
            Ok(stat) => stat.rsplit(") ").next().is_some_and(|rest| rest.starts_with('Z')),
            Err(_) => true,
        };
        let until = Instant::now() + Duration::from_secs(10);
        while !gone() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(10));
        }
        assert!(gone(), "{pid} still runs");
    }
}

#[test]
fn a_process_left_behind_is_not_waited_for() {
    let started = Instant::now();
    let said = shell("sleep 30 & echo $!", LONG).unwrap();
    assert!(started.elapsed() < Duration::from_secs(15));
    let pid = String::from_utf8(said.stdout).unwrap().trim().parse().unwrap();
    nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid), nix::sys::signal::Signal::SIGKILL).unwrap();
}

/// As rpi-eeprom-config does when it no longer waits for the flash program,
/// whose output goes elsewhere.
#[test]
fn what_writes_a_flash_chip_is_waited_for_when_its_caller_gives_up() {
    let tree = Tree::new(&[("/x", "")]);
    let written = tree.real("/written");
    let script = format!("(sleep 1; echo all > {}) >/dev/null 2>&1 & exit 1", written.display());
    assert_eq!(ended(&script, LONG, Ending::Awaited).unwrap().status, 1);
    assert_eq!(std::fs::read_to_string(&written).unwrap(), "all\n");
}

#[test]
fn what_writes_a_flash_chip_is_never_ended() {
    let tree = Tree::new(&[("/x", "")]);
    let (go, written) = (tree.real("/go"), tree.real("/written"));
    let script = format!(
        "until [ -e {} ]; do sleep 0.05; done; echo all > {}.new; mv {1}.new {1}",
        go.display(),
        written.display()
    );
    let result = ended(&script, Duration::from_millis(200), Ending::Awaited);
    assert_eq!(result, Err(HostError::Timeout("sh".into(), 0)));
    std::fs::write(&go, "").unwrap();
    let until = Instant::now() + Duration::from_secs(20);
    while !written.exists() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(std::fs::read_to_string(&written).unwrap(), "all\n");
}

#[test]
fn closed_outputs_are_not_the_end() {
    let said = shell("exec >&- 2>&-; sleep 0.2; exit 7", LONG).unwrap();
    assert_eq!(said.status, 7);
}

#[test]
fn what_is_not_installed() {
    let host = live();
    let run = |argv: &[&str]| host.run(&Program { argv, env: &[], timeout: LONG, ending: Ending::Forced });
    for name in ["no-such-program-pi5", "/no/such/program", "./sh", "", "/proc/version", "/usr"] {
        assert_eq!(run(&[name]), Err(HostError::ProgramMissing(name.into())));
        assert!(!host.has_program(name), "{name}");
    }
    assert!(run(&[]).is_err());
    assert!(host.has_program("sh") && host.has_program("/bin/sh"));
    assert!(other(run(&["sh", "nul\0byte"])).contains("nul byte"));
}

#[test]
fn no_nvme_controller() {
    let host = live();
    assert!(matches!(host.nvme_log("/dev/nvme-none", 2, 512), Err(HostError::NotFound(_))));
    assert!(other(host.nvme_log("/dev/null", 2, 512)).contains("not an NVMe controller"));
    assert!(other(host.nvme_log("/dev/null", 2, 511)).contains("511 bytes"));
    assert!(other(host.nvme_log("/dev/null", 2, 0)).contains("0 bytes"));
}

#[test]
fn nothing_is_left_of_a_mount_that_fails() {
    let below = Path::new("/run/pi5-nvme");
    let mine =
        |name: &std::ffi::OsStr| name.to_string_lossy().starts_with(&format!("{}-", std::process::id()));
    assert!(live().mount("/dev/null", true).is_err());
    assert!(live().mount("/dev/no-such-device", false).is_err());
    let left =
        std::fs::read_dir(below).into_iter().flatten().flatten().filter(|entry| mine(&entry.file_name()));
    assert_eq!(left.count(), 0);
}
