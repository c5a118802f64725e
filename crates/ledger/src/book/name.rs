//! Names in a ledger: of releases and of analysts.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

/// The longest name, in characters.
const LONGEST: usize = 100;

/// A text is no name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be 1 to 100 printable ASCII characters")]
pub struct NameError;

macro_rules! names {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(String);

        impl $name {
            /// The name as it was given.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = NameError;

            fn from_str(text: &str) -> Result<Self, NameError> {
                let is_printable = text.bytes().all(|byte| (b' '..=b'~').contains(&byte));
                let is_name = is_printable && !text.is_empty() && text.len() <= LONGEST;
                is_name.then(|| Self(text.to_owned())).ok_or(NameError)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
            }
        }
    )*};
}

names! {
    /// What names a release: 1 to 100 printable ASCII characters. A retry has the same one.
    ReleaseId
    /// What names an analyst: 1 to 100 printable ASCII characters.
    Analyst
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_short_and_printable() {
        let longest = "x".repeat(100);
        for good in ["a", " ", "~", "2024 Q3/run=7", &longest] {
            assert_eq!(good.parse::<ReleaseId>().unwrap().as_str(), good);
            let json = serde_json::to_string(&good.parse::<Analyst>().unwrap()).unwrap();
            assert_eq!(serde_json::from_str::<Analyst>(&json).unwrap().as_str(), good);
        }
        let long = "x".repeat(101);
        for bad in ["", "é", "a\n", "\u{7f}", "\0", &long] {
            assert_eq!(bad.parse::<ReleaseId>(), Err(NameError), "{bad:?}");
            assert!(serde_json::from_value::<Analyst>(bad.into()).is_err(), "{bad:?}");
        }
    }
}
