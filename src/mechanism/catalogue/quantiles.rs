//! Quantiles and medians.

use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

use num_traits::ToPrimitive;

use super::{
    Built, Entry, Typed,
    keys::{
        CHANGE_ONE, EPSILON, moderate, positive_word, probability, ranged, refused, relation, required,
        up_to_ten_thousand, word,
    },
    statistics::{INTEGERS, LOWER, RECORDS, UPPER, bounds},
};
use crate::{
    exact::{Positive, Probability, Rational},
    guarantee::Relation,
    mechanism::{
        Arguments,
        statistic::{Bounds, MedianTest, Quantile, SmoothMedian},
    },
};

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        name: "quantile",
        aliases: &[],
        keys: &[("level", "a number from 0 to 1: 1/2 for the median"), LOWER, UPPER, EPSILON, CHANGE_ONE],
        summary: "an integer from lower to upper, by the exponential mechanism, P(y) ∝ e^(-epsilon·|(1 - level)·#below - level·#above|/2Δ)",
        input: INTEGERS,
        examples: &["quantile(level=1/4, lower=0, upper=7, epsilon=1)"],
    },
    Entry {
        name: "median",
        aliases: &[],
        keys: &[LOWER, UPPER, EPSILON, CHANGE_ONE],
        summary: "the quantile of level 1/2",
        input: INTEGERS,
        examples: &["median(lower=0, upper=7, epsilon=1)"],
    },
    Entry {
        name: "smooth_median",
        aliases: &[],
        keys: &[
            LOWER,
            UPPER,
            ("records", "an integer from 1 to 1000: how many there are, which is public"),
            ("degree", "an integer from 1 to 64: the noise has tails like |y|^-(degree + 1)"),
            ("ratio", "a number from 1e-9 to 1e9: the noise has the scale of the smooth sensitivity divided by it"),
            (
                "decay",
                "a fraction strictly between 0 and 1, its denominator at most 1000000: e^-beta of the smooth sensitivity",
            ),
        ],
        summary: "the median + Waring noise in proportion to its smooth sensitivity; epsilon = (degree + 1)·ln(1 + ratio) + degree·ln(1/decay)",
        input: INTEGERS,
        examples: &["smooth_median(lower=0, upper=2, records=3, degree=16, ratio=1/10, decay=19/20)"],
    },
    Entry {
        name: "median_test",
        aliases: &["propose_test_release"],
        keys: &[
            LOWER,
            UPPER,
            RECORDS,
            ("bound", "an integer from 1 to 2^63 - 1: the proposed bound of the local sensitivity"),
            (
                "threshold",
                "an integer from -2^63 to 2^63 - 1: released if the noisy distance from a larger sensitivity is at least this",
            ),
            ("epsilon1", "a positive number, for the test"),
            ("epsilon2", "a positive number, for the release"),
        ],
        summary: "the median + Laplace noise of scale bound/epsilon2 where it is stable, else nothing; approximate, with an exact delta",
        input: INTEGERS,
        examples: &["median_test(lower=0, upper=100, records=5, bound=2, threshold=8, epsilon1=1, epsilon2=1)"],
    },
];

pub(super) fn quantile(arguments: &mut Arguments<'_>) -> Built<Quantile> {
    let level = probability(arguments, "level")?;
    let level = required(arguments, "level", level)?;
    at_level(arguments, &level)
}

pub(super) fn median(arguments: &mut Arguments<'_>) -> Built<Quantile> {
    let half = Probability::new(Rational::new(1.into(), 2.into()));
    let half = half.map_err(|error| refused(arguments, "epsilon", error))?;
    at_level(arguments, &half)
}

fn at_level(arguments: &mut Arguments<'_>, level: &Probability) -> Built<Quantile> {
    let (bounds, epsilon, relation) = (bounds(arguments)?, moderate(arguments, "epsilon")?, relation(arguments)?);
    let mechanism = Quantile::new(level, bounds, &epsilon, relation);
    let mechanism = mechanism.map_err(|error| refused(arguments, "epsilon", error))?;
    let (lower, upper) = (bounds.lower(), bounds.upper());
    let neighbours = match relation {
        Relation::AddRemove => (format!("{lower},{upper}"), lower.to_string()),
        Relation::ChangeOne => (format!("{lower},{upper}"), format!("{lower},{lower}")),
    };
    Ok(Typed::of_data(mechanism, neighbours))
}

/// The median is one bound, and one changed record makes it the other.
fn from_bound_to_bound(bounds: &Bounds, records: u64) -> (String, String) {
    let of = |lower: u64| {
        let record = |i: u64| if i < lower { bounds.lower() } else { bounds.upper() };
        (0..records).map(|i| record(i).to_string()).collect::<Vec<_>>().join(",")
    };
    // The median is the ⌈n/2⌉-th smallest.
    let middle = records.div_ceil(2);
    (of(middle), of(middle.saturating_sub(1)))
}

pub(super) fn smooth_median(arguments: &mut Arguments<'_>) -> Built<SmoothMedian> {
    let bounds = bounds(arguments)?;
    let records = ranged(arguments, "records", "must be an integer from 1 to 1000", |value| {
        if value.is_integer() {
            value.to_integer().to_u64().filter(|records| (1..=1000).contains(records))
        } else {
            None
        }
    })?;
    let records = required(arguments, "records", records)?;
    let degree = ranged(arguments, "degree", "must be an integer from 1 to 64", |degree| {
        if degree.is_integer() { degree.to_integer().to_u32().filter(|degree| (1..=64).contains(degree)) } else { None }
    })?;
    let degree = required(arguments, "degree", degree)?;
    let (one, billion) = (Rational::from_integer(1.into()), Rational::from_integer(1_000_000_000.into()));
    let ratio = ranged(arguments, "ratio", "must be from 1e-9 to 1e9", |ratio| {
        let ratio = Positive::new(ratio).ok().filter(|ratio| *ratio.get() <= billion)?;
        (ratio.get() * &billion >= one && ratio.denominator().bits() <= 64).then_some(ratio)
    })?;
    let ratio = required(arguments, "ratio", ratio)?;
    let must = "must be strictly between 0 and 1, a fraction with a denominator of at most 1000000";
    let decay = ranged(arguments, "decay", must, |decay| {
        let decay = Positive::new(decay).ok()?;
        (*decay.get() < one && *decay.denominator() <= 1_000_000_u32.into()).then_some(decay)
    })?;
    let decay = required(arguments, "decay", decay)?;
    let mechanism = SmoothMedian::new(bounds, records, degree, &ratio, &decay);
    let mechanism = mechanism.map_err(|error| refused(arguments, "lower and upper", error))?;
    Ok(Typed::of_data(mechanism, from_bound_to_bound(&bounds, records)))
}

pub(super) fn median_test(arguments: &mut Arguments<'_>) -> Built<MedianTest> {
    let (bounds, records) = (bounds(arguments)?, up_to_ten_thousand(arguments, "records")?);
    let records = u64::try_from(records).unwrap_or(u64::MAX);
    let (bound, threshold) = (positive_word(arguments, "bound")?, word(arguments, "threshold")?);
    let (epsilon1, epsilon2) = (moderate(arguments, "epsilon1")?, moderate(arguments, "epsilon2")?);
    let mechanism = MedianTest::new(bounds, records, bound, threshold, &epsilon1, &epsilon2);
    let mechanism = mechanism.map_err(|error| refused(arguments, "threshold", error))?;
    Ok(Typed::of_data(mechanism, from_bound_to_bound(&bounds, records)))
}
