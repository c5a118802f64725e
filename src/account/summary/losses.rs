//! The losses of a pair outcome by outcome, where they are finitely many: ln(P(y)/Q(y)) and P(y).

use alloc::{collections::BTreeMap, vec::Vec};

use num_bigint::{BigInt, BigUint};
use num_traits::{One, ToPrimitive as _};

use crate::{
    exact::{Enclosure, Positive, Probability, Rational, Scaled, Working, ln},
    guarantee::{FinitePair, Pair, Weight},
};

/// The most outcomes between two Laplace centres that are listed.
const MOST_BETWEEN: u64 = 1 << 10;

/// P(y), and ln(P(y)/Q(y)), or nothing where that is infinite.
type Outcome = (Scaled, Option<Enclosure>);

/// P(y) and ln(P(y)/Q(y)) of every outcome with P(y) > 0, those of one loss together; `None` if a loss is
/// infinite, or they are too many.
pub(super) fn listed(pair: &Pair, working: &Working) -> Option<Vec<(Scaled, Enclosure)>> {
    outcomes(pair, working)?.into_iter().map(|(mass, loss)| Some((mass, loss?))).collect()
}

fn outcomes(pair: &Pair, working: &Working) -> Option<Vec<Outcome>> {
    match pair {
        Pair::Finite(finite) => of_finite(finite, working),
        Pair::Laplace { scale, shift } => of_laplace(scale, shift, working),
        Pair::Subsampled { rate, of, reversed } => of_subsampled(rate, of, *reversed, working),
        Pair::Gaussian { .. } => None,
    }
}

/// With weights c·e^-x and c′·e^-x′ the loss is ln(c/c′) + x′ − x + ln(Σ′/Σ): outcomes of the same c/c′ and
/// x′ − x have the same.
fn of_finite(pair: &FinitePair, working: &Working) -> Option<Vec<Outcome>> {
    let bits = working.bits();
    let value = |weight: &Weight| {
        let exponent = Enclosure::from_rational(&-weight.exponent.get(), bits.saturating_add(64));
        Some(Scaled::from_rational(weight.factor.get(), bits).mul(&working.exp(&exponent)?))
    };
    let mut sums = (Scaled::zero(bits), Scaled::zero(bits));
    let (mut masses, mut revealing) = (BTreeMap::<(Rational, Rational), Scaled>::new(), Scaled::zero(bits));
    for (p, q) in pair.outcomes() {
        let weights = (value(p)?, value(q)?);
        sums = (sums.0.add(&weights.0), sums.1.add(&weights.1));
        if q.is_zero() {
            revealing = revealing.add(&weights.0);
        } else if !p.is_zero() {
            let ratio = (p.factor.get() / q.factor.get(), q.exponent.get() - p.exponent.get());
            let mass = masses.entry(ratio).or_insert_with(|| Scaled::zero(bits));
            *mass = mass.add(&weights.0);
        }
    }
    // Exactly 0 where both sides have the same weights.
    let same = {
        let side = |of: fn(&(Weight, Weight)) -> &Weight| {
            let mut weights: Vec<_> = pair.outcomes().iter().map(of).filter(|weight| !weight.is_zero()).collect();
            weights.sort();
            weights
        };
        side(|outcome| &outcome.0) == side(|outcome| &outcome.1)
    };
    let normalisers =
        if same { Enclosure::from_integer(0, bits) } else { working.ln(&sums.1.div(&sums.0)?)?.at_precision(bits) };
    let mut all = Vec::new();
    for ((ratio, exponent), mass) in masses {
        let loss = ln(&Positive::new(ratio).ok()?, bits).add(&Enclosure::from_rational(&exponent, bits));
        all.push((mass.div(&sums.0)?, Some(loss.add(&normalisers))));
    }
    if !revealing.is_zero() {
        all.push((revealing.div(&sums.0)?, None));
    }
    Some(all)
}

/// With q = e^(-1/s): the loss is Δ/s with mass 1/(1+q) (every y ≤ 0), −Δ/s with mass q^Δ/(1+q) (every y ≥
/// Δ), and (Δ − 2y)/s with mass q^y·(1−q)/(1+q) between.
fn of_laplace(scale: &Positive, shift: &BigUint, working: &Working) -> Option<Vec<Outcome>> {
    let last = shift.to_u64().filter(|shift| *shift <= MOST_BETWEEN)?;
    let bits = working.bits();
    let step = scale.get().recip();
    let exponent =
        |n: u64| -> Enclosure { Enclosure::from_rational(&(-&step * BigInt::from(n)), bits.saturating_add(64)) };
    let q = working.exp(&exponent(1))?;
    let one = Enclosure::from_integer(1, 0);
    let sum = Scaled::one(bits).add(&q);
    let between = Scaled::from_enclosure(&one.sub(&q.fixed(bits.saturating_add(64))?), bits);
    let mut all = Vec::new();
    for y in 0..=last {
        let mass = working.exp(&exponent(y))?.div(&sum)?;
        let mass = if y == 0 || y == last { mass } else { mass.mul(&between) };
        let loss = &step * (BigInt::from(last) - BigInt::from(y) * 2);
        all.push((mass, Some(Enclosure::from_rational(&loss, bits))));
    }
    Some(all)
}

/// Of ((1−r)Q + rP, Q) the loss is ln(1 − r + r·P/Q), with mass Q·(1 − r + r·P/Q); of its reverse, minus that
/// with mass Q.
fn of_subsampled(rate: &Probability, of: &Pair, reversed: bool, working: &Working) -> Option<Vec<Outcome>> {
    let bits = working.bits();
    let miss = Scaled::from_rational(&(Rational::one() - rate.get()), bits);
    let rate = Scaled::from_rational(rate.get(), bits);
    let mut all = Vec::new();
    // ln(Q/P), infinite where P is 0.
    for (q, loss) in outcomes(&of.reversed(), working)? {
        let factor = match loss {
            Some(loss) => working.exp(&loss.neg())?.mul(&rate).add(&miss),
            None => miss.clone(),
        };
        let loss = working.ln(&factor)?.at_precision(bits);
        all.push(if reversed { (q, Some(loss.neg())) } else { (q.mul(&factor), Some(loss)) });
    }
    if !reversed {
        let revealing = outcomes(of, working)?.into_iter().filter(|(_, loss)| loss.is_none());
        all.extend(revealing.map(|(p, _)| (p.mul(&rate), None)));
    }
    Some(all)
}
