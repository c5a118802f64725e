//! The classical Gaussian σ against the smallest (000 Definition 4.10, 003, 004 Lemma 6).

use certus::exact::{Positive, Probability, Rational};
use certus::mechanism::Classical;

use super::counting;
use crate::exact::{float, middle, show};
use crate::privacy::{gaussian_delta, gaussian_sigma, rational};
use crate::{Axis, CaseError, Mark, Plot, Series, Setting, Shape, Study, Table};

/// The classical σ for a sensitivity of 1, as a rational near it (from above).
fn classical(epsilon: &Rational, delta: &Rational) -> Result<Rational, CaseError> {
    let classical = Classical::new(
        &Positive::new(Rational::from_integer(1.into()))?,
        &Positive::new(epsilon.clone())?,
        &Probability::new(delta.clone())?,
    );
    classical.sigma.at_most(64).ok_or_else(|| CaseError::Refused("no classical sigma".into()))
}

/// The δ that a σ really has.
fn real_delta(sigma: &Rational, epsilon: &Rational) -> Result<certus::exact::Enclosure, CaseError> {
    gaussian_delta(sigma, epsilon).ok_or_else(|| CaseError::Refused("sigma is beyond what can be enclosed".into()))
}

/// The first ε, on a grid of 1/10 up to 40, at which the classical σ is certified to fail.
fn first_failure(delta: &Rational) -> Result<Option<Rational>, CaseError> {
    for tenths in 10..=400 {
        let epsilon = Rational::new(tenths.into(), 10.into());
        if real_delta(&classical(&epsilon, delta)?, &epsilon)?.lower() > *delta {
            return Ok(Some(epsilon));
        }
    }
    Ok(None)
}

pub(super) fn study(_: &Setting, study: &mut Study) -> Result<(), CaseError> {
    let delta = rational("1e-5")?;
    // 000's variance has ln(1.25/δ²): the classical σ for δ².
    let squared = &delta * &delta;
    let mut table = Table::new(
        "σ for a sensitivity of 1 at δ = 1e-5, continuous Gaussian noise",
        &["ε", "smallest σ", "classical σ", "its δ", "000's σ, ln(1.25/δ²)", "its δ"],
    );
    let (mut smallest, mut old, mut thesis, mut reached) = (vec![], vec![], vec![], vec![]);
    for text in ["0.1", "0.5", "1", "2", "4", "6", "8", "10", "20"] {
        let epsilon = rational(text)?;
        let exact = gaussian_sigma(&epsilon, &delta, &rational("1e-6")?)
            .ok_or_else(|| CaseError::Refused("no sigma".into()))?;
        let (usual, printed) = (classical(&epsilon, &delta)?, classical(&epsilon, &squared)?);
        let (usual_delta, printed_delta) = (real_delta(&usual, &epsilon)?, real_delta(&printed, &epsilon)?);
        let place = float(&epsilon);
        smallest.push((place, float(&exact)));
        old.push((place, float(&usual)));
        thesis.push((place, float(&printed)));
        reached.push((place, middle(&usual_delta)));
        table.row(&[
            text,
            &format!("{:.4}", float(&exact)),
            &format!("{:.4}", float(&usual)),
            &show(&usual_delta, 3),
            &format!("{:.4}", float(&printed)),
            &show(&printed_delta, 3),
        ]);
        if text == "1" {
            study.figure("sigma_exact", float(&exact));
            study.figure("sigma_classical", float(&usual));
            study.figure("sigma_000", float(&printed));
            study.figure("delta_classical", middle(&usual_delta));
            study.figure("delta_000", middle(&printed_delta));
        }
        if text == "10" {
            study.figure("delta_classical_at_10", middle(&usual_delta));
        }
    }
    study.text(
        "How much Gaussian noise? The classical rule σ = √(2·ln(1.25/δ))·Δ/ε is proven for ε ≤ 1 alone, where it wastes noise; far above it promises what it does not keep. The smallest σ follows from the \
         exact profile (Balle and Wang 2018), here from enclosed tails of the normal distribution.",
    );
    study.table(table);
    study.plot(Plot {
        title: "σ at δ = 1e-5: the rules and the truth".into(),
        x: Axis::log("ε"),
        y: Axis::log("σ"),
        series: vec![
            Series::new("smallest σ that is (ε, δ)-private", Shape::Line(smallest)),
            Series::new("classical, ln(1.25/δ)", Shape::Dashed(old)),
            Series::new("000's Definition 4.10, ln(1.25/δ²)", Shape::Dashed(thesis)),
        ],
        marks: vec![],
    });
    study.plot(Plot {
        title: "The δ that the classical σ really has".into(),
        x: Axis::log("ε"),
        y: Axis::log("δ"),
        series: vec![Series::new("δ of the classical σ for 1e-5", Shape::Line(reached))],
        marks: vec![Mark::Level(1e-5, "the δ that was asked for".into())],
    });
    let mut failures =
        Table::new("The first ε, on a grid of 0.1, at which the classical σ is certified to fail", &["δ", "ε"]);
    let mut at_five = f64::NAN;
    for text in ["0.1", "1e-2", "1e-3", "1e-5", "1e-7"] {
        let failure = first_failure(&rational(text)?)?;
        if text == "1e-5" {
            at_five = failure.as_ref().map_or(f64::NAN, float);
        }
        failures.row(&[text, &failure.map_or_else(|| "none up to 40".into(), |epsilon| float(&epsilon).to_string())]);
    }
    study.table(failures);
    study.figure("classical_fails_at", at_five);
    let (exact, usual, printed) =
        (study.named("sigma_exact"), study.named("sigma_classical"), study.named("sigma_000"));
    study.differs(
        "003, and 004 Lemma 6: noise with σ² = 2s²·ln(1.25/δ)/ε² is (ε, δ)-private, for whatever ε",
        format!(
            "Proven for ε ≤ 1 (Dwork and Roth 2014, Theorem A.1), where it is {:.0} % more than needed ({usual:.3} for {exact:.3} at ε = 1, δ = 1e-5). It is false in general: at δ = 1e-5 it fails from about ε = {at_five} on; at \
             ε = 10 its δ is {:.2e}.",
            100.0 * (usual / exact - 1.0),
            study.named("delta_classical_at_10")
        ),
    );
    study.differs(
        "000 Definition 4.10: σ² = 2·ln(1.25/δ²)·Δ₂²/ε²",
        format!(
            "The square belongs elsewhere: ln(1.25/δ), as 003 and 004 have it. As printed it is the classical σ for δ²: {printed:.3} instead of {usual:.3} at (1, 1e-5), {:.0} % more noise than the classical rule and {:.0} % more than is \
             needed, for a δ of {:.1e}. So Theorem 4.11 holds for ε ≤ 1, wastefully.",
            100.0 * (printed / usual - 1.0),
            100.0 * (printed / exact - 1.0),
            study.named("delta_000")
        ),
    );
    let meant = float(&classical(&rational("1")?, &delta)?);
    let coded = float(&classical(&rational("1")?, &rational("1e-4")?)?);
    study.figure("sigma_003", coded);
    study.differs(
        "003: its picture is for δ = 10^-5, by delta = 10e-5",
        format!("10e-5 is 10^-4. The σ that is drawn is {coded:.4}; for 10^-5 it is {meant:.4}."),
    );
    study.agrees(
        "003: outputs far from the truth are much likelier with Gaussian noise than with Laplace noise, for one number at ε = 1",
        format!(
            "Beyond 5: {:.3} with σ = {coded:.3}, {:.4} with Laplace noise. Far beyond it is the reverse, e^(−x²) falls faster than e^(−x): beyond 40 it is 3e-20 against 4e-18.",
            2.0 * certus::exact::normal_tail(&certus::exact::from_f64(5.0 / coded)?, 40).map_or(f64::NAN, |tail| middle(&tail)),
            (-5.0_f64).exp()
        ),
    );
    counting::picture(study, coded);
    Ok(())
}
