//! Stops where there is no wheel to be had: a free-threaded Python has no stable ABI for this one.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let config = pyo3_build_config::get();
    let is_free_threaded =
        config.build_flags().0.iter().any(|flag| matches!(flag, pyo3_build_config::BuildFlag::Py_GIL_DISABLED));
    if is_free_threaded {
        println!(
            "cargo::error=certus is built for Python's stable ABI, which a free-threaded Python (3.13t and later) does not have: use a Python with the global interpreter lock, 3.10 or later"
        );
    }
}
