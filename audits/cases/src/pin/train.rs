//! Training: Adam (Kingma and Ba 2015) on Poisson samples of sentences, plain, clipped, or private.

use certus::{
    exact::{Positive, Probability, Rational},
    sample::{Bernoulli, PreparedGaussian, Program},
};

use super::{
    model::{Sizes, losses},
    private::{RESOLUTION, summed},
};
use crate::{CaseError, exact::float, random};

/// What is done to the gradients.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Guard {
    /// Nothing.
    None,
    /// Each sentence's is clipped to norm 1.
    Clipping,
    /// And noise of so many times that norm is added to their sum.
    Noise(Positive),
}

/// How training goes.
#[derive(Clone, Debug)]
pub struct Training<'c> {
    /// The model.
    pub sizes: Sizes,
    /// The sentences, and those that are only looked at.
    pub sentences: &'c [Vec<u32>],
    /// Never trained on.
    pub held_out: &'c [Vec<u32>],
    /// The probability with which a sentence is in a step.
    pub rate: Probability,
    /// Steps.
    pub steps: u64,
    /// How far a step goes.
    pub learning_rate: f64,
    /// What all randomness follows from: the same weights to begin with and the same samples for every guard.
    pub seed: u64,
}

/// A point of the loss curve: means over all sentences.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    /// After so many steps.
    pub step: u64,
    /// The loss of what is trained on.
    pub training: f64,
    /// The loss of what is not.
    pub held_out: f64,
}

/// What training gave.
#[derive(Clone, Debug)]
pub struct Trained {
    /// The weights.
    pub weights: Vec<f64>,
    /// The loss on the way, the last point at the end.
    pub curve: Vec<Point>,
}

/// How many points a curve has after its first.
const POINTS: u64 = 10;

impl Training<'_> {
    /// Trains, on all sentences but an `absent` one. Whether that is in a sample is still drawn, so that samples and noise are the same with it and without. `report` hears of
    /// every step.
    pub fn run(&self, guard: &Guard, absent: Option<usize>, report: &dyn Fn()) -> Result<Trained, CaseError> {
        let mut sampling = random::bits(self.seed, "sampling", 0);
        let mut noising = random::bits(self.seed, "noise", 0);
        let mut weights = self.sizes.draw(&mut random::bits(self.seed, "weights", 0))?;
        let is_in = Bernoulli::new(self.rate.clone());
        let noise = match guard {
            Guard::Noise(multiplier) => Some(PreparedGaussian::new(&in_grid_units(multiplier)?)),
            Guard::None | Guard::Clipping => None,
        };
        // The expected size of a sample is public; the size is not.
        let expected = float(self.rate.get()) * self.sentences.len() as f64;
        let mut adam = Adam::new(weights.len(), self.learning_rate);
        let mut curve = vec![self.point(0, &weights)?];
        for step in 1..=self.steps {
            let mut sample: Vec<&[u32]> = Vec::new();
            for (place, sentence) in self.sentences.iter().enumerate() {
                if is_in.sample(&mut sampling)? && absent != Some(place) {
                    sample.push(sentence);
                }
            }
            let gradients = losses(&self.sizes, &weights, &sample, true)?.gradients;
            let sum = match guard {
                Guard::None => added(&gradients, weights.len()),
                Guard::Clipping | Guard::Noise(_) => summed(&gradients, weights.len(), noise.as_ref(), &mut noising)?,
            };
            adam.step(&mut weights, sum.iter().map(|x| x / expected));
            if step % (self.steps / POINTS).max(1) == 0 || step == self.steps {
                curve.push(self.point(step, &weights)?);
            }
            report();
        }
        Ok(Trained { weights, curve })
    }

    fn point(&self, step: u64, weights: &[f64]) -> Result<Point, CaseError> {
        let mean = |sentences: &[Vec<u32>]| -> Result<f64, CaseError> {
            let mut sum = 0.0;
            for some in sentences.chunks(32) {
                let some: Vec<&[u32]> = some.iter().map(Vec::as_slice).collect();
                sum += losses(&self.sizes, weights, &some, false)?.losses.iter().sum::<f64>();
            }
            Ok(sum / sentences.len().max(1) as f64)
        };
        Ok(Point { step, training: mean(self.sentences)?, held_out: mean(self.held_out)? })
    }
}

/// σ in grid units: noise multiplier · [`RESOLUTION`].
fn in_grid_units(multiplier: &Positive) -> Result<Positive, CaseError> {
    Ok(Positive::new(multiplier.get() * Rational::from_integer(RESOLUTION.into()))?)
}

/// The sum of gradients as they are.
fn added(gradients: &[Vec<f64>], weights: usize) -> Vec<f64> {
    let mut sum = vec![0.0; weights];
    for gradient in gradients {
        for (total, x) in sum.iter_mut().zip(gradient) {
            *total += x;
        }
    }
    sum
}

/// Adam's moments, with β₁ = 0.9, β₂ = 0.999 and ε = 10^-8 of Kingma and Ba 2015. It sees the noised sum alone: post-processing.
struct Adam {
    learning_rate: f64,
    first: Vec<f64>,
    second: Vec<f64>,
    steps: i32,
}

impl Adam {
    fn new(weights: usize, learning_rate: f64) -> Self {
        Self { learning_rate, first: vec![0.0; weights], second: vec![0.0; weights], steps: 0 }
    }

    fn step(&mut self, weights: &mut [f64], gradient: impl Iterator<Item = f64>) {
        self.steps = self.steps.saturating_add(1);
        let (first_share, second_share) = (1.0 - 0.9_f64.powi(self.steps), 1.0 - 0.999_f64.powi(self.steps));
        let moments = self.first.iter_mut().zip(self.second.iter_mut());
        for ((weight, (first, second)), x) in weights.iter_mut().zip(moments).zip(gradient) {
            *first = 0.9 * *first + 0.1 * x;
            *second = 0.999 * *second + 0.001 * x * x;
            *weight -= self.learning_rate * (*first / first_share) / ((*second / second_share).sqrt() + 1e-8);
        }
    }
}
