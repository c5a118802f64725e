//! The trade-off curve (f-DP): the least type-II error of a test between neighbouring inputs, for its type-I
//! error.

use alloc::{collections::BTreeMap, vec::Vec};

use num_bigint::BigInt;
use num_traits::{One, Signed, ToPrimitive as _, Zero};

use super::{
    ProfilePoint,
    concave::{Concave, Highest, Node},
};
use crate::{
    account::{
        Plan, Precision,
        ends::{Ends, Of},
        methods::MOST_STEPS,
    },
    exact::{Budget, Enclosure, NonNegative, Probability, Rational},
};

const BITS: u32 = 128;

/// Further points for one rate, at most.
const MOST_POINTS: u32 = 40;

/// A point that is so many times narrower than what is open is of use, whatever its neighbours are.
const NARROWER: u32 = 16;

/// What is open is as good as it gets when it is at most so many times as wide as the last point.
const AS_WIDE: u32 = 4;

/// A t below 2^-this is as good as 0.
const SMALLEST: u32 = 80;

/// Points of a larger ε say nothing of rates that anybody has.
const FURTHEST: u32 = 1 << 12;

/// Encloses the least false-negative rate of any test between two neighbouring inputs, in either order, whose
/// false-positive rate is at most a: the smaller of f(a) and f′(a), where
///
/// f(a) = sup_{ε≥0} max(0, 1 − δ′(ε) − e^ε·a, e^-ε·(1 − δ(ε) − a)), and f′ the same with δ and δ′ exchanged,
///
/// from δ, the profile of (M(D), M(D′)), in `forward`, and δ′, that of (M(D′), M(D)), in `backward`, each at
/// some epsilons of its own, the first of them 0, rising. Where a renaming of the outputs exchanges the two,
/// as for plain Laplace and Gaussian noise, both are the same points.
/// [`delta_both_ways`](crate::account::delta_both_ways) gives them.
///
/// f is the curve of tests of D against D′. With P = M(D), Q = M(D′), and S the outputs on which a test says
/// D′, a = P(S) and its false negatives are b = 1 − Q(S). Q(S) ≤ e^ε·P(S) + δ′(ε) says b ≥ 1 − δ′(ε) − e^ε·a,
/// and the same of the other outputs, P(S̄) ≤ e^ε·Q(S̄) + δ(ε), says b ≥ e^-ε·(1 − δ(ε) − a). All these lines
/// together are the curve, since it is convex (Wasserman and Zhou 2010, Theorem 2.4, for one line and its
/// mirror; Dong, Roth and Su 2022, Propositions 2.11 and 2.12, for the whole of a symmetric curve). The
/// larger of δ and δ′ in place of both would give the convex hull of the smaller of f and f′, and a test that
/// nobody has. Where several pairs dominate, it is the curve of the one pair that has the supremum of their
/// profiles: a lower bound for each.
///
/// Every ε gives a lower bound. The upper bound fills the gaps: with t = e^ε in the first line and t = e^-ε
/// in the second, both are values of g(t) = inf_S (1 − Q(S) + t·P(S)) − t·a, which is concave in t ≥ 0 and
/// whose largest value is f(a); a concave function is below the straight line through two neighbouring
/// points, outside of them. Hence more points make it narrower, in proportion to the square of their distance
/// where the profile is smooth, and any points will do. [`TradeOff`] looks for those that count.
///
/// `None` if there are fewer than three points either way, or they do not rise from 0. Those beyond ε = 4096
/// are left out.
///
/// ```
/// use certus::account::{Plan, Precision, delta, trade_off};
/// use certus::{exact::{NonNegative, Probability, parse}, mechanism::from_spec};
///
/// // Randomized response with γ = 1/4: whoever may be wrong about the one in 1/4 of the cases, is wrong about the other in 1/4.
/// let mechanism = from_spec(&"randomized_response(gamma=1/4)".parse()?)?;
/// let plan = Plan::of(&mechanism.domination(), 1);
/// let points = ["0", "0.5", "1", "1.5", "2"].map(|text| {
///     let epsilon = NonNegative::new(parse(text).unwrap()).unwrap();
///     let delta = delta(&plan, &epsilon, &Precision::default()).unwrap().enclosure;
///     (epsilon, delta)
/// });
/// // Its two directions are the same.
/// let rate = trade_off(&points, &points, &Probability::new(parse("1/4")?)?).expect("three points");
/// assert!(rate.contains(&parse("1/4")?), "{rate}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn trade_off(
    forward: &[ProfilePoint],
    backward: &[ProfilePoint],
    false_positives: &Probability,
) -> Option<Enclosure> {
    let profiles = if forward == backward {
        Vec::from([Profile::new(forward)?])
    } else {
        Vec::from([Profile::new(forward)?, Profile::new(backward)?])
    };
    let found = orders(&profiles).map(|order| order.highest(&profiles, false_positives)).collect::<Option<Vec<_>>>()?;
    least(&found)
}

/// The trade-off curve of a plan: [`trade_off`] from some points of its profiles, and from further ones that
/// each rate asks for.
///
/// A further point is where the two lines meet that make the upper bound: it is the best test's own, where
/// the profile has kinks and one is left between two points; where it is smooth, each divides the width by
/// about four. The work is bounded, by a count and not by a clock, over all rates together.
///
/// ```
/// use certus::{account::{Plan, Precision, TradeOff}, exact::{Probability, parse}, mechanism::domination};
///
/// let plan = Plan::of(&domination(&"laplace(scale=1)".parse()?)?, 2);
/// let mut curve = TradeOff::new(&plan, &Precision { digits: 9 });
/// let rate = curve.at(&Probability::new(parse("1/20")?)?).expect("a rate");
/// // P and Q of the losses 2, 0 and −2 are (1, 2q, q²)/(1+q)² and its reverse, q = 1/e.
/// assert!(rate.lower() > parse("0.6305")? && rate.width() < parse("1e-8")?, "{rate}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct TradeOff {
    ends: Ends,
    /// One of each direction.
    profiles: Vec<Profile>,
    precision: Precision,
    /// What further points may still take, and what of it is kept for other rates.
    steps: u64,
    kept: u64,
}

impl TradeOff {
    /// Of a plan; the width is to be at most 10^-digits, if that is within reach.
    #[must_use]
    pub fn new(plan: &Plan, precision: &Precision) -> Self {
        let ends = Ends::new(plan);
        let of = |index: usize| {
            let revealed = ends.revealed(index, precision);
            // What is not known may be anything.
            let whole = || Enclosure::from_integer(0, BITS).hull(&Enclosure::from_integer(1, BITS));
            Profile { revealed: revealed.unwrap_or_else(whole), ..Profile::default() }
        };
        let profiles = (0..ends.directions()).map(of).collect();
        Self { ends, profiles, precision: precision.clone(), steps: 2 * MOST_STEPS, kept: 0 }
    }

    /// With points that are known, of δ of (M(D), M(D′)) and of (M(D′), M(D)).
    #[must_use]
    pub fn with(mut self, forward: &[ProfilePoint], backward: &[ProfilePoint]) -> Self {
        for (profile, points) in self.profiles.iter_mut().zip([forward, backward]) {
            for (epsilon, delta) in points {
                profile.add(epsilon.get(), delta);
            }
        }
        self
    }

    /// As [`at`](Self::at) for every one of some rates, to each of which goes an equal part of the work that
    /// is left.
    #[must_use]
    pub fn at_each(&mut self, false_positives: &[Probability]) -> Vec<Option<Enclosure>> {
        let counted = (0_u64..).zip(false_positives.iter().rev()).collect::<Vec<_>>().into_iter().rev();
        let found = counted.map(|(others, rate)| {
            self.kept = self.steps / (others + 1) * others;
            self.at(rate)
        });
        let found = found.collect();
        self.kept = 0;
        found
    }

    /// Encloses the least false-negative rate of any test whose false-positive rate is at most a.
    ///
    /// `None` if the plan is empty.
    #[must_use]
    pub fn at(&mut self, false_positives: &Probability) -> Option<Enclosure> {
        for index in 0..self.profiles.len() {
            self.ask(index, &Rational::zero(), None)?;
            // Somewhere to begin.
            for epsilon in [1_u32, 2] {
                if self.profiles.get(index)?.points.len() < 3 {
                    self.ask(index, &Rational::from_integer(epsilon.into()), None)?;
                }
            }
        }
        let unit = self.unit();
        let mut found = Vec::new();
        for order in orders(&self.profiles) {
            let mut highest = order.highest(&self.profiles, false_positives)?;
            for _ in 0..MOST_POINTS {
                // What is above the other order's is not the least.
                let is_above = found.iter().any(|other: &Highest| other.upper <= highest.lower);
                let open = &highest.upper - &highest.lower;
                if is_above || open <= unit {
                    break;
                }
                let Some(epsilon) = order.next(&self.profiles, &highest) else { break };
                let index = if epsilon.is_negative() { order.falling } else { order.rising };
                let Some(width) = self.ask(index, &epsilon.abs(), Some(&open)) else { break };
                let next = order.highest(&self.profiles, false_positives)?;
                // A point that is known to few digits may say less than its neighbours did without it.
                highest =
                    Highest { lower: next.lower.max(highest.lower), upper: next.upper.min(highest.upper), ..next };
                // No line is known better than the points that it is through.
                if &highest.upper - &highest.lower <= width * BigInt::from(AS_WIDE) {
                    break;
                }
            }
            found.push(highest);
        }
        least(&found)
    }

    /// The width that is asked for.
    fn unit(&self) -> Rational {
        Rational::new(BigInt::one(), BigInt::from(10).pow(self.precision.digits))
    }

    /// One more point of a direction, unless it is known, where so much is open: how wide it is.
    fn ask(&mut self, index: usize, epsilon: &Rational, open: Option<&Rational>) -> Option<Rational> {
        let unit = self.unit();
        let profile = self.profiles.get_mut(index)?;
        if let Some(point) = profile.points.get(epsilon) {
            return Some(point.delta.width());
        }
        let own = self.steps.saturating_sub(self.kept);
        if own == 0 {
            return None;
        }
        let budget = Budget::new(own);
        let digits = Precision { digits: self.precision.digits.saturating_add(1) };
        let at = NonNegative::new(epsilon.clone()).ok()?;
        // What was composed for another point costs little.
        let answer = self.ends.delta(Of::One(index), &at, &digits, &budget).ok()?;
        self.steps = self.steps.saturating_sub(own).saturating_add(budget.left());
        // What is wider than its neighbours would stand between lines that say more.
        let below = profile.points.range(..epsilon.clone()).next_back();
        let above = profile.points.range(epsilon.clone()..).next();
        if let (Some((_, below)), Some((_, above))) = (below, above)
            && !answer.is_narrow
            && answer.enclosure.width() > unit
            && answer.enclosure.width() > below.delta.width().max(above.delta.width()) * BigInt::from(2)
            && open.is_none_or(|open| answer.enclosure.width() * BigInt::from(NARROWER) > *open)
        {
            return None;
        }
        profile.add(epsilon, &answer.enclosure)?;
        Some(answer.enclosure.width())
    }
}

/// The smaller of what tests in either order reach.
fn least(found: &[Highest]) -> Option<Enclosure> {
    let lower = found.iter().map(|highest| &highest.lower).min()?;
    let upper = found.iter().map(|highest| &highest.upper).min()?;
    Enclosure::from_bounds(lower, upper, BITS)
}

/// δ at some ε ≥ 0.
#[derive(Debug)]
struct Profile {
    points: BTreeMap<Rational, Point>,
    /// The limit of δ, or less.
    revealed: Enclosure,
}

/// e^ε, e^-ε and δ(ε).
#[derive(Debug)]
struct Point {
    growing: Enclosure,
    falling: Enclosure,
    delta: Enclosure,
}

impl Default for Profile {
    fn default() -> Self {
        Self { points: BTreeMap::new(), revealed: Enclosure::from_integer(0, BITS) }
    }
}

impl Profile {
    /// `None` if there are fewer than three points, or they do not rise from 0.
    fn new(points: &[ProfilePoint]) -> Option<Self> {
        let rises = points.windows(2).all(|pair| matches!(pair, [a, b] if a.0 < b.0));
        if points.len() < 3 || !rises || !points.first()?.0.get().is_zero() {
            return None;
        }
        let mut profile = Self::default();
        for (epsilon, delta) in points {
            profile.add(epsilon.get(), delta)?;
        }
        Some(profile)
    }

    /// The points at t = e^-ε < 1, t rising: but for those so close to 0 that g(t) ≤ t is all that there is
    /// to say.
    fn below_one(&self) -> impl Iterator<Item = (&Rational, &Point)> {
        let least = Rational::new(BigInt::one(), BigInt::one() << SMALLEST);
        self.points.iter().skip(1).rev().filter(move |(_, point)| point.falling.lower() >= least)
    }

    fn add(&mut self, epsilon: &Rational, delta: &Enclosure) -> Option<()> {
        if *epsilon > Rational::from_integer(FURTHEST.into()) {
            return Some(());
        }
        let power = |exponent: &Rational| Some(Enclosure::from_rational(exponent, BITS).exp(BITS)?.at_precision(BITS));
        let point = Point { growing: power(epsilon)?, falling: power(&-epsilon)?, delta: delta.at_precision(BITS) };
        self.points.insert(epsilon.clone(), point);
        Some(())
    }
}

/// Tests of D against D′, or of D′ against D: which profile serves t = e^ε ≥ 1, and which t = e^-ε.
struct Order {
    rising: usize,
    falling: usize,
}

/// Both orders, or one where they are the same.
fn orders(profiles: &[Profile]) -> impl Iterator<Item = Order> + use<> {
    let last = profiles.len().saturating_sub(1);
    (0..=last).map(move |falling| Order { rising: last - falling, falling })
}

impl Order {
    /// The largest value of g(t) = 1 − δ′(ε) − t·a at t = e^ε, and t·(1 − δ(ε) − a) at t = e^-ε.
    fn highest(&self, profiles: &[Profile], false_positives: &Probability) -> Option<Highest> {
        let (rising, falling) = (profiles.get(self.rising)?, profiles.get(self.falling)?);
        let one = Enclosure::from_integer(1, BITS);
        let rate = Enclosure::from_rational(false_positives.get(), BITS);
        let mut nodes: Vec<Node> = Vec::from([(Enclosure::from_integer(0, BITS), Enclosure::from_integer(0, BITS))]);
        for (_, point) in falling.below_one() {
            nodes.push((point.falling.clone(), point.falling.mul(&one.sub(&point.delta).sub(&rate))));
        }
        for point in rising.points.values() {
            nodes.push((point.growing.clone(), one.sub(&point.delta).sub(&point.growing.mul(&rate))));
        }
        // h(t) = inf_S (1 − Q(S) + t·P(S)) is at most t, and at most 1 less what is revealed.
        let steepest = one.sub(&rate);
        let concave = Concave { nodes: &nodes, steepest, falling: (one.sub(&rising.revealed), rate) };
        let mut highest = concave.highest()?;
        // Nobody does better than guessing worse: f(a) ≤ 1 − a.
        highest.upper = highest.upper.min(Rational::one() - false_positives.get());
        highest.lower = highest.lower.min(highest.upper.clone());
        Some(highest)
    }

    /// The ε that would say most, below 0 for t = e^-|ε|; `None` where no more is to be had.
    fn next(&self, profiles: &[Profile], highest: &Highest) -> Option<Rational> {
        let (rising, falling) = (profiles.get(self.rising)?, profiles.get(self.falling)?);
        let below = falling.below_one().map(|(epsilon, _)| -epsilon);
        let epsilons: Vec<Rational> = below.chain(rising.points.keys().cloned()).collect();
        // Node 0 is t = 0.
        let before = highest.cell.checked_sub(2).and_then(|index| epsilons.get(index));
        let after = highest.cell.checked_sub(1).and_then(|index| epsilons.get(index));
        let meet = highest.meet.as_ref();
        let two = BigInt::from(2);
        let (from, to) = match (before, after) {
            (Some(from), Some(to)) => (from.clone(), to.clone()),
            // Past the last on either side: no more than twice as far.
            (Some(last), None) => (last.clone(), last * &two + Rational::one()),
            (None, Some(first)) => (first * &two - Rational::one(), first.clone()),
            (None, None) => return None,
        };
        if from.abs().max(to.abs()) > Rational::from_integer(FURTHEST.into()) {
            return None;
        }
        let width = &to - &from;
        // 44 digits of the width.
        let small = width.denom().bits().saturating_sub(width.numer().bits()).to_u32()?;
        if small > BITS / 2 {
            return None;
        }
        // Digits of a slope go with the distance that it is taken over, and from points of few digits there
        // are none to spare.
        let known = |point: &Point| point.delta.width() <= Rational::new(BigInt::one(), BigInt::one() << 30_u32);
        let margin = &width / BigInt::from(if rising.points.values().all(known) { 256 } else { 8 });
        let wanted = match meet.and_then(|meet| meet.ln(BITS)) {
            Some(at) => at.lower().max(&from + &margin).min(&to - &margin),
            None => (&from + &to) / &two,
        };
        let scale = BigInt::one() << small.saturating_add(44);
        Some((wanted * &scale).round() / scale)
    }
}

#[cfg(test)]
#[allow(clippy::float_arithmetic, reason = "an independent check in doubles")]
mod tests;
