//! libprio's samplers, on ChaCha20.

use num_bigint::{BigInt, Sign};
use prio::dp::{
    DifferentialPrivacyStrategy, PureDpBudget, Rational, ZCdpBudget,
    distributions::{PureDpDiscreteLaplace, ZCdpDiscreteGaussian},
};
use rand::{SeedableRng, distr::Distribution};
use rand_chacha::ChaCha20Rng;

use super::{SEED, Sampler, end, one_by_one};
use crate::group::{Group, Noise};

/// CKS20 on big rationals.
///
/// The distributions' own constructors take rationals of two `u128`. Sensitivity over budget, both big integers, is the
/// scale exactly and of any size.
pub fn sampler(group: &Group) -> Box<dyn Sampler> {
    let sensitivity = Rational::from(group.scale.numerator().clone());
    let epsilon = Rational::from(group.scale.denominator().clone());
    match group.noise {
        Noise::Laplace => {
            let budget = PureDpBudget::new(epsilon).expect("a positive budget");
            distribution(PureDpDiscreteLaplace::from_budget(budget).create_distribution(sensitivity))
        }
        Noise::Gaussian => {
            let budget = ZCdpBudget::new(epsilon).expect("a positive budget");
            distribution(ZCdpDiscreteGaussian::from_budget(budget).create_distribution(sensitivity))
        }
    }
}

fn distribution<D: Distribution<BigInt> + 'static>(distribution: Result<D, prio::dp::DpError>) -> Box<dyn Sampler> {
    let distribution = distribution.expect("a positive scale");
    let mut rng = ChaCha20Rng::from_seed(SEED);
    one_by_one(move || {
        let sample = distribution.sample(&mut rng);
        i64::try_from(&sample).unwrap_or_else(|_| end(sample.sign() == Sign::Minus))
    })
}
