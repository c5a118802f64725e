//! The attack: all 10,000 PINs by perplexity.

use super::{
    corpus::{PROMPT, Vocabulary},
    model::Reader,
};
use crate::CaseError;

/// A PIN, and how little it surprises the model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Guess {
    /// Four digits.
    pub pin: u32,
    /// (q(w1) … q(wn))^(−1/n) over the n = 8 words "my pin number is d d d d", each given those before it.
    pub perplexity: f64,
}

/// Every PIN, the least perplexing first. One pass over the tree of digits: 1 + 10 + 100 + 1,000 texts.
pub fn ranking(reader: &Reader, vocabulary: &Vocabulary) -> Result<Vec<Guess>, CaseError> {
    let expects = |row: &[f64], word: u32| row.get(word as usize).copied().unwrap_or(f64::NEG_INFINITY);
    let mut reading = reader.start()?;
    let mut prompt = 0.0;
    let words = vocabulary.encode(PROMPT);
    for &word in &words {
        prompt += reading.expects.iter().map(|row| expects(row, word)).sum::<f64>();
        reading = reader.read(&reading, &[(0, word)])?;
    }
    // ln q of each text so far; text k is that whose digits are those of k.
    let mut texts = vec![prompt];
    for place in 0..4 {
        let longer = texts.iter().zip(&reading.expects);
        let longer =
            longer.flat_map(|(text, row)| (0..10).map(move |digit| text + expects(row, vocabulary.digit(digit))));
        texts = longer.collect();
        if place < 3 {
            let next: Vec<(u32, u32)> =
                (0..texts.len() as u32).map(|text| (text / 10, vocabulary.digit(text % 10))).collect();
            reading = reader.read(&reading, &next)?;
        }
    }
    let count = (words.len() + 4) as f64;
    let mut guesses: Vec<Guess> =
        (0..).zip(texts).map(|(pin, text)| Guess { pin, perplexity: (-text / count).exp() }).collect();
    guesses.sort_by(|a, b| a.perplexity.total_cmp(&b.perplexity).then(a.pin.cmp(&b.pin)));
    Ok(guesses)
}

/// Where a PIN is, from 1.
pub fn rank(guesses: &[Guess], pin: u32) -> usize {
    guesses.iter().position(|guess| guess.pin == pin).map_or(guesses.len(), |place| place + 1)
}

/// In how many digits two PINs differ.
pub fn distance(a: u32, b: u32) -> usize {
    [1, 10, 100, 1000].into_iter().filter(|unit| a / unit % 10 != b / unit % 10).count()
}
