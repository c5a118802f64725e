//! Statistics of records: all multisets of a few values, the empty one among them, with one record more, or
//! changed.

use certus::{
    exact::Positive,
    guarantee::Relation::{self, AddRemove, ChangeOne},
    mechanism::statistic::{
        Bounds, ClampedSum, Histogram, Mean, MeanOfKnown, MedianTest, PrefixCounts, Quantile, RecordCount,
        SmoothMedian, StabilityHistogram, Variance,
    },
};

use super::is_full;
use crate::{
    accounted::{check, check_two_steps},
    domain::{changed_one, multisets, removed_one},
    exhaustive::{positive, probability},
};

const RELATIONS: [Relation; 2] = [AddRemove, ChangeOne];

fn near<T: PartialEq + Clone>(relation: Relation) -> fn(&[T], &[T]) -> bool {
    match relation {
        AddRemove => removed_one,
        ChangeOne => changed_one,
        other => panic!("no such neighbours: {other:?}"),
    }
}

fn bounds(lower: i64, upper: i64) -> Bounds {
    Bounds::new(lower, upper).unwrap()
}

/// All multisets of exactly so many.
fn exactly(values: &[i64], records: usize) -> Vec<Vec<i64>> {
    multisets(values, records).into_iter().filter(|data| data.len() == records).collect()
}

pub fn count() {
    for relation in RELATIONS {
        for (n, d) in [(1, 3), (2, 1)] {
            let count = RecordCount::new(&positive(n, d), relation).unwrap();
            check(&format!("count {n}/{d}"), &count, &multisets(&[false, true], 3), near(relation), 40);
            if relation == AddRemove {
                check_two_steps("count", &count, &multisets(&[false, true], 3), 40);
            }
        }
    }
}

pub fn sum() {
    // Bounds on one side of 0, at 0, and alone; totals that saturate at less than one record.
    for (lower, upper, limit) in [
        (-1, 2, None),
        (0, 1, None),
        (-2, -1, None),
        (1, 1, None),
        (0, 0, None),
        (-3, 2, Some(2)),
        (-3, 2, Some(3)),
        (0, 2, Some(1)),
        (1, 3, Some(4)),
        (-3, -1, Some(3)),
        (2, 3, Some(3)),
        (2, 3, Some(1)),
    ] {
        for relation in RELATIONS {
            let sum = ClampedSum::new(bounds(lower, upper), &positive(3, 2), relation).unwrap();
            let sum = limit.map_or_else(|| Ok(sum.clone()), |limit| sum.clone().saturating(limit)).unwrap();
            let inputs = multisets(&[i64::MIN, -3, -1, 0, 1, 2, i64::MAX], 2);
            check(&format!("sum {lower} {upper} {limit:?}"), &sum, &inputs, near(relation), 30);
            if relation == AddRemove {
                check_two_steps(&format!("sum {lower} {upper} {limit:?}"), &sum, &inputs, 30);
            }
        }
    }
}

pub fn mean() {
    for relation in RELATIONS {
        for (lower, upper) in [(0, 1), (-1, 1), (-2, -2)] {
            let mean = Mean::new(bounds(lower, upper), &positive(1, 1), &positive(1, 2), relation).unwrap();
            let inputs = multisets(&[-2, -1, 0, 1], 2);
            check(&format!("mean {lower} {upper}"), &mean, &inputs, near(relation), 14);
            if relation == AddRemove {
                check_two_steps(&format!("mean {lower} {upper}"), &mean, &inputs, 14);
            }
        }
    }
}

pub fn mean_of_known() {
    for (lower, upper) in [(0, 2), (-1, 1), (-3, -3)] {
        for records in [1, 2] {
            let declared = u64::try_from(records).unwrap();
            let mean = MeanOfKnown::new(bounds(lower, upper), declared, &positive(3, 2)).unwrap();
            let inputs = exactly(&[i64::MIN, -1, 0, 1, 2, 9], records);
            check(&format!("mean_of_known {lower} {upper} {records}"), &mean, &inputs, changed_one, 40);
        }
    }
}

pub fn variance() {
    for relation in RELATIONS {
        for (lower, upper, squares) in [(0, 1, (1, 2)), (-1, 1, (1, 1)), (0, 3, (1, 1))] {
            let scales = [positive(1, 3), positive(1, 2), positive(squares.0, squares.1)];
            let variance = Variance::new(bounds(lower, upper), scales, relation).unwrap();
            let inputs = multisets(&[-1, 0, 1, 2, 3], 1);
            check(&format!("variance {lower} {upper}"), &variance, &inputs, near(relation), 12);
        }
    }
}

pub fn histogram() {
    for relation in RELATIONS {
        for (keys, depth) in [(1, 30), (2, 16), (3, 10)] {
            let histogram = Histogram::new(keys, &positive(1, 1), relation).unwrap();
            let inputs = multisets(&[0, 1, 2, usize::MAX], if keys == 3 { 1 } else { 2 });
            check(&format!("histogram {keys}"), &histogram, &inputs, near(relation), depth);
            if relation == AddRemove {
                check_two_steps(&format!("histogram {keys}"), &histogram, &inputs, depth);
            }
        }
    }
}

fn stability(scale: &Positive, threshold: i64, contributions: u32, relation: Relation) -> StabilityHistogram<u8> {
    StabilityHistogram::new(scale, threshold, contributions, relation).unwrap()
}

pub fn stability_histogram() {
    for relation in RELATIONS {
        for (scale, threshold) in [((1, 1), 4), ((1, 2), 3), ((2, 1), 1), ((1, 1), 0), ((1, 1), -2)] {
            let one = stability(&positive(scale.0, scale.1), threshold, 1, relation);
            let inputs = multisets(&[vec![], vec![1_u8], vec![2]], 3);
            check(&format!("stability {scale:?} {threshold}"), &one, &inputs, near(relation), 14);
            if relation == AddRemove {
                check_two_steps(&format!("stability {scale:?} {threshold}"), &one, &inputs, 14);
            }
        }
        // Keys that many have, so that their counts are told: here ε is lost, and not δ. Of one person more,
        // and of one who changes.
        for (scale, threshold, keys, depth) in
            [((1, 2), 3, [vec![1_u8], vec![2]], 16), ((1, 2), 2, [vec![1, 2], vec![3, 4]], 8)]
        {
            let contributions = u32::try_from(keys[0].len()).unwrap();
            let crowd = stability(&positive(scale.0, scale.1), threshold, contributions, relation);
            let people =
                |first: usize, second: usize| [vec![keys[0].clone(); first], vec![keys[1].clone(); second]].concat();
            let inputs = [people(4, 4), people(5, 4), people(4, 5)];
            check(&format!("stability of a crowd {scale:?} {threshold}"), &crowd, &inputs, near(relation), depth);
            if relation == AddRemove {
                check_two_steps(&format!("stability of a crowd {threshold}"), &crowd, &inputs, depth);
            }
        }
        // Three keys of one person, of which two count; keys in common and not.
        let people = [vec![1_u8], vec![1, 2], vec![3, 1, 2], vec![3, 4]];
        for threshold in [1, 3] {
            let two = stability(&positive(1, 1), threshold, 2, relation);
            check(&format!("stability of two {threshold}"), &two, &multisets(&people, 1), near(relation), 10);
            if relation == AddRemove {
                check_two_steps(&format!("stability of two {threshold}"), &two, &multisets(&people, 1), 10);
            }
            let mut pairs = multisets(&people[..2], 2);
            pairs.push(vec![vec![3, 4], vec![3, 4]]);
            check(&format!("stability of two {threshold}"), &two, &pairs, near(relation), 8);
        }
    }
}

pub fn prefix_counts() {
    for relation in RELATIONS {
        for (slots, scale, depth) in [(1, (1, 1), 30), (2, (1, 1), 16), (3, (1, 2), 14), (4, (1, 3), 12)] {
            let prefixes = PrefixCounts::new(slots, &positive(scale.0, scale.1), relation).unwrap();
            let values: Vec<usize> = (0..=slots).collect();
            let inputs = multisets(&values, if slots < 3 { 2 } else { 1 });
            check(&format!("prefix_counts {slots}"), &prefixes, &inputs, near(relation), depth);
            if relation == AddRemove {
                check_two_steps(&format!("prefix_counts {slots}"), &prefixes, &inputs, depth);
            }
        }
    }
}

fn quantiles(levels: &[(i64, i64)]) {
    for (n, d) in levels {
        for relation in RELATIONS {
            for (lower, upper) in [(0, 3), (-1, 1), (-2, -2), (0, 400), (i64::MAX - 2, i64::MAX)] {
                let quantile =
                    Quantile::new(&probability(*n, *d), bounds(lower, upper), &positive(1, 1), relation).unwrap();
                let values = if upper == 400 { vec![0, 390, 400] } else { vec![i64::MIN, lower, lower + 1, i64::MAX] };
                // Four hundred outputs: fewer bits are enough.
                let depth = if upper == 400 { 24 } else { 30 };
                let what = format!("quantile {n}/{d} {lower} {upper}");
                check(&what, &quantile, &multisets(&values, 3), near(relation), depth);
                if relation == AddRemove {
                    check_two_steps(&what, &quantile, &multisets(&values, 3), depth);
                }
            }
        }
    }
}

pub fn quantile() {
    quantiles(&[(0, 1), (1, 4), (1, 1)]);
}

pub fn median() {
    quantiles(&[(1, 2)]);
}

pub fn smooth_median() {
    // Degree 1 has heavy tails: few bits are resolved. So has more than some noise.
    let mut cases = vec![(1, 1, (2, 1), (1, 2), 6), (2, 3, (2, 1), (2, 3), 9), (3, 4, (3, 1), (1, 2), 10)];
    if is_full() {
        cases.extend([(2, 3, (1, 2), (2, 3), 12), (3, 3, (1, 1), (1, 2), 12)]);
    }
    for (records, degree, ratio, decay, depth) in cases {
        for (lower, upper) in [(0, 4), (-1, 0)] {
            let declared = u64::try_from(records).unwrap();
            let (ratio, decay) = (positive(ratio.0, ratio.1), positive(decay.0, decay.1));
            let median = SmoothMedian::new(bounds(lower, upper), declared, degree, &ratio, &decay).unwrap();
            let what = format!("smooth_median {records} {degree} {lower} {upper}");
            check(&what, &median, &exactly(&[-1, 0, 1, 4], records), changed_one, depth);
        }
    }
}

pub fn median_test() {
    for records in [1, 2, 3] {
        for (bound, threshold) in [(1, 1), (1, 2), (2, 4), (1, 0), (1, -3)] {
            let declared = u64::try_from(records).unwrap();
            let (test, release) = (positive(1, 1), positive(2, 1));
            let median = MedianTest::new(bounds(-1, 20), declared, bound, threshold, &test, &release).unwrap();
            let inputs = exactly(&[-1, 0, 1, 20], records);
            check(&format!("median_test {records} {bound} {threshold}"), &median, &inputs, changed_one, 20);
        }
    }
}
