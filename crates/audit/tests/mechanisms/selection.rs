//! Choices: exponential mechanism, permute-and-flip, noisy max, top-k.

use std::ops::ControlFlow;

use certus::{
    exact::{Integer, NonNegative},
    guarantee::{LInfinity, Relation, Sensitivity},
    mechanism::{
        Private,
        selection::{Candidates, Exponential, NoisyMax, NoisyTopK, Peeling, PermuteAndFlip, SelectionNoise},
    },
    sample::{Geometric, Interpreter, Program, Step},
};

use crate::{
    domain::{integers, moved, rationals, rose, vectors},
    exhaustive::{Enumerated, enumerate, positive, rational},
};

fn candidates(count: usize, n: i64, d: i64) -> Candidates {
    let sensitivity = NonNegative::new(rational(n, d)).unwrap();
    Candidates::new(count, &Sensitivity::<LInfinity>::new(sensitivity, Relation::ChangeOne)).unwrap()
}

/// All scores from 0 to 2 of three candidates, and some far apart, so that one is almost never chosen.
fn scores() -> Vec<Vec<i64>> {
    let far = [7, 29].into_iter().flat_map(|top| [vec![0, top, top], vec![0, top + 1, top + 1], vec![1, top, top]]);
    let others = [vec![0, 29, 30], vec![31, 0, 2], vec![30, 1, 2]];
    vectors(&[0, 1, 2], 3).into_iter().chain(far).chain(others).collect()
}

fn exponential(of: &Exponential, neighbours: fn(&[i64], &[i64]) -> bool) -> Enumerated<usize> {
    enumerate(&scores(), |scores| of.on(&rationals(scores)).unwrap(), |a, b| neighbours(a, b), 60)
}

#[test]
fn the_exponential_mechanism() {
    for (n, d) in [(1, 1), (1, 3), (3, 1)] {
        let mechanism = |candidates| Exponential::new(candidates, positive(n, d)).unwrap();
        let general = mechanism(candidates(3, 1, 1));
        let all = exponential(&general, moved);
        assert!(all.holds(&general.guarantee()) && all.is_tight(&general.guarantee()));
        assert!(all.is_dominated(&general.guarantee(), &general.domination()));
        let monotone = mechanism(candidates(3, 1, 1).monotone());
        let one_way = exponential(&monotone, rose);
        assert!(one_way.holds(&monotone.guarantee()) && one_way.is_tight(&monotone.guarantee()));
        // Mutants: scores that do not all move the same way; sensitivity halved.
        assert!(!exponential(&monotone, moved).holds(&monotone.guarantee()));
        let halved = mechanism(candidates(3, 1, 2));
        assert!(!exponential(&halved, moved).holds(&halved.guarantee()));
        let halved = mechanism(candidates(3, 1, 2).monotone());
        assert!(!exponential(&halved, rose).holds(&halved.guarantee()));
    }
}

/// Rational scores, and one candidate alone, which is no choice.
#[test]
fn rational_scores() {
    let mechanism = Exponential::new(candidates(3, 1, 3), positive(1, 1)).unwrap();
    let thirds = |scores: &Vec<i64>| {
        let scores: Vec<_> = scores.iter().map(|score| rational(*score, 3)).collect();
        mechanism.on(&scores).unwrap()
    };
    let all = enumerate(&scores(), thirds, |a, b| moved(a, b), 60);
    assert!(all.holds(&mechanism.guarantee()) && all.is_tight(&mechanism.guarantee()));
    let alone = Exponential::new(candidates(1, 1, 1), positive(1, 1)).unwrap();
    assert!(alone.on(&rationals(&[1, 2])).is_err());
    assert_eq!(alone.on(&rationals(&[7])).unwrap().sample(&mut certus::bits::seeded([0; 32])), Ok(0));
}

#[test]
fn permute_and_flip() {
    let flips = |of: &PermuteAndFlip, neighbours: fn(&[i64], &[i64]) -> bool| {
        enumerate(&scores(), |scores| of.on(&rationals(scores)).unwrap(), |a, b| neighbours(a, b), 60)
    };
    for (n, d) in [(1, 1), (1, 3), (3, 1)] {
        let mechanism = |candidates| PermuteAndFlip::new(candidates, positive(n, d)).unwrap();
        let general = mechanism(candidates(3, 1, 1));
        let all = flips(&general, moved);
        assert!(all.holds(&general.guarantee()) && all.is_tight(&general.guarantee()));
        assert!(all.is_dominated(&general.guarantee(), &general.domination()));
        let monotone = mechanism(candidates(3, 1, 1).monotone());
        let one_way = flips(&monotone, rose);
        assert!(one_way.holds(&monotone.guarantee()) && one_way.is_tight(&monotone.guarantee()));
        assert!(!flips(&monotone, moved).holds(&monotone.guarantee()), "mutant: not monotone");
        let halved = mechanism(candidates(3, 1, 2));
        assert!(!flips(&halved, moved).holds(&halved.guarantee()), "mutant: sensitivity halved");
    }
}

/// Scores from 0 to 2 of two candidates, and of three, ties and all.
fn few_scores() -> Vec<Vec<i64>> {
    let far = [vec![0, 9, 9], vec![0, 8, 8], vec![1, 8, 8], vec![9, 9, 0], vec![8, 8, 1]];
    vectors(&[0, 1, 2], 3).into_iter().chain(far).collect()
}

#[test]
fn noisy_max() {
    let argmax = |of: &NoisyMax, neighbours: fn(&[i64], &[i64]) -> bool| {
        enumerate(&few_scores(), |scores| of.on(&integers(scores)).unwrap(), |a, b| neighbours(a, b), 40)
    };
    for noise in [SelectionNoise::Laplace, SelectionNoise::Geometric] {
        let mechanism = |candidates| NoisyMax::new(candidates, &positive(2, 1), noise).unwrap();
        let general = mechanism(candidates(3, 1, 1));
        let all = argmax(&general, moved);
        assert!(all.holds(&general.guarantee()), "{noise:?}");
        assert!(all.is_tight(&general.guarantee()), "{noise:?}");
        assert!(all.is_dominated(&general.guarantee(), &general.domination()));
        let monotone = mechanism(candidates(3, 1, 1).monotone());
        let one_way = argmax(&monotone, rose);
        assert!(one_way.holds(&monotone.guarantee()) && one_way.is_tight(&monotone.guarantee()), "{noise:?}");
        assert!(!argmax(&monotone, moved).holds(&monotone.guarantee()), "mutant: not monotone");
        let halved = mechanism(candidates(3, 1, 2));
        assert!(!argmax(&halved, moved).holds(&halved.guarantee()), "mutant: sensitivity halved");
    }
}

/// Noisy max, wrong: the winner's noisy score is released, or one noise serves all candidates.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct WrongMax {
    scores: Vec<Integer>,
    noise: Geometric,
    value_too: bool,
    one_noise: bool,
}

impl Program for WrongMax {
    type State = ();
    type Output = (usize, Option<Integer>);

    fn start(&self) {}

    fn step<I: Interpreter>(&self, (): (), on: &mut I) -> Step<Self, I> {
        let shared = if self.one_noise { Some(on.call(&self.noise)?) } else { None };
        let mut best: Option<(Integer, usize)> = None;
        for (index, score) in self.scores.iter().enumerate() {
            let noise = match &shared {
                Some(noise) => noise.clone(),
                None => on.call(&self.noise)?,
            };
            let noisy = score.add(&noise);
            if best.as_ref().is_none_or(|(value, _)| noisy > *value) {
                best = Some((noisy, index));
            }
        }
        let (value, index) = best.unwrap();
        Ok(ControlFlow::Break((index, self.value_too.then_some(value))))
    }
}

#[test]
fn wrong_noisy_max_is_refuted() {
    // Two candidates, ε = 2 and span 2: geometric noise of scale 1.
    let inputs = vectors(&[0, 1, 2, 3], 2);
    let wrong = |value_too, one_noise| {
        let on = |scores: &Vec<i64>| WrongMax {
            scores: integers(scores),
            noise: Geometric::new(&positive(1, 1)),
            value_too,
            one_noise,
        };
        enumerate(&inputs, on, |a, b| moved(a, b), 40)
    };
    let stated = NoisyMax::new(candidates(2, 1, 1), &positive(2, 1), SelectionNoise::Geometric).unwrap().guarantee();
    assert!(wrong(false, false).holds(&stated), "without a mutation this is the mechanism");
    assert!(!wrong(true, false).holds(&stated), "mutant: noisy value returned with the argmax");
    assert!(!wrong(false, true).holds(&stated), "mutant: noise reused");
}

#[test]
fn top_k() {
    for (noise, values, depth) in
        [(SelectionNoise::Geometric, &[0, 1, 2][..], 30), (SelectionNoise::Laplace, &[0, 1][..], 12)]
    {
        // ε = 4 and k = 2: noise of scale 1.
        let far = [vec![3, 0, 0], vec![2, 1, 1], vec![0, 0, 3], vec![1, 1, 2]];
        let inputs: Vec<Vec<i64>> = vectors(values, 3).into_iter().chain(far).collect();
        let ranking = |of: &NoisyTopK, neighbours: fn(&[i64], &[i64]) -> bool| {
            enumerate(&inputs, |scores| of.on(&integers(scores)).unwrap(), |a, b| neighbours(a, b), depth)
        };
        let mechanism = |candidates, epsilon| NoisyTopK::new(candidates, 2, &positive(epsilon, 1), noise).unwrap();
        let general = mechanism(candidates(3, 1, 1), 4);
        let all = ranking(&general, moved);
        assert!(all.holds(&general.guarantee()), "{noise:?}");
        assert!(all.is_dominated(&general.guarantee(), &general.domination()));
        let monotone = mechanism(candidates(3, 1, 1).monotone(), 4);
        assert!(ranking(&monotone, rose).holds(&monotone.guarantee()), "{noise:?}");
        if noise == SelectionNoise::Geometric {
            // Mutant: noise not in proportion to k, as if the first choice were the only one.
            assert!(!ranking(&mechanism(candidates(3, 1, 1), 8), moved).holds(&general.guarantee()));
            assert!(!ranking(&monotone, moved).holds(&monotone.guarantee()), "mutant: not monotone");
        }
    }
    for k in [0, 4] {
        let refused = NoisyTopK::new(candidates(3, 1, 1), k, &positive(1, 1), SelectionNoise::Laplace).unwrap_err();
        assert_eq!(refused.to_string(), "k must be from 1 to the number of candidates (3)");
    }
}

#[test]
fn peeling() {
    let chosen = |of: &Peeling, neighbours: fn(&[i64], &[i64]) -> bool| {
        enumerate(&scores(), |scores| of.on(&rationals(scores)).unwrap(), |a, b| neighbours(a, b), 40)
    };
    for k in [1, 2, 3] {
        let mechanism = |candidates, epsilon| Peeling::new(candidates, k, positive(epsilon, 1)).unwrap();
        let general = mechanism(candidates(3, 1, 1), 2);
        let all = chosen(&general, moved);
        assert!(all.holds(&general.guarantee()) && all.is_dominated(&general.guarantee(), &general.domination()));
        assert!(k != 1 || all.is_tight(&general.guarantee()));
        let monotone = mechanism(candidates(3, 1, 1).monotone(), 2);
        assert!(chosen(&monotone, rose).holds(&monotone.guarantee()));
        if k == 2 {
            // Mutant: ε for each choice instead of for all.
            assert!(!chosen(&mechanism(candidates(3, 1, 1), 4), moved).holds(&general.guarantee()));
        }
    }
}

/// Same public parameters, same error: what the scores are is not in it.
#[test]
fn errors_tell_nothing_of_the_scores() {
    let mechanism = Exponential::new(candidates(3, 1, 1), positive(1, 1)).unwrap();
    let few = mechanism.on(&rationals(&[7, 8])).unwrap_err();
    let many = mechanism.on(&rationals(&[1, 2, 3, 4])).unwrap_err();
    assert_eq!(few.to_string(), many.to_string());
    assert_eq!(few.to_string(), "must be one score for each of the 3 candidates");
    let none = Candidates::new(0, &Sensitivity::<LInfinity>::new(NonNegative::one(), Relation::AddRemove));
    assert_eq!(none.unwrap_err().to_string(), "the number of candidates must be at least 1");
    let insensitive = Candidates::new(2, &Sensitivity::<LInfinity>::new(NonNegative::zero(), Relation::AddRemove));
    assert_eq!(insensitive.unwrap_err().to_string(), "the sensitivity of a score must be positive (> 0)");
}
