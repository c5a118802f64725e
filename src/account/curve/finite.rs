//! The curve of a pair on finitely many outcomes: h(x) = Σᵢ max(Pᵢ − x·Qᵢ, 0).

use alloc::vec::Vec;

use num_bigint::BigInt;
use num_integer::Integer as _;
use num_traits::{Signed, Zero};

use super::{
    Touch,
    fixed::{Range, ln_scaled},
};
use crate::{
    exact::{Enclosure, Rational, exp_neg},
    guarantee::{FinitePair, Weight},
};

/// Outcomes by falling ratio, with the sums of all before each.
pub(super) struct FiniteCurve {
    bits: u32,
    outcomes: Vec<Outcome>,
    /// Σ P, Σ Q over the first n outcomes, for every n.
    sums: Vec<(Range, Range)>,
}

struct Outcome {
    p: Range,
    q: Range,
    /// ⌊2^bits·P/Q⌋ at its least; `None` is no bound, for Q = 0. The outcomes fall in this.
    least: Option<BigInt>,
    /// The largest ⌈2^bits·P/Q⌉ of this and all later outcomes; `None` is no bound.
    most: Option<BigInt>,
}

impl FiniteCurve {
    pub(super) fn new(pair: &FinitePair, bits: u32) -> Option<Self> {
        Some(Self::from_masses(masses(pair, bits)?, bits))
    }

    /// From (Pᵢ, Qᵢ) over 2^bits.
    pub(super) fn from_masses(masses: Vec<(Range, Range)>, bits: u32) -> Self {
        let mut outcomes: Vec<_> = masses
            .into_iter()
            .map(|(p, q)| {
                let least = (!q.upper.is_zero()).then(|| (&p.lower << bits).div_floor(&q.upper));
                let most = (!q.lower.is_zero()).then(|| (&p.upper << bits).div_ceil(&q.lower));
                Outcome { p, q, least, most }
            })
            .collect();
        let rank = |outcome: &Outcome| (outcome.least.is_some(), outcome.least.as_ref().map(|least| -least));
        outcomes.sort_by_cached_key(rank);
        let mut most = Some(BigInt::zero());
        for outcome in outcomes.iter_mut().rev() {
            most = most.and_then(|most| Some(outcome.most.clone()?.max(most)));
            outcome.most = most.clone();
        }
        let mut sum = (Range::point(BigInt::zero()), Range::point(BigInt::zero()));
        let mut sums = alloc::vec![sum.clone()];
        for outcome in &outcomes {
            sum = (sum.0.add(&outcome.p), sum.1.add(&outcome.q));
            sums.push(sum.clone());
        }
        Self { bits, outcomes, sums }
    }

    /// S is every outcome whose ratio is certainly at least x; those that may be add what they may to the
    /// upper bound.
    pub(super) fn touch(&self, x: &BigInt) -> Touch {
        let certain = self.outcomes.partition_point(|outcome| outcome.least.as_ref().is_none_or(|least| least >= x));
        let zero = || (Range::point(BigInt::zero()), Range::point(BigInt::zero()));
        let (p, q) = self.sums.get(certain).cloned().unwrap_or_else(zero);
        let mut touch = Touch::of(p, q, x, self.bits);
        let open =
            self.outcomes.iter().skip(certain).take_while(|next| next.most.as_ref().is_none_or(|most| most >= x));
        for outcome in open {
            touch.upper += (&outcome.p.upper - ((x * &outcome.q.lower) >> self.bits)).max(BigInt::zero());
        }
        touch
    }
}

/// (Pᵢ, Qᵢ) over 2^bits.
pub(super) fn masses(pair: &FinitePair, bits: u32) -> Option<Vec<(Range, Range)>> {
    let wide = bits + 16;
    let value = |weight: &Weight| exp_neg(&weight.exponent, wide).at_precision(wide).mul_rational(weight.factor.get());
    let (p, q): (Vec<_>, Vec<_>) = pair.outcomes().iter().map(|(p, q)| (value(p), value(q))).unzip();
    let (p_sum, q_sum): (Enclosure, Enclosure) = (p.iter().sum(), q.iter().sum());
    let share = |part: &Enclosure, whole: &Enclosure| Some(Range::of(&part.div(whole)?, bits).clamp(bits));
    p.iter().zip(&q).map(|(p, q)| Some((share(p, &p_sum)?, share(q, &q_sum)?))).collect()
}

/// The least and the greatest finite loss, about; (0, 0) if there is none.
pub(super) fn span(pair: &FinitePair) -> Option<(Rational, Rational)> {
    let bits = 512;
    let mut losses = Vec::new();
    for (p, q) in masses(pair, bits)? {
        if p.lower.is_positive() && q.lower.is_positive() {
            let ratio = (p.upper << bits).div_ceil(&q.lower);
            losses.push(ln_scaled(ratio.magnitude(), bits, 40)?.upper());
        }
    }
    let zero = Rational::zero();
    Some((losses.iter().min().cloned().unwrap_or_else(|| zero.clone()), losses.iter().max().cloned().unwrap_or(zero)))
}
