//! Lazy inversion, over *any* table that satisfies the invariants: what is settled is right, and what is ambiguous is refined until it is.
#![allow(clippy::panic, clippy::indexing_slicing, clippy::cast_possible_truncation, reason = "proofs and tests")]

use super::*;
use crate::symbolic::{Answers, Refusal};

/// How many cells the symbolic tables have.
const CELLS: usize = 8;

/// T(0) ≤ T(1) ≤ …, the last being 2^width − 1, and the only such: Invariant #1.
fn is_valid(thresholds: &[u64], width: u32) -> bool {
    let greatest = u64::MAX >> (64 - width);
    let mut valid = true;
    for pair in thresholds.windows(2) {
        valid &= pair[0] <= pair[1] && pair[0] < greatest;
    }
    valid && thresholds.last() == Some(&greatest)
}

/// How many thresholds are below u.
fn below(thresholds: &[u64], u: u64) -> u64 {
    let mut count = 0;
    for &threshold in thresholds {
        count += u64::from(threshold < u);
    }
    count
}

fn has(thresholds: &[u64], u: u64) -> bool {
    let mut has = false;
    for &threshold in thresholds {
        has |= threshold == u;
    }
    has
}

/// The search finds the number of thresholds below u, says «from» exactly where u is one of them, and never goes past the last.
fn search_is_right(found: Found, thresholds: &[u64], u: u64) {
    let cell = below(thresholds, u);
    let expected = if has(thresholds, u) { Found::From(cell) } else { Found::Cell(cell) };
    assert!(found == expected);
    assert!(cell < thresholds.len() as u64);
}

/// What an entry of the guide settles for a word is what the thresholds say, and it settles nothing where u is a threshold.
fn guide_is_right(
    settle: impl Fn(u32, u32) -> Option<u64>,
    thresholds: &[u64; CELLS],
    width: u32,
    steps: u32,
    word: u64,
) {
    let u = word >> (64 - width);
    let complements = thresholds.map(|threshold| complement(threshold, width));
    let Place { index, rest } = place(word, width, steps);
    // Entries past the last octave are not in the guide.
    if index >> steps >= MOST_OCTAVES.min(width) as usize {
        return;
    }
    if let Some(entry) = entry(&complements, index as u64, steps)
        && let Some(cell) = settle(entry, rest)
    {
        assert!(!has(thresholds, u));
        assert!(cell == below(thresholds, u));
    }
}

/// The guide looks at the same entry, and compares the same bits, whichever spelling of the place it is: of a look-up of at least 32 bits by halves, of 11
/// to 32 by the upper half.
fn spellings_are_equal(
    in_halves: impl Fn(u32, u32, u32, u32) -> Place,
    in_upper_half: impl Fn(u32, u32, u32) -> Place,
    word: u64,
    width: u32,
    steps: u32,
) {
    let (upper, lower) = ((word >> 32) as u32, word as u32);
    let expected = place(word, width, steps);
    assert!(width < 32 || in_halves(upper, lower, width, steps) == expected);
    assert!(!(MOST_OCTAVES..=32).contains(&width) || in_upper_half(upper, width, steps) == expected);
}

/// Planted: octaves are counted without their limit.
#[cfg(any(test, certus_controls))]
fn without_a_last_octave(upper: u32, width: u32, steps: u32) -> Place {
    let complement = !upper & (u32::MAX << (32 - width));
    let octave = complement.leading_zeros();
    let normal = complement.checked_shl(octave + 1).unwrap_or(0);
    Place { index: (octave << steps | normal >> (32 - steps)) as usize, rest: normal << steps }
}

/// G(j) for the cells of a proof, in units of 2^-8, and enclosures of it at 4 and at 8 bits; the cell after them is the last: G = 1.
#[derive(Clone, Debug)]
struct Enclosed {
    truth: [u16; 3],
    coarse: [(u8, u8); 3],
    fine: [(u16, u16); 3],
}

impl Enclosed {
    /// G does not fall, and the bounds enclose it.
    fn is_valid(&self) -> bool {
        let [a, b, c] = self.truth;
        let mut valid = a <= b && b <= c && c <= 256;
        let mut j = 0;
        while j < 3 {
            let (truth, coarse, fine) = (self.truth[j], self.coarse[j], self.fine[j]);
            valid &= u16::from(coarse.0) << 4 <= truth && truth <= u16::from(coarse.1) << 4 && coarse.1 <= 16;
            valid &= fine.0 <= truth && truth <= fine.1 && fine.1 <= 256;
            j += 1;
        }
        valid
    }

    fn bounds(&self, cell: u64, length: u32) -> Bounds<u16> {
        let (lower, upper) = match (cell, length) {
            (0..=2, 4) => {
                let (lower, upper) = self.coarse[cell as usize];
                (lower.into(), upper.into())
            }
            (0..=2, _) => self.fine[cell as usize],
            _ => (1 << length, 1 << length),
        };
        Bounds { lower, upper }
    }
}

/// From the first four bits of U on, whatever the enclosures: the answer is the cell of every U that begins with the bits drawn, and more bits
/// are drawn exactly while the enclosure holds U.
fn decides_rightly(
    decide: impl Fn(u16, &Enclosed, &mut Answers<crate::sample::Bernoulli>) -> Result<u64, Refusal>,
    enclosed: &Enclosed,
    u: u8,
) {
    let mut on = Answers::tape(u128::from(u & 15) << 124);
    on.length = 4;
    let answer = decide(u16::from(u >> 4), enclosed, &mut on);
    // U is in [low, high) of 2^-8.
    let (low, high) =
        if on.drawn == 0 { (u16::from(u) & 0xf0, (u16::from(u) & 0xf0) + 16) } else { (u.into(), u16::from(u) + 1) };
    match answer {
        Ok(cell) => {
            let g = |cell: u64| if cell < 3 { enclosed.truth[cell as usize] } else { 256 };
            assert!(high <= g(cell), "U is below G(cell)");
            assert!(cell == 0 || low >= g(cell - 1), "and not below the one before");
        }
        Err(error) => {
            // Two looks did not decide: the enclosure at 8 bits holds U.
            assert!(error == Refusal::Bits && on.drawn == 4);
            let mut open = false;
            let mut j = 0;
            while j < 3 {
                open |= enclosed.fine[j].0 <= low && low < enclosed.fine[j].1;
                j += 1;
            }
            assert!(open);
        }
    }
}

/// The thresholds made of any bounds of a G that does not fall and stays below 1, in units of 2^-8: 4 bits of each G(j), exactly, and Invariant #1; nothing only
/// where a bound does not determine them, or no G(j) is all ones.
fn constructs_its_invariant(
    floors: impl Fn(&[Bounds<u16>], u32, u32) -> Option<Vec<u128>>,
    truth: [u8; 4],
    bounds: [(u16, u16); 4],
) {
    let mut determined = true;
    let mut ends = false;
    for j in 0..4 {
        let (lower, upper) = bounds[j];
        assert!(lower <= truth[j].into() && u16::from(truth[j]) <= upper);
        assert!(j == 0 || truth[j - 1] <= truth[j]);
        determined &= lower >> 4 == upper >> 4 || lower >> 4 >= 15;
        ends |= truth[j] >> 4 == 15;
    }
    let bounds = bounds.map(|(lower, upper)| Bounds { lower, upper });
    let Some(thresholds) = floors(&bounds, 4, 4) else {
        assert!(!determined || !ends);
        return;
    };
    // Invariant #1, and each is the floor.
    assert!(determined && ends && !thresholds.is_empty() && thresholds.len() <= 4);
    for (j, &threshold) in thresholds.iter().enumerate() {
        assert!(threshold == u128::from(truth[j] >> 4));
        assert!((threshold == 15) == (j + 1 == thresholds.len()));
        assert!(j == 0 || thresholds[j - 1] <= threshold);
    }
}

/// Planted: the upper bound's.
#[cfg(any(test, certus_controls))]
fn of_the_upper_bounds(bounds: &[Bounds<u16>], _: u32, finer: u32) -> Option<Vec<u128>> {
    let floors: Vec<u128> = bounds.iter().map(|bounds| u128::from(bounds.upper >> finer).min(15)).collect();
    let end = floors.partition_point(|&threshold| threshold < 15);
    (end < floors.len()).then(|| floors.into_iter().take(end + 1).collect())
}

fn shipped(prefix: u16, enclosed: &Enclosed, on: &mut Answers<crate::sample::Bernoulli>) -> Result<u64, Refusal> {
    decide(prefix, 4, 4, 0, |cell, length| enclosed.bounds(cell, length), on)
}

/// Planted: the upper bound decides.
#[cfg(any(test, certus_controls))]
fn by_the_upper_bound(
    prefix: u16,
    enclosed: &Enclosed,
    _: &mut Answers<crate::sample::Bernoulli>,
) -> Result<u64, Refusal> {
    let mut cell = 0;
    while prefix >= enclosed.bounds(cell, 4).upper {
        cell += 1;
    }
    Ok(cell)
}

/// Planted: an equal threshold counts as settled.
#[cfg(any(test, certus_controls))]
fn settles_always(entry: u32, rest: u32) -> Option<u64> {
    Some(u64::from(entry & ((1 << BASE_BITS) - 1)) + u64::from(rest < entry))
}

#[cfg(kani)]
mod harnesses {
    use super::*;

    fn any_thresholds(width: u32) -> [u64; CELLS] {
        let thresholds: [u64; CELLS] = kani::any();
        kani::assume(is_valid(&thresholds, width));
        thresholds
    }

    /// ∀ valid tables of 8 cells and words, 63 bits wide as shipped: the search of the thresholds. Slow.
    #[kani::proof]
    #[kani::unwind(9)] // 8 cells
    #[kani::solver(minisat)]
    fn verify_search() {
        let thresholds = any_thresholds(63);
        let u: u64 = kani::any();
        kani::assume(u >> 63 == 0);
        let found = find(&thresholds, u);
        search_is_right(found, &thresholds, u);
        kani::cover!(u == u64::MAX >> 1, "the open last cell");
        kani::cover!(found == Found::Cell(0), "the first cell");
    }

    /// ∀ valid tables of 8 cells and words, 8 bits wide with 2 steps an octave. Slow.
    #[kani::proof]
    #[kani::unwind(10)] // 8 cells
    #[kani::solver(minisat)]
    fn verify_guide_u8() {
        let thresholds = any_thresholds(8);
        guide_is_right(settle, &thresholds, 8, 2, kani::any());
    }

    /// ∀ words: the place in a table's guide, as shipped, by halves.
    #[kani::proof]
    #[kani::solver(kissat)]
    fn verify_place_in_halves() {
        let word: u64 = kani::any();
        spellings_are_equal(place_in_halves, place_in_upper_half, word, 63, 11);
        kani::cover!(word >> 53 == 0x7ff, "past the last octave");
        kani::cover!(word >> 53 == 0, "the first octave");
    }

    /// ∀ words and widths from 11 to 32: the place in a guide of buckets, as shipped, by the upper half.
    #[kani::proof]
    #[kani::solver(kissat)]
    fn verify_place_in_upper_half() {
        let (word, width): (u64, u32) = (kani::any(), kani::any());
        kani::assume(MOST_OCTAVES <= width && width <= 32);
        spellings_are_equal(place_in_halves, place_in_upper_half, word, width, 9);
        kani::cover!(word >> 53 == 0x7ff && width == 30, "past the last octave");
        kani::cover!(width == 16, "the shortest that ships");
    }

    #[cfg(certus_controls)]
    #[kani::proof]
    #[kani::solver(kissat)]
    fn refute_place_without_a_last_octave() {
        spellings_are_equal(place_in_halves, without_a_last_octave, kani::any(), 30, 9);
    }

    fn any_construction() -> ([u8; 4], [(u16, u16); 4]) {
        let (truth, bounds): ([u8; 4], [(u16, u16); 4]) = (kani::any(), kani::any());
        let mut j = 0;
        while j < 4 {
            let (lower, upper) = bounds[j];
            kani::assume(lower <= truth[j].into() && u16::from(truth[j]) <= upper && upper <= 256);
            kani::assume(j == 0 || truth[j - 1] <= truth[j]);
            j += 1;
        }
        (truth, bounds)
    }

    /// ∀ distributions on 4 cells in units of 2^-8, ∀ enclosures of them: the table's thresholds of 4 bits. Slow.
    #[kani::proof]
    #[kani::unwind(6)] // 4 cells
    #[kani::solver(minisat)]
    fn verify_floors() {
        let (truth, bounds) = any_construction();
        constructs_its_invariant(floors::<u16>, truth, bounds);
        kani::cover!(truth[1] == 0xf3 && bounds[1] == (0xf0, 256), "all ones, of bounds that reach 1");
        kani::cover!(truth[0] == 0x3f && bounds[0] == (0x3f, 0x40), "not determined");
    }

    /// Slow.
    #[cfg(certus_controls)]
    #[kani::proof]
    #[kani::unwind(6)]
    #[kani::solver(minisat)]
    fn refute_floors_of_the_upper_bounds() {
        let (truth, bounds) = any_construction();
        constructs_its_invariant(of_the_upper_bounds, truth, bounds);
    }

    fn any_enclosed() -> Enclosed {
        let enclosed = Enclosed { truth: kani::any(), coarse: kani::any(), fine: kani::any() };
        kani::assume(enclosed.is_valid());
        enclosed
    }

    /// ∀ distributions on 4 cells in units of 2^-8, ∀ enclosures of them at 4 and 8 bits, every U. Slow.
    #[kani::proof]
    #[kani::unwind(5)] // 4 cells; two looks
    #[kani::solver(minisat)]
    fn verify_decide_u8() {
        let enclosed = any_enclosed();
        let u: u8 = kani::any();
        decides_rightly(shipped, &enclosed, u);
        kani::cover!(
            enclosed.coarse[0] == (3, 5) && u == 0x40 && enclosed.fine[0].1 == 0x40,
            "refined, to the next cell"
        );
        kani::cover!(enclosed.coarse[0] == (3, 5) && u == 0x40 && enclosed.fine[0].0 == 0x41, "refined, to this cell");
    }

    #[cfg(certus_controls)]
    #[kani::proof]
    #[kani::unwind(5)]
    #[kani::solver(minisat)]
    fn refute_decide_by_the_upper_bound() {
        let enclosed = any_enclosed();
        decides_rightly(by_the_upper_bound, &enclosed, kani::any());
    }

    /// Slow.
    #[cfg(certus_controls)]
    #[kani::proof]
    #[kani::unwind(10)]
    #[kani::solver(minisat)]
    fn refute_guide_settles_always() {
        let thresholds = any_thresholds(8);
        guide_is_right(settles_always, &thresholds, 8, 2, kani::any());
    }
}

#[cfg(test)]
mod properties {
    use super::{
        super::super::cells::{Cells, Decay},
        *,
    };
    use crate::exact::{Positive, Rational};
    use proptest::prelude::*;

    fn valid(mut thresholds: [u64; CELLS], width: u32) -> [u64; CELLS] {
        thresholds = thresholds.map(|threshold| (threshold >> (64 - width)).min((u64::MAX >> (64 - width)) - 1));
        thresholds.sort_unstable();
        thresholds[CELLS - 1] = u64::MAX >> (64 - width);
        assert!(is_valid(&thresholds, width));
        thresholds
    }

    fn of(thresholds: &[u64], width: u32) -> Inversion<9> {
        let scale = Positive::new(Rational::from_integer(1.into())).unwrap();
        let cells = Cells { decay: Decay::Laplace { scale }, folded: true };
        Inversion {
            cells,
            width,
            refill: 64,
            thresholds: thresholds.into(),
            finer: Arc::default(),
            guide: guide(thresholds, width, 9).into(),
        }
    }

    /// Any enclosure of any distribution, from a seed.
    fn enclosed(truth: [u8; 3], slack: [u8; 12]) -> Enclosed {
        let mut truth = truth.map(u16::from);
        truth.sort_unstable();
        let mut enclosed = Enclosed { truth, coarse: [(0, 16); 3], fine: [(0, 256); 3] };
        for j in 0..3 {
            let slack = &slack[4 * j..];
            let (floor, ceil) = ((truth[j] >> 4) as u8, truth[j].div_ceil(16) as u8);
            enclosed.coarse[j] = (floor.saturating_sub(slack[0] % 4), (ceil + slack[1] % 4).min(16));
            enclosed.fine[j] =
                (truth[j].saturating_sub((slack[2] % 4).into()), (truth[j] + u16::from(slack[3] % 4)).min(256));
        }
        assert!(enclosed.is_valid());
        enclosed
    }

    /// Every first 16 bits, which hold all octaves, before bits of each kind.
    #[test]
    fn places_are_the_same_in_every_spelling() {
        for first in 0..1u64 << 16 {
            for rest in [0, u64::MAX, 0x9e37_79b9_7f4a_7c15u64.wrapping_mul(first + 1)] {
                let word = first << 48 | rest >> 16;
                for steps in [1, 2, 9, 11, 15] {
                    for width in [2, 10, 11, 12, 16, 19, 30, 31, 32, 33, 48, 63, 64] {
                        spellings_are_equal(place_in_halves, place_in_upper_half, word, width, steps);
                    }
                }
            }
        }
    }

    #[test]
    #[should_panic(expected = "assertion")]
    fn octaves_without_a_last_one_are_seen() {
        spellings_are_equal(place_in_halves, without_a_last_octave, u64::MAX << 40, 30, 9);
    }

    #[test]
    #[should_panic(expected = "assertion")]
    fn a_planted_construction_is_seen() {
        constructs_its_invariant(
            of_the_upper_bounds,
            [0x3f, 0xf0, 0xf0, 0xf0],
            [(0x3f, 0x40), (0xf0, 256), (0xf0, 256), (0xf0, 256)],
        );
    }

    /// Every threshold of two cells that a word of 4 bits has, from every bounds of up to two units.
    #[test]
    fn constructions_exhaustively() {
        for first in 0..=u8::MAX {
            for second in first..=u8::MAX {
                for slack in 0..16u16 {
                    let at = |truth: u8, slack: u16| {
                        let truth = u16::from(truth);
                        (truth.saturating_sub(slack & 1), (truth + (slack >> 1 & 1)).min(256))
                    };
                    let (a, b) = (at(first, slack), at(second, slack >> 2));
                    constructs_its_invariant(floors::<u16>, [first, second, second, 255], [a, b, b, (255, 256)]);
                }
            }
        }
    }

    #[test]
    #[should_panic(expected = "U is below")]
    fn a_planted_bug_is_seen() {
        let bug = Enclosed { truth: [64; 3], coarse: [(3, 5); 3], fine: [(64, 64); 3] };
        decides_rightly(by_the_upper_bound, &bug, 0x48);
    }

    #[test]
    #[should_panic(expected = "assertion")]
    fn another_planted_bug_is_seen() {
        let thresholds = valid([1 << 60, 1 << 61, 1 << 62, 3 << 61, 1 << 63, 5 << 61, 3 << 62, 0], 8);
        for word in 0..=255 {
            guide_is_right(settles_always, &thresholds, 8, 2, word << 56);
        }
    }

    proptest! {
        #[test]
        fn tables(thresholds: [u64; CELLS], word: u64, at in 0..CELLS) {
            for width in [63, 19, 8] {
                let thresholds = valid(thresholds, width);
                let inversion = of(&thresholds, width);
                let near = thresholds[at] << (64 - width);
                for word in [word, near, near.wrapping_sub(1 << (64 - width)), near.wrapping_add(1 << (64 - width))] {
                    search_is_right(inversion.search(word >> (64 - width)), &thresholds, word >> (64 - width));
                    for steps in [11, 9, 2] {
                        guide_is_right(settle, &thresholds, width, steps, word);
                    }
                    if let Some(cell) = inversion.look_up(word) {
                        prop_assert_eq!(inversion.search(word >> (64 - width)), Found::Cell(cell));
                    }
                }
            }
        }

        #[test]
        fn constructions(mut truth: [u8; 4], slack: [(u8, u8); 4]) {
            truth.sort_unstable();
            let bounds = core::array::from_fn(|j| {
                let (truth, (down, up)) = (u16::from(truth[j]), slack[j]);
                (truth.saturating_sub((down % 8).into()), (truth + u16::from(up % 8)).min(256))
            });
            constructs_its_invariant(floors::<u16>, truth, bounds);
        }

        #[test]
        fn enclosures(truth: [u8; 3], slack: [u8; 12]) {
            let enclosed = enclosed(truth, slack);
            for u in 0..=u8::MAX {
                decides_rightly(shipped, &enclosed, u);
            }
        }
    }
}
