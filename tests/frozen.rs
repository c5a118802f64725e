//! Frozen values: what a given seed or tape yields, today as at the release before.
//!
//! A change of values breaks nobody's privacy, but everybody's reproducible run: it must be meant, and said. If this test
//! fails and the change is meant, put the table that it prints in the place of `tests/frozen/samplers.txt`, and an entry
//! marked **values** in the changelog.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

use std::fmt::{Display, Write};

use certus::{
    bits::{Bits, BitsError, Meter, Replay, Tape, seeded},
    exact::{Integer, NonNegative, Positive, Probability, Rational, parse},
    mechanism::{Private, RandomizedResponse, Spec},
    sample::{
        Bernoulli, BernoulliExp, Choice, Gaussian, Geometric, Laplace, PreparedGaussian, PreparedLaplace, Program,
        Uniform, Weight,
        fixed::{FixedGaussian, FixedLaplace, Mode},
    },
};
use num_bigint::BigUint;

/// How many outputs of each sampler are kept.
const OUTPUTS: usize = 16;

fn rational(text: &str) -> Rational {
    parse(text).unwrap()
}

fn positive(text: &str) -> Positive {
    Positive::new(rational(text)).unwrap()
}

fn non_negative(text: &str) -> NonNegative {
    NonNegative::new(rational(text)).unwrap()
}

/// The binary digits of √2 after the point: a tape that depends on no generator.
fn root_of_two(length: u64) -> Tape {
    let root = (BigUint::from(2u32) << (2 * length)).sqrt();
    (0..length).rev().map(|place| root.bit(place)).collect()
}

/// The first outputs, each followed by the number of bits used so far.
fn draws<P: Program<Output: Display>>(program: &P, source: impl Bits) -> String {
    let mut bits = Meter::new(source);
    let mut line = String::new();
    for _ in 0..OUTPUTS {
        match program.sample(&mut bits) {
            Ok(output) => write!(line, " {output}@{}", bits.used()).unwrap(),
            Err(BitsError::TapeEnded) => return line + " end",
            Err(error) => panic!("{error}"),
        }
    }
    line
}

fn freeze<P: Program<Output: Display>>(table: &mut String, name: &str, program: &P) {
    let (seed, tape) = (draws(program, seeded([7; 32])), draws(program, Replay::new(root_of_two(4096))));
    writeln!(table, "{name}\n  seed{seed}\n  tape{tape}").unwrap();
}

fn table() -> String {
    let mut table = String::new();
    for bound in ["1", "2", "3", "10", "1000", "9223372036854775809", "1000000000000000000000000000000"] {
        freeze(&mut table, &format!("uniform {bound}"), &Uniform::new(bound.parse().unwrap()).unwrap());
    }
    for p in ["0", "1", "1/2", "1/3", "5/8", "123456789012345678901/987654321098765432109"] {
        freeze(&mut table, &format!("bernoulli {p}"), &Bernoulli::new(Probability::new(rational(p)).unwrap()));
    }
    for x in ["0", "1/3", "1", "5/2", "18446744073709551615/18446744073709551614", "1/123456789012345678901"] {
        freeze(&mut table, &format!("bernoulli_exp {x}"), &BernoulliExp::new(&non_negative(x)));
    }
    let scales = ["1/100", "1/3", "1", "5/2", "49.999999", "1e9", "18446744073709551615/2", "1e30"];
    let scales = scales.map(|scale| (scale, positive(scale)));
    for (name, scale) in &scales {
        freeze(&mut table, &format!("geometric {name}"), &Geometric::new(scale));
        freeze(&mut table, &format!("laplace {name}"), &Laplace::new(scale));
    }
    for variance in ["1/100", "1", "4", "7/3", "2500", "1099511627776", "2305843009213693951", "1e30"] {
        freeze(&mut table, &format!("gaussian {variance}"), &Gaussian::with_variance(&positive(variance)));
    }
    for scale in ["1/3", "10", "1000", "1e6", "1099511627776", "1e17"] {
        freeze(&mut table, &format!("prepared laplace {scale}"), &PreparedLaplace::new(&positive(scale)));
        freeze(&mut table, &format!("prepared gaussian {scale}"), &PreparedGaussian::new(&positive(scale)));
    }
    for scale in ["1/3", "1", "10", "1000", "1099511627776"] {
        for (name, mode) in [("fixed", Mode::Standard), ("fixed wide", Mode::Wide)] {
            let scale_value = positive(scale);
            freeze(&mut table, &format!("{name} laplace {scale}"), &FixedLaplace::new(&scale_value, mode).unwrap());
            freeze(&mut table, &format!("{name} gaussian {scale}"), &FixedGaussian::new(&scale_value, mode).unwrap());
        }
    }
    for spec in ["gamma=1/4", "p=1/3, k=5", "epsilon=1", "epsilon=2, k=1000"] {
        let named: Spec = format!("randomized_response({spec})").parse().unwrap();
        let response = RandomizedResponse::try_from(&named).unwrap();
        freeze(&mut table, &format!("randomized_response {spec}"), &response.on(&Integer::from(1)).unwrap());
    }
    let choices: [&[(&str, &str)]; 2] = [
        &[("1", "2"), ("0", "-5"), ("3", "1"), ("1/2", "0"), ("2/3", "7/3")],
        &[("123456789012345678901", "0"), ("50000000000000000000/3", "-1"), ("98765432109876543210", "1/7")],
    ];
    for choice in choices {
        let weights = choice.iter().map(|&(c, x)| Weight { factor: non_negative(c), exponent: rational(x) });
        let name: Vec<String> = choice.iter().map(|(c, x)| format!("{c}*e^-({x})")).collect();
        freeze(&mut table, &format!("choice {}", name.join(" ")), &Choice::new(&weights.collect::<Vec<_>>()).unwrap());
    }
    table
}

#[test]
fn values_are_those_of_the_last_release() {
    let (frozen, table) = (include_str!("frozen/samplers.txt"), table());
    let changed: Vec<_> = frozen.lines().zip(table.lines()).filter(|(old, new)| old != new).collect();
    for (old, new) in &changed {
        println!("- {old}\n+ {new}");
    }
    assert!(
        changed.is_empty() && frozen == table,
        "values changed: say so in CHANGELOG.md, with an entry marked **values**. The table is now:\n{table}"
    );
}
