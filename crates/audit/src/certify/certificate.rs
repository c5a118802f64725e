//! What the enumerated masses say beside the closed form.

use std::vec::Vec;

use num_bigint::{BigInt, BigUint};

use super::Masses;
use certus::exact::{Enclosure, Pmf, Rational};

/// One output: what the code does, and what the paper says.
#[derive(Clone, Debug)]
pub struct Row<O> {
    /// The output.
    pub value: O,
    /// Encloses the probability with which the code returns it.
    pub enumerated: Enclosure,
    /// Encloses its probability by the closed form.
    pub expected: Enclosure,
}

/// Rigorous bounds of a sampler's distribution, compared with its closed form.
#[derive(Clone, Debug)]
pub struct Certificate<O> {
    rows: Vec<Row<O>>,
    unresolved: Rational,
    total_variation: Rational,
    holds: bool,
}

impl<O: Ord + Clone> Certificate<O> {
    /// Compares enumerated masses with the closed form.
    ///
    /// With lower bounds Lₖ, whose sum leaves u unresolved, and the truth Pₖ ≥ Lₖ: Pₖ ≤ Lₖ + u, because the
    /// other outputs keep at least their lower bounds. With expectations Eₖ in [eₖ, eₖ⁺], the total variation
    /// is 1 − Σ min(Pₖ, Eₖ) ≤ 1 − Σ min(Lₖ, eₖ), over any outputs at all.
    ///
    /// It holds if something was enumerated, Σ Lₖ ≤ 1, [Lₖ, Lₖ + u] meets [eₖ, eₖ⁺] for every enumerated
    /// output, and the outputs that were not enumerated, which have at most u in truth, can have at most u by
    /// the closed form: 1 − Σ eₖ⁺ ≤ u.
    #[must_use]
    pub fn new(masses: &Masses<O>, pmf: &(impl Pmf<O> + ?Sized)) -> Self {
        let precision = masses.precision();
        let enclose = |lower: &BigUint, upper: BigUint| {
            let unit = BigInt::from(BigUint::from(1u32) << precision);
            let of = |bound: BigUint| Rational::new(bound.into(), unit.clone());
            Enclosure::from_bounds(&of(lower.clone()), &of(upper), precision)
        };
        let one = Rational::from_integer(1.into());
        let unresolved =
            Rational::new(masses.unresolved().clone().into(), BigInt::from(BigUint::from(1u32) << precision));
        let mut rows = Vec::with_capacity(masses.lower().len());
        let (mut overlap, mut expected_at_most) = (Rational::from_integer(0.into()), Rational::from_integer(0.into()));
        let mut holds = masses.coherent;
        for (value, lower) in masses.lower() {
            let expected = pmf.probability(value);
            // The bounds are in order, so there always is an enclosure; if there were none, nothing would
            // hold.
            let Some(enumerated) = enclose(lower, lower + masses.unresolved()) else {
                holds = false;
                continue;
            };
            holds &= enumerated.intersects(&expected);
            overlap += enumerated.lower().min(expected.lower());
            expected_at_most += expected.upper();
            rows.push(Row { value: value.clone(), enumerated, expected });
        }
        // A certificate of nothing holds nothing.
        holds &= !rows.is_empty() && &one - expected_at_most <= unresolved;
        Self { rows, unresolved, total_variation: one - overlap, holds }
    }

    /// Every enumerated output, in order.
    #[must_use]
    pub fn rows(&self) -> &[Row<O>] {
        &self.rows
    }

    /// The probability that is attributed to no output.
    #[must_use]
    pub fn unresolved(&self) -> &Rational {
        &self.unresolved
    }

    /// An upper bound of the total-variation distance between the code's distribution and the closed form.
    #[must_use]
    pub fn total_variation_upper(&self) -> &Rational {
        &self.total_variation
    }

    /// Whether the code's bounds and the closed form are consistent for every output.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.holds
    }
}
