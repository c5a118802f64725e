//! What the browser's functions answer, on this machine: `answer account SPECS QUESTION VALUE RELATION`,
//! `answer calibrate NOISE EPSILON DELTA SENSITIVITY STEP`, `answer certify SPEC MODE DEPTH`, `answer examples`.
//! `bindings/wasm/check` compares it with the command.

use certus_wasm::{account_in_browser, calibrate_in_browser, certify_in_browser, examples};

fn main() -> Result<(), String> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let answer = match arguments.as_slice() {
        ["account", specs, question, value, relation] => account_in_browser(specs, question, value, relation)?,
        ["calibrate", noise, epsilon, delta, sensitivity, step] => {
            calibrate_in_browser(noise, epsilon, delta, sensitivity, step)?
        }
        ["certify", spec, mode, depth] => certify_in_browser(spec, mode, depth)?,
        ["examples"] => examples(),
        _ => return Err("see the first lines of examples/answer.rs".to_owned()),
    };
    println!("{answer}");
    Ok(())
}
