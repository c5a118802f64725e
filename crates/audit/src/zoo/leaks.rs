//! What leaks beside the number: lengths, special values, overflows, noise and seeds that are used twice.

use super::{BROKEN, CORRECT, Draw, Random, Specimen, noise::exact_laplace};

pub const SPECIMENS: &[Specimen] = &[
    Specimen {
        name: "length_leak",
        about: "prints one noisy zero for every record: the number of lines is the number of people",
        epsilon: "1",
        make: || {
            let noise = exact_laplace(1, 1);
            Box::new(move |side, random, line| {
                for _ in 0..side.pick(4, 5) {
                    line.part(noise(random)?);
                }
                Ok(())
            })
        },
        ..BROKEN
    },
    Specimen {
        name: "length_fixed_correct",
        about: "prints as many as were declared",
        epsilon: "1",
        make: || {
            let noise = exact_laplace(1, 1);
            Box::new(move |side, random, line| {
                for slot in 0..5 {
                    line.part(i64::from(slot < side.pick(4, 5)) + noise(random)?);
                }
                Ok(())
            })
        },
        ..CORRECT
    },
    Specimen {
        name: "no_output_on_empty",
        about: "prints nothing at all if nobody is in the table",
        epsilon: "1",
        make: || {
            let noise = exact_laplace(1, 1);
            Box::new(move |side, random, line| {
                let people = side.pick(1, 0);
                if people > 0 {
                    line.part(people + noise(random)?);
                }
                Ok(())
            })
        },
        ..BROKEN
    },
    Specimen {
        name: "nan_injected",
        about: "a record that is NaN makes the clamped sum NaN, noise or not",
        epsilon: "1",
        make: || {
            Box::new(|side, random, line| {
                let values: &[f64] = side.pick(&[0.5, 0.25, f64::NAN], &[0.5, 0.25]);
                let sum: f64 = values.iter().map(|value| value.clamp(0.0, 1.0)).sum();
                line.part(sum + random.laplace(1.0)?);
                Ok(())
            })
        },
        ..BROKEN
    },
    Specimen {
        name: "nan_refused_correct",
        about: "a record that is NaN counts as the lower bound; integers, exact noise",
        epsilon: "1",
        make: || {
            let noise = exact_laplace(4, 1);
            Box::new(move |side, random, line| {
                // In quarters: 0.5, 0.25, and one who changes from NaN to 1.
                line.part(2 + 1 + side.pick(0, 4) + noise(random)?);
                Ok(())
            })
        },
        ..CORRECT
    },
    Specimen {
        name: "sum_overflows",
        about: "a sum in 8 bits that wraps: one person of value 1 moves it by 255",
        epsilon: "1",
        make: || sum(|a, b| a.wrapping_add(b)),
        ..BROKEN
    },
    Specimen {
        name: "sum_saturates_correct",
        about: "a sum in 8 bits that saturates",
        epsilon: "1",
        make: || sum(|a, b| a.saturating_add(b)),
        ..CORRECT
    },
    Specimen {
        name: "noise_reused",
        about: "two counts with the same noise: their difference has none",
        epsilon: "1",
        make: || {
            let noise = exact_laplace(2, 1);
            Box::new(move |side, random, line| {
                let drawn = noise(random)?;
                line.part(side.pick(3, 4) + drawn);
                line.part(3 + drawn);
                Ok(())
            })
        },
        ..BROKEN
    },
    Specimen {
        name: "noise_fresh_correct",
        about: "two counts with noise of their own",
        epsilon: "1",
        make: || {
            let noise = exact_laplace(2, 1);
            Box::new(move |side, random, line| {
                line.part(side.pick(3, 4) + noise(random)?);
                line.part(3 + noise(random)?);
                Ok(())
            })
        },
        ..CORRECT
    },
    Specimen {
        name: "seed_reused",
        about: "seeds its generator with the second of the day: the same sixty noises again and again",
        epsilon: "1",
        make: seeded_by_the_clock,
        ..BROKEN
    },
    Specimen {
        name: "double_spending",
        about: "answers the same count twice at epsilon each, and says epsilon",
        epsilon: "1",
        make: || {
            let noise = exact_laplace(1, 1);
            Box::new(move |side, random, line| {
                line.part(side.pick(3, 4) + noise(random)?);
                line.part(side.pick(3, 4) + noise(random)?);
                Ok(())
            })
        },
        ..BROKEN
    },
];

fn sum(add: fn(i8, i8) -> i8) -> Draw {
    let noise = exact_laplace(1, 1);
    Box::new(move |side, random, line| {
        let values: &[i8] = side.pick(&[100, 27, 1], &[100, 27]);
        line.part(i64::from(values.iter().copied().fold(0, add)) + noise(random)?);
        Ok(())
    })
}

/// In doubles, so that the few noises that there are differ from side to side.
fn seeded_by_the_clock() -> Draw {
    Box::new(|side, random, line| {
        let second = (random.uniform()? * 60.0) as u8;
        let mut reused = Random::new([second; 32]);
        line.part(side.pick(0.0, 1.0) + reused.laplace(1.0)?);
        Ok(())
    })
}
