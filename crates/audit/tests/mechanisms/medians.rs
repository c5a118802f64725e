//! The median by smooth sensitivity, and by propose-test-release.

use std::ops::ControlFlow;

use certus::{
    exact::{Enclosure, Integer, Pmf, Rational},
    mechanism::{
        Private,
        statistic::{Bounds, MedianTest, OrderedRecords, SmoothMedian, Waring},
    },
    sample::{Interpreter, Laplace, Program, Step},
};
use certus_audit::certify::{Certificate, structural};

use crate::{
    domain::{boxed, changed_one, multisets},
    exhaustive::{check, enumerate, positive, rational},
};

struct WaringPmf {
    scale: Rational,
    degree: i64,
}

impl Pmf<Integer> for WaringPmf {
    fn probability(&self, value: &Integer) -> Enclosure {
        let of = |n: i64| Rational::from_integer(n.into());
        let far = Rational::from_integer(value.magnitude().into());
        let product: Rational =
            (0..=self.degree).map(|i| (&self.scale + of(i)) / (&self.scale + &far + of(i))).product();
        let probability = of(self.degree) / (&self.scale + &self.scale + of(self.degree)) * product;
        Enclosure::enclosing(&probability, 200).unwrap()
    }
}

/// The shipped noise has the closed form that the proofs of shift and dilation are about.
#[test]
fn waring_noise_is_what_it_says() {
    for ((n, d), degree, depth) in [((1, 1), 3, 18), ((5, 2), 3, 18), ((1, 3), 2, 14), ((7, 1), 4, 24)] {
        let masses = structural(&Waring::new(&positive(n, d), degree).unwrap(), depth, &mut |_| {}).unwrap();
        let pmf = WaringPmf { scale: rational(n, d), degree: degree.into() };
        let certificate = Certificate::new(&masses, &pmf);
        assert!(certificate.holds());
        assert!(*certificate.total_variation_upper() <= rational(2, 1 << depth));
        let other = WaringPmf { scale: rational(n, d) + rational(1, 10), degree: degree.into() };
        assert!(!Certificate::new(&masses, &other).holds(), "another scale is told apart");
    }
}

fn databases(records: usize) -> Vec<Vec<i64>> {
    multisets(&[0, 1, 4], records).into_iter().filter(|data| data.len() == records).collect()
}

/// A median with Laplace noise of some scale.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Wrong {
    median: Integer,
    noise: Option<Laplace>,
}

impl Program for Wrong {
    type State = ();
    type Output = Integer;

    fn start(&self) {}

    fn step<I: Interpreter>(&self, (): (), on: &mut I) -> Step<Self, I> {
        let noise = self.noise.as_ref().map_or(Ok(Integer::ZERO), |noise| on.call(noise))?;
        Ok(ControlFlow::Break(self.median.add(&noise)))
    }
}

#[test]
fn smooth_sensitivity() {
    let bounds = Bounds::new(0, 4).unwrap();
    for (records, ratio, decay) in [(3, (1, 1), (1, 2)), (2, (1, 2), (2, 3))] {
        let declared = u64::try_from(records).unwrap();
        let of = |ratio: (i64, i64)| {
            SmoothMedian::new(bounds, declared, 3, &positive(ratio.0, ratio.1), &positive(decay.0, decay.1)).unwrap()
        };
        let median = of(ratio);
        let inputs = boxed(&databases(records));
        let all = check(&median, &inputs, changed_one, 12);
        assert!(all.is_dominated(&median.guarantee(), &median.domination()));
        // Mutant: noise as if the median moved by a 64th of what it may.
        let little = of((ratio.0 * 64, ratio.1));
        let less = enumerate(&inputs, |input| little.on(input).unwrap(), |a, b| changed_one(a, b), 10);
        assert!(less.holds(&little.guarantee()) && !less.holds(&median.guarantee()));
        let ordered = |input: &[i64]| OrderedRecords::new(input, bounds, declared).unwrap();
        // Mutant: noise by the local sensitivity, which tells it, and is none where that is 0.
        let local = |input: &Box<[i64]>| {
            let reach = i64::try_from(ordered(input).reach(0)).unwrap();
            let noise = (reach > 0).then(|| Laplace::new(&positive(reach * ratio.1, ratio.0)));
            Wrong { median: ordered(input).median(), noise }
        };
        assert!(!enumerate(&inputs, local, |a, b| changed_one(a, b), 40).holds(&median.guarantee()));
        // Mutant: Laplace noise by the smooth sensitivity: dilation refutes it far out, where it is out of
        // proportion.
        let laplace = |input: &Box<[i64]>| {
            let smooth = ordered(input).smooth_sensitivity(&positive(decay.0, decay.1)) / rational(ratio.0, ratio.1);
            let noise = Laplace::new(&certus::exact::Positive::new(smooth).unwrap());
            Wrong { median: ordered(input).median(), noise: Some(noise) }
        };
        assert!(!enumerate(&inputs, laplace, |a, b| changed_one(a, b), 40).holds(&median.guarantee()));
    }
    let errors = [
        SmoothMedian::new(bounds, 0, 3, &positive(1, 1), &positive(1, 2)).unwrap_err().to_string(),
        SmoothMedian::new(Bounds::new(1, 1).unwrap(), 1, 3, &positive(1, 1), &positive(1, 2)).unwrap_err().to_string(),
        SmoothMedian::new(bounds, 1, 3, &positive(1, 1), &positive(1, 1)).unwrap_err().to_string(),
        SmoothMedian::new(bounds, 1, 0, &positive(1, 1), &positive(1, 2)).unwrap_err().to_string(),
    ];
    assert_eq!(errors[0], "the number of records must be at least 1");
    assert_eq!(errors[1], "the lower bound must be below the upper bound (lower < upper)");
    assert_eq!(errors[2], "the decay e^-beta must be strictly between 0 and 1");
    assert_eq!(errors[3], "the degree of the noise must be from 1 to 64");
}

#[test]
fn propose_test_release() {
    // Medians as far apart as 40, where the data are unstable, and noise of scale 1: δ is all but attained.
    let bounds = Bounds::new(0, 40).unwrap();
    let values = [0, 1, 2, 20, 40];
    for records in [1, 2, 3] {
        let declared = u64::try_from(records).unwrap();
        let inputs: Vec<_> = multisets(&values, records).into_iter().filter(|data| data.len() == records).collect();
        let inputs = boxed(&inputs);
        let of = |threshold| MedianTest::new(bounds, declared, 1, threshold, &positive(1, 1), &positive(1, 1)).unwrap();
        for threshold in [1, 2, 4] {
            let test = of(threshold);
            let all = check(&test, &inputs, changed_one, 30);
            assert!(all.is_tight(&test.guarantee()), "{records} {threshold}");
            assert!(all.is_dominated(&test.guarantee(), &test.domination()));
            // Mutant: δ of strictly above the threshold.
            assert!(!all.holds(&of(threshold + 1).guarantee()));
            // Mutant: the noise of a smaller bound.
            let released = |input: &Box<[i64]>| {
                let other = MedianTest::new(bounds, declared, 1, threshold, &positive(1, 1), &positive(2, 1)).unwrap();
                other.on(input).unwrap()
            };
            let less = enumerate(&inputs, released, |a, b| changed_one(a, b), 30);
            assert!(records == 1 || !less.holds(&test.guarantee()), "{records} {threshold}");
        }
        // Mutant: the test without noise, on the local sensitivity itself.
        let certain = |input: &Box<[i64]>| {
            let ordered = OrderedRecords::new(input, bounds, declared).unwrap();
            let noise = (ordered.reach(0) <= 1).then(|| Laplace::new(&positive(1, 1)));
            Untested {
                median: noise.as_ref().map(|_| ordered.median()),
                noise: noise.unwrap_or(Laplace::new(&positive(1, 1))),
            }
        };
        if records > 1 {
            let all = enumerate(&inputs, certain, |a, b| changed_one(a, b), 30);
            assert!(!all.holds(&of(4).guarantee()), "{records}");
        }
    }
    let refused = MedianTest::new(bounds, 1, 0, 1, &positive(1, 1), &positive(1, 1)).unwrap_err();
    assert_eq!(refused.to_string(), "the proposed bound must be at least 1");
}

/// A noisy median, or nothing, decided without noise.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Untested {
    median: Option<Integer>,
    noise: Laplace,
}

impl Program for Untested {
    type State = ();
    type Output = Option<Integer>;

    fn start(&self) {}

    fn step<I: Interpreter>(&self, (): (), on: &mut I) -> Step<Self, I> {
        let Some(median) = &self.median else { return Ok(ControlFlow::Break(None)) };
        Ok(ControlFlow::Break(Some(median.add(&on.call(&self.noise)?))))
    }
}
