//! Sparse vectors.

use std::ops::ControlFlow;

use certus::{
    bits::seeded,
    exact::{Integer, NonNegative},
    guarantee::{Guarantee, LInfinity, Relation, Sensitivity},
    mechanism::{
        Private,
        selection::{NumericSparseVector, SelectionNoise, SparseVector},
    },
    sample::{Interpreter, Laplace, Program, Step},
};

use crate::{
    domain::{integers, moved, rose, vectors},
    exhaustive::{Enumerated, enumerate, positive},
};

/// ε₁ = 1/2 and ε₂ = 4, threshold 0, until `passes` have passed.
fn sparse(passes: u64, noise: SelectionNoise) -> SparseVector {
    let sensitivity = Sensitivity::<LInfinity>::new(NonNegative::one(), Relation::AddRemove);
    SparseVector::new(&sensitivity, Integer::ZERO, passes, &positive(1, 2), &positive(4, 1), noise).unwrap()
}

/// Three queries around the threshold, and some further away.
fn queries() -> Vec<Vec<i64>> {
    let far = [vec![3, 3, -3], vec![4, 4, -4], vec![-3, -3, -3], vec![-4, -4, -4], vec![4, 4, 4], vec![3, 3, 3]];
    vectors(&[-1, 0, 1], 3).into_iter().chain(far).collect()
}

#[test]
fn the_sparse_vector() {
    for noise in [SelectionNoise::Laplace, SelectionNoise::Geometric] {
        let answers = |of: &SparseVector, neighbours: fn(&[i64], &[i64]) -> bool| {
            enumerate(&queries(), |queries| of.on(&integers(queries)).unwrap(), |a, b| neighbours(a, b), 16)
        };
        for passes in [1, 2] {
            let general = sparse(passes, noise);
            let all = answers(&general, moved);
            assert!(all.holds(&general.guarantee()), "{noise:?} {passes}");
            assert!(all.is_dominated(&general.guarantee(), &general.domination()));
        }
        let monotone = sparse(2, noise).monotone();
        assert!(answers(&monotone, rose).holds(&monotone.guarantee()), "{noise:?}");
        // Mutant: queries that do not all move the same way, with the noise of those that do.
        let monotone = sparse(1, noise).monotone();
        assert!(!answers(&monotone, moved).holds(&monotone.guarantee()), "{noise:?}");
    }
}

#[test]
fn with_answers() {
    for passes in [1, 2] {
        let mechanism = NumericSparseVector::new(sparse(passes, SelectionNoise::Laplace), &positive(2, 1)).unwrap();
        let inputs: Vec<Vec<i64>> = vectors(if passes == 1 { &[-1, 0, 1] } else { &[0, 1] }, 2);
        let all = enumerate(&inputs, |queries| mechanism.on(&integers(queries)).unwrap(), |a, b| moved(a, b), 12);
        assert!(all.holds(&mechanism.guarantee()), "{passes}");
        // Mutant: the answers cost nothing.
        assert!(passes == 2 || !all.holds(&sparse(passes, SelectionNoise::Laplace).guarantee()));
    }
}

/// A sparse vector that may be wrong, with ε₁ = 1/2, ε₂ = 4 and threshold 0.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Wrong {
    queries: Vec<Integer>,
    threshold_noise: Option<Laplace>,
    query_noise: Option<Laplace>,
    passes: usize,
    /// The noisy query that passed is the answer.
    tells_value: bool,
}

impl Program for Wrong {
    type State = (Option<Integer>, Vec<Option<Option<Integer>>>);
    type Output = Vec<Option<Option<Integer>>>;

    fn start(&self) -> Self::State {
        (None, vec![])
    }

    fn step<I: Interpreter>(&self, (threshold, mut answers): Self::State, on: &mut I) -> Step<Self, I> {
        let mut draw = |noise: &Option<Laplace>| noise.as_ref().map_or(Ok(Integer::ZERO), |noise| on.call(noise));
        let Some(threshold) = threshold else {
            return Ok(ControlFlow::Continue((Some(draw(&self.threshold_noise)?), answers)));
        };
        if answers.len() == self.queries.len() || answers.iter().flatten().count() == self.passes {
            return Ok(ControlFlow::Break(answers));
        }
        let noisy = self.queries[answers.len()].add(&draw(&self.query_noise)?);
        answers.push((noisy >= threshold).then(|| self.tells_value.then(|| noisy.clone())));
        Ok(ControlFlow::Continue((Some(threshold), answers)))
    }
}

/// Algorithms 3 to 6 of Lyu, Su and Li 2017, and the missing threshold noise.
#[test]
fn wrong_sparse_vectors_are_refuted() {
    let noise = |n, d| Some(Laplace::new(&positive(n, d)));
    let right = Wrong {
        queries: vec![],
        threshold_noise: noise(2, 1),
        query_noise: noise(1, 2),
        passes: 1,
        tells_value: false,
    };
    let run = |inputs: &[Vec<i64>], wrong: &Wrong| -> Enumerated<_> {
        enumerate(inputs, |queries| Wrong { queries: integers(queries), ..wrong.clone() }, |a, b| moved(a, b), 20)
    };
    let stated: Guarantee = sparse(1, SelectionNoise::Laplace).guarantee();
    let near = vectors(&[-1, 0, 1], 3);
    assert!(run(&near, &right).holds(&stated), "without a mutation this is the mechanism");
    assert!(!run(&near, &Wrong { tells_value: true, ..right.clone() }).holds(&stated), "3: the noisy value is told");
    assert!(!run(&near, &Wrong { query_noise: None, ..right.clone() }).holds(&stated), "5: no noise on queries");
    assert!(!run(&near, &Wrong { threshold_noise: None, ..right.clone() }).holds(&stated), "no noise on the threshold");
    // Passing and not passing in turn.
    let turns: Vec<Vec<i64>> = [vec![0, 0, 0, 0], vec![1, -1, 1, -1], vec![-1, 1, -1, 1]].into();
    assert!(run(&turns, &right).holds(&stated));
    assert!(!run(&turns, &Wrong { passes: 2, ..right.clone() }).holds(&stated), "4: noise not in proportion to c = 2");
    assert!(
        !run(&turns, &Wrong { passes: usize::MAX, ..right.clone() }).holds(&stated),
        "6: no bound on those that pass"
    );
}

/// A stream answers as the program does, bit for bit, and ends with the last that may pass.
#[test]
fn a_stream_is_the_program_step_by_step() {
    for seed in 0..200_u8 {
        let mechanism = sparse(2, SelectionNoise::Laplace);
        let queries = integers(&[0, -3, 2, 5, -9, 9, 9, 9, 9]);
        let released = mechanism.release(&queries, &mut seeded([seed; 32])).unwrap();
        let mut bits = seeded([seed; 32]);
        let mut stream = mechanism.stream(&mut bits).unwrap();
        let asked: Vec<bool> = queries.iter().map_while(|query| stream.ask(query, &mut bits).unwrap()).collect();
        assert_eq!(released.get(), &asked);
        assert!(asked.iter().filter(|passed| **passed).count() <= 2);
    }
    let refused = {
        let sensitivity = Sensitivity::<LInfinity>::new(NonNegative::one(), Relation::AddRemove);
        SparseVector::new(&sensitivity, Integer::ZERO, 0, &positive(1, 1), &positive(1, 1), SelectionNoise::Laplace)
            .unwrap_err()
    };
    assert_eq!(refused.to_string(), "the number of queries that may pass must be at least 1");
}
