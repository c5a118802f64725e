//! The `certus` command; everything it does is in [`certus::cli`].
fn main() {}
