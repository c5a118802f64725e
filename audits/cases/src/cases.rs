//! Every case, in the order in which they are best read.

use crate::{
    Case, averaging, canaries, census, composition, exercises, floating_point, mechanisms, membership, pin, survey,
    timing,
};

/// One line a case.
pub static CASES: &[&Case] = &[
    &survey::CASE,
    &exercises::CASE,
    &mechanisms::CASE,
    &composition::CASE,
    &averaging::CASE,
    &membership::CASE,
    &census::CASE,
    &floating_point::CASE,
    &timing::CASE,
    &pin::CASE,
    &canaries::CASE,
];

/// The case of this name.
#[must_use]
pub fn named(name: &str) -> Option<&'static Case> {
    CASES.iter().find(|case| case.name == name).copied()
}
