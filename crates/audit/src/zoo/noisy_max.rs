//! Report noisy max: the index may be told, the noisy value may not (Ding, Wang, Wang, Zhang and Kifer 2018,
//! Algorithms 5 to 8).

use super::{BROKEN, CORRECT, Draw, Random, Specimen};
use certus::bits::BitsError;

/// Five queries of sensitivity 1, which may all move.
const QUERIES: usize = 5;

pub const SPECIMENS: &[Specimen] = &[
    Specimen {
        name: "noisy_max_value_laplace",
        about: "returns the largest noisy count (noise 2/epsilon), not its index: five counts move it together, epsilon is 0.25",
        scales: &[20.0],
        make: || value(0.1, Random::laplace, None),
        at: Some(|epsilon| value(epsilon, Random::laplace, Some(0))),
        ..BROKEN
    },
    Specimen {
        name: "noisy_max_value_exponential",
        about: "the same with exponential noise, which has an edge: no epsilon at all",
        scales: &[20.0],
        make: || value(0.1, Random::exponential, None),
        at: Some(|epsilon| value(epsilon, Random::exponential, Some(0))),
        ..BROKEN
    },
    Specimen {
        name: "noisy_max_laplace_correct",
        about: "returns the index alone",
        make: || index(0.1, Random::laplace),
        ..CORRECT
    },
    Specimen {
        name: "noisy_max_exponential_correct",
        about: "returns the index alone, exponential noise",
        make: || index(0.1, Random::exponential),
        ..CORRECT
    },
];

/// Of a scale.
type Noise = fn(&mut Random, f64) -> Result<f64, BitsError>;

fn value(epsilon: f64, noise: Noise, digits: Option<usize>) -> Draw {
    let scale = 2.0 / epsilon;
    Box::new(move |side, random, line| {
        let mut most = f64::NEG_INFINITY;
        for _ in 0..QUERIES {
            most = most.max(side.pick(1.0, 2.0) + noise(random, scale)?);
        }
        line.number(most, digits);
        Ok(())
    })
}

fn index(epsilon: f64, noise: Noise) -> Draw {
    let scale = 2.0 / epsilon;
    Box::new(move |side, random, line| {
        let (mut most, mut at) = (f64::NEG_INFINITY, 0);
        for query in 0..QUERIES {
            let count = if query == 0 { side.pick(1.0, 0.0) } else { side.pick(1.0, 2.0) };
            let noisy = count + noise(random, scale)?;
            if noisy > most {
                (most, at) = (noisy, query);
            }
        }
        line.part(at);
        Ok(())
    })
}
