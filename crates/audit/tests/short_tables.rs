//! The tables of the prepared samplers on machine words of a few bits, on every tape.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use certus::{
    exact::{GaussianPmf, Integer, LaplacePmf, Pmf, Positive, Rational},
    sample::hooks::{
        machine::Short,
        prepared::{Trials, cells::Decay, table::Table},
    },
};
use certus_audit::certify::{Certificate, flat};

fn positive(n: u64, d: u64) -> Positive {
    Positive::new(Rational::new(n.into(), d.into())).unwrap()
}

fn check<const BITS: u32>(decay: Decay, pmf: &dyn Pmf<Integer>, depth: u32) {
    let table = Table::<Short<BITS>, 1>::new(decay.clone());
    let masses = flat(&Trials(table), depth, &mut |_| ()).unwrap().masses();
    let certificate = Certificate::new(&masses, pmf);
    assert!(certificate.holds(), "{decay:?} at {BITS}");
    // All but the tapes that are ambiguous to the last bit: a cell's boundary is one tape at most, for either
    // sign.
    let boundaries = Rational::new((2 * masses.lower().len() as u64 + 4).into(), (1u64 << depth).into());
    assert!(*certificate.unresolved() <= boundaries, "{decay:?} at {BITS}: {}", certificate.unresolved());
}

/// The shipped code at small widths, on every tape: every output, refinement and open last cell included.
#[test]
fn small_words_enumerated() {
    for (n, d) in [(1, 3), (1, 1), (5, 2), (7, 1)] {
        let (scale, variance) = (positive(n, d), positive(n * n, d * d));
        let laplace = LaplacePmf::new(&scale, 100);
        let gaussian = GaussianPmf::new(&variance, 100).unwrap();
        check::<8>(Decay::Laplace { scale: scale.clone() }, &laplace, 16);
        check::<4>(Decay::Laplace { scale }, &laplace, 16);
        check::<8>(Decay::Gaussian { variance: variance.clone() }, &gaussian, 16);
        check::<4>(Decay::Gaussian { variance }, &gaussian, 16);
    }
}
