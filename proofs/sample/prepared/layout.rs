//! The bits of a wide trial and the integer that they write: a bijection, with zero written once.
#![allow(clippy::panic, clippy::indexing_slicing, clippy::cast_possible_truncation, reason = "proofs and tests")]

use super::*;

/// The offsets that ship in a word, and in a word and a quarter.
const IN_A_WORD: core::ops::RangeInclusive<u32> = 3..=36;
const IN_MORE: core::ops::RangeInclusive<u32> = 37..=55;

/// Invariant #1 of [`Wide`](super::super::wide::Wide), on words of `bits` bits and a second part of `second`.
fn is_valid(layout: Layout, bits: u32, second: u32) -> bool {
    layout.prefix >= 2
        && layout.squeeze >= 1
        && layout.prefix + layout.squeeze + layout.offset + 1 == bits + second
        && second <= layout.offset
        && layout.offset <= bits - 2
}

/// What is shared out is all of the bits, with no fewer than 16 for the bucket and 8 for v.
fn shares_all(layout: Layout, bits: u32, second: u32, offset: u32) {
    assert!(is_valid(layout, bits, second) && layout.offset == offset);
    assert!(layout.prefix >= 16 && layout.prefix <= 30 && layout.squeeze >= 8 && layout.squeeze <= 30);
}

/// The bits of both words, put together again from the parts: none is lost, and none used twice.
fn parts_are_the_words<W: Machine>(layout: Layout, second: u32, first: W, part: W) {
    let (first_bits, part_bits): (u64, u64) = (first.into(), part.into());
    let v: u64 = layout.v(second, first).into();
    let both: u64 = layout.offset_and_sign(second, first, part).into();
    let below = layout.below(second);
    let bucket = first.aligned() >> (64 - layout.prefix);
    assert!(bucket << (W::BITS - layout.prefix) | v | both >> second == first_bits);
    assert!(both & ((1 << second) - 1) == part_bits);
    // Each part is as long as it should be.
    assert!(bucket >> layout.prefix == 0 && (v >> below) >> layout.squeeze == 0 && (v >> below) << below == v);
    assert!(both >> layout.offset >> 1 == 0);
}

/// v is below what `among` says of a count if it is among the first so many values.
fn v_is_compared<W: Machine>(layout: Layout, second: u32, first: W, count: u64) {
    let v: u64 = layout.v(second, first).into();
    let is_among = layout.v(second, first) < layout.among(second, count);
    assert!(is_among == (v >> layout.below(second) < count));
}

/// The words that write a magnitude and a sign: the bucket, and 2o + sign.
fn writing(layout: Layout, magnitude: u128, is_negative: bool) -> (u64, u64) {
    let offset = magnitude & ((1 << layout.offset) - 1);
    ((magnitude >> layout.offset) as u64, (offset as u64) << 1 | u64::from(is_negative))
}

/// What writes, written: nothing for a negative zero; otherwise a number from which what wrote it can be told, and which `at_once`
/// says too where it says one.
fn writes_once<W: Machine>(
    written: impl Fn(Layout, u64, W) -> Option<(u128, bool)>,
    layout: Layout,
    bucket: u64,
    both: W,
) {
    let both_bits: u64 = both.into();
    match written(layout, bucket, both) {
        None => assert!(bucket == 0 && both_bits == 1),
        Some((magnitude, is_negative)) => {
            assert!(bucket != 0 || both_bits != 1);
            assert!(writing(layout, magnitude, is_negative) == (bucket, both_bits));
        }
    }
}

/// Every number is written, but a negative zero.
fn is_written<W: Machine>(layout: Layout, magnitude: u128, is_negative: bool) {
    let (bucket, both) = writing(layout, magnitude, is_negative);
    let expected = if magnitude == 0 && is_negative { None } else { Some((magnitude, is_negative)) };
    assert!(layout.written(bucket, W::cut(both)) == expected);
}

/// At once is what is written, or nothing: nothing for either zero, and nothing that v does not accept.
fn at_once_is_written<W: Machine>(
    at_once: impl Fn(u64, W, W, bool) -> Option<W::Signed>,
    layout: Layout,
    bucket: u64,
    both: W,
    accepts: bool,
) {
    let Some(number) = at_once(bucket, layout.places(), both, accepts) else {
        let both: u64 = both.into();
        assert!(!accepts || (bucket == 0 && both < 2));
        return;
    };
    let number: i64 = number.into();
    assert!(accepts && number != 0);
    assert!(layout.written(bucket, both) == Some((number.unsigned_abs().into(), number < 0)));
}

/// Planted: the offset is dropped past 2^64.
#[cfg(any(test, certus_controls))]
fn without_offset(layout: Layout, bucket: u64, both: u64) -> Option<(u128, bool)> {
    let (magnitude, is_negative) = layout.written(bucket, both)?;
    Some((if magnitude >> 64 == 0 { magnitude } else { u128::from(bucket) << layout.offset }, is_negative))
}

/// Planted: a negative zero is kept.
#[cfg(any(test, certus_controls))]
fn with_negative_zero(layout: Layout, bucket: u64, both: u64) -> Option<(u128, bool)> {
    layout.written(bucket, both).or(Some((0, true)))
}

/// Planted: zero is settled, of either sign.
#[cfg(any(test, certus_controls))]
fn zero_at_once(bucket: u64, places: u64, both: u64, accepts: bool) -> Option<i64> {
    let both = bucket.wrapping_mul(places) | both;
    (accepts && both > 0).then(|| (both >> 1).signed(both))
}

#[cfg(kani)]
mod harnesses {
    use super::*;

    /// One of the layouts that ship, and the bits of its second part.
    fn any_shipped() -> (Layout, u32) {
        let offset: u32 = kani::any();
        kani::assume(IN_A_WORD.contains(&offset) || IN_MORE.contains(&offset));
        if offset <= 36 { (Layout::share(64, offset), 0) } else { (Layout::share(80, offset), 16) }
    }

    /// A word of the second part's bits.
    fn any_part(second: u32) -> u64 {
        let part: u64 = kani::any();
        kani::assume(part >> second == 0);
        part
    }

    /// 2o + sign of an offset below 2^`offset`.
    fn any_both(layout: Layout) -> u64 {
        any_part(layout.offset + 1)
    }

    /// ∀ offsets that ship: the layouts.
    #[kani::proof]
    #[kani::solver(minisat)]
    fn verify_layout() {
        let offset: u32 = kani::any();
        if IN_A_WORD.contains(&offset) {
            shares_all(Layout::share(64, offset), 64, 0, offset);
        }
        if IN_MORE.contains(&offset) {
            shares_all(Layout::share(80, offset), 80 - 16, 16, offset);
        }
        kani::cover!(offset == 55, "the last");
    }

    /// ∀ layouts that ship and words of 64 bits: the parts are a partition of the bits.
    #[kani::proof]
    #[kani::solver(kissat)]
    fn verify_layout_parts_u64() {
        let (layout, second) = any_shipped();
        let first: u64 = kani::any();
        parts_are_the_words(layout, second, first, any_part(second));
        let count: u64 = kani::any();
        // Not all of them: no squeeze is so sure, since X > 0.
        kani::assume(count < 1 << layout.squeeze);
        v_is_compared(layout, second, first, count);
        kani::cover!(second == 16 && layout.prefix == 16, "the fewest bits for the bucket");
        kani::cover!(second == 0 && layout.offset == 3, "the least offset");
    }

    /// ∀ layouts that ship, buckets of 64 bits, offsets and signs: what is written tells what wrote it.
    #[kani::proof]
    #[kani::solver(kissat)]
    fn verify_written_u64() {
        let (layout, _) = any_shipped();
        let (bucket, both): (u64, u64) = (kani::any(), any_both(layout));
        writes_once(Layout::written, layout, bucket, both);
        kani::cover!(bucket == 0 && both == 1, "a negative zero");
        kani::cover!(bucket == 0 && both == 0, "a zero");
        kani::cover!(bucket == u64::MAX && layout.offset == 55, "the greatest magnitude");
    }

    /// ∀ layouts that ship, magnitudes below 2^(64 + offset) and signs: each is written, but a negative zero.
    #[kani::proof]
    #[kani::solver(kissat)]
    fn verify_written_onto_u64() {
        let (layout, _) = any_shipped();
        let magnitude: u128 = kani::any();
        kani::assume(magnitude >> layout.offset >> 64 == 0);
        is_written::<u64>(layout, magnitude, kani::any());
        kani::cover!(magnitude >> 64 != 0, "past a word");
    }

    /// ∀ near buckets, places and signs, with offsets of 3, 36, 37 and 55 bits: what is settled at once is what is written. Slow.
    #[kani::proof]
    #[kani::solver(kissat)]
    fn verify_at_once_u64() {
        let (bucket, bits, accepts): (u64, u64, bool) = (kani::any(), kani::any(), kani::any());
        // Each is known to the solver, so that the product is a shift. All 53 of them take it too long.
        settled_is_written(3, bucket, bits, accepts);
        settled_is_written(36, bucket, bits, accepts);
        settled_is_written(37, bucket, bits, accepts);
        settled_is_written(55, bucket, bits, accepts);
        kani::cover!(accepts && bucket == 0 && bits & 15 == 1, "a negative zero");
    }

    /// A near bucket, as many as `near` says, and any place of it.
    fn settled_is_written(offset: u32, bucket: u64, bits: u64, accepts: bool) {
        let layout = Layout { prefix: 0, offset, squeeze: 0 };
        let bucket = bucket & (layout.near::<u64>() as u64 - 1);
        at_once_is_written(at_once::<u64>, layout, bucket, bits & ((2 << offset) - 1), accepts);
    }

    #[cfg(certus_controls)]
    #[kani::proof]
    #[kani::solver(kissat)]
    fn refute_written_without_offset() {
        let (layout, _) = any_shipped();
        writes_once(without_offset, layout, kani::any(), any_both(layout));
    }

    #[cfg(certus_controls)]
    #[kani::proof]
    #[kani::solver(kissat)]
    fn refute_written_negative_zero() {
        let (layout, _) = any_shipped();
        writes_once(with_negative_zero, layout, kani::any(), any_both(layout));
    }

    #[cfg(certus_controls)]
    #[kani::proof]
    #[kani::solver(kissat)]
    fn refute_zero_at_once() {
        let layout = Layout::share(64, 3);
        let bucket: u64 = kani::any();
        kani::assume(bucket >> 60 == 0);
        at_once_is_written(zero_at_once, layout, bucket, any_both(layout), true);
    }
}

#[cfg(test)]
mod properties {
    use super::*;
    use crate::sample::machine::Short;
    use proptest::prelude::*;

    /// The layouts that ship, each with the bits of its second part.
    fn shipped() -> impl Iterator<Item = (Layout, u32)> {
        let in_a_word = IN_A_WORD.map(|offset| (Layout::share(64, offset), 0));
        in_a_word.chain(IN_MORE.map(|offset| (Layout::share(80, offset), 16)))
    }

    #[test]
    fn every_layout_that_ships_shares_all() {
        for (layout, second) in shipped() {
            shares_all(layout, 64, second, layout.offset);
        }
    }

    /// Every word of six bits with a second part of none and of one, every bucket of four bits and every offset.
    #[test]
    fn short_words_exhaustively() {
        type W = Short<6>;
        for second in 0..=1 {
            for offset in second..=2 {
                let layout = Layout { prefix: 2, offset, squeeze: 6 + second - 3 - offset };
                assert!(is_valid(layout, 6, second));
                for first in 0..64 {
                    for part in 0..1 << second {
                        parts_are_the_words(layout, second, W::cut(first), W::cut(part));
                    }
                    for count in 0..1 << layout.squeeze {
                        v_is_compared(layout, second, W::cut(first), count);
                    }
                }
                for magnitude in 0..256u128 {
                    for is_negative in [false, true] {
                        let (bucket, both) = writing(layout, magnitude, is_negative);
                        is_written::<W>(layout, magnitude, is_negative);
                        writes_once(Layout::written, layout, bucket, W::cut(both));
                        if bucket < layout.near::<W>() as u64 {
                            at_once_is_written(at_once, layout, bucket, W::cut(both), true);
                            at_once_is_written(at_once, layout, bucket, W::cut(both), false);
                        }
                        let signed = i64::try_from(magnitude).unwrap() * if is_negative { -1 } else { 1 };
                        let integer = integer(layout, bucket, W::cut(both));
                        assert_eq!(integer, (magnitude > 0 || !is_negative).then(|| Integer::from(signed)));
                    }
                }
            }
        }
    }

    #[test]
    #[should_panic(expected = "assertion")]
    fn a_dropped_offset_is_seen() {
        writes_once(without_offset, Layout::share(64, 3), 1 << 62, 2);
    }

    #[test]
    #[should_panic(expected = "assertion")]
    fn a_negative_zero_is_seen() {
        writes_once(with_negative_zero, Layout::share(64, 3), 0, 1);
    }

    #[test]
    #[should_panic(expected = "assertion")]
    fn a_zero_at_once_is_seen() {
        at_once_is_written(zero_at_once, Layout::share(64, 3), 0, 1, true);
    }

    proptest! {
        #[test]
        fn words(first: u64, part: u16, bucket: u64, count: u64, low in 0u32..64, accepts: bool) {
            for (layout, second) in shipped() {
                let part = if second == 0 { 0 } else { part.into() };
                parts_are_the_words(layout, second, first, part);
                v_is_compared(layout, second, first, count & ((1 << layout.squeeze) - 1));
                let both = layout.offset_and_sign(second, first, part);
                let bucket = bucket >> low;
                writes_once(Layout::written, layout, bucket, both);
                let Some((magnitude, is_negative)) = layout.written(bucket, both) else { continue };
                is_written::<u64>(layout, magnitude, is_negative);
                let magnitude = num_bigint::BigInt::from(magnitude);
                let expected = if is_negative { -magnitude } else { magnitude };
                prop_assert_eq!(integer(layout, bucket, both), Some(expected.into()));
                at_once_is_written(at_once, layout, bucket & (layout.near::<u64>() as u64 - 1), both, accepts);
            }
        }
    }
}
