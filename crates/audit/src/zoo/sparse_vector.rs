//! The sparse vector technique, right and wrong (Lyu, Su and Li 2017, Algorithms 1 to 6), with gaps and
//! adaptive (Wang, Ding, Kifer and Zhang 2020).
//!
//! Queries of sensitivity 1 against a threshold of 1, until one has passed: the first of them are 0 on one
//! input and 1 on the other, the last ones the other way round. Half of ε is for the threshold, half for the
//! queries, unless it is said.

use super::{BROKEN, CORRECT, Draw, Line, Random, Side, Specimen};
use certus::bits::BitsError;

const THRESHOLD: f64 = 1.0;

/// ε = 1.
const BROKEN_AT_1: Specimen = Specimen { epsilon: "1", ..BROKEN };
const CORRECT_AT_1: Specimen = Specimen { epsilon: "1", ..CORRECT };

pub const SPECIMENS: &[Specimen] = &[
    Specimen {
        name: "svt1_correct",
        about: "sparse vector: noise 1/epsilon1 on the threshold, 2c/epsilon2 on each query",
        make: || svt1(1.0),
        at: Some(svt1),
        ..CORRECT_AT_1
    },
    Specimen {
        name: "svt2_correct",
        about: "sparse vector that draws a new threshold after every pass",
        make: || svt2(1.0),
        at: Some(svt2),
        ..CORRECT_AT_1
    },
    Specimen {
        name: "svt3_outputs_value",
        about: "sparse vector that prints the noisy query with which it compared: it tells the threshold",
        scales: &[2.0],
        make: || svt3(1.0),
        at: Some(svt3_rounded),
        ..BROKEN_AT_1
    },
    Specimen {
        name: "svt4_noise_not_scaled",
        about: "sparse vector whose query noise is 1/epsilon2, neither doubled nor times c: epsilon is 1.75",
        samples: 250_000,
        make: || svt4(1.0),
        at: Some(svt4),
        ..BROKEN_AT_1
    },
    Specimen {
        name: "svt5_no_query_noise",
        about: "sparse vector without noise on the queries: all compare with one threshold",
        make: || svt5(1.0),
        at: Some(svt5),
        ..BROKEN_AT_1
    },
    Specimen {
        name: "svt6_unbounded_passes",
        about: "sparse vector that never stops, whatever has passed",
        make: || svt6(1.0),
        at: Some(svt6),
        ..BROKEN_AT_1
    },
    Specimen {
        name: "svt_gap_of_value",
        about: "sparse vector with gap that tells the gap to the public threshold, not to the noisy one",
        samples: 300_000,
        make: || GAP.draw(1.0),
        at: Some(|epsilon| Values { digits: Some(0), ..GAP }.draw(epsilon)),
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

/// The queries: the first `ups` go one up, the others one down.
#[derive(Clone, Copy)]
struct Queries {
    ups: usize,
    downs: usize,
}

/// Five up and five down.
const EVEN: Queries = Queries { ups: 5, downs: 5 };

impl Queries {
    fn answers(self, side: Side) -> impl Iterator<Item = f64> {
        let (up, down) = side.pick((0.0, 1.0), (1.0, 0.0));
        std::iter::repeat_n(up, self.ups).chain(std::iter::repeat_n(down, self.downs))
    }
}

/// Above or below, for each query: 1, 0, and x from where it stopped. The scales are those at ε = 1.
struct Booleans {
    queries: Queries,
    on_threshold: f64,
    on_query: Option<f64>,
    stops: bool,
    renews: bool,
}

const SVT: Booleans = Booleans { queries: EVEN, on_threshold: 2.0, on_query: Some(4.0), stops: true, renews: false };

fn svt1(epsilon: f64) -> Draw {
    SVT.draw(epsilon)
}

fn svt2(epsilon: f64) -> Draw {
    Booleans { renews: true, ..SVT }.draw(epsilon)
}

/// A quarter of ε for the threshold, the rest for the queries; the more that go up, the nearer its loss comes
/// to 1.75·ε.
pub fn svt4(epsilon: f64) -> Draw {
    let queries = Queries { ups: 7, downs: 3 };
    Booleans { queries, on_threshold: 4.0, on_query: Some(4.0 / 3.0), ..SVT }.draw(epsilon)
}

fn svt5(epsilon: f64) -> Draw {
    Booleans { on_query: None, stops: false, ..SVT }.draw(epsilon)
}

fn svt6(epsilon: f64) -> Draw {
    Booleans { on_query: Some(2.0), stops: false, ..SVT }.draw(epsilon)
}

impl Booleans {
    fn draw(self, epsilon: f64) -> Draw {
        let (on_threshold, on_query) = (self.on_threshold / epsilon, self.on_query.map(|scale| scale / epsilon));
        Box::new(move |side, random, line| {
            let mut bar = THRESHOLD + random.laplace(on_threshold)?;
            let mut stopped = false;
            for answer in self.queries.answers(side) {
                if stopped {
                    line.word("x");
                    continue;
                }
                let noisy = answer + on_query.map_or(Ok(0.0), |scale| random.laplace(scale))?;
                let above = noisy >= bar;
                line.word(if above { "1" } else { "0" });
                if above && self.renews {
                    bar = THRESHOLD + random.laplace(on_threshold)?;
                }
                stopped = above && self.stops;
            }
            Ok(())
        })
    }
}

/// The noisy value that passed, or what it exceeds the public threshold by.
#[derive(Clone, Copy)]
struct Values {
    queries: Queries,
    /// At ε = 1.
    on_threshold: f64,
    on_query: f64,
    gap: bool,
    /// To so many digits, or all that a double has.
    digits: Option<usize>,
}

const SVT3: Values = Values { queries: EVEN, on_threshold: 2.0, on_query: 2.0, gap: false, digits: None };

const GAP: Values = Values { queries: Queries { ups: 14, downs: 1 }, gap: true, ..SVT3 };

/// The one that prints its value.
pub fn svt3(epsilon: f64) -> Draw {
    SVT3.draw(epsilon)
}

/// The same, to whole numbers.
pub fn svt3_rounded(epsilon: f64) -> Draw {
    Values { digits: Some(0), ..SVT3 }.draw(epsilon)
}

impl Values {
    fn draw(self, epsilon: f64) -> Draw {
        let (on_threshold, on_query) = (self.on_threshold / epsilon, self.on_query / epsilon);
        Box::new(move |side, random, line| {
            let bar = THRESHOLD + random.laplace(on_threshold)?;
            for answer in self.queries.answers(side) {
                let noisy = answer + random.laplace(on_query)?;
                if noisy >= bar {
                    line.number(if self.gap { noisy - THRESHOLD } else { noisy }, self.digits);
                    return Ok(());
                }
                line.word("below");
            }
            Ok(())
        })
    }
}

/// The gap to the noisy threshold, by exact integer noise.
fn gap() -> Draw {
    let (on_threshold, on_query) = (super::noise::exact_laplace(2, 1), super::noise::exact_laplace(4, 1));
    Box::new(move |side, random, line| {
        let bar = 1 + on_threshold(random)?;
        for answer in EVEN.answers(side) {
            let noisy = answer as i64 + on_query(random)?;
            if noisy >= bar {
                line.part(noisy - bar);
                return Ok(());
            }
            line.word("below");
        }
        Ok(())
    })
}

/// At ε = 1, on twenty queries: passes by far cost a quarter of the second half of ε, near ones all of it;
/// `budget` in units of ε/2.
fn adaptive(budget: u32) -> Draw {
    let queries = Queries { ups: 10, downs: 10 };
    Box::new(move |side, random: &mut Random, line: &mut Line| -> Result<(), BitsError> {
        let bar = THRESHOLD + random.laplace(2.0)?;
        let mut quarters = 4 * budget;
        for answer in queries.answers(side) {
            let far = answer + random.laplace(16.0)?;
            if quarters >= 1 && far - bar >= 10.0 {
                line.word("far");
                quarters -= 1;
            } else if quarters >= 4 && answer + random.laplace(4.0)? >= bar {
                line.word("near");
                quarters -= 4;
            } else {
                line.word("below");
            }
            if quarters == 0 {
                break;
            }
        }
        Ok(())
    })
}
