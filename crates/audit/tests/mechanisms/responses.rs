//! Randomized responses: surveys and RAPPOR.

use certus::{
    exact::{Integer, NonNegative, Real},
    guarantee::Privacy,
    mechanism::{
        Private, RandomizedResponse,
        statistic::{Rappor, Survey},
    },
};

use crate::{
    domain::multisets,
    exhaustive::{check, enumerate, probability, rational},
};

#[test]
fn surveys() {
    let by_epsilon = |n: i64, d: i64, k| RandomizedResponse::by_epsilon(NonNegative::new(rational(n, d)).unwrap(), k);
    let responses = [
        (RandomizedResponse::truth_with(probability(3, 4), 2), 2_i64),
        (RandomizedResponse::truth_with(probability(1, 5), 2), 2),
        (RandomizedResponse::truth_with(probability(1, 2), 4), 4),
        (RandomizedResponse::truth_with(probability(1, 9), 3), 3),
        (by_epsilon(1, 1, 2), 2),
        (by_epsilon(3, 2, 3), 3),
    ];
    for (response, answers) in responses {
        let survey = Survey::new(response.clone()).unwrap();
        let inputs: Vec<Box<Integer>> = (0..answers).map(|answer| Box::new(Integer::from(answer))).collect();
        let all = check(&survey, &inputs, |_, _| true, 48);
        assert!(all.is_tight(&survey.guarantee()), "{response:?}");
        assert!(all.is_dominated(&survey.guarantee(), &survey.domination()));
        assert!(all.attains(&survey.guarantee(), &survey.domination()));
        // Mutant: the guarantee of more lies.
        let milder = Survey::new(by_epsilon(1, 10, 2)).unwrap();
        assert!(!all.holds(&milder.guarantee()));
    }
    // γ = 1/4 tells the truth with 3/4: ε = ln 3.
    let quarter = Survey::new(RandomizedResponse::truth_with(probability(3, 4), 2)).unwrap();
    assert_eq!(quarter.guarantee().privacy(), &Privacy::Pure { epsilon: Real::from(3).ln() });
    for certain in [probability(0, 1), probability(1, 1)] {
        let refused = Survey::new(RandomizedResponse::truth_with(certain, 2)).unwrap_err();
        assert_eq!(refused.to_string(), "the probabilities of the truth and of every other answer must be positive");
    }
}

#[test]
fn reports() {
    let half = probability(1, 2);
    for (bits, set) in [(3, 1), (4, 2), (3, 2), (2, 2), (1, 1)] {
        let permanent = Rappor::permanent(bits, set, &half).unwrap();
        let one_time = Rappor::one_time(bits, set, &probability(1, 4), &half, &probability(9, 10)).unwrap();
        let positions: Vec<usize> = (0..bits + 1).collect();
        // All sets of positions, also of more than may be set.
        let inputs: Vec<Box<[usize]>> = multisets(&positions, set + 1).into_iter().map(Vec::into_boxed_slice).collect();
        for rappor in [&permanent, &one_time] {
            let all = check(rappor, &inputs, |_, _| true, 30);
            assert!(all.is_tight(&rappor.guarantee()), "{bits} {set}");
            assert!(all.is_dominated(&rappor.guarantee(), &rappor.domination()));
            assert!(all.attains(&rappor.guarantee(), &rappor.domination()));
            // Mutant: a share of the lies.
            let fewer = Rappor::permanent(bits, set, &probability(1, 8)).unwrap();
            let on = |input: &Box<[usize]>| fewer.on(input).unwrap();
            assert!(!enumerate(&inputs, on, |_, _| true, 30).holds(&rappor.guarantee()));
        }
        if bits >= 2 && set >= 2 {
            // Mutant: more bits set than stated.
            let stated = Rappor::permanent(bits, set - 1, &half).unwrap().guarantee();
            let on = |input: &Box<[usize]>| permanent.on(input).unwrap();
            let all = enumerate(&inputs, on, |_, _| true, 30);
            assert!(!all.holds(&stated) || bits < 2 * set, "{bits} {set}");
        }
    }
}
