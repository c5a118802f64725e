//! Exact numbers as text (feature `serde`): `"1/10"`, `"3"`. A number that is not text is refused: it may
//! have been rounded already.
//!
//! One limit holds both ways. What is written is the canonical text ([`render`]); a number that has none
//! within the limits of [`parse`] is an error where it is written, not where somebody wants to read it.

use alloc::string::String;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

use super::{
    Integer, MAX_DIGITS, MAX_EXPONENT, NonNegative, NumberError, Positive, Probability, Rational, parse, render,
};

/// More bits than the numerator or denominator of any number that [`parse`] reads: it is at most
/// 10^([`MAX_DIGITS`] + [`MAX_EXPONENT`]), and a decimal digit is less than four bits.
const MOST_BITS: u64 = 4 * (MAX_DIGITS as u64 + MAX_EXPONENT as u64);

/// The text that [`parse`] reads back as this number.
fn text(value: &Rational) -> Result<String, NumberError> {
    if value.numer().bits().max(value.denom().bits()) > MOST_BITS {
        return Err(NumberError::TooManyDigits);
    }
    let text = render(value);
    parse(&text).map(|_| text)
}

macro_rules! ranged_text {
    ($($name:ident)*) => {$(
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&text(self.get()).map_err(serde::ser::Error::custom)?)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                Self::new(parse(&text).map_err(D::Error::custom)?).map_err(D::Error::custom)
            }
        }
    )*};
}

ranged_text!(Positive NonNegative Probability);

impl Serialize for Integer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let number = Rational::from_integer(self.to_big());
        serializer.serialize_str(&text(&number).map_err(serde::ser::Error::custom)?)
    }
}

impl<'de> Deserialize<'de> for Integer {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = parse(&String::deserialize(deserializer)?).map_err(D::Error::custom)?;
        if !number.is_integer() {
            return Err(D::Error::custom("must be a whole number"));
        }
        Ok(Self::from(number.to_integer()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::Rational;

    #[test]
    fn text_both_ways() {
        let tenth = Positive::new(Rational::new(1.into(), 10.into())).unwrap();
        assert_eq!(serde_json::to_string(&tenth).unwrap(), "\"1/10\"");
        for text in ["\"1/10\"", "\"0.1\"", "\"1e-1\"", "\"2/20\""] {
            assert_eq!(serde_json::from_str::<Positive>(text).unwrap(), tenth);
        }
        let refused = |text: &str| serde_json::from_str::<Positive>(text).unwrap_err().to_string();
        assert_eq!(refused("\"0\""), "must be positive (> 0)");
        assert_eq!(refused("\"-1\""), "must be positive (> 0)");
        assert!(refused("0.1").contains("expected a string"), "{}", refused("0.1"));
        assert!(serde_json::from_str::<Probability>("\"3/2\"").is_err());
        assert!(serde_json::from_str::<NonNegative>("\"1e999999999\"").is_err());
        let big = serde_json::from_str::<Integer>("\"9223372036854775808\"").unwrap();
        assert_eq!(serde_json::to_string(&big).unwrap(), "\"9223372036854775808\"");
        assert!(serde_json::from_str::<Integer>("\"1/2\"").is_err());
    }

    /// Whatever is written is read: what parses comes back, however long its fraction, and nothing else is
    /// written.
    #[test]
    fn one_limit_both_ways() {
        for text in
            ["1e-1000", "1e1000", "0.01e-999", "7/3", &"9".repeat(1000), &alloc::format!("{}e1000", "9".repeat(1000))]
        {
            let number = Positive::new(parse(text).unwrap()).unwrap();
            let written = serde_json::to_string(&number).unwrap();
            assert_eq!(serde_json::from_str::<Positive>(&written).unwrap(), number, "{text}");
        }
        let nine: Rational = parse(&"9".repeat(1000)).unwrap();
        let long = Positive::new(nine.clone() * Rational::from_integer(8.into())).unwrap();
        let fraction = NonNegative::new(Rational::from_integer(1.into()) / &nine).unwrap();
        let integer = Integer::from((nine.pow(200)).to_integer());
        for refused in [
            serde_json::to_string(&long),
            serde_json::to_string(&fraction),
            serde_json::to_string(&Probability::new(fraction.get().clone()).unwrap()),
            serde_json::to_string(&integer),
        ] {
            assert_eq!(refused.unwrap_err().to_string(), "must have at most 1000 digits");
        }
    }
}
