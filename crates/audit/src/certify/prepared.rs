//! Certificates of prepared samplers at the width that ships.
//!
//! Nobody runs 2^64 words. But between two neighbouring *edges* (where an entry of the guide begins, where
//! the bits that it compares begin to agree or cease to, a threshold, the word after a threshold) the look-up
//! reads one entry, takes one branch and one gap between thresholds, and is monotone: `base`, `base + 1`, or
//! a binary search of a rising list. So if it answers the same at both ends of a gap, it answers that on all
//! of it, and the words of the gap are exact mass. A word that equals a threshold is not settled; where there
//! is a second look, its next 64 bits are cut at its own edges in the same way. What is not settled then is
//! slack; so is the open last cell.
//!
//! For a table the cells are the magnitudes of the outputs, and this is a certificate of every output. For
//! the wide construction the cells are buckets: their probabilities are certified, and that every squeeze
//! accepts no more than e^-x does. Acceptance, by the squeeze and beyond it, is evaluated on either side of
//! its edges too, in every bucket but not at all its places: see `acceptance.rs`, which says what covers the
//! others.
//!
//! Masses say nothing of the value that is returned: its sign, its zero, its place in a bucket, what passes a
//! machine word, a batch. So the public functions are run on tapes crafted at the edges of all fields
//! (`edges.rs`, `crafted.rs`), and the same code on machine words of a few bits, on every tape (`short.rs`).

use std::{boxed::Box, collections::BTreeMap, vec, vec::Vec};

use num_bigint::BigUint;

use super::{
    Certificate, CertifyError, Masses, Progress, acceptance,
    crafted::{self, Draws},
    edges::{self, Trials as Trials64},
    flat,
    short::{self, Depth},
};
use certus::{
    bits::{Bits, BitsError},
    exact::{Enclosure, GaussianPmf, Integer, LaplacePmf, Pmf},
    sample::{
        PreparedGaussian, PreparedLaplace, Program,
        hooks::{
            Execution, Shipped,
            machine::Short,
            prepared::{
                Construction, Trials,
                cells::{Cells, Decay},
                inversion::{Found, Inversion},
                table::Table,
                wide::Wide,
            },
        },
    },
};

/// Bits of the closed form.
const PRECISION: u32 = 112;

/// What was found of a prepared sampler.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// Of its outputs; or, if it is wide, of its buckets 0, 1, 2, ….
    pub certificate: Certificate<Integer>,
    /// log₂ of the outputs of a bucket, if it is wide: bucket b holds the magnitudes from b·2^this on.
    pub bucket: Option<u32>,
    /// Whether every squeeze accepts only what the exponential accepts; a table has none.
    pub squeezes_hold: bool,
    /// Whether the shipped acceptance says what the exponential does, on either side of its edges in every
    /// bucket; a table has none.
    pub acceptance_holds: bool,
    /// Whether `sample`, `fill` and `add_noise` return, on tapes crafted at the edges of every field, what
    /// plain arithmetic says.
    pub outputs_hold: bool,
    /// How many such tapes there are.
    pub outputs: u64,
    /// Whether the same code on machine words of a few bits has the right distribution and batches, on every
    /// tape.
    pub short_words_hold: bool,
    /// What was evaluated, a sentence each.
    pub covers: Vec<&'static str>,
    /// What was not, a sentence each.
    pub leaves_out: Vec<&'static str>,
}

impl Prepared {
    /// Whether everything that was evaluated is as it must be.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.certificate.holds()
            && self.squeezes_hold
            && self.acceptance_holds
            && self.outputs_hold
            && self.short_words_hold
    }
}

/// Certifies a prepared sampler at the shipped width; nothing if it draws as the reference sampler does.
#[must_use]
pub fn prepared_laplace(noise: &PreparedLaplace) -> Option<Prepared> {
    of(noise, noise.shipped())
}

/// Certifies a prepared sampler at the shipped width; nothing if it draws as the reference sampler does.
#[must_use]
pub fn prepared_gaussian(noise: &PreparedGaussian) -> Option<Prepared> {
    of(noise, noise.shipped())
}

/// How deep the short words are enumerated beside a certificate at 64 bits, which is to take about a second.
const SHORT: Depth = Depth { trial: 15, slice: 15 };

/// The same for tables, whose tapes are shorter.
const SHORT_TABLE: Depth = Depth { trial: 13, slice: 15 };

/// What both constructions cover.
const COVERS: [&str; 3] = [
    "sample, fill (of i64, i128 and Integer, past a batch) and add_noise, from 64-bit words to the value that is returned, \
     on both sides of every edge of the look-up, with either sign",
    "the same code on machine words of 4, 5 and 6 bits (tables: 4, 5 and 8), on every tape: sign, zero, the step past the word, batches",
    "samples past 64 bits: refused by i64, clamped by add_noise, exact as i128 and Integer",
];

/// Enumerates the same table at words of 8 bits, on every tape of at most `depth` bits; nothing if it draws
/// from no table.
///
/// # Errors
///
/// As [`flat`](super::flat()).
pub fn prepared_laplace_flat(
    noise: &PreparedLaplace,
    depth: u32,
    progress: &mut Progress<'_>,
) -> Result<Option<Certificate<Integer>>, CertifyError> {
    table_flat(cells(noise.shipped()), depth, progress)
}

/// The same of Gaussian noise.
///
/// # Errors
///
/// As [`flat`](super::flat()).
pub fn prepared_gaussian_flat(
    noise: &PreparedGaussian,
    depth: u32,
    progress: &mut Progress<'_>,
) -> Result<Option<Certificate<Integer>>, CertifyError> {
    table_flat(cells(noise.shipped()), depth, progress)
}

fn table_flat(
    cells: Option<&Cells>,
    depth: u32,
    progress: &mut Progress<'_>,
) -> Result<Option<Certificate<Integer>>, CertifyError> {
    let Some(Cells { decay, folded: true }) = cells else { return Ok(None) };
    let Some(pmf) = closed_form(decay) else { return Ok(None) };
    let masses = flat(&Trials(Table::<Short<8>, 1>::new(decay.clone())), depth, progress)?.masses();
    Ok(Some(Certificate::new(&masses, &*pmf)))
}

fn cells<R>(shipped: &Construction<R>) -> Option<&Cells> {
    match shipped {
        Construction::Table(table) => Some(table.magnitudes().cells()),
        _ => None,
    }
}

fn of<N: Draws, R: Program<Output = Integer>>(noise: &N, shipped: &Construction<R>) -> Option<Prepared> {
    match shipped {
        Construction::Table(table) => {
            let decay = &table.magnitudes().cells().decay;
            let pmf = closed_form(decay)?;
            let trials = edges::of_table(table);
            Some(Prepared {
                certificate: Certificate::new(&signed(&settled(table.magnitudes())), &*pmf),
                bucket: None,
                squeezes_hold: true,
                acceptance_holds: true,
                outputs_hold: outputs_hold(noise, 0, &trials),
                outputs: outputs(&trials),
                short_words_hold: short::table_holds(decay, SHORT_TABLE, &mut |_| ()).unwrap_or(false),
                covers: COVERS.to_vec(),
                leaves_out: vec![
                    "words between two edges: the look-up is monotone and answers the same at both",
                    "64-bit words that equal a threshold, but at four magnitudes, and magnitudes past the table: \
                     probability below the unresolved mass, and on every tape at few bits",
                ],
            })
        }
        Construction::Wide(wide) => buckets(noise, wide),
        Construction::Wider(wide) => buckets(noise, wide),
        Construction::Reference(_) => None,
    }
}

fn buckets<N: Draws, const SECOND: u32>(noise: &N, wide: &Wide<u64, SECOND>) -> Option<Prepared> {
    let two_sided = closed_form(&wide.buckets().cells().decay)?;
    let trials = edges::of_wide(wide);
    let mut covers = COVERS.to_vec();
    covers.push(
        "in every bucket that 64 bits after the first look can find: v below, at and above the squeeze, \
         offsets 0, 1, w/2 and w − 1, a rejected trial and the ones after it",
    );
    covers.push("magnitudes beside 2^63 and 2^64, where the probability of reaching them is above about 2^-100");
    Some(Prepared {
        certificate: Certificate::new(&settled(wide.buckets()), &OneSided::new(two_sided)?),
        bucket: Some(wide.offset()),
        squeezes_hold: wide.squeezes_hold(),
        acceptance_holds: acceptance::holds(noise, wide),
        outputs_hold: outputs_hold(noise, SECOND, &trials),
        outputs: outputs(&trials),
        short_words_hold: short::wide_holds(wide.decay(), SHORT, &mut |_| ()).unwrap_or(false),
        covers,
        leaves_out: vec![
            "the other offsets of a bucket: no table has an entry for one, and x is one formula (all of them at few bits)",
            "words between two edges: every comparison is monotone and answers the same at both",
            "buckets that take more than two words to find: probability below the unresolved mass",
        ],
    })
}

/// Whether the public functions draw what was crafted; what may leave words over is drawn alone.
fn outputs_hold(noise: &impl Draws, second: u32, trials: &Trials64) -> bool {
    crafted::disagreements(noise, second, &trials.exact) == 0
        && trials.deep.iter().all(|trial| crafted::is_drawn_alone(noise, second, trial))
}

fn outputs(trials: &Trials64) -> u64 {
    u64::try_from(trials.exact.len() + trials.deep.len()).unwrap_or(u64::MAX)
}

pub(super) fn closed_form(decay: &Decay) -> Option<Box<dyn Pmf<Integer>>> {
    Some(match decay {
        Decay::Laplace { scale } => Box::new(LaplacePmf::new(scale, PRECISION)),
        Decay::Gaussian { variance } => Box::new(GaussianPmf::new(variance, PRECISION)?),
    })
}

/// The same weights on 0, 1, 2, … only: their sum is (1 + P(0))/2 of the two-sided one.
struct OneSided {
    two_sided: Box<dyn Pmf<Integer>>,
    whole: Enclosure,
}

impl OneSided {
    fn new(two_sided: Box<dyn Pmf<Integer>>) -> Option<Self> {
        let twice = Enclosure::from_integer(1, 0).add(&two_sided.probability(&Integer::ZERO));
        Some(Self { two_sided, whole: twice.div(&Enclosure::from_integer(2, 0))? })
    }
}

impl Pmf<Integer> for OneSided {
    fn probability(&self, value: &Integer) -> Enclosure {
        let unknown = || Enclosure::from_integer(0, 0).hull(&Enclosure::from_integer(1, 0));
        self.two_sided.probability(value).div(&self.whole).unwrap_or_else(unknown)
    }
}

/// Half of each magnitude's mass to either sign.
fn signed(magnitudes: &Masses<Integer>) -> Masses<Integer> {
    let mut lower = BTreeMap::new();
    for (magnitude, mass) in magnitudes.lower() {
        if magnitude.is_zero() {
            lower.insert(magnitude.clone(), mass << 1u32);
        } else {
            lower.insert(magnitude.clone(), mass.clone());
            lower.insert(magnitude.neg(), mass.clone());
        }
    }
    Masses::new(magnitudes.precision() + 1, lower)
}

/// The mass that the first look settles on each cell, and the second where there is one.
fn settled<const STEPS: u32>(inversion: &Inversion<STEPS>) -> Masses<Integer> {
    let width = inversion.width();
    let (finer, refill) = inversion.finer();
    let more = if finer.is_empty() { 0 } else { refill };
    let mut lower: BTreeMap<u64, BigUint> = BTreeMap::new();
    let mut add = |cell, mass: BigUint| *lower.entry(cell).or_default() += mass;

    let thresholds = inversion.thresholds();
    let edges = inversion
        .guide_edges()
        .chain(thresholds.iter().flat_map(|&threshold| [threshold, threshold.saturating_add(1)]));
    let first = |u: u64| {
        let word = u << (64 - width);
        // Whatever the bits below: those of the offset, the squeeze and the sign.
        let guided =
            inversion.look_up(word).filter(|_| inversion.look_up(word) == inversion.look_up(word | u64::MAX >> width));
        guided.or_else(|| match inversion.search(u) {
            Found::Cell(cell) => Some(cell),
            Found::From(_) => None,
        })
    };
    for (from, to) in gaps(edges.collect(), (1 << width) - 1) {
        if let Some(cell) = first(from).filter(|&cell| first(to) == Some(cell)) {
            add(cell, BigUint::from(to - from + 1) << more);
        }
    }
    if more > 0 {
        let mut distinct = thresholds.to_vec();
        distinct.dedup();
        for u in distinct {
            let start = thresholds.partition_point(|&threshold| threshold < u);
            let end = thresholds.partition_point(|&threshold| threshold <= u);
            // The last threshold stands for all after it.
            let end = if end == thresholds.len() { finer.len() } else { end };
            let edges = finer.get(start..end).unwrap_or_default().iter();
            let edges = edges.flat_map(|&finer| [finer, finer.saturating_add(1)]);
            let second = |next: u64| {
                let word = u << (64 - width);
                inversion.resolve(word, &mut Execution { bits: &mut OneWord(Some(next)) }).ok()
            };
            let last = u64::MAX >> (64 - more);
            // Where the bits are a threshold's own, they do not settle it, and asking takes an exponential.
            let open = |next: u64| finer.get(start..end).unwrap_or_default().binary_search(&next).is_ok();
            for (from, to) in gaps(edges.collect(), last) {
                if open(from) {
                    continue;
                }
                if let Some(cell) = second(from).filter(|&cell| second(to) == Some(cell)) {
                    add(cell, BigUint::from(to - from) + 1u32);
                }
            }
        }
    }
    let lower = lower.into_iter().map(|(cell, mass)| (Integer::from(cell), mass)).collect();
    Masses::new(width + more, lower)
}

/// The gaps between edges, both ends included, that cover 0 … last.
fn gaps(mut edges: Vec<u64>, last: u64) -> Vec<(u64, u64)> {
    edges.push(0);
    edges.sort_unstable();
    edges.dedup();
    edges.retain(|&edge| edge <= last);
    let ends = edges.iter().skip(1).map(|&next| next.saturating_sub(1)).chain([last]);
    edges.iter().copied().zip(ends).collect()
}

/// A tape of one word.
struct OneWord(Option<u64>);

impl Bits for OneWord {
    fn take(&mut self, _: u32) -> Result<u64, BitsError> {
        self.0.take().ok_or(BitsError::TapeEnded)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use certus::exact::{Positive, Rational, parse};

    /// Of noise of a scale, or of a variance.
    fn certified((name, parameter): (&str, &str)) -> Option<Prepared> {
        let parameter = Positive::new(parse(parameter).unwrap()).unwrap();
        match name {
            "laplace" => prepared_laplace(&PreparedLaplace::new(&parameter)),
            _ => prepared_gaussian(&PreparedGaussian::with_variance(&parameter)),
        }
    }

    #[test]
    fn tables_and_buckets_hold() {
        for (spec, slack) in [
            (("laplace", "1/3"), 57),
            (("laplace", "355/113"), 53),
            (("laplace", "30"), 50),
            (("gaussian", "1/9"), 57),
            (("gaussian", "7/3"), 55),
            (("gaussian", "1e4"), 50),
            (("laplace", "5000"), 80),
            (("laplace", "1099511627776"), 70),
            (("gaussian", "1e12"), 80),
            (("gaussian", "1e36"), 70),
        ] {
            let found = certified(spec).unwrap();
            let parts = [
                found.certificate.holds(),
                found.squeezes_hold,
                found.acceptance_holds,
                found.outputs_hold,
                found.short_words_hold,
            ];
            assert_eq!(parts, [true; 5], "{spec:?}");
            assert!(found.holds() && found.outputs > 300, "{spec:?}: {}", found.outputs);
            let bound = Rational::new(1.into(), num_bigint::BigInt::from(1) << slack);
            let unresolved = found.certificate.unresolved();
            assert!(*unresolved < bound, "{spec:?}: {unresolved}");
            assert!(*found.certificate.total_variation_upper() < bound * Rational::from_integer(2.into()), "{spec:?}");
        }
    }

    #[test]
    fn small_words_hold() {
        let of = |text: &str| Positive::new(parse(text).unwrap()).unwrap();
        let gaussian = |sigma: &str| prepared_gaussian_flat(&PreparedGaussian::new(&of(sigma)), 16, &mut |_| ());
        let laplace = prepared_laplace_flat(&PreparedLaplace::new(&of("5/2")), 16, &mut |_| ());
        assert!(laplace.unwrap().unwrap().holds() && gaussian("3").unwrap().unwrap().holds());
        assert!(gaussian("1e6").unwrap().is_none());
        // Wider than any table.
        assert!(prepared_laplace(&PreparedLaplace::new(&of("1e30"))).is_none());
    }
}
