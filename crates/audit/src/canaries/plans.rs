//! A plan's certified profiles as a claim, and the plans around it, with more noise and with less.
#![expect(clippy::float_arithmetic, reason = "how much the noise is varied; each plan's account is an enclosure")]

use core::ops::RangeInclusive;
use std::collections::BTreeMap;

use rayon::prelude::*;

use certus::{
    account::{Plan, Precision, PrivacyProfile, epsilon},
    exact::{NonNegative, Probability, Rational, parse, render},
    guarantee::Relation,
    mechanism::{Spec, Value, domination},
};

use super::{CanaryError, Curve, Family, ProfilePoint};
use crate::{
    above,
    bounds::{below, decimal_below},
};

/// Places in which the noise is halved, or doubled.
const PLACES_A_HALVING: i32 = 64;

/// As often the noise is halved, and doubled.
const HALVINGS: i32 = 4;

/// Digits of the profiles: their upper ends are used, so that fewer make the audit weaker, and never false.
const PRECISION: Precision = Precision { digits: 4 };

/// Points of a profile, and how many of them one thread asks for.
const POINTS: u32 = 33;
const TOGETHER: usize = 17;

/// A profile ends at the first of these at which δ is at most 1/10000: more than that are not guessed wrong.
const ENDS: [(i64, i64); 7] = [(1, 4), (1, 2), (1, 1), (2, 1), (4, 1), (8, 1), (16, 1)];

/// The keys that say how much noise there is, and its power in them.
const NOISE: [(&str, u32); 4] = [("sigma", 1), ("sigma2", 2), ("scale", 1), ("noise_multiplier", 1)];

/// A plan of mechanisms, and the same with its noise multiplied.
#[derive(Debug)]
pub struct Plans {
    specs: Vec<Spec>,
    relation: Relation,
    delta: Option<Probability>,
    known: BTreeMap<i32, Known>,
}

/// One plan with its curve.
#[derive(Clone, Debug)]
struct Known {
    texts: Vec<String>,
    plan: Plan,
    curve: Curve,
}

impl Plans {
    /// The plan that these specs are together, for neighbours of this relation; with a δ, at which ε is told.
    ///
    /// # Errors
    ///
    /// If there is no such plan, or it has no account.
    pub fn new(specs: &[Spec], relation: Relation, delta: Option<Probability>) -> Result<Self, CanaryError> {
        let mut plans = Self { specs: specs.to_vec(), relation, delta, known: BTreeMap::new() };
        plans.known(0)?;
        Ok(plans)
    }

    /// The specs of the plan at a place.
    fn specs_at(&self, place: i32) -> Result<Vec<Spec>, CanaryError> {
        if place == 0 {
            return Ok(self.specs.clone());
        }
        let factor = (-f64::from(place) / f64::from(PLACES_A_HALVING)).exp2();
        let factor = parse(&decimal_below(factor))?;
        self.specs.iter().map(|spec| with_noise(spec, &factor)).collect()
    }

    fn known(&mut self, place: i32) -> Result<&Known, CanaryError> {
        if !self.known.contains_key(&place) {
            let specs = self.specs_at(place)?;
            let mut plan = Plan::new();
            for spec in &specs {
                let domination = domination(&spec.without_copies())?.under(self.relation)?;
                plan = plan.with(&domination, spec.copies().map_or(1, |copies| copies.get().into()))?;
            }
            let curve = Curve::new(&points(&plan)?)?;
            let texts = specs.iter().map(ToString::to_string).collect();
            self.known.insert(place, Known { texts, plan, curve });
        }
        self.known.get(&place).ok_or(CanaryError::NoPlan)
    }
}

impl Family for Plans {
    fn name(&self) -> String {
        "this plan with its noise multiplied".to_owned()
    }

    fn places(&self) -> RangeInclusive<i32> {
        let is_scaled =
            |spec: &Spec| spec.arguments().iter().any(|(key, _)| NOISE.iter().any(|(noise, _)| key == noise));
        let most = if self.specs.iter().all(is_scaled) { HALVINGS * PLACES_A_HALVING } else { 0 };
        -most..=most
    }

    fn curve(&mut self, place: i32) -> Result<Curve, CanaryError> {
        Ok(self.known(place)?.curve.clone())
    }

    fn pair(&self, _: i32) -> Option<(f64, f64)> {
        None
    }

    fn epsilon_below(&mut self, place: i32) -> Result<Option<f64>, CanaryError> {
        let Some(delta) = self.delta.clone() else { return Ok(None) };
        let plan = &self.known(place)?.plan;
        Ok(Some(below(&epsilon(plan, &delta, &PRECISION)?.enclosure.lower())))
    }

    fn member(&mut self, place: i32) -> String {
        match self.known(place) {
            Ok(known) => known.texts.join(" + "),
            Err(_) => String::new(),
        }
    }
}

/// The same mechanism with its noise multiplied.
fn with_noise(spec: &Spec, factor: &Rational) -> Result<Spec, CanaryError> {
    let argument = |(key, value): &(String, Value)| {
        let power = NOISE.iter().find(|(noise, _)| key == noise).map_or(0, |(_, power)| *power);
        let value = match value {
            Value::Number(number) => render(&(0..power).fold(number.clone(), |product, _| product * factor)),
            other => other.to_string(),
        };
        format!("{key}={value}")
    };
    let arguments = spec.arguments().iter().map(argument).collect::<Vec<_>>().join(", ");
    let copies = spec.copies().map_or_else(String::new, |copies| format!("*{copies}"));
    Ok(format!("{}({arguments}){copies}", spec.name()).parse()?)
}

/// Points of the profiles of both directions, from above.
fn points(plan: &Plan) -> Result<Vec<ProfilePoint>, CanaryError> {
    let mut profile = PrivacyProfile::new(plan);
    let small = Rational::new(1.into(), 10_000.into());
    let mut end = Rational::from_integer(1.into());
    for (numerator, denominator) in ENDS {
        end = Rational::new(numerator.into(), denominator.into());
        let at = NonNegative::new(end.clone()).unwrap_or_else(|_| NonNegative::zero());
        if profile.delta(&at, &Precision { digits: 1 })?.enclosure.upper() <= small {
            break;
        }
    }
    let places: Vec<u32> = (0..POINTS).collect();
    let some = |places: &[u32]| -> Result<Vec<ProfilePoint>, CanaryError> {
        let mut profile = PrivacyProfile::new(plan);
        let each = places.iter().map(|place| {
            let at = &end * Rational::new((*place).into(), (POINTS - 1).into());
            let at = NonNegative::new(at).unwrap_or_else(|_| NonNegative::zero());
            let [with, without] = profile.delta_both_ways(&at, &PRECISION)?;
            let delta = |answer: certus::account::Answer| above(&answer.enclosure.upper()).min(1.0);
            // An ε′ from above: what holds at ε′ holds at every greater one.
            Ok(ProfilePoint { epsilon: above(at.get()), delta_in: delta(with), delta_out: delta(without) })
        });
        each.collect()
    };
    let all = places.par_chunks(TOGETHER).map(some).collect::<Result<Vec<_>, _>>()?;
    Ok(all.into_iter().flatten().collect())
}
