//! Bernoulli(e^-x): each toss has the right rational, and the parity of the first that fails decides.
#![allow(clippy::panic, reason = "proofs and tests")]

use super::*;
use crate::symbolic::{Answers, Refusal};

/// The k-th coin is numerator/(denominator·k), and there is none iff the width does not hold it.
fn is_the_kth_coin(
    coin: impl Fn(&Unit<u8>, u64) -> Option<bernoulli::Kernel<u8>>,
    numerator: u8,
    denominator: u8,
    k: u64,
) {
    let coin = coin(&Unit { numerator, denominator }, k);
    match u8::try_from(k) {
        Ok(k) => {
            let exact = u16::from(denominator) * u16::from(k);
            match coin {
                Some(coin) => assert!(coin.numerator == numerator && u16::from(coin.denominator) == exact),
                None => assert!(exact > 255),
            }
        }
        Err(_) => assert!(coin.is_none()),
    }
}

/// One toss, of x = n/1 at k: true goes on to k + 1, false ends with the parity of k; a failure ends without an answer. After k = 2^64 − 1
/// the count does not wrap.
fn tosses_one_coin(numerator: u64, k: u64, toss: Option<bool>) {
    let unit = Unit { numerator, denominator: 1u64 };
    let mut on = Answers::<bernoulli::Kernel<u64>>::none();
    on.output = toss;
    let outcome = unit.step(k, &mut on);
    assert!(on.calls == 1 && on.drawn == 0);
    assert!(on.called == Some(bernoulli::Kernel { numerator, denominator: k }));
    match toss {
        None => assert!(outcome == Err(Refusal::Call)),
        Some(false) => assert!(outcome == Ok(ControlFlow::Break(k & 1 == 1))),
        Some(true) if k == u64::MAX => assert!(outcome == Err(Refusal::Overflow)),
        Some(true) => assert!(outcome == Ok(ControlFlow::Continue(k + 1))),
    }
}

/// x = whole + fraction, the fraction below 1.
fn splits_into_whole_and_fraction(numerator: u8, denominator: u8) {
    let kernel = Kernel::new(&numerator, denominator);
    let (whole, rest) = (u16::from(kernel.whole), u16::from(kernel.fraction.numerator));
    assert_eq!(kernel.fraction.denominator, denominator);
    assert!(rest < denominator.into());
    assert_eq!(whole * u16::from(denominator) + rest, u16::from(numerator));
}

/// While there are whole parts, one coin of e^-1 each: false ends with false, true leaves one fewer. Then the coin of the fraction decides.
fn tosses_whole_parts_first(fraction: &Unit<u64>, whole: u64, toss: bool) {
    let kernel = Kernel { whole, fraction: fraction.clone() };
    let mut on = Answers::<Unit<u64>>::output(toss);
    let outcome = kernel.step(whole, &mut on);
    assert!(on.calls == 1 && on.drawn == 0);
    let asked = if whole > 0 { Unit { numerator: 1, denominator: 1 } } else { fraction.clone() };
    assert!(on.called == Some(asked));
    let expected = if whole > 0 && toss { ControlFlow::Continue(whole - 1) } else { ControlFlow::Break(toss) };
    assert!(outcome == Ok(expected));
}

/// Planted: the denominator saturates.
#[cfg(any(test, certus_controls))]
fn saturating(unit: &Unit<u8>, k: u64) -> Option<bernoulli::Kernel<u8>> {
    let denominator = unit.denominator.saturating_mul(u8::try_from(k).ok()?);
    Some(bernoulli::Kernel { numerator: unit.numerator, denominator })
}

#[cfg(kani)]
mod harnesses {
    use super::*;

    /// ∀ x of 8 bits and k of 64.
    #[kani::proof]
    #[kani::solver(kissat)]
    fn verify_bernoulli_exp_coin_u8() {
        let (numerator, denominator, k): (u8, u8, u64) = (kani::any(), kani::any(), kani::any());
        is_the_kth_coin(Unit::coin, numerator, denominator, k);
        kani::cover!(k == 3 && denominator == 85, "the last that fits");
    }

    /// ∀ x = n of 64 bits, k and tosses, a failing one included. (A denominator of 1: the coin's own is verified above.) Slow.
    #[kani::proof]
    #[kani::unwind(2)] // no big integer is met
    #[kani::solver(minisat)]
    #[kani::stub(Unit::coin, over_one)]
    fn verify_bernoulli_exp_step() {
        let (numerator, k): (u64, u64) = (kani::any(), kani::any());
        tosses_one_coin(numerator, k, kani::any());
        kani::cover!(k == u64::MAX, "the last count");
    }

    /// What `coin` is at a denominator of 1, without its multiplication.
    fn over_one<N: Natural>(unit: &Unit<N>, k: u64) -> Option<bernoulli::Kernel<N>> {
        Some(bernoulli::Kernel { numerator: unit.numerator.clone(), denominator: N::from_word(k)? })
    }

    /// ∀ x of 8 bits. Slow.
    #[kani::proof]
    #[kani::solver(kissat)]
    fn verify_bernoulli_exp_split_u8() {
        let (numerator, denominator): (u8, u8) = (kani::any(), kani::any());
        kani::assume(denominator > 0);
        splits_into_whole_and_fraction(numerator, denominator);
        kani::cover!(numerator == 17 && denominator == 5, "17/5");
    }

    /// ∀ whole parts of 64 bits, fractions and tosses.
    #[kani::proof]
    #[kani::solver(minisat)]
    fn verify_bernoulli_exp_whole() {
        let fraction = Unit { numerator: kani::any(), denominator: kani::any() };
        tosses_whole_parts_first(&fraction, kani::any(), kani::any());
    }

    #[cfg(certus_controls)]
    #[kani::proof]
    #[kani::solver(kissat)]
    fn refute_bernoulli_exp_saturating() {
        is_the_kth_coin(saturating, kani::any(), kani::any(), kani::any());
    }
}

#[cfg(test)]
mod properties {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn bytes_exhaustively() {
        for denominator in 1..=u8::MAX {
            for k in (1..=300).chain([u64::MAX]) {
                for numerator in [0, 1, denominator] {
                    is_the_kth_coin(Unit::coin, numerator, denominator, k);
                }
            }
            for numerator in 0..=u8::MAX {
                splits_into_whole_and_fraction(numerator, denominator);
            }
        }
        for (k, toss) in [1, 2, 3, 254, 255, u64::MAX]
            .into_iter()
            .flat_map(|k| [None, Some(false), Some(true)].map(|toss| (k, toss)))
        {
            tosses_one_coin(1, k, toss);
        }
    }

    #[test]
    #[should_panic(expected = "assertion")]
    fn a_planted_bug_is_seen() {
        is_the_kth_coin(saturating, 1, 100, 3);
    }

    proptest! {
        #[test]
        fn words(a: u64, b in 1u64.., k in 1u64.., toss: bool) {
            tosses_one_coin(a, k, Some(toss));
            tosses_whole_parts_first(&Unit { numerator: a.min(b), denominator: b }, k, toss);
            tosses_whole_parts_first(&Unit { numerator: a.min(b), denominator: b }, 0, toss);
        }
    }
}
