//! Every file of a fuzz corpus through the property that its fuzz target checks: what the tests of a package share.

use std::{fs, path::Path};

/// Runs a property on all files of a target's corpus, of which there are at least so many. `root` is the
/// repository's.
pub fn run(root: &str, target: &str, least: usize, property: fn(&[u8])) {
    let folder = Path::new(root).join("fuzz/corpus").join(target);
    let mut files = 0;
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        println!("{}", path.display()); // shown if the property fails
        property(&fs::read(&path).unwrap());
        files += 1;
    }
    assert!(files >= least, "{} holds {files} files: fewer than it had", folder.display());
}
