//! Every case, in the order in which they are best read.

use crate::{Case, averaging, census, composition, exercises, mechanisms, pin, survey};

/// One line a case.
pub static CASES: &[&Case] = &[
    &survey::CASE,
    &exercises::CASE,
    &mechanisms::CASE,
    &composition::CASE,
    &averaging::CASE,
    &census::CASE,
    &pin::CASE,
];

/// The case of this name.
#[must_use]
pub fn named(name: &str) -> Option<&'static Case> {
    CASES.iter().find(|case| case.name == name).copied()
}
