//! One experiment: a population, a dataset with or without Alice, a release, and what the attackers make of it.

use certus::bits::{Bits, BitsError};
use certus::sample::{FillError, PreparedGaussian, PreparedLaplace};

use crate::roc::Scores;

/// The shares of the population that have an attribute are (2i + 1)/32, each i as likely: five fair bits decide about a person.
const SHARES: u64 = 16;

/// What is added to the counts.
#[derive(Clone, Debug)]
pub enum Noise {
    /// Nothing: the exact means are released.
    None,
    /// Discrete Laplace noise on each count.
    Laplace(PreparedLaplace),
    /// Discrete Gaussian noise on each count.
    Gaussian(PreparedGaussian),
}

impl Noise {
    fn fill(&self, bits: &mut impl Bits, out: &mut [i64]) -> Result<(), FillError> {
        match self {
            Self::None => {
                out.fill(0);
                Ok(())
            }
            Self::Laplace(noise) => noise.fill(bits, out),
            Self::Gaussian(noise) => noise.fill(bits, out),
        }
    }
}

/// The scores of one release: Alice is in, or another is in her place.
#[derive(Clone, Copy, Debug)]
pub struct Attacked {
    /// The tracing attack: knows Alice and the population.
    pub tracing: Scores,
    /// The attacker that the definition is about: knows everybody else's data as well, Alice has every attribute, and who replaces her none.
    pub strongest: Scores,
}

/// How many people, how many attributes, and the cumulative distributions of how many of the others have one.
#[derive(Clone, Debug)]
pub struct Population {
    people: u64,
    attributes: usize,
    /// For each share: P(at most k of n − 1 people), k = 0, 1, ….
    cumulative: Vec<Vec<f64>>,
}

impl Population {
    /// n people and d attributes.
    #[must_use]
    pub fn new(people: u64, attributes: usize) -> Self {
        let cumulative = (0..SHARES).map(|i| binomial(people.saturating_sub(1), share(i))).collect();
        Self { people, attributes, cumulative }
    }

    /// One experiment: the same people, with every noise in turn.
    ///
    /// Each of the others has attribute j with probability p_j, independently, so that how many do is binomial: it is drawn as such.
    ///
    /// # Errors
    ///
    /// If the source fails.
    pub fn trial(&self, noises: &[Noise], bits: &mut impl Bits) -> Result<Vec<Attacked>, FillError> {
        let mut people = Vec::with_capacity(self.attributes);
        for _ in 0..self.attributes {
            let i = bits.take(4)?;
            let others = self.others(i, bits)?;
            let mut has = || -> Result<bool, BitsError> { Ok(bits.take(5)? < 2 * i + 1) };
            people.push(Attribute { share: share(i), others, alice: has()?, replacement: has()? });
        }
        let mut added = vec![0; self.attributes];
        noises
            .iter()
            .map(|noise| {
                noise.fill(bits, &mut added)?;
                Ok(Attacked { tracing: self.tracing(&people, &added), strongest: strongest(noise, &added) })
            })
            .collect()
    }

    /// How many of the n − 1 others have an attribute of the i-th share.
    fn others(&self, i: u64, bits: &mut impl Bits) -> Result<f64, BitsError> {
        let uniform = crate::random::uniform(bits)?;
        let table = usize::try_from(i).ok().and_then(|i| self.cumulative.get(i));
        Ok(table.map_or(0, |table| table.partition_point(|&below| below <= uniform)) as f64)
    }

    /// ⟨a − p, y − p⟩ for the released means a and Alice's attributes y (Dwork, Smith, Steinke, Ullman and Vadhan 2015, after Homer et al. 2008).
    fn tracing(&self, people: &[Attribute], added: &[i64]) -> Scores {
        let n = self.people as f64;
        let score = |who: fn(&Attribute) -> bool| {
            let terms = people.iter().zip(added).map(|(attribute, &noise)| {
                let mean = (attribute.others + f64::from(u8::from(who(attribute))) + noise as f64) / n;
                (mean - attribute.share) * (f64::from(u8::from(attribute.alice)) - attribute.share)
            });
            terms.sum()
        };
        Scores { positive: score(|attribute| attribute.alice), negative: score(|attribute| attribute.replacement) }
    }
}

/// What is true of one attribute.
struct Attribute {
    share: f64,
    others: f64,
    alice: bool,
    replacement: bool,
}

/// The likelihood ratio's statistic for noise + 1 in every coordinate against noise alone, which the Neyman–Pearson lemma says is the best there is.
///
/// Gaussian: Σ ln P(o − 1)/P(o) rises with Σ o. Laplace: with the number of coordinates o ≥ 1.
fn strongest(noise: &Noise, added: &[i64]) -> Scores {
    let count = |least: i64| added.iter().filter(|&&noise| noise >= least).count() as f64;
    match noise {
        Noise::None => Scores { positive: 1.0, negative: 0.0 },
        Noise::Laplace(_) => Scores { positive: count(0), negative: count(1) },
        Noise::Gaussian(_) => {
            let sum = added.iter().sum::<i64>() as f64;
            Scores { positive: sum + added.len() as f64, negative: sum }
        }
    }
}

fn share(i: u64) -> f64 {
    (2 * i + 1) as f64 / (2 * SHARES) as f64
}

/// P(X ≤ k) of Binomial(n, p), k = 0 … n − 1, by the ratio of neighbouring masses in logarithms.
fn binomial(n: u64, p: f64) -> Vec<f64> {
    let mut mass = n as f64 * (-p).ln_1p();
    let mut sum = 0.0;
    (0..n)
        .map(|k| {
            sum += mass.exp();
            mass += ((n - k) as f64 / (k + 1) as f64 * p / (1.0 - p)).ln();
            sum
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use certus::bits::seeded;

    #[test]
    fn binomials_are_what_they_are() {
        let half = binomial(4, 0.5);
        let expected = [1.0, 5.0, 11.0, 15.0].map(|count| count / 16.0);
        assert!(half.iter().zip(expected).all(|(got, want)| (got - want).abs() < 1e-12) && half.len() == 4);
        // 5,000 people: no mass is lost to underflow where it matters.
        let wide = binomial(5_000, 31.0 / 32.0);
        assert!((wide[4_999] + (31.0_f64 / 32.0).powi(5_000) - 1.0).abs() < 1e-9);
    }

    /// Without noise the mean of a member's score is Σ p(1 − p)/n = d/n·E[p(1 − p)], a fresh person's is 0.
    #[test]
    fn scores_have_their_means() {
        let (people, attributes) = (20, 400);
        let population = Population::new(people, attributes);
        let mut bits = seeded([4; 32]);
        let (mut member, mut fresh) = (0.0, 0.0);
        let trials = 2_000;
        for _ in 0..trials {
            let attacked = population.trial(&[Noise::None], &mut bits).unwrap();
            member += attacked[0].tracing.positive / f64::from(trials);
            fresh += attacked[0].tracing.negative / f64::from(trials);
        }
        let spread: f64 = (0..SHARES).map(|i| share(i) * (1.0 - share(i))).sum::<f64>() / SHARES as f64;
        let expected = attributes as f64 * spread / people as f64;
        // The standard error is about √(d·E[p²(1 − p)²]/n/trials) = 0.02.
        assert!((member - expected).abs() < 0.1 && fresh.abs() < 0.1, "{member} {expected} {fresh}");
    }
}
