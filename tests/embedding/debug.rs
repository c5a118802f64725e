//! `Debug` tells nothing about private inputs: it is the same text whatever they are.

use std::{collections::BTreeSet, fmt::Debug};

use certus::{
    exact::{Integer, NonNegative, Probability, Rational, parse},
    guarantee::{L1, L2Squared, LInfinity, Relation, Sensitivity},
    mechanism::{
        Private, RandomizedResponse,
        additive::{
            BoundedLaplace, Clamped, GaussianMechanism, Grid, LaplaceMechanism, OnGrid, OnGridVector, Rounding,
            StaircaseMechanism, TruncatedGaussian, TruncatedLaplace,
        },
        selection::{
            Candidates, Exponential, NoisyMax, NoisyTopK, NumericSparseVector, Peeling, PermuteAndFlip, SelectionNoise,
            SparseVector,
        },
        statistic::{
            Bounds, ClampedSum, Histogram, Mean, MeanOfKnown, MedianTest, OrderedRecords, PrefixCounts, Quantile,
            Rappor, RecordCount, SmoothMedian, StabilityHistogram, Survey, Variance,
        },
    },
    sample::{Sampler, fixed::Mode},
};

use crate::positive;

/// Both forms of `Debug`, of the releases on two inputs.
fn same<T: Debug>(name: &'static str, a: &T, b: &T) -> &'static str {
    assert_eq!(format!("{a:?}"), format!("{b:?}"), "{name}");
    assert_eq!(format!("{a:#?}"), format!("{b:#?}"), "{name}");
    name
}

fn on<M: Private<Release: Debug, Error: Debug>>(
    name: &'static str,
    mechanism: &M,
    a: &M::Input,
    b: &M::Input,
) -> &'static str {
    same(name, &mechanism.on(a).unwrap(), &mechanism.on(b).unwrap())
}

fn rational(text: &str) -> Rational {
    parse(text).unwrap()
}

fn integers(of: [i64; 3]) -> [Integer; 3] {
    of.map(Integer::from)
}

/// The names are those of the mechanisms, each once; two inputs of a mechanism differ wherever they can.
fn on_two_inputs() -> Vec<&'static str> {
    let relation = Relation::AddRemove;
    let l1 = Sensitivity::<L1>::new(NonNegative::one(), relation);
    let l2 = Sensitivity::<L2Squared>::new(NonNegative::one(), relation);
    let linf = Sensitivity::<LInfinity>::new(NonNegative::one(), relation);
    let (one, half) = (positive("1"), Probability::new(rational("1/2")).unwrap());
    let (a, b) = (Integer::from(7919), Integer::from(-104_729));
    let (many_a, many_b) = (integers([7919, 1, 2]), integers([-104_729, 5, 900]));
    let (scores_a, scores_b) = ([rational("7919/3"), rational("1"), rational("0")], ["5/7", "8", "99"].map(rational));
    let (records_a, records_b) = ([7, -3, 9], [-10, 10, 2]);
    let bounds = Bounds::new(-10, 10).unwrap();
    let laplace = || LaplaceMechanism::with_scale(&l1, &rational("2")).unwrap();
    let gaussian = || GaussianMechanism::with_sigma(&l2, &rational("2")).unwrap();
    let grid = || Grid::new(&rational("1/2"), Rounding::Nearest).unwrap();
    let candidates = || Candidates::new(3, &linf).unwrap();
    let sparse = || SparseVector::new(&linf, 0.into(), 2, &one, &one, SelectionNoise::Laplace).unwrap();
    vec![
        on(
            "BoundedLaplace",
            &BoundedLaplace::new(&l1, &rational("2"), (-9).into(), 9.into()).unwrap(),
            &3.into(),
            &5.into(),
        ),
        on("Clamped", &Clamped::new(laplace(), 0.into(), 9.into()).unwrap(), &a, &b),
        on("GaussianMechanism", &gaussian(), &a, &b),
        on("GaussianVector", &gaussian().vector(3).unwrap(), &many_a, &many_b),
        on("LaplaceMechanism", &laplace(), &a, &b),
        on("LaplaceVector", &laplace().vector(3).unwrap(), &many_a, &many_b),
        on("OnGrid", &OnGrid::new(grid(), laplace()), &rational("7919/3"), &rational("5/7")),
        on("OnGridVector", &OnGridVector::new(grid(), laplace().vector(3).unwrap()), &scores_a, &scores_b),
        on("StaircaseMechanism", &StaircaseMechanism::new(&l1, &rational("1"), 1_u32.into()).unwrap(), &a, &b),
        on("TruncatedLaplace", &TruncatedLaplace::new(&l1, &rational("2"), 9_u32.into()).unwrap(), &a, &b),
        on("TruncatedGaussian", &TruncatedGaussian::new(&l2, &rational("4"), 9, &rational("1")).unwrap(), &a, &b),
        on("Exponential", &Exponential::new(candidates(), one.clone()).unwrap(), &scores_a, &scores_b),
        on("NoisyMax", &NoisyMax::new(candidates(), &one, SelectionNoise::Laplace).unwrap(), &many_a, &many_b),
        on("NoisyTopK", &NoisyTopK::new(candidates(), 2, &one, SelectionNoise::Geometric).unwrap(), &many_a, &many_b),
        on("NumericSparseVector", &NumericSparseVector::new(sparse(), &one).unwrap(), &many_a, &many_b),
        on("Peeling", &Peeling::new(candidates(), 2, one.clone()).unwrap(), &scores_a, &scores_b),
        on("PermuteAndFlip", &PermuteAndFlip::new(candidates(), one.clone()).unwrap(), &scores_a, &scores_b),
        on("SparseVector", &sparse(), &many_a, &many_b),
        on("RecordCount", &RecordCount::new(&one, relation).unwrap(), &[true, false, true], &[false; 2]),
        on("Histogram", &Histogram::new(3, &one, relation).unwrap(), &[0, 0, 2], &[1]),
        on("Mean", &Mean::new(bounds, &one, &one, relation).unwrap(), &records_a, &records_b),
        on("MeanOfKnown", &MeanOfKnown::new(bounds, 3, &one).unwrap(), &records_a, &records_b),
        on("MedianTest", &MedianTest::new(bounds, 3, 5, 2, &one, &one).unwrap(), &records_a, &records_b),
        on("PrefixCounts", &PrefixCounts::new(5, &one, relation).unwrap(), &[0, 4, 4], &[1]),
        on("Quantile", &Quantile::new(&half, bounds, &one, relation).unwrap(), &records_a, &records_b),
        on("Rappor", &Rappor::permanent(8, 2, &half).unwrap(), &[1, 2], &[7]),
        on("SmoothMedian", &SmoothMedian::new(bounds, 3, 3, &one, &positive("1/2")).unwrap(), &records_a, &records_b),
        on(
            "StabilityHistogram",
            &StabilityHistogram::<&str>::new(&one, 2, 1, relation).unwrap(),
            &[vec!["Ada"]],
            &[vec!["Grace"], vec!["Grace"]],
        ),
        on("ClampedSum", &ClampedSum::new(bounds, &one, relation).unwrap(), &records_a, &records_b),
        on("RandomizedResponse", &RandomizedResponse::truth_with(half.clone(), 3), &0.into(), &2.into()),
        on("Survey", &Survey::new(RandomizedResponse::truth_with(half.clone(), 3)).unwrap(), &0.into(), &2.into()),
        on(
            "Variance",
            &Variance::new(bounds, [one.clone(), one.clone(), one.clone()], relation).unwrap(),
            &records_a,
            &records_b,
        ),
    ]
}

#[test]
fn no_release_prints_its_input() {
    let checked: BTreeSet<String> = on_two_inputs().into_iter().map(str::to_owned).collect();
    // Every implementation of `Private` in the library is among them.
    let mut all = BTreeSet::new();
    for (_, text) in crate::sources() {
        for line in text.lines().filter(|line| line.starts_with("impl") && line.contains(" Private for ")) {
            let name = line.split(" Private for ").nth(1).unwrap();
            all.insert(name.split(['<', ' ']).next().unwrap().to_owned());
        }
    }
    assert_eq!(checked, all);
}

/// The same of a mechanism on an integer by any sampler, and of what statistics are computed from.
#[test]
fn nor_does_a_release_by_another_sampler() {
    let (a, b) = (Integer::from(1), Integer::from(3));
    for sampler in [Sampler::Prepared, Sampler::Fixed(Mode::Standard)] {
        let laplace = LaplaceMechanism::try_from(&"laplace(scale=2)".parse().unwrap()).unwrap();
        let laplace = laplace.with_sampler(sampler).unwrap();
        same("laplace", &laplace.on(&a).unwrap(), &laplace.on(&b).unwrap());
        let gaussian = GaussianMechanism::try_from(&"gaussian(sigma=2)".parse().unwrap()).unwrap();
        let gaussian = gaussian.with_sampler(sampler).unwrap();
        same("gaussian", &gaussian.on(&a).unwrap(), &gaussian.on(&b).unwrap());
    }
    let bounds = Bounds::new(0, 10).unwrap();
    let ordered = |records: &[i64]| OrderedRecords::new(records, bounds, 2).unwrap();
    same("OrderedRecords", &ordered(&[3, 4]), &ordered(&[5, 10]));
}
