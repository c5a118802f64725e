//! Copies of the frequent outcomes of a plan's parts: bounds of their curve at any ε, cheap ones far from where the losses lie, and compositions near.
//!
//! Copies of outcomes with P and Q in all of less than 1 each have the curve δ(x) = Σ (P − e^x·Q)₊. With P* and Q* the products of all copies' P and Q, and M*(θ)
//! the product of their M(θ) = Σ p·e^(θl):
//!
//! * δ(x) ≥ P* − e^x·Q*, since (a)₊ ≥ a;
//! * for θ ≥ 0, δ(x) ≤ c(θ)·M*(θ)·e^(-θx), as in Chernoff's bound, with c(θ) the most of e^(-θu)·(1 − e^-u);
//! * δ(x) is more than P* − e^x·Q* by Σ (e^x·Q − P)₊, and with u = x − l each term is p·e^(θ(l − x))·e^(-su)·(1 − e^-u) for θ = −1 − s: for s ≥ 0 that is at
//!   most c(s)·M*(θ)·e^(-θx) together.

use alloc::vec::Vec;

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use super::{
    atoms::{Atom, Atoms, nothing},
    chain::Part,
    composition::Composition,
    dots::Grid,
    effort::{Effort, Losses, of_joins},
    evaluate::most_of_a_path,
    fixed::{Range, ceil, exp, floor, ln_scaled, shift_up},
    outline::{self, Outline},
    tilt::{Choice, FINEST, MOST_CUT, finest},
};
use crate::exact::{Budget, Rational, exponential, product};

/// Frequent losses are of few sizes.
pub(super) const EFFORT: Effort = Effort { single: 1 << 14, looks: 1 << 14, composed: 1 << 13, sums: 1 << 17 };

/// Where they are not, or lie next to where they are asked about.
pub(super) const FINER: Effort = Effort { composed: 1 << 15, sums: 1 << 20, ..EFFORT };

/// Binary digits of a first cumulant.
const SHORT: u32 = 144;

/// The steps, about, of some exponentials.
const FAR: u64 = 20_000;

/// The steps, about, of the points of a composition.
const NEAR: u64 = 50_000;

/// Binary digits of tilts and exponents.
const PLACES: u32 = 64;

/// Binary digits of what is taken as often as there are copies.
const FINE_PLACES: u32 = 96;

/// Binary digits of a bound.
const DIGITS: u32 = 48;

/// The frequent outcomes of each part.
pub(super) struct Frequent {
    singles: Vec<Single>,
    /// The binary digits of probabilities.
    bits: u32,
    /// Composed losses are multiples of 2^-fine.
    fine: u32,
    /// The cheap bounds that are known.
    far: Vec<Far>,
}

/// One copy of a part's.
struct Single {
    part: Part,
    grid: Grid,
    /// The least loss and the greatest.
    span: (Rational, Rational),
    outline: Outline,
}

/// A bound of one θ for any number of copies: M(θ) of each part is at most e^cumulant.
struct Far {
    /// θ over 2^[`PLACES`].
    theta: BigInt,
    /// At least ln M(θ), over 2^[`FINE_PLACES`].
    cumulants: Vec<BigInt>,
}

/// What is learned of copies: a bound of another θ, or a composition.
#[derive(Clone, Copy, Debug)]
pub(super) enum Lesson {
    Far,
    Near,
}

/// Some copies of them, and what is known of their curve.
pub(super) struct Copies {
    /// Of each part.
    numbers: Vec<u64>,
    /// P* and Q*, over 2^bits.
    whole: (Range, Range),
    /// Their losses are between these.
    reach: (Rational, Rational),
    near: Vec<Composition>,
}

impl Copies {
    pub(super) fn numbers(&self) -> &[u64] {
        &self.numbers
    }
}

impl Single {
    /// A grid for some outcomes, and the least loss and the greatest.
    fn grid_of(listed: &[Atom]) -> Option<(Grid, (Rational, Rational))> {
        let low = listed.iter().map(|atom| atom.loss.lower()).min()?;
        let high = listed.iter().map(|atom| atom.loss.upper()).max()?;
        // One loss, or nearly one, is told apart from 0 well enough.
        let apart = &high - high.abs() / BigInt::from(EFFORT.single >> 6);
        let step = finest(&low.clone().min(apart), &high, EFFORT.single, FINEST);
        let place = |loss: BigInt| i64::try_from(loss).ok();
        let grid = Grid { step, first: place(floor(&low, step))?, last: place(ceil(&high, step))? };
        Some((grid, (low, high)))
    }

    fn listed(&self) -> &[Atom] {
        match &self.part {
            Part::Few(atoms, ..) => &atoms.listed,
            Part::Grid(_) => &[],
        }
    }

    /// P and Q of all of them.
    fn whole(&self) -> (Range, Range) {
        let sum = |of: fn(&Atom) -> &Range| {
            self.listed().iter().fold(Range::point(BigInt::zero()), |sum, atom| sum.add(of(atom)))
        };
        (sum(|atom| &atom.p), sum(|atom| &atom.q))
    }

    /// At least ln M(θ): by few digits, where they are enough.
    fn cumulant(&self, theta: &Rational, most: u32) -> Option<Rational> {
        let end = if theta.is_negative() { &self.span.0 } else { &self.span.1 };
        for bits in [SHORT.min(most), most] {
            let mut sum = BigInt::zero();
            for atom in self.listed() {
                let loss = if theta.is_negative() { atom.loss.lower() } else { atom.loss.upper() };
                // At most 0; rounded up, and at most 0.
                let exponent = ceil(&(theta * (loss - end)), bits).min(BigInt::zero());
                let power = exp(&Rational::new(exponent, BigInt::one() << bits), bits)?;
                sum += shift_up(&atom.p.upper, most - bits) * Range::of(&power, bits).upper;
            }
            // Roundings are of the last digits.
            if bits == most || sum.bits() > u64::from(bits + SHORT / 2) {
                return Some(ln_scaled(sum.magnitude(), 2 * bits, FINE_PLACES)?.upper() + theta * end);
            }
        }
        None
    }
}

impl Frequent {
    /// Of some outcomes of each part, with probabilities over 2^bits and losses to as many places, and of at most so many copies.
    pub(super) fn new(parts: Vec<(Vec<Atom>, u64)>, bits: u32) -> Option<Self> {
        let grids = parts.iter().map(|(listed, _)| Single::grid_of(listed)).collect::<Option<Vec<_>>>()?;
        let all = parts.iter().fold(0_u64, |sum, (_, copies)| sum.saturating_add(*copies));
        let choice = Choice { theta: Rational::zero(), cut: 0, grids: grids.iter().map(|of| (of.0, bits)).collect() };
        let fine = choice.fineness(all).filter(|fine| fine + 36 <= bits)?;
        let mut singles = Vec::new();
        for ((listed, _), (grid, span)) in parts.into_iter().zip(grids) {
            let outline = Outline::new(&listed, bits, fine);
            let part = Part::Few(Atoms { listed, above: nothing(), below: nothing() }, grid, bits);
            singles.push(Single { part, grid, span, outline });
        }
        Some(Self { singles, bits, fine, far: Vec::new() })
    }

    /// The binary digits after the point that are enough for its losses, at most those of probabilities.
    pub(super) fn places(&self) -> u32 {
        self.fine + 36
    }

    /// About how far from 0 the loss of some copies lies: its mean, and some deviations.
    pub(super) fn bulk(&self, numbers: &[u64]) -> Rational {
        let single = |(single, copies): (&Single, &u64)| single.outline.bulk(*copies);
        let most = self.singles.iter().map(|single| single.span.1.abs()).max().unwrap_or_else(Rational::zero);
        self.singles.iter().zip(numbers).map(single).sum::<Rational>() + most * BigInt::from(4)
    }

    /// About the steps that δ(x) of some copies takes, or what was learned last.
    pub(super) fn cost(of: &Copies, last: Option<Lesson>) -> u64 {
        let near = match last {
            None => u64::try_from(of.near.len()).unwrap_or(u64::MAX),
            Some(Lesson::Far) => 0,
            Some(Lesson::Near) => 1,
        };
        near.saturating_mul(NEAR).saturating_add(FAR)
    }

    /// About the steps of [`Self::copies`].
    pub(super) fn cost_of_copies(&self, numbers: &[u64]) -> u64 {
        let powers = numbers.iter().map(|copies| u64::from(u64::BITS - copies.leading_zeros()) + 1);
        let sums: usize = self.singles.iter().map(|single| single.listed().len()).sum();
        let sums = u64::try_from(sums).unwrap_or(u64::MAX).saturating_mul(100);
        powers.sum::<u64>().saturating_mul(8 * product(self.bits)).saturating_add(sums)
    }

    /// So many copies of each part.
    pub(super) fn copies(&self, numbers: Vec<u64>) -> Copies {
        let one = || Range::point(BigInt::one() << self.bits);
        let whole = self.singles.iter().zip(&numbers).fold((one(), one()), |(all_p, all_q), (single, copies)| {
            let (p, q) = single.whole();
            let power = |x: &Range| power(x, *copies, self.bits);
            (all_p.mul(&power(&p), self.bits), all_q.mul(&power(&q), self.bits))
        });
        let reach = self.reach(&numbers);
        Copies { numbers, whole, reach, near: Vec::new() }
    }

    /// δ(x) of some copies for an x between two, over 2^bits: by what is cheap, and where that is not known to `narrow` by compositions.
    pub(super) fn at(&self, of: &Copies, (low, high): (&Rational, &Rational), narrow: &BigInt) -> Range {
        let one = Range::point(BigInt::one() << self.bits);
        if of.numbers.iter().all(Zero::is_zero) {
            let most = self.difference(&(one.clone(), one.clone()), low).upper;
            return Range { lower: self.difference(&(one.clone(), one), high).lower, upper: most };
        }
        let mut found = Range { lower: self.difference(&of.whole, high).lower, upper: of.whole.0.upper.clone() };
        let (least, greatest) = &of.reach;
        if low >= greatest {
            found.upper = BigInt::zero();
        } else if low <= least {
            found.upper = self.difference(&of.whole, low).upper;
        }
        for is_below in [false, true] {
            let some = self.far.iter().filter(|far| far.theta.is_negative() == is_below);
            found.upper = self.farther(found.upper, of, some, low);
        }
        if &found.upper - &found.lower <= *narrow {
            return found;
        }
        self.nearer(found, &of.near, (low, high))
    }

    /// The same with what was learned last besides.
    pub(super) fn with_last(
        &self,
        found: Range,
        of: &Copies,
        (low, high): (&Rational, &Rational),
        last: Lesson,
    ) -> Range {
        match last {
            Lesson::Far => Range { upper: self.farther(found.upper, of, self.far.last().into_iter(), low), ..found },
            Lesson::Near => self.nearer(found, of.near.last().map_or(&[], core::slice::from_ref), (low, high)),
        }
    }

    /// What cheap bounds of tilts of one sign tell besides.
    fn farther<'a>(&self, upper: BigInt, of: &Copies, some: impl Iterator<Item = &'a Far>, x: &Rational) -> BigInt {
        let Some((more, is_below)) = self.far(some, &of.numbers, x, &upper) else { return upper };
        let most = if is_below { self.difference(&of.whole, x).upper + more } else { more };
        upper.min(most)
    }

    /// Between which the losses of some copies are.
    fn reach(&self, numbers: &[u64]) -> (Rational, Rational) {
        let sum = |of: fn(&Single) -> &Rational| -> Rational {
            self.singles.iter().zip(numbers).map(|(single, copies)| of(single) * BigInt::from(*copies)).sum()
        };
        (sum(|single| &single.span.0), sum(|single| &single.span.1))
    }

    /// What compositions tell besides.
    fn nearer(&self, found: Range, near: &[Composition], (low, high): (&Rational, &Rational)) -> Range {
        let Range { mut lower, mut upper } = found;
        for composition in near {
            lower = composition.least(high).map_or(lower.clone(), |least| floor(&least, self.bits).max(lower));
            // At most 1 is said of distributions, and pessimistic masses may be more.
            let most = composition.most(low).filter(|most| *most < Rational::one());
            upper = most.map_or(upper.clone(), |most| ceil(&most, self.bits).min(upper));
        }
        Range { lower, upper }
    }

    /// (P − e^x·Q)₊.
    fn difference(&self, (p, q): &(Range, Range), x: &Rational) -> Range {
        // Above (bits + 2)·ln 2, e^x times a unit in the last place of Q is more than P.
        if *x > Rational::from_integer((self.bits + 2).into()) && q.lower.is_positive() {
            return Range::point(BigInt::zero());
        }
        // At most 1 in any case, and at most P.
        let Some(power) = exp(x, self.bits) else { return Range { lower: BigInt::zero(), upper: p.upper.clone() } };
        let taken = q.mul(&Range::of(&power, self.bits), self.bits);
        let of = |difference: BigInt| difference.max(BigInt::zero());
        Range { lower: of(&p.lower - taken.upper), upper: of(&p.upper - taken.lower) }
    }

    /// c·M*(θ)·e^(-θx) at most, over 2^bits, by that θ of some for which it is the least, and whether that is negative; `None` if it is more than what is known.
    fn far<'a>(
        &self,
        of: impl Iterator<Item = &'a Far>,
        numbers: &[u64],
        x: &Rational,
        known: &BigInt,
    ) -> Option<(BigInt, bool)> {
        let places = self.places();
        let (above, below) = (ceil(x, places), floor(x, places));
        let finer = FINE_PLACES - PLACES;
        let exponent = |far: &Far| {
            let x = if far.theta.is_negative() { &above } else { &below };
            let cumulant: BigInt = far.cumulants.iter().zip(numbers).map(|(cumulant, copies)| cumulant * copies).sum();
            shift_up(&cumulant, finer) - ((&far.theta * x) >> places)
        };
        let (y, theta) = of.map(|far| (exponent(far), &far.theta)).min()?;
        if y.is_positive() {
            return None;
        }
        let over = |n: BigInt| Rational::new(n, BigInt::one() << PLACES);
        let s = if theta.is_negative() { -over(theta.clone()) - Rational::one() } else { over(theta.clone()) };
        let worst = most_of_a_path(&s);
        // How many times it is halved, at most: 3/2 > 1/ln 2.
        let halvings = u32::try_from(shift_up(&-(&y * 3_u32), PLACES + 1)).unwrap_or(u32::MAX);
        let halved =
            halvings.saturating_add(u32::try_from(s.to_integer().bits()).unwrap_or(u32::MAX)).saturating_add(2);
        if known.bits() + u64::from(halved) < u64::from(self.bits) {
            return None;
        }
        let bits = self.bits.min(halvings.saturating_add(DIGITS));
        let power = exp(&over(y), bits)?;
        Some((ceil(&(power.upper() * worst), self.bits), theta.is_negative()))
    }

    /// How many cheap bounds are known.
    pub(super) fn bounds(&self) -> usize {
        self.far.len()
    }

    /// Learns a cheap bound that is good for some copies at x; `None` where there is none, or the budget is spent.
    pub(super) fn learn_far(&mut self, numbers: &[u64], x: &Rational, budget: &Budget) -> Option<()> {
        let some = self.singles.iter().map(|single| single.listed().len() + 16 * single.outline.len()).sum::<usize>();
        budget.spend(u64::try_from(some).ok()?.saturating_mul(exponential(SHORT)))?;
        let theta = floor(&self.tilt(numbers, x).filter(|theta| !theta.is_zero())?, PLACES);
        let exact = Rational::new(theta.clone(), BigInt::one() << PLACES);
        let cumulant = |single: &Single| Some(ceil(&single.cumulant(&exact, self.bits)?, FINE_PLACES));
        let cumulants = self.singles.iter().map(cumulant).collect::<Option<_>>()?;
        self.far.push(Far { theta, cumulants });
        Some(())
    }

    /// Learns by a composition made for x; `None` where the budget is spent, or a number is out of range.
    pub(super) fn learn_near(&self, of: &mut Copies, x: &Rational, effort: Effort, budget: &Budget) -> Option<()> {
        let theta = self.tilt(&of.numbers, x)?.max(Rational::zero());
        let some = || self.singles.iter().zip(&of.numbers).filter(|(_, copies)| **copies > 0);
        let (joins, few) =
            of_joins(some().map(|(single, copies)| (Losses::Few(single.listed().len()), *copies)), effort);
        budget.spend(joins.saturating_add(few))?;
        let cut = u32::try_from(MOST_CUT).ok()?;
        let choice = Choice { theta, cut, grids: some().map(|(single, _)| (single.grid, self.bits)).collect() };
        let parts: Vec<_> = some().map(|(single, copies)| (&single.part, *copies)).collect();
        let near = Composition::of_parts(&parts, &choice, self.fine, effort)?;
        of.near.push(near);
        Some(())
    }

    /// The tilt for some copies and an x that their losses reach ([`outline::tilt`]).
    fn tilt(&self, numbers: &[u64], x: &Rational) -> Option<Rational> {
        let (least, greatest) = self.reach(numbers);
        if *x <= least || *x >= greatest {
            return None;
        }
        let outlines: Vec<_> =
            self.singles.iter().zip(numbers).map(|(single, copies)| (&single.outline, *copies)).collect();
        outline::tilt(&outlines, self.fine, x)
    }
}

/// x^n of a number of about [0, 1], over 2^bits: pessimistic masses may be a little more in all.
pub(super) fn power(x: &Range, mut n: u64, bits: u32) -> Range {
    let x = Range { lower: x.lower.clone().max(BigInt::zero()), upper: x.upper.clone() };
    let (mut square, mut product) = (x, Range::point(BigInt::one() << bits));
    while n > 0 {
        if n & 1 == 1 {
            product = product.mul(&square, bits);
        }
        square = square.mul(&square, bits);
        n >>= 1;
    }
    product
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::exact::{Enclosure, Positive, ln};

    const BITS: u32 = 256;

    /// Outcomes of p and q over 2^10, which need not be 1 in all.
    fn outcomes(weights: &[(u32, u32)]) -> Vec<Atom> {
        let over = |n: u32| Rational::new(n.into(), 1024.into());
        let atom = |(p, q): &(u32, u32)| {
            let loss = ln(&Positive::new(over(*p) / over(*q)).unwrap(), BITS);
            Atom { p: Range::of_rational(&over(*p), BITS), q: Range::of_rational(&over(*q), BITS), loss }
        };
        weights.iter().map(atom).collect()
    }

    /// Σ (P − e^x·Q)₊ over all outcomes of three copies, one of each.
    fn truth(weights: [&[(u32, u32)]; 3], x: &Rational) -> Enclosure {
        let power = exp(x, 300).unwrap();
        let mut sum = Enclosure::from_integer(0, 300);
        for a in weights[0] {
            for b in weights[1] {
                for c in weights[2] {
                    let over = |n: u64| Rational::new(n.into(), BigInt::one() << 30_u32);
                    let p = over(u64::from(a.0) * u64::from(b.0) * u64::from(c.0));
                    let q = over(u64::from(a.1) * u64::from(b.1) * u64::from(c.1));
                    sum = sum.add(&Enclosure::from_rational(&p, 300).sub(&power.mul_rational(&q)).max_zero());
                }
            }
        }
        sum
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        /// What is cheap to know, learned at one x and asked at others of either sign, and a composition besides: of three copies, or of two and one of another part.
        #[test]
        fn the_truth_is_inside(
            weights in prop::collection::vec((1_u32..200, 1_u32..200), 2..5),
            other in prop::option::of(prop::collection::vec((1_u32..200, 1_u32..200), 1..4)),
            learned in prop::collection::vec(-60_i64..60, 0..3),
            near in 1_i64..30,
        ) {
            let (parts, numbers) = match &other {
                None => (Vec::from([(outcomes(&weights), 3)]), Vec::from([3])),
                Some(other) => (Vec::from([(outcomes(&weights), 2), (outcomes(other), 4)]), Vec::from([2, 1])),
            };
            let mut frequent = Frequent::new(parts, BITS).unwrap();
            let mut copies = frequent.copies(numbers.clone());
            let tenths = |n: i64| Rational::new(n.into(), 10.into());
            for x in learned {
                let _ = frequent.learn_far(&numbers, &tenths(x), &Budget::unlimited());
            }
            let inside = |copies: &Copies| {
                for n in -60..=60 {
                    let (x, further) = (tenths(n), tenths(n) + Rational::new(1.into(), 1_000_000.into()));
                    let found = frequent.at(copies, (&x, &further), &BigInt::zero());
                    let of = |bound: BigInt| Rational::new(bound, BigInt::one() << BITS);
                    let of_each = [&weights, &weights, other.as_ref().unwrap_or(&weights)].map(Vec::as_slice);
                    let (most, least) = (truth(of_each, &x), truth(of_each, &further));
                    assert!(of(found.lower) <= least.upper() && most.lower() <= of(found.upper), "{weights:?} {other:?} at {x}");
                }
            };
            inside(&copies);
            let (least, greatest) = frequent.reach(&numbers);
            let between = &least + (&greatest - &least) * Rational::new(near.into(), 30.into());
            let is_made = frequent.learn_near(&mut copies, &between, EFFORT, &Budget::unlimited()).is_some();
            prop_assert!(is_made || least == greatest);
            inside(&copies);
        }
    }

    /// Far above the mean and far below it, a cheap bound is near the truth.
    #[test]
    fn cheap_bounds_are_good_far_out() {
        let weights = [(300, 290), (310, 322), (200, 190), (10, 2), (2, 9)];
        for (tenths, worst) in [(45, 20), (30, 20), (-40, 20), (-25, 20)] {
            let mut frequent = Frequent::new([(outcomes(&weights), 3)].into(), BITS).unwrap();
            let x = Rational::new(tenths.into(), 10.into());
            let copies = frequent.copies([3].into());
            let open = |frequent: &Frequent| {
                let found = frequent.at(&copies, (&x, &x), &BigInt::zero());
                Rational::new(found.upper - found.lower, BigInt::one() << BITS)
            };
            let before = open(&frequent);
            frequent.learn_far(&[3], &x, &Budget::unlimited()).unwrap();
            // Above, all of δ is open; below, what P − e^x·Q leaves out.
            let whole = truth([&weights; 3], &x).upper();
            let (p, q) = &frequent.copies([3].into()).whole;
            let least = Rational::new(frequent.difference(&(p.clone(), q.clone()), &x).lower, BigInt::one() << BITS);
            assert!(open(&frequent) <= (whole - least) * BigInt::from(worst), "{tenths}");
            assert!(open(&frequent) < before, "{tenths}");
        }
    }

    /// e^x of any x: nothing is left above, and all of P below.
    #[test]
    fn far_beyond_all_losses() {
        let weights = [(500, 499), (400, 401), (124, 124)];
        let frequent = Frequent::new([(outcomes(&weights), 3)].into(), BITS).unwrap();
        let of = frequent.copies([3].into()).whole;
        for n in [256_u32, 258, 259, 1 << 20, u32::MAX] {
            let x = Rational::from_integer(n.into());
            assert!(frequent.difference(&of, &x).upper.is_zero(), "{n}");
            assert!(frequent.difference(&of, &-x).lower.bits() > 255, "{n}");
        }
    }

    /// Cut off by a quarter, tiny losses are worth up to 1 − e^x at a negative x, not only as much as they are large.
    #[test]
    fn slack_counts_below_zero() {
        let weights = [(500, 499), (400, 401), (124, 124)];
        let frequent = Frequent::new([(outcomes(&weights), 3)].into(), BITS).unwrap();
        let choice = Choice { theta: Rational::zero(), cut: 2, grids: [(frequent.singles[0].grid, BITS)].into() };
        let composition =
            Composition::of_parts(&[(&frequent.singles[0].part, 3)], &choice, frequent.fine, EFFORT).unwrap();
        for n in 1..20 {
            let x = Rational::new((-n).into(), 10.into());
            let truth = truth([&weights; 3], &x);
            assert!(composition.least(&x).unwrap() < truth.lower() && composition.most(&x).unwrap() >= truth.lower());
        }
    }
}
