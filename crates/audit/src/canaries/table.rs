//! Canaries with their scores and coins, and how many of r guesses are right.
#![expect(clippy::float_arithmetic, reason = "a difference of scores, which orders guesses and decides nothing else")]

use certus::bits::Bits;

use super::CanaryError;

/// The most canaries of one run.
pub const MOST_CANARIES: usize = 100_000_000;

/// A record that was trained on or not, as its fair coin said, and what the model says of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Canary {
    /// The greater, the more the model seems to have seen it; computed without the coins.
    pub score: f64,
    /// Whether it was trained on.
    pub is_in: bool,
}

/// How scores become guesses. It is fixed before scores are seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Guessing {
    /// Scores of any unit: of r guesses the greater half is of the greatest scores, "in", and the other of
    /// the least, "out".
    Ranks,
    /// Scores that are logarithms of likelihood ratios, or centred like them: the r of the greatest size,
    /// "in" where they are positive and "out" where they are negative.
    Ratios,
}

/// The canaries of one run.
///
/// **Ties are broken by fresh coins, and never by the order of the list**, which may know the coins: a file
/// that is sorted by them would turn equal scores into right guesses.
#[derive(Clone, Debug)]
pub struct Canaries {
    /// Each with its own random number.
    list: Vec<(Canary, u64)>,
    is_paired: bool,
}

impl Canaries {
    /// Canaries with a coin each.
    ///
    /// # Errors
    ///
    /// If there are none or too many, a score is no number, or the source of bits fails.
    pub fn new(list: &[Canary], bits: &mut impl Bits) -> Result<Self, CanaryError> {
        Self::with_ties(list.to_vec(), false, bits)
    }

    /// Pairs with a coin each: one of the two was trained on, and the other was not, so that neighbours
    /// differ by a record that is *changed*. The guess is the one of the greater score, and strong where the
    /// scores are far apart.
    ///
    /// # Errors
    ///
    /// As [`Canaries::new`], and if both of a pair are in, or neither is, or both scores are infinite alike.
    pub fn of_pairs(pairs: &[[Canary; 2]], bits: &mut impl Bits) -> Result<Self, CanaryError> {
        let game = |[one, two]: &[Canary; 2]| {
            if one.is_in == two.is_in {
                return Err(CanaryError::Pair);
            }
            Ok(Canary { score: one.score - two.score, is_in: one.is_in })
        };
        Self::with_ties(pairs.iter().map(game).collect::<Result<_, _>>()?, true, bits)
    }

    fn with_ties(list: Vec<Canary>, is_paired: bool, bits: &mut impl Bits) -> Result<Self, CanaryError> {
        if list.is_empty() || list.len() > MOST_CANARIES {
            return Err(CanaryError::Count);
        }
        if list.iter().any(|canary| canary.score.is_nan()) {
            return Err(CanaryError::Score);
        }
        bits.begin()?;
        let mut ties = vec![0; list.len()];
        bits.words(&mut ties)?;
        // −0 + 0 = +0: the two are equal scores.
        let list = list.into_iter().map(|canary| Canary { score: canary.score + 0.0, ..canary });
        Ok(Self { list: list.zip(ties).collect(), is_paired })
    }

    /// m: how many coins there are.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.list.len() as u64
    }

    /// Whether there are none, which cannot be.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// How many are in.
    #[must_use]
    pub fn count_in(&self) -> u64 {
        self.list.iter().filter(|(canary, _)| canary.is_in).count() as u64
    }

    /// Whether one of each pair is in.
    #[must_use]
    pub fn is_paired(&self) -> bool {
        self.is_paired
    }

    /// The canaries, in the order given.
    pub fn iter(&self) -> impl Iterator<Item = Canary> {
        self.list.iter().map(|(canary, _)| *canary)
    }

    /// How many of r guesses are right, for each r. Pairs are always guessed by the sign of their difference.
    #[must_use]
    pub fn right(&self, guessing: Guessing, guesses: &[u64]) -> Vec<u64> {
        let by_size = guessing == Guessing::Ratios || self.is_paired;
        let mut order = self.list.clone();
        let strength = |(canary, tie): &(Canary, u64)| {
            let score = if by_size { canary.score.abs() } else { canary.score };
            (score, *tie)
        };
        // From the greatest.
        order.sort_unstable_by(|one, two| {
            let ((one, one_tie), (two, two_tie)) = (strength(one), strength(two));
            two.total_cmp(&one).then(two_tie.cmp(&one_tie))
        });
        let count = |of: &[(Canary, u64)], says_in: &dyn Fn(&(Canary, u64)) -> bool| {
            of.iter().filter(|one| says_in(one) == one.0.is_in).count() as u64
        };
        let right = |r: u64| {
            let r = usize::try_from(r).unwrap_or(usize::MAX).min(order.len());
            let (strong, _) = order.split_at(if by_size { r } else { r.div_ceil(2) });
            if by_size {
                // Without evidence either way, a coin.
                return count(strong, &|(canary, tie)| canary.score > 0.0 || (canary.score == 0.0 && tie % 2 == 0));
            }
            let (_, weak) = order.split_at(order.len() - r / 2);
            count(strong, &|_| true) + count(weak, &|_| false)
        };
        guesses.iter().map(|r| right(*r)).collect()
    }
}

#[cfg(test)]
mod tests {
    use certus::bits::seeded;

    use super::*;

    fn canaries(list: &[(f64, bool)]) -> Canaries {
        let list: Vec<_> = list.iter().map(|(score, is_in)| Canary { score: *score, is_in: *is_in }).collect();
        Canaries::new(&list, &mut seeded([1; 32])).unwrap()
    }

    #[test]
    fn guesses_by_hand() {
        let table = canaries(&[(3.0, true), (-4.0, true), (2.0, false), (-1.0, false), (0.5, true), (-3.0, false)]);
        // In: 3, 2, ½; out: −4, −3, −1. By size: −4, 3, −3, 2, −1, ½.
        assert_eq!(table.right(Guessing::Ranks, &[1, 2, 3, 4, 6]), [1, 1, 1, 2, 4]);
        assert_eq!(table.right(Guessing::Ratios, &[1, 2, 3, 4, 6]), [0, 1, 2, 2, 4]);
        assert_eq!((table.len(), table.count_in()), (6, 3));
    }

    /// Equal scores tell nothing, whatever the order of the list: a file sorted by its coins has about half
    /// of the guesses right.
    #[test]
    fn the_order_of_the_list_tells_nothing() {
        let sorted: Vec<_> = (0..10_000).map(|place| (0.0, place < 5_000)).collect();
        for guessing in [Guessing::Ranks, Guessing::Ratios] {
            for right in canaries(&sorted).right(guessing, &[1000]) {
                // Six standard errors.
                assert!((400..=600).contains(&right), "{guessing:?}: {right} of 1000");
            }
        }
        let pairs = vec![[Canary { score: 1.0, is_in: true }, Canary { score: 1.0, is_in: false }]; 1000];
        let paired = Canaries::of_pairs(&pairs, &mut seeded([2; 32])).unwrap();
        let right = paired.right(Guessing::Ranks, &[1000])[0];
        assert!((400..=600).contains(&right), "pairs: {right} of 1000");
    }

    #[test]
    fn pairs_are_guessed_by_their_difference() {
        let pair = |one: f64, two: f64, first: bool| {
            [Canary { score: one, is_in: first }, Canary { score: two, is_in: !first }]
        };
        // Only the second is guessed wrong, and its scores are nearest.
        let pairs = [pair(5.0, 1.0, true), pair(2.0, 1.0, false), pair(-7.0, 0.0, false)];
        let table = Canaries::of_pairs(&pairs, &mut seeded([3; 32])).unwrap();
        assert_eq!(table.right(Guessing::Ranks, &[1, 2, 3]), [1, 2, 2]);
        let both = [Canary { score: 1.0, is_in: true }; 2];
        assert_eq!(Canaries::of_pairs(&[both], &mut seeded([3; 32])).unwrap_err(), CanaryError::Pair);
    }

    #[test]
    fn what_is_no_score_is_refused() {
        let bad = [Canary { score: f64::NAN, is_in: true }];
        assert_eq!(Canaries::new(&bad, &mut seeded([1; 32])).unwrap_err(), CanaryError::Score);
        assert_eq!(Canaries::new(&[], &mut seeded([1; 32])).unwrap_err(), CanaryError::Count);
        let infinite = [(f64::INFINITY, true), (f64::NEG_INFINITY, false)];
        assert_eq!(canaries(&infinite).right(Guessing::Ranks, &[2]), [2]);
    }
}
