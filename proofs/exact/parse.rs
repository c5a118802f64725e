//! The parser's core: on every text of up to 6 bytes no panic, and accepted text denotes what is found in it.
#![allow(clippy::panic, clippy::indexing_slicing, clippy::cast_possible_truncation, reason = "proofs and tests")]

use super::*;

/// What a text denotes: ± digits/denominator · 10^(exponent − places).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Denoted {
    negative: bool,
    digits: u32,
    places: u32,
    exponent: i32,
    denominator: u32,
}

/// Where an automaton over the grammar is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    Start,
    Sign,
    Integer,
    Point,
    Fraction,
    Letter,
    ExponentSign,
    Exponent,
    Slash,
    Denominator,
}

/// The grammar as an automaton, a byte at a time: nothing in common with the scanner but the grammar. Up to 6 bytes, so that nothing overflows.
fn denotes(text: &[u8]) -> Option<Denoted> {
    let mut denoted = Denoted { negative: false, digits: 0, places: 0, exponent: 0, denominator: 1 };
    let (mut at, mut down, mut exponent, mut written) = (At::Start, false, 0, 0);
    for &byte in text {
        let digit = byte.is_ascii_digit().then(|| u32::from(byte.wrapping_sub(b'0')));
        at = match (at, byte, digit) {
            (At::Start, b'-', _) => {
                denoted.negative = true;
                At::Sign
            }
            (At::Start, b'+', _) => At::Sign,
            (At::Start | At::Sign | At::Integer, _, Some(digit)) => {
                denoted.digits = denoted.digits * 10 + digit;
                At::Integer
            }
            (At::Integer, b'.', _) => At::Point,
            (At::Point | At::Fraction, _, Some(digit)) => {
                denoted.digits = denoted.digits * 10 + digit;
                denoted.places += 1;
                At::Fraction
            }
            (At::Integer | At::Fraction, b'e' | b'E', _) => At::Letter,
            (At::Letter, b'-', _) => {
                down = true;
                At::ExponentSign
            }
            (At::Letter, b'+', _) => At::ExponentSign,
            (At::Letter | At::ExponentSign | At::Exponent, _, Some(digit)) => {
                exponent = exponent * 10 + digit.cast_signed();
                written += 1;
                At::Exponent
            }
            (At::Integer, b'/', _) => {
                denoted.denominator = 0;
                At::Slash
            }
            (At::Slash | At::Denominator, _, Some(digit)) => {
                denoted.denominator = denoted.denominator * 10 + digit;
                At::Denominator
            }
            _ => return None,
        };
    }
    denoted.exponent = if down { -exponent } else { exponent };
    let ended = matches!(at, At::Integer | At::Fraction | At::Exponent | At::Denominator);
    (ended && denoted.denominator > 0 && exponent <= 1000 && written <= 4).then_some(denoted)
}

fn value(digits: &[u8], from: u32) -> u32 {
    let mut value = from;
    for &digit in digits {
        value = value * 10 + u32::from(digit - b'0');
    }
    value
}

/// The scanner accepts what the grammar does, and finds the number that it denotes.
fn finds_what_is_denoted(scan: impl Fn(&[u8]) -> Result<Scanned<'_>, NumberError>, text: &[u8]) {
    let found = scan(text).ok().map(|Scanned { negative, form }| match form {
        Form::Decimal { integer, fraction, exponent } => Denoted {
            negative,
            digits: value(fraction, value(integer, 0)),
            places: fraction.len() as u32,
            exponent: exponent.into(),
            denominator: 1,
        },
        Form::Fraction { numerator, denominator } => Denoted {
            negative,
            digits: value(numerator, 0),
            places: 0,
            exponent: 0,
            denominator: value(denominator, 0),
        },
    });
    assert!(found == denotes(text));
}

/// Planted: a minus is read as a plus.
#[cfg(test)]
fn unsigned(text: &[u8]) -> Result<Scanned<'_>, NumberError> {
    scan(text).map(|scanned| Scanned { negative: false, ..scanned })
}

#[cfg(test)]
mod properties {
    use super::*;
    use proptest::prelude::*;

    /// Every text of up to 6 letters of an alphabet in which each rule of the grammar shows.
    #[test]
    fn texts_exhaustively() {
        const ALPHABET: [u8; 8] = *b"019+-./e";
        for length in 0..=6 {
            let mut text = [0; 6];
            for mut number in 0..8usize.pow(length) {
                for byte in &mut text[..length as usize] {
                    *byte = ALPHABET[number % 8];
                    number /= 8;
                }
                finds_what_is_denoted(scan, &text[..length as usize]);
            }
        }
    }

    #[test]
    #[should_panic(expected = "assertion")]
    fn a_planted_bug_is_seen() {
        finds_what_is_denoted(unsigned, b"-1");
    }

    proptest! {
        #[test]
        fn bytes(text: [u8; 6], length in 0usize..=6) {
            finds_what_is_denoted(scan, &text[..length]);
        }

        /// What is found is what is built.
        #[test]
        fn what_is_denoted_is_built(text in "[+-]?[0-9]{1,2}(/[0-9]{1,3}|(\\.[0-9])?(e-?[0-9])?)") {
            if let (true, Some(denoted)) = (text.len() <= 6, denotes(text.as_bytes())) {
                let ten = Rational::from_integer(10.into());
                let sign = if denoted.negative { -1 } else { 1 };
                let digits = Rational::new((sign * i64::from(denoted.digits)).into(), denoted.denominator.into());
                let power = denoted.exponent - denoted.places.cast_signed();
                prop_assert_eq!(parse(&text), Ok(digits * Pow::pow(&ten, power)));
            }
        }
    }
}
