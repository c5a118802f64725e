//! A file that is written whole or not at all.

use std::{
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
    process,
};

use super::Failure;

/// A file that an argument names, to be written or replaced in one step.
#[derive(Debug)]
pub(super) struct WholeFile {
    argument: &'static str,
    path: PathBuf,
}

impl WholeFile {
    /// Checks that the file can be written, before anything is computed.
    pub(super) fn to(argument: &'static str, name: &str, example: &str) -> Result<Self, Failure> {
        if name.is_empty() {
            return Err(Failure::argument(argument, format_args!("must name a file, such as {example}, not nothing")));
        }
        let path = PathBuf::from(name);
        // A link is followed, so that what it leads to is replaced, and not the link.
        let path = path.canonicalize().unwrap_or(path);
        if path.file_name().is_none() || (path.exists() && !path.is_file()) {
            return Err(Failure::argument(
                argument,
                format_args!("{name} must name a file, which is written or replaced"),
            ));
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

    /// Where it will be.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Beside the file, so that it can be renamed to it.
    fn draft(&self) -> PathBuf {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        folder.join(format!(".{name}.{}.part", process::id()))
    }

    fn failed(&self, error: &io::Error) -> Failure {
        Failure::Environment(format!("{}: {} could not be written: {error}", self.argument, self.path.display()))
    }
}
