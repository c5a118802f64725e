//! RAPPOR: Bloom filters behind randomized response (Erlingsson, Pihur and Korolova 2014).
//!
//! Two values whose four hashes are eight different bits of twenty: all eight differ.

use super::{BROKEN, CORRECT, Draw, Specimen};

pub const SPECIMENS: &[Specimen] = &[
    Specimen {
        name: "rappor_one_time_half_the_bits",
        about: "one-time RAPPOR (f = 0.95) that counts four bits: two values differ in eight, epsilon is 0.8007",
        epsilon: "0.4004",
        samples: 800_000,
        make: || report(0.95, None),
        ..BROKEN
    },
    Specimen {
        name: "rappor_one_time_correct",
        about: "one-time RAPPOR with 2h·ln((1 - f/2)/(f/2)) = 0.8007",
        epsilon: "0.80067",
        make: || report(0.95, None),
        ..CORRECT
    },
    Specimen {
        name: "rappor_half_the_bits",
        about: "RAPPOR (f = 0.75, p = 0.45, q = 0.55) that counts four bits: epsilon is 0.4001",
        epsilon: "0.2",
        samples: 3_000_000,
        make: || report(0.75, Some((0.45, 0.55))),
        ..BROKEN
    },
    Specimen {
        name: "rappor_correct",
        about: "RAPPOR with the epsilon of all eight bits",
        epsilon: "0.4002",
        make: || report(0.75, Some((0.45, 0.55))),
        ..CORRECT
    },
];

fn report(f: f64, instantaneous: Option<(f64, f64)>) -> Draw {
    Box::new(move |side, random, line| {
        let hashes: [usize; 4] = side.pick([1, 5, 11, 16], [2, 8, 13, 19]);
        // A vector, so that each bit is a coordinate.
        for bit in 0..20 {
            let true_bit = hashes.contains(&bit);
            // Replaced by a fair coin with probability f.
            let kept = if random.happens(f)? { random.coin()? } else { true_bit };
            let told = match instantaneous {
                Some((p, q)) => random.happens(if kept { q } else { p })?,
                None => kept,
            };
            line.word(if told { "1" } else { "0" });
        }
        Ok(())
    })
}
