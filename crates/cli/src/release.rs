//! `certus release`: another program, `certus-release`, since it carries an engine that reads data.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    process::Command,
};

use super::Failure;

/// The program's name.
const PROGRAM: &str = "certus-release";

/// How to get it.
const INSTALL: &str = "certus-release is not installed: put it beside certus or on the PATH, by `cargo install --locked --path crates/release` in the sources, or its wheel by `pip install ./crates/release`; without it, `certus sample` takes one mechanism on a CSV file: see `certus sample --help`";

/// Runs it with the arguments that follow `release`; its exit status is this one's.
pub(super) fn run(arguments: &[OsString]) -> Result<u8, Failure> {
    let program = found().ok_or_else(|| Failure::Environment(INSTALL.into()))?;
    let mut command = Command::new(program);
    command.args(arguments);
    let failed = |error: std::io::Error| Failure::Environment(format!("{PROGRAM} could not be run: {error}"));
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt as _;
        // Comes back only if it failed.
        Err(failed(command.exec()))
    }
    #[cfg(not(unix))]
    {
        let status = command.status().map_err(failed)?;
        Ok(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(3))
    }
}

/// Beside this program, else on the PATH.
fn found() -> Option<PathBuf> {
    let name = format!("{PROGRAM}{}", std::env::consts::EXE_SUFFIX);
    let beside = std::env::current_exe().ok().and_then(|own| own.parent().map(Path::to_owned));
    let on_path =
        std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect::<Vec<_>>()).unwrap_or_default();
    // An empty entry of the PATH is the current folder, whose programs are not run by chance.
    let folders = beside.into_iter().chain(on_path).filter(|folder| !folder.as_os_str().is_empty());
    folders.map(|folder| folder.join(&name)).find(|program| program.is_file())
}
