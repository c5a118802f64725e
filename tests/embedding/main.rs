//! The library as another program embeds it: what it leaves behind, prints, writes and promises not to change.
#![cfg(feature = "std")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may fail by panicking")]

mod add_noise;
mod debug;
mod denominators;
mod enums;

use certus::exact::{Positive, parse};

fn positive(text: &str) -> Positive {
    Positive::new(parse(text).unwrap()).unwrap()
}

/// Every Rust file of the libraries, by its path: `src/…` or `crates/audit/src/…`.
fn sources() -> Vec<(String, String)> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut folders, mut files) = (vec![root.join("src"), root.join("crates/audit/src")], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
                files.push((name, std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    assert!(files.len() > 100, "{}", files.len());
    files
}
