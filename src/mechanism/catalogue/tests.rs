//! Every entry of the catalogue, whatever it is.

use alloc::string::ToString;

use super::*;
use crate::{
    bits::{Meter, seeded},
    exact::Integer,
    mechanism::{
        Private, RandomizedResponse,
        additive::{GaussianMechanism, LaplaceMechanism},
    },
    sample::{Program, Sampler, fixed::Mode},
};

fn build(text: &str) -> Result<Box<dyn AnyMechanism>, SpecError> {
    from_spec(&text.parse()?)
}

fn spec(text: &str) -> Spec {
    text.parse().unwrap()
}

#[test]
fn sigma_and_its_square_are_one_parameter() {
    let gaussian = |text: &str| GaussianMechanism::try_from(&spec(text)).unwrap();
    assert_eq!(gaussian("gaussian(sigma=3/2)"), gaussian("gaussian(sigma2=2.25)"));
    let response = |text: &str| RandomizedResponse::try_from(&spec(text)).unwrap();
    assert_eq!(response("randomized_response(gamma=1/4)"), response("randomized_response(p=0.75, k=2)"));
    let refused = GaussianMechanism::try_from(&spec("laplace(scale=1)")).unwrap_err();
    assert_eq!(refused.to_string(), "mechanism \"laplace\": unknown; accepted: gaussian");
}

#[test]
fn a_distance_and_its_square_are_one_parameter() {
    let of = |text: &str| from_spec(&text.parse().unwrap());
    let [a, b] = ["sensitivity=3", "sensitivity2=9"].map(|key| {
        let mechanism = of(&alloc::format!("gaussian_vector(sigma=2, coordinates=2, {key})")).unwrap();
        (mechanism.domination(), mechanism.neighbours().1.to_string())
    });
    assert_eq!(a, b);
    let both = of("gaussian_vector(sigma=2, coordinates=2, sensitivity=3, sensitivity2=9)").map(|_| ());
    assert!(matches!(both, Err(SpecError::Conflicting { .. })), "{both:?}");
}

#[test]
fn each_refusal_names_the_argument_and_what_is_accepted() {
    for (text, expected) in [
        ("laplace(scale=0)", "laplace: scale: must be positive (> 0)"),
        ("laplace(scale=-1)", "laplace: scale: must be positive (> 0)"),
        ("laplace()", "laplace: scale: must be given"),
        ("laplace", "laplace: scale: must be given"),
        ("laplace(scal=1)", "laplace: scal: unknown key; accepted: scale, sensitivity"),
        ("laplace(scale=1, sensitivity=1/2)", "laplace: sensitivity: must be a positive integer"),
        ("laplace(scale=1, sensitivity=0)", "laplace: sensitivity: must be a positive integer"),
        ("laplace(scale=[1])", "laplace: scale: must be a number, not a list"),
        ("gaussian(sensitivity=2)", "gaussian: sigma or sigma2: must be given"),
        ("gaussian(sigma2=0)", "gaussian: sigma2: must be positive (> 0)"),
        ("randomized_response(k=3)", "randomized_response: gamma, p or epsilon: must be given"),
        ("randomized_response(gamma=0.51)", "randomized_response: gamma: must be from 0 to 1/2"),
        ("randomized_response(p=1.1)", "randomized_response: p: must be from 0 to 1"),
        ("randomized_response(epsilon=0)", "randomized_response: epsilon: must be positive (> 0)"),
        ("randomized_response(p=1, k=1)", "randomized_response: k: must be an integer from 2 to 2^63 - 1"),
        ("randomized_response(p=1, k=1e30)", "randomized_response: k: must be an integer from 2 to 2^63 - 1"),
        (
            "cauchy(scale=1)",
            "mechanism \"cauchy\": unknown; accepted: those that `certus mechanisms` lists, such as laplace, histogram or exponential",
        ),
    ] {
        assert_eq!(build(text).map(|_| ()).unwrap_err().to_string(), expected, "{text}");
    }
    for text in
        ["gaussian(sigma=1, sigma2=1)", "randomized_response(p=1/2, gamma=0)", "randomized_response(gamma=0, k=3)"]
    {
        assert!(matches!(build(text), Err(SpecError::Conflicting { .. })), "{text}");
    }
}

/// Every entry has what builds it, and its examples are built.
#[test]
fn every_entry_is_built() {
    for example in entries().flat_map(|entry| entry.examples) {
        assert!(build(example).is_ok(), "{example}");
    }
    // Those alone have samplers to choose from.
    let chosen: Vec<&str> = entries().filter(|entry| entry.has_samplers()).map(|entry| entry.name).collect();
    assert_eq!(chosen, ["laplace", "gaussian", "randomized_response"]);
}

/// By every sampler, and the closed form: what is released on an input is the noise, and the input.
#[test]
fn the_input_shifts_the_noise() {
    for text in ["laplace(scale=5/2)", "gaussian(sigma=3)"] {
        for sampler in [Sampler::Reference, Sampler::Prepared, Sampler::Fixed(Mode::Standard)] {
            let mechanism = build(text).unwrap().with_sampler(sampler).unwrap();
            let edge = Integer::from(i64::MAX);
            let (at_zero, at_edge) = (mechanism.on("0").unwrap(), mechanism.on(&edge.to_string()).unwrap());
            let integers = |release: &dyn AnyRelease, bulk: bool| {
                let (mut bits, mut all) = (seeded([5; 32]), Vec::new());
                let mut put = |output| match output {
                    Outcome::Integer(value) => all.push(value),
                    other => panic!("{other}"),
                };
                match bulk {
                    true => release.draw_bulk(&mut bits, 3000, &mut put).unwrap(),
                    false => release.draw_each(&mut bits, 3000, &mut put).unwrap(),
                }
                all
            };
            for bulk in [false, true] {
                let noise = integers(&*at_zero, bulk);
                let shifted: Vec<Integer> = noise.iter().map(|noise| noise.add(&edge)).collect();
                assert_eq!((integers(&*at_edge, bulk), noise.len()), (shifted, 3000), "{text} {sampler:?} {bulk}");
            }
            let [zero, shifted] = ["0", &edge.to_string()].map(|input| mechanism.closed_form(input, 60).unwrap());
            let of = |value: Integer| Outcome::Integer(value);
            assert_eq!(shifted.probability(&of(edge.add(&2.into()))), zero.probability(&of(2.into())));
        }
    }
}

/// An error would tell that the input is none of the answers.
#[test]
fn a_response_takes_any_input_for_the_nearest_answer() {
    for text in ["randomized_response(p=1/2, k=3)", "randomized_response(epsilon=1, k=3)"] {
        let response = RandomizedResponse::try_from(&spec(text)).unwrap();
        for (input, answer) in [(Integer::from(3), 2_i64), (Integer::from(u64::MAX), 2), (Integer::from(-1), 0)] {
            let answer = Integer::from(answer);
            assert_eq!(response.on(&input), response.on(&answer));
            let [of_input, of_answer] = [input, answer].map(|input| response.pmf(&input, 60).unwrap());
            for output in 0..3_i64 {
                use crate::exact::Pmf;
                assert_eq!(of_input.probability(&output.into()), of_answer.probability(&output.into()));
            }
        }
    }
}

/// The number of answers and ε do not slow a response down: each of these draws fewer than 200 bits.
#[test]
fn a_response_is_quick_whatever_its_parameters() {
    for keys in ["epsilon=50, k=1000000000000", "epsilon=1e-1000, k=9223372036854775807", "epsilon=1e1000, k=2"] {
        let response = RandomizedResponse::try_from(&spec(&alloc::format!("randomized_response({keys})"))).unwrap();
        let release = response.on(&Integer::from(1)).unwrap();
        let mut bits = Meter::new(seeded([2; 32]));
        for _ in 0..20 {
            release.sample(&mut bits).unwrap();
        }
        assert!(bits.used() < 20 * 200, "{keys}: {}", bits.used());
    }
}

/// Where everything is told, nothing is guaranteed.
#[test]
fn certain_truth_and_certain_lie() {
    let mut bits = seeded([1; 32]);
    for (text, released) in [("randomized_response(gamma=1/2)", "1"), ("randomized_response(p=0)", "0")] {
        let mechanism = build(text).unwrap();
        assert!(mechanism.privacy().is_none(), "{text}");
        for _ in 0..20 {
            assert_eq!(mechanism.on("1").unwrap().draw(&mut bits).unwrap().to_string(), released);
        }
    }
}

/// A mechanism by any sampler adds the same to the account, and a laplace spec of sensitivity d is the
/// library's mechanism of ⌊d⌋.
#[test]
fn a_sampler_changes_no_guarantee() {
    let mechanism = LaplaceMechanism::try_from(&spec("laplace(scale=3, sensitivity=2)")).unwrap();
    assert_eq!(mechanism.guarantee().to_string(), "pure, epsilon = 2/3; neighbours: add or remove one");
    for sampler in [Sampler::Prepared, Sampler::Fixed(Mode::Wide)] {
        let other = mechanism.clone().with_sampler(sampler).unwrap();
        assert_eq!((other.guarantee(), other.domination()), (mechanism.guarantee(), mechanism.domination()));
        assert_ne!(other, mechanism);
    }
    assert!(build("rappor(k=4, h=1, f=1/2)").unwrap().with_sampler(Sampler::Fixed(Mode::Standard)).is_err());
    assert!(build("laplace(scale=1e30)").unwrap().with_sampler(Sampler::Fixed(Mode::Standard)).is_err());
}
