//! Our own mechanisms under audit: sampled by the shipped samplers, and told exactly.

use alloc::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use num_traits::Zero;

use super::certify::{Masses, hockey_stick};
use super::events::{Event, Feature, Within};
use super::outputs::{Output, Recording};
use super::sampled::{Sampled, Side};
use crate::{
    account::{self, Plan, Precision},
    bits::{Bits, BitsError, seeded},
    exact::{Enclosure, Integer, NonNegative, Rational, Rounding, decimal, exp_neg},
    mechanism::{self, AnyMechanism, AnyRelease, InputRefused, Release},
    sample::{FillError, execute},
};

/// How one output is drawn.
enum Draws {
    /// By the samplers of [`Release`].
    Noise(Box<Release>),
    /// By those of the catalogue.
    Any(Box<dyn AnyRelease>),
}

/// How many samples of noise are drawn at a time.
const BULK: usize = 1024;

impl Draws {
    fn record(&self, samples: u64, seed: [u8; 32], recording: &mut Recording) -> Result<(), BitsError> {
        let mut bits = seeded(seed);
        if let Self::Noise(release) = self
            && has_bulk(release)
        {
            let mut bulk = [0_i64; BULK];
            let mut recorded = 0;
            while recorded < samples {
                let places = part(&mut bulk, samples - recorded);
                if !fill(release, &mut bits, places)? {
                    return record_wide(release, recorded, samples, seed, recording);
                }
                recording.integers(places);
                recorded += places.len() as u64;
            }
            return Ok(());
        }
        for _ in 0..samples {
            recording.output(&self.draw(&mut bits)?);
        }
        Ok(())
    }

    fn draw(&self, bits: &mut impl Bits) -> Result<Output, BitsError> {
        match self {
            Self::Noise(release) => Ok(printed(&execute(&**release, bits)?)),
            Self::Any(release) => match release.draw(bits)? {
                mechanism::Output::Integer(value) if value.to_i64().is_some() => {
                    Ok(Output::from(value.to_i64().unwrap_or(0)))
                }
                output => Ok(Output::parse(&output.to_string())),
            },
        }
    }
}

/// As many places as are left to fill.
fn part<T>(bulk: &mut [T], left: u64) -> &mut [T] {
    let count = usize::try_from(left).unwrap_or(usize::MAX).min(bulk.len());
    bulk.get_mut(..count).unwrap_or_default()
}

fn printed(value: &Integer) -> Output {
    value.to_i64().map_or_else(|| Output::parse(&value.to_string()), Output::from)
}

/// Whether there is a sampler of many at a time.
fn has_bulk(release: &Release) -> bool {
    matches!(
        release,
        Release::PreparedLaplace(..)
            | Release::PreparedGaussian(..)
            | Release::FixedLaplace(..)
            | Release::FixedGaussian(..)
    )
}

/// Fills by the fast samplers; `false`, and nothing that counts, where noise or sum do not fit a word.
fn fill(release: &Release, bits: &mut impl Bits, places: &mut [i64]) -> Result<bool, BitsError> {
    let (filled, input) = match release {
        Release::PreparedLaplace(noise, input) => (noise.fill(bits, places), input),
        Release::PreparedGaussian(noise, input) => (noise.fill(bits, places), input),
        Release::FixedLaplace(noise, input) => (noise.fill(bits, places).map_err(FillError::from), input),
        Release::FixedGaussian(noise, input) => (noise.fill(bits, places).map_err(FillError::from), input),
        _ => return Ok(false),
    };
    if let Err(FillError::Bits(error)) = filled {
        return Err(error);
    }
    let Some(input) = input.to_i64().filter(|_| filled.is_ok()) else { return Ok(false) };
    for place in places {
        let Some(sum) = place.checked_add(input) else { return Ok(false) };
        *place = sum;
    }
    Ok(true)
}

/// The samples that [`fill`] would have drawn from this seed, after the first `recorded`, whatever their size.
///
/// A bulk in which a sample does not fit must be recorded all the same, value by value: drawn again from other bits, or one sample at a time (which takes the
/// same bits in another order), it would be another one, and large outputs would be missing.
fn record_wide(
    release: &Release,
    recorded: u64,
    samples: u64,
    seed: [u8; 32],
    recording: &mut Recording,
) -> Result<(), BitsError> {
    let mut bits = seeded(seed);
    let mut bulk = vec![Integer::ZERO; BULK];
    let mut drawn = 0;
    while drawn < samples {
        let places = part(&mut bulk, samples - drawn);
        let input = fill_wide(release, &mut bits, places)?;
        if drawn >= recorded {
            places.iter().for_each(|noise| recording.output(&printed(&noise.add(input))));
        }
        drawn += places.len() as u64;
    }
    Ok(())
}

/// The noise of a bulk; answers the input that it is added to.
fn fill_wide<'r>(release: &'r Release, bits: &mut impl Bits, places: &mut [Integer]) -> Result<&'r Integer, BitsError> {
    let mut words = vec![0_i64; places.len()];
    let widen = |words: Vec<i64>, places: &mut [Integer]| {
        places.iter_mut().zip(words).for_each(|(place, word)| *place = word.into());
    };
    let (filled, input) = match release {
        Release::PreparedLaplace(noise, input) => (noise.fill(bits, places), input),
        Release::PreparedGaussian(noise, input) => (noise.fill(bits, places), input),
        Release::FixedLaplace(noise, input) => {
            noise.fill(bits, &mut words)?;
            widen(words, places);
            (Ok(()), input)
        }
        Release::FixedGaussian(noise, input) => {
            noise.fill(bits, &mut words)?;
            widen(words, places);
            (Ok(()), input)
        }
        // Nothing of these is drawn in bulk: the sums, one by one.
        Release::Laplace(..) | Release::Gaussian(..) | Release::Response(_) => {
            for place in places {
                *place = execute(release, bits)?;
            }
            return Ok(&Integer::ZERO);
        }
    };
    match filled {
        Err(FillError::Bits(error)) => Err(error),
        // An `Integer` holds any sample.
        _ => Ok(input),
    }
}

/// A mechanism of the catalogue, k times, on two neighbouring inputs.
pub struct Own {
    sides: [Draws; 2],
    copies: u64,
    plan: Plan,
    /// Whether the account's pair is the one that is sampled.
    is_tight: bool,
    /// Kept to be enumerated, when somebody asks; nothing for more than one copy.
    releases: Option<[Box<dyn AnyRelease>; 2]>,
    masses: OnceLock<Option<[Masses<mechanism::Output>; 2]>>,
}

impl core::fmt::Debug for Own {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Own").field("copies", &self.copies).finish_non_exhaustive()
    }
}

/// The depth to which the pair is enumerated.
const DEPTH: u32 = 48;

/// The most outputs of the exact likelihood ratio's event.
const MOST_OUTPUTS: usize = 1 << 14;

impl Own {
    /// By the catalogue's samplers.
    ///
    /// # Errors
    ///
    /// If an input is none of the mechanism's.
    pub fn new(mechanism: &dyn AnyMechanism, copies: u64, inputs: (&str, &str)) -> Result<Self, InputRefused> {
        let releases = || Ok([mechanism.on(inputs.0)?, mechanism.on(inputs.1)?]);
        let plan = Plan::of(&mechanism.domination(), copies);
        // Noise on an integer, at its sensitivity: the pair is the worst there is, and these are the inputs that attain it.
        let is_tight = plan.is_attained() && mechanism.noise().is_some() && inputs == mechanism.neighbours();
        let sides = releases()?.map(Draws::Any);
        let releases = if copies == 1 { Some(releases()?) } else { None };
        Ok(Self { sides, copies, plan, is_tight, releases, masses: OnceLock::new() })
    }

    /// By these samplers instead.
    #[must_use]
    pub fn with_releases(self, on_a: Release, on_b: Release) -> Self {
        Self { sides: [Draws::Noise(Box::new(on_a)), Draws::Noise(Box::new(on_b))], ..self }
    }

    /// The probabilities of the outputs on both inputs, enumerated once.
    fn masses(&self) -> Option<&[Masses<mechanism::Output>; 2]> {
        self.masses.get_or_init(|| enumerate(self.releases.as_ref()?)).as_ref()
    }

    /// Encloses δ(ε) of the two inputs, the larger of both directions; nothing where there are too many outputs to enumerate, and no
    /// account of this very pair.
    #[must_use]
    pub fn delta(&self, epsilon: &NonNegative) -> Option<Enclosure> {
        match self.masses() {
            Some([a, b]) => {
                let (forward, backward) = (hockey_stick(a, b, epsilon)?, hockey_stick(b, a, epsilon)?);
                let (lower, mut upper) = (forward.lower().max(backward.lower()), forward.upper().max(backward.upper()));
                // No neighbours have more than the account says: where that is exactly 0, so is this.
                if lower <= Rational::zero() && self.accounted(epsilon).is_some_and(|all| all.upper().is_zero()) {
                    upper = Rational::zero();
                }
                Enclosure::from_bounds(&lower.min(upper.clone()), &upper, forward.precision().max(backward.precision()))
            }
            None if self.is_tight => {
                Some(account::delta(&self.plan, epsilon, &Precision { digits: 6 }).ok()?.enclosure)
            }
            None => None,
        }
    }

    /// Encloses δ(ε) of all neighbouring inputs, from above at least.
    #[must_use]
    pub fn accounted(&self, epsilon: &NonNegative) -> Option<Enclosure> {
        Some(account::delta(&self.plan, epsilon, &Precision { digits: 6 }).ok()?.enclosure)
    }

    /// What is accounted for.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The probabilities of every output on both inputs, midpoints, for pictures.
    #[must_use]
    pub fn probabilities(&self) -> Option<Vec<(f64, f64)>> {
        let [a, b] = self.masses()?;
        let (a, b) = (a.enclosures(), b.enclosures());
        let of = |masses: &BTreeMap<mechanism::Output, Enclosure>, output: &mechanism::Output| -> f64 {
            masses.get(output).and_then(|mass| decimal(&mass.lower(), 12, Rounding::Down).parse().ok()).unwrap_or(0.0)
        };
        let outputs: BTreeSet<_> = a.keys().chain(b.keys()).collect();
        Some(outputs.into_iter().map(|output| (of(&a, output), of(&b, output))).collect())
    }

    /// The events of the exact likelihood ratio at e^ε: the outputs that are likelier by more on one side, and on the other. They follow from
    /// the code and the inputs, not from any sample.
    #[must_use]
    pub fn events(&self, epsilon: &NonNegative) -> Vec<Event> {
        let Some([a, b]) = self.masses() else { return Vec::new() };
        let factor = exp_neg(epsilon, 64).lower();
        let (a, b) = (a.enclosures(), b.enclosures());
        let likelier = |p: &BTreeMap<mechanism::Output, Enclosure>, q: &BTreeMap<mechanism::Output, Enclosure>| {
            let inside = p.iter().filter(|(output, mass)| {
                let other = q.get(output).map_or_else(Rational::zero, Enclosure::upper);
                &mass.lower() * &factor > other
            });
            let words: Vec<String> = inside.map(|(output, _)| output.to_string()).take(MOST_OUTPUTS + 1).collect();
            (1..=MOST_OUTPUTS)
                .contains(&words.len())
                .then_some(Event { feature: Feature::Output, within: Within::Words(words) })
        };
        [likelier(&a, &b), likelier(&b, &a)].into_iter().flatten().collect()
    }
}

fn enumerate([a, b]: &[Box<dyn AnyRelease>; 2]) -> Option<[Masses<mechanism::Output>; 2]> {
    let masses = |release: &dyn AnyRelease| release.structural(DEPTH, &mut |_| {}).ok();
    let first = masses(&**a)?;
    Some([first, masses(&**b)?])
}

impl Sampled for Own {
    fn record(&self, side: Side, samples: u64, seed: [u8; 32], recording: &mut Recording) -> Result<(), BitsError> {
        let [a, b] = &self.sides;
        let draws = side.pick(a, b);
        if self.copies == 1 {
            return draws.record(samples, seed, recording);
        }
        let mut bits = seeded(seed);
        let mut line = String::new();
        for _ in 0..samples {
            line.clear();
            for copy in 0..self.copies {
                if copy > 0 {
                    line.push(',');
                }
                line.push_str(&draws.draw(&mut bits)?.to_string());
            }
            recording.output(&Output::parse(&line));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::{Positive, parse};
    use crate::sample::PreparedLaplace;

    /// At a scale of 2^60 a sample in 3,000 does not fit a word, some bulks after the first: what is recorded is what was drawn, value by value, and no bits are used twice.
    /// (Drawn one by one from the start of the same bits, the rest was another sample, in which outputs past a word were too few.)
    #[test]
    fn large_outputs_are_recorded_as_they_were_drawn() {
        let scale = Positive::new(parse("1152921504606846976").unwrap()).unwrap();
        let noise = PreparedLaplace::new(&scale);
        let (samples, seed, input) = (20_000, [4; 32], Integer::from(5));
        let mut drawn = vec![Integer::ZERO; samples];
        let mut bits = seeded(seed);
        drawn.chunks_mut(BULK).for_each(|bulk| noise.fill(&mut bits, bulk).unwrap());
        let mut expected = Recording::new();
        drawn.iter().for_each(|noise| expected.output(&printed(&noise.add(&input))));
        let large = drawn.iter().filter(|noise| noise.add(&input).to_i64().is_none()).count();
        let first = drawn.iter().position(|noise| noise.add(&input).to_i64().is_none()).unwrap();
        assert!(large >= 3 && first >= BULK, "{large} of them, the first at {first}");

        let mut recording = Recording::new();
        let draws = Draws::Noise(Box::new(Release::PreparedLaplace(noise, input)));
        draws.record(samples as u64, seed, &mut recording).unwrap();
        assert_eq!(recording.finish("a"), expected.finish("a"));
    }
}
