//! Zero-concentrated privacy, and what it implies.

use num_bigint::BigInt;
use num_traits::{One, Signed};

use super::{moments, refined, total};
use crate::{
    account::{Plan, Precision},
    exact::{Enclosure, NonNegative, Positive, Rational, ln},
    guarantee::Pair,
};

/// Encloses the smallest ρ with D_α ≤ ρ·α for every α > 1, in both directions: the plan is ρ-zCDP (Bun and Steinke 2016).
///
/// The lower bound is the limit of D_α/α as α falls to 1, the Kullback–Leibler divergence. The upper bound adds up that of each run:
///
/// * a discrete Gaussian's Δ²/2σ² (Canonne, Kamath and Steinke 2020, Theorem 4), which is the lower one too;
/// * ε·tanh(ε/2) of whatever is purely ε-private. It is dominated by binary randomized response (Kairouz, Oh and Viswanath 2015,
///   Theorem 2.5: it is a post-processing of it), for which (α − 1)·D_α = ln(cosh((α − ½)ε)/cosh(ε/2)). As ln cosh √v is concave in v, this is at most its
///   tangent at v = ε²/4, which is α(α − 1)·ε·tanh(ε/2). It is smaller than the ε²/2 of Bun and Steinke, and again the lower bound of
///   binary randomized response, and of Laplace noise at sensitivity 1.
///
/// `None` where a part has neither: where it is subsampled, dominated by several pairs, or reveals its input with some probability.
///
/// ```
/// use certus::{account::{Plan, Precision, zcdp}, exact::parse, mechanism::Mechanism};
///
/// let mechanism = Mechanism::from_spec(&"gaussian(sigma=10)".parse()?)?;
/// let plan = Plan::new().with(&mechanism.domination(), 100);
/// let rho = zcdp(&plan, &Precision::default()).expect("a Gaussian has one");
/// assert!(rho.contains(&parse("1/2")?), "{rho}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn zcdp(plan: &Plan, precision: &Precision) -> Option<Enclosure> {
    refined(precision, |bits| {
        let least = total(plan, |pair| moments::kullback_leibler(pair, bits))?;
        let most = total(plan, |pair| upper(pair, bits))?;
        Enclosure::from_bounds(&least.lower(), &most.upper().max(least.lower()), bits)
    })
}

fn upper(pair: &Pair, bits: u32) -> Option<Enclosure> {
    match pair {
        Pair::Gaussian { .. } => moments::kullback_leibler(pair, bits),
        _ => {
            let epsilon = moments::largest_loss(pair, bits)?;
            let (one, q) = (Enclosure::from_integer(1, bits), epsilon.neg().exp(bits)?.at_precision(bits));
            Some(epsilon.mul(&one.sub(&q).div(&one.add(&q))?))
        }
    }
}

/// An upper bound on δ(ε) of whatever is ρ-zCDP: the least found of e^((α−1)(αρ−ε))·(1 − 1/α)^α/(α − 1), which is one for every α > 1 (Canonne,
/// Kamath and Steinke 2020, Proposition 7). The α is searched for; whichever is found, the bound holds. For the other way, an ε for a δ, there is
/// [`Guarantee::to_approximate`](crate::guarantee::Guarantee::to_approximate).
///
/// ```
/// use certus::{account::zcdp_delta, exact::{NonNegative, Positive, parse}};
///
/// let (rho, epsilon) = (Positive::new(parse("1/2")?)?, NonNegative::new(parse("4")?)?);
/// let bound = zcdp_delta(&rho, &epsilon).expect("within reach");
/// // The Gaussian mechanism of this ρ has δ(4) = 9.96e-5.
/// assert!(bound > parse("1e-4")? && bound < parse("6e-4")?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn zcdp_delta(rho: &Positive, epsilon: &NonNegative) -> Option<Rational> {
    // Near the least, α ≈ (ε + ρ)/2ρ.
    let guess = (epsilon.get() - rho.get()) / (rho.get() * BigInt::from(2));
    let logarithm = |above: &Rational| {
        let alpha = above + Rational::one();
        let exponent = above * (&alpha * rho.get() - epsilon.get());
        let power = ln(&Positive::new(above / &alpha).ok()?, BITS).mul_rational(&alpha);
        Some(
            Enclosure::from_rational(&exponent, BITS)
                .add(&power)
                .sub(&ln(&Positive::new(above.clone()).ok()?, BITS))
                .upper(),
        )
    };
    let least = search(guess, logarithm)?;
    let bound = Enclosure::from_rational(&least, BITS).exp(BITS)?.upper();
    Some(bound.min(Rational::one()))
}

const BITS: u32 = 80;

/// The least value found at α − 1 = guess·m/64 for integers m, by trisection of what has one least value.
fn search(guess: Rational, at: impl Fn(&Rational) -> Option<Rational>) -> Option<Rational> {
    let guess = if guess.is_positive() { guess } else { Rational::one() };
    let unit = guess / BigInt::from(64);
    let at = |m: u32| at(&(&unit * BigInt::from(m)));
    let (mut low, mut high) = (1_u32, 256_u32);
    let mut least = at(64)?;
    while high - low > 2 {
        let third = (high - low) / 3;
        let (a, b) = (low + third, high - third);
        let (at_a, at_b) = (at(a)?, at(b)?);
        if at_a < at_b {
            high = b;
        } else {
            low = a;
        }
        least = least.min(at_a).min(at_b);
    }
    Some(least)
}

#[cfg(test)]
mod tests {
    use super::super::tests::plan;
    use super::*;
    use crate::{
        account::renyi,
        exact::{Real, parse},
        guarantee::{Guarantee, Privacy, Relation},
    };

    fn rho(specs: &[&str]) -> Enclosure {
        zcdp(&plan(specs), &Precision::default()).unwrap()
    }

    #[test]
    fn known_values() {
        assert!(rho(&["gaussian(sigma=2, sensitivity=3)*10"]).contains(&parse("45/4").unwrap()));
        // ε·tanh(ε/2) for ε = ln 3: ln 3/2.
        let response = rho(&["randomized_response(gamma=1/4)"]);
        let half_ln_three = Enclosure::from_integer(3, 0).ln(80).unwrap().mul_rational(&parse("1/2").unwrap());
        assert!(response.intersects(&half_ln_three) && response.width() < parse("1e-12").unwrap(), "{response}");
        // Laplace noise at sensitivity 1 is binary randomized response with ε = 1/s.
        let (laplace, same) = (rho(&["laplace(scale=2)"]), rho(&["randomized_response(epsilon=1/2)"]));
        assert!(laplace.intersects(&same) && laplace.width() < parse("1e-12").unwrap(), "{laplace} {same}");
        // Together they add up, and stay enclosed as narrowly.
        let both = rho(&["laplace(scale=2)*3", "gaussian(sigma=1)"]);
        assert!(both.intersects(
            &laplace.mul_rational(&parse("3").unwrap()).add(&Enclosure::from_rational(&parse("1/2").unwrap(), 80))
        ));
        assert!(zcdp(&plan(&["randomized_response(p=1)"]), &Precision::default()).is_none());
    }

    /// The definition, at many orders: D_α ≤ ρ·α with the upper bound, and no ρ below the lower bound would do.
    #[test]
    fn the_definition_holds() {
        for spec in [
            "laplace(scale=1/2)",
            "laplace(scale=3, sensitivity=4)",
            "randomized_response(epsilon=3)",
            "randomized_response(p=2/3, k=5)",
        ] {
            let rho = rho(&[spec]);
            for alpha in ["1001/1000", "11/10", "3/2", "2", "4", "17", "200"] {
                let alpha = parse(alpha).unwrap();
                let divergence = renyi(&plan(&[spec]), &alpha, &Precision::default()).unwrap();
                assert!(divergence.lower() <= rho.upper() * &alpha, "{spec} {alpha}: {divergence} {rho}");
            }
            let near = renyi(&plan(&[spec]), &parse("1000001/1000000").unwrap(), &Precision::default()).unwrap();
            assert!(near.upper() > rho.lower() * parse("0.9999").unwrap(), "{spec}: {near} {rho}");
        }
    }

    /// Both conversions hold for the Gaussian mechanism itself, whose ρ they take, and agree with each other.
    #[test]
    fn conversions_are_bounds() {
        let precision = Precision { digits: 6 };
        for (sigma, epsilon) in [("1", "4"), ("2", "1"), ("1/2", "8")] {
            let noise = plan(&[&alloc::format!("gaussian(sigma={sigma})")]);
            let rho = Positive::new(zcdp(&noise, &precision).unwrap().upper()).unwrap();
            let epsilon = NonNegative::new(parse(epsilon).unwrap()).unwrap();
            let bound = zcdp_delta(&rho, &epsilon).unwrap();
            let truth = crate::account::delta(&noise, &epsilon, &precision).unwrap().enclosure;
            assert!(truth.upper() <= bound && bound <= truth.upper() * BigInt::from(10), "{truth} {bound}");
            // The way back, by another search.
            let rho = Guarantee::zcdp(Relation::ChangeOne, Real::from(rho.get().clone())).unwrap();
            let back = rho.to_approximate(&Real::from(bound)).unwrap();
            let Privacy::Approximate { epsilon: back, .. } = back.privacy() else { panic!("{back}") };
            assert!((back.at_most(60).unwrap() / epsilon.get() - Rational::one()).abs() < parse("0.001").unwrap());
        }
    }
}
