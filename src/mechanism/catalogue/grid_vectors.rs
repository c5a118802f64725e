//! Noise on vectors of rational answers, on a grid.

use alloc::{boxed::Box, string::String, vec::Vec};

use num_bigint::BigInt;
use num_traits::One;

use super::{
    Built, Entry, Outcome, Typed,
    closed_form::{Multiples, Product, Shifted},
    keys::{Key, moderate, moderate_variance, ranged, rational_sensitivity, refused, size},
    on_grid::{GRID, ROUND, farthest, grid, in_steps},
    vectors::COORDINATES,
};
use crate::{
    exact::{GaussianPmf, LaplacePmf, NonNegative, Pmf, Positive, Rational, render},
    guarantee::{L1, L2Squared, Relation, Sensitivity},
    mechanism::{
        Arguments, SpecError,
        additive::{GaussianMechanism, GaussianVector, Grid, LaplaceMechanism, LaplaceVector, OnGridVector, Rounding},
    },
};

const CHANGED: Key = ("changed", "an integer from 1 to coordinates, the default: how many answers one person changes");

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        name: "laplace_vector_on_grid",
        aliases: &[],
        keys: &[
            ("scale", "a positive number, in units of the answers"),
            GRID,
            ROUND,
            COORDINATES,
            CHANGED,
            ("sensitivity", "a positive number, default 1: the L1 distance between neighbours' true answers"),
        ],
        summary: "each rounded input + noise of its own, P(noise = x) ∝ e^(-|x|/scale) on the multiples of g",
        input: "numbers with commas between them",
        examples: &["laplace_vector_on_grid(scale=1/2, grid=1/2, coordinates=2, sensitivity=3/4)"],
    },
    Entry {
        name: "gaussian_vector_on_grid",
        aliases: &[],
        keys: &[
            ("sigma", "a positive number, in units of the answers; or sigma2"),
            ("sigma2", "a positive number, the square of sigma; or sigma"),
            GRID,
            ROUND,
            COORDINATES,
            CHANGED,
            ("sensitivity", "a positive number, default 1: the L2 distance between neighbours' true answers"),
        ],
        summary: "each rounded input + noise of its own, P(noise = x) ∝ e^(-x²/2σ²) on the multiples of g",
        input: "numbers with commas between them",
        examples: &["gaussian_vector_on_grid(sigma=1/2, grid=1/2, coordinates=2, changed=1, sensitivity=1/2)"],
    },
];

/// The grid, the coordinates, those that one person changes, and the distance between neighbours' answers.
struct Answers {
    grid: Grid,
    coordinates: usize,
    changed: usize,
    distance: Positive,
}

fn answers(arguments: &mut Arguments<'_>) -> Result<Answers, SpecError> {
    let (grid, coordinates) = (grid(arguments)?, size(arguments, "coordinates")?);
    let changed = ranged(arguments, "changed", "must be an integer from 1 to the number of coordinates", |changed| {
        let changed = if changed.is_integer() { usize::try_from(changed.to_integer()).ok()? } else { return None };
        (1..=coordinates).contains(&changed).then_some(changed)
    })?;
    let distance = rational_sensitivity(arguments)?;
    Ok(Answers { grid, coordinates, changed: changed.unwrap_or(coordinates), distance })
}

impl Answers {
    fn sensitivity(&self) -> NonNegative {
        NonNegative::from(self.distance.clone())
    }

    /// Two vectors at most Δ₁ apart that are rounded ⌈Δ₁/g⌉ + m − 1 steps apart: all coordinates but one move
    /// by a little, across where the rounding changes, and that one by the rest of Δ₁, which is rounded to as
    /// many steps.
    fn farthest(&self) -> (String, String) {
        let step = self.grid.step().get();
        let steps = self.distance.get() / step;
        let beyond = &steps - (steps.ceil() - Rational::one());
        let little = step * beyond / Rational::from_integer(BigInt::from(self.changed) * 2);
        let others = Rational::from_integer(BigInt::from(self.changed) - 1);
        // Positive, since all of the others together move by less than half of what is beyond the last whole
        // step.
        let rest = Positive::new(self.distance.get() - &little * others).unwrap_or_else(|_| self.distance.clone());
        let (first, second) = farthest(&self.grid, &rest);
        let zero = Rational::from_integer(0.into());
        let across = match self.grid.rounding() {
            Rounding::Down => (-&little, zero),
            Rounding::Up => (zero, little),
            Rounding::Nearest => {
                let half = step / Rational::from_integer(2.into());
                (&half - &little, half)
            }
        };
        let of = |first: String, other: &Rational| {
            let others = core::iter::repeat_with(|| render(other)).take(self.changed.saturating_sub(1));
            let still =
                core::iter::repeat_with(|| String::from("0")).take(self.coordinates.saturating_sub(self.changed));
            core::iter::once(first).chain(others).chain(still).collect::<Vec<_>>().join(",")
        };
        (of(first, &across.0), of(second, &across.1))
    }

    /// The probabilities on paper, of noise in steps.
    fn on_paper<N: Pmf<crate::exact::Integer> + Clone + 'static>(
        grid: &Grid,
        answers: &[Rational],
        noise: &N,
    ) -> Box<dyn Pmf<Outcome>> {
        let each = |answer: &Rational| -> Box<dyn Pmf<Outcome>> {
            let number = Shifted { answer: grid.round(answer), noise: noise.clone() };
            Box::new(Multiples { step: grid.step().get().clone(), number })
        };
        Box::new(Product::new(answers.iter().map(each)))
    }
}

pub(super) fn laplace_vector_on_grid(arguments: &mut Arguments<'_>) -> Built<OnGridVector<LaplaceVector>> {
    let scale = moderate(arguments, "scale")?;
    let answers = answers(arguments)?;
    let scale = in_steps(scale.get(), &answers.grid).map_err(|error| refused(arguments, "scale", error))?;
    let stated = Sensitivity::<L1>::new(answers.sensitivity(), Relation::AddRemove);
    let changed = u64::try_from(answers.changed).unwrap_or(u64::MAX);
    let steps = answers.grid.l1(&stated, changed).map_err(|error| refused(arguments, "changed", error))?;
    let each = LaplaceMechanism::with_scale(&steps, scale.get());
    let each = each.and_then(|each| each.vector(answers.coordinates));
    let mechanism = OnGridVector::new(answers.grid.clone(), each.map_err(|error| refused(arguments, "scale", error))?);
    let (neighbours, grid) = (answers.farthest(), answers.grid);
    Ok(Typed::of_answers(mechanism, neighbours).on_paper(move |answers: &[Rational], precision| {
        Some(Answers::on_paper(&grid, answers, &LaplacePmf::new(&scale, precision)))
    }))
}

pub(super) fn gaussian_vector_on_grid(arguments: &mut Arguments<'_>) -> Built<OnGridVector<GaussianVector>> {
    let variance = moderate_variance(arguments)?;
    let answers = answers(arguments)?;
    let variance = in_steps(&(variance.get() / answers.grid.step().get()), &answers.grid);
    let variance = variance.map_err(|error| refused(arguments, "sigma", error))?;
    let stated = Sensitivity::<L1>::new(answers.sensitivity(), Relation::AddRemove).to_l2_squared();
    let stated: Sensitivity<L2Squared> = stated;
    let changed = u64::try_from(answers.changed).unwrap_or(u64::MAX);
    let steps = answers.grid.l2_squared(&stated, changed).map_err(|error| refused(arguments, "changed", error))?;
    let each = GaussianMechanism::with_variance(&steps, variance.get());
    let each = each.and_then(|each| each.vector(answers.coordinates));
    let mechanism = OnGridVector::new(answers.grid.clone(), each.map_err(|error| refused(arguments, "sigma", error))?);
    // Also at most so far apart in L2.
    let (neighbours, grid) = (answers.farthest(), answers.grid);
    Ok(Typed::of_answers(mechanism, neighbours).on_paper(move |answers: &[Rational], precision| {
        Some(Answers::on_paper(&grid, answers, &GaussianPmf::new(&variance, precision)?))
    }))
}
