//! Queries against a threshold: at it, next to it, and far from it; none at all; all the same way if they are
//! monotone.

use certus::{
    exact::{Integer, NonNegative},
    guarantee::{LInfinity, Relation, Sensitivity},
    mechanism::selection::{NumericSparseVector, SelectionNoise, SparseVector},
};

use crate::{
    accounted::check,
    domain::{integers, vectors},
    exhaustive::positive,
};

/// ε₁ = 1, ε₂ = 4, and a threshold.
fn sparse(threshold: i64, passes: u64, sensitivity: i64, noise: SelectionNoise) -> SparseVector {
    let stated = NonNegative::from(positive(sensitivity, 1));
    let stated = Sensitivity::<LInfinity>::new(stated, Relation::AddRemove);
    SparseVector::new(&stated, threshold.into(), passes, &positive(1, 1), &positive(4, 1), noise).unwrap()
}

/// Queries of neighbours: as many, each moved by at most the sensitivity.
fn near(sensitivity: i64, monotone: bool) -> impl Fn(&[Integer], &[Integer]) -> bool {
    move |a, b| {
        let moved: Vec<i64> = a.iter().zip(b).map(|(a, b)| a.add(&b.neg()).to_i64().unwrap()).collect();
        let one_way = moved.iter().all(|by| *by >= 0) || moved.iter().all(|by| *by <= 0);
        a.len() == b.len() && moved.iter().all(|by| by.abs() <= sensitivity) && (one_way || !monotone)
    }
}

/// None, one, and so many queries next to the threshold; and some further away.
fn queries(threshold: i64, most: usize) -> Vec<Vec<Integer>> {
    let mut queries: Vec<Vec<i64>> = (0..=most).flat_map(|length| vectors(&[-1, 0, 1], length)).collect();
    queries.extend([vec![3; most], vec![4; most], vec![-3; most], vec![-4; most]]);
    queries.iter().map(|queries| integers(&queries.iter().map(|query| query + threshold).collect::<Vec<_>>())).collect()
}

fn tests(c: u64, most: usize, depth: u32) {
    for noise in [SelectionNoise::Laplace, SelectionNoise::Geometric] {
        for (threshold, sensitivity) in [(0, 1), (-5, 2)] {
            for monotone in [false, true] {
                let test = sparse(threshold, c, sensitivity, noise);
                let test = if monotone { test.monotone() } else { test };
                let what = format!("{threshold} {c} {sensitivity} {noise:?} {monotone}");
                check(&what, &test, &queries(threshold, most), near(sensitivity, monotone), depth);
            }
        }
    }
}

pub fn above_threshold() {
    tests(1, 3, 10);
}

pub fn sparse_vector() {
    // More that may pass than there are queries, too.
    tests(2, 2, 10);
    tests(3, 2, 10);
}

pub fn numeric_sparse_vector() {
    for (c, monotone) in [(1, false), (1, true), (2, false)] {
        let test = sparse(0, c, 1, SelectionNoise::Laplace);
        let test = if monotone { test.monotone() } else { test };
        let mechanism = NumericSparseVector::new(test, &positive(2, 1)).unwrap();
        let most = if c == 1 { 2 } else { 1 };
        check(&format!("{c} {monotone}"), &mechanism, &queries(0, most), near(1, monotone), 9);
    }
}
