//! Our own mechanisms under audit: sampled by the shipped samplers, and told exactly.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use num_traits::Zero;

use super::certify::{Enumerable, Masses, enumerable, hockey_stick};
use super::events::{Event, Feature, Within};
use super::outputs::{Output, Recording};
use super::sampled::{Sampled, Side};
use certus::{
    account::{self, Plan, Precision},
    bits::{BitsError, seeded},
    exact::{Enclosure, NonNegative, Rational, Rounding, decimal, exp_neg},
    mechanism::{self, AnyRelease, InputError, SamplerError, Spec, SpecError},
    sample::Sampler,
};

/// Why a mechanism is not audited.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OwnError {
    /// The spec names no mechanism.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// It has no such sampler.
    #[error(transparent)]
    Sampler(#[from] SamplerError),
    /// A text is none of its inputs.
    #[error(transparent)]
    Input(#[from] InputError),
}

/// An output of the catalogue as one of an audit.
fn printed(output: &mechanism::Outcome) -> Output {
    match output {
        mechanism::Outcome::Integer(value) => {
            value.to_i64().map_or_else(|| Output::parse(&value.to_string()), Output::from)
        }
        output => Output::parse(&output.to_string()),
    }
}

/// A mechanism of the catalogue, k times, on two neighbouring inputs.
pub struct Own {
    sides: [Box<dyn AnyRelease>; 2],
    copies: u64,
    plan: Plan,
    /// Whether the account's pair is the one that is sampled.
    is_tight: bool,
    /// Kept to be enumerated, when somebody asks, on these inputs; nothing for more than one copy.
    enumerable: Option<(Box<dyn Enumerable>, [String; 2])>,
    masses: OnceLock<Option<[Masses<mechanism::Outcome>; 2]>>,
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
    /// The mechanism that a spec names, on two inputs, by a sampler; where a mechanism has none to choose
    /// from, by the one that it has.
    ///
    /// # Errors
    ///
    /// If the spec names no mechanism, it has no such sampler, or an input is none of its.
    pub fn new(spec: &Spec, inputs: (&str, &str), sampler: Sampler) -> Result<Self, OwnError> {
        let mechanism = mechanism::from_spec(spec)?.with_sampler(sampler)?;
        let copies = spec.copies().map_or(1, |copies| copies.get().into());
        let plan = Plan::of(&mechanism.domination(), copies);
        let is_tight = plan.is_attained() && mechanism.is_on_the_worst() && inputs == mechanism.neighbours();
        let sides = [mechanism.on(inputs.0)?, mechanism.on(inputs.1)?];
        let texts = [inputs.0.to_owned(), inputs.1.to_owned()];
        let enumerable = if copies == 1 { Some((enumerable(spec)?, texts)) } else { None };
        Ok(Self { sides, copies, plan, is_tight, enumerable, masses: OnceLock::new() })
    }

    /// The probabilities of the outputs on both inputs, enumerated once.
    fn masses(&self) -> Option<&[Masses<mechanism::Outcome>; 2]> {
        self.masses.get_or_init(|| self.enumerate()).as_ref()
    }

    fn enumerate(&self) -> Option<[Masses<mechanism::Outcome>; 2]> {
        let (enumerable, [a, b]) = self.enumerable.as_ref()?;
        let masses = |input: &str| enumerable.structural(input, DEPTH, &mut |_| {}).ok();
        let first = masses(a)?;
        Some([first, masses(b)?])
    }

    /// Encloses δ(ε) of the two inputs, the larger of both directions; nothing where there are too many
    /// outputs to enumerate, and no account of this very pair.
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
        let of = |masses: &BTreeMap<mechanism::Outcome, Enclosure>, output: &mechanism::Outcome| -> f64 {
            masses.get(output).and_then(|mass| decimal(&mass.lower(), 12, Rounding::Down).parse().ok()).unwrap_or(0.0)
        };
        let outputs: BTreeSet<_> = a.keys().chain(b.keys()).collect();
        Some(outputs.into_iter().map(|output| (of(&a, output), of(&b, output))).collect())
    }

    /// The events of the exact likelihood ratio at e^ε: the outputs that are likelier by more on one side,
    /// and on the other. They follow from the code and the inputs, not from any sample.
    #[must_use]
    pub fn events(&self, epsilon: &NonNegative) -> Vec<Event> {
        let Some([a, b]) = self.masses() else { return Vec::new() };
        let factor = exp_neg(epsilon, 64).lower();
        let (a, b) = (a.enclosures(), b.enclosures());
        let likelier = |p: &BTreeMap<mechanism::Outcome, Enclosure>, q: &BTreeMap<mechanism::Outcome, Enclosure>| {
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

impl Sampled for Own {
    fn record(&self, side: Side, samples: u64, seed: [u8; 32], recording: &mut Recording) -> Result<(), BitsError> {
        let [a, b] = &self.sides;
        let draws = side.pick(a, b);
        let mut bits = seeded(seed);
        if self.copies == 1 {
            return draws.draw_bulk(&mut bits, samples, &mut |output| recording.output(&printed(&output)));
        }
        let mut line = String::new();
        for _ in 0..samples {
            line.clear();
            for copy in 0..self.copies {
                if copy > 0 {
                    line.push(',');
                }
                line.push_str(&printed(&draws.draw(&mut bits)?).to_string());
            }
            recording.output(&Output::parse(&line));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use certus::exact::{Integer, Positive, parse};
    use certus::sample::PreparedLaplace;

    /// How many samples are drawn at a time.
    const BULK: usize = 1024;

    /// At a scale of 2^60 a sample in 3,000 does not fit a word, some bulks after the first: what is recorded
    /// is what was drawn, value by value, and no bits are used twice. (Drawn one by one from the start of the
    /// same bits, the rest was another sample, in which outputs past a word were too few.)
    #[test]
    fn large_outputs_are_recorded_as_they_were_drawn() {
        let scale = Positive::new(parse("1152921504606846976").unwrap()).unwrap();
        let noise = PreparedLaplace::new(&scale);
        let (samples, seed, input) = (20_000, [4; 32], Integer::from(5));
        let mut drawn = vec![Integer::ZERO; samples];
        let mut bits = seeded(seed);
        drawn.chunks_mut(BULK).for_each(|bulk| noise.fill(&mut bits, bulk).unwrap());
        let mut expected = Recording::new();
        drawn.iter().for_each(|noise| expected.output(&printed(&mechanism::Outcome::Integer(noise.add(&input)))));
        let large = drawn.iter().filter(|noise| noise.add(&input).to_i64().is_none()).count();
        let first = drawn.iter().position(|noise| noise.add(&input).to_i64().is_none()).unwrap();
        assert!(large >= 3 && first >= BULK, "{large} of them, the first at {first}");

        let mut recording = Recording::new();
        let spec = "laplace(scale=1152921504606846976)".parse().unwrap();
        let own = Own::new(&spec, ("5", "6"), Sampler::Prepared).unwrap();
        own.record(Side::A, samples as u64, seed, &mut recording).unwrap();
        assert_eq!(recording.finish("a"), expected.finish("a"));
    }
}
