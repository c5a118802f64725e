//! Training: Adam (Kingma and Ba 2015) on Poisson samples of sentences, plain, clipped, or private.

use certus::{
    exact::{Positive, Probability, Rational},
    sample::{Bernoulli, PreparedGaussian, Program},
};

use super::{
    model::{Sizes, losses},
    private::{Gradient, RESOLUTION, added, clipped, rounded, summed},
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
    /// A planted bug: the noise is added, and nothing is clipped.
    Unclipped(Positive),
    /// A planted bug: the noise is added once in an epoch, of 1/rate steps, and not in every step.
    OnceAnEpoch(Positive),
}

impl Guard {
    /// How much noise there is, where there is some.
    pub fn multiplier(&self) -> Option<&Positive> {
        match self {
            Self::None | Self::Clipping => None,
            Self::Noise(multiplier) | Self::Unclipped(multiplier) | Self::OnceAnEpoch(multiplier) => Some(multiplier),
        }
    }
}

/// How training goes.
#[derive(Clone, Debug)]
pub struct Training<'c> {
    /// The model.
    pub sizes: Sizes,
    /// The sentences, and those that are only looked at.
    pub sentences: &'c [Vec<u32>],
    /// Records after the sentences: the gradient of the k-th is [`STEEPNESS`] along a weight of its own, the
    /// k-th after the model's, which no sentence reads. Their audit is in `crate::canaries`.
    pub directions: usize,
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

/// How long the gradient of a record with a direction of its own is: ten times what it is clipped to.
pub const STEEPNESS: f64 = 10.0;

impl Training<'_> {
    /// Trains on all records but those that are absent. Whether such a one is in a sample is still drawn, so
    /// that samples and noise are the same with it and without. `released` sees the sum of every step, with its
    /// noise, as whoever is given the training's history does.
    pub fn run(
        &self,
        guard: &Guard,
        is_absent: &dyn Fn(usize) -> bool,
        released: &mut dyn FnMut(&[f64]),
    ) -> Result<Trained, CaseError> {
        let mut sampling = random::bits(self.seed, "sampling", 0);
        let mut noising = random::bits(self.seed, "noise", 0);
        let of_model = self.sizes.weights();
        let mut weights = self.sizes.draw(&mut random::bits(self.seed, "weights", 0))?;
        weights.resize(of_model + self.directions, 0.0);
        let model = |weights: &[f64]| weights.get(..of_model).unwrap_or_default().to_vec();
        let is_in = Bernoulli::new(self.rate.clone());
        let rate = float(self.rate.get());
        let epoch = (1.0 / rate).round() as u64;
        let noise = match guard.multiplier() {
            Some(multiplier) => Some(PreparedGaussian::new(&in_grid_units(multiplier)?)),
            None => None,
        };
        // The expected size of a sample is public; the size is not.
        let expected = rate * self.sentences.len() as f64;
        let mut adam = Adam::new(weights.len(), self.learning_rate);
        let mut curve = vec![self.point(0, &model(&weights))?];
        for step in 1..=self.steps {
            let mut sample: Vec<&[u32]> = Vec::new();
            let mut gradients: Vec<Gradient> = Vec::new();
            for place in 0..self.sentences.len() + self.directions {
                if is_in.sample(&mut sampling)? && !is_absent(place) {
                    match self.sentences.get(place) {
                        Some(sentence) => sample.push(sentence),
                        None => gradients.push(Gradient {
                            first: of_model + (place - self.sentences.len()),
                            values: vec![STEEPNESS],
                        }),
                    }
                }
            }
            let of_sentences = losses(&self.sizes, &model(&weights), &sample, true)?.gradients;
            gradients.extend(of_sentences.into_iter().map(|values| Gradient { first: 0, values }));
            let noise = noise.as_ref();
            let sum = match guard {
                Guard::None => added(&gradients, weights.len()),
                Guard::Clipping | Guard::Noise(_) => summed(&gradients, weights.len(), clipped, noise, &mut noising)?,
                Guard::Unclipped(_) => summed(&gradients, weights.len(), rounded, noise, &mut noising)?,
                Guard::OnceAnEpoch(_) => {
                    let noise = noise.filter(|_| step % epoch == 0);
                    summed(&gradients, weights.len(), clipped, noise, &mut noising)?
                }
            };
            adam.step(&mut weights, sum.iter().map(|x| x / expected));
            if step % (self.steps / POINTS).max(1) == 0 || step == self.steps {
                curve.push(self.point(step, &model(&weights))?);
            }
            released(&sum);
        }
        Ok(Trained { weights: model(&weights), curve })
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
