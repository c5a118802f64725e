//! `certus-bundle MODULE.wasm SCRIPT.js`: makes the module into one classic script, which a page can load from
//! `file://`, where neither modules nor `fetch` work.
//!
//! The script has two constants: `CERTUS_GLUE`, the source of the functions in JavaScript that wasm-bindgen
//! makes (its target "no-modules"), and `CERTUS_MODULE`, the module compressed by gzip, in base64. The page
//! puts both into a worker.

use std::{env, fs, io::Write as _, path::Path};

use anyhow::{Context as _, Result, bail};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use flate2::{Compression, write::GzEncoder};
use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [module, script] = arguments.as_slice() else { bail!("usage: certus-bundle MODULE.wasm SCRIPT.js") };
    let mut bindgen = Bindgen::new();
    bindgen.input_path(module).no_modules(true)?.typescript(false).keep_debug(false).remove_name_section(true);
    let mut output = bindgen.generate_output()?;
    let glue = serde_json::to_string(output.js())?;
    let wasm = output.wasm_mut().emit_wasm();
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    packed.write_all(&wasm)?;
    let text = format!(
        "// Made by bindings/wasm/build: Certus for a worker of this page.\n\
         const CERTUS_GLUE = {glue};\nconst CERTUS_MODULE = \"{}\";\n",
        STANDARD.encode(packed.finish()?)
    );
    if let Some(folder) = Path::new(script).parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(script, &text).with_context(|| format!("{script} cannot be written"))?;
    println!("{script}: {} bytes, of a module of {} bytes", text.len(), wasm.len());
    Ok(())
}
