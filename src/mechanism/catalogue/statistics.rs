//! Counts, sums, means, variances, histograms.

use alloc::{
    format,
    string::{String, ToString},
    vec,
    vec::Vec,
};

use num_bigint::BigInt;
use num_traits::ToPrimitive;

use super::{
    Built, Entry, Typed,
    closed_form::{laplace, laplaces},
    keys::{CHANGE_ONE, Key, SCALE, moderate, ranged, refused, relation, size, up_to_ten_thousand, word},
};
use crate::{
    exact::{Integer, Rational},
    guarantee::Relation,
    mechanism::{
        Arguments, SpecError,
        statistic::{
            Bounds, ClampedSum, Histogram, Mean, MeanOfKnown, PrefixCounts, RecordCount, StabilityHistogram, Variance,
        },
    },
};

pub(super) const LOWER: Key = ("lower", "an integer from -2^63 to 2^63 - 1: records below are taken for it");
pub(super) const UPPER: Key = ("upper", "an integer from -2^63 to 2^63 - 1: records above are taken for it");
pub(super) const RECORDS: Key = ("records", "an integer from 1 to 10000: how many there are, which is public");
pub(super) const INTEGERS: &str = "records, integers with commas between them";

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        name: "count",
        aliases: &[],
        keys: &[SCALE, CHANGE_ONE],
        summary: "how many records are 1, with Laplace noise; epsilon = 1/scale",
        input: "records, each 1 or 0, with commas between them; any other integer is taken for the nearer of them",
        examples: &["count(scale=2)"],
    },
    Entry {
        name: "sum",
        aliases: &["clamped_sum"],
        keys: &[
            SCALE,
            LOWER,
            UPPER,
            ("limit", "an integer from 1 to 2^63 - 1, the default: the total saturates at -limit and limit"),
            CHANGE_ONE,
        ],
        summary: "the sum of clamped records, with Laplace noise; epsilon = max(|lower|, |upper|)/scale, with change_one (upper - lower)/scale",
        input: INTEGERS,
        examples: &["sum(lower=-1, upper=60, scale=61/2, change_one=1)"],
    },
    Entry {
        name: "mean",
        aliases: &[],
        keys: &[
            LOWER,
            UPPER,
            ("scale_sum", "a positive number: the noise on the sum"),
            ("scale_count", "a positive number: the noise on the count"),
            CHANGE_ONE,
        ],
        summary: "two numbers S,N: the sum of 2·record - lower - upper, and the count, each with Laplace noise; the mean is about (lower + upper + S/N)/2; epsilon = (upper - lower)/scale_sum + 1/scale_count, with change_one 2·(upper - lower)/scale_sum",
        input: INTEGERS,
        examples: &["mean(lower=0, upper=3, scale_sum=3, scale_count=1)"],
    },
    Entry {
        name: "mean_of_known",
        aliases: &[],
        keys: &[SCALE, LOWER, UPPER, RECORDS],
        summary: "the sum of clamped records, with Laplace noise; the mean is the sum divided by the public number of records",
        input: INTEGERS,
        examples: &["mean_of_known(lower=-1, upper=1, records=4, scale=2)"],
    },
    Entry {
        name: "variance",
        aliases: &[],
        keys: &[
            LOWER,
            UPPER,
            ("scale_count", "a positive number: the noise on the count"),
            ("scale_sum", "a positive number: the noise on the sum"),
            ("scale_squares", "a positive number: the noise on the sum of squares"),
            CHANGE_ONE,
        ],
        summary: "three numbers N,S,Q: the count, the sum of y and the sum of 2y² - w², each with Laplace noise, y = 2·record - lower - upper, w = upper - lower; the variance is about ((Q/N + w²)/2 - (S/N)²)/4",
        input: INTEGERS,
        examples: &["variance(lower=0, upper=1, scale_count=1/2, scale_sum=1/2, scale_squares=1/2)"],
    },
    Entry {
        name: "histogram",
        aliases: &[],
        keys: &[SCALE, ("keys", "an integer from 1 to 65536: the keys are 0, 1, …, keys - 1"), CHANGE_ONE],
        summary: "how many records have each key, with Laplace noise on every count; epsilon = 1/scale, with change_one 2/scale",
        input: "records' keys, integers with commas between them",
        examples: &["histogram(keys=2, scale=1)", "histogram(keys=2, scale=1, change_one=1)"],
    },
    Entry {
        name: "stability_histogram",
        aliases: &[],
        keys: &[
            SCALE,
            ("threshold", "an integer from -2^63 to 2^63 - 1: a key is released if its noisy count is at least this"),
            ("contributions", "an integer from 1 to 1000, default 1: the most keys of a person that count"),
            CHANGE_ONE,
        ],
        summary: "key:count of the keys that people have, with Laplace noise, where it reaches the threshold; approximate, with an exact delta",
        input: "people with ; between them, each one's keys with , between them",
        examples: &["stability_histogram(scale=1, threshold=12, contributions=2)"],
    },
    Entry {
        name: "prefix_counts",
        aliases: &[],
        keys: &[SCALE, ("slots", "an integer from 1 to 65536: the slots are 0, 1, …, slots - 1"), CHANGE_ONE],
        summary: "how many records came in slots 0 to t, for every t, by the binary tree with Laplace noise on every node",
        input: "records' slots, integers with commas between them",
        examples: &["prefix_counts(slots=2, scale=1)"],
    },
];

/// A record and none, or a record and another.
fn one_record(relation: Relation, record: impl ToString, other: impl ToString) -> (String, String) {
    match relation {
        Relation::AddRemove => (record.to_string(), String::new()),
        Relation::ChangeOne => (record.to_string(), other.to_string()),
    }
}

/// `lower` and `upper`, in order.
pub(super) fn bounds(arguments: &mut Arguments<'_>) -> Result<Bounds, SpecError> {
    let (lower, upper) = (word(arguments, "lower")?, word(arguments, "upper")?);
    Bounds::new(lower, upper).map_err(|_| refused(arguments, "lower and upper", "must have lower <= upper"))
}

pub(super) fn count(arguments: &mut Arguments<'_>) -> Built<RecordCount> {
    let (scale, relation) = (moderate(arguments, "scale")?, relation(arguments)?);
    let mechanism = RecordCount::new(&scale, relation).map_err(|error| refused(arguments, "scale", error))?;
    Ok(Typed::of_data(mechanism, one_record(relation, 1, 0)).on_paper(move |records: &[bool], precision| {
        let counted = records.iter().filter(|record| **record).count();
        Some(laplace(Integer::from(BigInt::from(counted)), &scale, precision))
    }))
}

pub(super) fn sum(arguments: &mut Arguments<'_>) -> Built<ClampedSum> {
    let (scale, bounds, relation) = (moderate(arguments, "scale")?, bounds(arguments)?, relation(arguments)?);
    let limit = ranged(arguments, "limit", "must be an integer from 1 to 2^63 - 1", |limit| {
        if limit.is_integer() { limit.to_integer().to_i64().filter(|limit| *limit >= 1) } else { None }
    })?;
    let limit = limit.unwrap_or(i64::MAX);
    let mechanism = ClampedSum::new(bounds, &scale, relation).and_then(|sum| sum.saturating(limit));
    let mechanism = mechanism.map_err(|error| refused(arguments, "scale", error))?;
    let farthest =
        if bounds.lower().unsigned_abs() > bounds.upper().unsigned_abs() { bounds.lower() } else { bounds.upper() };
    let neighbours = match relation {
        Relation::AddRemove => (farthest.to_string(), String::new()),
        Relation::ChangeOne => (bounds.lower().to_string(), bounds.upper().to_string()),
    };
    Ok(Typed::of_data(mechanism, neighbours).on_paper(move |records: &[i64], precision| {
        let total: BigInt = records.iter().map(|record| BigInt::from(bounds.clamp(*record))).sum();
        let saturated = total.clamp(BigInt::from(-limit), BigInt::from(limit));
        Some(laplace(Integer::from(saturated), &scale, precision))
    }))
}

pub(super) fn mean(arguments: &mut Arguments<'_>) -> Built<Mean> {
    let (bounds, relation) = (bounds(arguments)?, relation(arguments)?);
    let (sum, count) = (moderate(arguments, "scale_sum")?, moderate(arguments, "scale_count")?);
    let mechanism = Mean::new(bounds, &sum, &count, relation);
    let mechanism = mechanism.map_err(|error| refused(arguments, "scale_sum", error))?;
    let neighbours = one_record(relation, bounds.upper(), bounds.lower());
    Ok(Typed::of_data(mechanism, neighbours).on_paper(move |records: &[i64], precision| {
        let middle = BigInt::from(bounds.lower()) + BigInt::from(bounds.upper());
        let centred: BigInt = records.iter().map(|record| BigInt::from(bounds.clamp(*record)) * 2 - &middle).sum();
        let answers = vec![(centred.into(), sum.clone()), (BigInt::from(records.len()).into(), count.clone())];
        Some(laplaces(answers, precision))
    }))
}

pub(super) fn mean_of_known(arguments: &mut Arguments<'_>) -> Built<MeanOfKnown> {
    let (scale, bounds) = (moderate(arguments, "scale")?, bounds(arguments)?);
    let declared = up_to_ten_thousand(arguments, "records")?;
    let mechanism = MeanOfKnown::new(bounds, u64::try_from(declared).unwrap_or(u64::MAX), &scale);
    let mechanism = mechanism.map_err(|error| refused(arguments, "records", error))?;
    let others = declared.saturating_sub(1);
    let of = |first: i64| {
        let records = core::iter::once(first).chain(core::iter::repeat_n(bounds.lower(), others));
        records.map(|record| record.to_string()).collect::<Vec<_>>().join(",")
    };
    let neighbours = (of(bounds.lower()), of(bounds.upper()));
    Ok(Typed::of_data(mechanism, neighbours).on_paper(move |records: &[i64], precision| {
        let total: BigInt = records.iter().map(|record| BigInt::from(bounds.clamp(*record))).sum();
        Some(laplace(Integer::from(total), &scale, precision))
    }))
}

pub(super) fn variance(arguments: &mut Arguments<'_>) -> Built<Variance> {
    let (bounds, relation) = (bounds(arguments)?, relation(arguments)?);
    let scales =
        [moderate(arguments, "scale_count")?, moderate(arguments, "scale_sum")?, moderate(arguments, "scale_squares")?];
    let mechanism = Variance::new(bounds, scales.clone(), relation);
    let mechanism = mechanism.map_err(|error| refused(arguments, "scale_sum", error))?;
    // A record that moves from a bound to the other moves the sum the most; to the middle, the squares.
    let width = Rational::from_integer(bounds.width().into());
    let [_, sum, squares] = &scales;
    let twice = Rational::from_integer(2.into());
    let across = &twice * &width / sum.get();
    let halfway = &width / sum.get() + &twice * &width * &width / squares.get();
    let other = if across >= halfway { bounds.lower() } else { bounds.lower().midpoint(bounds.upper()) };
    let neighbours = one_record(relation, bounds.upper(), other);
    Ok(Typed::of_data(mechanism, neighbours).on_paper(move |records: &[i64], precision| {
        let (middle, width) =
            (BigInt::from(bounds.lower()) + BigInt::from(bounds.upper()), BigInt::from(bounds.width()));
        let centred: Vec<BigInt> =
            records.iter().map(|record| BigInt::from(bounds.clamp(*record)) * 2 - &middle).collect();
        let squared: BigInt = centred.iter().map(|y| y * y * 2 - &width * &width).sum();
        let moments = [BigInt::from(records.len()), centred.into_iter().sum(), squared];
        Some(laplaces(moments.map(Integer::from).into_iter().zip(scales.clone()).collect(), precision))
    }))
}

pub(super) fn histogram(arguments: &mut Arguments<'_>) -> Built<Histogram> {
    let (scale, keys, relation) = (moderate(arguments, "scale")?, size(arguments, "keys")?, relation(arguments)?);
    let mechanism = Histogram::new(keys, &scale, relation).map_err(|error| refused(arguments, "keys", error))?;
    Ok(Typed::of_data(mechanism, one_record(relation, 0, 1)).on_paper(move |records: &[usize], precision| {
        let count = |key: usize| BigInt::from(records.iter().filter(|record| **record == key).count());
        Some(laplaces((0..keys.min(16)).map(|key| (count(key).into(), scale.clone())).collect(), precision))
            .filter(|_| keys <= 16)
    }))
}

pub(super) fn stability_histogram(arguments: &mut Arguments<'_>) -> Built<StabilityHistogram<String>> {
    let (scale, threshold) = (moderate(arguments, "scale")?, word(arguments, "threshold")?);
    let contributions = ranged(arguments, "contributions", "must be an integer from 1 to 1000", |value| {
        if value.is_integer() { value.to_integer().to_u32().filter(|value| (1..=1000).contains(value)) } else { None }
    })?;
    let (contributions, relation) = (contributions.unwrap_or(1), relation(arguments)?);
    let mechanism = StabilityHistogram::<String>::new(&scale, threshold, contributions, relation);
    let mechanism = mechanism.map_err(|error| refused(arguments, "threshold", error))?;
    // Someone with keys that nobody else has.
    let keys = |letter: char| (1..=contributions).map(|i| format!("{letter}{i}")).collect::<Vec<_>>().join(",");
    Ok(Typed::of_data(mechanism, one_record(relation, keys('a'), keys('b'))))
}

pub(super) fn prefix_counts(arguments: &mut Arguments<'_>) -> Built<PrefixCounts> {
    let (scale, slots, relation) = (moderate(arguments, "scale")?, size(arguments, "slots")?, relation(arguments)?);
    let mechanism = PrefixCounts::new(slots, &scale, relation).map_err(|error| refused(arguments, "slots", error))?;
    // The first slot is in the most nodes; that after the largest power of two, or half of it, is in the most
    // others.
    let power = 1 << slots.ilog2();
    let other = if power < slots { power } else { power / 2 };
    Ok(Typed::of_data(mechanism, one_record(relation, 0, other.max(1))))
}
