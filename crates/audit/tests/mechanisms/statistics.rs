//! Counts, sums, means, histograms, quantiles, prefixes.

use std::ops::ControlFlow;

use certus::{
    exact::{Integer, Positive},
    guarantee::{
        LInfinity,
        Relation::{self, AddRemove, ChangeOne},
        Sensitivity,
    },
    mechanism::{
        Private,
        selection::{Candidates, Exponential},
        statistic::{
            Bounds, ClampedSum, Histogram, Mean, MeanOfKnown, PrefixCounts, Quantile, RecordCount, StabilityHistogram,
            Variance,
        },
    },
    sample::{Interpreter, Laplace, Program, Step},
};
use certus_audit::certify::structural;

use crate::{
    domain::{boxed, changed_one, multisets, removed_one},
    exhaustive::{check, enumerate, positive, probability, rational},
};

fn neighbours<T: PartialEq + Clone>(relation: Relation) -> fn(&[T], &[T]) -> bool {
    match relation {
        AddRemove => removed_one,
        ChangeOne => changed_one,
        other => panic!("no such neighbours: {other:?}"),
    }
}

/// Integers with noise that may be shared, or missing.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Wrong {
    values: Vec<Integer>,
    noises: Vec<Option<Laplace>>,
    one_noise: bool,
}

impl Program for Wrong {
    type State = ();
    type Output = Vec<Integer>;

    fn start(&self) {}

    fn step<I: Interpreter>(&self, (): (), on: &mut I) -> Step<Self, I> {
        let shared = match &self.noises[0] {
            Some(noise) if self.one_noise => Some(on.call(noise)?),
            _ => None,
        };
        let mut released = vec![];
        for (value, noise) in self.values.iter().zip(&self.noises) {
            let drawn = match (&shared, noise) {
                (Some(shared), _) => shared.clone(),
                (None, Some(noise)) => on.call(noise)?,
                (None, None) => Integer::ZERO,
            };
            released.push(value.add(&drawn));
        }
        Ok(ControlFlow::Break(released))
    }
}

fn laplace(n: i64, d: i64) -> Option<Laplace> {
    Some(Laplace::new(&positive(n, d)))
}

#[test]
fn counts() {
    let inputs = boxed(&multisets(&[false, true], 3));
    for relation in [AddRemove, ChangeOne] {
        let of = |n, d| RecordCount::new(&positive(n, d), relation).unwrap();
        let count = of(2, 1);
        let all = check(&count, &inputs, neighbours(relation), 48);
        assert!(all.is_tight(&count.guarantee()));
        assert!(all.is_dominated(&count.guarantee(), &count.domination()));
        assert!(all.attains(&count.guarantee(), &count.domination()));
        let half = enumerate(&inputs, |input| of(1, 1).on(input).unwrap(), |a, b| neighbours(relation)(a, b), 48);
        assert!(!half.holds(&count.guarantee()), "mutant: half the noise");
    }
}

#[test]
fn sums() {
    for (lower, upper) in [(-1, 2), (0, 1), (-2, -1)] {
        let bounds = Bounds::new(lower, upper).unwrap();
        for relation in [AddRemove, ChangeOne] {
            let sum = ClampedSum::new(bounds, &positive(2, 1), relation).unwrap();
            let inputs = boxed(&multisets(&[-3, 0, 1, 9], 2));
            let all = check(&sum, &inputs, neighbours(relation), 24);
            assert!(all.is_tight(&sum.guarantee()));
            assert!(all.is_dominated(&sum.guarantee(), &sum.domination()));
            assert!(all.attains(&sum.guarantee(), &sum.domination()));
            // Mutant: records are not clamped.
            let raw = |records: &Box<[i64]>| Wrong {
                values: vec![Integer::from(records.iter().sum::<i64>())],
                noises: vec![laplace(2, 1)],
                one_noise: false,
            };
            assert!(!enumerate(&inputs, raw, |a, b| neighbours(relation)(a, b), 24).holds(&sum.guarantee()));
        }
        // Mutant: the sensitivity of records that come and go, where records change.
        let wrong = ClampedSum::new(Bounds::new(-2, 2).unwrap(), &positive(2, 1), AddRemove).unwrap();
        let inputs = boxed(&multisets(&[-2, 2], 2));
        let changed = enumerate(&inputs, |input| wrong.on(input).unwrap(), |a, b| changed_one(a, b), 24);
        assert!(!changed.holds(&wrong.guarantee()));
    }
    // Saturated: records of 3 that add up to 4 at most.
    let sum = ClampedSum::new(Bounds::new(-3, 3).unwrap(), &positive(3, 1), AddRemove).unwrap().saturating(4).unwrap();
    let all = check(&sum, &boxed(&multisets(&[-3, 0, 3], 4)), removed_one, 24);
    assert!(all.is_tight(&sum.guarantee()) && all.is_dominated(&sum.guarantee(), &sum.domination()));
}

#[test]
fn means() {
    let bounds = Bounds::new(0, 2).unwrap();
    for relation in [AddRemove, ChangeOne] {
        let mean = Mean::new(bounds, &positive(2, 1), &positive(1, 1), relation).unwrap();
        let inputs = boxed(&multisets(&[0, 1, 2], 2));
        let all = check(&mean, &inputs, neighbours(relation), 16);
        assert!(all.is_tight(&mean.guarantee()));
        assert!(all.is_dominated(&mean.guarantee(), &mean.domination()));
        if relation == AddRemove {
            let wrong = |records: &Box<[i64]>, count: Option<Laplace>, one_noise: bool| Wrong {
                values: vec![
                    Integer::from(records.iter().map(|x| 2 * x - 2).sum::<i64>()),
                    Integer::from(i64::try_from(records.len()).unwrap()),
                ],
                noises: vec![laplace(2, 1), count],
                one_noise,
            };
            let run = |count: Option<Laplace>, one_noise| {
                enumerate(&inputs, |records| wrong(records, count.clone(), one_noise), |a, b| removed_one(a, b), 16)
            };
            assert!(run(laplace(1, 1), false).holds(&mean.guarantee()), "without a mutation this is the mechanism");
            assert!(!run(None, false).holds(&mean.guarantee()), "mutant: the true count");
            assert!(!run(laplace(1, 1), true).holds(&mean.guarantee()), "mutant: noise reused");
        }
    }
    let known = MeanOfKnown::new(bounds, 2, &positive(2, 1)).unwrap();
    let inputs: Vec<_> = multisets(&[0, 1, 2], 2).into_iter().filter(|data| data.len() == 2).collect();
    let all = check(&known, &boxed(&inputs), changed_one, 40);
    assert!(all.is_tight(&known.guarantee()) && all.attains(&known.guarantee(), &known.domination()));
}

#[test]
fn variances() {
    let bounds = Bounds::new(0, 1).unwrap();
    for relation in [AddRemove, ChangeOne] {
        let scales = [positive(1, 2), positive(1, 2), positive(1, 2)];
        let variance = Variance::new(bounds, scales.clone(), relation).unwrap();
        let inputs = boxed(&[vec![], vec![0], vec![1]]);
        let all = check(&variance, &inputs, neighbours(relation), 20);
        assert!(all.is_tight(&variance.guarantee()), "{relation}");
        // Mutant: the squares' noise is half of what it should be.
        let scales = [positive(1, 2), positive(1, 2), positive(1, 4)];
        let less = Variance::new(bounds, scales, AddRemove).unwrap();
        let stated = Variance::new(bounds, [positive(1, 2), positive(1, 2), positive(1, 2)], AddRemove).unwrap();
        let half = enumerate(&inputs, |input| less.on(input).unwrap(), |a, b| removed_one(a, b), 20);
        assert!(!half.holds(&stated.guarantee()));
    }
}

#[test]
fn histograms() {
    // Two keys, and a record that has neither.
    let inputs = boxed(&multisets(&[0_usize, 1, 7], 2));
    for relation in [AddRemove, ChangeOne] {
        let histogram = Histogram::new(2, &positive(1, 1), relation).unwrap();
        let all = check(&histogram, &inputs, neighbours(relation), 16);
        assert!(all.is_tight(&histogram.guarantee()));
        assert!(all.is_dominated(&histogram.guarantee(), &histogram.domination()));
        assert!(all.attains(&histogram.guarantee(), &histogram.domination()));
        let wrong = |records: &Box<[usize]>, n, d, one_noise| Wrong {
            values: (0..2)
                .map(|key| {
                    Integer::from(u64::try_from(records.iter().filter(|record| **record == key).count()).unwrap())
                })
                .collect(),
            noises: vec![laplace(n, d); 2],
            one_noise,
        };
        let run = |n, d, one_noise| {
            enumerate(&inputs, |records| wrong(records, n, d, one_noise), |a, b| neighbours(relation)(a, b), 16)
        };
        assert!(run(1, 1, false).holds(&histogram.guarantee()), "without a mutation this is the mechanism");
        assert!(!run(1, 1, true).holds(&histogram.guarantee()), "mutant: noise reused");
        assert!(!run(1, 2, false).holds(&histogram.guarantee()), "mutant: half the noise");
    }
    // Mutant: one count moves, where a record changes.
    let one = Histogram::new(2, &positive(1, 1), AddRemove).unwrap();
    assert!(!enumerate(&inputs, |input| one.on(input).unwrap(), |a, b| changed_one(a, b), 16).holds(&one.guarantee()));
    let single = Histogram::new(1, &positive(1, 1), ChangeOne).unwrap();
    assert!(
        check(&single, &inputs, changed_one, 40).is_tight(&single.guarantee()),
        "one key: a change moves one count"
    );
}

/// Key counts from a threshold on, wrong: strictly above it, or no threshold, or more keys a person than
/// stated.
fn stability(scale: &Positive, threshold: i64, contributions: u32, relation: Relation) -> StabilityHistogram<u8> {
    StabilityHistogram::new(scale, threshold, contributions, relation).unwrap()
}

#[test]
fn stability_histograms() {
    for (scale, threshold) in [((1, 1), 4), ((2, 1), 2), ((1, 2), 3), ((3, 1), 1)] {
        let scale = positive(scale.0, scale.1);
        for relation in [AddRemove, ChangeOne] {
            let one = stability(&scale, threshold, 1, relation);
            let inputs = boxed(&multisets(&[vec![1_u8], vec![2]], 3));
            let all = check(&one, &inputs, neighbours(relation), 20);
            assert!(all.is_tight(&one.guarantee()), "{scale} {threshold} {relation}");
            assert!(all.is_dominated(&one.guarantee(), &one.domination()));
            // Mutant: δ of strictly above the threshold, where "at least" is released.
            let strictly = stability(&scale, threshold + 1, 1, relation).guarantee();
            assert!(!all.holds(&strictly), "{scale} {threshold} {relation}");
            // Mutant: a threshold lower by one than stated; two keys a person, and δ for one.
            let lower = stability(&scale, threshold - 1, 1, relation);
            let on = |input: &Box<[Vec<u8>]>| lower.on(input).unwrap();
            assert!(!enumerate(&inputs, on, |a, b| neighbours(relation)(a, b), 20).holds(&one.guarantee()));
        }
    }
    for relation in [AddRemove, ChangeOne] {
        let two = stability(&positive(1, 1), 4, 2, relation);
        // Three keys of one person, of which two count; two people with a key in common.
        let mut people = multisets(&[vec![1_u8], vec![1, 2], vec![3, 4, 1]], 1);
        people.extend([vec![vec![1], vec![1, 2]], vec![vec![1, 2], vec![1, 2]]]);
        let people = boxed(&people);
        let all = check(&two, &people, neighbours(relation), 14);
        assert!(all.is_tight(&two.guarantee()), "{relation}");
        let one = stability(&positive(1, 1), 4, 1, relation).guarantee();
        assert!(!all.holds(&one), "mutant: the bound on contributions ignored");
    }
}

#[test]
fn quantiles() {
    // A small range, every multiset; and a wide one, where the ends weigh so much that the guarantee is
    // nearly attained.
    let small = (Bounds::new(0, 3).unwrap(), boxed(&multisets(&[0, 1, 2, 3], 3)));
    let wide = (Bounds::new(0, 400).unwrap(), boxed(&multisets(&[0, 390, 400], 3)));
    for (n, d) in [(1, 2), (1, 4), (1, 1), (0, 1)] {
        for relation in [AddRemove, ChangeOne] {
            for (bounds, inputs) in [&small, &wide] {
                let of =
                    |epsilon: i64| Quantile::new(&probability(n, d), *bounds, &positive(epsilon, 1), relation).unwrap();
                let quantile = of(1);
                let all = check(&quantile, inputs, neighbours(relation), 40);
                if bounds.width() > 3 && d > 1 {
                    let doubled = of(2);
                    let half =
                        enumerate(inputs, |input| doubled.on(input).unwrap(), |a, b| neighbours(relation)(a, b), 40);
                    assert!(!half.holds(&quantile.guarantee()), "mutant: sensitivity halved, {n}/{d} {relation}");
                } else {
                    assert!(all.is_dominated(&quantile.guarantee(), &quantile.domination()));
                }
            }
        }
    }
    let (bounds, inputs) = &wide;
    let median = Quantile::new(&probability(1, 2), *bounds, &positive(1, 1), AddRemove).unwrap();
    assert!(check(&median, inputs, removed_one, 40).is_tight(&median.guarantee()));
    // Mutant: the sensitivity of records that come and go, 1/2 for the median, where records change.
    let changed = enumerate(inputs, |input| median.on(input).unwrap(), |a, b| changed_one(a, b), 40);
    assert!(!changed.holds(&median.guarantee()));
}

/// Candidates by their own scores: the choice over segments is the exponential mechanism over all integers.
#[test]
fn segments_are_the_exponential_mechanism() {
    let quantile = Quantile::new(&probability(1, 3), Bounds::new(0, 4).unwrap(), &positive(1, 1), AddRemove).unwrap();
    let sensitivity = Sensitivity::<LInfinity>::new(positive(2, 3).into(), AddRemove);
    let all = Exponential::new(Candidates::new(5, &sensitivity).unwrap(), positive(1, 1)).unwrap();
    for records in multisets(&[-1_i64, 0, 2, 3], 3) {
        let clamped: Vec<i64> = records.iter().map(|x| *x.max(&0)).collect();
        let score = |y: i64| {
            let count =
                |side: &dyn Fn(i64) -> bool| i64::try_from(clamped.iter().filter(|x| side(**x)).count()).unwrap();
            rational(-(2 * count(&|x| x < y) - count(&|x| x > y)).abs(), 3)
        };
        let scores: Vec<_> = (0..=4).map(score).collect();
        let by_segments = structural(&quantile.on(&records).unwrap(), 40, &mut |_| {}).unwrap();
        let one_by_one = structural(&all.on(&scores).unwrap(), 40, &mut |_| {}).unwrap();
        assert_eq!(by_segments.lower().len(), 5);
        for (y, mass) in by_segments.lower() {
            let other = &one_by_one.lower()[&usize::try_from(y.to_i64().unwrap()).unwrap()];
            // In units of 2^-38; either is short of the truth by at most 2^-40.
            let [a, b] = [(mass, by_segments.precision()), (other, one_by_one.precision())]
                .map(|(mass, precision)| i64::try_from(mass >> (precision - 38)).unwrap());
            assert!(a.abs_diff(b) <= 1, "{records:?} {y}");
        }
    }
}

#[test]
fn prefixes() {
    // Three slots, and one that is none. Scale 1/2: 28 values a node.
    let inputs = boxed(&[vec![], vec![0_usize], vec![1], vec![2], vec![9]]);
    for relation in [AddRemove, ChangeOne] {
        let prefixes = PrefixCounts::new(3, &positive(1, 2), relation).unwrap();
        let all = check(&prefixes, &inputs, neighbours(relation), 18);
        assert!(all.is_tight(&prefixes.guarantee()), "{relation}");
        assert!(all.is_dominated(&prefixes.guarantee(), &prefixes.domination()));
        // Mutant: as if a record were in one node.
        let one = RecordCount::new(&positive(1, 2), relation).unwrap();
        assert!(!all.holds(&one.guarantee()));
    }
    // Mutant: one noise for all nodes.
    let prefixes = PrefixCounts::new(3, &positive(1, 2), AddRemove).unwrap();
    let wrong = |records: &Box<[usize]>| {
        let count = |from: usize, to: usize| {
            Integer::from(u64::try_from(records.iter().filter(|t| (from..=to).contains(*t)).count()).unwrap())
        };
        Wrong { values: vec![count(0, 0), count(0, 1), count(2, 2)], noises: vec![laplace(1, 2); 3], one_noise: true }
    };
    assert!(!enumerate(&inputs, wrong, |a, b| removed_one(a, b), 30).holds(&prefixes.guarantee()));
}
