//! The fixed-work samplers from words to the returned value: `sample` and `fill`, on tapes whose outcomes are
//! known.
//!
//! The tapes are those of `sample::fixed::edges`. Each is drawn alone, followed by a trial that is accepted
//! where it is rejected. Those that their words settle are drawn in slices, so that accepted and rejected
//! trials are compacted; those that the exact path decides, two at a time in a batch of 32, after whose words
//! their digits come.
//!
//! The stated error of the acceptance is summed up again from its definition, for no tape can show that a
//! bound is too small by what rounding happens not to reach.

use std::{vec, vec::Vec};

use num_bigint::BigInt;
use num_traits::One;

use super::crafted::Words;
use certus::{
    bits::BitsError,
    exact::{Enclosure, Integer, Positive, Rational, ln},
    sample::{
        Program,
        fixed::{FixedGaussian, FixedLaplace},
        hooks::{
            FixedWork,
            fixed::{Edge, Stated},
        },
    },
};

/// How many trials are made at a time, by the documentation.
const BATCH: usize = 32;

/// What was found of a fixed-work sampler, from words to the returned value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FixedOutputs {
    /// Whether `sample` and `fill` return what plain arithmetic says.
    pub outputs_hold: bool,
    /// How many tapes were drawn.
    pub outputs: u64,
    /// Whether the stated error of the acceptance is at least the sum of its parts.
    pub error_holds: bool,
}

/// What a certificate of a fixed-work sampler evaluates from words to the returned value.
pub const FIXED_COVERS: [&str; 3] = [
    "sample and fill (past a batch, with rejected trials between), from 64-bit words to the value that is returned: \
     both ends of every run of words of every table, with offsets 0, 1, w/2 and w − 1, either sign and zero",
    "the exact path, alone and two in a batch: at every threshold, and beside e^-x in every bucket",
    "the stated error of the acceptance, summed up again from its definition",
];

/// What it does not.
pub const FIXED_LEAVES_OUT: [&str; 3] = [
    "words between the ends of a run: every comparison is monotone and answers the same at both",
    "in fill, the other offsets (their masses are counted, from the trial itself)",
    "noise past the open end of a table, but for two words: probability below β; on every tape by --mode flat at 8 bits",
];

/// What the public samplers have in common.
trait Draws {
    fn one(&self, bits: &mut Words) -> Result<Integer, BitsError>;
    fn many(&self, bits: &mut Words, out: &mut [i64]) -> Result<(), BitsError>;
}

macro_rules! draws {
    ($($name:ident, $outputs:ident);*) => {$(
        impl Draws for $name {
            fn one(&self, bits: &mut Words) -> Result<Integer, BitsError> {
                self.sample(bits)
            }

            fn many(&self, bits: &mut Words, out: &mut [i64]) -> Result<(), BitsError> {
                self.fill(bits, out)
            }
        }

        /// Draws every crafted tape by the public functions.
        #[must_use]
        pub fn $outputs(noise: &$name) -> FixedOutputs {
            let edges = noise.edges().unwrap_or_default();
            FixedOutputs {
                outputs_hold: outputs_hold(noise, &edges).unwrap_or(false),
                outputs: u64::try_from(edges.len()).unwrap_or(u64::MAX),
                error_holds: noise.stated().is_none_or(|stated| error_holds(&stated).unwrap_or(false)),
            }
        }
    )*};
}

draws!(FixedGaussian, fixed_gaussian_outputs; FixedLaplace, fixed_laplace_outputs);

/// Whether every tape gives its outcome; nothing if there is none that is accepted.
fn outputs_hold(noise: &impl Draws, edges: &[Edge]) -> Option<bool> {
    let accepted: Vec<&Edge> = edges.iter().filter(|edge| edge.more.is_empty() && edge.expected.is_some()).collect();
    // What follows a rejection: not a zero, where there is anything else.
    let other = accepted.iter().rfind(|edge| edge.expected.as_ref() != Some(&BigInt::ZERO));
    let next = *other.or(accepted.last())?;
    let alone = edges.iter().all(|edge| {
        let mut tape: Vec<u64> = edge.words.iter().chain(&edge.more).copied().collect();
        if edge.expected.is_none() {
            tape.extend(&next.words);
        }
        let mut words = Words::new(tape);
        let drawn = noise.one(&mut words).ok().map(|drawn| drawn.to_big());
        drawn.as_ref() == edge.expected.as_ref().or(next.expected.as_ref()) && words.is_used_up()
    });
    let (settled, open): (Vec<&Edge>, Vec<&Edge>) = edges.iter().partition(|edge| edge.more.is_empty());
    let slices = settled.chunks(3 * BATCH + 1).all(|slice| {
        let trials: Vec<&Edge> = slice.iter().copied().chain([next]).collect();
        let tape = trials.iter().flat_map(|edge| edge.words.iter().copied()).collect();
        fills(noise, tape, trials.iter().filter_map(|edge| edge.expected.as_ref()))
    });
    let batches = open.chunks(2).zip(accepted.chunks(BATCH).cycle()).all(|(open, others)| {
        let mut trials: Vec<&Edge> = others.iter().copied().cycle().take(BATCH - open.len()).collect();
        for (&edge, place) in open.iter().zip([7, 20]) {
            trials.insert(place, edge);
        }
        let missing = open.iter().filter(|edge| edge.expected.is_none()).count();
        let mut tape: Vec<u64> = trials.iter().flat_map(|edge| edge.words.iter().copied()).collect();
        tape.extend(open.iter().flat_map(|edge| &edge.more));
        tape.extend((0..missing).flat_map(|_| &next.words));
        let expected =
            trials.iter().copied().chain((0..missing).map(|_| next)).filter_map(|edge| edge.expected.as_ref());
        fills(noise, tape, expected)
    });
    Some(alone && slices && batches)
}

/// Whether a slice holds these samples, drawn from all of these words.
fn fills<'e>(noise: &impl Draws, tape: Vec<u64>, expected: impl Iterator<Item = &'e BigInt>) -> bool {
    let expected: Vec<&BigInt> = expected.collect();
    let mut words = Words::new(tape);
    let mut out = vec![0; expected.len()];
    let filled = noise.many(&mut words, &mut out).is_ok() && words.is_used_up();
    filled && out.iter().zip(expected).all(|(&drawn, expected)| BigInt::from(drawn) == *expected)
}

/// Whether E is at least the sum of its parts, and the window twice that.
///
/// In units of the last place, with c = unit·2^digits/ln 2 and its floor C, off by d: an exponent y = cρ(2b +
/// ρ) is computed to within (d + s)·(2b + 1) + s; 2^-y has a slope of at most ln 2; the shift rounds by less
/// than 1; the polynomial has its own error.
fn error_holds(stated: &Stated) -> Option<bool> {
    let two = Positive::new(Rational::from_integer(2.into())).ok()?;
    let ln_two = ln(&two, stated.bits + 40);
    let width = Rational::from_integer(BigInt::one() << stated.digits);
    let c = Enclosure::enclosing(&(&stated.unit * width), stated.bits + 40)?.div(&ln_two)?;
    let (unit, whole) =
        (BigInt::one() << stated.bits, |n: &num_bigint::BigUint| Rational::from_integer(n.clone().into()));
    let (factor, slack) = (whole(&stated.factor), Rational::from_integer(stated.slack.into()));
    let (least, off) = (c.lower() * &unit, c.upper() * &unit - &factor);
    let exponent = (off + &slack) * Rational::from_integer(stated.last.into()) + slack;
    let sum = exponent * ln_two.upper() + Rational::one() + whole(&stated.polynomial);
    Some(factor <= least && whole(&stated.error) >= sum && stated.window == &stated.error * 2u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use certus::{exact::parse, sample::fixed::Mode};
    use num_bigint::BigUint;

    /// Without its exponent term, as without its polynomial's, E is below the sum of its parts; and the
    /// window is no less than 2E.
    #[test]
    fn an_error_that_leaves_a_part_out_is_seen() {
        for scale in ["4", "10", "355", "1e6", "1099511627776", "72057594037927936"] {
            let positive = Positive::new(parse(scale).unwrap()).unwrap();
            for mode in [Mode::Standard, Mode::Wide] {
                let gaussian = FixedGaussian::new(&positive, mode).unwrap().stated().unwrap();
                let laplace = FixedLaplace::new(&positive, mode).unwrap().stated().unwrap();
                for stated in [gaussian, laplace] {
                    assert_eq!(error_holds(&stated), Some(true), "{stated:?}");
                    let with = |error: BigUint| Stated { window: &error * 2u32, error, ..stated.clone() };
                    let exponent = with(&stated.polynomial + 2u32);
                    assert_eq!(error_holds(&exponent), Some(false), "{exponent:?}");
                    let polynomial = with(&stated.error - &stated.polynomial);
                    assert_eq!(error_holds(&polynomial), Some(false), "{polynomial:?}");
                    let window = Stated { window: stated.error.clone(), ..stated.clone() };
                    assert_eq!(error_holds(&window), Some(false), "{window:?}");
                }
            }
        }
    }
}
