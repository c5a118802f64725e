//! Jumps: outcomes whose losses are much larger than the spread of the others, so that S lies in narrow
//! clusters.
//!
//! ```text
//! δ(ε) = Σ weight·δ_C(ε − l) + (P* with infinite losses − P*),   weight = Π binom(k_i, j_i)·multinomial·Π P
//! ```
//!
//! Let J be some outcomes of each part, C the others. The sum is over all multisets of jumps, j_i of part i,
//! whose losses add up to l; δ_C is that of k_i − j_i copies of C. This is δ, conditioned on which copies
//! have which jump, and it holds whatever J is. What is listed:
//!
//! * **Any of the multisets, no two the same.** A sum that is not listed is between 0 and weight·P_C*, as 0 ≤
//!   δ_C ≤ P_C*. As all weight·P_C* add up to P*, those not listed are at most P* less the listed ones, in
//!   all: that is added to the upper bound alone.
//! * **Nothing** where the greatest loss of C's copies is at most x = ε − l: δ_C(x) = 0.
//! * **Linear**: (1 − e^(x−S))₊ = 1 − e^(x−S) + (e^(x−S) − 1)₊, and the last is at most c(r)·e^((1+r)(x−S))
//!   for r ≥ 0 ([`c`]). So δ_C(x) is between P_C* − e^x·Q_C* and that + c(r)·e^((1+r)x)·M(−1−r). As P·e^(−l)
//!   = Q for every jump, weight·e^x is e^ε times the same weight of Q.
//! * **Chernoff**: 0 ≤ δ_C(x) ≤ c(θ)·M(θ)·e^(−θx).
//! * **Near** are the few x of which neither says enough: δ_C(x) by a sum over frequencies, within the period
//!   of a cluster.
//!
//! Which of these a sum is, and which outcomes are jumps ([`jump_sums`](super::jump_sums)), is chosen in
//! floats.

#![expect(clippy::float_arithmetic, reason = "guesses, which affect width and time, never soundness")]

use alloc::{collections::BTreeMap, vec::Vec};

use num_bigint::BigUint;
use num_traits::{One, Signed, Zero};

use super::{
    constants::{JUMP_TILTS, JUMPS_FROM_WIDTHS, MOST_JUMP_ROUNDS, MOST_JUMP_SUMS, TOLERANCE_PARTS},
    jump_sums::{self, JumpSums, number},
    outcomes::{LossSum, Outcome, Part, Side, mass, moment},
    plan::{Found, Listed, Wanted, log_of, moved},
    sketch::{Sketch, dyadic, float, geometric, log, log_c},
    tools::{c, lost, pointed},
};
use crate::exact::{Budget, Enclosure, Rational, Scaled, Working, product};

/// δ is in [listed.lower, listed.upper + not_listed].
#[derive(Clone, Debug)]
pub(super) struct Jumped {
    pub(super) listed: Found,
    pub(super) not_listed: Rational,
}

/// What is asked: ε, about ln δ, and how narrow.
#[derive(Clone, Debug)]
pub(super) struct Question<'a> {
    pub(super) epsilon: &'a Enclosure,
    pub(super) log_delta: f64,
    pub(super) wanted: Wanted,
}

impl Question<'_> {
    /// ln of what each error may be.
    pub(super) fn room(&self) -> f64 {
        self.log_delta + libm::log(self.wanted.width / TOLERANCE_PARTS)
    }
}

/// Encloses δ(ε) of what is listed, without what is cut off, by sums over frequencies; with jumps apart where
/// that is far too wide.
pub(super) fn with_jumps(plan: &mut Listed, epsilon: &Rational, wanted: Wanted, budget: &Budget) -> Option<Found> {
    let at = Enclosure::from_rational(epsilon, plan.working.bits().checked_add(64)?);
    let mut found = plan.delta(&at, wanted, budget)?;
    for _ in 0..MOST_JUMP_ROUNDS {
        if found.width() <= JUMPS_FROM_WIDTHS * wanted.width {
            break;
        }
        let log_delta = log_of(if found.lower.is_positive() { &found.lower } else { &found.upper });
        let question = Question { epsilon: &at, log_delta, wanted };
        let Some(sums) = jump_sums::choose(&plan.plan, question.room()) else { break };
        let jumped = delta(&plan.plan, &sums, &question, &plan.working, budget);
        let Some(Jumped { listed, not_listed }) = jumped else { break };
        found.narrow(listed.lower, listed.upper + not_listed);
        if moved(log_delta, &found.lower, &found.upper).is_none() {
            break;
        }
    }
    Some(found)
}

/// The weights of P and of Q of a multiset of jumps, and the sum of their losses.
#[derive(Clone, Debug)]
struct Weighed {
    p: Scaled,
    q: Scaled,
    loss: Enclosure,
}

/// One of the near: x, the weight, and at least δ_C(x), with its logarithm.
struct Near {
    x: Enclosure,
    weight: Scaled,
    most: Scaled,
    log_most: f64,
}

/// Encloses δ(ε) by the listed sums of jumps, of a plan that has finite losses.
pub(super) fn delta(
    plan: &LossSum,
    sums: &JumpSums,
    question: &Question<'_>,
    working: &Working,
    budget: &Budget,
) -> Option<Jumped> {
    let (bits, epsilon) = (working.bits(), question.epsilon);
    budget.spend(20 * product(bits) * u64::try_from(sums.ends.len() * (plan.parts.len() + 20)).ok()?)?;
    let inside: Vec<Vec<Outcome>> =
        plan.parts.iter().zip(&sums.is_jump).map(|(part, is_jump)| rest(part, is_jump)).collect();
    let masses = |side: Side| -> Vec<Scaled> { inside.iter().map(|of| mass(of, side, bits)).collect() };
    let (p_inside, q_inside) = (masses(Side::P), masses(Side::Q));
    let mut tilts = Tilts::new(plan, &inside, working);
    let power = working.exp(epsilon)?;
    let share = question.room() - libm::log(number(u64::try_from(sums.ends.len()).ok()?));
    let (mut plus, mut minus, mut above, mut listed) =
        (Scaled::zero(bits), Scaled::zero(bits), Scaled::zero(bits), Scaled::zero(bits));
    let mut near: Vec<(Vec<u64>, Vec<Near>)> = Vec::new();
    for (copies, members) in by_rest(plan, sums, working)? {
        let left = of_copies(&inside, &copies, bits);
        if left.is_empty() {
            // Copies are left that nothing is left for: a weight of 0.
            continue;
        }
        let whole = |masses: &[Scaled]| {
            masses.iter().zip(&copies).fold(Scaled::one(bits), |whole, (mass, copies)| whole.mul(&mass.pow(*copies)))
        };
        let (p, q, greatest) = (whole(&p_inside), whole(&q_inside).mul(&power), left.greatest()?.upper());
        let mut kept = Vec::new();
        for Weighed { p: weight, q: of_q, loss } in members {
            let (of_p, of_q) = (weight.mul(&p), of_q.mul(&q));
            listed = listed.add(&of_p);
            let x = epsilon.sub(&loss);
            if greatest <= x.lower() {
                continue;
            }
            if left.parts.is_empty() {
                if x.upper() <= Rational::zero() {
                    (plus, minus) = (plus.add(&of_p), minus.add(&of_q));
                } else {
                    // The sum is on ε, as far as can be told: a positive part at most.
                    above =
                        above.add(&Scaled::from_enclosure(&pointed(&of_p)?.sub(&pointed(&of_q)?), bits).down_to_zero());
                }
                continue;
            }
            let (at, log_weight) = (float(&x), log(&weight));
            let (r, log_below) = tilts.least(Tail::Below, &copies, at);
            if log_weight + log_below <= share {
                (plus, minus) = (plus.add(&of_p), minus.add(&of_q));
                above = above.add(&weight.mul(&tilts.bound(Tail::Below, r, &copies, &x)?));
                continue;
            }
            let (theta, log_above) = tilts.least(Tail::Above, &copies, at);
            let most = tilts.bound(Tail::Above, theta, &copies, &x)?;
            if log_weight + log_above <= share {
                above = above.add(&weight.mul(&most));
            } else {
                // δ_C ≤ P_C* too, which can always be formed.
                let most = if most.magnitude() > p.magnitude() { p.clone() } else { most };
                kept.push(Near { x, log_most: log(&most), weight, most });
            }
        }
        if !kept.is_empty() {
            near.push((copies, kept));
        }
    }
    let (infinite, finite) = (infinite(plan, working)?, pointed(&plan.mass(Side::P, bits))?);
    let not_listed = (finite.upper() - pointed(&listed)?.lower()).max(Rational::zero());
    let fixed = pointed(&plus.add(&infinite))?.sub(&pointed(&minus)?);
    let mut found = Found { lower: fixed.lower(), upper: fixed.upper() + pointed(&above)?.upper() };
    let mut to_go = u64::try_from(near.iter().map(|(_, kept)| kept.len()).sum::<usize>()).ok()?;
    let each = question.log_delta + libm::log(question.wanted.width / (3.0 * number(to_go.max(1))));
    for (copies, kept) in near {
        let mut left = Listed::new(of_copies(&inside, &copies, bits), working.clone());
        for Near { x, weight, most, log_most } in kept {
            // Each to the same part of the whole.
            let width = libm::exp(each - log(&weight) - log_most).clamp(question.wanted.width / 3.0, 0.5);
            let within = left.delta(&x, Wanted { width, about: None, ..question.wanted }, &budget.share(to_go));
            to_go -= 1;
            let (weight, most) = (pointed(&weight)?, pointed(&most)?.upper());
            let (lower, upper) =
                within.map_or_else(|| (Rational::zero(), most.clone()), |of| (of.lower, of.upper.min(most.clone())));
            found.lower += weight.lower() * lower.max(Rational::zero());
            found.upper += weight.upper() * upper;
        }
    }
    found.lower = found.lower.max(Rational::zero());
    Some(Jumped { listed: found, not_listed })
}

/// The outcomes of a part that are no jumps.
fn rest(part: &Part, is_jump: &[bool]) -> Vec<Outcome> {
    part.outcomes.iter().zip(is_jump).filter(|(_, is_jump)| !**is_jump).map(|(outcome, _)| outcome.clone()).collect()
}

/// So many copies of each part, without those of none.
fn of_copies(inside: &[Vec<Outcome>], copies: &[u64], bits: u32) -> LossSum {
    let some = inside.iter().zip(copies).filter(|(_, copies)| **copies > 0);
    let part = |(outcomes, copies): (&Vec<Outcome>, &u64)| Part {
        outcomes: outcomes.clone(),
        copies: *copies,
        never: Scaled::zero(bits),
        cut: Scaled::zero(bits),
    };
    LossSum { parts: some.map(part).collect() }
}

/// P* with the infinite losses less P* without, from their own masses.
fn infinite(plan: &LossSum, working: &Working) -> Option<Scaled> {
    let bits = working.bits();
    let share = |part: &Part| -> Option<(Scaled, u64)> {
        if part.never.is_zero() {
            return Some((Scaled::zero(bits), part.copies));
        }
        Some((part.never.div(&mass(&part.outcomes, Side::P, bits).add(&part.never))?, part.copies))
    };
    let shares: Vec<_> = plan.parts.iter().map(share).collect::<Option<_>>()?;
    Some(plan.mass_with_never(bits).mul(&lost(&shares, working)?))
}

/// The listed sums by the copies of each part that are left.
fn by_rest(plan: &LossSum, sums: &JumpSums, working: &Working) -> Option<BTreeMap<Vec<u64>, Vec<Weighed>>> {
    let bits = working.bits();
    let none = Weighed { p: Scaled::one(bits), q: Scaled::one(bits), loss: Enclosure::from_integer(0, 0) };
    let whole: Vec<u64> = plan.parts.iter().map(|part| part.copies).collect();
    let mut steps: Vec<(Weighed, Vec<u64>)> = Vec::new();
    for step in &sums.steps {
        let before =
            step.before.map_or_else(|| Some((none.clone(), whole.clone())), |before| steps.get(before).cloned());
        let (Weighed { p, q, loss }, mut copies) = before?;
        let outcome = plan.parts.get(step.part)?.outcomes.get(step.outcome)?;
        let ways = binomial(step.left, step.count, working)?;
        let weight = |before: &Scaled, mass: &Scaled| before.mul(&ways).mul(&mass.pow(step.count));
        let (p, q) = (weight(&p, &outcome.p), weight(&q, &outcome.q));
        let loss = loss.add(&outcome.loss.mul(&Enclosure::from_integer(step.count, 0)));
        let left = copies.get_mut(step.part)?;
        *left = left.checked_sub(step.count)?;
        steps.push((Weighed { p, q, loss }, copies));
    }
    let mut groups: BTreeMap<Vec<u64>, Vec<Weighed>> = BTreeMap::new();
    for end in &sums.ends {
        let last = end.map_or_else(|| Some((none.clone(), whole.clone())), |end| steps.get(end).cloned());
        let (weighed, copies) = last?;
        groups.entry(copies).or_default().push(weighed);
    }
    Some(groups)
}

/// binom(n, count); `None` where neither count nor n − count is small.
fn binomial(n: u64, count: u64, working: &Working) -> Option<Scaled> {
    let (bits, few) = (working.bits(), count.min(n.checked_sub(count)?));
    if few > MOST_JUMP_SUMS as u64 {
        return None;
    }
    let number = |value: u64| Scaled::from_units(&BigUint::from(value), 0, bits);
    let (mut ways, mut orders) = (Scaled::one(bits), Scaled::one(bits));
    for i in 0..few {
        (ways, orders) = (ways.mul(&number(n - i)), orders.mul(&number(i + 1)));
    }
    ways.div(&orders)
}

/// Which of two bounds: on (1 − e^(x−S))₊, or on (e^(x−S) − 1)₊.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Tail {
    Above,
    Below,
}

/// The moments of one copy of each part at some tilts, in floats, and enclosed once they are asked for.
struct Tilts<'a> {
    inside: &'a [Vec<Outcome>],
    working: &'a Working,
    tilts: Vec<f64>,
    log_moments: BTreeMap<Tail, Vec<Vec<f64>>>,
    known: BTreeMap<(Tail, usize), (Scaled, Vec<Scaled>)>,
}

impl<'a> Tilts<'a> {
    fn new(plan: &LossSum, inside: &'a [Vec<Outcome>], working: &'a Working) -> Self {
        let bits = working.bits();
        let copies: Vec<u64> =
            plan.parts.iter().zip(inside).map(|(part, of)| if of.is_empty() { 0 } else { part.copies }).collect();
        let spread = Sketch::new(&of_copies(inside, &copies, bits)).spread;
        let tilts: Vec<f64> = geometric((0.01 / spread).min(1e-4), 200.0 / spread + 200.0, JUMP_TILTS).collect();
        let sketches: Vec<Sketch> =
            inside.iter().map(|of| Sketch::new(&of_copies(core::slice::from_ref(of), &[1], bits))).collect();
        let table = |tail: Tail| {
            let row = |tilt: &f64| sketches.iter().map(|of| of.log_moment(exponent(tail, *tilt))).collect();
            (tail, tilts.iter().map(row).collect())
        };
        let log_moments = [table(Tail::Above), table(Tail::Below)].into_iter().collect();
        Self { inside, working, tilts, log_moments, known: BTreeMap::new() }
    }

    /// The tilt of the least bound for so many copies, and ln of that.
    fn least(&self, tail: Tail, copies: &[u64], x: f64) -> (usize, f64) {
        let bound = |(index, (tilt, row)): (usize, (&f64, &Vec<f64>))| {
            let log_moment: f64 = row.iter().zip(copies).filter(|(_, k)| **k > 0).map(|(of, k)| of * number(*k)).sum();
            let bound = log_c(*tilt) - exponent(tail, *tilt) * x + log_moment;
            (index, if bound.is_nan() { f64::INFINITY } else { bound })
        };
        let rows = self.tilts.iter().zip(self.log_moments.get(&tail).into_iter().flatten()).enumerate();
        rows.map(bound).min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((0, f64::INFINITY))
    }

    /// c(θ)·M(θ)·e^(−θx), or c(r)·M(−1−r)·e^((1+r)x), for so many copies.
    fn bound(&mut self, tail: Tail, index: usize, copies: &[u64], x: &Enclosure) -> Option<Scaled> {
        let tilt = dyadic(*self.tilts.get(index)?)?;
        let theta = if tail == Tail::Above { tilt.clone() } else { -Rational::one() - &tilt };
        let power = self.working.exp(&x.mul_rational(&-theta.clone()))?;
        let (factor, moments) = match self.known.get(&(tail, index)) {
            Some(known) => known,
            None => {
                let moments = self.inside.iter().map(|of| moment(of, &theta, self.working)).collect::<Option<_>>()?;
                self.known.entry((tail, index)).or_insert((c(&tilt, self.working)?, moments))
            }
        };
        let whole =
            moments.iter().zip(copies).fold(Scaled::one(self.working.bits()), |whole, (of, k)| whole.mul(&of.pow(*k)));
        Some(factor.mul(&power).mul(&whole))
    }
}

/// θ, or −1 − r.
fn exponent(tail: Tail, tilt: f64) -> f64 {
    if tail == Tail::Above { tilt } else { -1.0 - tilt }
}

#[cfg(test)]
mod tests {
    use num_bigint::BigInt;
    use num_traits::Signed;
    use rand_chacha::ChaCha20Rng;
    use rand_core::{Rng as _, SeedableRng as _};

    use super::{super::jump_sums::beyond, *};

    /// (P, Q) of each outcome of a part, in which either may be 0, and its copies.
    type Exact = (Vec<(Rational, Rational)>, u64);

    fn below(random: &mut ChaCha20Rng, n: u64) -> u64 {
        random.next_u64() % n
    }

    fn part(random: &mut ChaCha20Rng) -> Exact {
        let count = 2 + below(random, 3);
        // Some masses are tiny, so that some losses are great and some sums rare.
        let masses = |random: &mut ChaCha20Rng| -> Vec<Rational> {
            let weights: Vec<u64> = (0..count).map(|_| 1 + (random.next_u64() >> (34 + below(random, 30)))).collect();
            let whole: u64 = weights.iter().sum();
            weights.into_iter().map(|weight| Rational::new(weight.into(), whole.into())).collect()
        };
        let (p, mut q) = (masses(random), masses(random));
        if below(random, 4) == 0 {
            q[0] = Rational::zero();
        }
        (p.into_iter().zip(q).collect(), 1 + below(random, 4))
    }

    fn listed(parts: &[Exact], working: &Working) -> LossSum {
        let bits = working.bits();
        let of = |(outcomes, copies): &Exact| {
            let mut part =
                Part { outcomes: Vec::new(), copies: *copies, never: Scaled::zero(bits), cut: Scaled::zero(bits) };
            for (p, q) in outcomes {
                let [p, q] = [p, q].map(|mass| Scaled::from_rational(mass, bits));
                if q.is_zero() {
                    part.never = part.never.add(&p);
                } else {
                    part.outcomes.push(Outcome { loss: working.ln(&p.div(&q).unwrap()).unwrap(), p, q });
                }
            }
            part.outcomes.sort_by_key(|outcome| outcome.loss.lower());
            part
        };
        LossSum { parts: parts.iter().map(of).collect() }
    }

    /// Σ (P − e^ε·Q)₊ over the outcomes of all copies, with those of one P and Q together.
    fn truth(parts: &[Exact], power: &Enclosure) -> Enclosure {
        let mut all = BTreeMap::from([((Rational::one(), Rational::one()), 1_u64)]);
        for outcomes in parts.iter().flat_map(|(outcomes, copies)| (0..*copies).map(move |_| outcomes)) {
            let mut next = BTreeMap::new();
            for ((p, q), times) in &all {
                for (p1, q1) in outcomes {
                    *next.entry((p * p1, q * q1)).or_insert(0) += times;
                }
            }
            all = next;
        }
        let excess = |((p, q), times): (&(Rational, Rational), &u64)| {
            let excess = Enclosure::from_rational(p, 500).sub(&power.mul_rational(q)).max_zero();
            excess.mul_rational(&Rational::from_integer((*times).into()))
        };
        all.iter().map(excess).fold(Enclosure::from_integer(0, 500), |sum, of| sum.add(&of))
    }

    /// Whatever is a jump and however few sums are listed, the truth is inside; and it would not be without
    /// what is not listed.
    #[test]
    fn the_truth_is_inside() {
        let mut random = ChaCha20Rng::seed_from_u64(9);
        let working = Working::new(288);
        let (mut asked, mut narrow, mut jumping, mut missed) = (0, 0, 0, 0);
        for _ in 0..60 {
            let parts: Vec<Exact> = (0..=below(&mut random, 2)).map(|_| part(&mut random)).collect();
            let plan = listed(&parts, &working);
            let losses: Vec<&Enclosure> =
                plan.parts.iter().flat_map(|part| &part.outcomes).map(|of| &of.loss).collect();
            for _ in 0..2 {
                let size = float(losses[usize::try_from(below(&mut random, losses.len() as u64)).unwrap()]).abs();
                // On a sum of losses, next to one, or anywhere.
                let on = losses[usize::try_from(below(&mut random, losses.len() as u64)).unwrap()];
                let by = Rational::new(BigInt::from(below(&mut random, 5)), (1 + below(&mut random, 40)).into());
                let epsilon = on.add(&Enclosure::from_rational(&by, on.precision())).max_zero();
                let exact = truth(&parts, &working.exp(&epsilon).unwrap().fixed(500).unwrap());
                let log_delta = -number(below(&mut random, 30));
                let question =
                    Question { epsilon: &epsilon, log_delta, wanted: Wanted { width: 0.01, most: 64, about: None } };
                let Some(sums) = beyond(&plan, size, question.room() + number(below(&mut random, 12))) else {
                    continue;
                };
                let Jumped { listed, not_listed } =
                    delta(&plan, &sums, &question, &working, &Budget::unlimited()).unwrap();
                let found = Found { lower: listed.lower, upper: &listed.upper + &not_listed };
                assert!(
                    found.lower <= exact.upper() && exact.lower() <= found.upper,
                    "{found:?} {exact} {parts:?} {sums:?}"
                );
                assert!(!not_listed.is_negative());
                asked += 1;
                narrow += u32::from(found.width() < 0.1);
                jumping += u32::from(sums.ends.len() > 1);
                missed += u32::from(listed.upper < exact.lower());
            }
        }
        assert!(asked > 100 && narrow > 30 && jumping > 60 && missed > 5, "{asked} {narrow} {jumping} {missed}");
    }

    /// Copies may be as many as there are numbers.
    #[test]
    fn many_copies() {
        let working = Working::new(320);
        let [tiny, huge] = ["1e-19", "1e-25"].map(|text| crate::exact::parse(text).unwrap());
        let one = Rational::one();
        let parts = [(Vec::from([(&one - &tiny, &one - &huge), (tiny.clone(), huge.clone())]), u64::MAX)];
        let plan = listed(&parts, &working);
        let epsilon = Enclosure::from_integer(20, 400);
        let question =
            Question { epsilon: &epsilon, log_delta: -3.0, wanted: Wanted { width: 1e-6, most: 1 << 10, about: None } };
        let sums = beyond(&plan, 1.0, question.room()).unwrap();
        let found = delta(&plan, &sums, &question, &working, &Budget::unlimited()).unwrap();
        let found = Found { upper: found.listed.upper + found.not_listed, ..found.listed };
        // ln(10^6)·j > 20 + 1.8 − … from j = 2 on: P(j ≥ 2) of about Poisson's 1.84 is 0.55.
        assert!(found.width() < 1e-5, "{found:?}");
        let near = |x: &Rational| float(&Enclosure::from_rational(x, 100));
        assert!((near(&found.lower) - 0.551).abs() < 0.01, "{}", near(&found.lower));
    }
}
