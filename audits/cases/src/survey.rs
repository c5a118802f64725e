//! Randomized response: a survey in which nobody's answer says anything for certain (000 §3).

use certus::exact::{Integer, Probability, Rational};
use certus::mechanism::{Private as _, RandomizedResponse, statistic::Survey};
use certus::sample::Program;

use crate::exact::{float, show};
use crate::privacy::{self, own, rational};
use crate::{Axis, Case, CaseError, Mark, Parameter, Plot, Series, Setting, Shape, Study, Table, Watch, random};

/// The case.
pub static CASE: Case = Case {
    name: "survey",
    title: "A survey that nobody need fear",
    source: "000 §3, Example 4.6",
    about: "randomized response: what 10,000 surveys estimate, and what one answer tells",
    parameters: &[
        Parameter {
            name: "trials",
            about: "surveys that are simulated",
            default: 10_000.0,
            quick: 10_000.0,
            least: 100.0,
            most: 1e6,
            whole: true,
        },
        Parameter {
            name: "people",
            about: "people in a survey",
            default: 100.0,
            quick: 100.0,
            least: 1.0,
            most: 1000.0,
            whole: true,
        },
        Parameter {
            name: "fraction",
            about: "the share of them for whom it is true",
            default: 0.2,
            quick: 0.2,
            least: 0.0,
            most: 1.0,
            whole: false,
        },
        Parameter {
            name: "gamma",
            about: "the truth is told with probability 1/2 + gamma",
            default: 0.25,
            quick: 0.25,
            least: 0.01,
            most: 0.49,
            whole: false,
        },
        Parameter {
            name: "samples",
            about: "answers a side in an audit",
            default: 1_000_000.0,
            quick: 100_000.0,
            least: 1000.0,
            most: 1e8,
            whole: true,
        },
    ],
    run,
};

/// What a survey is, exactly, from its γ.
struct Known {
    survey: Survey,
    /// ½ + γ.
    truth: Rational,
}

impl Known {
    fn new(gamma: &Rational) -> Result<Self, CaseError> {
        let truth = rational("1/2")? + gamma;
        let response = RandomizedResponse::truth_with(Probability::new(truth.clone())?, 2);
        Ok(Self { survey: Survey::new(response)?, truth })
    }

    /// The deviation of the estimate: exact up to a square root.
    fn deviation(&self, fraction: &Rational, people: u64) -> Result<f64, CaseError> {
        let variance = self.survey.proportion(0, people)?.variance(&Probability::new(fraction.clone())?);
        Ok(variance.exact().map_or(f64::NAN, float).sqrt())
    }
}

/// P(so many say yes): `holds` of them say it with probability p, the others with 1 − p. Two binomials, convolved.
fn yes_probabilities(holds: u64, people: u64, p: f64) -> Vec<f64> {
    let mut masses = vec![1.0];
    for person in 0..people {
        let yes = if person < holds { p } else { 1.0 - p };
        let mut next = vec![0.0; masses.len() + 1];
        for (count, mass) in masses.iter().enumerate() {
            for (place, share) in [(count, 1.0 - yes), (count + 1, yes)] {
                if let Some(cell) = next.get_mut(place) {
                    *cell += mass * share;
                }
            }
        }
        masses = next;
    }
    masses
}

fn run(setting: &Setting, watch: &dyn Watch) -> Result<Study, CaseError> {
    let (trials, people) = (setting.count("trials"), setting.count("people"));
    let (fraction, gamma) = (setting.exact("fraction"), setting.exact("gamma"));
    let holds_exactly = &fraction * Rational::from_integer(people.into());
    if !holds_exactly.is_integer() {
        return Err(CaseError::Refused(format!(
            "--fraction {fraction}: must be a whole number of the {people} people"
        )));
    }
    let holds = u64::try_from(holds_exactly.to_integer()).unwrap_or(0);
    let known = Known::new(&gamma)?;
    let p = float(&known.truth);
    let n = people as f64;

    // The surveys: every answer is drawn by certus.
    let response = RandomizedResponse::truth_with(Probability::new(known.truth.clone())?, 2);
    let [no, yes] = [response.on(&Integer::from(0_i64))?, response.on(&Integer::from(1_i64))?];
    let mut bits = random::bits(setting.seed, "surveys", 0);
    let mut counts = vec![0_u64; usize::try_from(people)? + 1];
    let mut truths = 0_u64;
    for trial in 0..trials {
        if trial % 256 == 0 {
            watch.step("surveys", trial, trials);
        }
        let mut said = 0;
        for person in 0..people {
            let is_true = person < holds;
            let answer = if is_true { &yes } else { &no }.sample(&mut bits)?.to_i64() == Some(1);
            said += usize::from(answer);
            truths += u64::from(answer == is_true);
        }
        if let Some(count) = counts.get_mut(said) {
            *count += 1;
        }
    }
    let estimates: Vec<f64> = (0..=people)
        .map(|said| Ok(known.survey.proportion(said, people)?.estimate().exact().map_or(f64::NAN, float)))
        .collect::<Result<_, CaseError>>()?;
    let share = |keep: &dyn Fn(f64) -> bool| {
        let kept: u64 =
            estimates.iter().zip(&counts).filter(|(estimate, _)| keep(**estimate)).map(|(_, count)| count).sum();
        kept as f64 / trials as f64
    };
    let moment = |of: &dyn Fn(f64) -> f64| {
        estimates.iter().zip(&counts).map(|(estimate, count)| of(*estimate) * *count as f64).sum::<f64>()
            / trials as f64
    };
    let mean = moment(&|estimate| estimate);
    let deviation = moment(&|estimate| (estimate - mean).powi(2)).sqrt();
    let expected = known.deviation(&fraction, people)?;
    let masses = yes_probabilities(holds, people, p);
    let negative_expected: f64 =
        estimates.iter().zip(&masses).filter(|(estimate, _)| **estimate < 0.0).map(|(_, mass)| mass).sum();
    let negative = share(&|estimate| estimate < 0.0);
    let bound = 1.0 / (16.0 * float(&gamma).powi(2) * n);
    let epsilon = show(&crate::privacy::epsilon(&format!("randomized_response(gamma={gamma})"), &rational("0")?)?, 6);
    let odds = p / (1.0 - p);
    let prior = float(&fraction);
    let posterior = prior * p / (prior * p + (1.0 - prior) * (1.0 - p));
    let right = truths as f64 / (trials * people) as f64;

    let mut study = Study::new();
    study.text(format!(
        "The attacker is the teacher, who sees every answer with its name on it. Asked openly, an answer is the truth, and reading the list is the whole attack: right about \
         everybody. With randomized response each answer is the truth with probability ½ + γ = {p} and a lie otherwise, drawn by certus. Whoever then believes what \
         he reads was right about {:.1} % of {} answers, and no answer moves his odds by more than a factor of e^ε = {odds:.3}: whoever thought that {:.0} % cheat thinks \
         {:.1} % of one who said yes. The class as a whole can still be read: the estimate (share of yes − ½ + γ)/2γ is right on average, and this is what its noise looks like.",
        100.0 * right,
        trials * people,
        100.0 * prior,
        100.0 * posterior
    ));
    let bars = estimates.iter().zip(&counts).map(|(estimate, count)| (*estimate, *count as f64)).collect();
    let theory: Vec<(f64, f64)> =
        estimates.iter().zip(&masses).map(|(estimate, mass)| (*estimate, mass * trials as f64)).collect();
    let (low, high) = (prior - 5.0 * expected, prior + 5.0 * expected);
    study.plot(Plot {
        title: format!("{trials} surveys of {people} people, {holds} of them yes, γ = {gamma}"),
        x: Axis::linear("estimate of the share").from(low, high),
        y: Axis::linear("surveys"),
        series: vec![
            Series::new("simulated", Shape::Bars(0.9 / (2.0 * float(&gamma) * n), bars)),
            Series::new("expected: two binomials, convolved", Shape::Line(theory)),
        ],
        marks: vec![
            Mark::Upright(prior, format!("the truth, {prior}")),
            Mark::Upright(0.0, format!("0: {:.2} % of the estimates are below", 100.0 * negative)),
        ],
    });
    let mut table = Table::new("The estimate over all surveys", &["", "simulated", "exact"]);
    table.row(&["mean", &format!("{mean:.4}"), &format!("{prior:.4}")]);
    table.row(&["standard deviation", &format!("{deviation:.4}"), &format!("{expected:.4}")]);
    table.row(&["the document's bound on it", "", &format!("{:.4}", bound.sqrt())]);
    table.row(&["share below 0", &format!("{negative:.4}"), &format!("{negative_expected:.4}")]);
    study.table(table);
    let person = |answer: f64| (answer - 0.5 + float(&gamma)) / (2.0 * float(&gamma));
    study.text(format!(
        "Why some are negative: every yes counts {:.2} and every no {:.2}, so that the liars cancel on average. If nobody had cheated at all, {:.0} of {people} would \
         still say yes, on average; in a survey where fewer do, the estimate is below 0. It is no fault: an unbiased estimate of a share near 0 must sometimes be below it. Cut off at 0 it would be \
         more plausible and biased. Certus leaves it as it is.",
        person(1.0),
        person(0.0),
        n * (1.0 - p)
    ));
    study.figure("right_without_noise", 1.0);
    study.figure("right_with_noise", right);
    study.figure("posterior", posterior);
    study.figure("mean", mean);
    study.figure("deviation", deviation);
    study.figure("deviation_exact", expected);
    study.figure("negative", negative);
    study.figure("negative_exact", negative_expected);
    study.agrees(
        "000 §3: the estimate is p̃ = 2·p_yes − ½ for γ = ¼",
        format!("It is (p_yes − ½ + γ)/2γ, and unbiased: the mean of {trials} is {mean:.4} for a truth of {prior}."),
    );
    study.finding(
        "000 §3: Var[p̃] ≤ 1/(16γ²n)",
        format!(
            "It is (¼ − γ²)/(4γ²n) exactly, whatever the truth is: {:.6} here, simulated {:.6}, and the bound is {bound:.6}.",
            expected.powi(2),
            deviation.powi(2)
        ),
        expected.powi(2) <= bound,
    );
    study.finding(
        "000 §3, Figure 2: some of the estimates are negative (printed “sum”), since a datapoint (Yᵢ − ½ + γ)/2γ need not be in [0, 1]",
        format!("{:.2} % of them; {:.2} % are expected. A datapoint is {:.2} or {:.2}, never between.", 100.0 * negative, 100.0 * negative_expected, person(0.0), person(1.0)),
        // Where hardly any are expected, as far from 0, none need be seen.
        negative > 0.0 || negative_expected * (trials as f64) < 10.0,
    );
    study.agrees(
        "000 §3: a yes is not incriminating, since a quarter say yes by chance alone; even all Yᵢ are not enough to deduce the Xᵢ",
        format!("Not proof, but not nothing: the odds move by a factor of {odds:.2}, from {:.0} % to {:.1} % here, and a guess is right {:.1} % of the time.", 100.0 * prior, 100.0 * posterior, 100.0 * right),
    );
    let ends = ["0", "1/2"]
        .map(|gamma| Known::new(&rational(gamma)?)?.survey.proportion(1, 2).map_err(CaseError::from).map(|_| ()));
    let [nothing, everything] = ends.map(|end| end.err().map_or_else(String::new, |error| error.to_string()));
    study.finding(
        "000 Examples 3.1, 3.2: γ = ½ is perfect accuracy and no privacy, γ = 0 perfect privacy and no information",
        format!("Certus refuses both: at γ = 0 no estimate (“{nothing}”), at γ = ½ no ε (“{everything}”). The sweep above runs between the two."),
        !nothing.is_empty() && !everything.is_empty(),
    );
    sweep(setting, watch, &mut study)?;
    central(setting, &mut study, &known, &fraction, &epsilon)?;
    Ok(study)
}

/// γ against the error and the privacy: closed forms beside a simulation and an audit.
fn sweep(setting: &Setting, watch: &dyn Watch, study: &mut Study) -> Result<(), CaseError> {
    const GAMMAS: [&str; 7] = ["0.02", "0.05", "0.1", "0.2", "0.25", "0.35", "0.45"];
    let (people, fraction) = (setting.count("people"), setting.exact("fraction"));
    let samples = setting.count("samples");
    let mut table = Table::new(
        &format!(
            "γ against error and privacy, {people} people; audits of {samples} answers a side, confidence {}",
            privacy::CONFIDENCE
        ),
        &["γ", "deviation", "deviation·γ√n", "ε = ln((1+2γ)/(1−2γ))", "ε refuted by the audit"],
    );
    let (mut errors, mut bounds, mut exact, mut audited) = (vec![], vec![], vec![], vec![]);
    let mut worst_gap = 0.0_f64;
    let mut is_sound = true;
    for (place, text) in GAMMAS.iter().enumerate() {
        watch.step("audits", place as u64, GAMMAS.len() as u64);
        let gamma = rational(text)?;
        let known = Known::new(&gamma)?;
        let deviation = known.deviation(&fraction, people)?;
        let spec = format!("randomized_response(gamma={text})");
        let epsilon = privacy::epsilon(&spec, &rational("0")?)?;
        let near = float(&epsilon.upper());
        // The audit is asked at the ε that is true: what it refutes is below.
        let claim = certus::exact::from_f64(near)?;
        let report = privacy::audit(
            &own(&spec)?,
            &claim,
            &rational("0")?,
            samples,
            random::seed(setting.seed, "survey audit", place as u64),
        )?;
        is_sound &= report.epsilon_lower <= near;
        worst_gap = worst_gap.max(near - report.epsilon_lower);
        let scaled = deviation * float(&gamma) * (people as f64).sqrt();
        table.row(&[
            text,
            &format!("{deviation:.4}"),
            &format!("{scaled:.4}"),
            &show(&epsilon, 6),
            &format!("{:.4}", report.epsilon_lower),
        ]);
        errors.push((float(&gamma), deviation));
        bounds.push((float(&gamma), 1.0 / (4.0 * float(&gamma) * (people as f64).sqrt())));
        exact.push((float(&gamma), near));
        audited.push((float(&gamma), report.epsilon_lower));
        if *text == "0.25" {
            study.figure("epsilon", near);
            study.figure("epsilon_audited", report.epsilon_lower);
        }
    }
    study.table(table);
    study.plot(Plot {
        title: "The error of the estimate falls with γ".into(),
        x: Axis::log("γ"),
        y: Axis::log("standard deviation"),
        series: vec![
            Series::new("the document's bound, 1/(4γ√n)", Shape::Dashed(bounds)),
            Series::new("exact, √(¼ − γ²)/(2γ√n)", Shape::Line(errors)),
        ],
        marks: vec![],
    });
    study.plot(Plot {
        title: "And the privacy loss rises with it".into(),
        x: Axis::linear("γ"),
        y: Axis::linear("ε"),
        series: vec![
            Series::new("ln((1 + 2γ)/(1 − 2γ))", Shape::Line(exact)),
            Series::new("every ε below is refuted by the audit", Shape::Points(audited)),
        ],
        marks: vec![],
    });
    study.figure("audit_gap", worst_gap);
    study.finding(
        "000 §3: |p̃ − p| ≤ O(1/(γ√n))",
        "The deviation is √(¼ − γ²)/(2γ√n): the product with γ√n stays below ¼ and goes to 0 as γ goes to ½, where nobody lies. By Chebyshev’s inequality the O holds with any fixed \
         probability below 1, not with certainty.",
        true,
    );
    study.finding(
        "000 Proposition 3.4: γ-randomized response is ln((1 + 2γ)/(1 − 2γ))-differentially private",
        format!("And at no smaller ε: audits of certus’ own responses refute what is up to {worst_gap:.3} below it, and never more than it; ln 3 = 1.098612 at γ = ¼."),
        is_sound,
    );
    Ok(())
}

/// The same ε by a curator whom all trust: Laplace noise on the count.
fn central(
    setting: &Setting,
    study: &mut Study,
    known: &Known,
    fraction: &Rational,
    epsilon: &str,
) -> Result<(), CaseError> {
    let mut table = Table::new(
        &format!(
            "Standard deviation of the share at ε = {epsilon}: everyone lies for himself, or one curator adds noise to the count"
        ),
        &["people", "randomized response", "Laplace noise on the count"],
    );
    // A scale that is certified to meet the response's ε: the next multiple of 1/100 above 1/ε.
    let Some(bound) = (match known.survey.guarantee().privacy() {
        certus::guarantee::Privacy::Pure { epsilon } => epsilon.enclose(64),
        _ => None,
    }) else {
        return Ok(());
    };
    let hundred = Rational::from_integer(100.into());
    let scale = ((&hundred / bound.lower()).floor() + Rational::from_integer(1.into())) / &hundred;
    let mut bits = random::bits(setting.seed, "central", 0);
    let noise = privacy::laplace(&scale, 20_000, &mut bits)?;
    let noise_deviation = (noise.iter().map(|noise| (*noise as f64).powi(2)).sum::<f64>() / noise.len() as f64).sqrt();
    let mut ratios = vec![];
    for people in [100_u64, 1000, 10_000, 1_000_000] {
        let local = known.deviation(fraction, people)?;
        let trusted = noise_deviation / people as f64;
        ratios.push(local / trusted);
        table.row(&[&people.to_string(), &format!("{local:.2e}"), &format!("{trusted:.2e}")]);
    }
    study.table(table);
    study.figure("trusted_deviation_100", noise_deviation / 100.0);
    study.finding(
        "000 Example 4.6: the Laplace mechanism errs by O(1/(εn)), randomized response by O(1/(ε√n))",
        format!(
            "At the same ε, by noise of scale {} on the count: {:.1} times less error for 100 people, {:.0} times for a million. The price is a curator who sees the truth.",
            float(&scale),
            ratios.first().copied().unwrap_or(f64::NAN),
            ratios.last().copied().unwrap_or(f64::NAN)
        ),
        true,
    );
    Ok(())
}
