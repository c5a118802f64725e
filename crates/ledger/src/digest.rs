//! SHA-256, as a value that is compared, printed and stored.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use sha2::{Digest as _, Sha256};

/// The SHA-256 digest of some bytes; as text, 64 lower-case hex digits.
///
/// ```
/// use certus_ledger::Digest;
///
/// let digest = Digest::of(b"abc");
/// assert_eq!(digest.to_string(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
/// assert_eq!(digest.to_string().parse(), Ok(digest));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; Digest::BYTES]);

/// A text is no digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be 64 hex digits")]
pub struct DigestError;

impl Digest {
    /// Bytes of a digest.
    pub const BYTES: usize = 32;

    /// What stands where there is nothing to digest.
    pub(crate) const ZERO: Self = Self([0; Self::BYTES]);

    /// The digest of some bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The digest itself.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; Self::BYTES] {
        &self.0
    }

    pub(crate) const fn from_bytes(bytes: [u8; Self::BYTES]) -> Self {
        Self(bytes)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

impl FromStr for Digest {
    type Err = DigestError;

    /// Upper-case digits are read, too.
    fn from_str(text: &str) -> Result<Self, DigestError> {
        let bytes = from_hex(text).ok_or(DigestError)?;
        bytes.try_into().map(Self).map_err(|_| DigestError)
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

/// Two hex digits a byte.
pub(crate) fn to_hex(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(value.into(), 16).unwrap_or('0');
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// The bytes of an even number of hex digits.
pub(crate) fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: &u8| char::from(*byte).to_digit(16).and_then(|value| u8::try_from(value).ok());
    let byte = |pair: &[u8]| match pair {
        [high, low] => Some(digit(high)? << 4 | digit(low)?),
        _ => None,
    };
    text.as_bytes().chunks(2).map(byte).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_both_ways() {
        let all: Vec<u8> = (0..=255).collect();
        assert_eq!(from_hex(&to_hex(&all)), Some(all));
        for bad in ["0", "0g", "é", "+1", " 1"] {
            assert_eq!(from_hex(bad), None, "{bad}");
        }
        let text = Digest::of(b"").to_string();
        assert_eq!(text.to_uppercase().parse(), Ok(Digest::of(b"")));
        let long = format!("{text}00");
        for bad in ["", text.trim_end_matches('5'), &long] {
            assert_eq!(bad.parse::<Digest>(), Err(DigestError), "{bad}");
        }
        let json = serde_json::to_string(&Digest::of(b"")).unwrap();
        assert_eq!(serde_json::from_str::<Digest>(&json).unwrap(), Digest::of(b""));
        assert!(serde_json::from_str::<Digest>("\"00\"").is_err());
    }
}
