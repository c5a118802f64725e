//! Which of a stream of queries pass a threshold.

use alloc::{
    string::{String, ToString},
    vec::Vec,
};

use super::{
    Built, Entry, Typed,
    keys::{Key, flag, integer, moderate, positive_word, rational_sensitivity, refused},
    selection::{ONE_SIDED, noise},
};
use crate::{
    exact::{Integer, NonNegative},
    guarantee::{LInfinity, Relation, Sensitivity},
    mechanism::{
        Arguments, SpecError,
        selection::{NumericSparseVector, SparseVector},
    },
};

const THRESHOLD: Key = ("threshold", "an integer: a query passes if, with noise, it is at least the noisy threshold");
const EPSILON1: Key = ("epsilon1", "a positive number, for the threshold");
const EPSILON2: Key = ("epsilon2", "a positive number, for the queries");
const C: Key = ("c", "an integer from 1 to 2^63 - 1: how many may pass");
const SENSITIVITY: Key =
    ("sensitivity", "a positive number, default 1: how far a query's answer moves between neighbours");
const MONOTONE: Key =
    ("monotone", "1 if all queries move the same way between neighbours, as counts do; 0 (the default) if not");
const QUERIES: &str = "the queries' true answers, integers with commas between them";

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        name: "above_threshold",
        aliases: &[],
        keys: &[THRESHOLD, EPSILON1, EPSILON2, SENSITIVITY, MONOTONE, ONE_SIDED],
        summary: "for each query 0, up to the first that passes: 1; epsilon1 + epsilon2 in all",
        input: QUERIES,
        examples: &["above_threshold(threshold=5, epsilon1=1, epsilon2=2)"],
    },
    Entry {
        name: "sparse_vector",
        aliases: &[],
        keys: &[THRESHOLD, C, EPSILON1, EPSILON2, SENSITIVITY, MONOTONE, ONE_SIDED],
        summary: "for each query 1 if it passes and 0 if not, up to the c-th that passes; epsilon1 + epsilon2 in all",
        input: QUERIES,
        examples: &["sparse_vector(threshold=5, c=2, epsilon1=1, epsilon2=2, monotone=1)"],
    },
    Entry {
        name: "numeric_sparse_vector",
        aliases: &[],
        keys: &[
            THRESHOLD,
            C,
            EPSILON1,
            EPSILON2,
            ("epsilon3", "a positive number, for the answers"),
            SENSITIVITY,
            MONOTONE,
            ONE_SIDED,
        ],
        summary: "the same, with the query + fresh noise where it passes and - where not; epsilon1 + epsilon2 + epsilon3 in all",
        input: QUERIES,
        examples: &["numeric_sparse_vector(threshold=5, c=1, epsilon1=1, epsilon2=2, epsilon3=1)"],
    },
];

/// A sparse vector until c have passed, and two neighbouring streams: two queries at the threshold that rise,
/// and up to two that fall (or rise, if monotone).
fn test(arguments: &mut Arguments<'_>, c: u64) -> Result<(SparseVector, (String, String)), SpecError> {
    let threshold = integer(arguments, "threshold")?;
    let (epsilon1, epsilon2) = (moderate(arguments, "epsilon1")?, moderate(arguments, "epsilon2")?);
    let sensitivity = rational_sensitivity(arguments)?;
    let (monotone, noise) = (flag(arguments, "monotone")?, noise(arguments)?);
    let stated = Sensitivity::<LInfinity>::new(NonNegative::from(sensitivity.clone()), Relation::AddRemove);
    let test = SparseVector::new(&stated, threshold.clone(), c, &epsilon1, &epsilon2, noise);
    let test = test.map_err(|error| refused(arguments, "sensitivity", error))?;
    let by = Integer::from(sensitivity.get().floor().to_integer());
    let (rose, fell) = (threshold.add(&by), threshold.add(&by.neg()));
    let passing = usize::try_from(c.min(2)).unwrap_or(2);
    let of = |first: &Integer, rest: &Integer| {
        let queries = [first, first].into_iter().chain(core::iter::repeat_n(rest, passing));
        queries.map(ToString::to_string).collect::<Vec<_>>().join(",")
    };
    let neighbours = (of(&threshold, &threshold), of(&rose, if monotone { &rose } else { &fell }));
    Ok((if monotone { test.monotone() } else { test }, neighbours))
}

pub(super) fn above_threshold(arguments: &mut Arguments<'_>) -> Built<SparseVector> {
    let (test, neighbours) = test(arguments, 1)?;
    Ok(Typed::of_answers(test, neighbours))
}

pub(super) fn sparse_vector(arguments: &mut Arguments<'_>) -> Built<SparseVector> {
    let c = positive_word(arguments, "c")?;
    let (test, neighbours) = test(arguments, c)?;
    Ok(Typed::of_answers(test, neighbours))
}

pub(super) fn numeric_sparse_vector(arguments: &mut Arguments<'_>) -> Built<NumericSparseVector> {
    let c = positive_word(arguments, "c")?;
    let epsilon3 = moderate(arguments, "epsilon3")?;
    let (test, neighbours) = test(arguments, c)?;
    let mechanism = NumericSparseVector::new(test, &epsilon3);
    let mechanism = mechanism.map_err(|error| refused(arguments, "epsilon3", error))?;
    Ok(Typed::of_answers(mechanism, neighbours))
}
