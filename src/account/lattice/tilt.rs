//! The choice of tilt: any is sound, a good one makes the answer narrow and cheap.

use alloc::vec::Vec;

use num_bigint::BigInt;
use num_traits::{One, Signed, ToPrimitive, Zero};

use super::{factor::Factor, tilted::Tilted};
use crate::exact::{Enclosure, NonNegative, Positive, Rational, Working, ln};

/// Where the sum is tilted to, which fixes the identity that it uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// θ > 0: δ = E[(1 − e^(ε−L))₊].
    Right,
    /// −1 < θ < 0: δ = 1 − E[min(1, e^(ε−L))].
    Middle,
}

/// ln M(θ) = ln E[e^(θL); L < ∞] of all factors, enclosed.
pub(super) fn cumulant(factors: &[Factor], theta: &Rational, working: &Working) -> Option<Enclosure> {
    let mut sum = Enclosure::from_integer(0, 0);
    for factor in factors {
        let tilted = Tilted::new(factor, theta, working)?;
        let base = factor.base(working)?.mul_rational(theta);
        let one = working.ln(&tilted.mass)?.add(&tilted.log).add(&base);
        sum = sum.add(&one.mul(&Enclosure::from_integer(factor.copies, 0)));
    }
    Some(sum.at_precision(working.bits()))
}

/// A tilt, and the standard deviation of the loss under it.
#[derive(Clone, Debug)]
pub(super) struct Tilt {
    pub(super) form: Form,
    pub(super) theta: Rational,
    pub(super) cumulant: Enclosure,
    /// An estimate, never 0.
    pub(super) deviation: Rational,
}

/// 2^e.
pub(in crate::account) fn power_of_two(e: i64) -> Rational {
    let power = BigInt::one() << e.unsigned_abs();
    if e >= 0 { Rational::from_integer(power) } else { Rational::new(BigInt::one(), power) }
}

/// The bit length of ⌊|x|⌋ for |x| ≥ 1, about log2|x| also below.
pub(super) fn log_two(x: &Rational) -> i64 {
    let length = |n: &BigInt| n.bits().to_i64().unwrap_or(i64::MAX / 4);
    length(x.numer()) - length(x.denom())
}

/// About √x.
fn root(x: &Rational) -> Rational {
    let shift = (64 - log_two(x)).max(0);
    let shift = u64::try_from(shift + (shift & 1)).unwrap_or(0);
    let scaled: BigInt = (x.numer() << shift) / x.denom();
    Rational::new(scaled.abs().sqrt(), BigInt::one() << (shift / 2))
}

/// Searches for the least Ψ(θ) = ln M(θ) − θ·ε − ln|θ·(1 + θ)|, which is convex: the size of the integrand at
/// the saddle point.
struct Search<'a> {
    factors: &'a [Factor],
    epsilon: &'a Enclosure,
    working: &'a Working,
}

impl Search<'_> {
    fn psi(&self, theta: &Rational) -> Option<Rational> {
        let magnitude = (theta * (Rational::one() + theta)).abs();
        let size = ln(&Positive::new(magnitude).ok()?, 64);
        let tilted = cumulant(self.factors, theta, self.working)?;
        Some(tilted.sub(&self.epsilon.mul_rational(theta)).sub(&size).lower())
    }

    /// The integer i at which the unimodal function is least, about; from a start, in steps that double and
    /// then halve.
    fn least(start: i64, mut step: i64, f: impl Fn(i64) -> Option<Rational>) -> Option<i64> {
        let (mut at, mut value) = (start, f(start)?);
        let mut growing = true;
        for _ in 0..48 {
            let tried = [at + step, at - step].into_iter().find_map(|next| {
                let found = f(next)?;
                (found < value).then_some((next, found))
            });
            match tried {
                Some((next, found)) => {
                    if next < at {
                        step = -step;
                    }
                    (at, value) = (next, found);
                    if growing {
                        step *= 2;
                    }
                }
                None => {
                    growing = false;
                    if step.abs() == 1 {
                        break;
                    }
                    step /= 2;
                }
            }
        }
        Some(at)
    }

    fn right(&self, start: i64) -> Option<Rational> {
        // θ = 2^(i/4), about.
        let theta = |i: i64| {
            let fraction = [8_u32, 10, 11, 13].get(usize::try_from(i.rem_euclid(4)).unwrap_or(0)).copied().unwrap_or(8);
            power_of_two(i.div_euclid(4) - 3) * BigInt::from(fraction)
        };
        Self::least(start, 4, |i| if i.abs() > 1 << 12 { None } else { self.psi(&theta(i)) }).map(theta)
    }

    fn middle(&self) -> Option<Rational> {
        // −1/2 is where a Laplace pair's interior is flat and its closed form has a 0/0: keep off it.
        let theta = |i: i64| match i {
            0 => Rational::new((-17).into(), 32.into()),
            i if i > 0 => -power_of_two(-1 - i),
            i => power_of_two(i - 1) - Rational::one(),
        };
        Self::least(0, 1, |i| if i.abs() > 200 { None } else { self.psi(&theta(i)) }).map(theta)
    }

    /// The least Ψ between two tilts, by thirds: for losses on so few points that ln M has corners.
    fn between(&self, low: &Rational, high: &Rational) -> Option<Rational> {
        let (mut low, mut high) = (low.clone(), high.clone());
        let unit = (&high - &low) / (BigInt::one() << 24_u32);
        for _ in 0..32 {
            let third = (&high - &low) / BigInt::from(3);
            let (a, b) = (rounded_to(&(&low + &third), &unit), rounded_to(&(&high - &third), &unit));
            if self.psi(&a)? <= self.psi(&b)? {
                high = b;
            } else {
                low = a;
            }
        }
        Some(rounded_to(&low, &unit))
    }

    /// Newton's method on Ψ by differences, until θ is well within a standard deviation of the saddle point.
    fn finish(&self, form: Form, theta: Rational) -> Option<Tilt> {
        let room = |theta: &Rational| match form {
            Form::Right => theta.clone(),
            Form::Middle => theta.abs().min(Rational::one() + theta),
        };
        let mut theta = theta;
        let mut away = room(&theta) / BigInt::from(8);
        let mut deviation = Rational::zero();
        let mut has_settled = false;
        for _ in 0..12 {
            let at = |theta: &Rational| Some(cumulant(self.factors, theta, self.working)?.lower());
            let (after, here, before) = (at(&(&theta + &away))?, at(&theta)?, at(&(&theta - &away))?);
            let second = (&after + &before - &here * BigInt::from(2)) / (&away * &away);
            let variance = second.max(Rational::zero());
            deviation = root(&variance);
            // Ψ′ = K′ − ε − 1/θ − 1/(1+θ), Ψ″ = K″ + 1/θ² + 1/(1+θ)².
            let (one_over, one_after) = (theta.recip(), (Rational::one() + &theta).recip());
            let slope = (after - before) / (&away * BigInt::from(2)) - self.epsilon.lower() - &one_over - &one_after;
            let bend = &variance + &one_over * &one_over + &one_after * &one_after;
            let limit = room(&theta) / BigInt::from(2);
            let step = (-slope / bend).max(-limit.clone()).min(limit);
            if &step.abs() * &deviation * BigInt::from(4) < Rational::one()
                || step.abs() * BigInt::from(64) < room(&theta) && deviation.is_zero()
            {
                has_settled = true;
                break;
            }
            theta = rounded_to(
                &(&theta + step),
                &(Rational::one() / (&deviation * BigInt::from(16) + room(&theta).recip() * BigInt::from(64))),
            );
            away = (room(&theta) / BigInt::from(8)).min(Rational::one() / &deviation.clone().max(power_of_two(-64)));
        }
        if !has_settled {
            theta =
                self.between(&(&theta - room(&theta) / BigInt::from(2)), &(&theta + room(&theta) / BigInt::from(2)))?;
        }
        let half = Rational::new((-1).into(), 2.into());
        if theta == half {
            theta -= power_of_two(-6);
        }
        let cumulant = cumulant(self.factors, &theta, self.working)?;
        Some(Tilt { form, theta, cumulant, deviation })
    }
}

/// A tilt for the question δ(ε).
pub(super) fn choose(factors: &[Factor], epsilon: &Enclosure, working: &Working) -> Option<Tilt> {
    let search = Search { factors, epsilon, working };
    let right = search.finish(Form::Right, search.right(0)?)?;
    // Far below the mean loss δ is nearly 1, and the tilt to the right nearly 0: few standard deviations fit
    // into 1/θ.
    if &right.theta * &right.deviation * BigInt::from(8) >= Rational::one() {
        return Some(right);
    }
    let middle = search.middle().and_then(|theta| search.finish(Form::Middle, theta));
    match middle {
        Some(middle) if middle.theta.abs().min(Rational::one() + &middle.theta) > right.theta => Some(middle),
        _ => Some(right),
    }
}

/// The number of points after which aliases are below 2^-bits, and the bound on them at a given number.
pub(super) struct Aliases {
    /// Bounds of the form e^(constant − rate·h·N), one for the right and one for the left; the rates are
    /// positive.
    right: Vec<(Rational, Enclosure)>,
    left: Vec<(Rational, Enclosure)>,
    /// θ, or min(−θ, 1 + θ): f falls by e^(−decay·h) a step at least.
    decay: Rational,
}

impl Aliases {
    /// See the module's documentation: for η > 0, right aliases are at most e^(−η(ℓ₀ + hN))·M(θ+η)/M(θ), left
    /// ones at most e^(−η(hN − ℓ₀))·M(θ−η)/M(θ), and ℓ₀ ≤ ε + h.
    pub(super) fn new(
        factors: &[Factor],
        tilt: &Tilt,
        epsilon: &Enclosure,
        step: &Enclosure,
        working: &Working,
    ) -> Option<Self> {
        let decay = match tilt.form {
            Form::Right => tilt.theta.clone(),
            Form::Middle => tilt.theta.abs().min(Rational::one() + &tilt.theta),
        };
        let floor = (step.upper() / BigInt::from(64)).max(tilt.deviation.clone());
        let (mut right, mut left) = (Vec::new(), Vec::new());
        for eighths in [8_i64, 24, 48, 80, 128] {
            let natural = Rational::new(eighths.into(), 8.into()) / &floor;
            let natural = rounded(&natural);
            let onward = if tilt.form == Form::Right { natural.clone() } else { natural.clone().min(decay.clone()) };
            let backward = natural.min(decay.clone());
            let ratio = |theta: Rational| Some(cumulant(factors, &theta, working)?.sub(&tilt.cumulant));
            if let Some(constant) = ratio(&tilt.theta + &onward) {
                // ℓ₀ may be below ε by the width of its enclosure, which is less than h/1024.
                let from = epsilon.sub(&step.mul_rational(&Rational::new(1.into(), 1024.into())));
                right.push((onward.clone(), constant.sub(&from.mul_rational(&onward))));
            }
            if let Some(constant) = ratio(&tilt.theta - &backward) {
                let shift = epsilon.add(step).mul_rational(&backward);
                left.push((backward.clone(), constant.add(&shift)));
            }
        }
        Some(Self { right, left, decay })
    }

    /// The least odd N at which both bounds are below 2^-bits.
    pub(super) fn points(&self, bits: u32, step: &Enclosure) -> Option<BigInt> {
        // bits·ln 2 ≤ 0.7·bits.
        let wanted = Rational::new(BigInt::from(bits) * 7, 10.into());
        let least = step.lower();
        if !least.is_positive() {
            return None;
        }
        let side = |bounds: &[(Rational, Enclosure)]| {
            bounds.iter().map(|(rate, constant)| (constant.upper() + &wanted) / (rate * &least)).min()
        };
        let decay = &wanted / (&self.decay * &least);
        let most = side(&self.right)?.max(side(&self.left)?).max(Rational::one());
        // The geometric series of aliases needs no more than a factor: decay·h·N ≥ 1.
        let most = most.max(decay / BigInt::from(bits));
        let n = most.ceil().to_integer();
        Some(if (&n % 2_u32).is_zero() { n + 1 } else { n })
    }

    /// An upper bound on the sum of all aliases of N points: 2/(1 − e^(−decay·h·N)) times both sides.
    pub(super) fn bound(&self, points: &BigInt, step: &Enclosure, working: &Working) -> Option<Enclosure> {
        let reach = step.mul(&Enclosure::from_integer(points.clone(), 0));
        let side = |bounds: &[(Rational, Enclosure)]| {
            let powers = bounds.iter().filter_map(|(rate, constant)| {
                let exponent = constant.sub(&reach.mul_rational(rate));
                Some(working.exp(&exponent)?.fixed(working.bits())?.upper())
            });
            powers.min()
        };
        let least = NonNegative::new(reach.lower() * &self.decay).ok()?;
        let falling = crate::exact::exp_neg(&least, 32).upper();
        if falling >= Rational::one() {
            return None;
        }
        let factor = Rational::from_integer(2.into()) / (Rational::one() - falling);
        let bound = (side(&self.right)? + side(&self.left)?) * factor;
        Enclosure::from_bounds(&Rational::zero(), &bound, working.bits())
    }
}

/// A dyadic number within the unit of x.
fn rounded_to(x: &Rational, unit: &Rational) -> Rational {
    let unit = power_of_two(log_two(unit) - 1);
    (x / &unit).round() * unit
}

/// A short dyadic number near x, from below.
fn rounded(x: &Rational) -> Rational {
    let unit = power_of_two(log_two(x) - 6);
    (x / &unit).floor() * unit
}
