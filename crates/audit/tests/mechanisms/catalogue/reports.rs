//! Reports of one person: any two values are neighbours.

use certus::{
    exact::{Integer, NonNegative, Probability},
    mechanism::{
        Private, RandomizedResponse,
        statistic::{Rappor, Survey},
    },
};

use super::is_full;
use crate::{
    accounted::{Neighbours, check},
    domain::multisets,
    exhaustive::{probability, rational},
};

pub fn randomized_response() {
    let by_epsilon = |n: i64, d: i64, k| RandomizedResponse::by_epsilon(NonNegative::new(rational(n, d)).unwrap(), k);
    // Certain truths and lies have no ε; as likely a truth as a lie has no loss.
    for (response, answers) in [
        (RandomizedResponse::truth_with(probability(3, 4), 2), 2_i64),
        (RandomizedResponse::truth_with(probability(1, 5), 2), 2),
        (RandomizedResponse::truth_with(probability(1, 3), 3), 3),
        (RandomizedResponse::truth_with(probability(1, 2), 4), 4),
        (RandomizedResponse::truth_with(probability(1, 9), 3), 3),
        (RandomizedResponse::truth_with(probability(0, 1), 2), 2),
        (RandomizedResponse::truth_with(probability(0, 1), 3), 3),
        (RandomizedResponse::truth_with(probability(1, 1), 3), 3),
        (by_epsilon(1, 1, 2), 2),
        (by_epsilon(3, 2, 3), 3),
        (by_epsilon(4, 1, 5), 5),
    ] {
        let what = format!("{response:?}");
        // What is none of the answers is taken for one.
        let inputs: Vec<Integer> = (-1..=answers).map(Integer::from).collect();
        if let Ok(survey) = Survey::new(response.clone()) {
            check(&what, &survey, &inputs, |_, _| true, 40);
        }
        let all = Neighbours::new(&inputs, |input| response.on(input).unwrap(), |_, _| true, 40);
        all.are_accounted_for(&what, &response.domination(), &rational(3, 2));
    }
}

/// Shares of lies, and the rates of a report: lies alone, rates at which a bit that falls tells more than one
/// that rises, and the other way round.
fn rates() -> Vec<(Probability, Option<(Probability, Probability)>)> {
    vec![
        (probability(1, 2), None),
        (probability(1, 1), None),
        (probability(1, 10), Some((probability(1, 100), probability(17, 20)))),
        (probability(1, 50), Some((probability(1, 100), probability(1, 2)))),
        (probability(1, 4), Some((probability(1, 2), probability(9, 10)))),
        (probability(1, 3), Some((probability(0, 1), probability(1, 1)))),
    ]
}

pub fn rappor() {
    for bits in 1..=if is_full() { 6 } else { 4 } {
        for set in 1..=bits {
            for (lies, report) in rates() {
                let rappor = match &report {
                    None => Rappor::permanent(bits, set, &lies),
                    Some((p, q)) => Rappor::one_time(bits, set, &lies, p, q),
                };
                // All sets of bits, none and too many among them, and a position that is none.
                let positions: Vec<usize> = (0..=bits).collect();
                let inputs = multisets(&positions, set + 1);
                check(&format!("rappor {bits} {set} {lies} {report:?}"), &rappor.unwrap(), &inputs, |_, _| true, 40);
            }
        }
    }
}
