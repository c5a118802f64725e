//! A commitment: a salted SHA-256 over the coins and over all that was declared before scores were seen.
//!
//! What is hashed is the declaration as one line of JSON, and then the coins file itself in its canonical
//! form, a line `canary,in,salt` each. Every coin has a salt of 128 bits, so that the commitment tells
//! nothing of any coin.

use std::{fmt::Write as _, fs};

use serde::{Deserialize, Serialize};

use super::{declared::Declared, table_file::TableFile};
use crate::{Failure, SCHEMA_VERSION};
use certus::bits::Bits;
use certus_ledger::Digest;

/// What is published.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Commitment {
    schema_version: u32,
    pub(super) declared: Declared,
    pub(super) sha256: String,
}

/// Coins with their salts.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Coins {
    list: Vec<(bool, String)>,
}

impl Coins {
    /// Draws fair coins.
    pub(super) fn draw(count: u64, bits: &mut impl Bits) -> Result<Self, Failure> {
        bits.begin()?;
        let mut coin = || -> Result<(bool, String), Failure> {
            let is_in = bits.take(1)? == 1;
            Ok((is_in, format!("{:016x}{:016x}", bits.take(64)?, bits.take(64)?)))
        };
        Ok(Self { list: (0..count).map(|_| coin()).collect::<Result<_, _>>()? })
    }

    /// Reads the file that [`Self::text`] wrote.
    pub(super) fn read(argument: &'static str, path: &str) -> Result<Self, Failure> {
        let table = TableFile::read(argument, path)?;
        let coins = table.coins()?;
        let salts = table.column("salt", "must be 32 hex digits, as `certus canaries` wrote it", |text| {
            let is_one = text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
            is_one.then(|| text.to_owned())
        })?;
        let numbers = table.numbers("canary")?;
        let mut list: Vec<_> = numbers.into_iter().zip(coins.into_iter().zip(salts)).collect();
        list.sort_unstable_by_key(|(number, _)| *number);
        if (1..).zip(&list).any(|(place, (number, _))| place != *number) {
            return Err(table.refused(format_args!("column canary: must be each integer from 1 to {}", table.rows())));
        }
        Ok(Self { list: list.into_iter().map(|(_, coin)| coin).collect() })
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    /// The coin of a canary, counted from 1.
    pub(super) fn coin(&self, canary: u64) -> Option<bool> {
        let place = usize::try_from(canary).ok()?.checked_sub(1)?;
        self.list.get(place).map(|(is_in, _)| *is_in)
    }

    /// The coins file.
    pub(super) fn text(&self) -> String {
        let mut text = String::from("canary,in,salt\n");
        for (number, (is_in, salt)) in (1_u64..).zip(&self.list) {
            // Writing to a text cannot fail.
            let _ = writeln!(text, "{number},{},{salt}", u8::from(*is_in));
        }
        text
    }
}

impl Commitment {
    /// To these coins and this declaration.
    pub(super) fn new(declared: Declared, coins: &Coins) -> Result<Self, Failure> {
        let sha256 = digest(&declared, coins)?;
        Ok(Self { schema_version: SCHEMA_VERSION, declared, sha256 })
    }

    /// Reads the file that [`Self::text`] wrote.
    pub(super) fn read(argument: &'static str, path: &str) -> Result<Self, Failure> {
        let refused = |what: &dyn std::fmt::Display| {
            let must = "must be a commitment that `certus canaries --commit` wrote";
            Failure::argument(argument, format_args!("{path}: {must}: {what}"))
        };
        let text = fs::read_to_string(path).map_err(|error| refused(&error))?;
        let read: Self = serde_json::from_str(&text).map_err(|error| refused(&error))?;
        if read.schema_version != SCHEMA_VERSION {
            return Err(refused(&format_args!("schema_version must be {SCHEMA_VERSION}")));
        }
        Ok(read)
    }

    /// The file that is published.
    pub(super) fn text(&self) -> Result<String, Failure> {
        let text = serde_json::to_string_pretty(self).map_err(|error| Failure::Environment(error.to_string()))?;
        Ok(text + "\n")
    }

    /// Refuses coins, or a declaration, that it was not made to.
    pub(super) fn check(&self, coins: &Coins) -> Result<(), Failure> {
        if digest(&self.declared, coins)? == self.sha256 {
            return Ok(());
        }
        let must = "must be the commitment to these coins and to what it declares: its SHA-256 is that of others";
        Err(Failure::argument("--commitment", must))
    }
}

fn digest(declared: &Declared, coins: &Coins) -> Result<String, Failure> {
    let line = serde_json::to_string(declared).map_err(|error| Failure::Environment(error.to_string()))?;
    Ok(Digest::of(format!("{line}\n{}", coins.text()).as_bytes()).to_string())
}

#[cfg(test)]
mod tests {
    use certus::bits::seeded;

    use super::*;

    fn declared(guesses: u64) -> Declared {
        Declared {
            canaries: 100,
            relation: "add_remove".into(),
            claim: Some("epsilon=1,delta=0".into()),
            plan: Vec::new(),
            delta: None,
            guesses: vec![guesses],
            method: "curve".into(),
            scores: "ranked".into(),
            independent: false,
            confidence: "0.95".into(),
        }
    }

    /// A coin, a salt or a declaration that changed afterwards shows.
    #[test]
    fn what_was_committed_to_cannot_change() {
        let coins = Coins::draw(100, &mut seeded([7; 32])).unwrap();
        let mut commitment = Commitment::new(declared(30), &coins).unwrap();
        assert!(commitment.check(&coins).is_ok());
        for place in [0, 50, 99] {
            let mut other = Coins { list: coins.list.clone() };
            other.list[place].0 ^= true;
            assert_eq!(commitment.check(&other).unwrap_err().status(), 2);
        }
        commitment.declared = declared(31);
        assert!(commitment.check(&coins).is_err());
        let ones = coins.list.iter().filter(|(is_in, _)| *is_in).count();
        assert!((20..=80).contains(&ones), "{ones}");
    }
}
