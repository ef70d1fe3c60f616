//! One child process, from its start to its end.

use super::{Ending, HostError, Output};
use nix::sys::signal::{Signal, killpg};
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
use nix::unistd::Pid;
use std::io::Read;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// No program that is run says more that matters; what is beyond is read and
/// dropped.
const OUTPUT_LIMIT: usize = 8 << 20;

/// How long one that got SIGTERM may take before SIGKILL.
const GRACE: Duration = Duration::from_secs(2);

/// Between two looks whether the child has ended.
const TICK: Duration = Duration::from_millis(5);

/// Runs `command` (called `name` in messages) to its end. After `timeout` that
/// is an error, and with [`Ending::Forced`] the end of its process group.
pub(super) fn run(
    mut command: Command,
    name: &str,
    timeout: Duration,
    ending: Ending,
) -> Result<Output, HostError> {
    command.current_dir("/").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // A Ctrl-C at the terminal is for this program, which lets the step end.
    command.process_group(0);
    let started = Instant::now();
    let mut child = command.spawn().map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound => HostError::ProgramMissing(name.into()),
        _ => HostError::from_io(name, &e),
    })?;
    let (ended, end) = mpsc::channel();
    let (out, err) = (child.stdout.take(), child.stderr.take());
    let drains = drain(out, ended.clone()).and_then(|out| Ok((out, drain(err, ended)?)));
    let (stdout, stderr) = drains.map_err(|e| {
        // No thread to read with: what it says would be lost. It has hardly
        // begun.
        stop(&mut child);
        HostError::from_io(name, &e)
    })?;

    // The end of both pipes is the usual sign, and comes without a delay.
    let mut open = true;
    while open && started.elapsed() < timeout && !has_ended(&mut child) {
        let left = timeout.saturating_sub(started.elapsed()).min(TICK * 4);
        open = !matches!(end.recv_timeout(left), Err(RecvTimeoutError::Disconnected));
    }
    let status = match wait_until(&mut child, started, timeout) {
        Some(status) => status,
        None => {
            if ending == Ending::Forced {
                stop(&mut child);
            }
            return Err(HostError::Timeout(name.into(), timeout.as_secs()));
        }
    };
    if ending == Ending::Awaited {
        while group_lives(child.id()) {
            if started.elapsed() >= timeout {
                return Err(HostError::Timeout(name.into(), timeout.as_secs()));
            }
            std::thread::sleep(TICK * 10);
        }
    }
    // A process that it left behind may hold the pipes open: what was said
    // until now is taken, nobody waits for the rest.
    let patience = Instant::now();
    while open && patience.elapsed() < GRACE {
        open = !matches!(end.recv_timeout(TICK * 4), Err(RecvTimeoutError::Disconnected));
    }
    let take = |said: &Mutex<Vec<u8>>| match said.lock() {
        Ok(mut said) => std::mem::take(&mut *said),
        Err(_) => Vec::new(),
    };
    Ok(Output { status: code(status), stdout: take(&stdout), stderr: take(&stderr) })
}

fn has_ended(child: &mut Child) -> bool {
    matches!(child.try_wait(), Ok(Some(_)))
}

fn wait_until(child: &mut Child, started: Instant, timeout: Duration) -> Option<ExitStatus> {
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
        if started.elapsed() >= timeout {
            return None;
        }
        std::thread::sleep(TICK);
    }
}

/// Ends the child with all of its group, and reaps it.
fn stop(child: &mut Child) {
    let Ok(group) = i32::try_from(child.id()).map(Pid::from_raw) else { return };
    let _ = killpg(group, Signal::SIGTERM);
    let asked = Instant::now();
    // Not reaped yet: until then its number, which is the group's, is taken.
    let look = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
    while asked.elapsed() < GRACE && waitid(Id::Pid(group), look) == Ok(WaitStatus::StillAlive) {
        std::thread::sleep(TICK);
    }
    // Its own children may have outlived the first signal.
    let _ = killpg(group, Signal::SIGKILL);
    // One that waits in the kernel for a dead drive does not end even now.
    let _ = wait_until(child, Instant::now(), GRACE);
}

/// True while a process of this group runs. One that has ended and that nobody
/// has reaped yet does not.
fn group_lives(group: u32) -> bool {
    let Ok(number) = i32::try_from(group) else { return false };
    if killpg(Pid::from_raw(number), None) == Err(nix::Error::ESRCH) {
        return false;
    }
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    processes.filter_map(|entry| std::fs::read_to_string(entry.path().join("stat")).ok()).any(|stat| {
        // The name, in brackets, may hold anything; then state, parent, group
        // (proc_pid_stat(5)).
        let mut fields = stat.rsplit(") ").next().unwrap_or_default().split(' ');
        let state = fields.next().unwrap_or_default();
        !matches!(state, "Z" | "X") && fields.nth(1).and_then(|f| f.parse().ok()) == Some(group)
    })
}

fn code(status: ExitStatus) -> i32 {
    status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(-1)
}

/// Reads a pipe to its end in a thread of its own, so that a full pipe never
/// stops the child; `ended` is dropped at the end.
fn drain(
    pipe: Option<impl Read + Send + 'static>,
    ended: Sender<()>,
) -> std::io::Result<Arc<Mutex<Vec<u8>>>> {
    let said = Arc::new(Mutex::new(Vec::new()));
    let Some(mut pipe) = pipe else { return Ok(said) };
    let shared = Arc::clone(&said);
    std::thread::Builder::new().spawn(move || {
        let _ended = ended;
        let mut part = [0; 8192];
        loop {
            let got = match pipe.read(&mut part) {
                Ok(0) => return,
                Ok(got) => got,
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(_) => return,
            };
            if let (Ok(mut said), Some(got)) = (shared.lock(), part.get(..got)) {
                let room = OUTPUT_LIMIT.saturating_sub(said.len()).min(got.len());
                said.extend_from_slice(got.get(..room).unwrap_or_default());
            }
        }
    })?;
    Ok(said)
}
