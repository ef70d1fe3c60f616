//! A recorded machine out of a packed one, for `demo`.

use super::{Host, HostError};
use std::io::Read;
use std::path::{Path, PathBuf};

impl Host {
    /// Makes a fresh folder in the first of `places` that takes one, and
    /// unpacks the tar.gz `packed` into it; gives the folder. `prefix` begins
    /// its name. Nothing removes it afterwards.
    ///
    /// # Errors
    /// What the last place said when none takes a folder, and what unpacking
    /// said (no room, a damaged archive).
    pub fn unpack(packed: &[u8], places: &[PathBuf], prefix: &str) -> Result<PathBuf, HostError> {
        let mut last = HostError::NotFound("no folder for temporary files".into());
        let folder = places.iter().find_map(|place| {
            let template = place.join(format!("{prefix}XXXXXX"));
            nix::unistd::mkdtemp(&template)
                .map_err(|errno| last = HostError::from_errno(&place.display().to_string(), errno))
                .ok()
        });
        let folder = folder.ok_or(last)?;
        unpack_into(packed, &folder).map_err(|e| HostError::from_io(&folder.display().to_string(), &e))?;
        Ok(folder)
    }
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
        assert!(
            matches!(Host::unpack(b"", &places[..1], "demo-"), Err(HostError::NotFound(at)) if at == "/nowhere")
        );
    }
}
