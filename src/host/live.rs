//! This machine.

use super::world::World;
use super::{Ending, Host, HostError, Mounted, Output, Program, Space, child, raw};
use nix::fcntl::OFlag;
use nix::sys::stat::Mode;
use std::os::fd::AsFd;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Where programs are looked for; never the caller's own PATH, since this runs
/// as root.
const PATH: &str = "/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/sbin:/usr/local/bin";

/// The machine this runs on.
pub(super) struct Live;

/// The file of a program: an absolute path, or a name on [`PATH`].
fn find(name: &str) -> Option<PathBuf> {
    let runs = |path: &Path| {
        std::fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
    };
    if name.starts_with('/') {
        return Some(PathBuf::from(name)).filter(|path| runs(path));
    }
    if name.is_empty() || name.contains('/') {
        return None;
    }
    PATH.split(':').map(|folder| Path::new(folder).join(name)).find(|path| runs(path))
}

impl World for Live {
    fn is_simulated(&self) -> bool {
        false
    }

    fn run(&self, _host: &Host, program: &Program<'_>) -> Result<Output, HostError> {
        let Some((name, arguments)) = program.argv.split_first() else {
            return Err(HostError::ProgramMissing("(no name)".into()));
        };
        let file = find(name).ok_or_else(|| HostError::ProgramMissing((*name).into()))?;
        let mut command = std::process::Command::new(file);
        command.args(arguments).env_clear().env("PATH", PATH).env("LC_ALL", "C");
        command.envs(program.env.iter().copied());
        child::run(command, name, program.timeout, program.ending)
    }

    fn has_program(&self, name: &str) -> bool {
        find(name).is_some()
    }

    fn euid(&self) -> u32 {
        nix::unistd::geteuid().as_raw()
    }

    fn now(&self) -> jiff::Timestamp {
        jiff::Timestamp::now()
    }

    fn space(&self, _path: &str) -> Option<Space> {
        None
    }

    fn nvme_log(&self, host: &Host, device: &str, page: u8, len: usize) -> Result<Vec<u8>, HostError> {
        let fd =
            host.open_at(device, OFlag::O_RDONLY | OFlag::O_NONBLOCK | OFlag::O_NOCTTY, Mode::empty())?;
        let mut bytes = vec![0; len];
        match raw::nvme::get_log_page(fd.as_fd(), page, &mut bytes) {
            Ok(0) => Ok(bytes),
            Ok(status) => Err(HostError::Other(
                device.into(),
                format!("the drive refused log page {page:02x}h (NVMe status {status:#06x})"),
            )),
            Err(nix::Error::ENOTTY) => Err(HostError::Other(device.into(), "not an NVMe controller".into())),
            Err(errno) => Err(HostError::from_errno(device, errno)),
        }
    }

    fn mount(&self, _host: &Host, device: &str, writable: bool) -> Result<Mounted, HostError> {
        if self.euid() != 0 {
            return Err(HostError::Denied(device.into()));
        }
        Mounted::live(device, writable)
    }

    fn reboot(&self, host: &Host) -> Result<(), HostError> {
        if self.euid() != 0 {
            return Err(HostError::Denied("reboot".into()));
        }
        nix::unistd::sync();
        let timeout = Duration::from_secs(60);
        let run = |argv: &[&str]| match host.run(&Program { argv, env: &[], timeout, ending: Ending::Forced })
        {
            Ok(output) if output.status == 0 => Ok(()),
            Ok(output) => {
                let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
                Err(HostError::Other(argv.join(" "), format!("status {}: {said}", output.status)))
            }
            Err(error) => Err(error),
        };
        run(&["systemctl", "reboot"]).or_else(|first| run(&["reboot"]).map_err(|_| first))
    }
}
