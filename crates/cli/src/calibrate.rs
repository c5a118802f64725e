//! `certus calibrate`: the scale of a mechanism's noise that is certified to meet (ε, δ).

use std::{io::Write, time::Instant};

use num_bigint::BigUint;
use num_traits::{One, Signed, Zero};
use serde_json::{Value, json};

use super::{
    Failure, SCHEMA_VERSION,
    arguments::{Calibrate, Noise, Shared},
    progress::{Progress, watched},
    source::{count, number, seed},
};
use certus::{
    account::{self, AccountError, Plan, Precision},
    exact::{Enclosure, NonNegative, Positive, Probability, Rational, Real, Rounding, decimal, render},
    guarantee::{Attained, Domination, L2Squared, Pair, Relation, Sensitivity},
    mechanism::{
        CalibrateError, Calibration, Classical, Excluded, Private as _, Target, Trend,
        additive::{AdditiveError, GaussianMechanism},
        calibrate,
    },
};

/// The digits of each δ that is compared with the wanted one.
const DIGITS: u32 = 12;

/// How many questions may be asked to exclude smaller scales, of one answer and of vectors.
const MOST_CHECKED: u64 = 4000;
const MOST_CHECKED_OF_VECTORS: u64 = 50;

/// The most answers of a vector, as in a spec.
const MOST_COORDINATES: u64 = 1 << 16;

/// Binary digits of the formulas that are only shown.
const SHOWN_BITS: u32 = 64;

/// What is wanted.
struct Wanted {
    noise: Noise,
    epsilon: NonNegative,
    delta: Probability,
    distance: Distance,
    step: Positive,
}

/// How far the true answers of neighbours are apart.
#[derive(Clone)]
enum Distance {
    /// One answer, by so much.
    One(BigUint),
    /// So many answers, by the root of so much.
    Vector { square: BigUint, coordinates: usize },
}

impl Distance {
    fn new(options: &Calibrate) -> Result<Self, Failure> {
        let stated = count("--sensitivity", &options.sensitivity, 1, u64::MAX)?;
        let square =
            options.sensitivity2.as_ref().map(|text| count("--sensitivity2", text, 1, u64::MAX)).transpose()?;
        let Some(text) = &options.coordinates else {
            return match square {
                None => Ok(Self::One(stated.into())),
                Some(_) => {
                    Err(Failure::argument("--sensitivity2", "must be given with --coordinates: it is of a vector"))
                }
            };
        };
        if options.noise != Noise::Gaussian {
            return Err(Failure::argument("--coordinates", "must be given for gaussian alone"));
        }
        let coordinates = count("--coordinates", text, 1, MOST_COORDINATES)?;
        let square = square.map_or_else(|| BigUint::from(stated).pow(2), BigUint::from);
        Ok(match usize::try_from(coordinates) {
            // An integer moves by whole steps.
            Ok(1) => Self::One(square.sqrt()),
            Ok(coordinates) => Self::Vector { square, coordinates },
            Err(_) => return Err(Failure::argument("--coordinates", "must be at most 65536")),
        })
    }

    fn square(&self) -> Option<Positive> {
        let square = match self {
            Self::One(distance) => distance.pow(2),
            Self::Vector { square, .. } => square.clone(),
        };
        Positive::new(Rational::from_integer(square.into())).ok()
    }
}

/// The formula of the textbooks, its value here, and what the account says of it.
struct Textbook {
    scale: Enclosure,
    holds: bool,
    /// 1 − calibrated/textbook.
    saved: Option<Enclosure>,
    /// δ(ε) at the textbook's scale, rounded up to a rational.
    delta: Option<Enclosure>,
}

pub(super) fn run(options: &Calibrate, shared: &Shared, out: &mut dyn Write) -> Result<u8, Failure> {
    let mut wanted = Wanted::new(options)?;
    seed(shared.seed.as_deref())?;
    let started = Instant::now();
    let progress = Progress::new(Some(0), "calibrating", shared.quiet);
    let found = watched(progress, |_| wanted.calibrate_on_a_fine_grid(options.step.is_some()));
    let found = found.map_err(|error| match error {
        CalibrateError::NoScale => Failure::argument("--step", error),
        _ => Failure::argument("--epsilon", error),
    })?;
    let textbook = wanted.textbook(&found);
    let seconds = started.elapsed().as_secs_f64();
    if shared.json {
        writeln!(out, "{}", wanted.json(&found, textbook.as_ref(), seconds))?;
    } else {
        wanted.print(&found, textbook.as_ref(), out)?;
    }
    out.flush()?;
    Ok(0)
}

impl Wanted {
    fn new(options: &Calibrate) -> Result<Self, Failure> {
        let positive = |name: &str, text: &str, must: &str| {
            Positive::new(number(name, text, must)?).map_err(|_| Failure::value(name, text, must))
        };
        let must = "must be a positive number, such as 1, 0.1 or 1/3";
        let epsilon = positive("--epsilon", &options.epsilon, must)?;
        let must = "must be a number at least 0 and below 1, such as 0, 1e-6 or 1/1000";
        let delta = Some(number("--delta", &options.delta, must)?).filter(|delta| *delta < Rational::one());
        let delta = delta.and_then(|delta| Probability::new(delta).ok());
        let delta = delta.ok_or_else(|| Failure::value("--delta", &options.delta, must))?;
        if options.noise == Noise::Gaussian && delta.get().is_zero() {
            let problem = "must be above 0 for gaussian: its losses have no bound, so that no sigma has delta = 0";
            return Err(Failure::argument("--delta", problem));
        }
        let distance = Distance::new(options)?;
        let step = match &options.step {
            Some(text) => positive("--step", text, "must be a positive number, such as 1, 0.01 or 1/8")?,
            None => thousandth(guide(options.noise, &epsilon, &delta, &distance))
                .ok_or_else(|| Failure::argument("--step", "must be given for such an epsilon"))?,
        };
        Ok(Self { noise: options.noise, epsilon: epsilon.into(), delta, distance, step })
    }

    fn domination(&self, scale: &Positive) -> Result<Domination, AdditiveError> {
        Ok(match (&self.distance, self.noise) {
            (Distance::One(shift), Noise::Laplace) => {
                let pair = Pair::Laplace { scale: scale.clone(), shift: shift.clone() };
                Domination::by(pair).attained(Attained::ByAnswers)
            }
            (Distance::One(shift), Noise::Gaussian) => {
                let pair = Pair::Gaussian { variance: scale.square(), shift: shift.clone() };
                Domination::by(pair).attained(Attained::ByAnswers)
            }
            (Distance::Vector { square, coordinates }, _) => {
                let square = NonNegative::new(Rational::from_integer(square.clone().into()));
                let square = square.unwrap_or_else(|_| NonNegative::one());
                // Whichever the relation, it is the same.
                let stated = Sensitivity::<L2Squared>::new(square, Relation::AddRemove);
                GaussianMechanism::with_sigma(&stated, scale.get())?.vector(*coordinates)?.domination().for_either()
            }
        })
    }

    /// What is accounted for at a scale: nothing at all where there is no such mechanism, which no account
    /// meets.
    fn plan(&self, scale: &Positive) -> Plan {
        self.domination(scale).map_or_else(|_| Plan::new(), |domination| Plan::of(&domination, 1))
    }

    fn delta_at(&self, scale: &Positive, epsilon: &NonNegative) -> Result<Enclosure, AccountError> {
        account::delta(&self.plan(scale), epsilon, &Precision { digits: DIGITS }).map(|answer| answer.enclosure)
    }

    /// Where the step is ours to choose, the guide may have been far above the answer: a thousandth of the
    /// answer is.
    fn calibrate_on_a_fine_grid(&mut self, given: bool) -> Result<Calibration, CalibrateError> {
        loop {
            let found = self.calibrate()?;
            match thousandth(Some(found.scale.get().clone())) {
                Some(finer) if !given && finer.get() < self.step.get() => self.step = finer,
                _ => return Ok(found),
            }
        }
    }

    fn calibrate(&self) -> Result<Calibration, CalibrateError> {
        let (trend, most_checked) = match (self.noise, &self.distance) {
            (Noise::Laplace, _) => (Trend::Falls, MOST_CHECKED),
            (Noise::Gaussian, Distance::One(shift)) => (Trend::Gaussian { sensitivity: shift.clone() }, MOST_CHECKED),
            (Noise::Gaussian, Distance::Vector { .. }) => (Trend::Unknown, MOST_CHECKED_OF_VECTORS),
        };
        let target = Target {
            epsilon: self.epsilon.clone(),
            delta: self.delta.clone(),
            step: self.step.clone(),
            trend,
            most_checked,
            precision: Precision { digits: DIGITS },
        };
        calibrate(&target, |scale| self.plan(scale))
    }

    /// Laplace: Δ/ε, whatever δ. Gaussian: Δ·√(2·ln(1.25/δ))/ε.
    fn textbook(&self, found: &Calibration) -> Option<Textbook> {
        let epsilon = Positive::new(self.epsilon.get().clone()).ok()?;
        let (scale, holds) = match (self.noise, &self.distance) {
            (Noise::Laplace, Distance::One(shift)) => {
                (Real::from(Rational::from_integer(shift.clone().into()) / epsilon.get()), true)
            }
            _ => {
                let classical = Classical::new(&self.distance.square()?, &epsilon, &self.delta);
                (classical.sigma, classical.holds)
            }
        };
        let saved = &Real::from(1) - &(&Real::from(found.scale.clone()) / &scale);
        let enclosure = scale.enclose(SHOWN_BITS)?;
        let delta = Positive::new(enclosure.upper()).ok().and_then(|scale| self.delta_at(&scale, &self.epsilon).ok());
        Some(Textbook { scale: enclosure, holds, saved: saved.enclose(SHOWN_BITS), delta })
    }

    fn name(&self) -> &'static str {
        match self.noise {
            Noise::Laplace => "laplace",
            Noise::Gaussian => "gaussian",
        }
    }

    fn key(&self) -> &'static str {
        match self.noise {
            Noise::Laplace => "scale",
            Noise::Gaussian => "sigma",
        }
    }

    /// The spec that has this scale.
    fn spec(&self, scale: &Positive) -> String {
        let (name, scale) = (self.name(), format!("{}={}", self.key(), render(scale.get())));
        match &self.distance {
            Distance::One(shift) if shift.is_one() => format!("{name}({scale})"),
            Distance::One(shift) => format!("{name}({scale}, sensitivity={shift})"),
            Distance::Vector { square, coordinates } => {
                format!("{name}_vector({scale}, coordinates={coordinates}, sensitivity2={square})")
            }
        }
    }

    fn json(&self, found: &Calibration, textbook: Option<&Textbook>, seconds: f64) -> Value {
        let scale_and_delta =
            |(scale, delta): &(Positive, Enclosure)| json!({ "spec": self.spec(scale), "delta": bounds(delta) });
        json!({
            "schema_version": SCHEMA_VERSION,
            "spec": self.spec(&found.scale),
            "epsilon": render(self.epsilon.get()),
            "delta_wanted": render(self.delta.get()),
            "delta": bounds(&found.delta),
            "step": render(self.step.get()),
            "below": found.below.as_ref().map(scale_and_delta),
            "smallest": found.is_smallest(),
            "excluded": found.excluded.key(),
            "classical": textbook.map(|textbook| bounds(&textbook.scale)),
            "classical_holds": textbook.map(|textbook| textbook.holds),
            "classical_delta": textbook.and_then(|textbook| textbook.delta.as_ref()).map(bounds),
            "saved": textbook.and_then(|textbook| textbook.saved.as_ref()).map(bounds),
            "asked": found.asked,
            "seconds": seconds,
        })
    }

    fn print(&self, found: &Calibration, textbook: Option<&Textbook>, out: &mut dyn Write) -> Result<(), Failure> {
        let (key, step) = (self.key(), shown(self.step.get()));
        let target = format!("delta({}) <= {}", shown(self.epsilon.get()), shown(self.delta.get()));
        writeln!(out, "question   the smallest {key} on the multiples of {step} with {target}")?;
        writeln!(out, "answer     {}", self.spec(&found.scale))?;
        writeln!(out, "{key:<10} {}: delta = {}", shown(found.scale.get()), shown_delta(&found.delta))?;
        if let Some((below, delta)) = &found.below {
            writeln!(out, "{:<10} {}: delta = {}", "below", shown(below.get()), shown_delta(delta))?;
        }
        let smaller = match found.excluded {
            Excluded::Every => "every smaller multiple is certified to fail: this is the smallest",
            Excluded::Next => "the next smaller multiple is certified to fail; NOT every smaller one was looked at",
            _ => "the next smaller multiple is NOT certified to fail",
        };
        writeln!(out, "smaller    {smaller}")?;
        let Some(textbook) = textbook else { return Ok(()) };
        let formula = match self.noise {
            Noise::Laplace => "sensitivity/epsilon",
            Noise::Gaussian => "sensitivity·√(2·ln(1.25/delta))/epsilon",
        };
        let short = decimal(&textbook.scale.upper(), 6, Rounding::Up);
        writeln!(out, "classical  {formula} = {short}{}", saving(textbook.saved.as_ref()))?;
        if textbook.holds {
            return Ok(());
        }
        let there = textbook.delta.as_ref().map_or_else(String::new, |delta| {
            let verdict = if delta.lower() > *self.delta.get() { "it FAILS here" } else { "here it happens to hold" };
            format!("; {verdict}: its delta is {}", shown_delta(delta))
        });
        writeln!(out, "warning    the classical formula is proven for epsilon up to 1 only{there}")?;
        Ok(())
    }
}

/// What the calibrated scale saves, or costs, against the textbook's.
fn saving(saved: Option<&Enclosure>) -> String {
    let Some(saved) = saved else { return String::new() };
    let percent = |share: Rational| decimal(&(share * Rational::from_integer(100.into())), 3, Rounding::Down);
    if saved.lower().is_positive() {
        format!(": the exact answer saves {} % of that noise", percent(saved.lower()))
    } else if saved.upper().is_negative() {
        format!(": the exact answer needs {} % more", percent(-saved.upper()))
    } else {
        String::new()
    }
}

/// About where the scale will be: from above.
fn guide(noise: Noise, epsilon: &Positive, delta: &Probability, distance: &Distance) -> Option<Rational> {
    match (noise, distance) {
        (Noise::Laplace, Distance::One(shift)) => Some(Rational::from_integer(shift.clone().into()) / epsilon.get()),
        _ => {
            let classical = Classical::new(&distance.square()?, epsilon, delta);
            classical.sigma.enclose(SHOWN_BITS).map(|sigma| sigma.upper())
        }
    }
}

/// A power of ten that is at most a thousandth of the guide, and more than a ten-thousandth.
fn thousandth(guide: Option<Rational>) -> Option<Positive> {
    let guide = guide?;
    let ten = Rational::from_integer(10.into());
    // The number of decimal digits of either part, to within one: 2^10 > 10^3.
    let digits = |bits: u64| i64::try_from(bits).ok().map(|bits| bits * 3 / 10);
    let exponent = digits(guide.numer().bits())? - digits(guide.denom().bits())? - 3;
    let mut step = ten.pow(i32::try_from(exponent).ok()?);
    let thousand = Rational::from_integer(1000.into());
    while &step * &thousand > guide {
        step /= &ten;
    }
    while &step * &thousand * &ten <= guide {
        step *= &ten;
    }
    Positive::new(step).ok()
}

fn bounds(enclosure: &Enclosure) -> Value {
    json!({
        "lower": decimal(&enclosure.lower(), DIGITS + 3, Rounding::Down),
        "upper": decimal(&enclosure.upper(), DIGITS + 3, Rounding::Up),
    })
}

fn shown_delta(enclosure: &Enclosure) -> String {
    let (lower, upper) =
        (decimal(&enclosure.lower(), DIGITS, Rounding::Down), decimal(&enclosure.upper(), DIGITS, Rounding::Up));
    if lower == upper { format!("exactly {lower}") } else { format!("[{lower}, {upper}]") }
}

/// A given number: as a decimal if it is a short one, otherwise as a fraction.
fn shown(number: &Rational) -> String {
    let (down, up) = (decimal(number, 12, Rounding::Down), decimal(number, 12, Rounding::Up));
    if down == up { down } else { render(number) }
}
