//! Certificates of the fixed-work samplers, at the width that ships.
//!
//! 2^192 tapes are not enumerated. But every comparison of a trial is monotone in its word, so the words that
//! settle an outcome come in runs. The shipped trial is evaluated at both ends of every run, and must say
//! there what it ought to: then it says so on the whole run, and the run's words are counted. What is counted
//! is exact mass, of outputs and of rejection; words that no run covers (those that the exact path decides,
//! the open ends) are slack. A rejected trial is followed by another one like it, so an output of mass a,
//! with r the mass that is certainly rejected, has a probability of at least a/(1 − r).
//!
//! It assumes fair independent bits, that trials are repeated until one is accepted, and that comparisons are
//! monotone (each is one comparison of integers, or a sum of such). It does not assume the tables, the
//! polynomial or the stated errors: were one of them wrong, the masses would be, and would not agree with the
//! closed form. The exact path itself has at most β here: it is certified by [`flat`](super::flat()) at a
//! width of 8 bits, where it has far more.

use std::collections::BTreeMap;

use num_bigint::BigUint;
use num_traits::One;

use super::{CertifyError, Masses};
use certus::{
    exact::Integer,
    sample::{
        fixed::{FixedGaussian, FixedLaplace},
        hooks::FixedWork,
    },
};

/// The unit of the masses is 2^-this.
const PRECISION: u32 = 160;

/// What a fixed-work sampler's settled words weigh.
///
/// # Errors
///
/// [`CertifyError::Unsettled`] if the kernel does not say what it must at the end of a run of words.
pub fn fixed_gaussian(noise: &FixedGaussian) -> Result<Masses<Integer>, CertifyError> {
    masses(|visit| noise.settled(visit))
}

/// As [`fixed_gaussian`].
///
/// # Errors
///
/// As there.
pub fn fixed_laplace(noise: &FixedLaplace) -> Result<Masses<Integer>, CertifyError> {
    masses(|visit| noise.settled(visit))
}

fn masses(
    settled: impl FnOnce(&mut dyn FnMut(Option<i64>, BigUint)) -> Option<u32>,
) -> Result<Masses<Integer>, CertifyError> {
    let mut outcomes = BTreeMap::<Option<i64>, BigUint>::new();
    let digits = settled(&mut |outcome, words| *outcomes.entry(outcome).or_default() += words);
    let digits = digits.ok_or(CertifyError::Unsettled)?;
    let rejected = outcomes.remove(&None).unwrap_or_default();
    let all = BigUint::one() << digits;
    if rejected >= all {
        return Err(CertifyError::Endless);
    }
    let rest = all - rejected;
    let lower =
        outcomes.into_iter().filter_map(|(value, words)| Some((Integer::from(value?), (words << PRECISION) / &rest)));
    Ok(Masses::new(PRECISION, lower.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::certify::{
        Certificate, FixedOutputs, fixed_gaussian_outputs, fixed_laplace_outputs, flat, structural, tape_counts,
    };
    use certus::{
        exact::{GaussianPmf, LaplacePmf, Pmf, Positive, Rational, parse},
        sample::{Program, fixed::Mode, hooks::fixed::Kernel},
    };

    fn positive(text: &str) -> Positive {
        Positive::new(parse(text).unwrap()).unwrap()
    }

    fn below(bound: &Rational, bits: u32) -> bool {
        *bound < Rational::new(1.into(), num_bigint::BigInt::one() << bits)
    }

    /// At the shipped widths: the slack is within the stated β, and so is the total variation. With
    /// `CERTUS_FULL=1` of six scales and up to ten times as many outputs.
    #[test]
    fn shipped_widths_are_certified() {
        let is_full = std::env::var_os("CERTUS_FULL").is_some();
        let scales: &[&str] =
            if is_full { &["1/100", "1/3", "1", "355/113", "10", "123.456"] } else { &["1/100", "355/113"] };
        for scale in scales {
            for mode in [Mode::Standard, Mode::Wide] {
                let gaussian = FixedGaussian::new(&positive(scale), mode).unwrap();
                let pmf = GaussianPmf::new(&positive(scale).square(), 150).unwrap();
                check(fixed_gaussian(&gaussian).unwrap(), &pmf, gaussian.beta(), mode);
                whole(fixed_gaussian_outputs(&gaussian), scale);
                let laplace = FixedLaplace::new(&positive(scale), mode).unwrap();
                let pmf = LaplacePmf::new(&positive(scale), 150);
                check(fixed_laplace(&laplace).unwrap(), &pmf, laplace.beta(), mode);
                whole(fixed_laplace_outputs(&laplace), scale);
            }
        }
        // Too wide for the masses of every output, not for these.
        let wide: &[&str] =
            if is_full { &["1e6", "1099511627776", "72057594037927936"] } else { &["72057594037927936"] };
        for scale in wide {
            for mode in [Mode::Standard, Mode::Wide] {
                whole(fixed_gaussian_outputs(&FixedGaussian::new(&positive(scale), mode).unwrap()), scale);
                whole(fixed_laplace_outputs(&FixedLaplace::new(&positive(scale), mode).unwrap()), scale);
            }
        }
    }

    /// From words to the returned value.
    fn whole(found: FixedOutputs, scale: &str) {
        assert!(found.outputs_hold && found.error_holds && found.outputs > 1, "{scale}: {found:?}");
    }

    fn check(masses: Masses<Integer>, pmf: &dyn Pmf<Integer>, beta: &Rational, mode: Mode) {
        let certificate = Certificate::new(&masses, pmf);
        assert!(certificate.holds());
        // The roundings of the masses are far below.
        assert!(*certificate.unresolved() < beta + Rational::new(1.into(), num_bigint::BigInt::one() << 130));
        assert!(below(certificate.total_variation_upper(), mode.bits()));
    }

    /// The whole kernel on 8-bit words, exact path included: solved by structure, and on every tape.
    #[test]
    fn bytes_are_enumerated() {
        for (scale, laplace) in [("1/3", false), ("1", false), ("3", false), ("5", false), ("1/4", true)] {
            let s = positive(scale);
            let (kernel, pmf): (Kernel<u8>, std::boxed::Box<dyn Pmf<Integer>>) = if laplace {
                (Kernel::laplace(&s).unwrap(), std::boxed::Box::new(LaplacePmf::new(&s, 80)))
            } else {
                (
                    Kernel::gaussian(&s.square()).unwrap(),
                    std::boxed::Box::new(GaussianPmf::new(&s.square(), 80).unwrap()),
                )
            };
            let solved = structural(&kernel, 20, &mut |_| ()).unwrap();
            let certificate = Certificate::new(&solved, &*pmf);
            assert!(certificate.holds() && below(certificate.total_variation_upper(), 18), "{scale}");
            agree(&kernel, 18);
        }
    }

    fn agree<P: Program>(kernel: &P, depth: u32) {
        assert!(flat(kernel, depth, &mut |_| ()).unwrap() == tape_counts(kernel, depth, &mut |_| ()).unwrap());
    }
}
