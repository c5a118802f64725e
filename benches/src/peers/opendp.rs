//! OpenDP's samplers, which draw from a source of its own choosing: ThreadRng, or OpenSSL under `opendp-openssl`.

use dashu::{base::Signed, integer::IBig, rational::RBig};
use opendp::{
    error::Fallible,
    traits::samplers::{sample_discrete_gaussian, sample_discrete_laplace},
};

use super::{Sampler, end, one_by_one};
use crate::group::{Group, Noise};

/// The configuration is part of the name, since only one can be compiled in.
pub const NAME: &str = if cfg!(feature = "opendp-openssl") { "opendp-openssl" } else { "opendp" };

/// Where its randomness comes from.
pub const NOTE: &str = if cfg!(feature = "opendp-openssl") { "on OpenSSL" } else { "on ThreadRng" };

/// CKS20 on big rationals.
pub fn sampler(group: &Group) -> Box<dyn Sampler> {
    let draw: fn(RBig) -> Fallible<IBig> = match group.noise {
        Noise::Laplace => sample_discrete_laplace,
        Noise::Gaussian => sample_discrete_gaussian,
    };
    let text = format!("{}/{}", group.scale.numerator(), group.scale.denominator());
    let scale: RBig = text.parse().expect("a fraction of two integers");
    one_by_one(move || {
        let sample = draw(scale.clone()).expect("the source of randomness does not fail");
        i64::try_from(&sample).unwrap_or_else(|_| end(sample.is_negative()))
    })
}
