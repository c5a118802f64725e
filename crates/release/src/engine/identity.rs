//! Which file was read, and whether it is still what it was.

use std::{fs::File, io, os::unix::fs::MetadataExt};

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

    /// Bytes.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.length
    }
}
