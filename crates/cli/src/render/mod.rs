//! An audit's document, for people and for machines: a page, JUnit XML, SARIF.
//!
//! All of them are functions of the JSON document that `certus audit --json` prints, and of nothing else.
//! What they show is therefore what it says, digit by digit: no number is computed here but where a line is
//! drawn.

mod canaries;
mod counterexample;
mod curve;
mod document;
mod escape;
mod glance;
mod html;
mod junit;
mod losses;
mod sarif;
mod section;
mod svg;
mod table;
#[cfg(test)]
mod tests;

pub(super) use canaries::canaries;
pub(super) use document::{claimed, seen, sides, told};
pub(super) use html::html;
pub(super) use junit::junit;
pub(super) use sarif::sarif;
