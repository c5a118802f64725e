//! Sensitivities that are wrong: understated, ignored, or those of another query.

use super::{BROKEN, CORRECT, Draw, Specimen, noise::exact_laplace};

pub const SPECIMENS: &[Specimen] = &[
    Specimen {
        name: "mean_over_true_count",
        about: "a noisy sum divided by the true number of people",
        epsilon: "1",
        make: || mean(false),
        ..BROKEN
    },
    Specimen {
        name: "mean_over_noisy_count_correct",
        about: "a noisy sum and a noisy count, half of epsilon each",
        epsilon: "1",
        make: || mean(true),
        ..CORRECT
    },
    Specimen {
        name: "clipping_ignored",
        about: "noise for values clipped to [0, 1], which were not clipped: one person has 5",
        epsilon: "1",
        make: || sum(|value| value),
        ..BROKEN
    },
    Specimen {
        name: "clipping_correct",
        about: "the values are clipped to [0, 1] before they are added",
        epsilon: "1",
        make: || sum(|value| value.clamp(0, 1)),
        ..CORRECT
    },
    Specimen {
        name: "sensitivity_understated",
        about: "a histogram under change-one with noise for one bin: a person leaves one and joins another",
        epsilon: "1",
        make: || two_bins(1),
        ..BROKEN
    },
    Specimen {
        name: "sensitivity_stated_correct",
        about: "the same with noise for both bins",
        epsilon: "1",
        make: || two_bins(2),
        ..CORRECT
    },
    Specimen {
        name: "sensitivity_zero",
        about: "a sensitivity of 0 gives no noise",
        epsilon: "1",
        make: || {
            Box::new(|side, _, line| {
                line.part(side.pick(41, 42));
                Ok(())
            })
        },
        ..BROKEN
    },
];

/// Ten people with 1 each, or nine.
fn mean(noisy_count: bool) -> Draw {
    let (half, whole) = (exact_laplace(2, 1), exact_laplace(1, 1));
    Box::new(move |side, random, line| {
        let people = side.pick(10, 9);
        if noisy_count {
            line.part(people + half(random)?);
            line.part(people + half(random)?);
        } else {
            // To six digits, as a report would print it.
            line.part(format_args!("{:.6}", (people + whole(random)?) as f64 / people as f64));
        }
        Ok(())
    })
}

fn sum(clip: fn(i64) -> i64) -> Draw {
    let noise = exact_laplace(1, 1);
    Box::new(move |side, random, line| {
        let values: &[i64] = side.pick(&[1, 0, 1, 5], &[1, 0, 1]);
        line.part(values.iter().copied().map(clip).sum::<i64>() + noise(random)?);
        Ok(())
    })
}

fn two_bins(scale: u32) -> Draw {
    let noise = exact_laplace(scale, 1);
    Box::new(move |side, random, line| {
        let bins = side.pick([4, 7], [5, 6]);
        for bin in bins {
            line.part(bin + noise(random)?);
        }
        Ok(())
    })
}
