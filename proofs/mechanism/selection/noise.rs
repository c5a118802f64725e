//! Thresholds: a noisy number passes from the threshold on, the threshold itself included.

use super::*;

/// query + noise passes iff it is at least the threshold: one more or one less of either moves the edge by one.
fn passes_from_the_threshold_on(reaches: impl Fn(&i64, &i64) -> bool, query: i32, noise: i32, threshold: i32) {
    let (query, noise, threshold) = (i64::from(query), i64::from(noise), i64::from(threshold));
    let passes = reaches(&(query + noise), &threshold);
    // Said of the noise: it passes iff it is at least threshold − query.
    assert!(passes == (noise >= threshold - query));
}

/// Planted: above the threshold.
#[cfg(any(test, certus_controls))]
fn passes_above(noisy: &i64, threshold: &i64) -> bool {
    noisy > threshold
}

#[cfg(kani)]
mod harnesses {
    use super::*;

    /// ∀ queries, noises and thresholds of 32 bits, on words: `≥`, not `>`.
    #[kani::proof]
    #[kani::solver(minisat)]
    fn verify_reaches() {
        let (query, noise, threshold): (i32, i32, i32) = (kani::any(), kani::any(), kani::any());
        passes_from_the_threshold_on(reaches, query, noise, threshold);
        kani::cover!(query == 3 && noise == -1 && threshold == 2, "exactly at the threshold");
        kani::cover!(query == 3 && noise == -2 && threshold == 2, "one below");
    }

    #[cfg(certus_controls)]
    #[kani::proof]
    #[kani::solver(minisat)]
    fn refute_reaches_above() {
        passes_from_the_threshold_on(passes_above, kani::any(), kani::any(), kani::any());
    }
}

#[cfg(test)]
mod properties {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn small_numbers_exhaustively() {
        for query in -12..=12 {
            for noise in -12..=12 {
                for threshold in -25..=25 {
                    passes_from_the_threshold_on(reaches, query, noise, threshold);
                }
            }
        }
    }

    #[test]
    #[should_panic(expected = "assertion")]
    fn a_planted_bug_is_seen() {
        passes_from_the_threshold_on(passes_above, 3, -1, 2);
    }

    proptest! {
        #[test]
        fn words(query: i32, noise: i32, threshold: i32) {
            passes_from_the_threshold_on(reaches, query, noise, threshold);
            let edge = query.saturating_add(noise);
            for near in [edge.saturating_sub(1), edge, edge.saturating_add(1)] {
                passes_from_the_threshold_on(reaches, query, noise, near);
                // What ships is on integers of any size.
                let of = |number: i32| Integer::from(i64::from(number));
                let passes = i64::from(query) + i64::from(noise) >= i64::from(near);
                prop_assert_eq!(super::reaches(&of(query).add(&of(noise)), &of(near)), passes);
            }
        }
    }
}
