//! e^x and ln x of enclosures: both rise, so the image is between the images of the bounds.

use num_traits::Signed;

use super::{Enclosure, NonNegative, Positive, Rational, exp_neg_relative, ln};

impl Enclosure {
    /// `{e^x}`, its bounds each within a relative 2^-bits; `None` if an |x| exceeds 2^20.
    ///
    /// ```
    /// use certus::exact::Enclosure;
    ///
    /// let e = Enclosure::from_integer(1, 0).exp(30).expect("1 is small");
    /// assert!(e.to_string().starts_with("[2.71828182"), "{e}");
    /// ```
    #[must_use]
    pub fn exp(&self, bits: u32) -> Option<Self> {
        Some(exp(&self.lower(), bits)?.hull(&exp(&self.upper(), bits)?))
    }

    /// `{ln x}`, each bound within 2^-precision; `None` unless every x is positive.
    ///
    /// ```
    /// use certus::exact::Enclosure;
    ///
    /// let ln_three = Enclosure::from_integer(3, 0).ln(30).expect("3 is positive");
    /// assert!(ln_three.to_string().starts_with("[1.09861228"), "{ln_three}");
    /// assert_eq!(Enclosure::from_integer(0, 0).ln(30), None);
    /// ```
    #[must_use]
    pub fn ln(&self, precision: u32) -> Option<Self> {
        let at = |bound: Rational| Positive::new(bound).ok().map(|bound| ln(&bound, precision));
        Some(at(self.lower())?.hull(&at(self.upper())?))
    }
}

/// Encloses e^x to a relative 2^-bits.
fn exp(x: &Rational, bits: u32) -> Option<Enclosure> {
    let magnitude = NonNegative::new(x.abs()).ok()?;
    if x.abs() > Rational::from_integer((1 << 20).into()) {
        return None;
    }
    let falling = exp_neg_relative(&magnitude, bits.checked_add(2)?)?;
    if !x.is_positive() {
        return Some(falling);
    }
    let quotient = Enclosure::from_integer(1, 0).div(&falling)?;
    // e^x ≥ 1, so that bits + 2 digits after the point are more than a relative 2^-bits needs.
    Some(quotient.at_precision(bits.checked_add(2)?.min(quotient.precision())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(numerator: i64, denominator: i64) -> Rational {
        Rational::new(numerator.into(), denominator.into())
    }

    #[test]
    fn e_to_the_x_and_back() {
        for x in
            [ratio(0, 1), ratio(1, 7), ratio(-1, 7), ratio(22, 7), ratio(-300, 1), ratio(300, 1), ratio(1, 1_000_000)]
        {
            for bits in [10, 64, 300] {
                let image = exp(&x, bits).unwrap();
                assert!(
                    image.width() * Rational::from_integer(num_bigint::BigInt::from(1) << bits) <= image.lower(),
                    "{x}: {image}"
                );
                let back = image.ln(bits).unwrap();
                assert!(back.contains(&x), "{x}: {back}");
            }
        }
        assert_eq!(exp(&ratio(1 << 21, 1), 10), None);
        let product = exp(&ratio(5, 3), 100).unwrap().mul(&exp(&ratio(-5, 3), 100).unwrap());
        assert!(product.contains(&ratio(1, 1)));
    }
}
