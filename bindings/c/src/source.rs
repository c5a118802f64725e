//! Where random bits come from: the operating system, or, in tests, a seed.

use core_certus::bits::{Bits, BitsError, SystemBits, seeded};

use crate::status::Failure;

/// Where a call draws from.
pub(crate) enum Source {
    /// A fresh stream that the operating system seeds. It lives for one call: no two threads, and no two
    /// processes after a fork, share one.
    System,
    /// A stream under a known seed, from its beginning.
    Seed([u8; 32]),
}

impl Source {
    /// A seed as the command's `--seed`: 1 to 64 hexadecimal digits.
    pub(crate) fn of_hexadecimal(text: &str) -> Result<Self, Failure> {
        let seed = seed(text).ok_or_else(|| Failure::argument("seed", "must be 1 to 64 hexadecimal digits"))?;
        Ok(Self::Seed(seed))
    }

    /// The stream.
    pub(crate) fn open(&self) -> Result<Box<dyn Bits>, BitsError> {
        Ok(match self {
            Self::System => Box::new(SystemBits::new()?),
            Self::Seed(seed) => Box::new(seeded(*seed)),
        })
    }
}

/// A number in hexadecimal, as 32 bytes with the most significant first.
fn seed(text: &str) -> Option<[u8; 32]> {
    if !(1..=64).contains(&text.len()) || !text.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    let padded = format!("{text:0>64}");
    let mut seed = [0; 32];
    for (byte, digits) in seed.iter_mut().zip(padded.as_bytes().chunks_exact(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    }
    Some(seed)
}
