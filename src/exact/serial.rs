//! Exact numbers as text (feature `serde`): `"1/10"`, `"3"`. A number that is not text is refused: it may have been rounded already.

use alloc::string::String;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

use super::{Integer, NonNegative, Positive, Probability, parse};

macro_rules! ranged_text {
    ($($name:ident)*) => {$(
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
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
        serializer.collect_str(self)
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
}
