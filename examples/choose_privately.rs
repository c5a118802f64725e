//! Which of four remedies helped most people? Three mechanisms choose at the same ε, a thousand times each, and then a stream of counts is watched
//! until two pass a threshold.
//!
//! ```text
//! $ cargo run --release --example choose_privately
//! votes: 30, 28, 10, 0; epsilon = 1/4 for each choice
//! exponential       chose 636, 361,   3,   0 times
//! permute and flip  chose 729, 269,   1,   1 times
//! noisy max         chose 637, 356,   6,   1 times
//! counts above 25: below, ABOVE, below, ABOVE; then the stream is closed
//! guarantee of the stream: pure, epsilon = 1; neighbours: add or remove one
//! ```

use certus::{
    bits::{Bits, seeded},
    exact::{Integer, NonNegative, Positive, Rational},
    guarantee::{LInfinity, Relation, Sensitivity},
    mechanism::{
        Private,
        selection::{Candidates, Exponential, NoisyMax, PermuteAndFlip, SelectionNoise, SparseVector},
    },
};

const ROUNDS: usize = 1000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // One person adds one vote, and only upwards: the scores are monotone, so that half the noise does.
    let sensitivity = Sensitivity::<LInfinity>::new(NonNegative::one(), Relation::AddRemove);
    let candidates = Candidates::new(4, &sensitivity)?.monotone();
    let epsilon = Positive::new(Rational::new(1.into(), 4.into()))?;
    let votes = [30_i64, 28, 10, 0];
    println!("votes: 30, 28, 10, 0; epsilon = {epsilon} for each choice");

    // A seed, so that the text above is what it prints; a release takes `SystemBits`.
    let mut bits = seeded([7; 32]);
    let scores = votes.map(|votes| Rational::from_integer(votes.into()));
    let exponential = Exponential::new(candidates.clone(), epsilon.clone())?;
    report("exponential", || Ok(*exponential.release(&scores, &mut bits)?.get()))?;
    let flip = PermuteAndFlip::new(candidates.clone(), epsilon.clone())?;
    report("permute and flip", || Ok(*flip.release(&scores, &mut bits)?.get()))?;
    let noisy = NoisyMax::new(candidates, &epsilon, SelectionNoise::Laplace)?;
    let counts = votes.map(Integer::from);
    report("noisy max", || Ok(*noisy.release(&counts, &mut bits)?.get()))?;
    watch(&sensitivity, &mut bits)
}

/// How often each candidate was chosen.
fn report(
    name: &str,
    mut choose: impl FnMut() -> Result<usize, Box<dyn std::error::Error>>,
) -> Result<(), Box<dyn std::error::Error>> {
    let mut chosen = [0; 4];
    for _ in 0..ROUNDS {
        if let Some(count) = chosen.get_mut(choose()?) {
            *count += 1;
        }
    }
    let counts: Vec<_> = chosen.iter().map(|count| format!("{count:>3}")).collect();
    println!("{name:<17} chose {} times", counts.join(", "));
    Ok(())
}

/// Only what passes is paid for: two passes, however many counts are asked.
fn watch<B: Bits>(sensitivity: &Sensitivity<LInfinity>, bits: &mut B) -> Result<(), Box<dyn std::error::Error>> {
    let half = Positive::new(Rational::new(1.into(), 2.into()))?;
    let watch = SparseVector::new(sensitivity, 25.into(), 2, &half, &half, SelectionNoise::Laplace)?.monotone();
    let mut stream = watch.stream(bits)?;
    let mut said = vec![];
    for count in [3_i64, 60, 1, 70, 90] {
        match stream.ask(&Integer::from(count), bits)? {
            Some(above) => said.push(if above { "ABOVE" } else { "below" }),
            None => break,
        }
    }
    println!("counts above 25: {}; then the stream is closed", said.join(", "));
    println!("guarantee of the stream: {}", watch.guarantee());
    Ok(())
}
