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
    account::{self, Precision},
    exact::{Enclosure, Positive, Probability, Rational, Rounding, decimal, render},
    mechanism::{CalibrateError, CalibratedNoise, Calibration, Excluded},
};

/// The digits of a δ that is shown.
const DIGITS: u32 = 12;

/// Binary digits of the formulas that are only shown.
const SHOWN_BITS: u32 = 64;

/// What is wanted.
struct Wanted {
    noise: CalibratedNoise,
    epsilon: Positive,
    delta: Probability,
}

/// The noise that the options name.
fn noise(options: &Calibrate) -> Result<CalibratedNoise, Failure> {
    let stated = BigUint::from(count("--sensitivity", &options.sensitivity, 1, u64::MAX)?);
    let square = options.sensitivity2.as_ref().map(|text| count("--sensitivity2", text, 1, u64::MAX)).transpose()?;
    match (&options.coordinates, square, options.noise) {
        (None, Some(_), _) => {
            Err(Failure::argument("--sensitivity2", "must be given with --coordinates: it is of a vector"))
        }
        (None, None, Noise::Laplace) => Ok(CalibratedNoise::Laplace { sensitivity: stated }),
        (None, None, Noise::Gaussian) => Ok(CalibratedNoise::Gaussian { sensitivity: stated }),
        (Some(_), _, Noise::Laplace) => Err(Failure::argument("--coordinates", "must be given for gaussian alone")),
        (Some(text), square, Noise::Gaussian) => {
            let coordinates = count("--coordinates", text, 1, CalibratedNoise::MOST_COORDINATES)?;
            Ok(CalibratedNoise::gaussian(square.map_or_else(|| stated.pow(2), BigUint::from), coordinates))
        }
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
    let wanted = Wanted::new(options)?;
    let given =
        options.step.as_ref().map(|text| positive("--step", text, "must be a positive number, such as 1, 0.01 or 1/8"));
    let given = given.transpose()?;
    seed(shared.seed.as_deref())?;
    let started = Instant::now();
    let progress = Progress::new(Some(0), "calibrating", shared.quiet);
    let found = watched(progress, |_| wanted.noise.calibrate(&wanted.epsilon, &wanted.delta, given.as_ref()));
    let (found, step) = found.map_err(|error| match error {
        CalibrateError::NoScale => Failure::argument("--step", error),
        CalibrateError::NoStep => Failure::argument("--step", "must be given for such an epsilon"),
        _ => Failure::argument("--epsilon", error),
    })?;
    let textbook = wanted.textbook(&found);
    let seconds = started.elapsed().as_secs_f64();
    if shared.json {
        writeln!(out, "{}", wanted.json(&found, &step, textbook.as_ref(), seconds))?;
    } else {
        wanted.print(&found, &step, textbook.as_ref(), out)?;
    }
    out.flush()?;
    Ok(0)
}

fn positive(name: &str, text: &str, must: &str) -> Result<Positive, Failure> {
    Positive::new(number(name, text, must)?).map_err(|_| Failure::value(name, text, must))
}

impl Wanted {
    fn new(options: &Calibrate) -> Result<Self, Failure> {
        let epsilon = positive("--epsilon", &options.epsilon, "must be a positive number, such as 1, 0.1 or 1/3")?;
        let must = "must be a number at least 0 and below 1, such as 0, 1e-6 or 1/1000";
        let delta = Some(number("--delta", &options.delta, must)?).filter(|delta| *delta < Rational::one());
        let delta = delta.and_then(|delta| Probability::new(delta).ok());
        let delta = delta.ok_or_else(|| Failure::value("--delta", &options.delta, must))?;
        if options.noise == Noise::Gaussian && delta.get().is_zero() {
            let problem = "must be above 0 for gaussian: its losses have no bound, so that no sigma has delta = 0";
            return Err(Failure::argument("--delta", problem));
        }
        Ok(Self { noise: noise(options)?, epsilon, delta })
    }

    /// Laplace: Δ/ε, whatever δ. Gaussian: Δ·√(2·ln(1.25/δ))/ε.
    fn textbook(&self, found: &Calibration) -> Option<Textbook> {
        let classical = self.noise.classical(&self.epsilon, &self.delta)?;
        let scale = classical.sigma.enclose(SHOWN_BITS)?;
        let precision = Precision { digits: DIGITS };
        let delta = Positive::new(scale.upper())
            .ok()
            .and_then(|scale| account::delta(&self.noise.plan(&scale), &self.epsilon.clone().into(), &precision).ok());
        Some(Textbook {
            scale,
            holds: classical.holds,
            saved: classical.saved(&found.scale).enclose(SHOWN_BITS),
            delta: delta.map(|answer| answer.enclosure),
        })
    }

    fn json(&self, found: &Calibration, step: &Positive, textbook: Option<&Textbook>, seconds: f64) -> Value {
        let scale_and_delta =
            |(scale, delta): &(Positive, Enclosure)| json!({ "spec": self.noise.spec(scale), "delta": bounds(delta) });
        json!({
            "schema_version": SCHEMA_VERSION,
            "spec": self.noise.spec(&found.scale),
            "epsilon": render(self.epsilon.get()),
            "delta_wanted": render(self.delta.get()),
            "delta": bounds(&found.delta),
            "step": render(step.get()),
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

    fn print(
        &self,
        found: &Calibration,
        step: &Positive,
        textbook: Option<&Textbook>,
        out: &mut dyn Write,
    ) -> Result<(), Failure> {
        let (key, step) = (self.noise.key(), shown(step.get()));
        let target = format!("delta({}) <= {}", shown(self.epsilon.get()), shown(self.delta.get()));
        writeln!(out, "question   the smallest {key} on the multiples of {step} with {target}")?;
        writeln!(out, "answer     {}", self.noise.spec(&found.scale))?;
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
        let formula = match &self.noise {
            CalibratedNoise::Laplace { .. } => "sensitivity/epsilon",
            _ => "sensitivity·√(2·ln(1.25/delta))/epsilon",
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
