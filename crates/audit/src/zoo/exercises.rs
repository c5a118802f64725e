//! The exercises of the seeds: noise that hides nothing, however much of it there is.

use super::{BROKEN, CORRECT, Draw, Specimen, noise::exact_laplace};

pub const SPECIMENS: &[Specimen] = &[
    Specimen {
        name: "uniform_noise",
        about: "uniform noise on [-1, 1] for sensitivity 1: delta is 1/2 for every epsilon",
        epsilon: "3",
        delta: "0.4",
        make: || {
            Box::new(|side, random, line| {
                line.part(side.pick(0.0, 1.0) + 2.0 * random.uniform()? - 1.0);
                Ok(())
            })
        },
        ..BROKEN
    },
    Specimen {
        name: "integer_noise_on_reals",
        about: "integer noise on a real-valued sum: the fraction is told as it is, delta is 1",
        epsilon: "3",
        delta: "0.9",
        make: || {
            let noise = exact_laplace(10, 1);
            Box::new(move |side, random, line| {
                line.part(side.pick(12.25, 12.75) + noise(random)? as f64);
                Ok(())
            })
        },
        ..BROKEN
    },
    Specimen {
        name: "rounded_up_correct",
        about: "(ceil(100·s) + Geo(4))/100 for a sum that moves by 1: epsilon is 25",
        epsilon: "25",
        make: hundredths,
        ..CORRECT
    },
    Specimen {
        name: "rounded_up_understated",
        about: "the same, said to be 1/4 as if the sum moved by a hundredth",
        epsilon: "0.25",
        make: hundredths,
        ..BROKEN
    },
];

fn hundredths() -> Draw {
    let noise = exact_laplace(4, 1);
    Box::new(move |side, random, line| {
        line.part((side.pick(1200, 1300) + noise(random)?) as f64 / 100.0);
        Ok(())
    })
}
