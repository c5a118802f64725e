//! The acceptance of the wide prepared samplers, at the width that ships, on either side of its edges.
//!
//! A trial accepts its place (b, o) if V < e^-x. What the shipped code says of it is monotone in V: the
//! squeeze, the series and the enclosure each compare V's digits with bounds that depend on b and o alone. So
//! there is one edge, and if `sample` does not reject just below e^-x, nor accept just above it, then it does
//! neither wrongly for any V at all; and if it decides a little further away on either side, it decides for
//! all V but those between. That is evaluated here for every bucket that has a squeeze: by the series, with
//! one word more of V; by the enclosure, with two. (The squeeze itself is among the edges of `edges.rs`.)
//!
//! In each bucket there are 2^offset places, too many to visit: the first, the last, the middle and one that
//! differs from bucket to bucket are. The formula is one and the same at all of them (x = amount/s or
//! amount/2σ², then three terms of a series; no table has an entry for a place), and what is not visited here
//! is covered by the bounds of these two functions, tested against the enclosure of e^-x at random arguments,
//! and by the enumeration of *all* places at small widths.

use num_bigint::{BigInt, BigUint};
use num_traits::One;

use super::{
    crafted::{Draws, Words},
    edges::Fields,
};
use certus::{
    exact::{NonNegative, Rational, exp_neg},
    sample::hooks::prepared::wide::Wide,
};

/// How close to the edge the series decides: within 2^-this. Its bounds are x³/6 apart, and x is at most
/// 1/19, six σ out.
const SERIES: u32 = 15;

/// How close to the edge two words of V decide, by the enclosure: 2^this units of their last place.
const ENCLOSURE: u32 = 4;

/// Whether the shipped acceptance of every bucket says what e^-x does, at its edges.
pub(super) fn holds<const SECOND: u32>(noise: &impl Draws, wide: &Wide<u64, SECOND>) -> bool {
    let fields = Fields::new(wide);
    let places = fields.places();
    (0u64..).zip(wide.sure()).all(|(bucket, _)| {
        // Odd multiples of a large odd number: another place in each bucket.
        let another = (2 * bucket + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) % places;
        let offsets = [0, places / 2, places - 1, another];
        offsets.into_iter().all(|offset| edge_holds(noise, wide, &fields, bucket, offset) == Some(true))
    })
}

/// Whether the code accepts below e^-x and rejects above it, by one word more of V and by two; nothing if no
/// word leads to the bucket.
fn edge_holds<const SECOND: u32>(
    noise: &impl Draws,
    wide: &Wide<u64, SECOND>,
    fields: &Fields<'_, SECOND>,
    bucket: u64,
    offset: u64,
) -> Option<bool> {
    let x = NonNegative::new(fields.exponent(bucket, offset)).ok()?;
    let below = wide.offset() + 1 - SECOND;
    let certain =
        usize::try_from(bucket).ok().and_then(|bucket| wide.sure().get(bucket)).copied().unwrap_or(0) >> below;
    let (u, looks) = fields.ways(bucket).into_iter().next()?;
    // A negative zero is rejected whatever V is.
    let negative = u64::from(offset % 2 == 1);
    let magnitude = (BigInt::from(bucket) << wide.offset()) + offset;
    let accepted = if negative == 1 { -magnitude } else { magnitude };
    let (next, rejected) = fields.next(bucket)?;
    let holds = [1, 2].into_iter().all(|words: u32| {
        let length = wide.squeeze() + 64 * words;
        let bounds = exp_neg(&x, length + 16);
        let scaled = |bound: Rational| (bound.numer().magnitude() << length) / bound.denom().magnitude();
        let (least, most) = (scaled(bounds.lower()), scaled(bounds.upper()));
        let whole = BigUint::one() << length;
        // Nothing if V is not among the first `length` digits of [0, 1), or if these do not decide.
        let says = |v: &BigUint| {
            let first = u64::try_from(&(v >> (64 * words))).ok().filter(|_| *v < whole)?;
            let mut tape = fields.words(u, first, offset, negative);
            tape.extend(&looks);
            // Below the squeeze, no more of V is drawn.
            let rest = (0..words).rev().filter(|_| first >= certain);
            tape.extend(rest.filter_map(|index| u64::try_from(&((v >> (64 * index)) & BigUint::from(u64::MAX))).ok()));
            tape.extend(&next);
            match noise.one(&mut Words::new(tape)).ok()?.to_big() {
                drawn if drawn == accepted => Some(true),
                drawn if drawn == rejected => Some(false),
                _ => None,
            }
        };
        let near = BigUint::one() << if words == 1 { length - SERIES } else { ENCLOSURE };
        let down = |by: &BigUint| if least > *by { Some(&least - by) } else { None };
        // Never wrongly, next to the edge; and decided, a little away from it, unless the squeeze ends there.
        let right =
            down(&BigUint::one()).is_none_or(|v| says(&v) != Some(false)) && says(&(&most + 1u32)) != Some(true);
        let decided = down(&near).is_none_or(|v| says(&v) == Some(true))
            && (&most + &near >= whole || says(&(&most + &near)) == Some(false));
        right && decided && (certain <= u64::try_from(&(&most >> (64 * words))).unwrap_or(u64::MAX))
    });
    Some(holds)
}
