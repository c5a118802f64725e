//! Enclosures of random small plans against their truths, with good settings and with any.
//!
//! `CERTUS_FULL=1 cargo test --release --lib spectral::tests -- --nocapture` looks at all plans.

mod formulas;
mod plans;
mod truth;

use alloc::{collections::BTreeMap, format, string::String, vec::Vec};
use std::println;

use num_bigint::BigInt;
use num_traits::{Signed, Zero};

use self::{
    plans::{Dice, Plan},
    truth::Sums,
};
use super::{
    Spectral,
    constants::TAIL_BITS,
    jumps::with_jumps,
    listing::{list, small},
    outcomes::LossSum,
    plan::{Listed, Wanted},
    rare::{self, Rare},
    sketch::{Sketch, dyadic, float},
    sum::{Bounds, Settings, Spectrum, working_bits},
};
use crate::{
    account::{Direction, Precision, cache::Cache, methods::Accountant, question::Question},
    exact::{Budget, Enclosure, NonNegative, Rational, Working},
};

/// Plans of the test that always runs, and of the long one.
const FEW_PLANS: usize = 24;
const MANY_PLANS: usize = 130;

/// Random settings for one ε of one direction.
const SETTINGS: usize = 4;

/// What was checked, and how often the truth would have been missed without a term.
#[derive(Default)]
struct Counts {
    checked: BTreeMap<&'static str, usize>,
    needed: BTreeMap<&'static str, usize>,
    misses: Vec<String>,
    /// The largest share of the bound on rounding that a difference between sums took.
    rounding: f64,
    /// Sums that were refused: a term of theirs is beyond 2^65536.
    refused: usize,
}

impl Counts {
    fn check(&mut self, kind: &'static str, lower: &Rational, upper: &Rational, truth: &Enclosure, name: Name<'_>) {
        *self.checked.entry(kind).or_default() += 1;
        if *lower > truth.upper() || *upper < truth.lower() {
            self.misses.push(format!("{kind}: {lower} {upper} without {truth}, {}", name()));
        }
    }

    fn need(&mut self, term: &'static str, is_needed: bool) {
        *self.needed.entry(term).or_default() += usize::from(is_needed);
    }
}

/// What a miss is told by.
type Name<'a> = &'a dyn Fn() -> String;

/// One direction of a plan: its pairs, its outcomes as they are listed, and every sum of its losses.
struct Case {
    pairs: Plan,
    plan: LossSum,
    cut: Rational,
    sums: Sums,
    working: Working,
}

impl Case {
    /// `None` for too many sums, and where every loss is infinite.
    fn new(pairs: Plan) -> Option<Self> {
        let working = Working::new(working_bits(4, pairs.iter().map(|(pair, _)| small(pair)).max()?));
        let (plan, cut) = listed(&pairs, TAIL_BITS, &working)?;
        let sums = Sums::of_plan(&pairs).filter(|_| Sums::of_listed(&plan).is_some() && !plan.is_empty())?;
        Some(Self { pairs, plan, cut, sums, working })
    }

    /// ε = 0, at random, on a sum of losses, near one, and next to the greatest.
    fn epsilons(&self, dice: &mut Dice) -> Vec<Rational> {
        let losses = self.sums.losses();
        let greatest = losses.last().unwrap();
        let near = &losses[losses.len() * 3 / 4] + dice.share() / BigInt::from(100);
        let next = greatest * Rational::new(999_999.into(), 1_000_000.into());
        let mut some = Vec::from([Rational::zero(), greatest * dice.share(), dice.pick(&losses), near, next]);
        some.retain(|epsilon| !epsilon.is_negative());
        some.sort();
        some.dedup();
        some
    }
}

/// The outcomes without Gaussian tails below 2^-tail, and at least the mass of those.
fn listed(pairs: &Plan, tail: u32, working: &Working) -> Option<(LossSum, Rational)> {
    let parts = pairs.iter().map(|(pair, copies)| list(pair, *copies, tail, working)).collect::<Option<_>>()?;
    let plan = LossSum { parts };
    let cut = plan.cut(128).exact()?.upper();
    Some((plan, cut))
}

#[test]
fn every_enclosure_holds_its_truth() {
    let plans = if std::env::var_os("CERTUS_FULL").is_some() { MANY_PLANS } else { FEW_PLANS };
    let (mut dice, mut counts, mut done) = (Dice::new(20_261_115), Counts::default(), 0);
    while done < plans {
        let pairs = dice.plan();
        let backward = pairs.iter().map(|(pair, copies)| (pair.reversed(), *copies)).collect();
        let (Some(forward), Some(backward)) = (Case::new(pairs), Case::new(backward)) else { continue };
        done += 1;
        for case in [forward, backward] {
            case_holds(&case, &mut dice, &mut counts);
        }
    }
    let all: usize = counts.checked.values().sum();
    println!("{plans} plans, both directions, {all} enclosures: {:?}", counts.checked);
    println!("without a term the truth would be missed: {:?}", counts.needed);
    println!("rounding takes up to {:.2} % of its bound; {} sums refused", 100.0 * counts.rounding, counts.refused);
    assert!(counts.misses.is_empty(), "{} misses, the first of them {:#?}", counts.misses.len(), counts.misses.first());
    assert!(counts.refused * 50 <= all, "{} of {all} sums refused", counts.refused);
    assert!(counts.needed.len() == 6 && counts.needed.values().all(|count| *count > 0), "{:?}", counts.needed);
    assert!(plans < MANY_PLANS || all >= 20_000, "{all}");
}

/// Settings as they are chosen for a user, tails cut off early, and any settings.
fn case_holds(case: &Case, dice: &mut Dice, counts: &mut Counts) {
    let Case { pairs, plan, cut, sums, working } = case;
    let (short, short_cut) = listed(pairs, dice.pick(&[0, 1, 4]), working).unwrap();
    let (mut chosen, mut shorter) = (Listed::new(plan.clone(), working.clone()), Listed::new(short, working.clone()));
    let (wanted, unlimited, mut cache) =
        (Wanted { width: 1e-3, most: 1 << 9, about: None }, Budget::unlimited(), Cache::default());
    let whole = Direction::of(pairs.iter().map(|(pair, copies)| (Vec::from([pair.clone()]), *copies)));
    for epsilon in case.epsilons(dice) {
        let truth = sums.delta(&epsilon);
        let name = || format!("{pairs:?} at {epsilon}");
        let found = with_jumps(&mut chosen, &epsilon, wanted, &unlimited).unwrap();
        counts.check("chosen settings", &found.lower, &(found.upper + cut), &truth, &name);
        let asked = NonNegative::new(epsilon.clone()).unwrap();
        let question = Question::new(&whole, &asked, &Precision { digits: 2 });
        let found = Spectral.delta(&question, &Budget::new(1 << 28), &mut cache).unwrap().enclosure;
        counts.check("answers", &found.lower(), &found.upper(), &truth, &name);
        if !short_cut.is_zero() {
            let found = with_jumps(&mut shorter, &epsilon, wanted, &unlimited).unwrap();
            counts.need("cut-off tails", found.upper < truth.lower());
            counts.check("cut-off tails", &found.lower, &(found.upper + &short_cut), &truth, &name);
        }
        for _ in 0..SETTINGS {
            any_settings_hold(case, &epsilon, &truth, dice, counts);
        }
    }
}

/// Some outcomes apart, with any r, and the others by a sum of any settings, with two, three and four limbs.
#[expect(clippy::float_arithmetic, reason = "settings, which may be any")]
fn any_settings_hold(case: &Case, epsilon: &Rational, truth: &Enclosure, dice: &mut Dice, counts: &mut Counts) {
    let Case { pairs, plan, cut, working, .. } = case;
    let at = Enclosure::from_rational(epsilon, working.bits() + 64);
    let lost = dice.pick(&[1, 1, 3, 100]);
    let mut keep = |most: usize| most.saturating_sub(usize::try_from(dice.below(lost)).unwrap());
    let kept: Vec<usize> = plan.parts.iter().map(|part| keep(part.outcomes.len())).collect();
    let r = dyadic(dice.pick(&[0.0, 0.0, 0.3, 2.0, 9.0])).unwrap();
    let name = || format!("{pairs:?} at {epsilon}, kept {kept:?}, r = {r}");
    let Rare { frequent, linear, error } = rare::apart(plan, &kept, &at, &r, working).unwrap();
    let inner = Sums::of_listed(&frequent).unwrap().delta(epsilon);
    let (lower, upper) = (linear.lower() + inner.lower(), linear.upper() + inner.upper());
    counts.need("rare outcomes", upper < truth.lower());
    counts.check("rare, the others exactly", &lower, &(upper + &error + cut), truth, &name);
    if frequent.is_empty() {
        return;
    }
    let spread = Sketch::new(&frequent).spread.max(1e-6);
    let theta = match dice.below(2) {
        0 => -dice.between(0.02, 0.98),
        _ => libm::pow(10.0, dice.between(-1.5, 1.5)) / spread.min(1.0),
    };
    let theta = dyadic(theta).unwrap();
    let period = dyadic(spread * libm::pow(10.0, dice.between(-0.5, 1.5))).unwrap();
    let settings = Settings {
        kappa: dyadic(dice.pick(&[0.5, 1.0, 2.0, 3.0, 4.0, 8.0])).unwrap(),
        tau: theta.abs() * dyadic(dice.pick(&[0.1, 1.0, 5.0])).unwrap(),
        last: dice.pick(&[1, 2, 4, 16, 64, 200]),
    };
    let name = || format!("{}, θ = {theta}, L = {period}, {settings:?}", name());
    let mut found = Vec::new();
    for limbs in [4, 3, 2] {
        let bounds = Spectrum::new(&frequent, &theta, &period, limbs, working)
            .and_then(|mut spectrum| spectrum.enclose(&frequent, &at, &settings, working));
        let Some(bounds) = bounds else {
            counts.refused += 1;
            continue;
        };
        let (low, high) = (linear.lower() + &bounds.lower, linear.upper() + &bounds.upper + &error + cut);
        counts.check("any settings", &low, &high, truth, &name);
        counts.check("any settings, frequent alone", &bounds.lower, &bounds.upper, &inner, &name);
        found.push(bounds);
    }
    if let [fine, coarser @ ..] = found.as_slice() {
        terms(fine, &inner, theta.is_positive(), counts);
        for coarse in coarser {
            rounding_covers(fine, coarse, &name, counts);
        }
    }
}

/// Whether the truth would be missed without a term.
fn terms(bounds: &Bounds, truth: &Enclosure, is_above: bool, counts: &mut Counts) {
    let Bounds { lower, upper, errors } = bounds;
    let mut need = |term, error: &Rational, of_lower: bool, of_upper: bool| {
        let (low, high) = (of_lower && lower + error > truth.upper(), of_upper && upper - error < truth.lower());
        counts.need(term, low || high);
    };
    need("smoothing", &errors.smoothing, true, false);
    need("truncation", &errors.truncation, true, true);
    need("truncation of the smoothing", &errors.truncation_of_smoothing, true, false);
    need("aliases", &errors.aliases, is_above, !is_above);
}

/// Without their bounds on rounding, sums of fewer limbs and of four differ by no more than those bounds.
fn rounding_covers(fine: &Bounds, coarse: &Bounds, name: Name<'_>, counts: &mut Counts) {
    let bare = |of: &Bounds| (&of.lower + &of.errors.rounding, &of.upper - &of.errors.rounding);
    let ((low, high), (less, more)) = (bare(fine), bare(coarse));
    let bound = &fine.errors.rounding + &coarse.errors.rounding;
    for moved in [(low - less).abs(), (high - more).abs()] {
        if moved > bound {
            counts.misses.push(format!("rounding by {moved}, at most {bound}: {}", name()));
        }
        if !bound.is_zero() {
            counts.rounding = counts.rounding.max(float(&Enclosure::from_rational(&(moved / &bound), 64)));
        }
    }
}
