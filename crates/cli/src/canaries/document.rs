//! What an audit by canaries found, as a document.
#![expect(clippy::float_arithmetic, reason = "where a curve is drawn; its bounds are the library's")]

use serde_json::{Map, Value, json};

use super::declared::Declared;
use crate::SCHEMA_VERSION;
use certus::exact::render;
use certus_audit::{
    Claim, Report, Verdict,
    canaries::{
        Canaries, Curve, Family, OneRunReport, Tested,
        rates::{Rate, Share, roc},
    },
};

/// What no file can show, of whatever is audited by canaries.
const CONDITIONS: [&str; 4] = [
    "each coin was fair and independent of all others, and not, say, exactly half of them heads",
    "a canary was trained on if and only if its coin said so, and is one record of the data",
    "scores were computed without the coins, and nothing else led from the coins to the scores",
    "claim, guesses, scores and confidence were fixed before the scores were seen, and this is the only audit of this run",
];

/// What the verdict on a plan rests on besides.
const OF_PLAN: [&str; 3] = [
    "what was released is a post-processing of independent channels, one a canary: contributions orthogonal, each clipped",
    "the noise of each channel was drawn by itself; later steps may depend on earlier ones",
    "a run that satisfies the plan's curve and has a mode that all canaries share is called another plan too: this is no verdict on differential privacy",
];

/// What is said whatever was found.
const NOTE: &str =
    "no alarm is not evidence of privacy: it says what these canaries, these scores and this many of them could show";

/// What was found.
pub(super) struct Judged {
    pub(super) verdict: Verdict,
    pub(super) file: String,
    pub(super) commitment: Option<String>,
    pub(super) is_seeded: bool,
    pub(super) seconds: f64,
    body: Map<String, Value>,
}

impl Judged {
    fn new(verdict: Verdict, declared: &Declared, claim: Option<&Claim>, mut body: Map<String, Value>) -> Self {
        let mut set = |key: &str, value: Value| body.insert(key.to_owned(), value);
        set("verdict", verdict_name(verdict).into());
        set("plan", if declared.plan.is_empty() { Value::Null } else { json!(declared.plan) });
        set("epsilon", claim.map_or(Value::Null, |claim| render(claim.epsilon()).into()));
        let delta = claim.map(|claim| render(claim.delta())).or_else(|| declared.delta.clone());
        set("delta_claimed", json!(delta));
        set("confidence", declared.confidence.clone().into());
        set("relation", declared.relation.clone().into());
        set("note", NOTE.into());
        Self { verdict, file: String::new(), commitment: None, is_seeded: false, seconds: 0.0, body }
    }

    /// Of the canaries of one run.
    pub(super) fn of_one_run(
        declared: &Declared,
        claim: Option<Claim>,
        canaries: &Canaries,
        report: &OneRunReport,
        family: &mut dyn Family,
        rates: Vec<Rate>,
    ) -> Self {
        let is_other_plan = report.plan.as_ref().is_some_and(|plan| plan.is_refuted);
        let is_violation = report.claim.is_refuted || is_other_plan;
        let verdict = if is_violation { Verdict::Violation } else { Verdict::Inconclusive };
        let mut body = tested(&report.claim, family);
        let mut set = |key: &str, value: Value| body.insert(key.to_owned(), value);
        set("design", "one_run".into());
        set(
            "claim_verdict",
            verdict_name(if report.claim.is_refuted { Verdict::Violation } else { Verdict::Inconclusive }).into(),
        );
        set("canaries", canaries.len().into());
        set("samples_a", canaries.count_in().into());
        set("samples_b", (canaries.len() - canaries.count_in()).into());
        set("pairs", canaries.is_paired().into());
        set("method", declared.method.clone().into());
        set("scores", declared.scores.clone().into());
        set("family", family.name().into());
        let accounted = family.epsilon_below(0).ok().flatten().filter(|_| claim.is_none());
        set("epsilon_accounted", accounted.map_or(Value::Null, |epsilon| Report::decimal_below(epsilon).into()));
        set("rates", rates.iter().map(rate).collect());
        set("roc", if canaries.is_paired() { Value::Null } else { json!(shown(canaries)) });
        set("claimed_curve", json!(family.curve(0).ok().map(|curve| claimed_curve(&curve))));
        set("conditions", json!(CONDITIONS));
        for key in ["delta_lower", "delta_estimate", "delta_upper", "min_detectable_delta", "event"] {
            set(key, Value::Null);
        }
        let plan = report.plan.as_ref().map(|plan| {
            let mut body = tested(plan, family);
            let verdict = if plan.is_refuted { "not_the_plan" } else { "no_alarm" };
            body.insert("verdict".into(), verdict.into());
            body.insert("conditions".into(), json!(OF_PLAN));
            Value::Object(body)
        });
        set("plan_verdict", plan.unwrap_or(Value::Null));
        Self::new(verdict, declared, claim.as_ref(), body)
    }

    /// Of one canary in many runs.
    pub(super) fn of_many_runs(declared: &Declared, claim: Claim, report: &Report) -> Self {
        let below = |bound: f64| Value::from(Report::decimal_below(bound));
        let above = |bound: f64| Value::from(Report::decimal_above(bound));
        let mut body = Map::new();
        let mut set = |key: &str, value: Value| body.insert(key.to_owned(), value);
        set("design", "many_runs".into());
        set("claim_verdict", verdict_name(report.verdict).into());
        set("runs", (report.samples_a + report.samples_b).into());
        set("samples_a", report.samples_a.into());
        set("samples_b", report.samples_b.into());
        set("family", "(epsilon, delta) with delta as claimed and epsilon varied".into());
        set("epsilon_lower", below(report.epsilon_lower));
        set("delta_lower", below(report.delta_lower));
        set("delta_estimate", below(report.delta_estimate));
        set("delta_upper", report.delta_upper.map_or(Value::Null, above));
        set("min_detectable_delta", report.min_detectable_delta.map_or(Value::Null, above));
        let first = report.findings.first();
        set("event", first.map_or(Value::Null, |finding| finding.event.to_string().into()));
        set("conditions", json!(CONDITIONS));
        set("plan_verdict", Value::Null);
        Self::new(report.verdict, declared, Some(&claim), body)
    }

    /// The document.
    pub(super) fn json(&self) -> Value {
        let mut body = self.body.clone();
        body.insert("schema_version".into(), SCHEMA_VERSION.into());
        body.insert("kind".into(), "canaries".into());
        body.insert("file".into(), self.file.clone().into());
        body.insert("commitment".into(), json!(self.commitment));
        body.insert("seeded".into(), self.is_seeded.into());
        body.insert("seconds".into(), self.seconds.into());
        Value::Object(body)
    }
}

/// Points of the curves, at most.
const POINTS: u8 = 200;

/// How many of those out and of those in have a score above a threshold.
fn shown(canaries: &Canaries) -> Vec<[u64; 2]> {
    let points = roc(canaries, POINTS.into()).into_iter();
    points.map(|point| [point.false_positives, point.true_positives]).collect()
}

/// The most of those in that the claim lets anybody find, by the share of those out that are mistaken; both
/// directions averaged.
fn claimed_curve(curve: &Curve) -> Vec<[String; 2]> {
    // Close together near 0, where the curve is steep.
    let share = |place: u8| (f64::from(place) / f64::from(POINTS)).powi(2);
    (0..=POINTS).map(share).map(|b| [Report::decimal_above(b), Report::decimal_above(curve.at_most(b))]).collect()
}

fn verdict_name(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Violation => "violation",
        Verdict::Consistent => "consistent",
        Verdict::Inconclusive => "inconclusive",
    }
}

/// What was found of one null: bounds on ε from below, probabilities from above.
fn tested(tested: &Tested, family: &mut dyn Family) -> Map<String, Value> {
    let below = |bound: Option<f64>| bound.map_or(Value::Null, |bound| Report::decimal_below(bound).into());
    let guessed = tested.guessed.iter().map(|one| {
        json!({
            "guesses": one.guesses,
            "right": one.right,
            "alpha": Report::decimal_below(one.alpha),
            "p_value": Report::decimal_above(one.p_value),
            "needed": one.needed,
            "expected": one.expected,
        })
    });
    let refuted = tested.place.map(|place| family.member(place));
    let mut body = Map::new();
    body.insert("guesses".into(), guessed.collect());
    body.insert("refuted".into(), json!(refuted));
    body.insert("epsilon_lower".into(), below(tested.epsilon_lower));
    body.insert("epsilon_expected".into(), below(tested.epsilon_expected));
    body
}

fn rate(rate: &Rate) -> Value {
    let share = |share: &Share| {
        json!({
            "count": share.count,
            "of": share.of,
            "lower": Report::decimal_below(share.lower),
            "upper": Report::decimal_above(share.upper),
        })
    };
    json!({
        "wanted": rate.wanted.to_string(),
        "threshold": rate.threshold.to_string(),
        "true_positives": share(&rate.true_positives),
        "false_positives": share(&rate.false_positives),
        "confidence": "0.95",
    })
}
