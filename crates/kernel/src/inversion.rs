//! Lazy inversion by a table: which cell a uniform real falls in, as far as its first bits decide it.
//!
//! U is a uniform real in [0, 1), revealed from its first bit on. With G(j) = P(cell ≤ j), the cell is the
//! least j with U < G(j). The first `width` bits of U are an integer u, and the table holds
//! T(j) = ⌊G(j)·2^width⌋, rising. Where no T(j) equals u, the cell is the number of thresholds below u; where
//! one does, these bits do not say. Why, and how the table is made, is told in `certus`
//! (`sample::prepared::inversion`).
//!
//! **The guide** finds the cell at a glance. It is indexed as a floating-point number is written, by how many
//! ones u begins with (its *octave*) and the next `STEPS` bits of its complement ([`Place`]). An entry
//! settles the cell unless the complement agrees with a threshold's in the next 18 bits, too ([`settle`]).
//!
//! **Three spellings of the place**, each the fastest somewhere, and proven equal: [`place`] on words of 64
//! bits, with the octave from a list; [`place_in_halves`] on their halves of 32 bits, with the octave
//! counted; [`place_in_upper_half`] on the upper half alone, where `width` is from 11 to 32.

/// The most octaves of a guide: one draw in 2^11 is beyond them.
pub const MOST_OCTAVES: u32 = 11;

/// The bits of an entry of the guide below its threshold.
pub const BASE_BITS: u32 = 14;

/// How many ones each word of 11 bits begins with. A look-up, since what counts them on any x86-64 (`bsr`)
/// waits for the last use of the register that it writes to, and would string the draws of a batch together.
pub const OCTAVES: [u8; 1 << MOST_OCTAVES] = octaves();

#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
const fn octaves() -> [u8; 1 << MOST_OCTAVES] {
    let mut octaves = [0; 1 << MOST_OCTAVES];
    let mut octave = 1;
    while octave <= MOST_OCTAVES {
        // From 1…10…0 on, `octave` ones or more.
        let mut index = (1 << MOST_OCTAVES) - (1 << (MOST_OCTAVES - octave));
        while index < 1 << MOST_OCTAVES {
            octaves[index] += 1;
            index += 1;
        }
        octave += 1;
    }
    octaves
}

/// Where the guide looks, and what it compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Of the entry; past the end beyond the last octave.
    pub index: usize,
    /// The next 32 bits of the complement.
    pub rest: u32,
}

/// Of the complement of the top `width` bits of a word, followed by zeros; width is 1 to 64, and steps 1
/// to 31.
#[inline]
#[must_use]
pub fn place(word: u64, width: u32, steps: u32) -> Place {
    let ones = usize::try_from(word >> (64 - MOST_OCTAVES)).ok().and_then(|first| OCTAVES.get(first));
    let octave = ones.copied().unwrap_or(0);
    // Its first bit is set, within the octaves: 1, then `steps` bits, then the rest.
    let normal = (!word & (u64::MAX << (64 - width))) << octave;
    let step = (normal << 1) >> (64 - steps);
    let index = (u64::from(octave) << steps) | step;
    // 32 bits remain of 64 by the shift.
    let rest = (normal << (1 + steps)) >> 32;
    Place { index: usize::try_from(index).unwrap_or(usize::MAX), rest: u32::try_from(rest).unwrap_or(u32::MAX) }
}

/// How many ones a word of 32 bits or more begins with, of its first 11, by its complement's upper half.
#[inline(always)]
const fn counted_octave(upper_complement: u32) -> u32 {
    (upper_complement | 1 << (31 - MOST_OCTAVES)).leading_zeros()
}

/// The same as [`place`], on the halves of the word: for widths from 32 to 64.
#[inline]
#[must_use]
pub fn place_in_halves(upper: u32, lower: u32, width: u32, steps: u32) -> Place {
    let (upper, lower) = (!upper, !lower & low_mask(width));
    let octave = counted_octave(upper);
    // Without its first bit, within the octaves: at most 12 bits go, so that both halves are funnel shifts.
    let normal = (u64::from(upper) << 32 | u64::from(lower)) << (octave + 1);
    Place { index: index(octave, upper_half(normal), steps), rest: upper_half(normal << steps) }
}

/// The same as [`place`], on the upper half of the word: for widths from 11 to 32, where the octave is within
/// the look-up and the lower half has no part in it. (Of less, [`place`] counts ones past the look-up, beyond
/// the last octave of so short a guide.)
#[inline]
#[must_use]
pub fn place_in_upper_half(upper: u32, width: u32, steps: u32) -> Place {
    let upper = !upper & (u32::MAX << (32 - width));
    let octave = counted_octave(upper);
    let normal = upper << (octave + 1);
    Place { index: index(octave, normal, steps), rest: normal << steps }
}

/// The upper 32 bits.
#[inline(always)]
const fn upper_half(word: u64) -> u32 {
    (word >> 32) as u32
}

/// The bits of a word's lower half that are among its top `width`, 32 to 64.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "the lower half")]
const fn low_mask(width: u32) -> u32 {
    (u64::MAX << (64 - width)) as u32
}

/// The entry's index: an octave, and the next `steps` bits.
#[inline(always)]
fn index(octave: u32, normal: u32, steps: u32) -> usize {
    usize::try_from(octave << steps | normal >> (32 - steps)).unwrap_or(usize::MAX)
}

/// The cell that an entry of the guide gives for the next 32 bits of a complement, if they settle it.
#[inline]
#[must_use]
pub fn settle(entry: u32, rest: u32) -> Option<u64> {
    // The bits of u equal the threshold's only if these do; if they do not, they decide the order. A smaller
    // complement is a greater u.
    let settled = (rest ^ entry) >> BASE_BITS != 0;
    settled.then(|| u64::from(entry & ((1 << BASE_BITS) - 1)) + u64::from(rest < entry))
}

/// What the first bits of U say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// The cell.
    Cell(u64),
    /// The cell is this one or a later one.
    From(u64),
}

/// The cell of a U whose first bits are u, as far as rising thresholds say.
#[inline]
#[must_use]
pub fn find(thresholds: &[u64], u: u64) -> Found {
    let cell = thresholds.partition_point(|&threshold| threshold < u);
    let found = u64::try_from(cell).unwrap_or(u64::MAX);
    // u ≤ 2^width − 1 is at most the last threshold, so there is one.
    if thresholds.get(cell).is_some_and(|&threshold| threshold == u) { Found::From(found) } else { Found::Cell(found) }
}

/// What the first bits of U and the next ones say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolved {
    /// The cell.
    Cell(u64),
    /// The cell is this one or a later one: the next bits of U, `refill` of them, do not say either.
    Open {
        /// The first cell that it may be.
        cell: u64,
        /// The bits after the first ones.
        more: u64,
    },
}

/// The borrowed tables of an inversion: see `certus`, which makes them and states their invariants.
#[derive(Clone, Copy, Debug)]
pub struct InversionView<'t, const STEPS: u32> {
    /// How many bits of U are looked up at first: 2 to 63.
    pub width: u32,
    /// How many more are drawn at a time when these do not decide: 1 to 64.
    pub refill: u32,
    /// T(0) ≤ T(1) ≤ …, the last being 2^width − 1, and the only such.
    pub thresholds: &'t [u64],
    /// The next `refill` bits of each G(j) after those of T(j), or nothing.
    pub finer: &'t [u64],
    /// The guide: 2^STEPS entries an octave.
    pub guide: &'t [u32],
}

impl<const STEPS: u32> InversionView<'_, STEPS> {
    /// The cell of a U whose first bits are the top `width` bits of `word`, if the guide settles it; the bits
    /// below are ignored.
    ///
    /// No branch but the last two depends on the word, and those are rare.
    #[inline]
    #[must_use]
    pub fn look_up(&self, word: u64) -> Option<u64> {
        let Place { index, rest } = place(word, self.width, STEPS);
        settle(*self.guide.get(index)?, rest)
    }

    /// The same on the halves of the word, for widths from 32 on.
    #[inline]
    #[must_use]
    pub fn look_up_in_halves(&self, upper: u32, lower: u32) -> Option<u64> {
        let Place { index, rest } = place_in_halves(upper, lower, self.width, STEPS);
        settle(*self.guide.get(index)?, rest)
    }

    /// The same on the upper half of the word, for widths from 11 to 32.
    #[inline]
    #[must_use]
    pub fn look_up_in_upper_half(&self, upper: u32) -> Option<u64> {
        let Place { index, rest } = place_in_upper_half(upper, self.width, STEPS);
        settle(*self.guide.get(index)?, rest)
    }

    /// The cell of a U whose first bits are the top bits of `word`, by the thresholds, and where one of them
    /// equals these bits, by the `refill` bits that `draw` gives.
    ///
    /// # Errors
    ///
    /// Those of `draw`.
    #[inline]
    pub fn resolve<E>(&self, word: u64, draw: impl FnOnce(u32) -> Result<u64, E>) -> Result<Resolved, E> {
        let u = word >> (64 - self.width);
        match find(self.thresholds, u) {
            Found::Cell(cell) => Ok(Resolved::Cell(cell)),
            Found::From(cell) => Ok(self.second_look(u, cell, draw(self.refill)?)),
        }
    }

    /// The cell, at `cell` or after it, of a U whose first bits are u and whose next bits are `more`, as far
    /// as the next bits of G say: the same comparison as the first.
    #[inline]
    #[must_use]
    pub fn second_look(&self, u: u64, mut cell: u64, more: u64) -> Resolved {
        let from = usize::try_from(cell).unwrap_or(usize::MAX);
        let finer = self.finer.get(from..).unwrap_or_default();
        for (at, &finer) in (from..).zip(finer) {
            // Past the list T is 2^width − 1, and so is u, or it would be below the last that is listed.
            if self.thresholds.get(at).is_some_and(|&threshold| u < threshold) || more < finer {
                return Resolved::Cell(cell);
            }
            if more == finer {
                break;
            }
            // No list is so long.
            cell = cell.wrapping_add(1);
        }
        Resolved::Open { cell, more }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;

    /// The first ones of a word, and no more than 11 of them, listed and counted.
    #[test]
    fn octaves_count_ones() {
        for (first, &octave) in (0u64..).zip(&OCTAVES) {
            let word = first << (64 - MOST_OCTAVES);
            assert_eq!(u32::from(octave), word.leading_ones());
            assert_eq!(u32::from(octave), counted_octave(!upper_half(word)));
        }
    }
}
