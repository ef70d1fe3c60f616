//! Packs the recorded machine that `pi5-nvme demo` plays on into the program.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "this runs where it is built, on no machine"
)]

use std::path::{Path, PathBuf};
use std::{env, fs, io};

const MACHINE: &str = "fixtures/machines/pi5-trixie-sd";

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed={MACHINE}");
    let variable = |name: &str| env::var_os(name).map(PathBuf::from).unwrap_or_default();
    let machine = variable("CARGO_MANIFEST_DIR").join(MACHINE);
    let packed = fs::File::create(variable("OUT_DIR").join("machine.tar.gz"))?;
    let mut archive = tar::Builder::new(flate2::write::GzEncoder::new(packed, flate2::Compression::best()));
    archive.mode(tar::HeaderMode::Deterministic);
    archive.follow_symlinks(false);
    pack(&machine, &machine, &mut archive)
        .map_err(|e| io::Error::new(e.kind(), format!("{}: {e}", machine.display())))?;
    archive.into_inner()?.finish()?;
    Ok(())
}

/// In the order of their names, so that the same tree packs to the same bytes.
/// The expected reports are for the tests.
fn pack<W: io::Write>(root: &Path, folder: &Path, archive: &mut tar::Builder<W>) -> io::Result<()> {
    let mut entries = fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        let name = path.strip_prefix(root).unwrap_or(&path).to_owned();
        if name == Path::new("expected") {
            continue;
        }
        archive.append_path_with_name(&path, &name)?;
        if entry.file_type()?.is_dir() {
            pack(root, &path, archive)?;
        }
    }
    Ok(())
}
