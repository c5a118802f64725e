//! Noise on a rational grid: rational answers at most the sensitivity apart, on both sides of where the
//! rounding changes.

use certus::{
    exact::{NonNegative, Rational},
    guarantee::{L1, Relation, Sensitivity},
    mechanism::additive::{GaussianMechanism, Grid, LaplaceMechanism, OnGrid, OnGridVector, Rounding},
};

use crate::{accounted::check, domain::vectors, exhaustive::rational};

const ROUNDINGS: [Rounding; 3] = [Rounding::Nearest, Rounding::Down, Rounding::Up];

fn of(distance: &Rational) -> Sensitivity<L1> {
    Sensitivity::new(NonNegative::new(distance.clone()).unwrap(), Relation::AddRemove)
}

fn gap(a: &Rational, b: &Rational) -> Rational {
    (a - b).max(b - a)
}

/// Twelfths from −1 to 1.
fn twelfths() -> Vec<Rational> {
    (-12..=12).map(|n| rational(n, 12)).collect()
}

/// A step, and how far answers of neighbours are apart: less than a step, a step, and more.
fn scalar_cases() -> Vec<(Rational, Rational)> {
    let cases = [((1, 2), (1, 12)), ((1, 3), (1, 3)), ((1, 4), (7, 12)), ((2, 3), (1, 1))];
    cases.map(|(step, distance)| (rational(step.0, step.1), rational(distance.0, distance.1))).into()
}

pub fn laplace_on_grid() {
    for rounding in ROUNDINGS {
        for (step, distance) in scalar_cases() {
            let grid = Grid::new(&step, rounding).unwrap();
            let noisy = LaplaceMechanism::with_scale(&grid.scalar(&of(&distance)), &rational(3, 2)).unwrap();
            let near = |a: &Rational, b: &Rational| gap(a, b) <= distance;
            check(&format!("{step} {distance} {rounding:?}"), &OnGrid::new(grid, noisy), &twelfths(), near, 24);
        }
    }
}

pub fn gaussian_on_grid() {
    for rounding in ROUNDINGS {
        for (step, distance) in scalar_cases() {
            let grid = Grid::new(&step, rounding).unwrap();
            let steps = grid.scalar(&of(&distance)).to_l2_squared();
            let noisy = GaussianMechanism::with_variance(&steps, &rational(3, 2)).unwrap();
            let near = |a: &Rational, b: &Rational| gap(a, b) <= distance;
            check(&format!("{step} {distance} {rounding:?}"), &OnGrid::new(grid, noisy), &twelfths(), near, 24);
        }
    }
}

/// Answers around where the rounding changes, and one further away, in steps of 1/2.
fn corners() -> Vec<Vec<Rational>> {
    vectors(&[rational(-1, 4), rational(-1, 8), rational(0, 1), rational(1, 4), rational(1, 2)], 2)
}

/// How many coordinates differ, and by how much in all, and squared.
fn moved(a: &[Rational], b: &[Rational]) -> (usize, Rational, Rational) {
    let gaps: Vec<_> = a.iter().zip(b).map(|(a, b)| gap(a, b)).collect();
    let moved = gaps.iter().filter(|gap| **gap > rational(0, 1)).count();
    (moved, gaps.iter().sum(), gaps.iter().map(|gap| gap * gap).sum())
}

pub fn laplace_vector_on_grid() {
    for rounding in ROUNDINGS {
        for (changed, distance) in [(1_u8, rational(3, 8)), (2, rational(3, 4)), (2, rational(1, 8))] {
            let grid = Grid::new(&rational(1, 2), rounding).unwrap();
            let steps = grid.l1(&of(&distance), changed.into()).unwrap();
            let noisy = LaplaceMechanism::with_scale(&steps, &rational(1, 2)).unwrap().vector(2).unwrap();
            let near = |a: &[Rational], b: &[Rational]| {
                let (coordinates, in_all, _) = moved(a, b);
                coordinates <= changed.into() && in_all <= distance
            };
            let mechanism = OnGridVector::new(grid, noisy);
            check(&format!("{changed} {distance} {rounding:?}"), &mechanism, &corners(), near, 14);
        }
    }
}

pub fn gaussian_vector_on_grid() {
    for rounding in ROUNDINGS {
        for (changed, distance) in [(1_u8, rational(1, 2)), (2, rational(3, 8))] {
            let grid = Grid::new(&rational(1, 2), rounding).unwrap();
            let steps = grid.l2_squared(&of(&distance).to_l2_squared(), changed.into()).unwrap();
            let noisy = GaussianMechanism::with_variance(&steps, &rational(1, 2)).unwrap().vector(2).unwrap();
            let near = |a: &[Rational], b: &[Rational]| {
                let (coordinates, _, squared) = moved(a, b);
                coordinates <= changed.into() && squared <= &distance * &distance
            };
            let mechanism = OnGridVector::new(grid, noisy);
            check(&format!("{changed} {distance} {rounding:?}"), &mechanism, &corners(), near, 14);
        }
    }
}
