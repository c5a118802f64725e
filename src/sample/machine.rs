//! The machine words that the samplers' integer cores assemble their outputs on: those of `certus-kernel`.

use crate::exact::Integer;

pub use certus_kernel::machine::{MOST_BATCH, Machine, Short, ShortSigned, SignedMachine};

/// The integer as a signed machine word, if it fits.
#[inline]
pub fn of_integer<S: SignedMachine>(integer: &Integer) -> Option<S> {
    integer.to_i64().and_then(S::of_word)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every pair of words of four bits, beside arithmetic on i64, and the same at the ends of 64 bits.
    #[test]
    fn words_are_cut_and_signed() {
        fn check<W: Machine>(words: &[u64]) {
            let modulus = 1u128 << W::BITS;
            for &a in words {
                for &b in words {
                    let (x, y) = (W::cut(a), W::cut(b));
                    let low = |number: u128| u64::try_from(number % modulus).unwrap();
                    assert_eq!(x.times(y).into(), low(u128::from(a) * u128::from(b)));
                    assert_eq!((x.and(y).into(), x.or(y).into()), (a & b, a | b));
                    assert_eq!(W::of_first_bits(x.aligned()), x);
                    let half = modulus / 2;
                    let magnitude = u128::from(a) % half;
                    let expected = i128::try_from(magnitude).unwrap() * if b & 1 == 1 { -1 } else { 1 };
                    let signed = W::cut(low(magnitude)).signed(y);
                    assert_eq!(i128::from(signed.into()), expected);
                    let (sum, is_clamped) = signed.clamped_add(y.cast_signed());
                    let exact = expected + i128::from(y.cast_signed().into());
                    let (least, most): (i64, i64) = (W::Signed::MIN.into(), W::Signed::MAX.into());
                    let clamped = exact.clamp(least.into(), most.into());
                    assert_eq!((i128::from(sum.into()), is_clamped), (clamped, clamped != exact));
                }
                assert_eq!(W::of_double(a.into()), Some(W::cut(a)));
                assert_eq!(W::of_double(u128::from(a) + modulus), None);
                let signed = W::cut(a).cast_signed();
                assert_eq!(of_integer::<W::Signed>(&Integer::from(signed.into())), Some(signed));
            }
            let past = |word: W::Signed, by: i128| {
                let integer: num_bigint::BigInt = (i128::from(word.into()) + by).into();
                of_integer::<W::Signed>(&integer.into())
            };
            assert_eq!((past(W::Signed::MAX, 1), past(W::Signed::MIN, -1)), (None, None));
            assert_eq!(
                (past(W::Signed::MAX, 0), past(W::Signed::MIN, 0)),
                (Some(W::Signed::MAX), Some(W::Signed::MIN))
            );
        }
        let all: alloc::vec::Vec<u64> = (0..16).collect();
        check::<Short<4>>(&all);
        check::<u64>(&[0, 1, 2, 3, 1 << 62, (1 << 63) - 1, 1 << 63, (1 << 63) + 1, u64::MAX - 1, u64::MAX]);
    }
}
