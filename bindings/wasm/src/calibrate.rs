//! The question of `certus calibrate`.

use certus::{
    account::{self, Precision},
    exact::{Enclosure, Positive, render},
    mechanism::{CalibrateError, CalibratedNoise},
};
use num_bigint::BigUint;
use num_traits::Zero as _;
use serde_json::{Value, json};

use crate::{
    SCHEMA_VERSION,
    text::{bounds, count, delta, positive, refused},
};

/// The digits of a δ that is asked for; three more are printed.
const DIGITS: u32 = 12;

/// Binary digits of the formulas that are only shown.
const SHOWN_BITS: u32 = 64;

/// A question, as text.
#[derive(Clone, Copy, Debug)]
pub struct Calibrate<'a> {
    /// "laplace" or "gaussian".
    pub noise: &'a str,
    /// The ε to meet.
    pub epsilon: &'a str,
    /// The δ to meet.
    pub delta: &'a str,
    /// The distance between neighbours' true answers, an integer.
    pub sensitivity: &'a str,
    /// The grid, or nothing.
    pub step: &'a str,
}

/// The answer, with the keys of the command's document.
///
/// # Errors
///
/// If an argument is bad, or there is no answer.
pub fn calibrate(asked: &Calibrate<'_>) -> Result<Value, String> {
    let epsilon = positive("--epsilon", asked.epsilon, "must be a positive number, such as 1, 0.1 or 1/3")?;
    let delta = delta("--delta", asked.delta)?;
    let sensitivity = BigUint::from(count("--sensitivity", asked.sensitivity, 1, u64::MAX)?);
    let noise = match asked.noise {
        "laplace" => CalibratedNoise::Laplace { sensitivity },
        "gaussian" if delta.get().is_zero() => {
            let problem = "must be above 0 for gaussian: its losses have no bound, so that no sigma has delta = 0";
            return Err(refused("--delta", problem));
        }
        "gaussian" => CalibratedNoise::Gaussian { sensitivity },
        _ => return Err(refused("NAME", "must be laplace or gaussian")),
    };
    let step = Some(asked.step).filter(|text| !text.is_empty());
    let step = step.map(|text| positive("--step", text, "must be a positive number, such as 1, 0.01 or 1/8"));
    let step = step.transpose()?;
    let (found, step) = noise.calibrate(&epsilon, &delta, step.as_ref()).map_err(|error| match error {
        CalibrateError::NoScale => refused("--step", error),
        CalibrateError::NoStep => refused("--step", "must be given for such an epsilon"),
        _ => refused("--epsilon", error),
    })?;
    let shown = |enclosure: &Enclosure| bounds(enclosure, DIGITS + 3);
    let mut document = json!({
        "schema_version": SCHEMA_VERSION,
        "spec": noise.spec(&found.scale),
        "epsilon": render(epsilon.get()),
        "delta_wanted": render(delta.get()),
        "delta": shown(&found.delta),
        "step": render(step.get()),
        "below": found.below.as_ref().map(|(scale, delta)| json!({ "spec": noise.spec(scale), "delta": shown(delta) })),
        "smallest": found.is_smallest(),
        "excluded": found.excluded.key(),
        "asked": found.asked,
        "classical": null,
        "classical_holds": null,
        "classical_delta": null,
        "saved": null,
    });
    // The formula of the textbooks, and what the account says of it.
    let classical = noise.classical(&epsilon, &delta).and_then(|classical| {
        let scale = classical.sigma.enclose(SHOWN_BITS)?;
        let precision = Precision { digits: DIGITS };
        let there = Positive::new(scale.upper()).ok();
        let there =
            there.and_then(|scale| account::delta(&noise.plan(&scale), &epsilon.clone().into(), &precision).ok());
        let saved = classical.saved(&found.scale).enclose(SHOWN_BITS);
        Some([
            ("classical", shown(&scale)),
            ("classical_holds", classical.holds.into()),
            ("classical_delta", there.map(|answer| shown(&answer.enclosure)).into()),
            ("saved", saved.as_ref().map(shown).into()),
        ])
    });
    if let Some(fields) = document.as_object_mut() {
        fields.extend(classical.into_iter().flatten().map(|(key, value)| (key.to_owned(), value)));
    }
    Ok(document)
}
