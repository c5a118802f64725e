//! Choices among candidates: scores that move by at most the sensitivity, all the same way if they are
//! monotone; ties, one candidate, k = n.

use certus::{
    exact::{Integer, NonNegative, Rational},
    guarantee::{LInfinity, Relation, Sensitivity},
    mechanism::selection::{Candidates, Exponential, NoisyMax, NoisyTopK, Peeling, PermuteAndFlip, SelectionNoise},
};

use super::is_full;
use crate::{
    accounted::check,
    domain::{integers, vectors},
    exhaustive::{positive, rational},
};

/// So many candidates, the sensitivity of their scores, and whether these are monotone.
#[derive(Clone, Copy, Debug)]
struct Choice {
    count: usize,
    sensitivity: (i64, i64),
    monotone: bool,
}

impl Choice {
    fn candidates(&self) -> Candidates {
        let sensitivity = NonNegative::new(rational(self.sensitivity.0, self.sensitivity.1)).unwrap();
        let stated = Sensitivity::<LInfinity>::new(sensitivity, Relation::AddRemove);
        let candidates = Candidates::new(self.count, &stated).unwrap();
        if self.monotone { candidates.monotone() } else { candidates }
    }

    /// Whether scores are those of neighbours, the first of them those of the input that has a record more.
    fn near(self) -> impl Fn(&[Rational], &[Rational]) -> bool {
        let most = rational(self.sensitivity.0, self.sensitivity.1);
        move |a, b| {
            let moved: Vec<Rational> = a.iter().zip(b).map(|(a, b)| a - b).collect();
            let zero = rational(0, 1);
            let one_way = moved.iter().all(|by| *by >= zero) || moved.iter().all(|by| *by <= zero);
            moved.iter().all(|by| *by <= most && *by >= -&most) && (one_way || !self.monotone)
        }
    }

    /// Whole numbers of sensitivities from 0 to 2, and some far apart.
    fn scores(&self) -> Vec<Vec<i64>> {
        let mut scores = vectors(&[0, 1, 2], self.count);
        for top in [7, 8] {
            for first in [0, 1] {
                let mut far = vec![top; self.count];
                far[0] = first;
                scores.push(far.clone());
                far.reverse();
                scores.push(far);
            }
        }
        scores.sort();
        scores.dedup();
        scores
    }

    fn rational_scores(&self) -> Vec<Vec<Rational>> {
        let unit = rational(self.sensitivity.0, self.sensitivity.1);
        let of = |scores: &Vec<i64>| scores.iter().map(|score| rational(*score, 1) * &unit).collect();
        self.scores().iter().map(of).collect()
    }
}

fn choices() -> Vec<Choice> {
    let mut choices = vec![];
    for monotone in [false, true] {
        for (count, sensitivity) in [(1, (1, 1)), (2, (1, 1)), (2, (2, 3)), (3, (1, 1))] {
            choices.push(Choice { count, sensitivity, monotone });
        }
    }
    choices
}

const EPSILONS: [(i64, i64); 3] = [(1, 1), (1, 3), (3, 1)];

pub fn exponential() {
    for choice in choices() {
        for (n, d) in EPSILONS {
            let mechanism = Exponential::new(choice.candidates(), positive(n, d)).unwrap();
            check(&format!("{choice:?}"), &mechanism, &choice.rational_scores(), choice.near(), 40);
        }
    }
}

pub fn permute_and_flip() {
    for choice in choices() {
        for (n, d) in EPSILONS {
            let mechanism = PermuteAndFlip::new(choice.candidates(), positive(n, d)).unwrap();
            check(&format!("{choice:?}"), &mechanism, &choice.rational_scores(), choice.near(), 40);
        }
    }
}

pub fn peeling() {
    for choice in choices() {
        for k in 1..=choice.count {
            let mechanism = Peeling::new(choice.candidates(), k, positive(2, 1)).unwrap();
            check(&format!("{choice:?} {k}"), &mechanism, &choice.rational_scores(), choice.near(), 30);
        }
    }
}

/// Integer scores, which move by whole numbers.
fn integer_choices() -> Vec<Choice> {
    let mut choices = vec![];
    for monotone in [false, true] {
        for (count, sensitivity) in [(1, (1, 1)), (2, (1, 1)), (2, (3, 2)), (2, (2, 1)), (3, (1, 1))] {
            choices.push(Choice { count, sensitivity, monotone });
        }
    }
    choices
}

fn near_integers(choice: Choice) -> impl Fn(&[Integer], &[Integer]) -> bool {
    let near = choice.near();
    let rationals = |scores: &[Integer]| -> Vec<Rational> {
        scores.iter().map(|score| Rational::from_integer(score.to_big())).collect()
    };
    move |a, b| near(&rationals(a), &rationals(b))
}

fn integer_scores(choice: Choice) -> Vec<Vec<Integer>> {
    choice.scores().iter().map(|scores| integers(scores)).collect()
}

pub fn noisy_max() {
    for choice in integer_choices() {
        for noise in [SelectionNoise::Laplace, SelectionNoise::Geometric] {
            let mechanism = NoisyMax::new(choice.candidates(), &positive(2, 1), noise).unwrap();
            let depth = if is_full() { 40 } else { 24 };
            check(&format!("{choice:?} {noise:?}"), &mechanism, &integer_scores(choice), near_integers(choice), depth);
        }
    }
}

pub fn noisy_top_k() {
    for choice in integer_choices() {
        for noise in [SelectionNoise::Laplace, SelectionNoise::Geometric] {
            for k in 1..=choice.count {
                let epsilon = positive(2 * i64::try_from(k).unwrap(), 1);
                let mechanism = NoisyTopK::new(choice.candidates(), k, &epsilon, noise).unwrap();
                let depth = match (choice.count, noise) {
                    (3, SelectionNoise::Laplace) => 8,
                    (3, SelectionNoise::Geometric) => 12,
                    _ => 20,
                };
                let what = format!("{choice:?} {noise:?} {k}");
                check(&what, &mechanism, &integer_scores(choice), near_integers(choice), depth);
            }
        }
    }
}
