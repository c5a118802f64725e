//! What was measured, as tables, pictures, named numbers and findings.

use certus::account::{self, Precision};
use certus::exact::{Positive, Probability, Rational};

use super::bound::{Exact, Family, allowed, plan};
use super::{ALPHA, Measured, RATE, Release};
use crate::exact::{float, show};
use crate::roc::{Point, Roc, TARGETS};
use crate::{Axis, CaseError, Plot, Series, Shape, Study, Table};

/// How many thresholds break what a release promises.
pub(super) fn breaks(roc: &Roc, promise: &(Rational, Rational)) -> usize {
    roc.breaks(ALPHA, |rate| allowed((&promise.0, &promise.1), rate).unwrap_or(1.0))
}

/// An enclosed share.
fn percent_between((lower, upper): (f64, f64)) -> String {
    format!("{:.2} to {:.2} %", 100.0 * lower, 100.0 * upper)
}

/// The releases side by side.
pub(super) fn rates(
    releases: &[Release],
    measured: &[Measured],
    people: u64,
    wanted: &(Rational, Rational),
) -> Result<Table, CaseError> {
    let mut table = Table::new(
        "True-positive rate at the threshold for a false-positive rate of 1 %",
        &[
            "release",
            "area under the ROC",
            "tracing: TPR at FPR",
            "strongest: TPR at FPR",
            "possible at 1 %",
            "e^ε·1 % + δ",
            "breaks",
            "error of a mean",
        ],
    );
    for (release, measured) in releases.iter().zip(measured) {
        let (Some(point), Some(strongest)) = (measured.tracing.at(RATE), measured.strongest.at(RATE)) else { continue };
        let (exact, bound) = match &release.guarantee {
            Some(((epsilon, delta), exact)) => {
                (percent_between(exact.rate(RATE)?), format!("{:.2} %", 100.0 * allowed((epsilon, delta), RATE)?))
            }
            None => ("100 %".into(), "none".into()),
        };
        let broken = breaks(&measured.tracing, release.promise(wanted));
        table.row(&[
            &release.name,
            &format!("{:.3}", measured.tracing.area),
            &point.percent(ALPHA),
            &strongest.percent(ALPHA),
            &exact,
            &bound,
            &format!("{broken} of {}", TARGETS.len()),
            &format!("{:.3}", release.deviation / people as f64),
        ]);
    }
    Ok(table)
}

/// What the noise that the sum of all coordinates asks for costs in truth.
pub(super) fn summed(
    releases: &[Release],
    attributes: u64,
    (epsilon, delta): &(Rational, Rational),
) -> Result<String, CaseError> {
    let scale = Positive::new(Rational::from_integer(attributes.into()) / epsilon)?;
    let plan = plan(Family::Laplace, &scale, attributes);
    let spent = account::epsilon(&plan, &Probability::new(delta.clone())?, &Precision { digits: 6 })?.enclosure;
    let deviations: Vec<String> =
        releases.iter().skip(1).map(|release| format!("{:.0} ({})", release.deviation, release.name)).collect();
    Ok(format!(
        "Laplace noise of scale {} adds the ε of all counts up to {epsilon}, with δ = 0. At δ = {:.0e} the accountant knows it to be private at ε = {}{}. The deviation of a count's noise is {}.",
        scale,
        float(delta),
        show(&spent, 4),
        if float(&spent.upper()) < float(epsilon) / 2.0 { ": the same promise takes far less noise" } else { "" },
        deviations.join(", ")
    ))
}

/// Names by which tests and the page know the releases.
const KEYS: [&str; 4] = ["none", "laplace_pure", "laplace", "gaussian"];

pub(super) fn figures(
    study: &mut Study,
    releases: &[Release],
    measured: &[Measured],
    wanted: &(Rational, Rational),
) -> Result<(), CaseError> {
    for ((key, release), measured) in KEYS.iter().zip(releases).zip(measured) {
        study.figure(&format!("{key}_area"), measured.tracing.area);
        study.figure(&format!("{key}_deviation"), release.deviation);
        for (attacker, roc) in [("tracing", &measured.tracing), ("strongest", &measured.strongest)] {
            let Some(point) = roc.at(RATE) else { continue };
            study.figure(&format!("{key}_{attacker}_tpr"), point.true_positives.estimate());
            study.figure(&format!("{key}_{attacker}_fpr"), point.false_positives.estimate());
            let broken = breaks(roc, release.promise(wanted));
            study.figure(&format!("{key}_{attacker}_breaks"), broken as f64);
        }
        if let Some(((epsilon, delta), exact)) = &release.guarantee {
            study.figure(&format!("{key}_bound"), allowed((epsilon, delta), RATE)?);
            let (lower, upper) = exact.rate(RATE)?;
            study.figure(&format!("{key}_exact_lower"), lower);
            study.figure(&format!("{key}_exact"), upper);
            study.figure(&format!("{key}_exact_breaks"), exact_breaks(&measured.strongest, exact) as f64);
            study.figure(&format!("{key}_exact_misses"), exact_misses(&measured.strongest, exact) as f64);
        }
    }
    Ok(())
}

/// Thresholds of the strongest attacker above the exact trade-off, with confidence: none, if the accountant is right.
pub(super) fn exact_breaks(roc: &Roc, exact: &Exact) -> usize {
    roc.breaks(ALPHA, |rate| exact.rate(rate).map_or(1.0, |(_, upper)| upper))
}

/// Thresholds of the strongest attacker below it, with confidence: none, if the accountant's bound is reached.
pub(super) fn exact_misses(roc: &Roc, exact: &Exact) -> usize {
    let share = ALPHA / (2 * TARGETS.len()) as f64;
    let is_below = |point: &&Point| {
        let lower = exact.rate(point.false_positives.at_least(share)).map_or(0.0, |(lower, _)| lower);
        point.true_positives.at_most(share) < lower
    };
    roc.points.iter().filter(is_below).count()
}

/// Rates of false positives to draw bounds at.
pub(super) fn drawn() -> impl Iterator<Item = f64> {
    (0..=60).map(|i| 10_f64.powf(-3.0 + f64::from(i) / 20.0).min(1.0))
}

pub(super) fn picture(releases: &[Release], measured: &[Measured]) -> Result<Plot, CaseError> {
    let mut series = Vec::new();
    let promise = releases.iter().rev().find_map(|release| release.guarantee.as_ref().map(|guarantee| &guarantee.0));
    if let Some((epsilon, delta)) = promise {
        let bound: Vec<(f64, f64)> =
            drawn().map(|f| Ok((f, allowed((epsilon, delta), f)?))).collect::<Result<_, CaseError>>()?;
        series.push(Series::new("e^ε·FPR + δ", Shape::Dashed(bound)));
    }
    for (release, measured) in releases.iter().zip(measured) {
        series.push(Series::new(&release.name, Shape::Line(measured.tracing.curve())));
    }
    series.push(Series::new("guessing", Shape::Dashed(drawn().map(|f| (f, f)).collect())));
    Ok(Plot {
        title: "The tracing attack, without noise and with".into(),
        x: Axis::log("false-positive rate").from(0.001, 1.0),
        y: Axis::log("true-positive rate").from(0.001, 1.0),
        series,
        marks: Vec::new(),
    })
}

pub(super) fn closeness(releases: &[Release], measured: &[Measured]) -> Result<Plot, CaseError> {
    let mut series = Vec::new();
    for (release, measured) in releases.iter().zip(measured) {
        let Some(((epsilon, delta), exact)) = &release.guarantee else { continue };
        if series.is_empty() {
            let bound: Vec<(f64, f64)> =
                drawn().map(|f| Ok((f, allowed((epsilon, delta), f)?))).collect::<Result<_, CaseError>>()?;
            series.push(Series::new("e^ε·FPR + δ", Shape::Dashed(bound)));
        }
        let best: Vec<(f64, f64)> = drawn().map(|f| Ok((f, exact.rate(f)?.1))).collect::<Result<_, CaseError>>()?;
        series.push(Series::new(&format!("{}: at most possible, exact account", release.name), Shape::Line(best)));
        series.push(Series::new(&format!("{}: measured", release.name), Shape::Points(measured.strongest.curve())));
    }
    Ok(Plot {
        title: "The strongest attacker against the exact trade-off".into(),
        x: Axis::log("false-positive rate").from(0.001, 1.0),
        y: Axis::log("true-positive rate").from(0.001, 1.0),
        series,
        marks: Vec::new(),
    })
}

/// What the document says of it.
pub(super) fn findings(
    study: &mut Study,
    releases: &[Release],
    measured: &[Measured],
    wanted: &(Rational, Rational),
) -> Result<(), CaseError> {
    let noisy = || releases.iter().zip(measured).filter(|(release, _)| release.guarantee.is_some());
    let broken: usize =
        noisy().map(|(_, measured)| breaks(&measured.tracing, wanted) + breaks(&measured.strongest, wanted)).sum();
    let closest = noisy()
        .filter_map(|(release, measured)| {
            let rate = measured.strongest.at(RATE)?.true_positives.estimate();
            Some(format!("{:.2} % ({})", 100.0 * rate, release.name))
        })
        .collect::<Vec<_>>();
    let bound = allowed((&wanted.0, &wanted.1), RATE)?;
    study.finding(
        "002 §6, Exercise 6.1: if the means are released by an (ε, δ)-private mechanism, then p_tp ≤ e^ε·p_fp + δ.",
        format!(
            "Holds: {broken} of {} thresholds of the tracing and of the strongest attacker break it, on three noises. At FPR 1 % the bound is {:.2} %; the strongest attacker reached {}.",
            2 * 3 * TARGETS.len(),
            100.0 * bound,
            closest.join(", ")
        ),
        broken == 0,
    );
    // As many outputs as make each of them at most δ likely.
    let outputs = (1.0 / float(&wanted.1)).ceil();
    study.differs(
        "002 §6, the solution: “for all outputs a, Pr[M(x) = a] ≤ e^ε·Pr[M(x′) = a] + δ; therefore, by post-processing, p_tp ≤ e^ε·p_fp + δ”.",
        format!(
            "The claim is right, this step is not: output by output, δ is granted to each and adds up. A release of one of {outputs} codes at random, from one list if Alice is in and from another if not, \
             satisfies the line for every a with ε = 0 (each code has probability {:.0e} ≤ δ), and p_tp = 1, p_fp = 0. With the definition's own sets (002, Definition 2.1), T = {{a : A(y, a, p) = IN}}, it is one line: \
             Pr[M(x) ∈ T] ≤ e^ε·Pr[M(x′) ∈ T] + δ. The case `exercises` treats it.",
            1.0 / outputs
        ),
    );
    let deviation = releases.last().map_or(0.0, |release| release.deviation);
    study.agrees(
        "002 §6: “the noisy sample means as a ∈ [0, 1]^d”.",
        format!(
            "Only if they are clamped: one count's Gaussian noise has deviation {deviation:.0} here. Clamping is post-processing, costs no privacy, and gives no attacker more than he had; the attacks here see the means as they are."
        ),
    );
    Ok(())
}
