//! Which file was read, and whether it is still what it was.

use std::{
    fs::File,
    io,
    os::unix::fs::MetadataExt,
    thread,
    time::{Duration, SystemTime},
};

/// More than a tick of the clock that files' times are read from.
const TICKS: Duration = Duration::from_millis(100);

/// A file's identity and metadata. A write changes the times, a rename the place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    device: u64,
    inode: u64,
    length: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Identity {
    /// The identity of an open file.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn of(file: &File) -> io::Result<Self> {
        let data = file.metadata()?;
        Ok(Self {
            device: data.dev(),
            inode: data.ino(),
            length: data.len(),
            modified: (data.mtime(), data.mtime_nsec()),
            changed: (data.ctime(), data.ctime_nsec()),
        })
    }

    /// The identity of a file that was not written to within the last tenth of a second, after a wait if need
    /// be: two writes within one tick of the system's clock leave the same times.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn settled(file: &File) -> io::Result<Self> {
        let written = file.metadata()?.modified()?;
        let age = SystemTime::now().duration_since(written).unwrap_or_default();
        if let Some(wait) = TICKS.checked_sub(age) {
            thread::sleep(wait);
        }
        Self::of(file)
    }

    /// Bytes.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.length
    }
}
