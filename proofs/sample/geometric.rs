//! Geometric noise: k = u + t·v is a bijection, and nothing that fits is lost.
#![allow(clippy::panic, reason = "proofs and tests")]

use super::*;

/// u + t·v, exactly, and nothing iff the width does not hold it.
fn joins_exactly(join: impl Fn(&u8, &u8, u64) -> Option<u64>, u: u8, t: u8, v: u64) {
    let joined = join(&u, &t, v);
    match u8::try_from(v) {
        Ok(v) => {
            let exact = u16::from(u) + u16::from(t) * u16::from(v);
            assert!(joined == (exact <= 255).then_some(exact.into()));
        }
        Err(_) => assert!(joined.is_none()),
    }
}

/// The same at 16 bits.
fn joins_exactly_u16(u: u16, t: u16, v: u16) {
    let exact = t.checked_mul(v).and_then(|product| u32::from(product).checked_add(u.into()));
    let exact = exact.filter(|&exact| exact < 1 << 16);
    assert!(join_within(&u, &t, v.into()) == exact.map(u64::from));
}

/// Division and remainder split what was joined, so that every k ≥ 0 has one pair with u < t.
fn splits_again(u: u8, t: u8, v: u8) {
    if let Some(k) = join_within(&u, &t, v.into()) {
        let Ok(k) = u8::try_from(k) else { panic!("it fits") };
        assert!((k / t, k % t) == (v, u));
    }
}

/// t = ⌈scale⌉ ≥ 1, and every u below t has an exponent u·denominator below the numerator, so that it fits and is below 1; v's coin is
/// e^-(t·denominator/numerator), with t·denominator ≥ numerator. Refused exactly where t·denominator does not fit.
fn has_its_parameters(numerator: u8, denominator: u8, u: u8) {
    let t = numerator.div_ceil(denominator);
    match Kernel::at(numerator, denominator) {
        Some(kernel) => {
            assert_eq!((kernel.numerator, kernel.denominator, kernel.t), (numerator, denominator, t));
            assert_eq!(kernel.u, uniform::Kernel::new(t));
            assert_eq!(kernel.v, Count(bernoulli_exp::Kernel::new(&(t * denominator), numerator)));
            assert!(t >= 1 && u16::from(t) * u16::from(denominator) >= u16::from(numerator));
            if u < t {
                assert!(u.checked_mul(denominator).is_some_and(|exponent| exponent < numerator));
            }
        }
        None => assert!(u16::from(t) * u16::from(denominator) > 255),
    }
}

/// Planted: wraps where it does not fit.
#[cfg(any(test, certus_controls))]
fn wrapping(u: &u8, t: &u8, v: u64) -> Option<u64> {
    Some(u.wrapping_add(t.wrapping_mul(u8::try_from(v).ok()?)).into())
}

#[cfg(kani)]
mod harnesses {
    use super::*;

    /// ∀ u, t of 8 bits and v of 64.
    #[kani::proof]
    #[kani::solver(kissat)]
    fn verify_join_u8() {
        let (u, t, v): (u8, u8, u64) = (kani::any(), kani::any(), kani::any());
        joins_exactly(join_within, u, t, v);
        kani::cover!(join_within(&u, &t, v) == Some(255), "the last that fits");
        kani::cover!(v <= 255 && join_within(&u, &t, v).is_none(), "past the width");
    }

    /// ∀ u, t and v of 16 bits.
    #[kani::proof]
    #[kani::solver(kissat)]
    fn verify_join_u16() {
        joins_exactly_u16(kani::any(), kani::any(), kani::any());
    }

    /// ∀ u < t and v of 8 bits.
    #[kani::proof]
    #[kani::solver(kissat)]
    fn verify_join_bijection_u8() {
        let (u, t, v): (u8, u8, u8) = (kani::any(), kani::any(), kani::any());
        kani::assume(u < t);
        splits_again(u, t, v);
        kani::cover!(t == 7 && u == 6 && v == 30, "a pair");
    }

    /// ∀ scales > 0 with a numerator of 8 bits and a denominator of 3, and u. Slow.
    #[kani::proof]
    #[kani::solver(kissat)]
    fn verify_geometric_parameters_u8() {
        let (numerator, denominator, u): (u8, u8, u8) = (kani::any(), kani::any(), kani::any());
        kani::assume(numerator > 0 && 0 < denominator && denominator < 8);
        has_its_parameters(numerator, denominator, u);
        kani::cover!(numerator == 255 && denominator == 7, "past the width");
        kani::cover!(numerator == 5 && denominator == 2, "5/2");
    }

    #[cfg(certus_controls)]
    #[kani::proof]
    #[kani::solver(kissat)]
    fn refute_join_wrapping() {
        joins_exactly(wrapping, kani::any(), kani::any(), kani::any());
    }
}

#[cfg(test)]
mod properties {
    use super::*;
    use proptest::prelude::*;

    /// Where the word is left, the parameters are those that the same scale has on big integers: t, and v's coin of e^-(t·denominator/numerator).
    #[test]
    fn a_scale_past_a_word_has_its_parameters() {
        let past = (BigUint::from(u64::MAX) + 1u32) * 5u32 + 3u32;
        for (numerator, denominator) in
            [(past.clone(), 7u32.into()), (u64::MAX.into(), 2u32.into()), (7u32.into(), past)]
        {
            let Width::Big(kernel) = kernel(&numerator, &denominator) else { panic!("past a word") };
            assert_eq!(Some(kernel), Kernel::<BigUint>::at(numerator, denominator));
        }
    }

    #[test]
    fn bytes_exhaustively() {
        for t in 0..=u8::MAX {
            for u in 0..=u8::MAX {
                for v in 0..=u8::MAX {
                    joins_exactly(join_within, u, t, v.into());
                    if u < t {
                        splits_again(u, t, v);
                    }
                }
                joins_exactly(join_within, u, t, 256);
                joins_exactly(join_within, u, t, u64::MAX);
            }
        }
    }

    #[test]
    fn scales_exhaustively() {
        for numerator in 1..=u8::MAX {
            for denominator in 1..=u8::MAX {
                for u in 0..=numerator.div_ceil(denominator) {
                    has_its_parameters(numerator, denominator, u);
                }
            }
        }
    }

    #[test]
    #[should_panic(expected = "assertion")]
    fn a_planted_bug_is_seen() {
        joins_exactly(wrapping, 250, 3, 2);
    }

    proptest! {
        #[test]
        fn sixteen_bits(u: u16, t: u16, v: u16, narrow in 0u32..16) {
            joins_exactly_u16(u, t >> narrow, v >> (15 - narrow));
        }
    }
}
