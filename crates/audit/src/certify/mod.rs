//! Certificates: the distribution of the *shipped* sampler, enumerated and bounded.
//!
//! Modes that run the same code, the [`Program`] that also draws the noise:
//!
//! * [`flat`] runs it on every bit tape up to a depth. It assumes nothing, and is shallow;
//! * [`structural`] solves its loops exactly and reaches far deeper. It assumes that `execute` loops as it
//!   says.
//!
//! * [`fixed_gaussian`] and [`fixed_laplace`] evaluate a fixed-work sampler at the ends of the runs of words
//!   that settle an outcome.
//! * [`prepared_laplace`] and [`prepared_gaussian`] do the like for prepared samplers; they,
//!   [`fixed_gaussian_outputs`] and [`fixed_laplace_outputs`] also run the public functions from words to the
//!   returned value, on tapes crafted at the edges of every field.
//!
//! Each yields [`Masses`]: a lower bound of every output's probability, and the mass that is unresolved. From
//! these and the closed form on paper, [`Certificate::new`] derives bounds of every probability and of the
//! total-variation distance. [`neighbours`] bounds δ(ε) between the releases on two inputs, beside what is
//! stated. [`tape_counts`] makes the structural interpreter count tapes, to be compared with the flat counts
//! one by one.
//!
//! [`Noise::certify`] does all of this for whichever sampler of Laplace or Gaussian noise, or of randomized
//! response.

mod acceptance;
mod certificate;
mod crafted;
mod edges;
mod effort;
mod enumerable;
mod fixed;
mod fixed_outputs;
mod flat;
mod hockey_stick;
mod interned;
mod measure;
mod neighbours;
mod prepared;
mod sampler;
mod short;
mod structural;

use std::{collections::BTreeMap, vec::Vec};

use num_bigint::{BigInt, BigUint};

use self::measure::{Mass, Tapes, Weighing, Weight};
use certus::{
    bits::BitsError,
    exact::{Enclosure, Rational},
    sample::Program,
};

pub use certificate::{Certificate, Row};
pub use effort::Effort;
pub use enumerable::{Enumerable, EnumerateError, enumerable};
pub use fixed::{fixed_gaussian, fixed_laplace};
pub use fixed_outputs::{FIXED_COVERS, FIXED_LEAVES_OUT, FixedOutputs, fixed_gaussian_outputs, fixed_laplace_outputs};
use flat::flat_by;
pub use flat::{DEEPEST, TapeCounts, flat};
pub use hockey_stick::hockey_stick;
pub use neighbours::{Claimant, Point, neighbours};
pub use prepared::{Prepared, prepared_gaussian, prepared_gaussian_flat, prepared_laplace, prepared_laplace_flat};
pub use sampler::{Enumeration, Noise, SamplerCertificate, SamplerCertifyError, WIDEST_FIXED, Whole};

/// Called now and then with the number of runs so far.
pub type Progress<'p> = dyn FnMut(u64) + 'p;

/// The finest structural certificate: unresolved mass 2^-1024.
pub const FINEST: u32 = 1024;

/// Why there is no certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CertifyError {
    /// More than 2^20 outputs carry mass, or one draw has more than 2^14 branches.
    #[error("too many outputs to enumerate")]
    TooManyOutputs,
    /// It takes longer than was allowed.
    #[error("takes too long to enumerate")]
    TooLong,
    /// The depth asked for is out of reach.
    #[error("the depth is out of reach")]
    TooDeep,
    /// A loop of the sampler keeps its mass for ever: it would not end.
    #[error("a loop of the sampler does not end")]
    Endless,
    /// A kernel does not say what it must at the end of a run of words.
    #[error("the kernel does not settle what it must")]
    Unsettled,
    /// The sampler failed otherwise than for want of bits.
    #[error("the sampler failed: {0}")]
    Failed(BitsError),
}

/// Lower bounds of outputs' probabilities, in units of 2^-precision, and what they leave unresolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Masses<O> {
    precision: u32,
    lower: BTreeMap<O, BigUint>,
    unresolved: BigUint,
    /// Whether the lower bounds add up to at most 1, as those of disjoint events do.
    coherent: bool,
}

impl<O: Ord> Masses<O> {
    fn new(precision: u32, lower: BTreeMap<O, BigUint>) -> Self {
        let total: BigUint = lower.values().sum();
        let one = BigUint::from(1u32) << precision;
        // Only a step with hidden state, which is no function of what it was told, could make this
        // incoherent.
        let coherent = total <= one;
        let unresolved = if coherent { one - total } else { BigUint::ZERO };
        Self { precision, lower, unresolved, coherent }
    }

    /// The unresolved mass, as a share of 1.
    #[must_use]
    pub fn unresolved_share(&self) -> Rational {
        Rational::new(self.unresolved.clone().into(), BigInt::from(BigUint::from(1u32) << self.precision))
    }

    /// Encloses the probability of each output: from its lower bound to that and all that is unresolved.
    #[must_use]
    pub fn enclosures(&self) -> BTreeMap<O, Enclosure>
    where
        O: Clone,
    {
        let unit = BigInt::from(BigUint::from(1u32) << self.precision);
        let of = |mass: BigUint| Rational::new(mass.into(), unit.clone());
        let enclose =
            |lower: &BigUint| Enclosure::from_bounds(&of(lower.clone()), &of(lower + &self.unresolved), self.precision);
        self.lower.iter().filter_map(|(output, lower)| Some((output.clone(), enclose(lower)?))).collect()
    }

    /// The masses of what a function makes of the outputs; where it makes one of several, theirs together.
    #[must_use]
    pub fn map<T: Ord>(&self, of: impl Fn(&O) -> T) -> Masses<T> {
        let mut lower = BTreeMap::new();
        for (output, mass) in &self.lower {
            *lower.entry(of(output)).or_insert(BigUint::ZERO) += mass;
        }
        Masses { precision: self.precision, lower, unresolved: self.unresolved.clone(), coherent: self.coherent }
    }

    /// The unit of the masses is 2^-precision.
    #[must_use]
    pub fn precision(&self) -> u32 {
        self.precision
    }

    /// Each output's lower bound.
    #[must_use]
    pub fn lower(&self) -> &BTreeMap<O, BigUint> {
        &self.lower
    }

    /// 1 − the sum of the lower bounds: no output exceeds its lower bound by more.
    #[must_use]
    pub fn unresolved(&self) -> &BigUint {
        &self.unresolved
    }
}

/// Solves a program's distribution, to an unresolved mass of at most 2^-`depth`.
///
/// # Errors
///
/// If the program has too many outputs, or does not end, or `depth` is over [`FINEST`].
pub fn structural<P: Program>(
    program: &P,
    depth: u32,
    progress: &mut Progress<'_>,
) -> Result<Masses<P::Output>, CertifyError> {
    structural_as(program, &P::Output::clone, depth, &Effort::most(), progress)
}

/// The same, with no more than this effort.
///
/// # Errors
///
/// As for [`structural`], and if it takes more.
pub fn structural_within<P: Program>(
    program: &P,
    depth: u32,
    effort: &Effort,
    progress: &mut Progress<'_>,
) -> Result<Masses<P::Output>, CertifyError> {
    structural_as(program, &P::Output::clone, depth, effort, progress)
}

/// The same, of what a function makes of the outputs; where it makes one of several, theirs together.
fn structural_as<P: Program, T: Ord>(
    program: &P,
    of: &dyn Fn(&P::Output) -> T,
    depth: u32,
    effort: &Effort,
    progress: &mut Progress<'_>,
) -> Result<Masses<T>, CertifyError> {
    guarded(depth, 24, &mut |weighing| solved(program, of, weighing, effort, progress))
}

/// What a function makes of a program's outputs, with their weights.
fn solved<P: Program, T>(
    program: &P,
    of: &dyn Fn(&P::Output) -> T,
    weighing: Weighing,
    effort: &Effort,
    progress: &mut Progress<'_>,
) -> Result<Vec<(T, Weight)>, CertifyError> {
    let outputs = structural::Solver::new(weighing, &mut *progress).within(effort).distribution(program)?;
    Ok(outputs.iter().map(|(output, weight)| (of(output), weight.clone())).collect())
}

/// How a program is solved, whatever its type.
type Solve<'s, T> = dyn FnMut(Weighing) -> Result<Vec<(T, Weight)>, CertifyError> + 's;

/// The masses, from so many guard bits on: each rounding loses at most one unit, so they outnumber the
/// roundings, or are doubled.
fn guarded<T: Ord>(depth: u32, mut guard: u32, solve: &mut Solve<'_, T>) -> Result<Masses<T>, CertifyError> {
    if depth > FINEST {
        return Err(CertifyError::TooDeep);
    }
    loop {
        let precision = depth + guard;
        let mut lower = BTreeMap::new();
        for (output, weight) in solve(Weighing::Mass(Mass { precision }))? {
            *lower.entry(output).or_insert(BigUint::ZERO) += weight.mass();
        }
        let masses = Masses::new(precision, lower);
        if masses.unresolved <= BigUint::from(1u32) << guard {
            return Ok(masses);
        }
        if guard > 24 << 4 {
            return Err(CertifyError::TooDeep);
        }
        guard *= 2;
    }
}

/// Counts a program's tapes of each length up to `depth`, per output, by the structural interpreter.
///
/// # Errors
///
/// If the program has too many outputs, or does not end, or `depth` is over [`DEEPEST`].
pub fn tape_counts<P: Program>(
    program: &P,
    depth: u32,
    progress: &mut Progress<'_>,
) -> Result<TapeCounts<P::Output>, CertifyError> {
    tape_counts_as(program, &P::Output::clone, depth, progress)
}

/// The same, of what a one-to-one function makes of the outputs.
fn tape_counts_as<P: Program, T: Ord + Clone>(
    program: &P,
    of: &dyn Fn(&P::Output) -> T,
    depth: u32,
    progress: &mut Progress<'_>,
) -> Result<TapeCounts<T>, CertifyError> {
    if depth > DEEPEST {
        return Err(CertifyError::TooDeep);
    }
    let solved = solved(program, of, Weighing::Tapes(Tapes { depth }), &Effort::most(), progress)?;
    Ok(TapeCounts::new(depth, solved.into_iter().map(|(output, weight)| (output, weight.tapes())).collect()))
}

#[cfg(test)]
mod tests {
    use core::ops::ControlFlow;

    use super::*;
    use certus::{
        exact::{Integer, LaplacePmf, Pmf, Positive},
        sample::{Gaussian, Interpreter, Laplace, Step},
    };

    fn positive(n: u64, d: u64) -> Positive {
        Positive::new(Rational::new(n.into(), d.into())).unwrap()
    }

    /// The promise of the depth, at depths where the first guard bits suffice and where they do not.
    #[test]
    fn no_more_is_unresolved_than_the_depth_says() {
        for depth in [1, 8, 48, 200] {
            let unresolved = |masses: Masses<Integer>| {
                assert!(masses.unresolved() << depth <= BigUint::from(1u32) << masses.precision(), "{depth}");
            };
            unresolved(structural(&Laplace::new(&positive(5, 2)), depth, &mut |_| {}).unwrap());
            unresolved(structural(&Gaussian::new(&positive(20, 1)), depth, &mut |_| {}).unwrap());
            // One guard bit does not do: the loop must notice.
            let noise = Gaussian::new(&positive(20, 1));
            let solve = |weighing| solved(&noise, &Integer::clone, weighing, &Effort::most(), &mut |_| {});
            unresolved(guarded(depth, 1, &mut { solve }).unwrap());
        }
        assert_eq!(structural(&Laplace::new(&positive(1, 1)), FINEST + 1, &mut |_| {}), Err(CertifyError::TooDeep));
    }

    /// The bound of the total variation is one, and a tight one, where the truth is not 0: Laplace of scale 1
    /// beside scale 2.
    #[test]
    fn total_variation_is_bounded() {
        let masses = structural(&Laplace::new(&positive(1, 1)), 60, &mut |_| {}).unwrap();
        let (one, two) = (LaplacePmf::new(&positive(1, 1), 100), LaplacePmf::new(&positive(2, 1), 100));
        let certificate = Certificate::new(&masses, &two);
        assert!(!certificate.holds());
        let truth: Enclosure = (-200..=200)
            .map(|k| one.probability(&Integer::from(k)).sub(&two.probability(&Integer::from(k))).max_zero())
            .sum();
        let bound = certificate.total_variation_upper();
        assert!(*bound >= truth.lower());
        assert!(*bound <= truth.upper() + Rational::new(1.into(), (1u64 << 50).into()));
    }

    #[test]
    fn a_certificate_of_nothing_does_not_hold() {
        let masses = flat(&Laplace::new(&positive(50, 1)), 1, &mut |_| {}).unwrap().masses();
        assert!(masses.lower().is_empty());
        assert!(!Certificate::new(&masses, &LaplacePmf::new(&positive(50, 1), 80)).holds());
    }

    /// A program that calls itself runs, but has no finite structure.
    #[test]
    fn a_recursive_program_is_refused() {
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
        struct Recursive;
        impl Program for Recursive {
            type State = ();
            type Output = u64;
            fn start(&self) {}
            fn step<I: Interpreter>(&self, (): (), on: &mut I) -> Step<Self, I> {
                Ok(ControlFlow::Break(if on.bits(1)? == 1 { 0 } else { on.call(&Self)? + 1 }))
            }
        }
        assert_eq!(structural(&Recursive, 8, &mut |_| {}), Err(CertifyError::Endless));
        assert!(flat(&Recursive, 10, &mut |_| {}).is_ok());
    }
}
