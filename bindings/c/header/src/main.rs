//! Says whether `include/certus.h` is what cbindgen makes of `src`; with `CERTUS_BLESS=1`, writes it.

use std::{env, error::Error, fs, path::Path};

fn main() -> Result<(), Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or("this crate has no parent folder")?;
    let config = cbindgen::Config::from_file(root.join("cbindgen.toml"))?;
    let mut made = Vec::new();
    cbindgen::generate_with_config(root, config)?.write(&mut made);
    let header = root.join("include/certus.h");
    if env::var_os("CERTUS_BLESS").is_some_and(|bless| bless == "1") {
        fs::write(header, made)?;
    } else if fs::read(header).ok().as_ref() != Some(&made) {
        return Err("include/certus.h is not what cbindgen makes: run bindings/c/check with CERTUS_BLESS=1".into());
    }
    Ok(())
}
