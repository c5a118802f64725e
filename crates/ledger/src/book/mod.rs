//! The budget of a dataset, in an append-only file.
