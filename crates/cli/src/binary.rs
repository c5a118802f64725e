//! Files that are neither data nor samples, by how they begin.

/// How they begin, and what they are.
const BINARIES: [(&[u8], &str); 8] = [
    (b"PAR1", "Parquet, which `certus release` and the Python package read"),
    (b"ARROW1", "Arrow, which the Python package reads"),
    (b"PK\x03\x04", "a ZIP archive (such as .npz)"),
    (b"\x1f\x8b", "compressed by gzip"),
    (b"\x28\xb5\x2f\xfd", "compressed by zstd"),
    (b"\x89HDF", "HDF5"),
    (b"SQLite format 3", "a database of SQLite"),
    (b"\x80\x04\x95", "a pickle of Python"),
];

/// What a file is that begins so, if it is none that is read.
pub(super) fn binary(start: &[u8]) -> Option<&'static str> {
    BINARIES.iter().find(|(magic, _)| start.starts_with(magic)).map(|(_, what)| *what)
}
