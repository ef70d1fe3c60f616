//! Tests of this floor; each in a folder of its own.

mod crash;
mod programs;
mod reading;
mod replay;
mod writing;

use super::{Ending, Faults, Host, HostError, Program};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A recorded machine that is removed at the end.
struct Tree(tempfile::TempDir);

impl Tree {
    fn new(files: &[(&str, &str)]) -> Self {
        let tree = Self(tempfile::tempdir().unwrap());
        for (path, text) in files {
            let real = tree.real(path);
            std::fs::create_dir_all(real.parent().unwrap()).unwrap();
            std::fs::write(real, text).unwrap();
        }
        tree
    }

    /// Where `path` of the machine really is.
    fn real(&self, path: &str) -> PathBuf {
        self.0.path().join(path.trim_start_matches('/'))
    }

    fn link(&self, at: &str, to: &str) {
        std::os::unix::fs::symlink(to, self.real(at)).unwrap();
    }

    fn host(&self) -> Host {
        Host::open(Some(self.0.path())).unwrap()
    }

    fn text(&self, path: &str) -> String {
        std::fs::read_to_string(self.real(path)).unwrap()
    }

    fn names(&self, path: &str) -> Vec<String> {
        self.host().list(path).unwrap()
    }
}

fn live() -> Host {
    Host::open(None).unwrap()
}

fn other<T: std::fmt::Debug>(result: Result<T, HostError>) -> String {
    match result {
        Err(HostError::Other(at, why)) => format!("{at}: {why}"),
        result => panic!("{result:?}"),
    }
}
