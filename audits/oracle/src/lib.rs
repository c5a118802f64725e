//! The independent oracle: see `tests`.
