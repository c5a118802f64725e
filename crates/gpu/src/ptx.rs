//! The kernels, as PTX: the text that NVIDIA's driver compiles for the GPU at hand.
//!
//! `build` makes it from `kernel/` and `certus-kernel` with the compiler that `toolchain` names, and the tests
//! here fail where it is not what these sources give, as far as that can be seen without that compiler: by the
//! digest beside it. `build --check` builds it again and compares.

/// For compute capability 7.0 and later.
pub(crate) const PTX: &str = include_str!("../ptx/certus.ptx");

#[cfg(test)]
mod tests {
    use super::PTX;
    use sha2::{Digest, Sha256};
    use std::{
        fmt::Write,
        fs,
        path::{Path, PathBuf},
    };

    fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                sources(&path, found);
            } else {
                found.push(path);
            }
        }
    }

    /// As `build` does it: the compiler's name and the sources' names and contents, in the order of the names.
    fn digest() -> String {
        let gpu = Path::new(env!("CARGO_MANIFEST_DIR"));
        let crates = gpu.parent().unwrap();
        let mut found = vec![
            crates.join("gpu/build"),
            crates.join("gpu/toolchain"),
            crates.join("gpu/kernel/Cargo.toml"),
            crates.join("kernel/Cargo.toml"),
        ];
        sources(&crates.join("gpu/kernel/src"), &mut found);
        sources(&crates.join("kernel/src"), &mut found);
        let name = |path: &Path| path.strip_prefix(crates).unwrap().to_str().unwrap().replace('\\', "/");
        found.sort_by_key(|path| name(path));
        let mut all = String::new();
        for path in found {
            let content = Sha256::digest(fs::read(&path).unwrap());
            let hex = content.iter().fold(String::new(), |mut hex, byte| {
                write!(hex, "{byte:02x}").unwrap();
                hex
            });
            writeln!(all, "{hex}  {}", name(&path)).unwrap();
        }
        Sha256::digest(all).iter().fold(String::new(), |mut hex, byte| {
            write!(hex, "{byte:02x}").unwrap();
            hex
        })
    }

    #[test]
    fn the_ptx_is_of_these_sources() {
        let gpu = Path::new(env!("CARGO_MANIFEST_DIR"));
        let shipped = fs::read_to_string(gpu.join("ptx/certus.ptx.sources")).unwrap();
        assert_eq!(shipped.trim(), digest(), "the kernels' sources have changed: run crates/gpu/build");
    }

    #[test]
    fn the_digest_is_of_this_ptx() {
        let gpu = Path::new(env!("CARGO_MANIFEST_DIR"));
        let shipped = fs::read_to_string(gpu.join("ptx/certus.ptx.sha256")).unwrap();
        let hex = Sha256::digest(PTX).iter().fold(String::new(), |mut hex, byte| {
            write!(hex, "{byte:02x}").unwrap();
            hex
        });
        assert_eq!(shipped.trim(), hex);
    }

    /// Nothing that is elsewhere, every kernel that is launched, and no path of the machine that built it.
    #[test]
    fn the_ptx_is_whole() {
        assert!(!PTX.contains(".extern"));
        assert!(PTX.contains(".target sm_70"));
        for construction in ["table", "wide", "wider"] {
            for rest in ["fill_i32", "fill_i64", "add_i32", "add_i64"] {
                for kernel in ["dense", "finish"] {
                    assert!(PTX.contains(&format!(".visible .entry {kernel}_{construction}_{rest}(")));
                }
            }
        }
        assert!(!PTX.contains(env!("CARGO_MANIFEST_DIR")) && !PTX.contains("/home/") && !PTX.contains("/root/"));
    }
}
