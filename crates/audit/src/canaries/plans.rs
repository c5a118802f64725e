//! A plan's certified profiles as a claim, and the plans around it, with more noise and with less.
#![expect(clippy::float_arithmetic, reason = "how much the noise is varied; each plan's account is an enclosure")]

use core::ops::RangeInclusive;
use std::collections::BTreeMap;

use rayon::prelude::*;

use certus::{
    account::{Plan, Precision, PrivacyProfile, delta, epsilon},
    exact::{NonNegative, Probability, Rational, Rounding, decimal, from_f64, parse, render},
    guarantee::Relation,
    mechanism::{Spec, Value, domination},
};

use super::{CanaryError, Curve, Family, ProfilePoint};
use crate::{above, bounds::below};

/// Places in which the noise is halved, or doubled.
const PLACES_A_HALVING: i32 = 64;

/// As often the noise is halved, and doubled.
const HALVINGS: i32 = 4;

/// Digits of the profiles: their upper ends are used, so that fewer make the audit weaker, and never false.
/// Those of plans of wide noise take ten times as long to four.
const PRECISION: Precision = Precision { digits: 2 };

/// Digits of the one ε that is told.
const TOLD: Precision = Precision { digits: 4 };

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
    /// Its profiles, once they were asked for.
    curve: Option<Curve>,
    /// δ(0) alone, once it was asked for.
    distance: Option<Curve>,
    /// At most its ε at the δ, once it was asked for.
    epsilon: Option<f64>,
}

impl Plans {
    /// The plan that these specs are together, for neighbours of this relation; with a δ, at which ε is told.
    ///
    /// # Errors
    ///
    /// If there is no such plan, or it has no account.
    pub fn new(specs: &[Spec], relation: Relation, delta: Option<Probability>) -> Result<Self, CanaryError> {
        let mut plans = Self { specs: specs.to_vec(), relation, delta, known: BTreeMap::new() };
        plans.distance(0)?;
        Ok(plans)
    }

    /// The specs of the plan at a place.
    fn specs_at(&self, place: i32) -> Result<Vec<Spec>, CanaryError> {
        if place == 0 {
            return Ok(self.specs.clone());
        }
        let factor = (-f64::from(place) / f64::from(PLACES_A_HALVING)).exp2();
        // To four digits, so that the plan is one that people can write down.
        let factor = from_f64(factor).map_or_else(|_| "1".to_owned(), |factor| decimal(&factor, 4, Rounding::Down));
        let factor = parse(&factor)?;
        self.specs.iter().map(|spec| with_noise(spec, &factor)).collect()
    }

    fn known(&mut self, place: i32) -> Result<&mut Known, CanaryError> {
        if !self.known.contains_key(&place) {
            let specs = self.specs_at(place)?;
            let mut plan = Plan::new();
            for spec in &specs {
                let domination = domination(&spec.without_copies())?.under(self.relation)?;
                plan = plan.with(&domination, spec.copies().map_or(1, |copies| copies.get().into()))?;
            }
            let texts = specs.iter().map(ToString::to_string).collect();
            self.known.insert(place, Known { texts, plan, curve: None, distance: None, epsilon: None });
        }
        self.known.get_mut(&place).ok_or(CanaryError::NoPlan)
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
        let known = self.known(place)?;
        if known.curve.is_none() {
            known.curve = Some(Curve::new(&points(&known.plan)?)?);
        }
        known.curve.clone().ok_or(CanaryError::NoPlan)
    }

    fn distance(&mut self, place: i32) -> Result<Curve, CanaryError> {
        let known = self.known(place)?;
        if known.distance.is_none() {
            let most = delta(&known.plan, &NonNegative::zero(), &PRECISION)?.enclosure.upper();
            let delta = above(&most).min(1.0);
            // P and Q are as far from each other as Q from P.
            known.distance = Some(Curve::new(&[ProfilePoint { epsilon: 0.0, delta_in: delta, delta_out: delta }])?);
        }
        known.distance.clone().ok_or(CanaryError::NoPlan)
    }

    fn pair(&self, _: i32) -> Option<(f64, f64)> {
        None
    }

    fn epsilon_below(&mut self, place: i32) -> Result<Option<f64>, CanaryError> {
        let Some(delta) = self.delta.clone() else { return Ok(None) };
        let known = self.known(place)?;
        if known.epsilon.is_none() {
            known.epsilon = Some(below(&epsilon(&known.plan, &delta, &TOLD)?.enclosure.lower()));
        }
        Ok(known.epsilon)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn plans(spec: &str) -> Plans {
        let delta = Probability::new(parse("1e-5").unwrap()).unwrap();
        Plans::new(&[spec.parse().unwrap()], Relation::AddRemove, Some(delta)).unwrap()
    }

    /// Every point is at least δ, which is known to many more digits, and at most a hundredth more: of both
    /// directions.
    #[test]
    fn points_are_above_the_profile() {
        let mut plans = plans("subsampled_gaussian(sigma=1, rate=1/4)*3");
        let plan = plans.known(0).unwrap().plan.clone();
        let mut profile = PrivacyProfile::new(&plan);
        let points = points(&plan).unwrap();
        assert_eq!(points.len(), 33);
        let mut differ = 0;
        for point in points.iter().step_by(8) {
            let at = NonNegative::new(certus::exact::from_f64(point.epsilon).unwrap()).unwrap();
            let [with, without] = profile.delta_both_ways(&at, &Precision { digits: 9 }).unwrap();
            for (bound, truth) in [(point.delta_in, with), (point.delta_out, without)] {
                let truth = truth.enclosure.lower();
                let bound = certus::exact::from_f64(bound).unwrap();
                assert!(bound >= truth, "{point:?}");
                assert!(bound <= truth * Rational::new(101.into(), 100.into()), "{point:?}");
            }
            differ += usize::from((point.delta_in - point.delta_out).abs() > 1e-3 * point.delta_in);
        }
        assert!(differ > 0, "the directions of a sampled plan differ");
    }

    /// δ(0) alone allows what the whole profile allows, or more, and is no other δ(0).
    #[test]
    fn a_distance_is_the_first_point() {
        for spec in ["subsampled_gaussian(sigma=1, rate=1/4)*3", "laplace(scale=2)", "gaussian(sigma=3)*7"] {
            let mut plans = plans(spec);
            let (distance, curve) = (plans.distance(0).unwrap(), plans.curve(0).unwrap());
            for percent in 0..=100 {
                let share = f64::from(percent) / 100.0;
                assert!(distance.at_most(share) >= curve.at_most(share), "{spec} {share}");
            }
            let (alone, first) = (distance.at_most(0.0), points(&plans.known(0).unwrap().plan).unwrap()[0]);
            let both = f64::midpoint(first.delta_in, first.delta_out);
            assert!((alone - both).abs() <= 0.01 * both, "{spec}: {alone} {both}");
        }
    }

    #[test]
    fn noise_is_multiplied() {
        let half: Rational = parse("1/2").unwrap();
        for (spec, halved) in [
            ("gaussian(sigma=3)*7", "gaussian(sigma=3/2)*7"),
            ("gaussian(sigma2=4)", "gaussian(sigma2=1)"),
            ("subsampled_laplace(scale=1, rate=1/3)", "subsampled_laplace(scale=1/2, rate=1/3)"),
        ] {
            assert_eq!(with_noise(&spec.parse().unwrap(), &half).unwrap().to_string(), halved);
        }
        let mut plans = plans("gaussian(sigma=2)");
        let bounds: Vec<f64> = [-64, 0, 64].iter().map(|place| plans.epsilon_below(*place).unwrap().unwrap()).collect();
        assert!(bounds[0] < bounds[1] && bounds[1] < bounds[2], "{bounds:?}");
        assert_eq!(plans.member(64), "gaussian(sigma=1)");
        let delta = |plans: &mut Plans, place: i32| plans.curve(place).unwrap().at_most(0.0);
        assert!(delta(&mut plans, -64) < delta(&mut plans, 64));
        // Nothing says how much noise this has.
        let none = Plans::new(&["randomized_response(gamma=1/4)".parse().unwrap()], Relation::ChangeOne, None).unwrap();
        assert_eq!(none.places(), 0..=0);
    }

    /// Neighbours of another relation are refused, and not converted in silence.
    #[test]
    fn neighbours_are_those_of_the_plan() {
        let spec = "randomized_response(gamma=1/4)".parse().unwrap();
        assert!(matches!(Plans::new(&[spec], Relation::AddRemove, None), Err(CanaryError::Neighbours(_))));
    }
}
