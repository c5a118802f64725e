//! What a spec in a plan says of neighbouring inputs: the mechanisms of the catalogue, and those that only an
//! account can name.

use super::{Spec, SpecError, catalogue, from_spec};
use crate::guarantee::Domination;

/// The domination that a spec names, its number of copies aside.
///
/// Beside the catalogue's mechanisms there are `subsampled_gaussian(sigma=…, rate=…)` and
/// `subsampled_laplace(scale=…, rate=…)`: the mechanism on a Poisson sample, in which every person is with
/// probability `rate`, for inputs that differ in one person's presence. Zhu, Dong and Wang 2022, Theorem 11:
/// with (P, Q) the pair of the mechanism on the sample with and without the person, ((1 − r)·Q + r·P, Q)
/// dominates. It is attained where (P, Q) is: by a query that is Δ if the person is in the sample and 0
/// otherwise, whoever else is. Without the person the release is Q, and with the person P in a share r of the
/// samples and Q in the others.
///
/// `subsampled_gaussian_vector(sigma=…, coordinates=…, sensitivity2=…, rate=…)` is Gaussian noise on every
/// coordinate of a vector of bounded L2 norm, of such a sample; `dp_sgd(noise_multiplier=…, rate=…, clip=…,
/// coordinates=…)` is the same for gradients on an integer grid that are clipped to a norm of `clip` steps: σ
/// = noise_multiplier·clip. `subsampled_gaussian` is about one number, and not about a gradient.
///
/// Nothing can be drawn from them without the data, so they are no mechanisms of the catalogue.
///
/// ```
/// use certus::mechanism::domination;
///
/// let spec = "subsampled_gaussian(sigma=2, rate=1/100)*1000".parse()?;
/// assert_eq!(domination(&spec)?.forward().len(), 1);
/// # Ok::<(), certus::mechanism::SpecError>(())
/// ```
///
/// # Errors
///
/// If there is no such mechanism, or a key is missing, unknown, out of range or at odds with another.
pub fn domination(spec: &Spec) -> Result<Domination, SpecError> {
    catalogue::sampled(spec).unwrap_or_else(|| Ok(from_spec(spec)?.domination()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guarantee::Pair;
    use alloc::string::ToString;

    fn of(text: &str) -> Result<Domination, SpecError> {
        domination(&text.parse().unwrap())
    }

    #[test]
    fn a_subsampled_spec_is_the_pair_mixed() {
        let plain = of("gaussian(sigma=3/2, sensitivity=2)").unwrap();
        let sampled = of("subsampled_gaussian(sigma2=9/4, sensitivity=2, rate=0.25)").unwrap();
        let [Pair::Subsampled { rate, of, reversed: false }] = sampled.forward() else { panic!() };
        assert_eq!((rate.to_string().as_str(), &**of), ("1/4", &plain.forward()[0]));
        assert!(matches!(sampled.backward(), [Pair::Subsampled { reversed: true, .. }]));
    }

    #[test]
    fn refusals_name_the_key() {
        for (text, expected) in [
            ("subsampled_gaussian(sigma=1)", "subsampled_gaussian: rate: must be given"),
            ("subsampled_laplace(scale=1, rate=3/2)", "subsampled_laplace: rate: must be from 0 to 1"),
            ("subsampled_laplace(rate=1/2)", "subsampled_laplace: scale: must be given"),
            ("subsampled_laplace(scale=0, rate=1/2)", "subsampled_laplace: scale: must be positive (> 0)"),
            (
                "subsampled_gaussian(sigma=1, rte=1)",
                "subsampled_gaussian: rte: unknown key; accepted: sigma, sigma2, sensitivity, rate",
            ),
            ("subsampled_gaussian_vector(sigma=1, coordinates=3)", "subsampled_gaussian_vector: rate: must be given"),
            ("dp_sgd(noise_multiplier=1, rate=1/2, clip=8)", "dp_sgd: coordinates: must be given"),
            (
                "dp_sgd(noise_multiplier=1, rate=1/2, clip=8, coordinates=2e12)",
                "dp_sgd: coordinates: must be an integer from 1 to 2^40",
            ),
            (
                "dp_sgd(noise_multiplier=1, rate=1/2, clip=1/2, coordinates=2)",
                "dp_sgd: clip: must be a positive integer of at most 75 digits: the clip norm in steps of the grid, such as 2^20 = 1048576",
            ),
            (
                "dp_sgd(noise=1, rate=1/2, clip=8, coordinates=2)",
                "dp_sgd: noise: unknown key; accepted: noise_multiplier, rate, clip, coordinates",
            ),
            ("subsampled_laplace(scale=[1], rate=1)", "subsampled_laplace: scale: must be a number, not a list"),
        ] {
            assert_eq!(of(text).unwrap_err().to_string(), expected, "{text}");
        }
    }
}
