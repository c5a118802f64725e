//! Choices among candidates.

use alloc::{boxed::Box, string::String, vec, vec::Vec};

use num_bigint::BigInt;
use num_traits::Signed;

use super::{
    Built, Entry, Typed,
    keys::{EPSILON, Key, flag, moderate, rational_sensitivity, refused, up_to_ten_thousand},
};
use crate::{
    exact::{FinitePmf, Integer, NonNegative, Positive, Rational, render},
    guarantee::{LInfinity, Relation, Sensitivity},
    mechanism::{
        Arguments, Outcome, SpecError,
        selection::{Candidates, Exponential, NoisyMax, NoisyTopK, Peeling, PermuteAndFlip, SelectionNoise},
    },
};

const CANDIDATES: Key = ("candidates", "an integer from 1 to 10000: the number of candidates 0, 1, …");
const SENSITIVITY: Key = ("sensitivity", "a positive number, default 1: how far a score moves between neighbours");
const MONOTONE: Key =
    ("monotone", "1 if all scores move the same way between neighbours, as counts do; 0 (the default) if not");
pub(super) const ONE_SIDED: Key =
    ("one_sided", "1 for geometric noise, P(k) ∝ e^(-k/scale) on k >= 0; 0 (the default) for Laplace");
const K: Key = ("k", "an integer from 1 to the number of candidates");

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        name: "exponential",
        aliases: &[],
        keys: &[EPSILON, CANDIDATES, SENSITIVITY, MONOTONE],
        summary: "a candidate, P(i) ∝ e^(epsilon·score/span), span = 2·sensitivity, or sensitivity if monotone",
        input: "one score (a number) for each candidate, with commas between them",
        examples: &["exponential(epsilon=1, candidates=3)", "exponential(epsilon=1/2, candidates=2, monotone=1)"],
    },
    Entry {
        name: "permute_and_flip",
        aliases: &[],
        keys: &[EPSILON, CANDIDATES, SENSITIVITY, MONOTONE],
        summary: "a candidate: in random order, each taken with probability e^(-epsilon·(best - score)/span)",
        input: "one score (a number) for each candidate, with commas between them",
        examples: &["permute_and_flip(epsilon=1, candidates=3)"],
    },
    Entry {
        name: "noisy_max",
        aliases: &["report_noisy_max"],
        keys: &[EPSILON, CANDIDATES, SENSITIVITY, MONOTONE, ONE_SIDED],
        summary: "the candidate of the largest score with noise of scale span/epsilon, the lowest of equal ones",
        input: "one score (an integer) for each candidate, with commas between them",
        examples: &[
            "noisy_max(epsilon=1, candidates=3)",
            "noisy_max(epsilon=1, candidates=2, monotone=1, one_sided=1)",
        ],
    },
    Entry {
        name: "peeling",
        aliases: &["top_k"],
        keys: &[
            EPSILON,
            CANDIDATES,
            ("k", "an integer from 1 to the number of candidates, and to 65536 divided by it"),
            SENSITIVITY,
            MONOTONE,
        ],
        summary: "k candidates, best first: the exponential mechanism with epsilon/k, k times, each on those that are left",
        input: "one score (a number) for each candidate, with commas between them",
        examples: &["peeling(epsilon=1, candidates=4, k=2)"],
    },
    Entry {
        name: "noisy_top_k",
        aliases: &[],
        keys: &[EPSILON, CANDIDATES, K, SENSITIVITY, MONOTONE, ONE_SIDED],
        summary: "the k candidates of the largest scores with noise of scale k·span/epsilon, best first",
        input: "one score (an integer) for each candidate, with commas between them",
        examples: &["noisy_top_k(epsilon=2, candidates=3, k=2, monotone=1)"],
    },
];

/// What all selections are given.
struct Choice {
    epsilon: Positive,
    candidates: Candidates,
    sensitivity: Positive,
    monotone: bool,
}

/// The most weights, k rounds of all candidates, of one peeling.
const MOST_WEIGHED: usize = 1 << 16;

fn choice(arguments: &mut Arguments<'_>) -> Result<Choice, SpecError> {
    let epsilon = moderate(arguments, "epsilon")?;
    let count = up_to_ten_thousand(arguments, "candidates")?;
    let sensitivity = rational_sensitivity(arguments)?;
    let monotone = flag(arguments, "monotone")?;
    let stated = Sensitivity::<LInfinity>::new(NonNegative::from(sensitivity.clone()), Relation::AddRemove);
    let candidates = Candidates::new(count, &stated).map_err(|error| refused(arguments, "candidates", error))?;
    let candidates = if monotone { candidates.monotone() } else { candidates };
    Ok(Choice { epsilon, candidates, sensitivity, monotone })
}

impl Choice {
    /// One candidate that is behind all others by some scales, and then by the span more: the ratio of its
    /// probabilities is close to e^ε. Scores move by `by`, of at most the sensitivity.
    fn neighbours(&self, by: &Rational) -> (String, String) {
        // Some scales, in whole moves.
        let scales = (Rational::from_integer(8.into()) / self.epsilon.get()).ceil() + Rational::from_integer(1.into());
        let ahead = by * scales;
        let zero = Rational::from_integer(0.into());
        let (behind, ahead_then) = if self.monotone { (zero.clone(), &ahead + by) } else { (by.clone(), &ahead + by) };
        let of = |first: &Rational, rest: &Rational| {
            let mut scores = vec![render(first)];
            scores.extend(core::iter::repeat_with(|| render(rest)).take(self.candidates.count().saturating_sub(1)));
            scores.join(",")
        };
        (of(&behind, &ahead), of(&zero, &ahead_then))
    }

    fn rational_neighbours(&self) -> (String, String) {
        self.neighbours(self.sensitivity.get())
    }

    fn integer_neighbours(&self) -> (String, String) {
        self.neighbours(&self.sensitivity.get().floor())
    }
}

/// The kind of noise.
pub(super) fn noise(arguments: &mut Arguments<'_>) -> Result<SelectionNoise, SpecError> {
    Ok(if flag(arguments, "one_sided")? { SelectionNoise::Geometric } else { SelectionNoise::Laplace })
}

pub(super) fn exponential(arguments: &mut Arguments<'_>) -> Built<Exponential> {
    let choice = choice(arguments)?;
    let neighbours = choice.rational_neighbours();
    let scale = choice.candidates.span() / choice.epsilon.get();
    let mechanism = Exponential::new(choice.candidates, choice.epsilon);
    let mechanism = mechanism.map_err(|error| refused(arguments, "epsilon", error))?;
    Ok(Typed::of_answers(mechanism, neighbours).on_paper(move |scores: &[Rational], precision| {
        let best = scores.iter().max()?;
        let weight = |(index, score): (usize, &Rational)| {
            let index = Outcome::Integer(Integer::from(BigInt::from(index)));
            Some((index, NonNegative::one(), NonNegative::new(((best - score) / &scale).abs()).ok()?))
        };
        let weights: Option<Vec<_>> = scores.iter().enumerate().map(weight).collect();
        Some(Box::new(FinitePmf::new(weights?, precision)?))
    }))
}

pub(super) fn permute_and_flip(arguments: &mut Arguments<'_>) -> Built<PermuteAndFlip> {
    let choice = choice(arguments)?;
    let neighbours = choice.rational_neighbours();
    let mechanism = PermuteAndFlip::new(choice.candidates, choice.epsilon);
    let mechanism = mechanism.map_err(|error| refused(arguments, "epsilon", error))?;
    Ok(Typed::of_answers(mechanism, neighbours))
}

pub(super) fn noisy_max(arguments: &mut Arguments<'_>) -> Built<NoisyMax> {
    let choice = choice(arguments)?;
    let neighbours = choice.integer_neighbours();
    let mechanism = NoisyMax::new(choice.candidates, &choice.epsilon, noise(arguments)?);
    let mechanism = mechanism.map_err(|error| refused(arguments, "epsilon", error))?;
    Ok(Typed::of_answers(mechanism, neighbours))
}

pub(super) fn peeling(arguments: &mut Arguments<'_>) -> Built<Peeling> {
    let choice = choice(arguments)?;
    let (neighbours, k) = (choice.rational_neighbours(), up_to_ten_thousand(arguments, "k")?);
    if k.saturating_mul(choice.candidates.count()) > MOST_WEIGHED {
        return Err(refused(arguments, "k", "must be at most 65536 divided by the number of candidates"));
    }
    let mechanism = Peeling::new(choice.candidates, k, choice.epsilon);
    let mechanism = mechanism.map_err(|error| refused(arguments, "k", error))?;
    Ok(Typed::of_answers(mechanism, neighbours))
}

pub(super) fn noisy_top_k(arguments: &mut Arguments<'_>) -> Built<NoisyTopK> {
    let choice = choice(arguments)?;
    let (neighbours, k) = (choice.integer_neighbours(), up_to_ten_thousand(arguments, "k")?);
    let mechanism = NoisyTopK::new(choice.candidates, k, &choice.epsilon, noise(arguments)?);
    let mechanism = mechanism.map_err(|error| refused(arguments, "k", error))?;
    Ok(Typed::of_answers(mechanism, neighbours))
}
