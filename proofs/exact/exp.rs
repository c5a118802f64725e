//! The exponential's series: the inductive step by which a true term exceeds the computed one by less than two ulps.

use super::*;

/// If a true term is in [T, T + 2) ulps, here T + excess/16, then for t ≤ ½ and k ≥ 2 the next is in [T′, T′ + 2): multiplied by
/// 16·2^working·k, T′·… ≤ (16·T + excess)·t < (T′ + 2)·….
fn next_term_is_within_two(
    next: impl Fn(u32, &u32, u32, u32) -> u32,
    term: u8,
    excess: u8,
    t: u8,
    working: u32,
    k: u8,
) {
    let [term, excess, t, k] = [term, excess, t, k].map(u32::from);
    let unit = (16 << working) * k;
    let truth = (16 * term + excess) * t;
    let computed = next(term, &t, working, k);
    assert!(computed * unit <= truth && truth < (computed + 2) * unit);
}

/// Planted: rounds up.
#[cfg(any(test, certus_controls))]
fn rounding_up(term: u32, t: &u32, working: u32, k: u32) -> u32 {
    (term * t).div_ceil(k << working)
}

#[cfg(kani)]
mod harnesses {
    use super::*;

    /// ∀ terms of up to 2^6 ulps at 6 bits, true terms within two ulps in sixteenths, t ≤ ½, k from 2 to 15. Slow.
    #[kani::proof]
    #[kani::solver(kissat)]
    fn verify_next_term() {
        let (term, excess, t, k): (u8, u8, u8, u8) = (kani::any(), kani::any(), kani::any(), kani::any());
        kani::assume(term <= 64 && excess < 32 && t <= 32 && 2 <= k && k <= 15);
        next_term_is_within_two(next_term, term, excess, t, 6, k);
        kani::cover!(term == 0 && excess == 31 && t == 32, "nothing but slack");
    }

    #[cfg(certus_controls)]
    #[kani::proof]
    #[kani::solver(kissat)]
    fn refute_next_term_rounding_up() {
        let (term, excess, t, k): (u8, u8, u8, u8) = (kani::any(), kani::any(), kani::any(), kani::any());
        kani::assume(term <= 64 && excess < 32 && t <= 32 && 2 <= k && k <= 15);
        next_term_is_within_two(rounding_up, term, excess, t, 6, k);
    }
}

#[cfg(test)]
mod properties {
    use super::*;

    #[test]
    fn six_bits_exhaustively() {
        for term in 0..=64 {
            for excess in 0..32 {
                for t in 0..=32 {
                    for k in 2..=15 {
                        next_term_is_within_two(next_term, term, excess, t, 6, k);
                    }
                }
            }
        }
    }

    #[test]
    #[should_panic(expected = "assertion")]
    fn a_planted_bug_is_seen() {
        next_term_is_within_two(rounding_up, 1, 0, 1, 6, 2);
    }
}
