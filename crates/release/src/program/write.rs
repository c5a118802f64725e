//! Files that are written whole or not at all, and never over an input of the same run.

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
};

use super::Failure;

/// A file that an argument names, to be written or replaced in one step.
pub(super) struct WholeFile {
    argument: &'static str,
    path: PathBuf,
}

impl WholeFile {
    /// Checks that the file can be written, before anything is debited, and that it is none of the inputs.
    pub(super) fn to(argument: &'static str, name: &str, inputs: &[&str]) -> Result<Self, Failure> {
        let path = PathBuf::from(name);
        let is_file = path.file_name().is_some() && (!path.exists() || path.is_file());
        if !is_file {
            return Err(Failure::Usage(format!("{argument}: must name a file, which is written or replaced")));
        }
        let place = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        if inputs.iter().any(|input| place(Path::new(input)) == place(&path)) {
            return Err(Failure::Usage(format!("{argument}: must name another file than the inputs of this run")));
        }
        let file = Self { argument, path };
        let draft = file.draft();
        let tried = fs::File::create_new(&draft).and_then(|_| fs::remove_file(&draft));
        tried.map_err(|error| file.failed(&error))?;
        Ok(file)
    }

    /// Writes beside it, and puts it in its place in one step.
    pub(super) fn write(&self, content: &[u8]) -> Result<(), Failure> {
        let draft = self.draft();
        let written = fs::File::create_new(&draft)
            .and_then(|mut file| file.write_all(content).and_then(|()| file.sync_all()))
            .and_then(|()| fs::rename(&draft, &self.path));
        written.map_err(|error| {
            // Nothing is left behind; if even that fails, the first failure is the one to tell.
            let _ = fs::remove_file(&draft);
            self.failed(&error)
        })
    }

    /// How the name ends.
    pub(super) fn ending(&self) -> String {
        self.path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase()).unwrap_or_default()
    }

    /// Beside the file, so that it can be renamed to it.
    fn draft(&self) -> PathBuf {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        self.path.with_file_name(format!(".{name}.{}.part", std::process::id()))
    }

    fn failed(&self, error: &std::io::Error) -> Failure {
        Failure::Environment(format!("{}: {} could not be written: {error}", self.argument, self.path.display()))
    }
}
