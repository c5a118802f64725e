//! The choice of a tilt, a window and a grid. Whatever is chosen, the bounds are right: a bad choice makes them wide.
//!
//! A coarse PLD of each part tells how the losses lie. The tilt θ is the one under which the losses of the whole plan have mean ε, as in
//! Chernoff's bound δ(ε) ≤ e^(-θε)·Π M(θ)^k, which it minimises. The window of one copy leaves out what is negligible beside that bound.

use alloc::{boxed::Box, vec::Vec};

use num_bigint::BigInt;
use num_traits::{One, Signed, ToPrimitive, Zero};

use super::{
    curve::{Curve, Touch, span},
    dots::{Dots, Grid, connect},
    evaluate::most_of_a_path,
    fixed::{Range, exp, floor, ln_scaled, shift_up},
    rough::{Masses, Tilt},
    sparse,
};
use crate::{
    exact::{Budget, Positive, Rational},
    guarantee::Pair,
};

/// Points of a coarse grid, and of those of all parts together where they are many; the fewest of one.
const COARSE: u32 = 1 << 11;
const COARSE_OF_ALL: u32 = 1 << 15;
const COARSEST: u32 = 1 << 7;

/// Where all losses are one, a grid tells so many apart between it and 0.
const APART: u32 = 1 << 6;

/// Tails of discrete Gaussians below 2^-this are out of sight, and so many more binary digits show them; and where that is too much work of many parts.
const TAIL: u32 = 256;
const SHORT_TAIL: u32 = 80;
const MORE: u32 = 128;

/// Losses beyond this are not looked at where that is much work.
const WIDEST: u32 = 512;

/// A window this many times narrower than a sketch is worth a sketch of its own.
const NARROWER: u32 = 16;

/// The finest step of a grid is 2^-this: losses of a rate of 10^-300.
pub(super) const FINEST: u32 = 1100;

/// The most binary digits of a curve's values.
const MOST_BITS: u32 = 1 << 13;

/// What is cut off at either end is at most 2^-this, and where δ is far below Chernoff's bound down to that of the next: masses of 60 bits show no less.
const LEAST_CUT: i64 = 38;
pub(super) const MOST_CUT: i64 = 48;

/// Binary digits after the point of the binary digits that a tilt takes from one point to the next.
const FALL_PLACES: u32 = 32;

/// Binary digits of a bound's logarithm.
const BOUND_BITS: u32 = 64;

/// One part of a plan as the coarse grid shows it.
pub(super) struct Sketch {
    dots: Dots,
    masses: Masses,
    detail: Detail,
    pub(super) copies: u64,
}

/// What a sketch shows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Detail {
    /// The points it may have.
    points: u32,
    /// Of tails.
    tail: u32,
    /// Of wide noise a narrower one is sketched, of nearly the same losses.
    is_narrower: bool,
}

impl Detail {
    /// For each of so many parts: the best first.
    pub(super) fn of_parts(parts: usize) -> [Self; 2] {
        let all = u32::try_from(parts.max(1)).unwrap_or(u32::MAX);
        let points = (COARSE_OF_ALL / all).clamp(COARSEST, COARSE);
        [(TAIL, false), (SHORT_TAIL, true)].map(|(tail, is_narrower)| Self { points, tail, is_narrower })
    }

    /// The same of narrower noise.
    #[cfg(test)]
    pub(super) fn narrower(self) -> Self {
        Self { is_narrower: true, ..self }
    }

    /// What is sketched in place of some pairs.
    fn of(&self, pairs: &[Pair]) -> Vec<Pair> {
        pairs.iter().map(|pair| if self.is_narrower { narrower(pair) } else { pair.clone() }).collect()
    }

    /// The binary digits of a sketch of losses between two.
    fn bits(&self, low: &Rational, high: &Rational) -> Option<u32> {
        digits(low, high)?.checked_add(self.tail + MORE).filter(|bits| *bits <= MOST_BITS)
    }
}

/// θ, and for each part its grid and the binary digits that its curve needs.
pub(super) struct Choice {
    pub(super) theta: Rational,
    /// What may be cut off at either end of a distribution, 2^-this of it.
    pub(super) cut: u32,
    pub(super) grids: Vec<(Grid, u32)>,
}

impl Choice {
    /// The binary digits after the point of few losses: those of the widest grid and some for the roundings of many copies, so that even its losses are numbers
    /// of 60 bits.
    pub(super) fn fineness(&self, copies: u64) -> Option<u32> {
        let many = u64::BITS - copies.leading_zeros();
        let widest = self.grids.iter().map(|(grid, _)| grid.step).min()?;
        Some(sparse::FINE.max(widest + 24 + many.min(14)))
    }
}

/// The largest step exponent s ≤ most with (high − low)·2^s ≤ points.
pub(super) fn finest(low: &Rational, high: &Rational, points: u64, most: u32) -> u32 {
    let width = high - low;
    let fits = |s: &u32| &width * Rational::from_integer(BigInt::one() << *s) <= Rational::from_integer(points.into());
    (1..=most).take_while(fits).last().unwrap_or(0)
}

impl Sketch {
    pub(super) fn new(pairs: &[Pair], copies: u64, detail: Detail, budget: &Budget) -> Option<Self> {
        let (low, high) = spans(&detail.of(pairs), detail)?;
        // All losses, or if that is too much work those up to some hundreds: those beyond count as infinite, or as at the end.
        let widest = Rational::from_integer(WIDEST.into());
        let within = |loss: &Rational| loss.clone().max(-widest.clone()).min(widest.clone());
        if Self::cost(pairs, detail).is_none_or(|cost| cost > budget.left() / 2) {
            return Self::between(pairs, (copies, detail), within(&low), within(&high), budget);
        }
        Self::between(pairs, (copies, detail), low, high, budget)
    }

    /// About the steps of a sketch of all losses; `None` where they are out of range.
    pub(super) fn cost(pairs: &[Pair], detail: Detail) -> Option<u64> {
        let pairs = detail.of(pairs);
        let (low, high) = spans(&pairs, detail)?;
        let bits = detail.bits(&low, &high)?;
        let costs = pairs.iter().map(|pair| Curve::cheapest_cost(pair, detail.points.into(), bits));
        Some(costs.fold(0, u64::saturating_add))
    }

    /// Of the losses between two: those above count as infinite, those below as the least.
    fn between(
        pairs: &[Pair],
        (copies, detail): (u64, Detail),
        low: Rational,
        high: Rational,
        budget: &Budget,
    ) -> Option<Self> {
        let pairs = detail.of(pairs);
        // One loss is told apart from 0; where it is 0 any grid has it.
        let apart = if high.is_zero() { -Rational::one() } else { &high - high.abs() / BigInt::from(APART) };
        let step = finest(&low.clone().min(apart), &high, detail.points.into(), FINEST);
        let bits = detail.bits(&low, &high)?.checked_add(step.saturating_sub(40))?;
        let bits = Some(bits).filter(|bits| *bits <= MOST_BITS)?;
        let scaled = |loss: Rational| loss * Rational::from_integer(BigInt::one() << step);
        let first = scaled(low).floor().to_integer().to_i64()?.checked_sub(1)?;
        let last = scaled(high).ceil().to_integer().to_i64()?.checked_add(1)?;
        let grid = Grid { step, first, last };
        let points = Some(grid.points()).filter(|points| *points <= 1 << 16)?;
        let costs = pairs.iter().map(|pair| Curve::cheapest_cost(pair, points, bits));
        budget.spend(costs.fold(0_u64, u64::saturating_add))?;
        let curves = pairs.iter().map(|pair| Curve::cheapest(pair, points, bits));
        let mut curves: Vec<Curve> = curves.collect::<Option<_>>()?;
        Some(Self::of(connect(&mut curves, grid, bits)?, (copies, detail)))
    }

    fn of(dots: Dots, (copies, detail): (u64, Detail)) -> Self {
        Self { masses: Masses::new(&dots), dots, detail, copies }
    }

    /// Without losses so high that h is at most 2^-log there: they count as infinite.
    fn truncated(&self, log: i64) -> Self {
        let Dots { grid, bits, points, touches, places, is_of_one, upper, infinite } = &self.dots;
        let few = i64::from(*bits) + log;
        let is_open = |touch: &Touch| i64::try_from((&touch.upper - &infinite.lower).bits()).unwrap_or(i64::MAX) > few;
        // One point at least has something below it.
        let kept = touches.iter().take_while(|touch| is_open(touch)).count().saturating_add(2).min(touches.len());
        let of = |all: &[BigInt]| all.iter().take(kept).cloned().collect();
        let last = i64::try_from(kept).map_or(grid.last, |kept| (grid.first + kept - 1).min(grid.last));
        let dots = Dots {
            grid: Grid { last, ..*grid },
            bits: *bits,
            points: points.iter().take(kept).cloned().collect(),
            touches: touches.iter().take(kept).cloned().collect(),
            places: places.iter().take(kept).copied().collect(),
            is_of_one: *is_of_one,
            upper: of(upper),
            infinite: infinite.clone(),
        };
        Self::of(dots, (self.copies, self.detail))
    }

    /// The same part on a window that a choice found, if that is much narrower: losses too small for the first grid to tell apart.
    pub(super) fn narrowed(&self, pairs: &[Pair], window: &Grid, budget: &Budget) -> Option<Self> {
        let (low, high) = (window.loss(window.first), window.loss(window.last));
        let grid = &self.dots.grid;
        if (&high - &low) * BigInt::from(NARROWER) > grid.loss(grid.last) - grid.loss(grid.first) {
            return None;
        }
        Self::between(pairs, (self.copies, self.detail), low, high, budget)
    }
}

/// Gaussian noise of a standard deviation of about this has losses that are as good as continuous.
const NARROW: u32 = 16;

/// The same losses, nearly, of narrower noise: Δ and σ in the same proportion. Not a bound of anything.
fn narrower(pair: &Pair) -> Pair {
    match pair {
        Pair::Gaussian { variance, shift } if !shift.is_zero() => {
            let distance = Rational::from_integer(shift.clone().into());
            // ⌈16·Δ/σ⌉, which is less where σ is more than 16.
            let square = (&distance * &distance * BigInt::from(NARROW * NARROW) / variance.get()).ceil().to_integer();
            let less = square.sqrt() + 1_u32;
            let ratio = Rational::from_integer(less.clone()) / &distance;
            let narrow = Positive::new(variance.get() * &ratio * &ratio);
            match (less.to_biguint(), narrow) {
                (Some(less), Ok(variance)) if less < *shift => Pair::Gaussian { variance, shift: less },
                _ => pair.clone(),
            }
        }
        Pair::Subsampled { rate, of, reversed } => {
            Pair::Subsampled { rate: rate.clone(), of: Box::new(narrower(of)), reversed: *reversed }
        }
        Pair::Laplace { .. } | Pair::Gaussian { .. } | Pair::Finite(_) => pair.clone(),
    }
}

/// The losses between which those of several pairs lie.
fn spans(pairs: &[Pair], detail: Detail) -> Option<(Rational, Rational)> {
    let spans = pairs.iter().map(|pair| span(pair, detail.tail)).collect::<Option<Vec<_>>>()?;
    let low = spans.iter().map(|(low, _)| low).min()?.clone();
    Some((low, spans.iter().map(|(_, high)| high).max()?.clone()))
}

/// 3/2·(|low| + |high|): the binary digits that e^|loss| takes.
pub(super) fn digits(low: &Rational, high: &Rational) -> Option<u32> {
    ((low.abs() + high.abs()) * Rational::new(3.into(), 2.into())).ceil().to_integer().to_u32()
}

/// The tilt under which the plan's mean loss is ε, to a few bits; 0 if it is above without.
fn tilt(sketches: &[Sketch], epsilon: &Rational) -> Option<Rational> {
    let finest = sketches.iter().map(|sketch| sketch.dots.grid.step).max()?;
    let places = finest + 40;
    let target = floor(epsilon, places);
    let below = |theta: &Rational| -> Option<bool> {
        let (mut mean, mut tilt) = (BigInt::zero(), Tilt::new(theta));
        for sketch in sketches {
            mean += sketch.masses.moments(&mut tilt, places)?.1 * sketch.copies;
        }
        Some(mean < target)
    };
    let two = BigInt::from(2);
    let mut low = Rational::zero();
    if !below(&low)? {
        return Some(low);
    }
    // Under a tilt so large that nothing is left of a sketch whose losses end below its grid, the mean is not below.
    let below = |theta: &Rational| below(theta).unwrap_or(false);
    let mut high = Rational::new(1.into(), 1024.into());
    let mut doublings = 0_u32;
    while below(&high) {
        low = high.clone();
        // Tiny losses make for huge tilts, which are reached in longer strides.
        doublings += 1;
        high *= if doublings > 24 { BigInt::one() << 16_u32 } else { two.clone() };
        // Losses of 2^-finest or so make for tilts of about that.
        if high > Rational::from_integer(BigInt::one() << (12 + finest.saturating_sub(20))) {
            break;
        }
    }
    let halvings = if doublings > 24 { 22 } else { 7 };
    for _ in 0..halvings {
        let middle = (&low + &high) / &two;
        if below(&middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(low)
}

/// Each part's [`Masses::moments`], and Σ k·ln M(θ).
fn cumulant(sketches: &[Sketch], theta: &Rational) -> Option<(Vec<BigInt>, Rational)> {
    let (mut sums, mut cumulant, mut tilt) = (Vec::new(), Rational::zero(), Tilt::new(theta));
    for sketch in sketches {
        let (sum, _) = sketch.masses.moments(&mut tilt, sketch.dots.grid.step)?;
        let Dots { grid, bits, .. } = &sketch.dots;
        let ln = ln_scaled(sum.magnitude(), 2 * bits, 40)?.lower() + theta * grid.loss(grid.last);
        cumulant += ln * Rational::from_integer(sketch.copies.into());
        sums.push(sum);
    }
    Some((sums, cumulant))
}

/// At least δ(ε), by Chernoff's bound with what a path is worth at most: δ(ε) ≤ c(θ)·e^(-θε)·Π M(θ)^k of the pessimistic masses, and what is infinite of them. `None` if
/// it is no bound at all, or a number is out of range.
pub(super) fn bound(sketches: &[Sketch], epsilon: &Rational) -> Option<Rational> {
    if sketches.iter().any(|sketch| sketch.detail.is_narrower) {
        return None;
    }
    let theta = tilt(sketches, epsilon)?;
    let (mut exponent, mut infinite, mut more) = (-(&theta * epsilon), Rational::zero(), Rational::zero());
    for Sketch { dots: Dots { grid, bits, upper, infinite: beyond, .. }, copies, .. } in sketches {
        let (copies, unit) = (Rational::from_integer((*copies).into()), BigInt::one() << *bits);
        let falling = Range::of(&exp(&-(&theta * grid.loss(1)), *bits)?, *bits).upper;
        let (mut factor, mut sum) = (unit.clone(), BigInt::zero());
        for mass in upper.iter().rev() {
            sum += &factor * mass;
            factor = shift_up(&(factor * &falling), *bits);
        }
        if !sum.is_positive() {
            return None;
        }
        exponent +=
            (ln_scaled(sum.magnitude(), 2 * bits, BOUND_BITS)?.upper() + &theta * grid.loss(grid.last)) * &copies;
        infinite += Rational::new(beyond.upper.clone(), unit.clone()) * &copies;
        // Rounded up, masses may be more than 1 in all.
        let whole = upper.iter().sum::<BigInt>() + &beyond.upper;
        more += Rational::new((whole - &unit).max(BigInt::zero()), unit) * copies;
    }
    // Π (1 + x) ≤ e^(Σ x) ≤ 2 for Σ x ≤ 1/2.
    if !exponent.is_negative() || more > Rational::new(1.into(), 2.into()) {
        return None;
    }
    // Next to nothing is little enough.
    let exponent = exponent.max(Rational::from_integer((-i64::from(MOST_BITS)).into()));
    let bits = digits(&exponent, &Rational::zero())? + BOUND_BITS;
    let finite = exp(&exponent, bits)?.upper() * most_of_a_path(&theta);
    Some(finite + infinite * BigInt::from(2))
}

/// About the ε at which Chernoff's bound, by what a path is worth at most, is 2^log_delta: the least (Σ k·ln M(θ) − ln(1 + θ) − ln δ)/θ of some θ, to a few
/// bits. A place to start from.
pub(super) fn guess(sketches: &[Sketch], log_delta: i64) -> Option<Rational> {
    let ln_two = Rational::new(7.into(), 10.into());
    let mut least: Option<Rational> = None;
    // From 1/16 up, and then down: of many large losses the best θ is small, of tiny ones it is huge.
    for (start, factor) in [((1, 16), (2, 1)), ((1, 32), (1, 2))] {
        let mut theta = Rational::new(start.0.into(), start.1.into());
        for _ in 0..FINEST {
            let Some((_, cumulant)) = cumulant(sketches, &theta) else { break };
            let log_theta = theta.ceil().to_integer().bits().saturating_sub(1);
            let ln_delta = Rational::from_integer(BigInt::from(log_delta) + log_theta) * &ln_two;
            let epsilon = (cumulant - &ln_delta) / &theta;
            // It falls and then rises.
            if least.as_ref().is_some_and(|least| *least < epsilon) {
                break;
            }
            least = Some(epsilon);
            theta *= Rational::new(factor.0.into(), factor.1.into());
        }
    }
    let least = least?;
    if !least.is_positive() {
        return Some(Rational::zero());
    }
    // Of a few digits, however small it is.
    let places = u32::try_from(least.denom().bits().saturating_sub(least.numer().bits()) + 20).ok()?;
    let unit = BigInt::one() << places;
    Some((least * &unit).ceil() / unit)
}

/// What a composition is made for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Aim<'a> {
    pub(super) epsilon: &'a Rational,
    /// log2 δ(ε) or less, where that is known. Of losses with a heavy tail, such as small ones of a small rate, Chernoff's bound is far above δ.
    pub(super) log_delta: Option<i64>,
    /// Losses above the window may be worth 2^-this of that δ: where they are of many sizes a lower window has a finer grid, and a tilt that suits it.
    pub(super) open: Option<u32>,
}

/// Chooses for at most `points` points of one copy.
pub(super) fn choose(sketches: &[Sketch], aim: Aim<'_>, points: u64) -> Option<Choice> {
    let epsilon = aim.epsilon;
    let all: u64 = sketches.iter().fold(0, |sum, sketch| sum.saturating_add(sketch.copies));
    let many = u64::BITS - all.leading_zeros();
    let truncated = aim.log_delta.zip(aim.open).map(|(known, open)| {
        let log = known.saturating_sub(i64::from(open)).saturating_sub(i64::from(many));
        sketches.iter().map(|sketch| sketch.truncated(log)).collect::<Vec<_>>()
    });
    let sketches = truncated.as_deref().unwrap_or(sketches);
    let theta = tilt(sketches, epsilon)?;
    let (sums, cumulant) = cumulant(sketches, &theta)?;
    // ln of e^(-θε)·Π M^k.
    let chernoff = cumulant - &theta * epsilon;
    // log2 δ is about 10/7 of it, and some bits less for what lies above ε only by a little.
    let log_bound = (chernoff * Rational::new(10.into(), 7.into())).floor().to_integer().to_i64()?;
    let log_delta = log_bound.min(0) - 8;
    // Booked, 2^-cut of all is worth that much of Chernoff's bound, over 1 + θ.
    let log_theta = i64::try_from(theta.ceil().to_integer().bits()).ok()?;
    let needed = aim.log_delta.map_or(0, |known| (log_bound - log_theta).saturating_sub(known).saturating_add(14));
    let cut = u32::try_from(needed.clamp(LEAST_CUT, MOST_CUT)).ok()?;
    // And as many less as the losses are small: δ is at most as large as they are.
    let small =
        sketches.iter().map(|sketch| sketch.dots.grid.step.saturating_sub(sketch.detail.points.ilog2())).min()?;
    // Where it is known, 2^-20 of it is enough: a higher window has a coarser grid.
    let log_delta = (log_delta - i64::from(small)).min(aim.log_delta.map_or(0, |known| known.saturating_add(20)));
    let mut grids = Vec::new();
    for (sketch, sum) in sketches.iter().zip(&sums) {
        grids.push(window(sketch, sum, &theta, log_delta, many, points)?);
    }
    Some(Choice { theta, cut, grids })
}

fn window(
    sketch: &Sketch,
    sum: &BigInt,
    theta: &Rational,
    log_delta: i64,
    many: u32,
    points: u64,
) -> Option<(Grid, u32)> {
    let Dots { grid, bits, upper, touches, infinite, .. } = &sketch.dots;
    // High enough that h(x) is 2^-40 of δ in all copies together.
    let negligible = i64::from(*bits) + log_delta - 40 - i64::from(many);
    let high = touches.iter().zip(grid.first..).find(|(touch, _)| {
        let finite = &touch.upper - &infinite.lower;
        !finite.is_positive() || i64::try_from(finite.bits()).unwrap_or(i64::MAX) <= negligible
    });
    let high = high.map_or(grid.last, |(_, i)| i).saturating_add(1).min(grid.last);
    // Low enough that all below, moved there, is 2^-46 of the tilted mass of a copy, by their binary digits: e^(-θd) is 2^-fall, about.
    let fall = floor(&(theta * grid.loss(1) * Rational::new(1443.into(), 1000.into())), FALL_PLACES);
    let enough = BigInt::from(sum.bits()) - i64::from(*bits) - 46 - i64::from(many);
    let mut below = BigInt::zero();
    let mut low = grid.first;
    for (mass, i) in upper.iter().zip(grid.first..) {
        below += mass;
        if BigInt::from(below.bits()) - ((&fall * grid.last.abs_diff(i)) >> FALL_PLACES) > enough {
            break;
        }
        low = i;
    }
    let (low, high) = (low.saturating_sub(1), high.max(low.saturating_add(1)));
    let (from, to) = (grid.loss(low), grid.loss(high));
    let step = finest(&from, &to, points, FINEST).max(grid.step.min(1));
    // log2 of e^(θ·high)/M.
    let cut = (theta * grid.loss(grid.last.saturating_sub(high).max(0)) * Rational::new(10.into(), 7.into())).floor();
    let rare = u64::from(2 * bits).saturating_sub(sum.bits()).saturating_sub(cut.to_integer().to_u64()?);
    let rare = u32::try_from(rare).ok()?;
    let deep = digits(&from, &to)?.checked_add(step + 96 + many)?.checked_add(rare)?;
    let deep = deep.max(u32::try_from(-log_delta).ok()?.checked_add(step + 110 + many)?).min(MOST_BITS);
    let scaled = |loss: Rational| loss * Rational::from_integer(BigInt::one() << step);
    let first = scaled(from).floor().to_integer().to_i64()?;
    let last = scaled(to).ceil().to_integer().to_i64()?;
    Some((Grid { step, first, last }, deep))
}
