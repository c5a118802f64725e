//! The bits of a wide trial, and the integer that they write: `certus-kernel` has all but big integers.

use num_bigint::BigUint;

use super::table::signed_integer;
use crate::{exact::Integer, sample::machine::Machine};

pub use certus_kernel::layout::Layout;

/// What a bucket and `both` = 2o + sign write, as an integer, which is a word where the magnitude fits one;
/// nothing for a negative zero.
pub fn integer<W: Machine>(layout: Layout, bucket: u64, both: W) -> Option<Integer> {
    let (magnitude, _) = layout.written(bucket, both)?;
    let magnitude = match W::of_double(magnitude) {
        Some(word) => Integer::from(word.into()),
        None => Integer::from(BigUint::from(magnitude)),
    };
    Some(signed_integer(magnitude, both))
}

#[cfg(any(kani, test))]
use certus_kernel::layout::at_once;

#[cfg(any(kani, test))]
#[path = "../../../proofs/sample/prepared/layout.rs"]
mod proofs;
