//! The trade-off curve (f-DP): the least type-II error of a test between neighbouring inputs, for its type-I error.

use alloc::{collections::BTreeMap, vec::Vec};

use num_bigint::BigInt;
use num_traits::{One, Signed, ToPrimitive as _, Zero};

use super::{
    ProfilePoint,
    concave::{Concave, Highest, Node},
};
use crate::{
    account::{Direction, MOST_STEPS, Methods, Plan, Precision, clamped, directions, infinite_mass, one_direction},
    exact::{Budget, Enclosure, NonNegative, Probability, Rational},
};

const BITS: u32 = 128;

/// Further points for one rate, at most.
const MOST_POINTS: u32 = 40;

/// A t below 2^-this is as good as 0.
const SMALLEST: u32 = 80;

/// Points of a larger ε say nothing of rates that anybody has.
const FURTHEST: u32 = 1 << 12;

/// Encloses the least false-negative rate of any test between two neighbouring inputs, in either order, whose false-positive rate is at most a:
/// the smaller of f(a) and f′(a), where
///
/// f(a) = sup_{ε≥0} max(0, 1 − δ′(ε) − e^ε·a, e^-ε·(1 − δ(ε) − a)), and f′ the same with δ and δ′ exchanged,
///
/// from δ, the profile of (M(D), M(D′)), in `forward`, and δ′, that of (M(D′), M(D)), in `backward`, each at some epsilons of its own, the first of them 0,
/// rising. Where a renaming of the outputs exchanges the two, as for plain Laplace and Gaussian noise, both are the same points.
/// [`delta_both_ways`](crate::account::delta_both_ways) gives them.
///
/// f is the curve of tests of D against D′. With P = M(D), Q = M(D′), and S the outputs on which a test says D′, a = P(S) and its false negatives are b = 1 − Q(S).
/// Q(S) ≤ e^ε·P(S) + δ′(ε) says b ≥ 1 − δ′(ε) − e^ε·a, and the same of the other outputs, P(S̄) ≤ e^ε·Q(S̄) + δ(ε), says b ≥ e^-ε·(1 − δ(ε) − a). All these
/// lines together are the curve, since it is convex (Wasserman and Zhou 2010, Theorem 2.4, for one line and its mirror; Dong, Roth and Su 2022,
/// Propositions 2.11 and 2.12, for the whole of a symmetric curve). The larger of δ and δ′ in place of both would give the convex hull of the smaller of f and f′, and a test that nobody has.
/// Where several pairs dominate, it is the curve of the one pair that has the supremum of their profiles: a lower bound for each.
///
/// Every ε gives a lower bound. The upper bound fills the gaps: with t = e^ε in the first line and t = e^-ε in the second, both are values of g(t) = inf_S (1 − Q(S) + t·P(S)) − t·a, which is concave
/// in t ≥ 0 and whose largest value is f(a); a concave function is below the straight line through two neighbouring points, outside of them. Hence more points make it narrower, in proportion to the square
/// of their distance where the profile is smooth, and any points will do. [`TradeOff`] looks for those that count.
///
/// `None` if there are fewer than three points either way, or they do not rise from 0. Those beyond ε = 4096 are left out.
///
/// ```
/// use certus::{account::{Plan, Precision, delta, trade_off}, exact::{NonNegative, Probability, parse}, mechanism::Mechanism};
///
/// // Randomized response with γ = 1/4: whoever may be wrong about the one in 1/4 of the cases, is wrong about the other in 1/4.
/// let mechanism = Mechanism::from_spec(&"randomized_response(gamma=1/4)".parse()?)?;
/// let plan = Plan::new().with(&mechanism.domination(), 1);
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

/// The trade-off curve of a plan: [`trade_off`] from some points of its profiles, and from further ones that each rate asks for.
///
/// A further point is where the two lines meet that make the upper bound: it is the best test's own, where the profile has kinks and one is left between two points; where it is smooth, each divides the width by about four.
/// The work is bounded, by a count and not by a clock, over all rates together.
///
/// ```
/// use certus::{account::{Plan, Precision, TradeOff, domination}, exact::{Probability, parse}};
///
/// let plan = Plan::new().with(&domination(&"laplace(scale=1)".parse()?)?, 2);
/// let mut curve = TradeOff::new(&plan, &Precision { digits: 9 });
/// let rate = curve.at(&Probability::new(parse("1/20")?)?).expect("a rate");
/// // P and Q of the losses 2, 0 and −2 are (1, 2q, q²)/(1+q)² and its reverse, q = 1/e.
/// assert!(rate.lower() > parse("0.6305")? && rate.width() < parse("1e-8")?, "{rate}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct TradeOff {
    directions: Vec<Direction>,
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
        let directions = directions(plan);
        let of = |direction: &Direction| {
            let revealed = infinite_mass(direction, precision);
            Profile { revealed: revealed.unwrap_or_else(|| Enclosure::from_integer(0, BITS)), ..Profile::default() }
        };
        let profiles = directions.iter().map(of).collect();
        Self { directions, profiles, precision: precision.clone(), steps: 2 * MOST_STEPS, kept: 0 }
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

    /// As [`at`](Self::at) for every one of some rates, to each of which goes an equal part of the work that is left.
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
        for index in 0..self.directions.len() {
            self.ask(index, &Rational::zero())?;
            // Somewhere to begin.
            for epsilon in [1_u32, 2] {
                if self.profiles.get(index)?.points.len() < 3 {
                    self.ask(index, &Rational::from_integer(epsilon.into()))?;
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
                if is_above || &highest.upper - &highest.lower <= unit {
                    break;
                }
                let Some(epsilon) = order.next(&self.profiles, &highest) else { break };
                let index = if epsilon.is_negative() { order.falling } else { order.rising };
                if self.ask(index, &epsilon.abs()).is_none() {
                    break;
                }
                let next = order.highest(&self.profiles, false_positives)?;
                // A point that is known to few digits may say less than its neighbours did without it.
                highest =
                    Highest { lower: next.lower.max(highest.lower), upper: next.upper.min(highest.upper), ..next };
            }
            found.push(highest);
        }
        least(&found)
    }

    /// The width that is asked for.
    fn unit(&self) -> Rational {
        Rational::new(BigInt::one(), BigInt::from(10).pow(self.precision.digits))
    }

    /// One more point of a direction, unless it is known.
    fn ask(&mut self, index: usize, epsilon: &Rational) -> Option<()> {
        let unit = self.unit();
        let profile = self.profiles.get_mut(index)?;
        if profile.points.contains_key(epsilon) {
            return Some(());
        }
        let own = self.steps.saturating_sub(self.kept);
        if own == 0 {
            return None;
        }
        // A grid takes its measure from what it may spend, and spends a part of it: with less than this to spend it is a coarse one.
        let share = own.max(MOST_STEPS / 4).min(self.steps);
        let budget = Budget::new(share);
        let digits = Precision { digits: self.precision.digits.saturating_add(1) };
        let at = NonNegative::new(epsilon.clone()).ok()?;
        let answer = clamped(one_direction(self.directions.get(index)?, &at, &digits, Methods::All, &budget));
        self.steps = self.steps.saturating_sub(share).saturating_add(budget.left());
        // What is wider than its neighbours would stand between lines that say more.
        let below = profile.points.range(..epsilon.clone()).next_back();
        let above = profile.points.range(epsilon.clone()..).next();
        if let (Some((_, below)), Some((_, above))) = (below, above)
            && !answer.is_narrow
            && answer.enclosure.width() > unit
            && answer.enclosure.width() > below.delta.width().max(above.delta.width()) * BigInt::from(2)
        {
            return None;
        }
        profile.add(epsilon, &answer.enclosure)
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

    /// The points at t = e^-ε < 1, t rising: but for those so close to 0 that g(t) ≤ t is all that there is to say.
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
        // Digits of a slope go with the distance that it is taken over, and from points of few digits there are none to spare.
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
mod tests {
    use super::super::tests::{brute, plan, profile, profiles};
    use super::*;
    use crate::exact::parse;

    /// The least type-II error by the Neyman–Pearson lemma: reject where P/Q is least, a part of an outcome at random, as long as P allows.
    fn neyman_pearson(outcomes: &[(f64, f64)], most: f64) -> f64 {
        let mut sorted = outcomes.to_vec();
        sorted.sort_by(|a, b| (a.0 / a.1).total_cmp(&(b.0 / b.1)));
        let (mut left, mut missed) = (most, 1.0);
        for (p, q) in sorted {
            let share = if p > 0.0 { (left / p).min(1.0) } else { 1.0 };
            left -= share * p;
            missed -= share * q;
        }
        missed
    }

    #[test]
    fn the_curve_is_that_of_the_best_test() {
        for (spec, last) in [
            ("laplace(scale=1)", "2"),
            ("gaussian(sigma=1)", "6"),
            ("laplace(scale=2, sensitivity=3)", "2"),
            ("randomized_response(gamma=1/4)", "2"),
        ] {
            let points = profile(&plan(&[spec]), last, 40);
            for rate in ["0", "0.001", "0.05", "1/4", "1/2", "0.9", "1"] {
                let a = parse(rate).unwrap();
                let found = trade_off(&points, &points, &Probability::new(a.clone()).unwrap()).unwrap();
                let real: f64 = crate::exact::decimal(&a, 17, crate::exact::Rounding::Down).parse().unwrap();
                let truth = neyman_pearson(&brute(spec), real);
                let (lower, upper): (f64, f64) =
                    (found.lower_decimal().parse().unwrap(), found.upper_decimal().parse().unwrap());
                assert!(lower - 1e-9 <= truth && truth <= upper + 1e-9, "{spec} at {rate}: {truth} not in {found}");
                assert!(upper - lower < 0.02, "{spec} at {rate}: {found}");
            }
        }
    }

    #[test]
    fn few_points_enclose_too() {
        let points = profile(&plan(&["gaussian(sigma=1)"]), "3", 3);
        let found = trade_off(&points, &points, &Probability::new(parse("0.1").unwrap()).unwrap()).unwrap();
        let truth = parse(&alloc::format!("{:.12}", neyman_pearson(&brute("gaussian(sigma=1)"), 0.1))).unwrap();
        assert!(found.contains(&truth), "{found} {truth}");
        // The best test's own ε is past the last, on either side of 0.
        let points_near = profile(&plan(&["gaussian(sigma=1)"]), "1/10", 3);
        for (a, real) in [("1/50", 0.02), ("0.1", 0.1), ("0.9", 0.9), ("0.99", 0.99)] {
            let found = trade_off(&points_near, &points_near, &rate(a)).unwrap();
            let truth = parse(&alloc::format!("{:.12}", neyman_pearson(&brute("gaussian(sigma=1)"), real))).unwrap();
            assert!(found.contains(&truth), "{a}: {found} {truth}");
        }
        assert!(trade_off(&points[1..], &points, &Probability::new(parse("0.1").unwrap()).unwrap()).is_none());
        assert!(trade_off(&points, &points[..2], &Probability::new(parse("0.1").unwrap()).unwrap()).is_none());
    }

    /// The least type-II error, exactly: reject where P/Q is least, a part of the last outcome at random.
    fn exact_neyman_pearson(outcomes: &[(Rational, Rational)], most: &Rational) -> Rational {
        // An outcome that never is would compare as equal to every other.
        let mut sorted: Vec<_> = outcomes.iter().filter(|(p, q)| !(p.is_zero() && q.is_zero())).cloned().collect();
        sorted.sort_by(|a, b| (&a.0 * &b.1).cmp(&(&b.0 * &a.1)));
        let (mut left, mut missed) = (most.clone(), Rational::one());
        for (p, q) in sorted {
            let share = if p.is_zero() { Rational::one() } else { (&left / &p).min(Rational::one()) };
            left -= &share * p;
            missed -= share * q;
        }
        missed
    }

    /// The best test in either order.
    fn best_test(outcomes: &[(Rational, Rational)], most: &Rational) -> Rational {
        let reversed: Vec<_> = outcomes.iter().map(|(p, q)| (q.clone(), p.clone())).collect();
        exact_neyman_pearson(outcomes, most).min(exact_neyman_pearson(&reversed, most))
    }

    fn plan_of(outcomes: &[(Rational, Rational)], copies: u64) -> crate::account::Plan {
        use crate::guarantee::{Domination, FinitePair, Pair};
        let of = |value: &Rational| Probability::new(value.clone()).unwrap();
        let pair = FinitePair::from_probabilities(outcomes.iter().map(|(p, q)| (of(p), of(q))).collect()).unwrap();
        crate::account::Plan::new().with(&Domination::by(Pair::Finite(pair)), copies)
    }

    /// 0.9·(1 − 0.1) in the one order, 8/9 in the other. The larger δ of both directions says 0.8, which no test reaches.
    #[test]
    fn a_revealing_outcome_by_hand() {
        let outcomes = [("9/10", "1"), ("1/10", "0")].map(|(p, q)| (parse(p).unwrap(), parse(q).unwrap()));
        let (tenth, truth) = (parse("1/10").unwrap(), parse("81/100").unwrap());
        assert_eq!(best_test(&outcomes, &tenth), truth);
        let [forward, backward] = profiles(&plan_of(&outcomes, 1), "1", 40);
        let rate = Probability::new(tenth).unwrap();
        let found = trade_off(&forward, &backward, &rate).unwrap();
        assert!(found.contains(&truth) && found.width() < parse("0.02").unwrap(), "{found}");
        assert_eq!(found, trade_off(&backward, &forward, &rate).unwrap());
        let hull = trade_off(&forward, &forward, &rate).unwrap();
        assert!(!hull.contains(&truth), "{hull}");
    }

    /// Neyman–Pearson in doubles over the outputs: 0.425751… in the one order, 0.559601… in the other.
    #[test]
    fn subsampled_laplace_in_both_orders() {
        let spec = "subsampled_laplace(scale=1/2, rate=1/2)";
        let plan = crate::account::Plan::new().with(&crate::account::domination(&spec.parse().unwrap()).unwrap(), 1);
        let [forward, backward] = profiles(&plan, "2", 80);
        let pair: Vec<_> = brute("laplace(scale=1/2)").into_iter().map(|(p, q)| (0.5 * p + 0.5 * q, q)).collect();
        let reversed: Vec<_> = pair.iter().map(|(p, q)| (*q, *p)).collect();
        let orders = [neyman_pearson(&pair, 0.25), neyman_pearson(&reversed, 0.25)];
        assert!((orders[0].min(orders[1]) - 0.425_751).abs() < 1e-6, "{orders:?}");
        assert!((orders[0].max(orders[1]) - 0.559_601).abs() < 1e-6, "{orders:?}");
        let found = trade_off(&forward, &backward, &Probability::new(parse("1/4").unwrap()).unwrap()).unwrap();
        // The upper end is reached, so that the rounding of the doubles shows.
        let (truth, slack) = (orders[0].min(orders[1]), parse("1e-9").unwrap());
        let truth = parse(&alloc::format!("{truth:.12}")).unwrap();
        assert!(found.lower() <= &truth + &slack && &truth - slack <= found.upper(), "{found}");
        assert!(found.width() < parse("0.02").unwrap(), "{found}");
    }

    fn rate(text: &str) -> Probability {
        Probability::new(parse(text).unwrap()).unwrap()
    }

    /// Within 10^-8 of the best test, at a few further points: kinks, no kinks, wide noise, and from nothing.
    #[test]
    fn further_points_find_the_best_test() {
        for (spec, last) in [
            ("laplace(scale=1)", "2"),
            ("gaussian(sigma=1)", "6"),
            ("gaussian(sigma=20, sensitivity=3)", "1"),
            ("laplace(scale=2, sensitivity=3)", "2"),
            ("randomized_response(epsilon=2, k=7)", "3"),
        ] {
            let plan = plan(&[spec]);
            let known = profiles(&plan, last, 8);
            let [forward, backward] = &known;
            let mut curves = [
                TradeOff::new(&plan, &Precision { digits: 8 }).with(forward, backward),
                TradeOff::new(&plan, &Precision { digits: 8 }),
            ];
            for a in ["0.001", "0.05", "1/4", "1/2", "0.9", "1"] {
                let real: f64 =
                    crate::exact::decimal(&parse(a).unwrap(), 17, crate::exact::Rounding::Down).parse().unwrap();
                let outcomes = brute(spec);
                let reversed: Vec<_> = outcomes.iter().map(|(p, q)| (*q, *p)).collect();
                let truth = neyman_pearson(&outcomes, real).min(neyman_pearson(&reversed, real));
                for curve in &mut curves {
                    let found = curve.at(&rate(a)).unwrap();
                    let (lower, upper): (f64, f64) =
                        (found.lower_decimal().parse().unwrap(), found.upper_decimal().parse().unwrap());
                    assert!(lower - 1e-11 <= truth && truth <= upper + 1e-11, "{spec} at {a}: {truth} not in {found}");
                    assert!(upper - lower < 1.01e-8, "{spec} at {a}: {found}");
                }
            }
        }
    }

    /// Without false positives a test has what is revealed, and no more; and wide noise has its own scale of ε.
    #[test]
    fn ends_of_the_curve() {
        let outcomes =
            [("9/10", "4/5"), ("1/10", "0"), ("0", "1/5")].map(|(p, q)| (parse(p).unwrap(), parse(q).unwrap()));
        let mut curve = TradeOff::new(&plan_of(&outcomes, 3), &Precision { digits: 8 });
        // 1 − (1 − 1/5)³ of the one, 1 − (1 − 1/10)³ of the other.
        let found = curve.at(&rate("0")).unwrap();
        assert!(found.contains(&parse("0.512").unwrap()) && found.width() < parse("1e-8").unwrap(), "{found}");
        let mut wide = TradeOff::new(&plan(&["gaussian(sigma=1099511627776)"]), &Precision { digits: 15 });
        // 1/σ·φ(0) below 1/2.
        let found = wide.at(&rate("1/2")).unwrap();
        let below = parse("1/2").unwrap() - found.lower();
        assert!(below > parse("3.6e-13").unwrap() && below < parse("3.7e-13").unwrap(), "{found}");
        assert!(found.width() < parse("2e-15").unwrap(), "{found}");
        assert!(TradeOff::new(&crate::account::Plan::new(), &Precision::default()).at(&rate("1/2")).is_none());
    }

    /// Losses far above 1: the best test misses next to nothing, and the upper end says so. mpmath, by the normal approximation: between 10^-9 and 10^-7.
    #[test]
    fn large_losses() {
        let plan = plan(&["laplace(scale=1000, sensitivity=1000)*100"]);
        let [forward, backward] = profiles(&plan, "100", 20);
        let mut curve = TradeOff::new(&plan, &Precision { digits: 9 }).with(&forward, &backward);
        let found = curve.at(&rate("1/1000")).unwrap();
        assert!(found.lower() > parse("1e-9").unwrap() && found.upper() < parse("1e-7").unwrap(), "{found}");
        let far = plan_of(&[("1/2", "1"), ("1/2", "0")].map(|(p, q)| (parse(p).unwrap(), parse(q).unwrap())), 1);
        let [forward, backward] = profiles(&far, "1000000", 2);
        let found = trade_off(&forward, &backward, &rate("1/4")).unwrap();
        assert!(found.contains(&parse("3/8").unwrap()), "{found}");
    }

    /// The product over 30 copies by counting, exactly: the binomial of 3/4 and 1/4, a kink every ln 9.
    #[test]
    fn kinks_are_found() {
        let plan = plan(&["randomized_response(gamma=1/4)*30"]);
        let choose =
            |n: u32, k: u32| (0..k).fold(Rational::one(), |c, i| c * BigInt::from(n - i) / BigInt::from(i + 1));
        let outcomes: Vec<_> = (0..=30_u32)
            .map(|k| {
                let of = |yes: i32, no: i32| {
                    choose(30, k) * Rational::from_integer(3.into()).pow(yes) / Rational::from_integer(4.into()).pow(no)
                };
                let k = i32::try_from(k).unwrap();
                (of(k, 30), of(30 - k, 30))
            })
            .collect();
        let [forward, backward] = profiles(&plan, "30", 40);
        let mut curve = TradeOff::new(&plan, &Precision { digits: 10 }).with(&forward, &backward);
        for a in ["1/1000000", "1/1000", "1/100", "1/20", "1/4"] {
            let (found, truth) = (curve.at(&rate(a)).unwrap(), best_test(&outcomes, &parse(a).unwrap()));
            assert!(found.contains(&truth) && found.width() <= parse("1e-10").unwrap(), "{a}: {found} {truth}");
        }
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig::with_cases(12))]

        /// Any pair of finite distributions, alone and twice over, against its best test by enumeration.
        #[test]
        fn finite_pairs_have_their_best_test(
            weights in proptest::collection::vec((0_u32..9, 0_u32..9), 2..5),
            parts in 0_u32..=20,
            copies in 1_u64..3,
        ) {
            let sum = |side: fn(&(u32, u32)) -> u32| weights.iter().map(side).sum::<u32>();
            let (p_sum, q_sum) = (sum(|w| w.0), sum(|w| w.1));
            proptest::prop_assume!(p_sum > 0 && q_sum > 0);
            let of = |n: u32, d: u32| Rational::new(n.into(), d.into());
            let one: Vec<_> = weights.iter().map(|(p, q)| (of(*p, p_sum), of(*q, q_sum))).collect();
            let all: Vec<_> = if copies == 1 {
                one.clone()
            } else {
                one.iter().flat_map(|a| one.iter().map(move |b| (&a.0 * &b.0, &a.1 * &b.1))).collect()
            };
            let [forward, backward] = profiles(&plan_of(&one, copies), "5", 50);
            let rate = of(parts, 20);
            let truth = best_test(&all, &rate);
            let rate = Probability::new(rate).unwrap();
            let near = TradeOff::new(&plan_of(&one, copies), &Precision { digits: 8 }).with(&forward, &backward).at(&rate).unwrap();
            proptest::prop_assert!(near.contains(&truth), "{near} {truth}");
            proptest::prop_assert!(near.width() <= parse("1e-8").unwrap(), "{near} {truth}");
            let found = trade_off(&forward, &backward, &rate).unwrap();
            proptest::prop_assert!(found.contains(&truth), "{found} {truth}");
            // Without false positives, all rests on δ past the last point, of which points say nothing.
            proptest::prop_assert!(parts == 0 || found.width() < parse("1/5").unwrap(), "{found} {truth}");
        }
    }
}
