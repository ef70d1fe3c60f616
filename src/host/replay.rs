//! A recorded machine: nothing is run, nothing outside its folder is touched,
//! and what it does not list is an error that names itself.

use super::replay_file::{PATH, Page, ReplayFile};
use super::world::World;
use super::{Host, HostError, Mounted, Output, Program, Space, replay_eeprom};

/// The answers of a recorded machine.
pub(super) struct Replay {
    pub(super) file: ReplayFile,
    time: jiff::Timestamp,
    pages: Vec<Page>,
}

impl Replay {
    /// From the root folder's `replay.toml`; without one nothing is installed
    /// and nothing is answered.
    pub(super) fn read(host: &Host) -> Result<Self, HostError> {
        let bytes = match host.read(PATH) {
            Err(HostError::NotFound(_)) => Vec::new(),
            bytes => bytes?,
        };
        let (file, time, pages) = ReplayFile::parse(&bytes)?;
        Ok(Self { file, time, pages })
    }

    fn only_root(&self, at: &str) -> Result<(), HostError> {
        if self.file.euid == 0 { Ok(()) } else { Err(HostError::Denied(at.into())) }
    }
}

impl World for Replay {
    fn is_simulated(&self) -> bool {
        true
    }

    fn run(&self, host: &Host, program: &Program<'_>) -> Result<Output, HostError> {
        let Some(name) = program.argv.first() else {
            return Err(HostError::ProgramMissing("(no name)".into()));
        };
        if let Some(answer) = self.file.program.iter().find(|answer| answer.argv == program.argv) {
            return Ok(Output {
                status: answer.status,
                stdout: answer.stdout.clone().into_bytes(),
                stderr: answer.stderr.clone().into_bytes(),
            });
        }
        if !self.has_program(name) {
            return Err(HostError::ProgramMissing((*name).into()));
        }
        if let Some(eeprom) = &self.file.eeprom {
            if let Some(result) = replay_eeprom::run(host, eeprom, program.argv) {
                return result;
            }
        }
        Err(HostError::NotRecorded(program.argv.join(" ")))
    }

    fn has_program(&self, name: &str) -> bool {
        let answers = || self.file.program.iter().filter_map(|answer| answer.argv.first());
        self.file.installed.iter().chain(answers()).any(|installed| installed == name)
    }

    fn euid(&self) -> u32 {
        self.file.euid
    }

    fn now(&self) -> jiff::Timestamp {
        self.time
    }

    fn space(&self, path: &str) -> Option<Space> {
        let holds = |prefix: &str| {
            path.strip_prefix(prefix.trim_end_matches('/'))
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let rooms = self.file.space.iter().filter(|room| holds(&room.path));
        let room = rooms.max_by_key(|room| room.path.trim_end_matches('/').len())?;
        Some(Space { free_bytes: room.free_bytes, total_bytes: room.total_bytes })
    }

    fn nvme_log(&self, _host: &Host, device: &str, page: u8, len: usize) -> Result<Vec<u8>, HostError> {
        self.only_root(device)?;
        let name = format!("NVMe log page {page} of {device}");
        let recorded = self.pages.iter().find(|(of, number, _)| of == device && *number == page);
        let (_, _, bytes) = recorded.ok_or_else(|| HostError::NotRecorded(name.clone()))?;
        match bytes.get(..len) {
            Some(bytes) => Ok(bytes.to_vec()),
            None => Err(HostError::NotRecorded(format!("{name} beyond {} bytes", bytes.len()))),
        }
    }

    fn mount(&self, host: &Host, device: &str, _writable: bool) -> Result<Mounted, HostError> {
        self.only_root(device)?;
        let partition = self.file.partition.iter().find(|partition| partition.device == device);
        let partition =
            partition.ok_or_else(|| HostError::NotRecorded(format!("the content of {device}")))?;
        if !host.stat(&partition.tree)?.is_dir {
            return Err(HostError::Other(partition.tree.clone(), "not a folder".into()));
        }
        Ok(Mounted::recorded(partition.tree.clone()))
    }

    fn reboot(&self, host: &Host) -> Result<(), HostError> {
        self.only_root("reboot")?;
        host.note("/replay/reboot-requested", self.time.to_string().as_bytes())
    }
}
