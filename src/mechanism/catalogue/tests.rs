//! Every entry of the catalogue, whatever it is.

use alloc::string::ToString;

use super::*;

fn build(text: &str) -> Result<Mechanism, SpecError> {
    Mechanism::from_spec(&text.parse()?)
}

#[test]
fn sigma_and_its_square_are_one_parameter() {
    assert_eq!(build("gaussian(sigma=3/2)"), build("gaussian(sigma2=2.25)"));
    assert_eq!(build("randomized_response(gamma=1/4)"), build("randomized_response(p=0.75, k=2)"));
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
        ("cauchy(scale=1)", "mechanism \"cauchy\": unknown; accepted: laplace, gaussian, randomized_response"),
    ] {
        assert_eq!(build(text).unwrap_err().to_string(), expected, "{text}");
    }
    for text in
        ["gaussian(sigma=1, sigma2=1)", "randomized_response(p=1/2, gamma=0)", "randomized_response(gamma=0, k=3)"]
    {
        assert!(matches!(build(text), Err(SpecError::Conflicting { .. })), "{text}");
    }
}
