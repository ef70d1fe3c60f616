//! A recorded machine out of a packed one, for `demo`.

use super::{Host, HostError};
use std::io::Read;
use std::path::{Path, PathBuf};

impl Host {
    /// Makes a fresh folder in the first of `places` that takes it, and
    /// unpacks the tar.gz `packed` into it; gives the folder, an absolute path. `prefix` begins
    /// its name. Nothing removes it afterwards.
    ///
    /// # Errors
    /// What the last place said when none takes a folder, and what unpacking
    /// said (no room, a damaged archive).
    pub fn unpack(packed: &[u8], places: &[PathBuf], prefix: &str) -> Result<PathBuf, HostError> {
        let mut last = HostError::NotFound("no folder for temporary files".into());
        for place in places {
            match unpack_below(packed, place, prefix) {
                Ok(folder) => return Ok(folder),
                Err(error) => last = HostError::from_io(&place.display().to_string(), &error),
            }
        }
        Err(last)
    }
}

fn unpack_below(packed: &[u8], place: &Path, prefix: &str) -> std::io::Result<PathBuf> {
    // A relative place is one only until somebody changes the folder.
    let folder = nix::unistd::mkdtemp(&std::path::absolute(place)?.join(format!("{prefix}XXXXXX")))?;
    unpack_into(packed, &folder).map(|()| folder.clone()).map_err(|error| {
        // Half a machine is of no use.
        let _ = std::fs::remove_dir_all(&folder);
        // The archive's own words wrap what the system said.
        let first = error.get_ref().map(|e| e as &dyn std::error::Error);
        let errno = std::iter::successors(first, |e| e.source())
            .filter_map(|e| e.downcast_ref::<std::io::Error>())
            .find_map(std::io::Error::raw_os_error);
        errno.map_or(error, std::io::Error::from_raw_os_error)
    })
}

fn unpack_into(packed: &[u8], folder: &Path) -> std::io::Result<()> {
    let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(packed));
    archive.unpack(folder)?;
    // tar stops at its end mark; the rest carries the checksum of the whole.
    std::io::copy(&mut archive.into_inner().by_ref(), &mut std::io::sink()).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_archive_and_no_place_are_errors() {
        let place = tempfile::tempdir().unwrap();
        let places = [PathBuf::from("/nowhere"), place.path().to_owned()];
        assert!(Host::unpack(b"no archive", &places, "demo-").is_err());
        assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 0, "nothing stays of a failure");
        assert!(
            matches!(Host::unpack(b"", &places[..1], "demo-"), Err(HostError::NotFound(at)) if at == "/nowhere")
        );
    }
}
