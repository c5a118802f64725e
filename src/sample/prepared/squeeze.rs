//! Whether V < e^-x: how many values of v accept whatever the offset, and 1/s or 1/2σ² as a machine word.
//!
//! What decides on machine words is in `certus-kernel`; here are the numbers that it is handed, which take
//! big integers to make.

use crate::{exact::Natural, sample::machine::Machine};

pub use certus_kernel::squeeze::Reciprocal;

/// How many of the 2^bits values of v accept whatever the offset: ⌊(1 − X)·2^bits⌋ for X =
/// numerator/denominator, or 0 if that is negative. (0 is safe wherever a number outgrows its width, too.)
pub fn sure<N: Natural>(numerator: &N, denominator: &N, bits: u32) -> u64 {
    let count = || {
        let (quotient, rest) = numerator.append_bits(0, bits)?.div_rem(denominator);
        // X·2^bits, rounded up.
        let most = if rest == N::zero() { quotient } else { quotient.checked_add(&N::one())? };
        N::one().append_bits(0, bits)?.checked_sub(&most)?.to_word()
    };
    count().unwrap_or(0)
}

/// 1/s or 1/2σ² = denominator/numerator ≤ 1, to a word; nothing if a number outgrows its width.
pub fn reciprocal<W: Machine, N: Natural>(numerator: &N, denominator: &N) -> Option<Reciprocal<W>> {
    // denominator·2^exponent/numerator has BITS bits, or one less.
    let longer = numerator.bit_length().saturating_sub(denominator.bit_length());
    let exponent = u32::try_from(longer.saturating_add((W::BITS - 1).into())).ok()?;
    let (mantissa, _) = denominator.append_bits(0, exponent)?.div_rem(numerator);
    Some(Reciprocal { mantissa: W::of_double(mantissa.to_word()?.into())?, exponent })
}

#[cfg(any(kani, test))]
use certus_kernel::squeeze::{decided, double, exponential, square_amount};

#[cfg(any(kani, test))]
#[path = "../../../proofs/sample/prepared/squeeze.rs"]
mod proofs;
