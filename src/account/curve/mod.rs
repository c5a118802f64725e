//! The hockey-stick curve h(x) = Σ_y max(P(y) − x·Q(y), 0) of a pair, at any x > 0.
//!
//! h is convex and falls from h(0) = 1; for every set S, the line P(S) − x·Q(S) lies on or below it, and it
//! touches at x for S = {y : P(y) ≥ x·Q(y)}. Of a pair two things are asked for at x: an upper bound of h(x),
//! and P(S), Q(S) of such a set. Both are proven: a set that is the best but for rounding gives a line that
//! is below the curve all the same, and where rounding leaves open which set is best, the upper bound is the
//! largest over all that may be.

use alloc::boxed::Box;

use num_bigint::BigInt;
use num_integer::Integer as _;
use num_traits::{One, Signed, ToPrimitive, Zero};

pub(super) mod dots;
mod finite;
pub(super) mod fixed;
mod gaussian;
mod normal;
mod tails;

use self::{
    finite::FiniteCurve,
    fixed::{Range, ceil, exp, ln_scaled, shift_up},
    gaussian::GaussianCdf,
};
use crate::{
    exact::{NonNegative, Positive, Rational, exp_neg, exponential, product},
    guarantee::Pair,
};

/// What is known of the curve at a point x; all over 2^bits.
#[derive(Clone, Debug)]
pub(in crate::account) struct Touch {
    /// P(S).
    pub(in crate::account) p: Range,
    /// Q(S).
    pub(in crate::account) q: Range,
    /// At least h(x).
    pub(in crate::account) upper: BigInt,
}

impl Touch {
    /// Of the set S, which `upper` takes for the best.
    pub(in crate::account) fn of(p: Range, q: Range, x: &BigInt, bits: u32) -> Self {
        let upper = &p.upper - ((x * &q.lower) >> bits);
        Self { p, q, upper }
    }

    /// Of everything, and of nothing: h(x) ≥ 1 − x and h(x) ≥ 0.
    fn trivial(x: &BigInt, bits: u32) -> Self {
        let one = BigInt::one() << bits;
        let all = if *x <= one { one } else { BigInt::zero() };
        Self::of(Range::point(all.clone()), Range::point(all), x, bits)
    }

    /// P(S) − x·Q(S) at another x, rounded down: at most h there.
    pub(in crate::account) fn line(&self, x: &BigInt, bits: u32) -> BigInt {
        &self.p.lower - shift_up(&(x * &self.q.upper), bits)
    }
}

/// A pair's curve over 2^bits.
pub(in crate::account) struct Curve {
    bits: u32,
    kind: Kind,
}

/// The last t, and P and Q of {y ≤ t}.
type Last = Option<Box<(BigInt, Range, Range)>>;

enum Kind {
    Shifted {
        noise: Noise,
        shift: BigInt,
        last: Last,
    },
    Finite(FiniteCurve),
    Subsampled {
        rate: Rate,
        of: Box<Curve>,
        reversed: bool,
    },
    /// P = Q.
    Equal,
}

/// r, as it is and rounded, and 1 − r.
struct Rate {
    exact: Rational,
    hit: Range,
    miss: Range,
}

impl Rate {
    fn new(exact: &Rational, bits: u32) -> Self {
        let [hit, miss] = [exact.clone(), Rational::one() - exact].map(|share| Range::of_rational(&share, bits));
        Self { exact: exact.clone(), hit, miss }
    }
}

enum Noise {
    /// Scale; 1/(1 + e^(-1/scale)).
    Laplace(Positive, Range),
    /// σ².
    Gaussian(Positive, GaussianCdf),
}

impl Curve {
    /// `None` if the pair is beyond what can be written down.
    pub(in crate::account) fn new(pair: &Pair, bits: u32) -> Option<Self> {
        let kind = match pair {
            Pair::Laplace { shift, .. } | Pair::Gaussian { shift, .. } if shift.is_zero() => Kind::Equal,
            Pair::Laplace { scale, shift } => {
                let q = exp_neg(&NonNegative::new(scale.get().recip()).ok()?, bits + 4).at_precision(bits + 4);
                let one = crate::exact::Enclosure::from_integer(1, bits + 4);
                let share = Range::of(&one.div(&one.add(&q))?, bits);
                Kind::Shifted { noise: Noise::Laplace(scale.clone(), share), shift: shift.clone().into(), last: None }
            }
            Pair::Gaussian { variance, shift } => {
                let noise = Noise::Gaussian(variance.clone(), GaussianCdf::new(variance, bits)?);
                Kind::Shifted { noise, shift: shift.clone().into(), last: None }
            }
            Pair::Finite(pair) => Kind::Finite(FiniteCurve::new(pair, bits)?),
            Pair::Subsampled { rate, .. } if rate.get().is_zero() => Kind::Equal,
            Pair::Subsampled { rate, of, reversed } => {
                let (rate, of) = (Rate::new(rate.get(), bits), Box::new(Self::new(of, bits)?));
                Kind::Subsampled { rate, of, reversed: *reversed }
            }
        };
        Some(Self { bits, kind })
    }

    /// What is known at x > 0, over 2^bits.
    pub(in crate::account) fn touch(&mut self, x: &BigInt) -> Option<Touch> {
        let bits = self.bits;
        let mut touch = match &mut self.kind {
            Kind::Equal => Touch::trivial(x, bits),
            // Its masses may be any, so that 1 − x need not be below it.
            Kind::Finite(curve) => return Some(curve.touch(x)),
            Kind::Shifted { noise, shift, last } => shifted(noise, shift, last, x, bits)?,
            Kind::Subsampled { rate, of, reversed: false } => forward(rate, of, x, bits)?,
            Kind::Subsampled { rate, of, reversed: true } => backward(rate, of, x, bits)?,
        };
        let trivial = Touch::trivial(x, bits);
        touch.upper = touch.upper.max(trivial.upper);
        Some(touch)
    }
}

/// ((1 − r)·Q + r·P, Q): its ratio is x where that of (P, Q) is x′ = (x − 1 + r)/r, so it has the set of (P,
/// Q) at x′, and h(x) = r·h′(x′); for x ≤ 1 − r every outcome's ratio is at least x. h′ falls, so x′ is
/// rounded down.
fn forward(Rate { exact, hit, miss }: &Rate, of: &mut Curve, x: &BigInt, bits: u32) -> Option<Touch> {
    let within = x - &miss.upper;
    if !within.is_positive() {
        return Some(Touch::trivial(x, bits)).map(|all| Touch { upper: all.upper.max(BigInt::zero()) + 2, ..all });
    }
    let inner = of.touch(&(within * exact.denom()).div_floor(exact.numer()))?;
    let p = inner.q.mul(miss, bits).add(&inner.p.mul(hit, bits));
    let upper = shift_up(&(&hit.upper * &inner.upper), bits);
    Some(Touch { p, q: inner.q, upper })
}

/// (Q, (1 − r)·Q + r·P): the complement of the other's set at 1/x, and h(x) = 1 − x + x·h°(1/x) with h° the
/// other's.
fn backward(rate: &Rate, of: &mut Curve, x: &BigInt, bits: u32) -> Option<Touch> {
    let inverse = (BigInt::one() << (2 * bits)).div_floor(x);
    if !inverse.is_positive() {
        return Some(Touch::trivial(x, bits));
    }
    let other = forward(rate, of, &inverse, bits)?;
    let upper =
        (BigInt::one() << bits) - x + shift_up(&(x * other.upper.max(Touch::trivial(&inverse, bits).upper)), bits);
    Some(Touch { p: other.q.complement(bits), q: other.p.complement(bits), upper })
}

/// S = {y ≤ t}: the loss falls with y. For the Gaussian it is (Δ² − 2Δy)/2σ², at least ln x for y ≤ Δ/2 −
/// σ²·ln x/Δ; for Laplace it is (Δ − 2y)/s for 0 ≤ y ≤ Δ, at least ln x for y ≤ (Δ − s·ln x)/2, and constant
/// outside: nothing for t < 0, everything for t ≥ Δ.
fn shifted(noise: &mut Noise, shift: &BigInt, last: &mut Last, x: &BigInt, bits: u32) -> Option<Touch> {
    // t = (Δ − ln x·n/d)/2.
    let (n, d) = match noise {
        Noise::Laplace(scale, _) => {
            (BigInt::from(scale.numerator().clone()), BigInt::from(scale.denominator().clone()))
        }
        Noise::Gaussian(variance, _) => {
            (BigInt::from(variance.numerator() * 2_u32), shift * BigInt::from(variance.denominator().clone()))
        }
    };
    // Bits enough for t to be one integer or two.
    let places = u32::try_from(n.bits().saturating_sub(d.bits())).ok()?.checked_add(24)?;
    let Range { lower, upper } = Range::of(&ln_scaled(x.magnitude(), bits, places)?, places);
    let (whole, scaled) = (&d << (places + 1), (shift * &d) << places);
    let (least, most) = ((&scaled - &n * upper).div_floor(&whole), (scaled - n * lower).div_floor(&whole));
    let mut touch: Option<Touch> = None;
    let mut t = least;
    while t <= most {
        let here = match last {
            Some(last) if last.0 == t => Touch::of(last.1.clone(), last.2.clone(), x, bits),
            _ => {
                let (p, q) = noise.below(&t, shift, bits)?;
                *last = Some(Box::new((t.clone(), p.clone(), q.clone())));
                Touch::of(p, q, x, bits)
            }
        };
        touch = Some(match touch {
            Some(other) if other.upper > here.upper => other,
            _ => here,
        });
        t += 1;
    }
    touch
}

impl Noise {
    /// P(Y ≤ t) and P(Y ≤ t − Δ), or nothing and everything where S is.
    fn below(&mut self, t: &BigInt, shift: &BigInt, bits: u32) -> Option<(Range, Range)> {
        match self {
            Self::Gaussian(_, cdf) => Some((cdf.at(t)?, cdf.at(&(t - shift))?)),
            Self::Laplace(..) if t.is_negative() => Some((Range::point(BigInt::zero()), Range::point(BigInt::zero()))),
            Self::Laplace(..) if t >= shift => {
                let one = BigInt::one() << bits;
                Some((Range::point(one.clone()), Range::point(one)))
            }
            // With q = e^(-1/s): P(Y ≤ t) is 1 − q^(t+1)/(1 + q) for t ≥ 0, and q^-t/(1 + q) for t < 0.
            Self::Laplace(scale, share) => {
                let tail = |n: BigInt| -> Option<Range> {
                    let power = exp_neg(&NonNegative::new(Rational::from_integer(n) / scale.get()).ok()?, bits);
                    Some(Range::of(&power, bits).mul(share, bits))
                };
                Some((tail(t + 1)?.complement(bits), tail(shift - t)?))
            }
        }
    }
}

/// e^loss is long beyond this.
const LONG: u32 = 1 << 12;

/// Losses between which all of a pair's lie, but for a share below 2^-tail of either distribution; (0, 0) if
/// P = Q.
///
/// Only the choice of points depends on it.
pub(in crate::account) fn span(pair: &Pair, tail: u32) -> Option<(Rational, Rational)> {
    let symmetric = |most: Rational| Some((-most.clone(), most));
    match pair {
        Pair::Laplace { shift, .. } | Pair::Gaussian { shift, .. } if shift.is_zero() => symmetric(Rational::zero()),
        Pair::Laplace { scale, shift } => symmetric(Rational::from_integer(shift.clone().into()) / scale.get()),
        Pair::Gaussian { variance, shift } => {
            // The loss at y = −zσ is (Δ² + 2Δzσ)/2σ², and z = √(2·ln 2·tail) < 6·√tail/5.
            let ratio = Rational::from_integer(BigInt::from(shift.clone()).pow(2)) / variance.get();
            let steps = (&ratio * Rational::from_integer(BigInt::from(tail) << 40_u32)).ceil().to_integer().sqrt() + 1;
            let wide = Rational::new(steps * 6, BigInt::from(5) << 20_u32);
            symmetric(ratio / BigInt::from(2) + wide)
        }
        Pair::Finite(pair) => finite::span(pair),
        Pair::Subsampled { rate, of, reversed } => {
            let (low, high) = span(of, tail)?;
            let mixed = |loss: &Rational| -> Option<Rational> {
                if *loss > Rational::from_integer(LONG.into()) {
                    return None;
                }
                let places = 64 + u32::try_from(rate.get().denom().bits()).ok()?;
                let ratio = exp(loss, places)?.upper() * rate.get() + Rational::one() - rate.get();
                let scaled = ceil(&ratio, places);
                if !scaled.is_positive() {
                    return None;
                }
                ln_scaled(scaled.magnitude(), places, places - 32).map(|ln| ln.upper())
            };
            // Far below, where so many bits see only 1 − r, or nothing; far above, where e^loss is too long,
            // r is of no account.
            let (low, high) = (mixed(&low).unwrap_or(low), mixed(&high).unwrap_or(high));
            Some(if *reversed { (-high, -low) } else { (low, high) })
        }
    }
}

/// About the steps that a pair's curve takes at so many points.
pub(in crate::account) fn cost(pair: &Pair, points: u64, bits: u32) -> u64 {
    // Abscissas, slopes, a short logarithm.
    let each = points.saturating_mul(10 * product(bits) + 5_000);
    each.saturating_add(match pair {
        Pair::Laplace { shift, .. } => {
            let places = shift.to_u64().unwrap_or(u64::MAX).saturating_add(1).min(points);
            places.saturating_mul(2 * exponential(bits))
        }
        Pair::Gaussian { variance, .. } => GaussianCdf::cost(variance, points, bits),
        Pair::Finite(pair) => {
            u64::try_from(pair.outcomes().len()).unwrap_or(u64::MAX).saturating_mul(exponential(bits))
        }
        Pair::Subsampled { of, .. } => cost(of, points, bits),
    })
}
