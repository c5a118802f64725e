//! Lazy inversion: which cell a uniform real falls in, from as few of its bits as decide it.
//!
//! U is a uniform real in [0, 1), revealed from its first bit on. With G(j) = P(cell ≤ j), the cell is the least j with
//! U < G(j). The first `width` bits of U are an integer u, so that U is in [u, u + 1)·2^-width. The table holds
//! T(j) = ⌊G(j)·2^width⌋, hence G(j) is in [T(j), T(j) + 1)·2^-width. Cell by cell:
//!
//! * u < T(j): U < (u + 1)·2^-width ≤ T(j)·2^-width ≤ G(j), so the cell is j or before it;
//! * u > T(j): U ≥ u·2^-width ≥ (T(j) + 1)·2^-width > G(j), so the cell is after j;
//! * u = T(j): these bits do not say. More bits of the same U follow, and a tighter enclosure of G(j), until they do.
//!
//! So where no T(j) equals u, the cell is the number of thresholds below u. T rises with j up to 2^width − 1, which G, being below
//! 1, never passes: the list ends at the first T(j) = 2^width − 1, and a U of width ones is ambiguous there. That is the open last
//! cell: the refinement goes on to j + 1, j + 2, … for as long as U is not below G(j), and nothing is clamped.
//!
//! Where `width` is short, so that ambiguity is not rare, a second look compares the next bits of U with the next bits of G(j), which
//! are listed too, by the same argument at the width of both together.
//!
//! The width is a number, so that the code that ships at 63 bits is enumerated at 7.

use alloc::{sync::Arc, vec::Vec};

use num_bigint::BigUint;

use super::cells::Cells;
use crate::sample::Interpreter;

/// Thresholds, and a guide to find the cell between them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Inversion {
    cells: Cells,
    /// How many bits of U are looked up at first: 2 to 63.
    width: u32,
    /// How many more are drawn at a time when these do not decide: 1 to 64.
    refill: u32,
    /// Invariant #1: T(0) ≤ T(1) ≤ …, the last being 2^width − 1; the only such, unless there is a second look.
    thresholds: Arc<[u64]>,
    /// The next `refill` bits of each G(j) after those of T(j), or nothing: where the first look is short, the second must be cheap.
    finer: Arc<[u64]>,
    /// How many bits index the guide: 1 to width − 1.
    guide_bits: u32,
    /// For each first `guide_bits` bits of u: the only threshold T among these u (its other bits, on top), whether there are more
    /// or the base does not fit (one bit), and the *base*, the number of thresholds below all these u, or 0 if it does not fit. Where there is no
    /// threshold, T is the greatest of these u, which the guide therefore does not settle, and the search does.
    guide: Arc<[u64]>,
}

/// What the first bits of U say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// The cell.
    Cell(u64),
    /// The cell is this one or a later one.
    From(u64),
}

impl Inversion {
    /// The table for a first look of `width` bits, 2 to 63, and if `short` a second of `refill` bits, 1 to 64; with a guide of at most
    /// 2^`most_guide_bits` entries.
    pub(crate) fn new(cells: Cells, width: u32, refill: u32, short: bool, most_guide_bits: u32) -> Self {
        let (width, refill) = (width.clamp(2, 63), refill.clamp(1, 64));
        let more = if short { refill } else { 0 };
        let long = thresholds(&cells, width, more);
        let low = |long: &u128| u64::try_from(long & ((1 << more) - 1)).ok();
        let thresholds: Vec<u64> = long.iter().filter_map(|long| u64::try_from(long >> more).ok()).collect();
        let finer = if short { long.iter().filter_map(low).collect() } else { Arc::default() };
        // Four to eight times as many entries as cells within reach of the first look, or as many as fit: then few entries hold two.
        let wanted = (usize::BITS - reach(&thresholds).leading_zeros()).saturating_add(2).max(9);
        let guide_bits = wanted.min(most_guide_bits).clamp(1, width - 1);
        let guide = guide(&thresholds, width, guide_bits);
        Self { cells, width, refill, thresholds: thresholds.into(), finer, guide_bits, guide: guide.into() }
    }

    /// The distribution on the cells.
    #[cfg(feature = "audit")]
    pub(crate) fn cells(&self) -> &Cells {
        &self.cells
    }

    /// How many bits of U are looked up at first.
    #[cfg(feature = "audit")]
    pub(crate) fn width(&self) -> u32 {
        self.width
    }

    /// The second look: the next bits of each G(j), if it has one, and how many bits that is.
    #[cfg(feature = "audit")]
    pub(crate) fn finer(&self) -> (&[u64], u32) {
        (&self.finer, self.refill)
    }

    /// T(0), T(1), …
    #[cfg(feature = "audit")]
    pub(crate) fn thresholds(&self) -> &[u64] {
        &self.thresholds
    }

    /// How many cells the first look can settle on.
    pub(crate) fn reach(&self) -> usize {
        reach(&self.thresholds)
    }

    /// How many bits index the guide.
    #[cfg(feature = "audit")]
    pub(crate) fn guide_bits(&self) -> u32 {
        self.guide_bits
    }

    /// What the tables occupy, in bytes.
    pub(crate) fn memory(&self) -> usize {
        let lists = [&self.thresholds, &self.finer, &self.guide];
        lists.iter().map(|list| core::mem::size_of_val(&***list)).sum()
    }

    /// The cell of a U whose first bits are the top `width` bits of `word`, if the guide settles it; the bits below are ignored.
    ///
    /// No branch but the last depends on the word, and that one is rare.
    #[inline]
    pub(crate) fn look_up(&self, word: u64) -> Option<u64> {
        // guide_bits ≥ 1, so the shift is below 64, and the index is below the guide's length.
        let index = usize::try_from(word >> (64 - self.guide_bits)).ok()?;
        let entry = *self.guide.get(index)?;
        // 1 ≤ width − guide_bits ≤ 62 bits of threshold on top, so 2 ≤ below ≤ 63 bits of marker and base.
        let below = 64 - (self.width - self.guide_bits);
        let marker = 1 << (below - 1);
        let rest = word << self.guide_bits;
        // The rest of u equals the threshold iff the top bits do; if it does not, the top bits decide the order.
        let equal = (rest ^ entry) >> below == 0;
        let unsettled = equal | (entry & marker != 0);
        (!unsettled).then(|| (entry & (marker - 1)) + u64::from(rest > entry))
    }

    /// The cell of a U whose first `width` bits are u, as far as they say: by the thresholds themselves.
    #[inline(never)]
    pub(crate) fn search(&self, u: u64) -> Found {
        // The guide's base, 0 where it did not fit: that many thresholds are below u, and often not many more.
        let index = usize::try_from(u >> (self.width - self.guide_bits)).unwrap_or(usize::MAX);
        let entry = self.guide.get(index).copied().unwrap_or(0);
        let base = entry & ((1 << (63 - (self.width - self.guide_bits))) - 1);
        let base = usize::try_from(base).unwrap_or(0);
        let rest = self.thresholds.get(base..).unwrap_or_default();
        let near = rest.iter().take(8).position(|&threshold| threshold >= u);
        let cell = base + near.unwrap_or_else(|| rest.partition_point(|&threshold| threshold < u));
        let found = u64::try_from(cell).unwrap_or(u64::MAX);
        // u ≤ 2^width − 1 is at most the last threshold, so there is one.
        if self.thresholds.get(cell).is_some_and(|&threshold| threshold == u) {
            Found::From(found)
        } else {
            Found::Cell(found)
        }
    }

    /// The cell of a U whose first bits are the top bits of `word`, whatever it takes.
    ///
    /// # Errors
    ///
    /// Those of the interpreter.
    #[cold]
    #[inline(never)]
    pub(crate) fn resolve<I: Interpreter>(&self, word: u64, on: &mut I) -> Result<u64, I::Error> {
        let u = word >> (64 - self.width);
        match self.search(u) {
            Found::Cell(cell) => Ok(cell),
            Found::From(cell) => self.refine(u, cell, on),
        }
    }

    /// The cell, at `cell` or after it, of a U whose first `width` bits are u.
    fn refine<I: Interpreter>(&self, u: u64, mut cell: u64, on: &mut I) -> Result<u64, I::Error> {
        let more = on.bits(self.refill)?;
        // The same comparison as the first, with the next bits of U and of G.
        let rest = usize::try_from(cell).ok().and_then(|from| self.thresholds.get(from..)).unwrap_or_default();
        let finer = usize::try_from(cell).ok().and_then(|from| self.finer.get(from..)).unwrap_or_default();
        for (&threshold, &finer) in rest.iter().zip(finer) {
            if u < threshold || more < finer {
                return Ok(cell);
            }
            if more == finer {
                break;
            }
            cell = cell.checked_add(1).ok_or_else(|| on.overflow())?;
        }
        let mut prefix = (BigUint::from(u) << self.refill) | BigUint::from(more);
        let mut length = self.width.checked_add(self.refill).ok_or_else(|| on.overflow())?;
        loop {
            // U is in [prefix, prefix + 1]·2^-length.
            loop {
                let bounds = self.cells.bounds(cell, length, 32);
                if prefix < bounds.lower {
                    return Ok(cell);
                }
                if prefix < bounds.upper {
                    break;
                }
                cell = cell.checked_add(1).ok_or_else(|| on.overflow())?;
            }
            prefix = (prefix << self.refill) | BigUint::from(on.bits(self.refill)?);
            length = length.checked_add(self.refill).ok_or_else(|| on.overflow())?;
        }
    }
}

/// The number of cells that end before or at the last threshold's first occurrence: 0, …, its index.
fn reach(thresholds: &[u64]) -> usize {
    let last = thresholds.last().copied().unwrap_or(0);
    thresholds.partition_point(|&threshold| threshold < last).saturating_add(1)
}

/// ⌊G(j)·2^(width + more)⌋ for j = 0, 1, … to the first that is all ones, each determined by an enclosure.
fn thresholds(cells: &Cells, width: u32, more: u32) -> Vec<u128> {
    // At most 63 + 64.
    let long = width + more;
    let mut guard = 24;
    loop {
        // The bounds are finer than the unit by `guard` bits, so that they straddle an integer rarely; then they are redone.
        let all = cells.cumulative(long + guard, 8, guard - 1);
        let floors: Option<Vec<u128>> = all.iter().map(|bounds| bounds.floor(long, guard)).collect();
        if let Some(mut floors) = floors {
            let greatest = (1 << long) - 1;
            let end = floors.partition_point(|&threshold| threshold < greatest);
            if end < floors.len() {
                floors.truncate(end + 1);
                return floors;
            }
        }
        guard = guard.saturating_mul(2);
    }
}

/// The guide's entries; see [`Inversion::guide`].
fn guide(thresholds: &[u64], width: u32, guide_bits: u32) -> Vec<u64> {
    let rest_bits = width - guide_bits;
    let base_bits = 64 - rest_bits;
    let marker = 1 << (base_bits - 1);
    let entry = |index: u64| {
        let first = index << rest_bits;
        let greatest = first | ((1 << rest_bits) - 1);
        let before = thresholds.partition_point(|&threshold| threshold < first);
        let mut inside = thresholds.iter().skip(before).take_while(|&&threshold| threshold <= greatest);
        let threshold = inside.next().copied().unwrap_or(greatest);
        let base = u64::try_from(before).ok().filter(|&base| base < marker);
        let settles = inside.next().is_none();
        let rest = (threshold - first) << base_bits;
        match base {
            Some(base) if settles => rest | base,
            base => rest | marker | base.unwrap_or(0),
        }
    };
    (0..1 << guide_bits).map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::{super::cells::Decay, *};
    use crate::{
        bits::{Replay, Tape},
        exact::{Enclosure, GaussianPmf, Integer, LaplacePmf, Pmf, Positive, Rational},
        sample::program::Execution,
    };
    use alloc::boxed::Box;

    fn positive(n: u64, d: u64) -> Positive {
        Positive::new(Rational::new(n.into(), d.into())).unwrap()
    }

    /// Folded cells beside the sums of the closed form, an inversion that shares no code with this one.
    fn decays() -> Vec<(Decay, Box<dyn Pmf<Integer>>)> {
        let mut all: Vec<(Decay, Box<dyn Pmf<Integer>>)> = Vec::new();
        for (n, d) in [(1, 3), (1, 1), (355, 113), (5, 1)] {
            let (scale, variance) = (positive(n, d), positive(n * n, d * d));
            all.push((Decay::Laplace { scale: scale.clone() }, Box::new(LaplacePmf::new(&scale, 300))));
            let pmf = GaussianPmf::new(&variance, 300).unwrap();
            all.push((Decay::Gaussian { variance }, Box::new(pmf)));
        }
        all
    }

    fn sums(pmf: &dyn Pmf<Integer>, count: usize) -> Vec<Enclosure> {
        let mut sum = Enclosure::from_integer(0, 0);
        let add = |j: usize| {
            let mass = pmf.probability(&Integer::from(j as u64));
            sum = if j == 0 { mass } else { sum.add(&mass).add(&mass) };
            sum.clone()
        };
        (0..count).map(add).collect()
    }

    fn tape(bits: &BigUint, length: u64) -> Replay {
        Replay::new((0..length).rev().map(|i| bits.bit(i)).collect::<Tape>())
    }

    /// At every boundary, U agrees with G(j) for the first word, or for the first two, and then differs in the last place, by one
    /// either way: the refinement must say what the exact inversion says. The last boundaries are those of the open cell.
    #[test]
    fn every_boundary_is_refined_either_way() {
        for (decay, pmf) in decays() {
            for (width, short) in [(63, false), (22, true), (7, false), (7, true)] {
                let cells = Cells { decay: decay.clone(), folded: true };
                let refill = if width == 7 { 8 } else { 64 };
                let inversion = Inversion::new(cells, width, refill, short, 12);
                let sums = sums(&*pmf, inversion.thresholds.len() + 40);
                let (mut either, mut refined) = ([0, 0], 0);
                for (j, g) in sums.iter().enumerate().take(inversion.thresholds.len()) {
                    for words in 1..=2 {
                        let length = width + words * refill;
                        let scaled = g.mul_rational(&Rational::from_integer(BigUint::from(2u32).pow(length).into()));
                        let exact = scaled.lower().floor().to_integer().magnitude().clone();
                        assert_eq!(scaled.upper().floor().to_integer().magnitude(), &exact, "the oracle decides");
                        for u in [&exact - 1u32, &exact + 1u32] {
                            if u.bits() > length.into() {
                                continue;
                            }
                            // The least cell with U < G: U is in [u, u + 1]·2^-length.
                            let above = |sum: &Enclosure| {
                                let unit = Rational::from_integer(BigUint::from(2u32).pow(length).into());
                                sum.lower() * unit >= Rational::from_integer((&u + 1u32).into())
                            };
                            let Some(expected) = sums.iter().position(above) else { continue };
                            let first = &u >> (length - width);
                            let mut replay = tape(&u, length.into());
                            let word = crate::bits::Bits::take(&mut replay, width).unwrap();
                            assert_eq!(BigUint::from(word), first);
                            let word = word << (64 - width);
                            let guided = inversion.look_up(word);
                            let answer = inversion.resolve(word, &mut Execution { bits: &mut replay });
                            let bits_used = replay.position();
                            let Ok(answer) = answer else {
                                // u's neighbourhood may need more bits than this tape has: then it decides nothing.
                                assert!(answer == Err(crate::bits::BitsError::TapeEnded));
                                continue;
                            };
                            assert_eq!(answer, expected as u64, "{decay:?}, cell {j}, width {width}, {words} words");
                            assert!(guided.is_none_or(|guided| guided == answer));
                            refined += usize::from(bits_used > width as usize);
                            either[usize::from(answer > j as u64)] += 1;
                        }
                    }
                }
                assert!(
                    either[0] > 0 && either[1] > 0 && refined >= inversion.thresholds.len(),
                    "{either:?} {refined}"
                );
            }
        }
    }

    /// The guide never contradicts the thresholds, at any of the points where either could change; at 8 bits, at any point.
    #[test]
    fn the_guide_agrees_with_the_thresholds() {
        for (decay, _) in decays() {
            for folded in [false, true] {
                for (width, guide_bits) in [(63, 9), (63, 3), (32, 12), (8, 7), (8, 1), (2, 1)] {
                    let cells = Cells { decay: decay.clone(), folded };
                    let inversion = Inversion::new(cells, width, 64, false, guide_bits);
                    let last = (1u64 << width) - 1;
                    let mut points: Vec<u64> = if width == 8 { (0..256).collect() } else { Vec::new() };
                    let edges = (0..1u64 << inversion.guide_bits).map(|i| i << (width - inversion.guide_bits));
                    for edge in edges.chain(inversion.thresholds.iter().copied()) {
                        points.extend([edge.saturating_sub(1), edge, (edge + 1).min(last)]);
                    }
                    let mut settled = 0;
                    for &u in &points {
                        let found = inversion.search(u);
                        let is_threshold = inversion.thresholds.contains(&u);
                        assert_eq!(is_threshold, matches!(found, Found::From(_)));
                        for below in [0, (1u64 << (64 - width)) - 1] {
                            if let Some(cell) = inversion.look_up(u << (64 - width) | below) {
                                assert_eq!(found, Found::Cell(cell));
                                settled += 1;
                            }
                        }
                    }
                    assert!(settled > 0 || width < 63 || guide_bits < 9);
                }
            }
        }
    }
}
