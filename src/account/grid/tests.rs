use super::*;
use crate::{
    account::{Plan, reference},
    exact::{Positive, Probability, Rounding, decimal, parse},
    guarantee::{Domination, Pair},
    mechanism::{Mechanism, Spec},
};
use alloc::{
    boxed::Box,
    string::{String, ToString},
};

fn rational(text: &str) -> Rational {
    parse(text).unwrap()
}

fn subsampled(rate: &str, of: Pair) -> Pair {
    Pair::Subsampled { rate: Probability::new(rational(rate)).unwrap(), of: Box::new(of), reversed: false }
}

fn gaussian(variance: &str, shift: u64) -> Pair {
    Pair::Gaussian { variance: Positive::new(rational(variance)).unwrap(), shift: shift.into() }
}

/// A spec; or `rate:spec` for a subsampled one.
fn plan(specs: &[&str]) -> Plan {
    specs.iter().fold(Plan::new(), |plan, text| {
        let (rate, text) = text.split_once(':').map_or((None, *text), |(rate, text)| (Some(rate), text));
        let spec: Spec = text.parse().unwrap();
        let copies = spec.copies().map_or(1, |copies| copies.get().into());
        let domination = Mechanism::from_spec(&spec).unwrap().domination();
        let domination = match rate {
            None => domination,
            Some(rate) => Domination::by(subsampled(rate, domination.forward()[0].clone())),
        };
        plan.with(&domination, copies)
    })
}

fn show(direction: &Direction, epsilon: &str) -> String {
    let epsilon = NonNegative::new(rational(epsilon)).unwrap();
    let begin = std::time::Instant::now();
    let answer = delta(direction, &epsilon, &Precision::default()).unwrap();
    let width = if answer.enclosure.lower() > rational("0") {
        answer.enclosure.width() / answer.enclosure.lower()
    } else {
        rational("1")
    };
    std::format!("{} width {} in {:?}", answer.enclosure, decimal(&width, 3, Rounding::Up), begin.elapsed())
}

#[test]
fn measure() {
    for (specs, epsilon) in [
        (&["gaussian(sigma=2)"][..], "1"),
        (&["gaussian(sigma=10)*100"], "3"),
        (&["gaussian(sigma=10)*1000"], "20"),
        (&["laplace(scale=10)*50", "laplace(scale=7.3)*70"], "8"),
        (&["randomized_response(gamma=1/4)*3", "gaussian(sigma=10)*100", "laplace(scale=20)*5"], "7"),
        (&["1/100:gaussian(sigma=1)*1000"], "3"),
        (&["1/100:gaussian(sigma=1048576, sensitivity=1048576)*1000"], "3"),
        (&["randomized_response(epsilon=1, k=5)*1000"], "250"),
        (&["1/10:laplace(scale=2)*1000"], "5"),
    ] {
        for direction in plan(specs).directions() {
            std::println!("{specs:?} eps {epsilon}: {}", show(&direction, epsilon));
        }
    }
}
