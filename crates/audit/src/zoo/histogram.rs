//! Noisy histograms (Ding et al. 2018, Algorithms 9 and 10).

use super::{BROKEN, CORRECT, Draw, Specimen, noise::exact_laplace};

pub const SPECIMENS: &[Specimen] = &[
    Specimen {
        name: "noisy_histogram_wrong_scale",
        about: "adds noise of scale epsilon where 1/epsilon is meant: epsilon is 10",
        scales: &[0.1],
        make: || wrong_scale(0.1, None),
        at: Some(|epsilon| wrong_scale(epsilon, Some(1))),
        ..BROKEN
    },
    Specimen {
        name: "noisy_histogram_correct",
        about: "adds exact noise of scale 1/epsilon",
        make: || exact(|side, bin| if bin == 0 { side.pick(0, 1) } else { 1 }),
        ..CORRECT
    },
    Specimen {
        name: "histogram_domain_from_data",
        about: "prints only the bins that occur in the data: a bin of one person comes and goes with them",
        make: || {
            let noise = exact_laplace(10, 1);
            Box::new(move |side, random, line| {
                for (key, count) in [("a", 5), ("b", 3), ("c", side.pick(1, 0))] {
                    if count > 0 {
                        line.part(format_args!("{key}:{}", count + noise(random)?));
                    }
                }
                Ok(())
            })
        },
        ..BROKEN
    },
    Specimen {
        name: "histogram_domain_fixed_correct",
        about: "prints every bin of a domain that was fixed beforehand",
        make: || exact(|side, bin| [5, 3, side.pick(1, 0), 0, 0].get(bin).copied().unwrap_or(0)),
        ..CORRECT
    },
];

fn wrong_scale(scale: f64, digits: Option<usize>) -> Draw {
    Box::new(move |side, random, line| {
        for bin in 0..5 {
            line.number(if bin == 0 { side.pick(0.0, 1.0) } else { 1.0 } + random.laplace(scale)?, digits);
        }
        Ok(())
    })
}

fn exact(count: fn(super::Side, usize) -> i64) -> Draw {
    let noise = exact_laplace(10, 1);
    Box::new(move |side, random, line| {
        for bin in 0..5 {
            line.part(count(side, bin) + noise(random)?);
        }
        Ok(())
    })
}
