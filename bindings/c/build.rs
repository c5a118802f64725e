//! Gives the shared library its soname, `libcertus.so.0`: programs that are linked with one version find
//! another with the same interface, and no other.

use std::env;

/// The number of the interface. It changes whenever a program that was compiled against the old header would
/// no longer do what it did.
const INTERFACE: u32 = 0;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "linux") {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libcertus.so.{INTERFACE}");
    }
}
