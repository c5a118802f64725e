//! Noise on integers and on vectors of them: answers at most the sensitivity apart.

use certus::{
    exact::{Integer, NonNegative},
    guarantee::{L1, L2Squared, Relation, Sensitivity},
    mechanism::{
        Private, Spec,
        additive::{
            BoundedLaplace, Clamped, GaussianMechanism, LaplaceMechanism, StaircaseMechanism, TruncatedGaussian,
            TruncatedLaplace,
        },
    },
};

use super::is_full;
use crate::{
    accounted::check,
    domain::{integers, vectors},
    exhaustive::rational,
};

pub fn l1(distance: i64) -> Sensitivity<L1> {
    Sensitivity::new(NonNegative::new(rational(distance, 1)).unwrap(), Relation::AddRemove)
}

pub fn l2_squared(square: i64) -> Sensitivity<L2Squared> {
    Sensitivity::new(NonNegative::new(rational(square, 1)).unwrap(), Relation::AddRemove)
}

fn answers(from: i64, to: i64) -> Vec<Integer> {
    (from..=to).map(Integer::from).collect()
}

/// Answers at most so far apart.
fn apart(most: i64) -> impl Fn(&Integer, &Integer) -> bool {
    move |a, b| a.add(&b.neg()).to_i64().unwrap().abs() <= most
}

/// The mechanism of the library, which the catalogue builds for `laplace` and `gaussian`.
fn of_noise<M>(typed: &M, spec: &str, most: i64)
where
    M: Private<Input = Integer, Error: std::fmt::Debug> + for<'s> TryFrom<&'s Spec> + PartialEq,
{
    assert!(M::try_from(&spec.parse().unwrap()).is_ok_and(|named| named == *typed), "{spec}");
    check(spec, typed, &answers(-1, most), apart(most), 30);
}

pub fn laplace() {
    for ((n, d), most) in [((1, 2), 1), ((5, 2), 1), ((1, 1), 3), ((3, 1), 4), ((1, 3), 2)] {
        let typed = LaplaceMechanism::with_scale(&l1(most), &rational(n, d)).unwrap();
        of_noise(&typed, &format!("laplace(scale={n}/{d}, sensitivity={most})"), most);
    }
}

pub fn gaussian() {
    for ((n, d), most) in [((1, 1), 1), ((7, 3), 2), ((1, 4), 3), ((4, 1), 1)] {
        let typed = GaussianMechanism::with_variance(&l2_squared(most * most), &rational(n, d)).unwrap();
        of_noise(&typed, &format!("gaussian(sigma2={n}/{d}, sensitivity={most})"), most);
    }
}

pub fn staircase() {
    for ((n, d), most, step) in
        [((1, 1), 1, 1_u32), ((1, 1), 3, 2), ((1, 1), 5, 2), ((2, 1), 4, 4), ((1, 2), 2, 1), ((1, 2), 2, 2)]
    {
        let mechanism = StaircaseMechanism::new(&l1(most), &rational(n, d), step.into()).unwrap();
        check(&format!("staircase {n}/{d} {most} {step}"), &mechanism, &answers(-1, most), apart(most), 24);
    }
}

/// Bounds down to half the sensitivity, where neighbours' outputs meet at one place.
const TRUNCATED: [((i64, i64), u32, i64); 6] =
    [((1, 1), 3, 1), ((1, 1), 1, 2), ((2, 1), 2, 4), ((2, 1), 5, 3), ((1, 3), 1, 1), ((5, 1), 2, 3)];

pub fn truncated_laplace() {
    for ((n, d), bound, most) in TRUNCATED {
        let mechanism = TruncatedLaplace::new(&l1(most), &rational(n, d), bound.into()).unwrap();
        check(&format!("truncated {n}/{d} {bound} {most}"), &mechanism, &answers(-1, most), apart(most), 40);
    }
}

pub fn truncated_gaussian() {
    for ((n, d), bound, most) in TRUNCATED {
        for epsilon in [rational(1, 2), rational(2, 1)] {
            let square = l2_squared(most * most);
            let mechanism = TruncatedGaussian::new(&square, &rational(n, d), bound, &epsilon).unwrap();
            check(&format!("truncated {n}/{d} {bound} {most}"), &mechanism, &answers(-1, most), apart(most), 30);
        }
    }
}

pub fn bounded_laplace() {
    // One output; less room than the sensitivity; a proposal by uniform outputs; and more than the 128 that
    // are listed.
    let mut cases = vec![
        ((2, 1), 0, 4, 1),
        ((2, 1), -3, 1, 2),
        ((1, 1), 0, 0, 1),
        ((1, 1), -2, -1, 5),
        ((3, 1), 0, 1, 1),
        ((1, 2), -1, 4, 3),
        ((8, 1), 0, 5, 2),
    ];
    if is_full() {
        cases.push(((20, 1), 0, 129, 1));
    }
    for ((n, d), lower, upper, most) in cases {
        let mechanism = BoundedLaplace::new(&l1(most), &rational(n, d), lower.into(), upper.into()).unwrap();
        // Answers beyond the bounds are taken for them.
        let inputs = answers(lower - 2, upper + 2);
        check(&format!("bounded {n}/{d} {lower} {upper} {most}"), &mechanism, &inputs, apart(most), 40);
    }
}

const CLAMPED: [((i64, i64), i64, i64, i64); 4] =
    [((2, 1), 0, 3, 1), ((1, 1), -1, -1, 2), ((1, 2), -2, 1, 3), ((3, 1), 0, 1, 1)];

pub fn clamped_laplace() {
    for ((n, d), lower, upper, most) in CLAMPED {
        let noisy = LaplaceMechanism::with_scale(&l1(most), &rational(n, d)).unwrap();
        let mechanism = Clamped::new(noisy, lower.into(), upper.into()).unwrap();
        let inputs = answers(lower - 3, upper + 3);
        check(&format!("clamped {n}/{d} {lower} {upper} {most}"), &mechanism, &inputs, apart(most), 30);
    }
}

pub fn clamped_gaussian() {
    for ((n, d), lower, upper, most) in CLAMPED {
        let noisy = GaussianMechanism::with_variance(&l2_squared(most * most), &rational(n, d)).unwrap();
        let mechanism = Clamped::new(noisy, lower.into(), upper.into()).unwrap();
        let inputs = answers(lower - 3, upper + 3);
        check(&format!("clamped {n}/{d} {lower} {upper} {most}"), &mechanism, &inputs, apart(most), 30);
    }
}

fn differences<'a>(a: &'a [Integer], b: &'a [Integer]) -> impl Iterator<Item = i64> + 'a {
    a.iter().zip(b).map(|(a, b)| a.add(&b.neg()).to_i64().unwrap())
}

/// All vectors from 0 to so much.
fn integer_vectors(most: i64, coordinates: usize) -> Vec<Vec<Integer>> {
    let values: Vec<i64> = (0..=most).collect();
    vectors(&values, coordinates).iter().map(|vector| integers(vector)).collect()
}

pub fn laplace_vector() {
    for ((n, d), coordinates, most, depth) in
        [((1, 1), 2, 2, 16), ((1, 2), 3, 1, 12), ((2, 1), 1, 3, 30), ((1, 2), 2, 3, 16), ((1, 3), 3, 2, 12)]
    {
        let each = LaplaceMechanism::with_scale(&l1(most), &rational(n, d)).unwrap();
        let mechanism = each.vector(coordinates).unwrap();
        let near = |a: &[Integer], b: &[Integer]| differences(a, b).map(i64::abs).sum::<i64>() <= most;
        let inputs = integer_vectors(most, coordinates);
        check(&format!("laplace_vector {n}/{d} {coordinates} {most}"), &mechanism, &inputs, near, depth);
    }
}

pub fn gaussian_vector() {
    for ((n, d), coordinates, square, depth) in
        [((1, 1), 2, 2, 16), ((1, 1), 2, 1, 16), ((1, 1), 1, 7, 30), ((1, 2), 2, 5, 16), ((1, 4), 3, 3, 12)]
    {
        let each = GaussianMechanism::with_variance(&l2_squared(square), &rational(n, d)).unwrap();
        let mechanism = each.vector(coordinates).unwrap();
        let near = |a: &[Integer], b: &[Integer]| differences(a, b).map(|x| x * x).sum::<i64>() <= square;
        let inputs = integer_vectors(square.isqrt(), coordinates);
        check(&format!("gaussian_vector {n}/{d} {coordinates} {square}"), &mechanism, &inputs, near, depth);
    }
}

pub fn gaussian_histogram() {
    for ((n, d), keys, bins, each, depth) in [((1, 1), 2, 2, 1, 16), ((1, 2), 3, 2, 1, 12), ((1, 1), 2, 1, 2, 16)] {
        let one = GaussianMechanism::with_variance(&l2_squared(each * each), &rational(n, d)).unwrap();
        let mechanism = one.histogram(keys, bins).unwrap();
        let near = |a: &[Integer], b: &[Integer]| {
            let moved: Vec<i64> = differences(a, b).map(i64::abs).filter(|moved| *moved > 0).collect();
            moved.len() <= bins && moved.iter().all(|moved| *moved <= each)
        };
        let inputs = integer_vectors(each, keys);
        check(&format!("gaussian_histogram {n}/{d} {keys} {bins} {each}"), &mechanism, &inputs, near, depth);
    }
}
