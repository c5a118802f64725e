//! The CPU time of a release of a vector of a million counts, on all threads: prints one number, in seconds, per noise.
//!
//! `benches/vector` runs it beside OpenDP's Python release of the same.

use certus::{
    bits::Key,
    exact::{Positive, Rational},
    sample::{PreparedGaussian, PreparedLaplace},
};
use cpu_time::ProcessTime;

fn main() {
    let scale = Positive::new(Rational::from_integer(10.into())).expect("10 is positive");
    let mut key = Key::new().expect("the system has randomness");
    let mut range = || key.range(1_000_000).expect("a key has 2^64 samples");
    let mut counts = vec![1000i64; 1_000_000];
    // The threads are started once; building the tables is part of each release.
    PreparedLaplace::new(&scale)
        .add_noise_at(range(), &mut counts)
        .expect("the system's randomness does not fail");
    let start = ProcessTime::now();
    PreparedLaplace::new(&scale)
        .add_noise_at(range(), &mut counts)
        .expect("the system's randomness does not fail");
    println!("laplace {:.6}", start.elapsed().as_secs_f64());
    let start = ProcessTime::now();
    PreparedGaussian::new(&scale)
        .add_noise_at(range(), &mut counts)
        .expect("the system's randomness does not fail");
    println!("gaussian {:.6}", start.elapsed().as_secs_f64());
}
