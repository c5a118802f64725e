//! Noise on rational answers, on a grid.

use alloc::{boxed::Box, string::String};

use num_bigint::BigInt;
use num_traits::ToPrimitive;

use super::{
    Built, Entry, Typed,
    closed_form::{Multiples, Shifted},
    keys::{Key, moderate, moderate_variance, ranged, rational_sensitivity, refused},
};
use crate::{
    exact::{GaussianPmf, LaplacePmf, NonNegative, Positive, Rational, render},
    guarantee::{L1, Relation, Sensitivity},
    mechanism::{
        Arguments, SpecError,
        additive::{AdditiveError, GaussianMechanism, Grid, LaplaceMechanism, OnGrid, Rounding},
    },
};

pub(super) const GRID: Key =
    ("grid", "a positive number g: the input is rounded to a multiple of g, and so is every output");
pub(super) const ROUND: Key =
    ("round", "0 (the default) to the nearest multiple, a half upward; -1 downward; 1 upward");
const SENSITIVITY: Key = (
    "sensitivity",
    "a positive number, default 1: the distance between neighbours' true answers; never changes the noise",
);

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        name: "laplace_on_grid",
        aliases: &[],
        keys: &[("scale", "a positive number, in units of the answer"), GRID, ROUND, SENSITIVITY],
        summary: "rounded input + noise, P(noise = x) ∝ e^(-|x|/scale) on the multiples of g",
        input: "a number",
        examples: &["laplace_on_grid(scale=1/25, grid=1/100, round=1, sensitivity=1/10)"],
    },
    Entry {
        name: "gaussian_on_grid",
        aliases: &[],
        keys: &[
            ("sigma", "a positive number, in units of the answer; or sigma2"),
            ("sigma2", "a positive number, the square of sigma; or sigma"),
            GRID,
            ROUND,
            SENSITIVITY,
        ],
        summary: "rounded input + noise, P(noise = x) ∝ e^(-x²/2σ²) on the multiples of g",
        input: "a number",
        examples: &["gaussian_on_grid(sigma=1/2, grid=1/8, sensitivity=1/5)"],
    },
];

/// The grid.
pub(super) fn grid(arguments: &mut Arguments<'_>) -> Result<Grid, SpecError> {
    let step = moderate(arguments, "grid")?;
    let rounding = ranged(arguments, "round", "must be 0, -1 or 1", |round| {
        match if round.is_integer() { round.to_integer().to_i8()? } else { return None } {
            0 => Some(Rounding::Nearest),
            -1 => Some(Rounding::Down),
            1 => Some(Rounding::Up),
            _ => None,
        }
    })?;
    let grid = Grid::new(step.get(), rounding.unwrap_or(Rounding::Nearest));
    grid.map_err(|error| refused(arguments, "grid", error))
}

/// The grid, the distance between neighbours' answers, and the same of rounded answers, in steps.
fn scalar(arguments: &mut Arguments<'_>) -> Result<(Grid, Positive, Sensitivity<L1>), SpecError> {
    let (grid, distance) = (grid(arguments)?, rational_sensitivity(arguments)?);
    let steps = grid.scalar(&Sensitivity::new(NonNegative::from(distance.clone()), Relation::AddRemove));
    Ok((grid, distance, steps))
}

/// Two answers Δ apart that are rounded ⌈Δ/g⌉ steps apart: with f = ⌈Δ/g⌉ − Δ/g, in steps, ⌊f⌋ = 0 and ⌊f +
/// Δ/g⌋ = ⌈Δ/g⌉; half a step lower for rounding to the nearest; and the mirror image for ⌈·⌉.
pub(super) fn farthest(grid: &Grid, distance: &Positive) -> (String, String) {
    let steps = distance.get() / grid.step().get();
    let fraction = steps.ceil() - &steps;
    let of = |steps: Rational| render(&(steps * grid.step().get()));
    match grid.rounding() {
        Rounding::Down => (of(fraction.clone()), of(fraction + steps)),
        Rounding::Up => (of(-fraction.clone()), of(-fraction - steps)),
        Rounding::Nearest => {
            let lower = fraction - Rational::new(BigInt::from(1), BigInt::from(2));
            (of(lower.clone()), of(lower + steps))
        }
    }
}

/// A width in units of the grid.
pub(super) fn in_steps(width: &Rational, grid: &Grid) -> Result<Positive, AdditiveError> {
    Positive::new(width / grid.step().get()).map_err(|_| AdditiveError::Grid)
}

pub(super) fn laplace_on_grid(arguments: &mut Arguments<'_>) -> Built<OnGrid<LaplaceMechanism>> {
    let scale = moderate(arguments, "scale")?;
    let (grid, distance, steps) = scalar(arguments)?;
    let neighbours = farthest(&grid, &distance);
    let scale = in_steps(scale.get(), &grid).map_err(|error| refused(arguments, "scale", error))?;
    let noisy = LaplaceMechanism::with_scale(&steps, scale.get());
    let noisy = noisy.map_err(|error| refused(arguments, "scale", error))?;
    let mechanism = OnGrid::new(grid.clone(), noisy);
    Ok(Typed::of_answers(mechanism, neighbours).on_paper(move |answer: &Rational, precision| {
        let number = Shifted { answer: grid.round(answer), noise: LaplacePmf::new(&scale, precision) };
        Some(Box::new(Multiples { step: grid.step().get().clone(), number }))
    }))
}

pub(super) fn gaussian_on_grid(arguments: &mut Arguments<'_>) -> Built<OnGrid<GaussianMechanism>> {
    let variance = moderate_variance(arguments)?;
    let (grid, distance, steps) = scalar(arguments)?;
    let neighbours = farthest(&grid, &distance);
    let in_steps = in_steps(&(variance.get() / grid.step().get()), &grid);
    let variance = in_steps.map_err(|error| refused(arguments, "sigma", error))?;
    let noisy = GaussianMechanism::with_variance(&steps.to_l2_squared(), variance.get());
    let noisy = noisy.map_err(|error| refused(arguments, "sigma", error))?;
    let mechanism = OnGrid::new(grid.clone(), noisy);
    Ok(Typed::of_answers(mechanism, neighbours).on_paper(move |answer: &Rational, precision| {
        let number = Shifted { answer: grid.round(answer), noise: GaussianPmf::new(&variance, precision)? };
        Some(Box::new(Multiples { step: grid.step().get().clone(), number }))
    }))
}
