//! Numbers that are too long to account with.

use super::{AccountError, Composed, Direction};
use crate::{exact::Rational, guarantee::Pair};

/// The most binary digits of a parameter's numerator or denominator: more than any text has that is read as a
/// number, which is at most 2,000 decimal digits.
const MOST_BITS: u64 = 1 << 13;

fn is_short(value: &Rational) -> bool {
    value.numer().bits().max(value.denom().bits()) <= MOST_BITS
}

/// Refuses an ε or δ, and pairs, whose numbers are so long that the arithmetic alone takes minutes.
pub(super) fn refuse_long(directions: &[Direction], asked: &Rational) -> Result<(), AccountError> {
    fn has_short(pair: &Pair) -> bool {
        match pair {
            Pair::Laplace { scale: width, shift } | Pair::Gaussian { variance: width, shift } => {
                is_short(width.get()) && shift.bits() <= MOST_BITS
            }
            // As many outcomes as weights, each of which may have as many digits as there are outcomes.
            Pair::Finite(_) => true,
            Pair::Subsampled { rate, of, .. } => is_short(rate.get()) && has_short(of),
        }
    }
    let pairs = directions.iter().flatten().flat_map(Composed::pairs);
    if is_short(asked) && pairs.into_iter().all(has_short) { Ok(()) } else { Err(AccountError::TooLong) }
}
