//! The hypothesis-testing reading: what (ε, δ) leaves to whoever tries to tell two neighbouring inputs apart.

use num_traits::One;

use crate::exact::{Enclosure, Probability, Rational};

/// Encloses min(1, e^ε·f + δ): the largest true-positive rate of any test between two neighbouring inputs
/// whose false-positive rate is at most f, if the mechanism is (ε, δ)-private (Wasserman and Zhou 2010,
/// Theorem 2.4; Kairouz, Oh and Viswanath 2015, Theorem 2.1).
///
/// A test is an event S of the outputs; (ε, δ)-privacy says P(S) ≤ e^ε·Q(S) + δ.
///
/// ```
/// use certus::{account::attacker_true_positive_rate, exact::{Enclosure, Probability, Rational, parse}};
///
/// let of = |text| Enclosure::enclosing(&parse(text).unwrap(), 64).unwrap();
/// let one_percent = Probability::new(parse("0.01")?)?;
/// let rate = attacker_true_positive_rate(&of("1"), &of("1e-6"), &one_percent);
/// assert!(rate.to_string().starts_with("[0.0271838"), "{rate}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn attacker_true_positive_rate(epsilon: &Enclosure, delta: &Enclosure, false_positives: &Probability) -> Enclosure {
    const BITS: u32 = 64;
    let one = Enclosure::from_integer(1, BITS);
    if *false_positives.get() == Rational::from_integer(0.into()) {
        return at_most_one(delta.clone());
    }
    // Beyond the reach of `exp`, e^ε·f could still be small for an absurdly small f; 1 is then an upper
    // bound, and δ a lower one.
    let Some(factor) = epsilon.exp(BITS) else { return at_most_one(delta.hull(&one)) };
    let precision = factor.precision().max(BITS);
    at_most_one(factor.at_precision(precision).mul_rational(false_positives.get()).add(delta))
}

/// {min(1, x)}, for x ≥ 0.
fn at_most_one(x: Enclosure) -> Enclosure {
    let one = Rational::one();
    let (lower, upper) = (x.lower().min(one.clone()), x.upper().min(one));
    Enclosure::from_bounds(&lower, &upper, x.precision()).unwrap_or(x)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::parse;

    fn rate(epsilon: &str, delta: &str, false_positives: &str) -> Enclosure {
        let of = |text| Enclosure::from_rational(&parse(text).unwrap(), 80);
        attacker_true_positive_rate(
            &of(epsilon),
            &of(delta),
            &Probability::new(parse(false_positives).unwrap()).unwrap(),
        )
    }

    #[test]
    fn rates_at_the_ends() {
        // ε = 0, δ = 0: the attacker guesses.
        assert!(rate("0", "0", "0.01").contains(&parse("0.01").unwrap()));
        assert!(rate("0", "1/4", "0").contains(&parse("1/4").unwrap()));
        assert!(rate("0", "1/4", "1/10").contains(&parse("7/20").unwrap()));
        assert_eq!(rate("10", "0", "0.01"), Enclosure::from_integer(1, 0));
        assert_eq!(rate("1e900", "0", "0.01").upper(), Rational::one());
        // A false-positive rate of nothing gives nothing, whatever ε.
        assert!(rate("1e900", "0", "0").contains(&parse("0").unwrap()));
    }

    /// Randomized response with γ = 1/4: ε = ln 3, δ = 0, and the test "said yes" has rates 1/4 and 3/4.
    #[test]
    fn the_bound_is_reached() {
        let ln_three = Enclosure::from_integer(3, 0).ln(80).unwrap();
        let quarter = Probability::new(parse("1/4").unwrap()).unwrap();
        let rate = attacker_true_positive_rate(&ln_three, &Enclosure::from_integer(0, 0), &quarter);
        assert!(rate.contains(&parse("3/4").unwrap()) && rate.width() < parse("1e-15").unwrap(), "{rate}");
    }
}
