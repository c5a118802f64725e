//! The acceptance of the wide prepared samplers, at the width that ships, on either side of its edges.
//!
//! A trial accepts its place (b, o) if V < e^-x. What the shipped code says of it is monotone in V: the squeeze, the series and the
//! enclosure each compare V's digits with bounds that depend on b and o alone. So there is one edge, and if the code does not reject just below
//! e^-x, nor accept just above it, then it does neither wrongly for any V at all; and if it decides a little further away on either
//! side, it decides for all V but those between. That is evaluated here for every bucket in the table: of the squeeze, by a word that
//! [`Trial::settle`] reads; of the series, with one word more of V; of the enclosure, with two.
//!
//! In each bucket there are 2^offset places, too many to visit: the first, the last, the middle and one that differs from bucket to bucket are. The
//! formula is one and the same at all of them (x = amount/s or amount/2σ², then three terms of a series; no table has an entry for a
//! place), and what is not visited here is covered by the bounds of these two functions, tested against the enclosure of e^-x at
//! random arguments, and by the enumeration of *all* places at small widths.

use num_bigint::BigUint;
use num_traits::One;

use crate::{
    bits::{Bits, BitsError},
    exact::{Rational, exp_neg},
    sample::{
        prepared::{Trial, wide::Wide},
        program::Execution,
    },
};

/// How close to the edge the series decides: within 2^-this. Its bounds are x³/6 apart, and x is at most 1/19, six σ out.
const SERIES: u32 = 15;

/// How close to the edge two words of V decide, by the enclosure: these few bits of it are not enough.
const ENCLOSURE: u32 = 4;

/// Whether the shipped acceptance of every bucket says what e^-x does, at its edges.
pub(super) fn holds<const SECOND: u32>(wide: &Wide<u64, SECOND>) -> bool {
    let places = 1u64 << wide.offset();
    (0u64..).zip(wide.sure()).all(|(bucket, &sure)| {
        // Odd multiples of a large odd number: another place in each bucket.
        let another = (2 * bucket + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) % places;
        squeeze_holds(wide, bucket, sure, another)
            && [0, places / 2, places - 1, another].into_iter().all(|offset| edge_holds(wide, bucket, offset))
    })
}

/// Whether the words with v just below the squeeze settle on the place, and those with v at the squeeze do not.
fn squeeze_holds<const SECOND: u32>(
    wide: &Wide<u64, SECOND>,
    bucket: u64,
    sure: u64,
    offset: u64,
) -> bool {
    let (below, prefix) = (wide.offset() + 1 - SECOND, wide.buckets().width());
    let thresholds = wide.buckets().thresholds();
    // Just below T(bucket): in the bucket, if T(bucket − 1) is further down; where the guide does not say so, no word settles.
    let at = usize::try_from(bucket).ok();
    let Some(u) = at.and_then(|at| thresholds.get(at)).and_then(|threshold| threshold.checked_sub(1)) else {
        return true;
    };
    if wide.buckets().look_up(u << (64 - prefix)) != Some(bucket) {
        return true;
    }
    let step = 1 << below;
    [0, 1].into_iter().all(|negative| {
        let both = offset << 1 | negative;
        let settles = |v: u64| wide.settle(u << (64 - prefix) | v | both >> SECOND, both & ((1 << SECOND) - 1));
        let magnitude = i128::from(bucket) << wide.offset() | i128::from(offset);
        let expected = i64::try_from(if negative == 1 { -magnitude } else { magnitude }).ok().filter(|&k| k != 0);
        let last = (1u64 << wide.squeeze()) - 1;
        (sure < step || settles(sure - step) == expected) && (sure >> below > last || settles(sure).is_none())
    })
}

/// Whether the code accepts below e^-x and rejects above it, by one word more of V and by two.
fn edge_holds<const SECOND: u32>(wide: &Wide<u64, SECOND>, bucket: u64, offset: u64) -> bool {
    let x = wide.exponent(bucket, offset);
    let below = wide.offset() + 1 - SECOND;
    let certain = usize::try_from(bucket).ok().and_then(|bucket| wide.sure().get(bucket)).copied().unwrap_or(0);
    [1, 2].into_iter().all(|words: u32| {
        let length = wide.squeeze() + 64 * words;
        let bounds = exp_neg(&x, length + 16);
        let scaled = |bound: Rational| (bound.numer().magnitude() << length) / bound.denom().magnitude();
        let (least, most) = (scaled(bounds.lower()), scaled(bounds.upper()));
        let whole = BigUint::one() << length;
        // Nothing if V is not among the first `length` digits of [0, 1), or if these do not decide.
        let says = |v: &BigUint| {
            let first = u64::try_from(&(v >> (64 * words))).ok()? << below;
            let rest = Words { v, left: words };
            (*v < whole).then(|| wide.accept(bucket, offset, first, &mut Execution { bits: &mut { rest } }).ok())?
        };
        let near = BigUint::one() << if words == 1 { length - SERIES } else { ENCLOSURE + 64 };
        let down = |by: &BigUint| if least > *by { Some(&least - by) } else { None };
        // Never wrongly, next to the edge; and decided, a little away from it, unless the squeeze ends there.
        let right =
            down(&BigUint::one()).is_none_or(|v| says(&v) != Some(false)) && says(&(&most + 1u32)) != Some(true);
        let decided = down(&near).is_none_or(|v| says(&v) == Some(true))
            && (&most + &near >= whole || says(&(&most + &near)) == Some(false));
        right && decided && (certain >> below <= u64::try_from(&(&most >> (64 * words))).unwrap_or(u64::MAX))
    })
}

/// The last words of a number.
struct Words<'v> {
    v: &'v BigUint,
    left: u32,
}

impl Bits for Words<'_> {
    fn take(&mut self, _: u32) -> Result<u64, BitsError> {
        self.left = self.left.checked_sub(1).ok_or(BitsError::TapeEnded)?;
        let word = (self.v >> (64 * self.left)) & BigUint::from(u64::MAX);
        u64::try_from(&word).map_err(|_| BitsError::Overflow)
    }
}
