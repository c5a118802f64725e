//! Zero-concentrated privacy, and what it implies.

use alloc::vec::Vec;

use num_bigint::{BigInt, BigUint};
use num_traits::{One, Signed, Zero};

use super::{MOST_BITS, cumulant::Loss, moments, supremum::Supremum};
use crate::{
    account::{Direction, Plan, Precision, answer::is_narrow, simplified::directions},
    exact::{Budget, Enclosure, NonNegative, Positive, Rational, Working, ln},
    guarantee::Pair,
};

/// Steps that the search takes, about a nanosecond each.
const MOST_STEPS: u64 = 1_500_000_000;

/// Encloses the smallest ρ with D_α ≤ ρ·α for every α > 1, in both directions: the plan is ρ-zCDP (Bun and
/// Steinke 2016).
///
/// That is the supremum of K(s)/(s(s+1)) over s = α − 1 > 0, K the sum of the cumulant generating functions
/// of all losses.
///
/// * **Bounded losses** (Laplace noise, finite pairs, and either subsampled): the supremum is searched for on
///   cells, with an upper bound for each. Often it is the limit at α = 1, the Kullback–Leibler divergence
///   (Harrison and Manurangsi 2026 prove it for Laplace noise, and for randomized response among up to six
///   answers); often it is not, and no formula is known.
/// * **Gaussian noise**: D_α ≤ α·Δ²/2σ² (Canonne, Kamath and Steinke 2020, Theorem 4), with equality in the
///   limit at 1 and wherever αΔ is an integer.
/// * **Subsampled Gaussian noise** has the same ρ, whatever the rate r > 0: divergences are convex in either
///   argument, so that sampling raises none, and Σ((1−r)Q + rP)^α·Q^(1−α) ≥ r^α·ΣP^α·Q^(1−α) says D_α/α ≥
///   Δ²/2σ² + ln(r)/(α − 1), which tends to Δ²/2σ². ρ is decided by orders that no account would use:
///   sampling shows in [`renyi`](super::renyi) and in δ(ε), not in ρ.
///
/// * **Gaussian noise on vectors** of length up to Δ: the divergences of coordinates add up, D_α ≤ α·Δ²/2σ².
///
/// Of bounded losses beside Gaussian noise the upper bounds are added up, and the lower bound is the largest
/// seen: where the two reach their suprema at different orders, the enclosure is as wide as that is far.
///
/// `None` where ρ is infinite, as where the input is revealed with some probability, and where a part is
/// dominated by several pairs.
///
/// ```
/// use certus::{account::{Plan, Precision, zcdp}, exact::parse, mechanism::from_spec};
///
/// let mechanism = from_spec(&"gaussian(sigma=10)".parse()?)?;
/// let plan = Plan::of(&mechanism.domination(), 100);
/// let rho = zcdp(&plan, &Precision::default()).expect("a Gaussian has one");
/// assert!(rho.contains(&parse("1/2")?), "{rho}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn zcdp(plan: &Plan, precision: &Precision) -> Option<Enclosure> {
    if plan.has_vectors() {
        let above = zcdp(&plan.of_their_length()?, precision)?;
        let below = plan.below().and_then(|plan| zcdp(&plan, precision)).map_or_else(Rational::zero, |rho| rho.lower());
        return Enclosure::from_bounds(&below.min(above.upper()), &above.upper(), above.precision());
    }
    let budget = Budget::new(MOST_STEPS);
    let directions = directions(plan);
    let mut bits = precision.bits().saturating_add(64);
    let mut found: Option<Enclosure> = None;
    while bits <= MOST_BITS {
        let all: Option<Vec<_>> =
            directions.iter().map(|direction| of_direction(direction, precision, bits, &budget)).collect();
        let lower = all.as_ref().and_then(|all| all.iter().map(|(lower, _)| lower.clone()).max());
        let upper = all.as_ref().and_then(|all| all.iter().map(|(_, upper)| upper.clone()).max());
        if let (Some(lower), Some(upper)) = (lower, upper) {
            let next = Enclosure::from_bounds(&lower, &upper, bits)?;
            let is_stuck = found.as_ref().is_some_and(|found| next.width() * BigInt::from(2) > found.width());
            found = Some(found.and_then(|found| found.intersection(&next)).unwrap_or(next));
            if is_stuck {
                break;
            }
        }
        if found.as_ref().is_some_and(|found| is_narrow(found, precision)) || budget.left() == 0 {
            break;
        }
        bits = bits.saturating_mul(2);
    }
    found
}

/// A lower and an upper bound of one direction's ρ.
fn of_direction(
    direction: &Direction,
    precision: &Precision,
    bits: u32,
    budget: &Budget,
) -> Option<(Rational, Rational)> {
    let working = Working::within(bits, budget);
    let mut bounded = Vec::new();
    // Σ Δ²/2σ² of what is not sampled, and of all; and the pairs of the first.
    let (mut plain, mut all, mut noises) = (Rational::zero(), Rational::zero(), Vec::new());
    // Whether the limit at infinity is that of all Gaussian noise.
    let mut is_reached = true;
    for part in direction {
        // Several pairs: the supremum of their profiles is the profile of a pair that is none of them.
        let pair = part.pair()?;
        let copies = Rational::from_integer(part.copies().into());
        match pair {
            Pair::Gaussian { variance, shift } => {
                let rho = gaussian(variance, shift) * &copies;
                plain += &rho;
                all += rho;
                noises.push((pair, copies));
            }
            Pair::Subsampled { of, reversed, .. } if matches!(**of, Pair::Gaussian { .. }) => {
                let Pair::Gaussian { variance, shift } = &**of else { return None };
                all += gaussian(variance, shift) * &copies;
                is_reached &= !reversed;
            }
            _ => bounded.push((Loss::new(pair, &working)?, copies)),
        }
    }
    if bounded.is_empty() {
        return Some((if is_reached { all.clone() } else { plain }, all));
    }
    let found = Supremum::new(&bounded, &working).find(precision)?;
    // The Gaussian noise beside, at the order where the rest is largest.
    let mut beside = plain;
    if found.at.is_positive() {
        let alpha = &found.at + Rational::one();
        let divergences =
            noises.iter().map(|(pair, copies)| Some(moments::renyi(pair, &alpha, bits)?.mul_rational(copies)));
        let sum = divergences.collect::<Option<Vec<_>>>()?.into_iter().sum::<Enclosure>();
        beside = sum.lower() / alpha;
    }
    let mut lower = found.lower + beside;
    if is_reached {
        lower = lower.max(all.clone());
    }
    Some((lower, found.upper + all))
}

/// Δ²/2σ².
fn gaussian(variance: &Positive, shift: &BigUint) -> Rational {
    let square = Rational::from_integer(BigInt::from(shift * shift));
    square / (variance.get() * BigInt::from(2))
}

/// An upper bound on δ(ε) of whatever is ρ-zCDP: the least found of e^((α−1)(αρ−ε))·(1 − 1/α)^α/(α − 1),
/// which is one for every α > 1 (Canonne, Kamath and Steinke 2020, Proposition 7). The α is searched for;
/// whichever is found, the bound holds. For the other way, an ε for a δ, there is
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
#[allow(clippy::float_arithmetic, reason = "an independent check in doubles")]
mod tests {
    use super::super::tests::{brute, plan};
    use super::*;
    use crate::{
        account::renyi,
        exact::{Probability, Real, parse},
        guarantee::{Domination, FinitePair, Guarantee, Privacy, Relation},
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

    /// The definition, at many orders: D_α ≤ ρ·α with the upper bound, and no ρ below the lower bound would
    /// do.
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

    /// The largest K(s)/(s(s+1)) at many s, in doubles, by the definition, of (P(y), Q(y)) listed.
    fn scanned(outcomes: &[(f64, f64)]) -> f64 {
        let losses: Vec<_> = outcomes.iter().map(|(p, q)| (*p, (p / q).ln())).collect();
        let top = losses.iter().map(|(_, loss)| *loss).fold(f64::MIN, f64::max);
        let at = |s: f64| {
            let sum: f64 = losses.iter().map(|(p, loss)| p * (s * (loss - top)).exp()).sum();
            (s * top + sum.ln()) / (s * (s + 1.0))
        };
        // The limit at s = 0.
        let divergence = losses.iter().map(|(p, loss)| p * loss).sum();
        (-5_000..7_000).map(|n| at((f64::from(n) / 500.0).exp())).fold(divergence, f64::max)
    }

    fn reversed(outcomes: &[(f64, f64)]) -> Vec<(f64, f64)> {
        outcomes.iter().map(|(p, q)| (*q, *p)).collect()
    }

    /// As narrow as asked, and what a scan of all orders in doubles finds, which is a little less than the
    /// supremum.
    fn agrees(plan: &Plan, outcomes: &[(f64, f64)], name: &str) {
        let rho = zcdp(plan, &Precision { digits: 12 }).unwrap();
        assert!(is_narrow(&rho, &Precision { digits: 12 }), "{name}: {rho}");
        let (lower, upper): (f64, f64) = (rho.lower_decimal().parse().unwrap(), rho.upper_decimal().parse().unwrap());
        let found = scanned(outcomes).max(scanned(&reversed(outcomes)));
        assert!(found <= upper * (1.0 + 1e-10) && found >= lower * (1.0 - 2e-5), "{name}: {rho} for {found}");
    }

    /// Where the supremum is a limit, where it is at an order between, of few losses and of many, small and
    /// large.
    #[test]
    fn the_supremum_is_found() {
        for spec in [
            "randomized_response(epsilon=1, k=5)",
            "randomized_response(epsilon=8, k=100)",
            "randomized_response(epsilon=4, k=1000)",
            "randomized_response(epsilon=1/1000, k=100)",
            "laplace(scale=3, sensitivity=4)",
            "laplace(scale=8, sensitivity=100)",
            "laplace(scale=1/2, sensitivity=7)",
        ] {
            agrees(&plan(&[spec]), &brute(spec), spec);
        }
    }

    #[test]
    fn rare_and_telling() {
        for rare in ["1/1000", "1/1000000"] {
            let (p, q) = (parse(rare).unwrap(), parse(rare).unwrap() / BigInt::from(20_000));
            let of = |value: &Rational| Probability::new(value.clone()).unwrap();
            let outcomes = Vec::from([(of(&p), of(&q)), (of(&(Rational::one() - &p)), of(&(Rational::one() - &q)))]);
            let pair = FinitePair::from_probabilities(outcomes).unwrap();
            let p: f64 = crate::exact::decimal(&p, 17, crate::exact::Rounding::Down).parse().unwrap();
            let listed = [(p, p / 20_000.0), (1.0 - p, 1.0 - p / 20_000.0)];
            // Whichever side is called P.
            for pair in [Pair::Finite(pair.clone()).reversed(), Pair::Finite(pair)] {
                agrees(&Plan::of(&Domination::by(pair), 1), &listed, rare);
            }
        }
    }

    fn sampled(spec: &str) -> Plan {
        let spec: crate::mechanism::Spec = spec.parse().unwrap();
        let copies = spec.copies().map_or(1, |copies| copies.get().into());
        Plan::of(&crate::mechanism::domination(&spec).unwrap(), copies)
    }

    #[test]
    fn sampled_laplace_noise() {
        let listed: Vec<_> =
            brute("laplace(scale=1/2, sensitivity=2)").iter().map(|(p, q)| (0.9 * q + 0.1 * p, *q)).collect();
        agrees(&sampled("subsampled_laplace(scale=1/2, sensitivity=2, rate=1/10)"), &listed, "sampled");
    }

    /// The supremum is the limit at infinity, and sampling does not lower it.
    #[test]
    fn sampled_gaussian_noise() {
        let (plan, whole) = (sampled("subsampled_gaussian(sigma=1, rate=1/100)*3"), parse("3/2").unwrap());
        assert_eq!(zcdp(&plan, &Precision::default()).unwrap(), Enclosure::from_rational(&whole, 8));
        let mut last = Rational::zero();
        for (alpha, least) in [("2", "0"), ("16", "0.5"), ("64", "1.2"), ("1024", "1.48")] {
            let alpha = parse(alpha).unwrap();
            let ratio = renyi(&plan, &alpha, &Precision::default()).unwrap().lower() / alpha;
            assert!(ratio > last && ratio > parse(least).unwrap() && ratio < whole, "{ratio}");
            last = ratio;
        }
        // Beside others: both bounds are of the whole, whichever order each is largest at.
        let laplace = crate::mechanism::domination(&"laplace(scale=1)".parse().unwrap()).unwrap();
        let both = sampled("subsampled_gaussian(sigma=1, rate=1/100)").with(&laplace, 1).unwrap();
        let found = zcdp(&both, &Precision::default()).unwrap();
        let laplace = rho(&["laplace(scale=1)"]);
        assert!(found.lower() >= parse("1/2").unwrap() && found.upper() <= parse("1/2").unwrap() + laplace.upper());
        assert!(found.upper() > parse("0.9").unwrap(), "{found}");
    }

    /// Twenty thousand outcomes: no more than the budget, and bounds all the same.
    #[test]
    fn many_losses_end() {
        let weight =
            |n: u32| crate::guarantee::Weight::rational(NonNegative::new(Rational::from_integer(n.into())).unwrap());
        let outcomes = (1..=20_000_u32).map(|n| (weight(n + 20_000), weight(40_001 - n))).collect();
        let pair = Pair::Finite(FinitePair::new(outcomes).unwrap());
        let rho = zcdp(&Plan::of(&Domination::by(pair), 1), &Precision::default()).unwrap();
        assert!(rho.lower().is_positive() && rho.upper() < parse("1/4").unwrap(), "{rho}");
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
