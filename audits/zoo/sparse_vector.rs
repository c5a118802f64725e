//! The sparse vector technique, right and wrong (Lyu, Su and Li 2017, Algorithms 1 to 6), with gaps and adaptive (Wang, Ding, Kifer and Zhang 2020).
//!
//! Ten queries of sensitivity 1 against a threshold of 1, at ε = 1, until one has passed.

use super::{BROKEN, CORRECT, Draw, Line, Random, Side, Specimen};
use crate::bits::BitsError;

const QUERIES: usize = 10;
const THRESHOLD: f64 = 1.0;

/// Half of ε, twice.
const HALF: f64 = 0.5;

/// ε = 1.
const BROKEN_AT_1: Specimen = Specimen { epsilon: "1", ..BROKEN };
const CORRECT_AT_1: Specimen = Specimen { epsilon: "1", ..CORRECT };

pub const SPECIMENS: &[Specimen] = &[
    Specimen {
        name: "svt1_correct",
        about: "sparse vector: noise 1/epsilon1 on the threshold, 2c/epsilon2 on each query",
        make: || booleans(1.0 / HALF, Some(2.0 / HALF), true, false),
        ..CORRECT_AT_1
    },
    Specimen {
        name: "svt2_correct",
        about: "sparse vector that draws a new threshold after every pass",
        make: || booleans(1.0 / HALF, Some(2.0 / HALF), true, true),
        ..CORRECT_AT_1
    },
    Specimen {
        name: "svt3_outputs_value",
        about: "sparse vector that prints the noisy query with which it compared: it tells the threshold",
        scales: &[2.0],
        make: || values(1.0 / HALF, false),
        ..BROKEN_AT_1
    },
    Specimen {
        name: "svt4_noise_not_scaled",
        about: "sparse vector whose query noise is 1/epsilon2, neither doubled nor times c: epsilon is 1.75",
        samples: 400_000,
        make: svt4,
        ..BROKEN_AT_1
    },
    Specimen {
        name: "svt5_no_query_noise",
        about: "sparse vector without noise on the queries: all compare with one threshold",
        make: || booleans(1.0 / HALF, None, false, false),
        ..BROKEN_AT_1
    },
    Specimen {
        name: "svt6_unbounded_passes",
        about: "sparse vector that never stops, whatever has passed",
        make: || booleans(1.0 / HALF, Some(1.0 / HALF), false, false),
        ..BROKEN_AT_1
    },
    Specimen {
        name: "svt_gap_of_value",
        about: "sparse vector with gap that tells the gap to the public threshold, not to the noisy one",
        scales: &[4.0],
        make: || values(2.0 / HALF, true),
        ..BROKEN_AT_1
    },
    Specimen {
        name: "svt_gap_correct",
        about: "sparse vector with gap: prints noisy query minus noisy threshold, on integers, which costs nothing more",
        make: gap,
        ..CORRECT_AT_1
    },
    Specimen {
        name: "svt_adaptive_undercharged",
        about: "adaptive sparse vector that charges every pass a tenth: ten may pass where one may",
        make: || adaptive(10),
        ..BROKEN_AT_1
    },
    Specimen {
        name: "svt_adaptive_correct",
        about: "adaptive sparse vector: a pass costs what its noise costs, until the budget is spent",
        make: || adaptive(1),
        ..CORRECT_AT_1
    },
];

/// ε/4 for the threshold, the rest for the queries.
pub fn svt4() -> Draw {
    booleans(4.0, Some(4.0 / 3.0), true, false)
}

/// The one that prints its value.
pub fn svt3() -> Draw {
    values(1.0 / HALF, false)
}

/// The queries: half of them go one up, half of them one down.
fn opposite(side: Side, query: usize) -> f64 {
    if query < QUERIES / 2 { side.pick(0.0, 1.0) } else { side.pick(1.0, 0.0) }
}

/// Above or below, for each query: 1, 0, and x from where it stopped.
fn booleans(threshold: f64, query_noise: Option<f64>, stops: bool, renews: bool) -> Draw {
    Box::new(move |side, random, line| {
        let mut bar = THRESHOLD + random.laplace(threshold)?;
        let mut stopped = false;
        for at in 0..QUERIES {
            if stopped {
                line.part("x");
                continue;
            }
            let noisy = opposite(side, at) + query_noise.map_or(Ok(0.0), |scale| random.laplace(scale))?;
            let above = noisy >= bar;
            line.part(u8::from(above));
            if above && renews {
                bar = THRESHOLD + random.laplace(threshold)?;
            }
            stopped = above && stops;
        }
        Ok(())
    })
}

/// The noisy value that passed, or what it exceeds the public threshold by.
fn values(scale: f64, gap: bool) -> Draw {
    Box::new(move |side, random, line| {
        let bar = THRESHOLD + random.laplace(1.0 / HALF)?;
        for at in 0..QUERIES {
            let noisy = opposite(side, at) + random.laplace(scale)?;
            if noisy >= bar {
                line.part(if gap { noisy - THRESHOLD } else { noisy });
                return Ok(());
            }
            line.part("below");
        }
        Ok(())
    })
}

/// The gap to the noisy threshold, by exact integer noise.
fn gap() -> Draw {
    let (on_threshold, on_query) = (super::noise::exact_laplace(2, 1), super::noise::exact_laplace(4, 1));
    Box::new(move |side, random, line| {
        let bar = 1 + on_threshold(random)?;
        for at in 0..QUERIES {
            let noisy = if at < QUERIES / 2 { side.pick(0, 1) } else { side.pick(1, 0) } + on_query(random)?;
            if noisy >= bar {
                line.part(noisy - bar);
                return Ok(());
            }
            line.part("below");
        }
        Ok(())
    })
}

/// Passes by far cost a quarter of the second half of ε, near ones all of it; `budget` in units of ε/2.
fn adaptive(budget: u32) -> Draw {
    Box::new(move |side, random: &mut Random, line: &mut Line| -> Result<(), BitsError> {
        let bar = THRESHOLD + random.laplace(1.0 / HALF)?;
        let mut quarters = 4 * budget;
        for at in 0..QUERIES {
            let query = opposite(side, at);
            let far = query + random.laplace(8.0 / HALF)?;
            if quarters >= 1 && far - bar >= 10.0 {
                line.part("far");
                quarters -= 1;
            } else if quarters >= 4 && query + random.laplace(2.0 / HALF)? >= bar {
                line.part("near");
                quarters -= 4;
            } else {
                line.part("below");
            }
            if quarters == 0 {
                break;
            }
        }
        Ok(())
    })
}
