//! The zoo: mechanisms that claim more privacy than they give, each with a twin that is as it should be.
//!
//! An auditor is only as good as what it catches, and as what it leaves alone. Every specimen runs in this
//! process on two fixed neighbouring inputs and writes its outputs as lines of the command protocol. Floats
//! are what most of them are about: nothing here is exact unless it says so.
#![allow(
    clippy::float_arithmetic,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "broken mechanisms, as they are written elsewhere"
)]

mod exercises;
mod floating;
mod histogram;
mod leaks;
mod noise;
mod noisy_max;
mod parallel;
mod rappor;
mod sensitivity;
mod sparse_vector;
mod sums;
mod truncated_geometric;

use std::fmt::Write as _;

pub use crate::Side;
use crate::{Sampled, outputs::Recording};
use certus::bits::BitsError;
pub use noise::Random;

/// One output, as the line that a command would print.
#[derive(Debug, Default)]
pub struct Line(String);

impl Line {
    /// The text so far.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Starts the next output.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Adds a part, after a comma if it is not the first.
    pub fn part(&mut self, part: impl std::fmt::Display) {
        self.word("");
        // Writing to a string does not fail.
        let _ = write!(self.0, "{part}");
    }

    /// Adds a part that is text already.
    pub fn word(&mut self, word: &str) {
        if !self.0.is_empty() {
            self.0.push(',');
        }
        self.0.push_str(word);
    }

    /// Adds a float: to so many digits, or all that it has.
    pub fn number(&mut self, number: f64, digits: Option<usize>) {
        match digits {
            Some(digits) => self.part(format_args!("{number:.digits$}")),
            None => self.part(number),
        }
    }
}

/// Draws one output on one side.
pub type Draw = Box<dyn FnMut(Side, &mut Random, &mut Line) -> Result<(), BitsError> + Send>;

/// A mechanism of the zoo.
#[derive(Debug)]
pub struct Specimen {
    /// Its name; a twin's ends in `_correct`.
    pub name: &'static str,
    /// What it does, and what is wrong with it.
    pub about: &'static str,
    /// The ε that it claims.
    pub epsilon: &'static str,
    /// The δ that it claims.
    pub delta: &'static str,
    /// Whether the claim is false.
    pub broken: bool,
    /// How many samples a side the built-in suite draws.
    pub samples: u64,
    /// Numbers that its floats may be multiples of: the scale of the noise.
    pub scales: &'static [f64],
    /// Makes it ready to draw.
    pub make: fn() -> Draw,
    /// The same mechanism at another ε, for comparisons with bounds that others published there; its floats
    /// to a digit or none, so that their low bits tell nothing.
    pub at: Option<fn(f64) -> Draw>,
}

impl Sampled for Specimen {
    fn record(&self, side: Side, samples: u64, seed: [u8; 32], recording: &mut Recording) -> Result<(), BitsError> {
        let (mut draw, mut random, mut line) = ((self.make)(), Random::new(seed), Line::default());
        for _ in 0..samples {
            line.clear();
            draw(side, &mut random, &mut line)?;
            // A string is UTF-8, and that is all that a line must be.
            let _ = recording.line(line.text().as_bytes());
        }
        Ok(())
    }
}

/// A false claim.
const BROKEN: Specimen = Specimen {
    name: "",
    about: "",
    epsilon: "0.1",
    delta: "0",
    broken: true,
    samples: 100_000,
    scales: &[],
    make: || Box::new(|_, _, _| Ok(())),
    at: None,
};

/// A true one.
const CORRECT: Specimen = Specimen { broken: false, ..BROKEN };

/// All of them, family by family.
#[must_use]
pub fn zoo() -> Vec<&'static Specimen> {
    let families: [&'static [Specimen]; 11] = [
        noisy_max::SPECIMENS,
        histogram::SPECIMENS,
        sparse_vector::SPECIMENS,
        rappor::SPECIMENS,
        truncated_geometric::SPECIMENS,
        sums::SPECIMENS,
        parallel::SPECIMENS,
        floating::SPECIMENS,
        sensitivity::SPECIMENS,
        leaks::SPECIMENS,
        exercises::SPECIMENS,
    ];
    families.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use certus::exact::parse;
    use std::collections::BTreeSet;

    #[test]
    fn each_has_a_name_of_its_own_and_a_claim() {
        let names: BTreeSet<_> = zoo().iter().map(|specimen| specimen.name).collect();
        assert_eq!(names.len(), zoo().len());
        for specimen in zoo() {
            assert_eq!(specimen.name.ends_with("_correct"), !specimen.broken, "{}", specimen.name);
            assert!(parse(specimen.epsilon).is_ok() && parse(specimen.delta).is_ok() && !specimen.about.is_empty());
        }
    }

    #[test]
    fn each_draws_lines_of_the_protocol() {
        for specimen in zoo() {
            let (mut draw, mut random, mut line) = ((specimen.make)(), Random::new([1; 32]), Line::default());
            for side in [Side::A, Side::B] {
                let mut texts = BTreeSet::new();
                for _ in 0..50 {
                    line.clear();
                    draw(side, &mut random, &mut line).unwrap();
                    assert!(line.text().len() < 1000 && !line.text().contains('\n'));
                    texts.insert(line.text().to_owned());
                }
                assert!(texts.len() > 1 || specimen.broken, "{}", specimen.name);
            }
        }
    }
}
