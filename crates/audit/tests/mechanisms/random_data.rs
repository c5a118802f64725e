//! Random data and neighbours, extremes among them: no true answer moves further than the guarantee says.
//!
//! On the same bits two releases differ by what the true answers differ by, the noise being the same. So
//! Σ |difference|/scale over the coordinates is the privacy loss that the data can cause, and must be at most
//! the stated ε.

use certus::{
    bits::seeded,
    exact::{Integer, Positive, Rational, Real},
    guarantee::{
        Privacy,
        Relation::{self, AddRemove, ChangeOne},
    },
    mechanism::{
        Private,
        statistic::{Bounds, ClampedSum, Histogram, Mean, MeanOfKnown, PrefixCounts, RecordCount, Variance},
    },
    sample::Program,
};
use proptest::{prelude::*, test_runner::TestCaseResult};

use crate::exhaustive::positive;

/// What a release has been reduced to: its integers.
trait Coordinates {
    fn coordinates(self) -> Vec<Integer>;
}

impl Coordinates for Integer {
    fn coordinates(self) -> Vec<Integer> {
        vec![self]
    }
}

impl Coordinates for Vec<Integer> {
    fn coordinates(self) -> Vec<Integer> {
        self
    }
}

/// Released on two inputs from the same bits: they are at most ε apart, each coordinate in units of its
/// scale. Permuting the records changes nothing.
fn at_most_epsilon_apart<M, T>(mechanism: &M, scales: &[Positive], a: &[T], b: &[T], seed: u8) -> TestCaseResult
where
    M: Private<Input = [T]>,
    <M::Release as Program>::Output: Coordinates,
    M::Error: core::fmt::Debug,
    T: Clone,
{
    let release = |records: &[T]| {
        let released = mechanism.release(records, &mut seeded([seed; 32])).unwrap();
        released.get().clone().coordinates()
    };
    let (on_a, on_b) = (release(a), release(b));
    prop_assert_eq!(on_a.len(), on_b.len());
    let scale = |i: usize| scales.get(i).unwrap_or(&scales[0]).get();
    let moved: Rational =
        (0..on_a.len())
            .map(|i| Rational::from_integer(on_a[i].to_big() - on_b[i].to_big()))
            .enumerate()
            .map(|(i, difference)| {
                if difference < Rational::from_integer(0.into()) {
                    -difference / scale(i)
                } else {
                    difference / scale(i)
                }
            })
            .sum();
    let guarantee = mechanism.guarantee();
    let Privacy::Pure { epsilon } = guarantee.privacy() else { panic!("not pure") };
    prop_assert!(Real::from(moved.clone()).is_at_most(epsilon), "{moved} > {epsilon}");
    let mut reversed = a.to_vec();
    reversed.reverse();
    prop_assert_eq!(release(&reversed), on_a);
    Ok(())
}

/// Any record, the extremes more often than not.
fn record() -> impl Strategy<Value = i64> {
    prop_oneof![any::<i64>(), -3..=3_i64, -200..=200_i64, Just(i64::MIN), Just(i64::MAX), Just(i64::MIN + 1), Just(-1),]
}

fn bounds() -> impl Strategy<Value = Bounds> {
    (record(), record()).prop_map(|(a, b)| Bounds::new(a.min(b), a.max(b)).unwrap())
}

/// Two neighbours: a record comes, at any place, or one is another.
fn neighbours<T: Clone + core::fmt::Debug + 'static>(
    record: impl Strategy<Value = T> + Clone + 'static,
    relation: Relation,
) -> impl Strategy<Value = (Vec<T>, Vec<T>)> {
    (prop::collection::vec(record.clone(), 0..12), record.clone(), record, any::<prop::sample::Index>()).prop_map(
        move |(rest, x, y, at)| {
            let with = |record: T| {
                let mut records = rest.clone();
                records.insert(at.index(rest.len() + 1), record);
                records
            };
            match relation {
                AddRemove => (with(x), rest.clone()),
                ChangeOne => (with(x), with(y)),
                other => panic!("no such neighbours: {other:?}"),
            }
        },
    )
}

fn either<T: Clone + core::fmt::Debug + 'static>(
    record: impl Strategy<Value = T> + Clone + 'static,
) -> impl Strategy<Value = (Relation, (Vec<T>, Vec<T>))> {
    prop_oneof![Just(AddRemove), Just(ChangeOne)]
        .prop_flat_map(move |relation| (Just(relation), neighbours(record.clone(), relation)))
}

proptest! {
    #[test]
    fn of_counts((relation, (a, b)) in either(any::<bool>()), seed: u8) {
        let scale = positive(5, 2);
        at_most_epsilon_apart(&RecordCount::new(&scale, relation).unwrap(), &[scale], &a, &b, seed)?;
    }

    #[test]
    fn of_sums((relation, (a, b)) in either(record().boxed()), bounds in bounds(), limit in 1..=i64::MAX, seed: u8) {
        let scale = positive(7, 3);
        let sum = ClampedSum::new(bounds, &scale, relation).unwrap();
        at_most_epsilon_apart(&sum, std::slice::from_ref(&scale), &a, &b, seed)?;
        for limit in [limit, limit % 300 + 1] {
            at_most_epsilon_apart(&sum.clone().saturating(limit).unwrap(), std::slice::from_ref(&scale), &a, &b, seed)?;
        }
    }

    #[test]
    fn of_means((relation, (a, b)) in either(record().boxed()), bounds in bounds(), seed: u8) {
        let scales = [positive(7, 3), positive(2, 1)];
        at_most_epsilon_apart(&Mean::new(bounds, &scales[0], &scales[1], relation).unwrap(), &scales, &a, &b, seed)?;
    }

    #[test]
    fn of_means_of_known((a, b) in neighbours(record().boxed(), ChangeOne), bounds in bounds(), seed: u8) {
        let scale = positive(7, 3);
        let mean = MeanOfKnown::new(bounds, a.len().try_into().unwrap(), &scale).unwrap();
        at_most_epsilon_apart(&mean, &[scale], &a, &b, seed)?;
    }

    #[test]
    fn of_variances((relation, (a, b)) in either(record().boxed()), bounds in bounds(), seed: u8) {
        let scales = [positive(3, 1), positive(7, 3), positive(2, 1)];
        at_most_epsilon_apart(&Variance::new(bounds, scales.clone(), relation).unwrap(), &scales, &a, &b, seed)?;
    }

    // Keys and slots that are none, too.
    #[test]
    fn of_histograms((relation, (a, b)) in either(prop_oneof![0..12_usize, Just(usize::MAX)].boxed()), keys in 1..10_usize, seed: u8) {
        let scale = positive(3, 2);
        at_most_epsilon_apart(&Histogram::new(keys, &scale, relation).unwrap(), std::slice::from_ref(&scale), &a, &b, seed)?;
    }
}

/// Prefix counts are sums of nodes: the differences of the prefixes are those of the nodes along a path, so
/// each prefix moves by at most 1.
#[test]
fn of_prefix_counts() {
    let scale = positive(3, 2);
    for slots in [1, 2, 3, 7, 8, 20] {
        for relation in [AddRemove, ChangeOne] {
            let mechanism = PrefixCounts::new(slots, &scale, relation).unwrap();
            for x in 0..slots {
                for y in 0..slots {
                    let (a, b) = match relation {
                        AddRemove => (vec![0, x, 2 % slots], vec![0, 2 % slots]),
                        ChangeOne => (vec![0, x, 2 % slots], vec![0, y, 2 % slots]),
                        other => panic!("no such neighbours: {other:?}"),
                    };
                    let on = |data: &[usize]| mechanism.release(data, &mut seeded([1; 32])).unwrap().get().clone();
                    let (on_a, on_b) = (on(&a), on(&b));
                    for (p, q) in on_a.iter().zip(&on_b) {
                        assert!((p.to_big() - q.to_big()).magnitude() <= &1u32.into());
                    }
                }
            }
        }
    }
}
