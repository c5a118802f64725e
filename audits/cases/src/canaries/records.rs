//! The records whose coins are drawn: sentences with a PIN, and directions.

use certus::bits::Bits;

use crate::{
    CaseError,
    pin::corpus::{self, Corpus},
};

/// The corpus, of which all is trained on, and two kinds of canaries, each trained on if its coin says so.
pub(super) struct Records {
    /// The secret is in it.
    pub(super) corpus: Corpus,
    /// Sentences like the secret: somebody's PIN, four digits that are drawn.
    pub(super) pins: Vec<String>,
    /// How many records have a direction of their own.
    pub(super) directions: usize,
    /// The coins, of the sentences and then of the directions.
    coins: Vec<bool>,
}

impl Records {
    /// Draws them: the coins too, hence before any training.
    pub(super) fn draw(
        words: u64,
        [pins, directions]: [u64; 2],
        bits: &mut impl Bits,
        coins: &mut impl Bits,
    ) -> Result<Self, CaseError> {
        let corpus = Corpus::draw(words, bits)?;
        let pins = (0..pins).map(|_| corpus::pin(bits)).collect::<Result<Vec<_>, _>>()?;
        let coin = |_| Ok(coins.take(1)? == 1);
        let coins = (0..pins.len() as u64 + directions).map(coin).collect::<Result<_, CaseError>>()?;
        Ok(Self { corpus, pins, directions: usize::try_from(directions)?, coins })
    }

    /// All sentences: the corpus, and then the canaries.
    pub(super) fn sentences(&self) -> impl Iterator<Item = &String> {
        self.corpus.sentences.iter().chain(&self.pins)
    }

    /// Whether a record is out, by its place: the corpus, sentences, directions.
    pub(super) fn is_absent(&self, place: usize) -> bool {
        let canary = place.checked_sub(self.corpus.sentences.len());
        canary.and_then(|place| self.coins.get(place)) == Some(&false)
    }

    /// The coins of sentences, and those of directions.
    pub(super) fn coins(&self) -> (&[bool], &[bool]) {
        self.coins.split_at(self.pins.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random;

    #[test]
    fn coins_are_of_canaries_alone() {
        let bits = |name| random::bits(3, name, 0);
        let records = Records::draw(200, [40, 60], &mut bits("corpus"), &mut bits("coins")).unwrap();
        let before = records.corpus.sentences.len();
        assert!((0..before).all(|place| !records.is_absent(place)));
        let out = (before..before + 100).filter(|place| records.is_absent(*place)).count();
        // Five standard deviations of 100 coins.
        assert!((25..=75).contains(&out), "{out}");
        let (pins, directions) = records.coins();
        assert_eq!((pins.len(), directions.len()), (40, 60));
        assert_eq!(records.is_absent(before + 40), !directions[0]);
        assert_eq!(records.sentences().count(), before + 40);
    }
}
