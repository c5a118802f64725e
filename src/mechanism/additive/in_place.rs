//! Noise on many machine words at a time, in place.

use super::{GaussianVector, LaplaceVector, LengthError};
use crate::{
    bits::Bits,
    guarantee::{Filter, Released},
    mechanism::{Private, ReleaseError},
};

macro_rules! in_place {
    ($($mechanism:ident)*) => {$(
        impl $mechanism {
            /// Adds noise to each answer, by the mechanism's sampler; what is returned is how many sums were
            /// past 64 bits and were clamped, which is post-processing.
            ///
            /// # Errors
            ///
            /// If there are not as many answers as coordinates, or the source of bits fails. Every answer is
            /// then overwritten with 0: those that had no noise yet are private.
            pub fn add_noise<B: Bits + ?Sized>(
                &self,
                answers: &mut [i64],
                bits: &mut B,
            ) -> Result<Released<usize>, ReleaseError<LengthError>> {
                if answers.len() != self.coordinates() {
                    answers.fill(0);
                    return Err(ReleaseError::Input(LengthError { coordinates: self.coordinates() }));
                }
                let clamped = self.each().noise().add_noise(bits, answers)?;
                Ok(Released::new(clamped, self.guarantee()))
            }

            /// The same, paid for by a budget, before anything is drawn.
            ///
            /// # Errors
            ///
            /// As [`add_noise`](Self::add_noise), and if the budget does not suffice: then nothing is spent.
            /// Every answer is then overwritten with 0.
            pub fn add_noise_within<B: Bits + ?Sized>(
                &self,
                budget: &mut Filter,
                answers: &mut [i64],
                bits: &mut B,
            ) -> Result<Released<usize>, ReleaseError<LengthError>> {
                let paid = if answers.len() == self.coordinates() { budget.debit(&self.guarantee()) } else { Ok(()) };
                paid.inspect_err(|_| answers.fill(0))?;
                self.add_noise(answers, bits)
            }
        }
    )*};
}

in_place!(LaplaceVector GaussianVector);

#[cfg(test)]
mod tests {
    use alloc::{vec, vec::Vec};

    use super::*;
    use crate::{
        bits::{Replay, seeded},
        exact::{Integer, Rational, Real},
        guarantee::{DebitError, Guarantee, L1, Relation, Sensitivity},
        mechanism::additive::{GaussianMechanism, LaplaceMechanism},
        sample::{Program, Sampler, fixed::Mode},
    };

    const SAMPLERS: [Sampler; 3] = [Sampler::Reference, Sampler::Prepared, Sampler::Fixed(Mode::Standard)];

    fn laplace(coordinates: usize) -> LaplaceVector {
        let histogram = Sensitivity::<L1>::of_histogram(Relation::AddRemove);
        LaplaceMechanism::with_scale(&histogram, &Rational::from_integer(50.into()))
            .unwrap()
            .vector(coordinates)
            .unwrap()
    }

    fn gaussian(coordinates: usize) -> GaussianVector {
        let histogram = Sensitivity::<L1>::of_histogram(Relation::AddRemove).to_l2_squared();
        let each = GaussianMechanism::with_sigma(&histogram, &Rational::from_integer(50.into()));
        each.unwrap().vector(coordinates).unwrap()
    }

    /// In place, what is added is the noise that the sampler draws, at every length about a batch; past a
    /// word it is clamped and counted.
    #[test]
    fn what_is_added_is_the_noise() {
        for (sampler, length) in SAMPLERS.into_iter().flat_map(|sampler| [1, 63, 64, 65, 1500].map(|n| (sampler, n))) {
            let mechanism = laplace(length).with_sampler(sampler).unwrap();
            let mut noise = vec![0_i64; length];
            mechanism.each().noise().fill(&mut seeded([4; 32]), &mut noise).unwrap();
            let mut answers: Vec<i64> = (0..).take(length).collect();
            let released = mechanism.add_noise(&mut answers, &mut seeded([4; 32])).unwrap();
            let expected: Vec<i64> = noise.iter().zip(0..).map(|(noise, answer)| noise + answer).collect();
            assert_eq!((answers, *released.get()), (expected, 0), "{sampler:?} {length}");
            assert_eq!(released.guarantee(), &mechanism.guarantee());
            let mut edge = vec![i64::MAX; length];
            let clamped = *mechanism.add_noise(&mut edge, &mut seeded([4; 32])).unwrap().get();
            assert_eq!(clamped, noise.iter().filter(|noise| **noise > 0).count(), "{sampler:?} {length}");
            assert!(edge.iter().zip(&noise).all(|(sum, noise)| *sum == i64::MAX.saturating_add(*noise)));
        }
    }

    /// One release is the same noise by either way of drawing: the vector's program draws it coordinate by
    /// coordinate.
    #[test]
    fn each_sampler_draws_a_vector() {
        for sampler in SAMPLERS {
            let mechanism = gaussian(3).with_sampler(sampler).unwrap();
            let release = mechanism.on(&[1, 2, 3].map(Integer::from)).unwrap();
            assert_eq!(release.sample(&mut seeded([4; 32])).unwrap().len(), 3);
            assert_ne!(mechanism.sampler(), "");
        }
    }

    /// Nothing of the answers is left where there is no noise, and what is refused costs nothing.
    #[test]
    fn errors_leave_zeros_and_cost_what_they_say() {
        let budget = || Filter::new(Guarantee::pure(Relation::AddRemove, Real::ratio(1, 50)).unwrap());
        for sampler in SAMPLERS {
            let mechanism = laplace(100).with_sampler(sampler).unwrap();
            let (mut filter, mut answers) = (budget(), vec![7; 99]);
            let wrong = mechanism.add_noise_within(&mut filter, &mut answers, &mut seeded([4; 32]));
            assert_eq!(wrong.unwrap_err(), ReleaseError::Input(LengthError { coordinates: 100 }));
            assert_eq!((answers, filter.spent()), (vec![0; 99], Filter::new(filter.remaining()).spent()));
            // A source that ends midway: paid for, and nothing released.
            let mut answers = vec![7; 100];
            let ended = mechanism.add_noise_within(
                &mut filter,
                &mut answers,
                &mut Replay::new(core::iter::repeat_n(true, 640).collect()),
            );
            assert!(matches!(ended, Err(ReleaseError::Bits(_))), "{sampler:?}");
            assert_eq!((answers, filter.spent()), (vec![0; 100], mechanism.guarantee()));
            let mut answers = vec![7; 100];
            let refused = mechanism.add_noise_within(&mut filter, &mut answers, &mut seeded([4; 32]));
            assert_eq!(refused.unwrap_err(), ReleaseError::Budget(DebitError::Exceeded));
            assert_eq!((answers, filter.spent()), (vec![0; 100], mechanism.guarantee()));
        }
    }
}
