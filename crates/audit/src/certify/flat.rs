//! The flat enumeration: the shipped sampler, run on every bit tape.
//!
//! A run that ends after b bits is 2^-b of exact mass on its output; a run that wants more than `depth` bits
//! is unresolved. Nothing is assumed: not how the sampler is written, only that its bits are fair.

use std::{collections::BTreeMap, vec::Vec};

use num_bigint::BigUint;

use super::{CertifyError, Masses, Progress};
use certus::{
    bits::{BitsError, Enumeration},
    sample::{Program, hooks::execute},
};

/// The deepest flat enumeration: 2^36 tapes take hours.
pub const DEEPEST: u32 = 36;

/// Counts of tapes, by output and by length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TapeCounts<O> {
    depth: u32,
    /// For each output, the number of tapes of length 0, 1, …, depth that end in it.
    counts: BTreeMap<O, Vec<u128>>,
}

impl<O: Ord + Clone> TapeCounts<O> {
    pub(super) fn new(depth: u32, counts: BTreeMap<O, Vec<u128>>) -> Self {
        Self { depth, counts }
    }

    /// The counts of what a one-to-one function makes of the outputs.
    #[must_use]
    pub fn map<T: Ord>(&self, of: impl Fn(&O) -> T) -> TapeCounts<T> {
        let counts = self.counts.iter().map(|(output, counts)| (of(output), counts.clone())).collect();
        TapeCounts { depth: self.depth, counts }
    }

    /// For each output, the number of tapes of each length 0, 1, …, depth.
    #[must_use]
    pub fn counts(&self) -> &BTreeMap<O, Vec<u128>> {
        &self.counts
    }

    /// The masses of the tapes: exact, each tape of length b being 2^-b.
    #[must_use]
    pub fn masses(&self) -> Masses<O> {
        let mass = |counts: &Vec<u128>| {
            counts.iter().fold(BigUint::ZERO, |mass, &count| (mass << 1u32) + BigUint::from(count))
        };
        Masses::new(self.depth, self.counts.iter().map(|(output, counts)| (output.clone(), mass(counts))).collect())
    }
}

/// Runs a program on every tape of at most `depth` bits.
///
/// # Errors
///
/// If `depth` is over [`DEEPEST`], or the program fails otherwise than by the end of its tape.
pub fn flat<P: Program>(
    program: &P,
    depth: u32,
    progress: &mut Progress<'_>,
) -> Result<TapeCounts<P::Output>, CertifyError> {
    flat_by(|tapes| execute(program, tapes), depth, progress)
}

/// Draws once on every tape of at most `depth` bits.
pub(crate) fn flat_by<O: Ord + Clone>(
    mut draw: impl FnMut(&mut Enumeration) -> Result<O, BitsError>,
    depth: u32,
    progress: &mut Progress<'_>,
) -> Result<TapeCounts<O>, CertifyError> {
    if depth > DEEPEST {
        return Err(CertifyError::TooDeep);
    }
    let lengths = usize::try_from(depth).map_or(0, |depth| depth) + 1;
    let mut counts: BTreeMap<O, Vec<u128>> = BTreeMap::new();
    let mut tapes = Enumeration::new(depth);
    let mut runs: u64 = 0;
    loop {
        match draw(&mut tapes) {
            Ok(output) => {
                let length = usize::try_from(tapes.used()).map_or(0, |used| used);
                let counts = counts.entry(output).or_insert_with(|| std::vec![0; lengths]);
                counts.iter_mut().skip(length).take(1).for_each(|count| *count += 1);
            }
            Err(BitsError::TapeEnded) => {}
            Err(error) => return Err(CertifyError::Failed(error)),
        }
        runs += 1;
        if runs.is_multiple_of(65_536) {
            progress(runs);
        }
        if !tapes.advance() {
            return Ok(TapeCounts::new(depth, counts));
        }
    }
}
