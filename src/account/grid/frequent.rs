//! Copies of the frequent outcomes of a pair: bounds of their curve at any ε, cheap ones far from where the losses lie, and compositions near.
//!
//! m copies of outcomes with P and Q in all of less than 1 have the curve δ(x) = Σ (P − e^x·Q)₊, and with M(θ) = Σ p·e^(θl) of one copy:
//!
//! * δ(x) ≥ P^m − e^x·Q^m, since (a)₊ ≥ a;
//! * for θ ≥ 0, δ(x) ≤ c(θ)·M(θ)^m·e^(-θx), as in Chernoff's bound, with c(θ) the most of e^(-θu)·(1 − e^-u);
//! * δ(x) is more than P^m − e^x·Q^m by Σ (e^x·Q − P)₊, and with u = x − l each term is p·e^(θ(l − x))·e^(-su)·(1 − e^-u) for θ = −1 − s: for s ≥ 0 that is at
//!   most c(s)·M(θ)^m·e^(-θx) together.

use alloc::vec::Vec;

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use super::{
    atoms::{Atom, Atoms, nothing},
    chain::Part,
    composition::{Composition, Effort, fineness, of_few, of_joins},
    dots::Grid,
    evaluate::most_of_a_path,
    fixed::{Range, ceil, exp, floor, ln_scaled, shift_up},
    outline::Outline,
    tilt::{Choice, FINEST, MOST_CUT, finest},
};
use crate::exact::{Budget, Rational, exponential};

/// Frequent losses are of few sizes.
const EFFORT: Effort = Effort { single: 1 << 14, composed: 1 << 13, sums: 1 << 17 };

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

/// One copy of the frequent outcomes.
pub(super) struct Frequent {
    part: Part,
    grid: Grid,
    /// The binary digits of probabilities.
    bits: u32,
    /// Composed losses are multiples of 2^-fine.
    fine: u32,
    /// The least loss and the greatest.
    span: (Rational, Rational),
    outline: Outline,
    /// The cheap bounds that are known.
    far: Vec<Far>,
}

/// A bound of one θ for any number of copies: M(θ) is at most e^cumulant.
struct Far {
    /// θ over 2^[`PLACES`].
    theta: BigInt,
    /// At least ln M(θ), over 2^[`FINE_PLACES`].
    cumulant: BigInt,
}

/// What is learned of copies: a bound of another θ, or a composition.
#[derive(Clone, Copy, Debug)]
pub(super) enum Lesson {
    Far,
    Near,
}

/// Some copies of them, and what is known of their curve.
pub(super) struct Copies {
    copies: u64,
    /// P^m and Q^m, over 2^bits.
    whole: (Range, Range),
    near: Vec<Composition>,
}

impl Copies {
    pub(super) fn number(&self) -> u64 {
        self.copies
    }
}

impl Frequent {
    /// Of some outcomes, with probabilities over 2^bits and losses to as many places; of at most `copies` copies.
    pub(super) fn new(listed: Vec<Atom>, copies: u64, bits: u32) -> Option<Self> {
        let low = listed.iter().map(|atom| atom.loss.lower()).min()?;
        let high = listed.iter().map(|atom| atom.loss.upper()).max()?;
        // One loss, or nearly one, is told apart from 0 well enough.
        let apart = &high - high.abs() / BigInt::from(EFFORT.single >> 6);
        let step = finest(&low.clone().min(apart), &high, EFFORT.single, FINEST);
        let place = |loss: BigInt| i64::try_from(loss).ok();
        let grid = Grid { step, first: place(floor(&low, step))?, last: place(ceil(&high, step))? };
        let choice = Choice { theta: Rational::zero(), cut: 0, grids: [(grid, bits)].into() };
        let fine = fineness(&choice, copies).filter(|fine| fine + 36 <= bits)?;
        let outline = Outline::new(&listed, bits, fine);
        let part = Part::Few(Atoms { listed, above: nothing(), below: nothing() }, grid, bits);
        Some(Self { part, grid, bits, fine, span: (low, high), outline, far: Vec::new() })
    }

    /// The binary digits after the point that are enough for its losses, at most those of probabilities.
    pub(super) fn places(&self) -> u32 {
        self.fine + 36
    }

    /// About how far from 0 the loss of some copies lies: its mean, and some deviations.
    pub(super) fn bulk(&self, copies: u64) -> Rational {
        self.outline.bulk(copies) + self.span.1.abs() * BigInt::from(4)
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

    fn listed(&self) -> &[Atom] {
        match &self.part {
            Part::Few(atoms, ..) => &atoms.listed,
            Part::Dots(_) => &[],
        }
    }

    pub(super) fn copies(&self, copies: u64) -> Copies {
        let nothing = || Range::point(BigInt::zero());
        let p = self.listed().iter().fold(nothing(), |sum, atom| sum.add(&atom.p));
        let q = self.listed().iter().fold(nothing(), |sum, atom| sum.add(&atom.q));
        let whole = (power(&p, copies, self.bits), power(&q, copies, self.bits));
        Copies { copies, whole, near: Vec::new() }
    }

    /// δ(x) of some copies for an x between two, over 2^bits: by what is cheap, and where that is not known to `narrow` by compositions.
    pub(super) fn at(&self, of: &Copies, (low, high): (&Rational, &Rational), narrow: &BigInt) -> Range {
        let one = Range::point(BigInt::one() << self.bits);
        if of.copies == 0 {
            let most = self.difference(&(one.clone(), one.clone()), low).upper;
            return Range { lower: self.difference(&(one.clone(), one), high).lower, upper: most };
        }
        let mut found = Range { lower: self.difference(&of.whole, high).lower, upper: of.whole.0.upper.clone() };
        let (least, greatest) = self.reach(of.copies);
        if *low >= greatest {
            found.upper = BigInt::zero();
        } else if *low <= least {
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
        let Some((more, is_below)) = self.far(some, of.copies, x, &upper) else { return upper };
        let most = if is_below { self.difference(&of.whole, x).upper + more } else { more };
        upper.min(most)
    }

    /// Between which the losses of some copies are.
    fn reach(&self, copies: u64) -> (Rational, Rational) {
        let (low, high) = &self.span;
        (low * BigInt::from(copies), high * BigInt::from(copies))
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
        // At most 1 in any case, and at most P.
        let Some(power) = exp(x, self.bits) else { return Range { lower: BigInt::zero(), upper: p.upper.clone() } };
        let taken = q.mul(&Range::of(&power, self.bits), self.bits);
        let of = |difference: BigInt| difference.max(BigInt::zero());
        Range { lower: of(&p.lower - taken.upper), upper: of(&p.upper - taken.lower) }
    }

    /// c·M(θ)^m·e^(-θx) at most, over 2^bits, by that θ of some for which it is the least, and whether that is negative; `None` if it is more than what is known.
    fn far<'a>(
        &self,
        of: impl Iterator<Item = &'a Far>,
        copies: u64,
        x: &Rational,
        known: &BigInt,
    ) -> Option<(BigInt, bool)> {
        let places = self.places();
        let (above, below) = (ceil(x, places), floor(x, places));
        let finer = FINE_PLACES - PLACES;
        let exponent = |far: &Far| {
            let x = if far.theta.is_negative() { &above } else { &below };
            shift_up(&(&far.cumulant * copies), finer) - ((&far.theta * x) >> places)
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
    pub(super) fn learn_far(&mut self, copies: u64, x: &Rational, budget: &Budget) -> Option<()> {
        let some = u64::try_from(self.listed().len() + 16 * self.outline.len()).ok()?;
        budget.spend(some.saturating_mul(exponential(SHORT)))?;
        let theta = floor(&self.tilt(copies, x).filter(|theta| !theta.is_zero())?, PLACES);
        let cumulant = self.cumulant(&Rational::new(theta.clone(), BigInt::one() << PLACES))?;
        self.far.push(Far { theta, cumulant: ceil(&cumulant, FINE_PLACES) });
        Some(())
    }

    /// Learns by a composition made for x; `None` where the budget is spent, or a number is out of range.
    pub(super) fn learn_near(&self, of: &mut Copies, x: &Rational, budget: &Budget) -> Option<()> {
        let theta = self.tilt(of.copies, x)?.max(Rational::zero());
        budget.spend(of_joins(of.copies, EFFORT).saturating_add(of_few(EFFORT)))?;
        let cut = u32::try_from(MOST_CUT).ok()?;
        let choice = Choice { theta, cut, grids: [(self.grid, self.bits)].into() };
        of.near.push(Composition::of_parts(&[(&self.part, of.copies)], &choice, self.fine, EFFORT)?);
        Some(())
    }

    /// The tilt for some copies and an x that their losses reach ([`Outline::tilt`]).
    fn tilt(&self, copies: u64, x: &Rational) -> Option<Rational> {
        let (least, greatest) = self.reach(copies);
        if *x <= least || *x >= greatest { None } else { self.outline.tilt(copies, x) }
    }

    /// At least ln M(θ): by few digits, where they are enough.
    fn cumulant(&self, theta: &Rational) -> Option<Rational> {
        let end = if theta.is_negative() { &self.span.0 } else { &self.span.1 };
        for bits in [SHORT.min(self.bits), self.bits] {
            let mut sum = BigInt::zero();
            for atom in self.listed() {
                let loss = if theta.is_negative() { atom.loss.lower() } else { atom.loss.upper() };
                // At most 0; rounded up, and at most 0.
                let exponent = ceil(&(theta * (loss - end)), bits).min(BigInt::zero());
                let power = exp(&Rational::new(exponent, BigInt::one() << bits), bits)?;
                sum += shift_up(&atom.p.upper, self.bits - bits) * Range::of(&power, bits).upper;
            }
            // Roundings are of the last digits.
            if bits == self.bits || sum.bits() > u64::from(bits + SHORT / 2) {
                return Some(ln_scaled(sum.magnitude(), 2 * bits, FINE_PLACES)?.upper() + theta * end);
            }
        }
        None
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

    /// Σ (P − e^x·Q)₊ over all outcomes of three copies.
    fn truth(weights: &[(u32, u32)], x: &Rational) -> Enclosure {
        let power = exp(x, 300).unwrap();
        let mut sum = Enclosure::from_integer(0, 300);
        for a in weights {
            for b in weights {
                for c in weights {
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

        /// What is cheap to know, learned at one x and asked at others of either sign, and a composition besides.
        #[test]
        fn the_truth_is_inside(
            weights in prop::collection::vec((1_u32..200, 1_u32..200), 2..5),
            learned in prop::collection::vec(-60_i64..60, 0..3),
            near in 1_i64..30,
        ) {
            let mut frequent = Frequent::new(outcomes(&weights), 3, BITS).unwrap();
            let mut copies = frequent.copies(3);
            let tenths = |n: i64| Rational::new(n.into(), 10.into());
            for x in learned {
                let _ = frequent.learn_far(3, &tenths(x), &Budget::unlimited());
            }
            let inside = |copies: &Copies| {
                for n in -60..=60 {
                    let (x, further) = (tenths(n), tenths(n) + Rational::new(1.into(), 1_000_000.into()));
                    let found = frequent.at(copies, (&x, &further), &BigInt::zero());
                    let of = |bound: BigInt| Rational::new(bound, BigInt::one() << BITS);
                    let (most, least) = (truth(&weights, &x), truth(&weights, &further));
                    assert!(of(found.lower) <= least.upper() && most.lower() <= of(found.upper), "{weights:?} at {x}");
                }
            };
            inside(&copies);
            let (least, greatest) = frequent.reach(3);
            let between = &least + (&greatest - &least) * Rational::new(near.into(), 30.into());
            let is_made = frequent.learn_near(&mut copies, &between, &Budget::unlimited()).is_some();
            prop_assert!(is_made || least == greatest);
            inside(&copies);
        }
    }

    /// Far above the mean and far below it, a cheap bound is near the truth.
    #[test]
    fn cheap_bounds_are_good_far_out() {
        let weights = [(300, 290), (310, 322), (200, 190), (10, 2), (2, 9)];
        for (tenths, worst) in [(45, 20), (30, 20), (-40, 20), (-25, 20)] {
            let mut frequent = Frequent::new(outcomes(&weights), 3, BITS).unwrap();
            let x = Rational::new(tenths.into(), 10.into());
            let copies = frequent.copies(3);
            let open = |frequent: &Frequent| {
                let found = frequent.at(&copies, (&x, &x), &BigInt::zero());
                Rational::new(found.upper - found.lower, BigInt::one() << BITS)
            };
            let before = open(&frequent);
            frequent.learn_far(3, &x, &Budget::unlimited()).unwrap();
            // Above, all of δ is open; below, what P − e^x·Q leaves out.
            let whole = truth(&weights, &x).upper();
            let (p, q) = &frequent.copies(3).whole;
            let least = Rational::new(frequent.difference(&(p.clone(), q.clone()), &x).lower, BigInt::one() << BITS);
            assert!(open(&frequent) <= (whole - least) * BigInt::from(worst), "{tenths}");
            assert!(open(&frequent) < before, "{tenths}");
        }
    }

    /// Cut off by a quarter, tiny losses are worth up to 1 − e^x at a negative x, not only as much as they are large.
    #[test]
    fn slack_counts_below_zero() {
        let weights = [(500, 499), (400, 401), (124, 124)];
        let frequent = Frequent::new(outcomes(&weights), 3, BITS).unwrap();
        let choice = Choice { theta: Rational::zero(), cut: 2, grids: [(frequent.grid, BITS)].into() };
        let composition = Composition::of_parts(&[(&frequent.part, 3)], &choice, frequent.fine, EFFORT).unwrap();
        for n in 1..20 {
            let x = Rational::new((-n).into(), 10.into());
            let truth = truth(&weights, &x);
            assert!(composition.least(&x).unwrap() < truth.lower() && composition.most(&x).unwrap() >= truth.lower());
        }
    }
}
