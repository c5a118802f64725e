//! e^x and e^(2πi·r) at a working precision, with the constants that they need computed once.

use num_bigint::{BigInt, BigUint};
use num_integer::Integer as _;
use num_integer::Roots;
use num_traits::{One, Signed, ToPrimitive, Zero};

use super::budget::{Budget, exponential};
use super::ln::{ln, ln_two};
use super::{Disc, Enclosure, NonNegative, Positive, Rational, Scaled, exp_neg};

/// A number of binary digits, and ln 2 and π to somewhat more.
#[derive(Clone, Debug)]
pub(crate) struct Working {
    bits: u32,
    ln_two: Enclosure,
    pi: Enclosure,
    budget: Budget,
}

/// Digits of ln 2 beyond those asked for: an exponent of up to 2^64 is reduced by it.
const GUARD: u32 = 96;

impl Working {
    /// Without a bound on the work.
    pub(crate) fn new(bits: u32) -> Self {
        Self::within(bits, &Budget::unlimited())
    }

    /// What it does is taken from a budget; where that is spent, nothing more is computed.
    pub(crate) fn within(bits: u32, budget: &Budget) -> Self {
        let guarded = bits.saturating_add(GUARD);
        // The next thing that is asked for sees whether it was too much.
        let _ = budget.spend(2 * exponential(guarded));
        Self { bits, ln_two: ln_two(guarded), pi: pi(guarded), budget: budget.clone() }
    }

    /// The budget.
    pub(crate) fn budget(&self) -> &Budget {
        &self.budget
    }

    /// `None` once the budget is spent.
    pub(crate) fn go_on(&self) -> Option<()> {
        self.budget.spend(1)
    }

    pub(crate) fn bits(&self) -> u32 {
        self.bits
    }

    pub(crate) fn ln_two(&self) -> &Enclosure {
        &self.ln_two
    }

    pub(crate) fn pi(&self) -> &Enclosure {
        &self.pi
    }

    /// Encloses e^x, for every x of an enclosure, with a relative width of about 2^-bits more than the width
    /// of x; `None` if |x| ≥ 2^60, or the budget is spent.
    ///
    /// e^x = 2^q·e^-(q·ln 2 − x) with q > x/ln 2, so that the argument of e^-y is not negative; for y ≤ y′,
    /// e^-y′ ≥ e^-y·(1 − (y′ − y)).
    pub(crate) fn exp(&self, x: &Enclosure) -> Option<Scaled> {
        if x.is_point() && x.lower().is_zero() {
            return Some(Scaled::one(self.bits));
        }
        self.budget.spend(exponential(self.bits))?;
        let x = x.at_precision(self.bits.saturating_add(GUARD));
        let q: BigInt = x.div(&self.ln_two)?.upper().floor().to_integer() + 1;
        let exponent = q.to_i64().filter(|q| q.unsigned_abs() < 1 << 61)?;
        // The true q·ln 2 − x is not negative.
        let y = self.ln_two.mul(&Enclosure::from_integer(q, 0)).sub(&x).max_zero();
        let least = NonNegative::new(y.lower()).ok()?;
        let power = exp_neg(&least, self.bits.saturating_add(4));
        let shrink = Enclosure::from_integer(1, 0).sub(&Enclosure::from_rational(&y.width(), y.precision()));
        let enclosed = power.hull(&power.mul(&shrink.max_zero()));
        Some(Scaled::from_enclosure(&enclosed, self.bits.saturating_add(4)).shifted(exponent))
    }

    /// Encloses ln x for x > 0; `None` if the enclosure contains 0 or has an extreme exponent.
    pub(crate) fn ln(&self, x: &Scaled) -> Option<Enclosure> {
        // x = 2^e·m with m about 1.
        let e = x.magnitude();
        if e.unsigned_abs() > 1 << 62 {
            return None;
        }
        self.budget.spend(2 * exponential(self.bits))?;
        let mantissa = x.clone().shifted(-e).fixed(self.bits.saturating_add(8))?;
        let least = mantissa.lower();
        // ln b ≤ ln a + (b − a)/a, and a is next to 1/2 or more.
        if least < Rational::new_raw(1.into(), 4.into()) {
            return None;
        }
        let rise =
            Enclosure::from_rational(&mantissa.width(), mantissa.precision()).mul(&Enclosure::from_integer(4, 0));
        let least = ln(&Positive::new(least).ok()?, self.bits);
        Some(least.hull(&least.add(&rise)).add(&self.ln_two.mul(&Enclosure::from_integer(e, 0))))
    }

    /// Encloses e^(2πi·numerator/denominator): the turn is exact, so that only the nearest eighth of it goes
    /// through a series.
    pub(crate) fn turn(&self, numerator: &BigInt, denominator: &BigUint) -> Disc {
        let denominator = BigInt::from(denominator.clone());
        if denominator.is_zero() {
            return Disc::one(self.bits);
        }
        // Who asks for many turns looks at the budget too.
        let _ = self.budget.spend(exponential(self.bits));
        // r = quarters/4 + rest/(4·denominator), |rest/(4·denominator)| ≤ 1/8.
        let four = numerator.mod_floor(&denominator) * 4;
        let doubled: BigInt = &four * 2_u32 + &denominator;
        let quarters = doubled.div_floor(&(&denominator * 2_u32));
        let rest: BigInt = four - &quarters * &denominator;
        let quarters = quarters.to_u32().unwrap_or(0);
        if rest.is_zero() {
            return Disc::one(self.bits).quarter_turns(quarters);
        }
        // 2π·rest/(4·denominator) = (π/2)·rest/denominator.
        let half_pi = self.pi.mul_rational(&Rational::new(1.into(), 2.into()));
        let angle = half_pi.mul_rational(&Rational::new_raw(rest.abs(), denominator));
        let turned = cis(&angle, self.bits);
        let turned = if rest.is_negative() { turned.conjugate() } else { turned };
        turned.quarter_turns(quarters)
    }
}

/// Encloses cos y + i·sin y for 0 ≤ y ≤ 1, at the given precision.
///
/// Halve y until it is small, sum the series Σ (iy)^k/k! there, square back. In ulps of 2^-working: the terms
/// are T_0 = 2^working, T_k = ⌊T_(k−1)·y/k⌋ with y rounded down, and a true term of the rounded y exceeds its
/// T_k by e_k < e_(k−1)/2 + 1 < 2; at the first T_k = 0 the rest of the series is below 2·2. |e^(iy) −
/// e^(iy′)| ≤ |y − y′|, so that the rounding of y adds its own size.
fn cis(y: &Enclosure, precision: u32) -> Disc {
    let halvings = 2 + precision.sqrt() / 2;
    // Each squaring doubles the radius and adds 3.
    let working = precision.saturating_add(halvings).saturating_add(12);
    let scaled = y.at_precision(working.saturating_add(halvings));
    // y/2^halvings in ulps of 2^-working is the scaled integer over 2^(2·halvings).
    let (lower, upper) = scaled.scaled_bounds();
    let shift = 2 * halvings;
    let least: BigUint = lower.magnitude() >> shift;
    let greatest = (upper.magnitude() >> shift) + 1_u32;
    let mut parts = [BigInt::one() << working, BigInt::from(least.clone())];
    let mut term = least.clone();
    let mut radius = greatest - &least + 6_u32;
    let mut index = 2_u32;
    while !term.is_zero() {
        term = ((term * &least) >> working) / index;
        radius += 2_u32;
        let [even, odd] = &mut parts;
        match index % 4 {
            0 => *even += BigInt::from(term.clone()),
            1 => *odd += BigInt::from(term.clone()),
            2 => *even -= BigInt::from(term.clone()),
            _ => *odd -= BigInt::from(term.clone()),
        }
        index += 1;
    }
    let [even, odd] = parts;
    let mut disc = Disc::from_parts(even, odd, radius, working);
    for _ in 0..halvings {
        disc = disc.square();
    }
    disc.at_precision(precision)
}

/// Encloses π on integers scaled by 2^working: π = 16·arctan(1/5) − 4·arctan(1/239) (Machin).
///
/// The terms 1/((2k+1)·n^(2k+1)) fall and alternate. The powers are rounded down by less than 2 ulps in all
/// (each division loses less than one, and 1/n² < 1/4 of what was lost before), the terms by less than 3, and
/// at a power of 0 the rest is below 3 too.
pub(super) fn pi(working: u32) -> Enclosure {
    let arctan = |n: u32| {
        let mut power = (BigUint::one() << working) / n;
        let (mut sum, mut slack, mut k) = (BigInt::zero(), 3_u32, 0_u32);
        while !power.is_zero() {
            let term = BigInt::from(&power / (2 * k + 1));
            if k.is_even() {
                sum += term;
            } else {
                sum -= term;
            }
            slack += 3;
            k += 1;
            power /= n * n;
        }
        Enclosure::from_scaled(&sum - slack, &sum + slack, working)
    };
    let times = |factor: i32, value: Enclosure| value.mul(&Enclosure::from_integer(factor, 0));
    times(16, arctan(5)).add(&times(-4, arctan(239)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::parse;
    use super::*;

    #[test]
    fn constants() {
        let text = "3.14159265358979323846264338327950288419716939937510582097494459230781640628620899";
        let pi = pi(240);
        let unit = parse("1e-68").unwrap();
        assert!(pi.lower() < parse(text).unwrap() && parse(text).unwrap() - &unit < pi.upper());
        assert!(pi.width() < unit);
    }

    #[test]
    fn eighths_of_a_turn() {
        let working = Working::new(100);
        for n in -16_i64..=16 {
            let turn = working.turn(&n.into(), &8_u32.into());
            let eighth = turn.pow(8).re();
            assert!(eighth.contains(&Rational::one()), "{n}: {eighth}");
            let cosine = turn.re();
            let expected = [2, 1, 0, -1, -2, -1, 0, 1][usize::try_from(n.rem_euclid(8)).unwrap()];
            match expected {
                2 => assert!(cosine.contains(&Rational::one()) && cosine.is_point()),
                -2 => assert!(cosine.contains(&-Rational::one())),
                0 => assert!(cosine.contains(&Rational::zero())),
                // cos² = 1/2.
                sign => {
                    assert!(cosine.square().contains(&Rational::new(1.into(), 2.into())));
                    assert_eq!(cosine.lower().is_negative(), sign < 0);
                }
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn turns_add_up(a in any::<i64>(), b in any::<i64>(), n in 1_u64.., bits in 20_u32..300) {
            let working = Working::new(bits);
            let n = BigUint::from(n);
            let turn = |x: BigInt| working.turn(&x, &n);
            let difference = turn(a.into()).mul(&turn(b.into())).sub(&turn(BigInt::from(a) + b));
            prop_assert!(difference.re().contains(&Rational::zero()) && difference.im().contains(&Rational::zero()));
            let whole = turn(a.into()).mul(&turn(a.into()).conjugate());
            prop_assert!(whole.re().contains(&Rational::one()));
            prop_assert!(whole.re().width() < Rational::new(200.into(), BigInt::one() << bits));
        }

        /// Machine floats as an independent witness of sines and cosines, to 40 bits.
        #[test]
        #[expect(clippy::float_arithmetic, reason = "a witness in a test")]
        fn turns_are_sines(a in 0_u32..1_000_000) {
            let turn = Working::new(60).turn(&a.into(), &1_000_000_u32.into());
            let (sine, cosine) = (2.0 * core::f64::consts::PI * f64::from(a) / 1e6).sin_cos();
            let near = |enclosed: Enclosure, value: f64| {
                let value = crate::exact::from_f64(value).unwrap();
                let gap = enclosed.lower() - value;
                gap.abs() < Rational::new(1.into(), BigInt::one() << 40_u32)
            };
            prop_assert!(near(turn.re(), cosine) && near(turn.im(), sine));
        }

        #[test]
        fn exponentials(n in -3000_i64..3000, d in 1_i64..40, bits in 20_u32..200) {
            let working = Working::new(bits);
            let x = Rational::new(n.into(), d.into());
            let power = working.exp(&Enclosure::from_rational(&x, bits + 20)).unwrap();
            let inverse = working.exp(&Enclosure::from_rational(&-x.clone(), bits + 20)).unwrap();
            let one = power.mul(&inverse).fixed(bits).unwrap();
            prop_assert!(one.contains(&Rational::one()));
            prop_assert!(one.width() < Rational::new(64.into(), BigInt::one() << bits));
            if n <= 0 {
                let reference = exp_neg(&NonNegative::new(-x.clone()).unwrap(), 6000);
                prop_assert!(power.exact().unwrap().intersects(&reference));
            }
            let back = working.ln(&power).unwrap();
            prop_assert!(back.contains(&x), "{back} {x}");
        }
    }
}
