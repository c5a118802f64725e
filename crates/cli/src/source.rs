//! Where the command's random bits come from, and the values that its arguments denote.

use std::io::{self, Write};

use rand_chacha::ChaCha20Rng;

use super::{Failure, suggest};
use certus::{
    bits::{BitStream, Bits, BitsError, SystemBits, seeded},
    exact::{NumberError, Rational, parse},
    mechanism::{AnyMechanism, Spec, from_spec},
};

/// The system's randomness, or a seed's.
pub(super) enum Source {
    System(SystemBits),
    Seeded(BitStream<ChaCha20Rng>),
}

impl Source {
    /// The system's randomness, or the seed's with a warning on standard error.
    pub(super) fn new(seed: Option<[u8; 32]>) -> Result<Self, Failure> {
        if seed.is_some() {
            let _ =
                writeln!(io::stderr(), "warning: --seed makes every sample predictable: for tests only, not private");
        }
        Self::quiet(seed)
    }

    /// The same, without a word.
    pub(super) fn quiet(seed: Option<[u8; 32]>) -> Result<Self, Failure> {
        Ok(match seed {
            None => Self::System(SystemBits::new()?),
            Some(seed) => Self::Seeded(seeded(seed)),
        })
    }
}

impl Bits for Source {
    fn begin(&mut self) -> Result<(), BitsError> {
        match self {
            Self::System(bits) => bits.begin(),
            Self::Seeded(bits) => bits.begin(),
        }
    }

    #[inline]
    fn take(&mut self, count: u32) -> Result<u64, BitsError> {
        match self {
            Self::System(bits) => bits.take(count),
            Self::Seeded(bits) => bits.take(count),
        }
    }

    #[inline]
    fn words(&mut self, words: &mut [u64]) -> Result<(), BitsError> {
        match self {
            Self::System(bits) => bits.words(words),
            Self::Seeded(bits) => bits.words(words),
        }
    }
}

/// 1 to 64 hex digits, as a 256-bit number, most significant byte first.
pub(super) fn seed(text: Option<&str>) -> Result<Option<[u8; 32]>, Failure> {
    let Some(text) = text else { return Ok(None) };
    let refused = || Failure::value("--seed", text, "must be 1 to 64 hex digits");
    if text.is_empty() || text.len() > 64 {
        return Err(refused());
    }
    let mut seed = [0; 32];
    for (index, digit) in text.chars().rev().enumerate() {
        let digit = digit.to_digit(16).and_then(|digit| u8::try_from(digit).ok()).ok_or_else(refused)?;
        let byte = seed.iter_mut().rev().nth(index / 2).ok_or_else(refused)?;
        *byte |= if index % 2 == 0 { digit } else { digit << 4 };
    }
    Ok(Some(seed))
}

/// A number; `must` says what is accepted. Of a number that is too long, or has too large an exponent, the
/// refusal says that as well.
pub(super) fn number(name: &str, text: &str, must: &str) -> Result<Rational, Failure> {
    parse(text).map_err(|error| match error {
        NumberError::ZeroDenominator | NumberError::TooManyDigits | NumberError::ExponentOutOfRange => {
            Failure::value(name, text, &format!("{must}, and {error}"))
        }
        _ => Failure::value(name, text, must),
    })
}

/// An integer from `least` to `most`.
pub(super) fn count(name: &str, text: &str, least: u64, most: u64) -> Result<u64, Failure> {
    let must = format!("must be an integer from {least} to {most}");
    let refused = || Failure::value(name, text, &must);
    let value = parse(text).map_err(|_| refused())?;
    if !value.is_integer() {
        return Err(refused());
    }
    u64::try_from(value.to_integer()).ok().filter(|value| (least..=most).contains(value)).ok_or_else(refused)
}

/// A mechanism on its own: `*k` is for commands that compose.
pub(super) fn mechanism(text: &str) -> Result<(Spec, Box<dyn AnyMechanism>), Failure> {
    let refused = |error| suggest::refused("SPEC", &error);
    let spec: Spec = text.parse().map_err(refused)?;
    let mechanism = from_spec(&spec).map_err(refused)?;
    if spec.copies().is_some() {
        return Err(Failure::argument("SPEC", "*k (k copies) is not accepted here: this command takes one mechanism"));
    }
    Ok((spec, mechanism))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_is_a_number_in_hex() {
        let of = |text: &str| seed(Some(text)).ok().flatten();
        assert_eq!(of("0a1").map(|seed| seed[30..].to_vec()), Some(vec![0, 0xa1]));
        assert_eq!(of("A1"), of("00a1"));
        assert_eq!(of(&"f".repeat(64)), Some([255; 32]));
        let too_long = "0".repeat(65);
        for bad in ["", "g", "-1", "0x1", " 1", "é", too_long.as_str()] {
            assert_eq!(of(bad), None, "{bad}");
        }
        assert!(matches!(seed(None), Ok(None)));
    }

    #[test]
    fn counts_are_integers_in_range() {
        let of = |text: &str| count("-n", text, 1, 1000).ok();
        assert_eq!(of("1e3"), Some(1000));
        for bad in ["0", "1001", "-5", "1/2", "abc", "", "1e999999999", "NaN"] {
            assert_eq!(of(bad), None, "{bad}");
        }
    }
}
