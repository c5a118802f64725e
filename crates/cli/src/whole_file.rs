//! A file that is written whole or not at all, never over an input of the same run, and with the mode of the
//! file it replaces.

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

/// What makes two names those of one file.
#[derive(Debug, PartialEq, Eq)]
enum Identity {
    /// A file that is there: its device and its number on it, whichever of its names or links led to it.
    #[cfg(unix)]
    Node(u64, u64),
    /// Its place, with the links of its folder followed.
    Place(PathBuf),
}

impl Identity {
    /// Of what a path leads to.
    fn of(path: &Path) -> Self {
        #[cfg(unix)]
        if let Ok(metadata) = fs::metadata(path) {
            return Self::of_metadata(&metadata);
        }
        Self::Place(resolved(path))
    }

    #[cfg(unix)]
    fn of_metadata(metadata: &fs::Metadata) -> Self {
        use std::os::unix::fs::MetadataExt as _;
        Self::Node(metadata.dev(), metadata.ino())
    }
}

/// The path with its links followed; of a file that is not there, with those of its folder followed.
fn resolved(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| match path.file_name() {
        Some(name) => folder(path).canonicalize().unwrap_or_else(|_| folder(path).to_owned()).join(name),
        None => path.to_owned(),
    })
}

/// Where a file is.
fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Refuses outputs that are one file, and an output that is one of the inputs; an input is the argument that
/// names it and its path.
pub(super) fn check_apart(outputs: &[&WholeFile], inputs: &[(String, String)]) -> Result<(), Failure> {
    let mut earlier: Vec<Identity> = Vec::new();
    for output in outputs {
        let identity = Identity::of(&output.path);
        if earlier.contains(&identity) {
            return Err(Failure::argument(output.argument, "must name a file of its own"));
        }
        if let Some((argument, _)) = inputs.iter().find(|(_, path)| Identity::of(Path::new(path)) == identity) {
            return Err(output.is_input(argument));
        }
        earlier.push(identity);
    }
    Ok(())
}

/// Refuses an output that is what standard input is read from.
pub(super) fn check_apart_from_standard_input(output: &WholeFile) -> Result<(), Failure> {
    #[cfg(unix)]
    {
        use std::os::fd::AsFd as _;
        // What cannot be asked for its number is no file that could be replaced.
        let input = io::stdin().as_fd().try_clone_to_owned().map(fs::File::from).and_then(|file| file.metadata());
        if input.is_ok_and(|metadata| Identity::of_metadata(&metadata) == Identity::of(&output.path)) {
            return Err(output.is_input("standard input"));
        }
    }
    #[cfg(not(unix))]
    let _ = output;
    Ok(())
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

    /// Writes beside it, and puts it in its place in one step; a file that was there hands its mode on.
    pub(super) fn write(&self, content: &[u8]) -> Result<(), Failure> {
        let draft = self.draft();
        let replaced = fs::metadata(&self.path).ok().map(|metadata| metadata.permissions());
        let written = create(&draft, replaced.as_ref())
            .and_then(|mut file| {
                if let Some(permissions) = replaced {
                    file.set_permissions(permissions)?;
                }
                file.write_all(content).and_then(|()| file.sync_all())
            })
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
        folder(&self.path).join(format!(".{name}.{}.part", process::id()))
    }

    fn failed(&self, error: &io::Error) -> Failure {
        Failure::Environment(format!("{}: {} could not be written: {error}", self.argument, self.path.display()))
    }

    fn is_input(&self, argument: &str) -> Failure {
        let path = self.path.display();
        Failure::argument(
            self.argument,
            format_args!(
                "must name another file: {path} is an input of this run ({argument}), which is never replaced"
            ),
        )
    }
}

/// A new file, which at no time can be read by more people than the one that it replaces.
fn create(path: &Path, replaced: Option<&fs::Permissions>) -> io::Result<fs::File> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if let Some(permissions) = replaced {
        use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
        options.mode(permissions.mode() & 0o777);
    }
    #[cfg(not(unix))]
    let _ = replaced;
    options.open(path)
}
