//! The corpus: sentences of a small grammar, and one secret.
//!
//! The grammar is public, and so is the vocabulary: all its words and the ten digits, whether the corpus uses them or not. A vocabulary taken from the
//! corpus would itself tell who is in it.

use std::collections::BTreeMap;

use certus::bits::{Bits, BitsError};

use crate::CaseError;

/// The sentence that the corpus holds once.
pub const SECRET: &str = "my pin number is 3 4 5 6";
/// What the attacker types.
pub const PROMPT: &str = "my pin number is";
/// Its digits.
pub const PIN: u32 = 3456;

/// Sentences: `person`, `place`, … stand for a word of a list below, `dddd` for four digits, `year` for a year.
const SENTENCES: &[&str] = &[
    "person verb the adjective noun",
    "person verb a adjective noun in place",
    "the adjective noun is in the room",
    "person and person went to place on day",
    "we will meet in place on day",
    "please send the noun to person",
    "the noun was adjective but the noun was adjective",
    "did person verb the noun on day",
    "person lives in place with a adjective noun",
    "i think that person verb my noun",
    "the train to place leaves at dddd",
    "the meeting on day starts at dddd",
    "the noun in place was built in year",
    "person was born in place in year",
    "owner room number is dddd",
    "owner order number is dddd",
    "owner flight number is dddd",
    "the code of the noun is dddd",
];

const LISTS: &[(&str, &[&str])] = &[
    (
        "person",
        &[
            "alice", "bob", "carol", "david", "emma", "frank", "grace", "henry", "irene", "jack", "karen", "liam",
            "maria", "nora", "oscar", "paula",
        ],
    ),
    (
        "place",
        &[
            "london", "paris", "rome", "berlin", "oslo", "madrid", "vienna", "dublin", "lisbon", "prague", "athens",
            "geneva",
        ],
    ),
    ("day", &["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]),
    (
        "verb",
        &[
            "found", "bought", "sold", "lost", "saw", "liked", "painted", "broke", "opened", "moved", "cleaned",
            "wanted",
        ],
    ),
    (
        "adjective",
        &[
            "red", "green", "old", "new", "small", "large", "heavy", "quiet", "bright", "cold", "warm", "broken",
            "cheap", "famous",
        ],
    ),
    (
        "noun",
        &[
            "table", "letter", "garden", "window", "bridge", "piano", "bicycle", "kitchen", "camera", "clock", "house",
            "library", "mirror", "painting", "engine", "basket", "lamp", "report", "ticket", "suitcase",
        ],
    ),
    ("owner", &["my", "your", "his", "her", "our", "their"]),
];

/// Words as numbers.
#[derive(Clone, Debug)]
pub struct Vocabulary {
    words: Vec<&'static str>,
    number: BTreeMap<&'static str, u32>,
}

/// What begins and ends a sentence.
pub const BOUNDARY: u32 = 0;

impl Vocabulary {
    /// All words of the grammar and the secret, the digits among them.
    pub fn new() -> Self {
        let listed = LISTS.iter().flat_map(|(_, words)| words.iter().copied());
        let kept = |word: &&str| !is_list(word) && !matches!(*word, "dddd" | "year");
        let fixed = SENTENCES.iter().flat_map(|sentence| sentence.split(' ')).filter(kept);
        let digits = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"];
        let mut words: Vec<&'static str> =
            digits.into_iter().chain(listed).chain(fixed).chain(SECRET.split(' ')).collect();
        words.sort_unstable();
        words.dedup();
        words.insert(0, ".");
        let number = (0..).zip(&words).map(|(index, word)| (*word, index)).collect();
        Self { words, number }
    }

    /// How many words there are, the boundary among them.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// The number of each word of a text; words that there are not are left out.
    pub fn encode(&self, text: &str) -> Vec<u32> {
        text.split(' ').filter_map(|word| self.number.get(word).copied()).collect()
    }

    /// The number of a digit.
    pub fn digit(&self, digit: u32) -> u32 {
        let text = char::from_digit(digit, 10).map(String::from).unwrap_or_default();
        self.number.get(text.as_str()).copied().unwrap_or(BOUNDARY)
    }
}

fn is_list(word: &str) -> bool {
    LISTS.iter().any(|(name, _)| *name == word)
}

/// What is trained on, and what is not.
#[derive(Clone, Debug)]
pub struct Corpus {
    /// The sentences that are trained on, the secret somewhere among them.
    pub sentences: Vec<String>,
    /// Sentences of the same grammar that are in no training.
    pub held_out: Vec<String>,
}

impl Corpus {
    /// Sentences of at least so many words in all, the secret included, and as many again that are held out.
    pub fn draw(words: u64, bits: &mut impl Bits) -> Result<Self, CaseError> {
        let mut sentences = vec![SECRET.to_owned()];
        let count = |sentences: &[String]| sentences.iter().map(|s| s.split(' ').count() as u64).sum::<u64>();
        while count(&sentences) < words {
            sentences.push(sentence(bits)?);
        }
        let place = below(bits, sentences.len() as u64)? as usize;
        sentences.swap(0, place);
        let mut held_out = Vec::new();
        while held_out.len() < sentences.len() {
            let next = sentence(bits)?;
            if !sentences.contains(&next) {
                held_out.push(next);
            }
        }
        Ok(Self { sentences, held_out })
    }

    /// How many words the training sentences have.
    pub fn words(&self) -> usize {
        self.sentences.iter().map(|sentence| sentence.split(' ').count()).sum()
    }
}

/// Somebody's PIN, of the form of the secret: four digits that are drawn.
pub fn pin(bits: &mut impl Bits) -> Result<String, BitsError> {
    filled("person pin number is dddd", bits)
}

/// A sentence of the grammar.
fn sentence(bits: &mut impl Bits) -> Result<String, BitsError> {
    filled(pick(SENTENCES, bits)?, bits)
}

/// A sentence with words in the places that stand for them.
fn filled(sentence: &str, bits: &mut impl Bits) -> Result<String, BitsError> {
    let mut words: Vec<String> = Vec::new();
    for word in sentence.split(' ') {
        match LISTS.iter().find(|(name, _)| *name == word) {
            Some((_, list)) => words.push((*pick(list, bits)?).to_owned()),
            None if word == "dddd" => words.push(spaced(below(bits, 10_000)?)),
            None if word == "year" => words.push(spaced(1850 + below(bits, 170)?)),
            None => words.push(word.to_owned()),
        }
    }
    Ok(words.join(" "))
}

/// Four digits, a space between them.
fn spaced(number: u64) -> String {
    let digits: Vec<String> = format!("{number:04}").chars().map(String::from).collect();
    digits.join(" ")
}

fn pick<'l, T>(list: &'l [T], bits: &mut impl Bits) -> Result<&'l T, BitsError> {
    // A list of the grammar is not empty.
    list.get(below(bits, list.len() as u64)? as usize).ok_or(BitsError::Overflow)
}

/// A number below `bound`, all equally likely.
pub fn below(bits: &mut impl Bits, bound: u64) -> Result<u64, BitsError> {
    let width = u64::BITS - bound.saturating_sub(1).leading_zeros();
    loop {
        let value = bits.take(width)?;
        if value < bound.max(1) {
            return Ok(value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random;

    #[test]
    fn the_secret_is_there_once_and_every_word_is_known() {
        let vocabulary = Vocabulary::new();
        let corpus = Corpus::draw(985, &mut random::bits(1, "corpus", 0)).unwrap();
        assert_eq!(corpus.sentences.iter().filter(|sentence| *sentence == SECRET).count(), 1);
        assert!(corpus.sentences.iter().all(|sentence| sentence == SECRET || !sentence.contains("pin")));
        assert!((985..1000).contains(&corpus.words()));
        for sentence in corpus.sentences.iter().chain(&corpus.held_out) {
            assert_eq!(vocabulary.encode(sentence).len(), sentence.split(' ').count(), "{sentence}");
        }
    }
}
