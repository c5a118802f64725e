//! `certus account` at sizes that need the fast methods: widths, speed, and both directions of the question.

use std::{
    process::Output,
    time::{Duration, Instant},
};

use certus::exact::parse;

use crate::support::{self, bounds};

fn certus(arguments: &[&str]) -> Output {
    support::certus(&[&["account"], arguments].concat())
}

/// Whether what takes long is asked for.
fn is_full() -> bool {
    std::env::var_os("CERTUS_FULL").is_some()
}

fn json(arguments: &[&str]) -> serde_json::Value {
    support::json(&[&["account"], arguments].concat())
}

/// The relative width of what is printed is at most this.
fn narrow(value: &serde_json::Value, most: &str, what: &str) {
    let (lower, upper) = bounds(value);
    assert!(lower <= upper && upper - &lower <= parse(most).unwrap() * &lower, "{what}: {value}");
}

#[test]
fn one_mechanism_to_twelve_digits() {
    for spec in [
        "gaussian(sigma=10)",
        "gaussian(sigma=1/3)",
        "laplace(scale=7/2, sensitivity=3)",
        "randomized_response(gamma=1/4)",
        "randomized_response(epsilon=1, k=5)",
    ] {
        narrow(&json(&[spec, "--epsilon", "1/20"])["delta"], "1e-12", spec);
    }
}

#[test]
fn a_wide_gaussian_answers_at_once() {
    let started = Instant::now();
    let document = json(&["gaussian(sigma=1099511627776)", "--epsilon", "1e-12"]);
    // A tenth of a second; without the method for wide noise, hours.
    assert!(started.elapsed() < Duration::from_secs(60), "{:?}", started.elapsed());
    narrow(&document["delta"], "1e-12", "sigma = 2^40");
}

#[test]
fn compositions_to_six_digits() {
    for (k, root, truth) in [(10, "3", "0.65"), (1000, "32", "0.515"), (100_000, "316", "0.5015")] {
        for spec in [
            format!("gaussian(sigma={root})*{k}"),
            format!("laplace(scale={root})*{k}"),
            format!("laplace(scale={root}, sensitivity=3)*{k}"),
            format!("randomized_response(p={truth})*{k}"),
        ] {
            // From the middle of the loss to far in its tail.
            for epsilon in ["1", "8"] {
                let document = json(&[&spec, "--epsilon", epsilon]);
                assert_eq!(document["narrow"], true, "{spec} at {epsilon}: {document}");
                if bounds(&document["delta"]).1 > parse("1e-30").unwrap() {
                    narrow(&document["delta"], "1e-6", &spec);
                }
            }
        }
    }
}

/// Off the lattice at 1,000 copies, within the bound on the work: DP-SGD with noise of few outcomes and of
/// very many.
#[test]
fn off_the_lattice_to_three_digits() {
    let few = "subsampled_gaussian(sigma=1, rate=0.01)*1000";
    narrow(&json(&[few, "--epsilon", "3"])["delta"], "1e-3", few);
    narrow(&json(&[few, "--delta", "1e-6"])["epsilon"], "1e-3", few);
    if is_full() {
        let many = "subsampled_gaussian(sigma=1048576, sensitivity=1048576, rate=0.01)*1000";
        narrow(&json(&[many, "--epsilon", "3"])["delta"], "1e-3", many);
    }
}

/// The same of losses of many sizes, where the first idea of δ is off by many orders of magnitude: down to
/// 10^-31, far beyond the digits of larger ones.
#[test]
fn rare_losses_to_three_digits() {
    for (sigma, epsilon) in [("1", "0.001634"), ("1", "0.01"), ("1", "0.05"), ("7/5", "0.001634")] {
        let spec = format!("subsampled_gaussian(sigma={sigma}, rate=1e-6)*365");
        narrow(&json(&[&spec, "--epsilon", epsilon])["delta"], "1e-3", &spec);
    }
}

/// And of several parts, of which one has them: a loss that only a rare outcome and all of the others
/// together reach, noise of a thousand steps, and an ε. The first of them, and all with `CERTUS_FULL=1`.
#[test]
fn rare_losses_beside_others_to_three_digits() {
    let beside = ["subsampled_gaussian(sigma=1, rate=1e-6)*300", "laplace(scale=20)*5"];
    narrow(&json(&[beside[0], beside[1], "--epsilon", "0.3"])["delta"], "1e-6", "beside Laplace");
    if !is_full() {
        return;
    }
    let wide = ["subsampled_gaussian(sigma=600, sensitivity=1000, rate=1e-6)*100", "laplace(scale=50)*3"];
    narrow(&json(&[wide[0], wide[1], "--epsilon", "0.1"])["delta"], "1e-3", "of wide noise");
    let far = ["subsampled_gaussian(sigma=3/5, rate=1e-6)*10", "gaussian(sigma=10000, sensitivity=200)*50"];
    narrow(&json(&[far[0], far[1], "--delta", "1e-20"])["epsilon"], "1e-4", "beside a Gaussian");
}

/// Many different parts: a schedule of noise and rates, and losses of many sizes. By Fourier transforms in
/// doubles (numpy; grids of 4·10^-5 and 2·10^-5, extrapolated) they are 2.9730429e-5, 0.101804057 and
/// 1.94144e-3. The first of them, and all with `CERTUS_FULL=1`.
#[test]
fn many_parts_to_three_digits() {
    let schedule = |parts: u32, part: fn(u32) -> String| (0..parts).map(part).collect::<Vec<_>>();
    for (specs, epsilon, near) in [
        (schedule(40, |i| format!("subsampled_gaussian(sigma={}/40, rate=1e-2)*25", 40 + i)), "1", "2.9730429e-5"),
        (
            schedule(100, |i| format!("subsampled_gaussian(sigma={}/100, rate={}e-3)*10", 100 + i, 10 + i)),
            "2",
            "0.101804057",
        ),
        (
            schedule(40, |i| format!("subsampled_gaussian(sigma={}/100, rate={}e-5)*3", 60 + i, 10 + i)),
            "0.001",
            "1.94144e-3",
        ),
        (
            schedule(40, |i| format!("subsampled_gaussian(sigma={}, sensitivity=1000, rate=1e-2)*12", 1000 + 10 * i)),
            "1",
            "6.8827085e-6",
        ),
        // Of the losses 10^-6 to 10; by three grids, extrapolated.
        (schedule(25, |i| format!("subsampled_gaussian(sigma={}/50, rate=1e-5)*7", 20 + i)), "0.001", "4.0632e-5"),
    ]
    .into_iter()
    .take(if is_full() { 5 } else { 1 })
    {
        let mut arguments: Vec<&str> = specs.iter().map(String::as_str).collect();
        arguments.extend(["--epsilon", epsilon]);
        let found = &json(&arguments)["delta"];
        narrow(found, "1e-3", &specs[0]);
        let ((lower, upper), near) = (bounds(found), parse(near).unwrap());
        // The doubles are right to about 10^-5.
        let off = &near * parse("1e-5").unwrap();
        assert!(lower <= &near + &off && &near - off <= upper, "{found} for {near}");
    }
}

/// Rare outcomes of one part beside frequent ones of larger losses of another: by a sum over the rare ones in
/// doubles; and losses next to where they are asked about.
#[test]
fn rare_outcomes_beside_larger_losses() {
    let specs = ["subsampled_gaussian(sigma=7/5, rate=1e-6)*10", "laplace(scale=100, sensitivity=2)"];
    let found = &json(&[specs[0], specs[1], "--epsilon", "0.02139"])["delta"];
    narrow(found, "1e-3", specs[0]);
    let ((lower, upper), near) = (bounds(found), parse("4.07968078e-29").unwrap());
    let off = &near * parse("1e-8").unwrap();
    assert!(lower <= &near + &off && &near - off <= upper, "{found}");
    let specs = [
        "subsampled_laplace(scale=1, rate=0.1)",
        "subsampled_gaussian(sigma=1, rate=1e-5)*3",
        "subsampled_gaussian(sigma=9/20, rate=1e-5)*50",
    ];
    narrow(&json(&[specs[0], specs[1], specs[2], "--epsilon", "5.949"])["delta"], "1e-3", specs[2]);
}

/// The direction that is not the worst has a δ of 10^-2000, and is not looked at closely.
#[test]
fn the_other_direction_is_next_to_nothing() {
    let plan = [
        "subsampled_gaussian(sigma=1, rate=0.1)*100",
        "gaussian(sigma=10)*50",
        "subsampled_gaussian(sigma=3/10, rate=0.1)*10",
    ];
    narrow(&json(&[plan[0], plan[1], plan[2], "--epsilon", "83.36"])["delta"], "1e-3", "three parts");
}

/// Losses of hundreds of thousands, of which no power is written down.
#[test]
fn enormous_losses_to_three_digits() {
    for (spec, epsilon) in [
        ("subsampled_laplace(scale=1/100000, rate=1e-3)*5", "250000"),
        ("subsampled_gaussian(sigma=1/500, rate=1e-3)*5", "100000"),
    ] {
        narrow(&json(&[spec, "--epsilon", epsilon])["delta"], "1e-3", spec);
    }
}

/// All or nothing beside others: a pair with one finite loss.
#[test]
fn a_part_with_one_finite_loss() {
    let path = std::env::temp_dir().join(format!("certus-one-loss-{}.csv", std::process::id()));
    let path = path.to_str().unwrap();
    for (pair, delta) in
        [("1/10000000,0\n9999999/10000000,1\n", "0.068250043"), ("1e-7,0\n0,1e-7\n0.9999999,0.9999999\n", "0.0682504")]
    {
        std::fs::write(path, pair).unwrap();
        let plan =
            ["subsampled_gaussian(sigma=3/5, rate=1e-2)*50", "--pair", &format!("{path}*3"), "--epsilon", "0.05"];
        let document = json(&plan);
        narrow(&document["delta"], "1e-3", pair);
        let off = bounds(&document["delta"]).0 - parse(delta).unwrap();
        assert!(off.clone().max(-off) < parse("1e-6").unwrap(), "{document}");
    }
    std::fs::remove_file(path).unwrap();
}

/// ε(δ(ε)) is ε, and the other way round.
#[test]
fn the_two_questions_are_inverse() {
    for spec in ["gaussian(sigma=3)*10", "laplace(scale=32)*1000", "randomized_response(gamma=1/50)*100"] {
        let document = json(&[spec, "--epsilon", "1"]);
        let (lower, upper) = bounds(&document["delta"]);
        let (of_upper, of_lower) = (
            json(&[spec, "--delta", &certus::exact::render(&upper)]),
            json(&[spec, "--delta", &certus::exact::render(&lower)]),
        );
        let one = parse("1").unwrap();
        assert!(
            bounds(&of_upper["epsilon"]).0 <= one && one <= bounds(&of_lower["epsilon"]).1,
            "{spec}: {of_upper} {of_lower}"
        );
        narrow(&of_upper["epsilon"], "1e-6", spec);
        assert!(of_upper["delta"].is_string());
    }
}

#[test]
fn a_delta_of_zero_is_a_legal_question() {
    let document = json(&["laplace(scale=2)*3", "--delta", "0"]);
    let (lower, upper) = bounds(&document["epsilon"]);
    let truth = parse("3/2").unwrap();
    assert!(lower <= truth && truth <= upper, "{document}");
    assert_eq!(document["delta"], "0");
    // A Gaussian's loss has no bound, and so no ε at δ = 0.
    let output = certus(&["gaussian(sigma=2)", "--delta", "0"]);
    let line = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), line.lines().count()), (Some(2), 1), "{line}");
    assert!(line.contains("--delta"), "{line}");
}

#[test]
fn plans_of_different_mechanisms() {
    let plan = ["gaussian(sigma=10)*100", "laplace(scale=20)*5"];
    let there = json(&[plan[0], plan[1], "--delta", "1e-6"]);
    let back = json(&[plan[1], plan[0], "--delta", "1e-6"]);
    assert_eq!(there["epsilon"], back["epsilon"]);
    narrow(&there["epsilon"], "1e-3", "a plan");
    // No less than either part alone.
    assert!(bounds(&there["epsilon"]).1 >= bounds(&json(&[plan[0], "--delta", "1e-6"])["epsilon"]).0);
}

/// Questions that once took for ever: each is answered within the bound on its work, narrow or not, and says
/// which.
#[test]
fn extremes_are_answered_in_bounded_time() {
    for arguments in [
        &["gaussian(sigma=1e1000)", "--epsilon", "0"][..],
        &["gaussian(sigma=1e1000)*1000000000", "--delta", "1e-300"],
        &["gaussian(sigma=1e-1000)", "--delta", "0.5"],
        &["gaussian(sigma=1e-3)", "--delta", "1e-10"],
        &["gaussian(sigma=0.1)*1000000000", "--delta", "1e-10"],
        &["laplace(scale=1e-1000, sensitivity=1000000000000)*1000000000", "--epsilon", "1e999"],
        &["subsampled_gaussian(sigma=1e1000, rate=1e-300)*1000", "--epsilon", "1e-9"],
        &["subsampled_laplace(scale=1e6, sensitivity=1000000000000, rate=1)", "--epsilon", "1e999"],
    ] {
        let started = Instant::now();
        let document = json(arguments);
        assert!(started.elapsed() < Duration::from_secs(60), "{arguments:?}: {:?}", started.elapsed());
        let value = if document["delta"].is_object() { &document["delta"] } else { &document["epsilon"] };
        // Some are too small for the parser's own limit on exponents.
        let of = |key: &str| parse(value[key].as_str().unwrap());
        let ordered = of("lower").ok().zip(of("upper").ok()).is_none_or(|(lower, upper)| lower <= upper);
        assert!(ordered && document["narrow"].is_boolean(), "{arguments:?}: {value}");
    }
}
