//! Privacy is not all: with next to no noise, each mechanism releases what it is about; and ties and
//! thresholds fall where they are said to.

use certus::{
    bits::seeded,
    exact::{BigInt, Integer, NonNegative, Positive, Rational, Real},
    guarantee::{LInfinity, Relation, Sensitivity},
    mechanism::{
        Private,
        selection::{
            Candidates, Exponential, NoisyMax, NoisyTopK, NumericSparseVector, Peeling, PermuteAndFlip, SelectionNoise,
            SparseVector,
        },
        statistic::{
            Bounds, ClampedSum, Histogram, Mean, MeanOfKnown, MedianTest, PrefixCounts, Quantile, Rappor, RecordCount,
            SmoothMedian, StabilityHistogram, Variance,
        },
    },
    sample::Program,
};
use certus_audit::certify::structural;

use crate::{
    domain::{integers, rationals},
    exhaustive::{positive, probability, rational},
};

/// A thousandth: the noise is 0 but for a probability of about e^-1000.
fn little() -> Positive {
    positive(1, 1000)
}

fn candidates(count: usize) -> Candidates {
    Candidates::new(count, &Sensitivity::<LInfinity>::new(NonNegative::one(), Relation::AddRemove)).unwrap()
}

fn drawn<M: Private>(mechanism: &M, input: &M::Input) -> <M::Release as Program>::Output
where
    M::Error: std::fmt::Debug,
{
    mechanism.release(input, &mut seeded([5; 32])).unwrap().get().clone()
}

#[test]
fn choices() {
    let much = positive(10_000, 1);
    let scores = [3, 9, -4, 8, 9];
    // Of equal ones the lowest index, where ties go by index; either, where they do not.
    assert!([1, 4].contains(&drawn(&Exponential::new(candidates(5), much.clone()).unwrap(), &rationals(&scores))));
    assert!([1, 4].contains(&drawn(&PermuteAndFlip::new(candidates(5), much.clone()).unwrap(), &rationals(&scores))));
    for noise in [SelectionNoise::Laplace, SelectionNoise::Geometric] {
        assert_eq!(drawn(&NoisyMax::new(candidates(5), &much, noise).unwrap(), &integers(&scores)), 1);
        let top = NoisyTopK::new(candidates(5), 4, &much, noise).unwrap();
        assert_eq!(drawn(&top, &integers(&scores)), [1, 4, 3, 0]);
    }
    let peeled = drawn(&Peeling::new(candidates(5), 4, much.clone()).unwrap(), &rationals(&scores));
    assert!([[1, 4, 3, 0], [4, 1, 3, 0]].contains(&peeled[..].try_into().unwrap()));
    let sensitivity = Sensitivity::<LInfinity>::new(NonNegative::one(), Relation::AddRemove);
    for noise in [SelectionNoise::Laplace, SelectionNoise::Geometric] {
        let test = SparseVector::new(&sensitivity, 5.into(), 2, &much, &much, noise).unwrap();
        let queries = integers(&[4, 5, -9, 6, 7]);
        assert_eq!(drawn(&test, &queries), [false, true, false, true]);
        let numeric = NumericSparseVector::new(test, &much).unwrap();
        let answers = [None, Some(Integer::from(5)), None, Some(Integer::from(6))];
        assert_eq!(drawn(&numeric, &queries), answers);
    }
}

#[test]
fn statistics() {
    let relation = Relation::AddRemove;
    let bounds = Bounds::new(-5, 10).unwrap();
    let records = [3, -99, 7, 7, 1000];
    assert_eq!(drawn(&RecordCount::new(&little(), relation).unwrap(), &[true, false, true]), Integer::from(2));
    let sum = ClampedSum::new(bounds, &little(), relation).unwrap();
    assert_eq!(drawn(&sum, &records), Integer::from(22));
    assert_eq!(drawn(&sum.saturating(20).unwrap(), &records), Integer::from(20));
    let mean = Mean::new(bounds, &little(), &little(), relation).unwrap();
    assert_eq!(mean.estimate(&drawn(&mean, &records)), Some(rational(22, 5)));
    let known = MeanOfKnown::new(bounds, 5, &little()).unwrap();
    assert_eq!(known.estimate(&drawn(&known, &records)), rational(22, 5));
    let variance = Variance::new(bounds, [little(), little(), little()], relation).unwrap();
    // (9 + 25 + 49 + 49 + 100)/5 − (22/5)²
    assert_eq!(variance.estimate(&drawn(&variance, &records)), Some(rational(232, 5) - rational(484, 25)));
    assert_eq!(drawn(&Histogram::new(3, &little(), relation).unwrap(), &[2, 0, 2, 3]), integers(&[1, 0, 2]));
    let keys = StabilityHistogram::<&str>::new(&little(), 2, 1, relation).unwrap();
    let people = ["b", "a", "b", "c"].map(|key| vec![key]);
    assert_eq!(drawn(&keys, &people), [("b", Integer::from(2))]);
    for slots in 1..20 {
        let prefixes = PrefixCounts::new(slots, &little(), relation).unwrap();
        let events = [0, 0, 3, 4, 7, 7, 8, 16, 99];
        let counts: Vec<Integer> = (0..slots)
            .map(|slot| Integer::from(u64::try_from(events.iter().filter(|event| **event <= slot).count()).unwrap()))
            .collect();
        assert_eq!(drawn(&prefixes, &events), counts, "{slots}");
    }
    let level = |n, d| Quantile::new(&probability(n, d), bounds, &positive(10_000, 1), relation).unwrap();
    let distinct = [3, -99, 7, 8, 1000];
    assert_eq!(drawn(&level(1, 2), &distinct), Integer::from(7));
    assert_eq!(drawn(&level(1, 10), &distinct), Integer::from(-5));
    assert_eq!(drawn(&level(9, 10), &distinct), Integer::from(10));
    let tested = MedianTest::new(bounds, 5, 4, 1, &positive(1000, 1), &positive(10_000, 1)).unwrap();
    assert_eq!(drawn(&tested, &records), Some(Integer::from(7)));
    let smooth = SmoothMedian::new(bounds, 5, 3, &positive(1 << 40, 1), &positive(1, 2)).unwrap();
    assert_eq!(drawn(&smooth, &records), Integer::from(7));
    let report = Rappor::permanent(5, 2, &probability(1, 1 << 40)).unwrap();
    assert_eq!(drawn(&report, &[3, 1]), [false, true, false, true, false]);
}

/// The mass of an output lies within the unresolved mass of a real number.
fn is_probability<P: Program>(program: &P, output: &P::Output, expected: &Real) -> bool {
    let masses = structural(program, 40, &mut |_| {}).unwrap();
    let unit = BigInt::from(1) << masses.precision();
    let lower = Rational::new(masses.lower()[output].clone().into(), unit.clone());
    let slack = Rational::new(masses.unresolved().clone().into(), unit);
    let expected = expected.enclose(60).unwrap();
    expected.upper() >= lower && expected.lower() <= lower + slack
}

/// P(X₀ ≥ X₁) = 1/(1 + a) of geometric noise, a = e^(-1/scale): the lower index wins ties. And P(X ≥ 0) is 1
/// of it, but 1/(1 + a) of Laplace noise: a query at the threshold passes without noise.
#[test]
fn ties_and_thresholds() {
    let at_least = &Real::from(1) / &(&Real::from(1) + &Real::from(-1).exp());
    let tie = NoisyMax::new(candidates(2), &positive(2, 1), SelectionNoise::Geometric).unwrap();
    assert!(is_probability(&tie.on(&integers(&[7, 7])).unwrap(), &0, &at_least));
    let behind = &at_least * &Real::from(-1).exp();
    assert!(is_probability(&tie.on(&integers(&[7, 8])).unwrap(), &0, &behind));
    let sensitivity = Sensitivity::<LInfinity>::new(NonNegative::one(), Relation::AddRemove);
    let test =
        SparseVector::new(&sensitivity, 3.into(), 1, &positive(1000, 1), &positive(2, 1), SelectionNoise::Laplace)
            .unwrap();
    assert!(is_probability(&test.on(&integers(&[3])).unwrap(), &vec![true], &at_least));
    assert!(!is_probability(&test.on(&integers(&[2])).unwrap(), &vec![true], &at_least));
}
