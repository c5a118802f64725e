//! A weighted choice: the proposal falls in the share that it should, and is accepted by that alternative's own coin.
#![allow(clippy::panic, clippy::indexing_slicing, reason = "proofs and tests")]

use super::*;
use crate::symbolic::Outputs;

/// How many alternatives the symbolic choices have.
const ALTERNATIVES: usize = 8;

/// Not decreasing, and at least one share is not empty.
fn is_valid(cumulative: &[u8]) -> bool {
    let mut valid = true;
    for pair in cumulative.windows(2) {
        valid &= pair[0] <= pair[1];
    }
    valid && cumulative.last() > Some(&0)
}

/// u < Σc falls in [previous, cumulative) of what is found, which is therefore there, and whose share is not empty. The shares are disjoint, so that an
/// alternative is proposed by exactly as many u as its factor says.
fn falls_in_its_share(share: impl Fn(&[u8], &u8) -> usize, cumulative: &[u8; ALTERNATIVES], u: u8) {
    assert!(is_valid(cumulative) && u < cumulative[ALTERNATIVES - 1]);
    let index = share(cumulative, &u);
    assert!(index < ALTERNATIVES);
    assert!(u < cumulative[index]);
    assert!(index == 0 || cumulative[index - 1] <= u);
}

/// A trial that proposes u ends with u's alternative iff the coin of that alternative says so, and starts again if not; nothing else is called.
fn accepts_by_its_own_coin(cumulative: [u8; 3], exponents: [u8; 3], u: u8, accepts: bool) {
    let kernel = Kernel::<u8> {
        proposal: uniform::Kernel::new(cumulative[2]),
        cumulative: Arc::new(cumulative),
        accept: Arc::new([of(exponents[0]), of(exponents[1]), of(exponents[2])]),
    };
    let index = share(&cumulative, &u);
    let mut on = Outputs::<_, _, bernoulli_exp::Kernel<u8>>::new(u, accepts);
    let outcome = kernel.step((), &mut on);
    assert!(on.calls == 2 && on.drawn == 0);
    assert!(on.called == Some(of(exponents[index])));
    let expected = if accepts { ControlFlow::Break(index) } else { ControlFlow::Continue(()) };
    assert!(outcome == Ok(expected));
}

/// The coin of e^-x.
fn of(x: u8) -> bernoulli_exp::Kernel<u8> {
    bernoulli_exp::Kernel::new(&x, 1)
}

/// Planted: the last u of a share is taken for the next one's.
#[cfg(any(test, certus_controls))]
fn shifted(cumulative: &[u8], u: &u8) -> usize {
    cumulative.partition_point(|end| *end <= u.saturating_add(1))
}

#[cfg(kani)]
mod harnesses {
    use super::*;

    fn any_choice() -> ([u8; ALTERNATIVES], u8) {
        let (cumulative, u): ([u8; ALTERNATIVES], u8) = (kani::any(), kani::any());
        kani::assume(is_valid(&cumulative) && u < cumulative[ALTERNATIVES - 1]);
        (cumulative, u)
    }

    /// ∀ weights of 8 alternatives with a sum of 8 bits, zeros included, ∀ proposals.
    #[kani::proof]
    #[kani::unwind(9)] // 8 alternatives
    #[kani::solver(minisat)]
    fn verify_choice_share() {
        let (cumulative, u) = any_choice();
        falls_in_its_share(share, &cumulative, u);
        kani::cover!(cumulative[3] == cumulative[4] && cumulative[3] == u, "past an alternative of weight 0");
    }

    /// ∀ weights of 3 alternatives, whole exponents, proposals and tosses of 8 bits. Slow.
    #[kani::proof]
    #[kani::unwind(4)] // 3 alternatives
    #[kani::solver(minisat)]
    fn verify_choice_step() {
        let (cumulative, exponents): ([u8; 3], [u8; 3]) = (kani::any(), kani::any());
        let (u, accepts): (u8, bool) = (kani::any(), kani::any());
        kani::assume(is_valid(&cumulative) && u < cumulative[2]);
        accepts_by_its_own_coin(cumulative, exponents, u, accepts);
        kani::cover!(cumulative == [3, 3, 7] && u == 3 && accepts, "past an alternative of weight 0");
    }

    #[cfg(certus_controls)]
    #[kani::proof]
    #[kani::unwind(9)]
    #[kani::solver(minisat)]
    fn refute_choice_share_shifted() {
        let (cumulative, u) = any_choice();
        falls_in_its_share(shifted, &cumulative, u);
    }
}

#[cfg(test)]
mod properties {
    use super::*;
    use proptest::prelude::*;

    /// Every u of a choice, counted: as many as each factor.
    fn counts(factors: [u8; ALTERNATIVES]) {
        let mut cumulative = [0; ALTERNATIVES];
        let mut total = 0u8;
        for (end, factor) in cumulative.iter_mut().zip(factors) {
            total += factor;
            *end = total;
        }
        let mut found = [0; ALTERNATIVES];
        for u in 0..total {
            falls_in_its_share(share, &cumulative, u);
            found[share(&cumulative, &u)] += 1;
        }
        assert_eq!(found, factors);
    }

    #[test]
    fn small_factors_exhaustively() {
        for number in 1..1u32 << (2 * ALTERNATIVES) {
            let factor = |i| u8::try_from(number >> (2 * i) & 3).unwrap();
            counts(core::array::from_fn(factor));
        }
    }

    #[test]
    #[should_panic(expected = "assertion")]
    fn a_planted_bug_is_seen() {
        falls_in_its_share(shifted, &[1, 2, 3, 4, 5, 6, 7, 8], 3);
    }

    proptest! {
        #[test]
        fn factors(factors in proptest::array::uniform8(0u8..=31)) {
            if factors != [0; ALTERNATIVES] {
                counts(factors);
            }
        }

        #[test]
        fn coins(factors: [u8; 3], exponents: [u8; 3], u: u8, accepts: bool) {
            let a = factors[0] / 3;
            let b = a + factors[1] / 3;
            let cumulative = [a, b, b + factors[2] / 3 + 1];
            accepts_by_its_own_coin(cumulative, exponents, u % cumulative[2], accepts);
        }
    }
}
