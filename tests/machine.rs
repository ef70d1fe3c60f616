//! A recorded machine, copied into a temporary folder, with the program run
//! against the copy.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A copy of a recorded machine; gone when dropped.
pub(crate) struct Machine {
    folder: tempfile::TempDir,
}

/// What a run of the program gave.
#[must_use]
pub(crate) struct Answer {
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Answer {
    /// The one JSON object on standard output.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|e| panic!("no JSON ({e}):\n{}\n{}", self.stdout, self.stderr))
    }

    /// The answer, when the exit status is this one.
    pub(crate) fn expect(self, status: i32) -> Self {
        assert_eq!(self.status, status, "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }
}

/// Path inside the machine (without the state folder) to what stands there.
pub(crate) type Snapshot = BTreeMap<PathBuf, Vec<u8>>;

impl Machine {
    pub(crate) fn copy(name: &str) -> Self {
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/machines").join(name);
        assert!(from.is_dir(), "no recorded machine {name}");
        let folder = tempfile::Builder::new().prefix("pi5-nvme-test").tempdir().unwrap();
        copy_tree(&from, folder.path());
        Self { folder }
    }

    pub(crate) fn root(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn path(&self, inside: &str) -> PathBuf {
        self.folder.path().join(inside.trim_start_matches('/'))
    }

    pub(crate) fn read(&self, inside: &str) -> Vec<u8> {
        fs::read(self.path(inside)).unwrap_or_else(|e| panic!("{inside}: {e}"))
    }

    pub(crate) fn write(&self, inside: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(inside);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    /// Runs the program against this machine, without a terminal.
    pub(crate) fn run(&self, arguments: &[&str]) -> Answer {
        let output = self.command(arguments).output().unwrap();
        Answer {
            status: output.status.code().expect("ended by a signal"),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// The same, about to be run.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pi5-nvme"));
        command.arg("--root").arg(self.root()).args(arguments);
        command.env_clear().env("PATH", "/usr/bin:/bin").stdin(Stdio::null());
        command
    }

    /// Everything in the tree except the state folder.
    pub(crate) fn snapshot(&self) -> Snapshot {
        let mut found = Snapshot::new();
        snapshot(self.root(), Path::new(""), &mut found);
        found.retain(|path, _| !path.starts_with("var/lib/pi5-nvme"));
        found
    }
}

fn copy_tree(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type().unwrap();
        if kind.is_symlink() {
            std::os::unix::fs::symlink(fs::read_link(&source).unwrap(), &target).unwrap();
        } else if kind.is_dir() {
            fs::create_dir(&target).unwrap();
            copy_tree(&source, &target);
        } else {
            fs::copy(&source, &target).unwrap();
            fs::set_permissions(&target, fs::Permissions::from_mode(0o644)).unwrap();
        }
    }
}

fn snapshot(root: &Path, inside: &Path, found: &mut Snapshot) {
    for entry in fs::read_dir(root.join(inside)).unwrap() {
        let entry = entry.unwrap();
        let path = inside.join(entry.file_name());
        let kind = entry.file_type().unwrap();
        if kind.is_symlink() {
            let target = fs::read_link(entry.path()).unwrap();
            found.insert(path, format!("-> {}", target.display()).into_bytes());
        } else if kind.is_dir() {
            found.insert(path.clone(), b"folder".to_vec());
            snapshot(root, &path, found);
        } else {
            found.insert(path, fs::read(entry.path()).unwrap());
        }
    }
}

/// The names in two snapshots that differ, for a message.
pub(crate) fn differences(before: &Snapshot, after: &Snapshot) -> Vec<String> {
    let mut names: Vec<_> = before.keys().chain(after.keys()).collect();
    names.sort();
    names.dedup();
    names
        .into_iter()
        .filter(|name| before.get(*name) != after.get(*name))
        .map(|name| name.display().to_string())
        .collect()
}
