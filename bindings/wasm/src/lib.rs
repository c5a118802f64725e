//! Certus in a browser: parse, call, return. Everything else is the library's and the auditor's.
//!
//! * `account`, `calibrate` and `certify` answer the questions of the commands of these names. A question is
//!   the texts that the command takes as arguments; an answer is the JSON that it prints, without `seconds`.
//! * `text`: numbers from text, and enclosures to text, with the same digits as the command's.
//!
//! The functions in this file are what JavaScript sees. An error is one line of text, as on the command's
//! standard error. Nothing is drawn here: a browser's page releases nothing.

mod account;
mod calibrate;
mod certify;
mod text;

use wasm_bindgen::prelude::wasm_bindgen;

pub use self::{
    account::{Account, account},
    calibrate::{Calibrate, calibrate},
    certify::{Certify, certify},
};

/// The version of the JSON documents: the command's.
const SCHEMA_VERSION: u32 = 1;

/// The smallest δ at an ε, the smallest ε at a δ, or the profile: `question` is "epsilon" or "delta" with
/// their `value`, or "profile". `specs` has one spec a line; `relation` is empty where none is asked for.
///
/// # Errors
///
/// If an argument is bad, or there is no answer.
#[wasm_bindgen(js_name = account)]
pub fn account_in_browser(specs: &str, question: &str, value: &str, relation: &str) -> Result<String, String> {
    account(&Account { specs, question, value, relation }).map(|document| document.to_string())
}

/// The least noise, "laplace" or "gaussian", that is certified to meet (ε, δ). An empty `step` is a thousandth
/// of the answer or so.
///
/// # Errors
///
/// If an argument is bad, or there is no answer.
#[wasm_bindgen(js_name = calibrate)]
pub fn calibrate_in_browser(
    noise: &str,
    epsilon: &str,
    delta: &str,
    sensitivity: &str,
    step: &str,
) -> Result<String, String> {
    calibrate(&Calibrate { noise, epsilon, delta, sensitivity, step }).map(|document| document.to_string())
}

/// The reference sampler's distribution, enumerated: in "structural" or "flat" `mode`, to a `depth`, or to the
/// mode's own where that is empty.
///
/// # Errors
///
/// If an argument is bad, or there is too much to enumerate.
#[wasm_bindgen(js_name = certify)]
pub fn certify_in_browser(spec: &str, mode: &str, depth: &str) -> Result<String, String> {
    certify(&Certify { spec, mode, depth }).map(|document| document.to_string())
}

/// An example of every mechanism, one a line: what a page offers to choose from.
#[wasm_bindgen]
#[must_use]
pub fn examples() -> String {
    let entries = certus::mechanism::CATALOGUE.iter().flat_map(|family| family.entries);
    entries.filter_map(|entry| entry.examples.first().copied()).collect::<Vec<_>>().join("\n")
}
