//! Lazy inversion: which cell a uniform real falls in, from as few of its bits as decide it.
//!
//! U is a uniform real in [0, 1), revealed from its first bit on. With G(j) = P(cell ≤ j), the cell is the
//! least j with U < G(j). The first `width` bits of U are an integer u, so that U is in [u, u + 1)·2^-width.
//! The table holds T(j) = ⌊G(j)·2^width⌋, hence G(j) is in [T(j), T(j) + 1)·2^-width. Cell by cell:
//!
//! * u < T(j): U < (u + 1)·2^-width ≤ T(j)·2^-width ≤ G(j), so the cell is j or before it;
//! * u > T(j): U ≥ u·2^-width ≥ (T(j) + 1)·2^-width > G(j), so the cell is after j;
//! * u = T(j): these bits do not say. More bits of the same U follow, and a tighter enclosure of G(j), until
//!   they do.
//!
//! So where no T(j) equals u, the cell is the number of thresholds below u. T rises with j up to 2^width − 1,
//! which G, being below 1, never passes: the list ends at the first T(j) = 2^width − 1, and a U of width ones
//! is ambiguous there. That is the open last cell: the refinement goes on to j + 1, j + 2, … for as long as U
//! is not below G(j), and nothing is clamped.
//!
//! Where `width` is short, so that ambiguity is not rare, a second look compares the next bits of U with the
//! next bits of G(j), which are listed too, by the same argument at the width of both together.
//!
//! **The guide** finds the cell at a glance. Cells have ever less mass, so that the thresholds crowd towards
//! 1 as fast as what is left: the guide is indexed as a floating-point number is written, by how many ones u
//! begins with (its *octave*: 1 − U is in [2^-(octave + 1), 2^-octave]) and the next `STEPS` bits. If the
//! cells are log-concave, as ours are, their thresholds' distances fall no faster than 1 − U does, so that
//! one number of steps keeps two thresholds out of an entry in every octave, and half of all draws read one
//! octave of the guide. What the guide does not settle, a search of the thresholds does.
//!
//! The width is a number, so that the code that ships at 63 bits is enumerated at 7.

use alloc::{sync::Arc, vec::Vec};
use core::ops::Shr;

use num_bigint::BigUint;

use super::cells::{Bounds, Cells};
use crate::{exact::Natural, sample::Interpreter};

pub use certus_kernel::inversion::{
    BASE_BITS, Found, InversionView, MOST_OCTAVES, Place, Resolved, find, place, settle,
};

/// Thresholds, and a guide of 2^STEPS entries an octave to find the cell between them; STEPS is at most 15.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Inversion<const STEPS: u32> {
    cells: Cells,
    /// How many bits of U are looked up at first: 2 to 63.
    width: u32,
    /// How many more are drawn at a time when these do not decide: 1 to 64.
    refill: u32,
    /// Invariant #1: T(0) ≤ T(1) ≤ …, the last being 2^width − 1, and the only such.
    thresholds: Arc<[u64]>,
    /// The next `refill` bits of each G(j) after those of T(j), or nothing: where the first look is short,
    /// the second must be cheap. It goes on where T does not, to the first whose bits are all ones.
    finer: Arc<[u64]>,
    /// For each octave, and each first `STEPS` bits of what follows in the complement of u: the next 18 bits
    /// of the complement of the only threshold there, on top; and the *base*, the number of thresholds before
    /// it.
    ///
    /// Invariant #2: no entry has two thresholds, and each base is below 2^14. Where there is no threshold,
    /// the 18 bits are zero, which nothing is below: the base is the cell, and a complement with these bits
    /// zero is left to the search.
    guide: Arc<[u32]>,
}

impl<const STEPS: u32> Inversion<STEPS> {
    /// The table for a first look of `width` bits, 2 to 63, and if `short` a second of `refill` bits, 1
    /// to 64.
    pub fn new(cells: Cells, width: u32, refill: u32, short: bool) -> Self {
        let (width, refill) = (width.clamp(2, 63), refill.clamp(1, 64));
        let more = if short { refill } else { 0 };
        let long = thresholds(&cells, width, more);
        let low = |long: &u128| u64::try_from(long & ((1 << more) - 1)).ok();
        let mut thresholds: Vec<u64> = long.iter().filter_map(|long| u64::try_from(long >> more).ok()).collect();
        thresholds.truncate(thresholds.partition_point(|&threshold| threshold < (1 << width) - 1).saturating_add(1));
        let finer = if short { long.iter().filter_map(low).collect() } else { Arc::default() };
        let guide = guide(&thresholds, width, STEPS).into();
        Self { cells, width, refill, thresholds: thresholds.into(), finer, guide }
    }

    /// The tables, borrowed.
    #[inline]
    pub fn view(&self) -> InversionView<'_, STEPS> {
        let Self { width, refill, ref thresholds, ref finer, ref guide, .. } = *self;
        InversionView { width, refill, thresholds, finer, guide }
    }

    /// The distribution on the cells.
    pub fn cells(&self) -> &Cells {
        &self.cells
    }

    /// How many bits of U are looked up at first.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// The second look: the next bits of each G(j), if it has one, and how many bits that is.
    pub fn finer(&self) -> (&[u64], u32) {
        (&self.finer, self.refill)
    }

    /// T(0), T(1), …
    pub fn thresholds(&self) -> &[u64] {
        &self.thresholds
    }

    /// How many cells the first look can settle on.
    pub fn reach(&self) -> usize {
        self.thresholds.len()
    }

    /// Where the guide may change its mind: the first u of each entry, of those that share its threshold's
    /// bits, and after those.
    pub fn guide_edges(&self) -> impl Iterator<Item = u64> + '_ {
        (0..).zip(self.guide.iter()).flat_map(|(index, &entry)| {
            let entries = entries(index, STEPS);
            let run = entries.first | (u64::from(entry >> BASE_BITS) << (entries.rest - (32 - BASE_BITS)));
            let after = run + (1 << (entries.rest - (32 - BASE_BITS)));
            // The greatest complement is the first u. Below the run is after it, in u.
            [entries.last, after - 1, run.saturating_sub(1)].map(|complement| !complement >> (64 - self.width))
        })
    }

    /// What the tables occupy, in bytes.
    pub fn memory(&self) -> usize {
        let lists = [&self.thresholds, &self.finer];
        lists.iter().map(|list| core::mem::size_of_val(&***list)).sum::<usize>() + core::mem::size_of_val(&*self.guide)
    }

    /// The cell of a U whose first bits are the top `width` bits of `word`, if the guide settles it; the bits
    /// below are ignored.
    ///
    /// No branch but the last two depends on the word, and those are rare.
    #[inline]
    pub fn look_up(&self, word: u64) -> Option<u64> {
        self.view().look_up(word)
    }

    /// The cell of a U whose first `width` bits are u, as far as they say: by the thresholds themselves.
    #[inline(never)]
    pub fn search(&self, u: u64) -> Found {
        find(&self.thresholds, u)
    }

    /// The cell of a U whose first bits are the top bits of `word`, whatever it takes.
    ///
    /// # Errors
    ///
    /// Those of the interpreter.
    #[cold]
    #[inline(never)]
    pub fn resolve<I: Interpreter>(&self, word: u64, on: &mut I) -> Result<u64, I::Error> {
        let (cell, more) = match self.view().resolve(word, |count| on.bits(count))? {
            Resolved::Cell(cell) => return Ok(cell),
            Resolved::Open { cell, more } => (cell, more),
        };
        let u = word >> (64 - self.width);
        let prefix = (BigUint::from(u) << self.refill) | BigUint::from(more);
        let length = self.width.checked_add(self.refill).ok_or_else(|| on.overflow())?;
        let bounds = |cell, length| self.cells.bounds(cell, length, 32);
        decide(prefix, length, self.refill, cell, bounds, on)
    }
}

/// The cell, at `cell` or after it, of a U in [prefix, prefix + 1]·2^-length: more bits of the same U,
/// `refill` at a time, and tighter bounds of G(cell), as integers over 2^length, until they say.
///
/// # Errors
///
/// Those of the interpreter.
pub fn decide<N: Natural, I: Interpreter>(
    mut prefix: N,
    mut length: u32,
    refill: u32,
    mut cell: u64,
    bounds: impl Fn(u64, u32) -> Bounds<N>,
    on: &mut I,
) -> Result<u64, I::Error> {
    loop {
        // U is in [prefix, prefix + 1]·2^-length.
        loop {
            let bounds = bounds(cell, length);
            if prefix < bounds.lower {
                return Ok(cell);
            }
            if prefix < bounds.upper {
                break;
            }
            cell = cell.checked_add(1).ok_or_else(|| on.overflow())?;
        }
        prefix = prefix.append_bits(on.bits(refill)?, refill).ok_or_else(|| on.overflow())?;
        length = length.checked_add(refill).ok_or_else(|| on.overflow())?;
    }
}

/// ⌊G(j)·2^(width + more)⌋ for j = 0, 1, … to the first that is all ones, each determined by an enclosure.
fn thresholds(cells: &Cells, width: u32, more: u32) -> Vec<u128> {
    // At most 63 + 64.
    let long = width + more;
    let mut guard = 24;
    loop {
        // The bounds are finer than the unit by `guard` bits, so that they straddle an integer rarely; then
        // they are redone.
        if let Some(floors) = floors(&cells.cumulative(long + guard, 8, guard - 1), long, guard) {
            return floors;
        }
        guard = guard.saturating_mul(2);
    }
}

/// ⌊G(j)·2^width⌋ for j = 0, 1, … to the first that is all ones, from bounds in units of 2^-(width + finer);
/// nothing if one of them is not determined, or none is all ones. Since G does not fall, this is
/// Invariant #1.
fn floors<N>(bounds: &[Bounds<N>], width: u32, finer: u32) -> Option<Vec<u128>>
where
    for<'n> &'n N: Shr<u32, Output = N>,
    u128: TryFrom<N>,
{
    let mut floors = bounds.iter().map(|bounds| bounds.floor(width, finer)).collect::<Option<Vec<u128>>>()?;
    let greatest = (1 << width) - 1;
    let end = floors.partition_point(|&threshold| threshold < greatest);
    if end >= floors.len() {
        return None;
    }
    floors.truncate(end + 1);
    Some(floors)
}

/// The complements that share an entry of the guide, as 64 bits.
struct Entries {
    first: u64,
    last: u64,
    /// How many bits they differ in: 63 − 15 − 10 at least.
    rest: u32,
}

fn entries(index: u64, steps: u32) -> Entries {
    let octave = u32::try_from(index >> steps).unwrap_or(u32::MAX).min(MOST_OCTAVES - 1);
    let rest = 63 - steps - octave;
    let first = ((1 << steps) | (index & ((1 << steps) - 1))) << rest;
    Entries { first, last: first | ((1 << rest) - 1), rest }
}

/// The complement of a threshold of `width` bits, left-aligned.
fn complement(threshold: u64, width: u32) -> u64 {
    !(threshold << (64 - width)) & (u64::MAX << (64 - width))
}

/// One entry of the guide, over the falling complements of the thresholds; nothing if Invariant #2 does not
/// allow it.
fn entry(complements: &[u64], index: u64, steps: u32) -> Option<u32> {
    let Entries { first, last, rest } = entries(index, steps);
    let before = complements.partition_point(|&complement| complement > last);
    let mut inside = complements.iter().skip(before).take_while(|&&complement| complement >= first);
    let threshold = inside.next().map_or(0, |&complement| (complement - first) >> (rest - (32 - BASE_BITS)));
    let base = u64::try_from(before).ok().filter(|&base| base >> BASE_BITS == 0)?;
    let settles = inside.next().is_none();
    u32::try_from(threshold << BASE_BITS | base).ok().filter(|_| settles)
}

/// The guide's entries, to the end of the last octave that Invariant #2 allows; see [`Inversion::guide`].
fn guide(thresholds: &[u64], width: u32, steps: u32) -> Vec<u32> {
    // They fall.
    let complements: Vec<u64> = thresholds.iter().map(|&threshold| complement(threshold, width)).collect();
    let entry = |index: u64| entry(&complements, index, steps);
    let octave = |octave: u64| (octave << steps..(octave + 1) << steps).map(entry).collect::<Option<Vec<u32>>>();
    // No complement has its first one after `width` bits.
    (0..MOST_OCTAVES.min(width).into()).map_while(octave).flatten().collect()
}

#[cfg(any(kani, test))]
use certus_kernel::inversion::{place_in_halves, place_in_upper_half};

#[cfg(any(kani, test))]
#[path = "../../../proofs/sample/prepared/inversion.rs"]
mod proofs;

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

    /// At every boundary, U agrees with G(j) for the first word, or for the first two, and then differs in
    /// the last place, by one either way: the refinement must say what the exact inversion says. The last
    /// boundaries are those of the open cell.
    #[test]
    fn every_boundary_is_refined_either_way() {
        for (decay, pmf) in decays() {
            for (width, short) in [(63, false), (22, true), (7, false), (7, true)] {
                let cells = Cells { decay: decay.clone(), folded: true };
                let refill = if width == 7 { 8 } else { 64 };
                let inversion = Inversion::<9>::new(cells, width, refill, short);
                let boundaries = inversion.thresholds.len().max(inversion.finer.len());
                let sums = sums(&*pmf, boundaries + 40);
                let (mut either, mut refined) = ([0, 0], 0);
                for (j, g) in sums.iter().enumerate().take(boundaries) {
                    for words in 1..=2 {
                        let length = width + words * refill;
                        let scaled = g.mul_rational(&Rational::from_integer(BigUint::from(2u32).pow(length).into()));
                        let exact = scaled.lower().floor().to_integer().magnitude().clone();
                        assert_eq!(scaled.upper().floor().to_integer().magnitude(), &exact, "the oracle decides");
                        for u in [&exact - 1u32, &exact + 1u32] {
                            if u.bits() > length.into() {
                                continue;
                            }
                            // The least cell with U < G: U is in [u, u + 1]·2^-length. The sums G increase.
                            let end = Rational::new((&u + 1u32).into(), BigUint::from(2u32).pow(length).into());
                            let expected = sums.partition_point(|sum| sum.lower() < end);
                            if expected == sums.len() {
                                continue;
                            }
                            let first = &u >> (length - width);
                            let mut replay = tape(&u, length.into());
                            let word = crate::bits::Bits::take(&mut replay, width).unwrap();
                            assert_eq!(BigUint::from(word), first);
                            let word = word << (64 - width);
                            let guided = inversion.look_up(word);
                            let answer = inversion.resolve(word, &mut Execution { bits: &mut replay });
                            let bits_used = replay.position();
                            let Ok(answer) = answer else {
                                // u's neighbourhood may need more bits than this tape has: then it decides
                                // nothing.
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
                assert!(either[0] > 0 && either[1] > 0 && refined >= boundaries, "{either:?} {refined}");
            }
        }
    }

    /// The guide never contradicts the thresholds, at any of the points where either could change; at 8 bits,
    /// at any point.
    fn agrees<const STEPS: u32>(decay: &Decay, folded: bool, width: u32) {
        let cells = Cells { decay: decay.clone(), folded };
        let inversion = Inversion::<STEPS>::new(cells, width, 64, false);
        let last = (1u64 << width) - 1;
        let mut points: Vec<u64> = if width == 8 { (0..256).collect() } else { Vec::new() };
        for edge in inversion.guide_edges().chain(inversion.thresholds.iter().copied()) {
            points.extend([edge.saturating_sub(1), edge, (edge + 1).min(last)]);
        }
        let (mut settled, mut left) = (0, 0);
        for &u in &points {
            let found = inversion.search(u);
            let is_threshold = inversion.thresholds.contains(&u);
            assert_eq!(is_threshold, matches!(found, Found::From(_)));
            for below in [0, (1u64 << (64 - width)) - 1] {
                if let Some(cell) = inversion.look_up(u << (64 - width) | below) {
                    assert_eq!(found, Found::Cell(cell), "{u:b} of {width}");
                    settled += 1;
                } else {
                    left += 1;
                }
            }
        }
        assert!(left > 0 && (settled > 0 || width < 63 || STEPS < 9));
    }

    #[test]
    fn the_guide_agrees_with_the_thresholds() {
        for (decay, _) in decays() {
            for folded in [false, true] {
                agrees::<9>(&decay, folded, 63);
                agrees::<3>(&decay, folded, 63);
                agrees::<9>(&decay, folded, 32);
                for width in [8, 2] {
                    agrees::<9>(&decay, folded, width);
                    agrees::<1>(&decay, folded, width);
                }
            }
        }
    }

    /// As shipped: at a scale just within each construction's reach, no octave has two thresholds in an
    /// entry.
    #[test]
    fn the_guide_is_whole() {
        fn octaves<const STEPS: u32>(n: u64, d: u64, folded: bool, width: u32) -> [usize; 2] {
            let scale = positive(n, d);
            let variance = scale.square();
            [Decay::Laplace { scale }, Decay::Gaussian { variance }].map(|decay| {
                let inversion = Inversion::<STEPS>::new(Cells { decay, folded }, width, 64, !folded);
                inversion.guide.len() >> STEPS
            })
        }
        assert_eq!(octaves::<11>(1024, 1, true, 63), [11, 11]);
        assert_eq!(octaves::<11>(1, 3, true, 63), [11, 11]);
        // Buckets: 128 to 256 of them a scale; 30 bits find one, or 19.
        assert_eq!(octaves::<9>(1023, 4, false, 30), [11, 11]);
        assert_eq!(octaves::<9>(128, 1, false, 30), [11, 11]);
        let short = [octaves::<9>(1023, 4, false, 19), octaves::<9>(128, 1, false, 18)];
        assert!(short.as_flattened().iter().all(|&octaves| octaves >= 8), "{short:?}");
    }
}
