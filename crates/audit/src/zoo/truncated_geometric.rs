//! The geometric mechanism on a finite computer (Balcer and Vadhan 2018, Algorithm 4.8).

use super::{BROKEN, CORRECT, Draw, Specimen};
use std::num::NonZeroU64;

use certus::sample::Uniform;

/// The people counted.
const PEOPLE: u32 = 5;

pub const SPECIMENS: &[Specimen] = &[
    Specimen {
        name: "truncated_geometric_natural_log",
        about: "takes k = ceil(ln(2/epsilon)) where the paper's logarithm is binary: epsilon is ln(1 + 2^-3) = 0.1178",
        samples: 2_000_000,
        make: || geometric(3),
        ..BROKEN
    },
    Specimen {
        name: "truncated_geometric_correct",
        about: "k = ceil(log2(2/epsilon)): epsilon is ln(1 + 2^-5) = 0.0308",
        make: || geometric(5),
        ..CORRECT
    },
];

/// F(z) of the paper for a count c, in integers: exact.
fn geometric(k: u32) -> Draw {
    let (two, more) = (1_u64 << k, (1_u64 << k) + 1);
    let denominator = ((1_u64 << (k + 1)) + 1) * more.pow(PEOPLE - 1);
    Box::new(move |side, random, line| {
        let count = side.pick(2, 1_u32);
        // Uniform from 1 to the denominator.
        let u = Uniform::word_below(NonZeroU64::MIN.saturating_add(denominator - 1), random.bits())? + 1;
        let at_most = |z: u32| -> u64 {
            if z < count {
                two.pow(count - z) * more.pow(PEOPLE - (count - z))
            } else if z < PEOPLE {
                denominator - two.pow(z - count + 1) * more.pow(PEOPLE - 1 - (z - count))
            } else {
                denominator
            }
        };
        line.part((0..=PEOPLE).find(|&z| at_most(z) >= u).unwrap_or(PEOPLE));
        Ok(())
    })
}
