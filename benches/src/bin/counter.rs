//! Counter mode beside `fill`, on one thread, taking turns: nanoseconds a sample, minimum and median of 101 turns, and the quotients.

use std::time::Instant;

use certus::{
    bits::{Key, SystemBits},
    exact::{Positive, parse},
    sample::{PreparedGaussian, PreparedLaplace},
};

/// As many as one thread draws at a time.
const SAMPLES: usize = 1 << 14;

const TURNS: usize = 101;

/// The minimum and the median.
fn shown(mut times: Vec<f64>) -> [f64; 2] {
    times.sort_by(f64::total_cmp);
    [times[0], times[times.len() / 2]]
}

fn compare(name: &str, mut fill: impl FnMut(&mut [i64]), mut fill_at: impl FnMut(&mut [i64])) {
    let mut out = vec![0; SAMPLES];
    let mut time = |draw: &mut dyn FnMut(&mut [i64])| {
        let start = Instant::now();
        draw(&mut out);
        start.elapsed().as_secs_f64() * 1e9 / SAMPLES as f64
    };
    let (mut one, mut other) = (Vec::new(), Vec::new());
    for _ in 0..TURNS {
        one.push(time(&mut fill));
        other.push(time(&mut fill_at));
    }
    let ([least, median], [least_at, median_at]) = (shown(one), shown(other));
    println!(
        "{name:22} fill {least:6.2} {median:6.2}   fill_at {least_at:6.2} {median_at:6.2}   {:.3} {:.3}",
        least_at / least,
        median_at / median
    );
}

macro_rules! compare {
    ($name:literal, $noise:ident, $scales:expr) => {
        for scale in $scales {
            let noise = $noise::new(&Positive::new(parse(scale).expect("a number")).expect("it is positive"));
            let mut bits = SystemBits::new().expect("the system has randomness");
            let mut key = Key::new().expect("the system has randomness");
            compare(
                &format!("{} {scale}", $name),
                |out| noise.fill(&mut bits, out).expect("every sample fits"),
                |out| noise.fill_at(key.range(SAMPLES as u64).expect("a key has 2^64"), out).expect("every sample fits"),
            );
        }
    };
}

fn main() {
    let scales = ["1", "10", "1000", "2048", "1048576", "1099511627776", "1125899906842624"];
    compare!("gaussian", PreparedGaussian, scales);
    compare!("laplace", PreparedLaplace, scales);
}
