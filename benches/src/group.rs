//! What is sampled: a distribution at a scale.

use std::fmt;

use certus::exact::{Positive, parse};
use num_traits::ToPrimitive;

/// Which noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Noise {
    /// Discrete Laplace.
    Laplace,
    /// Discrete Gaussian.
    Gaussian,
}

/// One row of scales: its name in the table, and the number as [`parse`] reads it.
struct Scale {
    name: &'static str,
    number: &'static str,
}

/// Small, where a table fits; wide, where it does not; and a scale whose numerator passes 128 bits (π·10^6 to 40 digits).
const SCALES: [Scale; 10] = [
    Scale { name: "1/3", number: "1/3" },
    Scale { name: "1", number: "1" },
    Scale { name: "355/113", number: "355/113" },
    Scale { name: "10", number: "10" },
    Scale { name: "100", number: "100" },
    Scale { name: "1000", number: "1000" },
    Scale { name: "10^6", number: "1000000" },
    Scale { name: "2^40", number: "1099511627776" },
    Scale { name: "40-digit", number: "3141592.653589793238462643383279502884197" },
    Scale { name: "2^60", number: "1152921504606846976" },
];

/// A distribution at a scale, written `gaussian 2^40`.
#[derive(Clone, Debug)]
pub struct Group {
    /// The distribution.
    pub noise: Noise,
    /// s of the Laplace, σ of the Gaussian.
    pub scale: Positive,
    name: &'static str,
}

impl Group {
    /// Every group, in the order of the table.
    pub fn all() -> Vec<Self> {
        let of = |noise| SCALES.iter().map(move |scale| Self::new(noise, scale));
        of(Noise::Laplace).chain(of(Noise::Gaussian)).collect()
    }

    fn new(noise: Noise, scale: &Scale) -> Self {
        let number = parse(scale.number).expect("SCALES holds numbers");
        let positive = Positive::new(number).expect("SCALES holds positive numbers");
        Self { noise, scale: positive, name: scale.name }
    }

    /// The scale as a float, for the inexact baseline.
    pub fn float(&self) -> f64 {
        let [numerator, denominator] = [self.scale.numerator(), self.scale.denominator()]
            .map(|natural| natural.to_f64().expect("far below the largest float"));
        numerator / denominator
    }
}

impl fmt::Display for Group {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let noise = match self.noise {
            Noise::Laplace => "laplace",
            Noise::Gaussian => "gaussian",
        };
        write!(out, "{noise} {}", self.name)
    }
}
