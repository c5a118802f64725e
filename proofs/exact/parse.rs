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

/// A word that digits are appended to, as to a big integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Word(u32);

impl Mul<u8> for Word {
    type Output = Self;
    fn mul(self, factor: u8) -> Self {
        Self(self.0 * u32::from(factor))
    }
}

impl Add<u8> for Word {
    type Output = Self;
    fn add(self, digit: u8) -> Self {
        Self(self.0 + u32::from(digit))
    }
}

/// digits^digits · 10^tens: a number of which nothing is known but how it is multiplied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Power {
    digits: u32,
    tens: usize,
}

impl Mul for Power {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self { digits: self.digits + other.digits, tens: self.tens + other.tens }
    }
}

/// numerator/denominator = digits · 10^(exponent − places), with the least powers of ten, whatever the digits.
fn is_scaled(scaled: impl Fn(Power, usize, i16) -> (Power, Power), places: usize, exponent: i16) {
    let (up, down) = (usize::from(exponent.max(0).unsigned_abs()), usize::from(exponent.min(0).unsigned_abs()));
    let (numerator, denominator) = scaled(Power { digits: 1, tens: 0 }, places, exponent);
    assert!(numerator == Power { digits: 1, tens: up } && denominator == Power { digits: 0, tens: places + down });
}

fn shipped(digits: Power, places: usize, exponent: i16) -> (Power, Power) {
    scaled(digits, places, exponent, |tens| Power { digits: 0, tens })
}

/// Planted: an exponent below zero is taken for one above.
#[cfg(any(test, certus_controls))]
fn upwards(digits: Power, places: usize, exponent: i16) -> (Power, Power) {
    shipped(digits, places, exponent.abs())
}

/// The scanner accepts what the grammar does, and finds the number that it denotes.
fn finds_what_is_denoted(scan: impl Fn(&[u8]) -> Result<Scanned, NumberError>, text: &[u8]) {
    let found = scan(text).ok().map(|Scanned { negative, form }| match form {
        Form::Decimal { integer, fraction, exponent } => {
            let (Word(digits), places) = joined(Word(0), text, integer, fraction);
            Denoted { negative, digits, places: places as u32, exponent: exponent.into(), denominator: 1 }
        }
        Form::Fraction { numerator, denominator } => {
            let (Word(digits), Word(denominator)) =
                (append(Word(0), text, numerator), append(Word(0), text, denominator));
            Denoted { negative, digits, places: 0, exponent: 0, denominator }
        }
    });
    assert!(found == denotes(text));
}

/// Planted: a minus is read as a plus.
#[cfg(any(test, certus_controls))]
fn unsigned(text: &[u8]) -> Result<Scanned, NumberError> {
    scan(text).map(|scanned| Scanned { negative: false, ..scanned })
}

#[cfg(kani)]
mod harnesses {
    use super::*;

    /// ∀ texts of 1 byte, ASCII or not, and the empty text.
    #[kani::proof]
    #[kani::unwind(3)] // 1 byte
    #[kani::solver(minisat)]
    fn verify_scan_1() {
        finds_what_is_denoted(scan, &[]);
        let text: [u8; 1] = kani::any();
        finds_what_is_denoted(scan, &text);
        kani::cover!(text == *b"7", "a digit");
    }

    /// ∀ texts of 2 bytes. Slow.
    #[kani::proof]
    #[kani::unwind(4)] // 2 bytes
    #[kani::solver(minisat)]
    fn verify_scan_2() {
        let text: [u8; 2] = kani::any();
        finds_what_is_denoted(scan, &text);
        kani::cover!(text == *b"-7", "a sign");
    }

    /// ∀ texts of 3 bytes. Slow.
    #[kani::proof]
    #[kani::unwind(5)] // 3 bytes
    #[kani::solver(minisat)]
    fn verify_scan_3() {
        let text: [u8; 3] = kani::any();
        finds_what_is_denoted(scan, &text);
        kani::cover!(text == *b"1/0", "a zero denominator");
    }

    /// ∀ texts of 4 bytes. Slow.
    #[kani::proof]
    #[kani::unwind(6)] // 4 bytes
    #[kani::solver(minisat)]
    fn verify_scan_4() {
        let text: [u8; 4] = kani::any();
        finds_what_is_denoted(scan, &text);
        kani::cover!(text == *b"-1e9", "an exponent");
    }

    /// ∀ texts of 5 bytes. Slow.
    #[kani::proof]
    #[kani::unwind(7)] // 5 bytes
    #[kani::solver(minisat)]
    fn verify_scan_5() {
        let text: [u8; 5] = kani::any();
        finds_what_is_denoted(scan, &text);
        kani::cover!(text == *b"1.5e9", "a decimal");
    }

    /// ∀ texts of 6 bytes. Slow.
    #[kani::proof]
    #[kani::unwind(8)] // 6 bytes
    #[kani::solver(minisat)]
    fn verify_scan_6() {
        let text: [u8; 6] = kani::any();
        finds_what_is_denoted(scan, &text);
        kani::cover!(text == *b"+35/11", "a fraction");
        kani::cover!(text == *b"1e1001", "an exponent out of range");
    }

    fn any_scale() -> (usize, i16) {
        let (places, exponent): (usize, i16) = (kani::any(), kani::any());
        kani::assume(places <= MAX_DIGITS && exponent.unsigned_abs() <= MAX_EXPONENT);
        (places, exponent)
    }

    /// ∀ digits, numbers of places and exponents that the scanner lets through.
    #[kani::proof]
    #[kani::solver(minisat)]
    fn verify_scaled() {
        let (places, exponent) = any_scale();
        is_scaled(shipped, places, exponent);
        kani::cover!(exponent == -1000 && places == 999, "far below one");
    }

    #[cfg(certus_controls)]
    #[kani::proof]
    #[kani::solver(minisat)]
    fn refute_scaled_upwards() {
        let (places, exponent) = any_scale();
        is_scaled(upwards, places, exponent);
    }

    /// Slow.
    #[cfg(certus_controls)]
    #[kani::proof]
    #[kani::unwind(4)]
    #[kani::solver(minisat)]
    fn refute_scan_unsigned() {
        let text: [u8; 2] = kani::any();
        finds_what_is_denoted(unsigned, &text);
    }
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
    fn scales_exhaustively() {
        for places in 0..=MAX_DIGITS {
            for exponent in -1000..=1000 {
                is_scaled(shipped, places, exponent);
            }
        }
    }

    #[test]
    #[should_panic(expected = "assertion")]
    fn a_planted_scale_is_seen() {
        is_scaled(upwards, 0, -1);
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
