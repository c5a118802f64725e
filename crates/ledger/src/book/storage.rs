//! Where a ledger's bytes are: a file, or what a test puts in its place.

use std::{
    fs::{self, File},
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
};

use super::BookError;

/// Bytes that can be read, appended, cut and synced, by one writer.
///
/// What has been written is on the disk when [`sync`](Self::sync) has returned `Ok`, and perhaps earlier.
pub trait Storage {
    /// How many bytes there are.
    ///
    /// # Errors
    ///
    /// If the system fails.
    fn length(&mut self) -> io::Result<u64>;

    /// Reads from a place on, as far as there are bytes; how many were read.
    ///
    /// # Errors
    ///
    /// If the system fails.
    fn read(&mut self, offset: u64, into: &mut [u8]) -> io::Result<usize>;

    /// Writes all bytes from a place on. A gap before it is filled with zeros.
    ///
    /// # Errors
    ///
    /// If the system fails; some of the bytes may have been written then.
    fn write(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()>;

    /// Cuts off all bytes from a place on.
    ///
    /// # Errors
    ///
    /// If the system fails.
    fn truncate(&mut self, length: u64) -> io::Result<()>;

    /// Returns when all that was written, and the length, is on the disk.
    ///
    /// # Errors
    ///
    /// If it may not be there.
    fn sync(&mut self) -> io::Result<()>;

    /// Whether others who open the ledger find these bytes.
    ///
    /// # Errors
    ///
    /// If the system fails.
    fn is_in_place(&mut self) -> io::Result<bool> {
        Ok(true)
    }
}

/// A file, locked as long as this lives. The lock dies with the process that holds it.
#[derive(Debug)]
pub struct Disk {
    file: File,
    path: PathBuf,
}

impl Disk {
    /// Opens a file to write, and waits until nobody else has it.
    pub(super) fn exclusive(path: &Path) -> Result<Self, BookError> {
        Self::open(path, true, File::lock)
    }

    /// Opens a file to read, and waits until nobody writes to it.
    pub(super) fn shared(path: &Path) -> Result<Self, BookError> {
        Self::open(path, false, File::lock_shared)
    }

    fn open(path: &Path, is_writer: bool, lock: fn(&File) -> io::Result<()>) -> Result<Self, BookError> {
        // A named pipe would wait for its other end.
        if !fs::metadata(path).map_err(BookError::io("opened"))?.is_file() {
            return Err(BookError::NotAFile);
        }
        let file = fs::OpenOptions::new().read(true).write(is_writer).open(path).map_err(BookError::io("opened"))?;
        loop {
            match lock(&file) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                locked => break locked.map_err(BookError::io("locked"))?,
            }
        }
        let mut disk = Self { file, path: path.to_owned() };
        // Somebody may have put another file in its place while this one waited for the lock.
        if !disk.is_in_place().map_err(BookError::io("opened"))? {
            return Err(BookError::Replaced);
        }
        Ok(disk)
    }
}

impl Storage for Disk {
    fn length(&mut self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    fn read(&mut self, offset: u64, into: &mut [u8]) -> io::Result<usize> {
        self.file.seek(SeekFrom::Start(offset))?;
        let mut done = 0;
        while let Some(rest) = into.get_mut(done..).filter(|rest| !rest.is_empty()) {
            match self.file.read(rest) {
                Ok(0) => break,
                Ok(count) => done = done.saturating_add(count),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(done)
    }

    fn write(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(offset))?;
        // Goes on after a short write, and after a signal.
        self.file.write_all(bytes)
    }

    fn truncate(&mut self, length: u64) -> io::Result<()> {
        self.file.set_len(length)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.file.sync_all()
    }

    /// Whether the name leads to this file still.
    #[cfg(unix)]
    fn is_in_place(&mut self) -> io::Result<bool> {
        use std::os::unix::fs::MetadataExt as _;
        let mine = self.file.metadata()?;
        match fs::metadata(&self.path) {
            Ok(named) => Ok((named.dev(), named.ino()) == (mine.dev(), mine.ino())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }
}

/// Makes a file with these bytes, whole or not at all, and never in place of another.
///
/// The bytes are written under another name and synced, then linked to the name, which fails where there is
/// something of that name; and the folder is synced.
pub(super) fn create(path: &Path, bytes: &[u8], draft_name: &str) -> Result<(), BookError> {
    if fs::symlink_metadata(path).is_ok() {
        return Err(BookError::Exists);
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let draft = folder.join(draft_name);
    let made = File::create_new(&draft)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
        .map_err(BookError::io("written"))
        .and_then(|()| {
            fs::hard_link(&draft, path).map_err(|error| match error.kind() {
                io::ErrorKind::AlreadyExists => BookError::Exists,
                _ => BookError::Io { what: "written", source: error },
            })
        });
    // The draft is another name of the same file, or half a file.
    let removed = fs::remove_file(&draft);
    made?;
    removed.map_err(BookError::io("written"))?;
    sync_folder(folder).map_err(BookError::io("synced"))
}

/// Elsewhere than on Unix a folder cannot be synced, and names are the system's business.
fn sync_folder(folder: &Path) -> io::Result<()> {
    #[cfg(unix)]
    File::open(folder)?.sync_all()?;
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}
