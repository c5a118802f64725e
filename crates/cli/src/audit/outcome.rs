//! What an audit of one target found, as numbers and as a document.
#![expect(
    clippy::float_arithmetic,
    reason = "the places of a curve's points and of a histogram's bins: no bound depends on them"
)]

use num_traits::Zero;
use serde_json::{Map, Value, json};

use super::{
    settings::{ASSUMES, Confidence},
    target::{Origin, Target},
};
use crate::arguments::Expect;
use certus::exact::{Enclosure, NonNegative, Rational, Rounding, decimal, from_f64, render};
use certus_audit::{
    Own, Report, Verdict, above,
    events::{Event, Orientation},
    outputs::Trace,
    statistics::region::EventCounts,
};

/// What an audit of one target found.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) verdict: Verdict,
    pub(super) delta_lower: f64,
    /// A sequential audit has none.
    pub(super) delta_estimate: Option<f64>,
    pub(super) delta_upper: Option<f64>,
    pub(super) epsilon_lower: f64,
    /// Nothing is known of a sequential audit's; of others, `None` where not even a δ of 1 would have been
    /// seen.
    pub(super) min_detectable_delta: Option<f64>,
    /// The kinds of events that were searched for.
    pub(super) searched: Vec<&'static str>,
    pub(super) samples: (u64, u64),
    pub(super) event: Option<(Event, Orientation)>,
    pub(super) counts: Option<EventCounts>,
    /// What that event shows by itself.
    pub(super) event_lower: Option<f64>,
    /// The event that refutes the claim by more, where the one above is easier to read.
    pub(super) also: Option<(Event, f64)>,
    /// The digests of the recordings, for a replay to know them again.
    pub(super) recordings: Vec<String>,
    /// What tells of parts of them; nothing where a replay draws samples of its own in this process.
    pub(super) trace: Trace,
    /// What is said beside the verdict.
    pub(super) notes: Vec<String>,
    pub(super) delta_exact: Option<Enclosure>,
    pub(super) curve: Vec<Value>,
    pub(super) losses: Value,
    pub(super) mode: &'static str,
    /// Whether its coins came from `--seed`.
    pub(super) is_seeded: bool,
    pub(super) seconds: f64,
}

/// Significant digits of an enclosure that is shown beside an estimate.
const DIGITS: u32 = 12;

/// Points of the curve: ε·j/4.
const CURVE: u32 = 12;

/// Bins of the histogram of losses.
const BINS: u32 = 41;

impl Outcome {
    /// From the report of a test of fixed size.
    pub(super) fn of_report(report: &Report, own: Option<&Own>, seconds: f64) -> Self {
        let first = report.findings.first();
        let epsilon = report.claim.epsilon_above();
        let strongest =
            report.strongest().filter(|strongest| first.is_some_and(|first| first.event != strongest.event));
        Self {
            verdict: report.verdict,
            delta_lower: report.delta_lower,
            delta_estimate: Some(report.delta_estimate),
            delta_upper: report.delta_upper,
            epsilon_lower: report.epsilon_lower,
            min_detectable_delta: report.min_detectable_delta,
            searched: report.searched.clone(),
            samples: (report.samples_a, report.samples_b),
            event: first.map(|finding| (finding.event.clone(), finding.direction)),
            counts: first.map(|finding| finding.pair),
            event_lower: first.map(|finding| finding.delta_lower(epsilon)),
            also: strongest
                .filter(|_| report.verdict == Verdict::Violation)
                .map(|finding| (finding.event.clone(), finding.delta_lower(epsilon))),
            recordings: Vec::new(),
            trace: Trace::default(),
            notes: Vec::new(),
            delta_exact: own.and_then(|own| own.delta(&NonNegative::new(report.claim.epsilon().clone()).ok()?)),
            curve: curve(report, own),
            losses: losses(report, own),
            mode: "fixed",
            is_seeded: report.is_seeded,
            seconds,
        }
    }

    /// Whether it is what was expected; where nothing was, whether the claim stands.
    pub(super) fn is_as_expected(&self, expect: Option<Expect>, strict: bool) -> bool {
        let stands = self.verdict != Verdict::Violation && !(strict && self.verdict == Verdict::Inconclusive);
        match expect {
            Some(Expect::Violation) => self.verdict == Verdict::Violation,
            Some(Expect::NoViolation) | None => stands,
        }
    }

    /// The document of one target.
    pub(super) fn json(&self, target: &Target, confidence: &Confidence, strict: bool) -> Map<String, Value> {
        let claim = &target.claim;
        let expect = target.expect;
        let mut document = Map::new();
        document.insert("target".into(), target.name.clone().into());
        document.insert("about".into(), target.about.clone().into());
        for key in ["kind", "spec", "specimen", "inputs", "commands", "files"] {
            let value = target.origin_json().get(key).cloned();
            document.insert(key.into(), value.unwrap_or(Value::Null));
        }
        if let Some(line) = target.line {
            document.insert("line".into(), line.into());
        }
        let rest = json!({
            "expected": expect.map(Expect::name),
            "as_expected": expect.map(|_| self.is_as_expected(expect, strict)),
            "verdict": self.verdict,
            "epsilon": render(claim.epsilon()),
            "delta_claimed": render(claim.delta()),
            "delta_lower": Report::decimal_below(self.delta_lower),
            "delta_estimate": self.delta_estimate.map(Report::decimal_below),
            "delta_upper": self.delta_upper.map(Report::decimal_above),
            "epsilon_lower": Report::decimal_below(self.epsilon_lower),
            "min_detectable_delta": self.min_detectable_delta.map(Report::decimal_above),
            "searched": self.searched,
            "delta_exact": self.delta_exact.as_ref().map(bounds),
            "confidence": confidence.to_string(),
            "seeded": self.is_seeded,
            "assumes": self.is_seeded.then_some(ASSUMES),
            "samples_a": self.samples.0,
            "samples_b": self.samples.1,
            "notes": self.notes,
            "event": self.event.as_ref().map(|(event, _)| event.to_string()),
            "words": self.event.as_ref().map(|(event, _)| event.words()),
            "cause": self.cause(target),
            "direction": self.event.as_ref().map(|(_, direction)| direction_name(*direction)),
            "counts": self.counts.map(counts_json),
            "event_lower": self.event_lower.map(Report::decimal_below),
            "also": self.also.as_ref().map(|(event, lower)| {
                json!({ "event": event.to_string(), "delta_lower": Report::decimal_below(*lower) })
            }),
            "mode": self.mode,
            "curve": self.curve,
            "losses": self.losses,
            "counterexample": self.counterexample(target, confidence),
            "skipped": null,
            "error": null,
            "seconds": self.seconds,
        });
        if let Value::Object(rest) = rest {
            document.extend(rest);
        }
        document
    }

    /// Where a violation comes from: known of the zoo, and of others what such an event often comes from.
    fn cause(&self, target: &Target) -> Option<String> {
        let (event, _) = self.event.as_ref().filter(|_| self.verdict == Verdict::Violation)?;
        match &target.origin {
            Origin::Zoo(specimen) => Some(specimen.about.to_owned()),
            _ => event.usual_cause().map(|cause| format!("often {cause}")),
        }
    }

    /// What is shown at the confidence.
    fn statement(&self, direction: Orientation) -> String {
        let (p, q) = direction.orient("a", "b");
        match self.mode {
            // A fortune is made on all events that were played.
            "sequential" => format!(
                "P(S on {p}) > e^epsilon * P(S on {q}) + delta for some event S that was played; \
                 the event named here is the last one played, and of it alone nothing is shown before a replay"
            ),
            _ => format!("P(event on {p}) > e^epsilon * P(event on {q}) + delta"),
        }
    }

    /// What anybody needs to test the violation again.
    fn counterexample(&self, target: &Target, confidence: &Confidence) -> Value {
        let (Verdict::Violation, Some((event, direction))) = (self.verdict, &self.event) else { return Value::Null };
        json!({
            "schema_version": crate::SCHEMA_VERSION,
            "counterexample": target.name,
            "origin": target.origin_json(),
            "epsilon": render(target.claim.epsilon()),
            "delta": render(target.claim.delta()),
            "event": event.to_string(),
            "direction": direction_name(*direction),
            "statement": self.statement(*direction),
            "predicate": event,
            "counts": self.counts.map(counts_json),
            "delta_lower": Report::decimal_below(self.event_lower.unwrap_or(self.delta_lower)),
            "confidence": confidence.to_string(),
            "samples": self.samples.0.min(self.samples.1),
            "recordings": self.recordings,
            "runs": (!self.trace.is_empty()).then_some(&self.trace),
        })
    }
}

/// Which side the event is likelier on.
pub(super) fn direction_name(direction: Orientation) -> &'static str {
    match direction {
        Orientation::AOverB => "a over b",
        Orientation::BOverA => "b over a",
    }
}

/// The direction of a name.
pub(super) fn direction_of(name: &str) -> Option<Orientation> {
    Orientation::BOTH.into_iter().find(|direction| direction_name(*direction) == name)
}

/// The counts of an event.
pub(super) fn counts_json(pair: EventCounts) -> Value {
    json!({ "p_inside": pair.x, "p_samples": pair.n, "q_inside": pair.y, "q_samples": pair.m })
}

/// The counts of a document.
pub(super) fn counts_of(counts: &Value) -> Option<EventCounts> {
    let count = |key: &str| counts.get(key).and_then(Value::as_u64);
    Some(EventCounts { x: count("p_inside")?, n: count("p_samples")?, y: count("q_inside")?, m: count("q_samples")? })
}

/// An enclosure of a probability, rounded outward.
pub(super) fn bounds(enclosure: &Enclosure) -> Value {
    let zero = Rational::zero();
    let lower = enclosure.lower().max(zero);
    let upper = enclosure.upper().min(Rational::from_integer(1.into()));
    json!({ "lower": decimal(&lower, DIGITS, Rounding::Down), "upper": decimal(&upper, DIGITS, Rounding::Up) })
}

/// δ at multiples of a quarter of the claimed ε, the band, and the exact curve.
fn curve(report: &Report, own: Option<&Own>) -> Vec<Value> {
    let claimed = report.claim.epsilon();
    let unit = if claimed.is_zero() { Rational::from_integer(1.into()) } else { claimed.clone() };
    let epsilons: Vec<f64> = (0..=CURVE).map(|j| above(&(&unit * Rational::new(j.into(), 4.into())))).collect();
    let exact = |epsilon: f64| own?.delta(&NonNegative::new(from_f64(epsilon).ok()?).ok()?);
    report
        .curve(&epsilons)
        .into_iter()
        .map(|point| {
            json!({
                "epsilon": point.epsilon.to_string(),
                "lower": Report::decimal_below(point.lower),
                "estimate": Report::decimal_below(point.estimate),
                "plug_in": Report::decimal_above(point.plug_in),
                "upper": Report::decimal_above(point.upper.min(1.0)),
                "exact": exact(point.epsilon).as_ref().map(bounds),
            })
        })
        .collect()
}

/// The privacy loss ln P/Q under P in bins; the outermost hold all beyond. Nothing where hardly an output
/// came twice.
fn losses(report: &Report, own: Option<&Own>) -> Value {
    let atoms = report.loss.atoms();
    let finite: f64 = atoms.iter().filter(|atom| atom.loss.is_finite()).map(|atom| atom.p).sum();
    let exact = own.and_then(Own::probabilities);
    if finite < 0.5 && exact.is_none() {
        return Value::Null;
    }
    let furthest = atoms.iter().filter(|atom| atom.loss.is_finite() && atom.p > 1e-3).map(|atom| atom.loss.abs());
    let reach = (furthest.fold(0.0, f64::max) * 1.1).max(report.claim.epsilon_above() * 1.231).clamp(0.01, 200.0);
    // An odd number of bins: losses of 0 and of ±ε, which are common, are not at an edge.
    let step = 2.0 * reach / f64::from(BINS);
    let edges: Vec<String> = (0..=BINS).map(|bin| format!("{:.4}", f64::from(bin) * step - reach)).collect();
    let histogram = |atoms: &mut dyn Iterator<Item = (f64, f64)>| {
        let mut bins = vec![0.0_f64; BINS as usize];
        let mut infinite = 0.0;
        for (loss, mass) in atoms {
            if loss == f64::INFINITY {
                infinite += mass;
                continue;
            }
            let place = ((loss + reach) / step).floor().clamp(0.0, f64::from(BINS - 1));
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 40")]
            if let Some(bin) = bins.get_mut(place as usize) {
                *bin += mass;
            }
        }
        let bins: Vec<String> = bins.into_iter().map(|mass| format!("{mass:.6}")).collect();
        (bins, format!("{infinite:.6}"))
    };
    let (estimated, estimated_infinite) =
        histogram(&mut atoms.iter().filter(|atom| atom.p > 0.0).map(|atom| (atom.loss, atom.p)));
    let exact = exact.map(|pairs| {
        histogram(
            &mut pairs
                .iter()
                .filter(|(p, _)| *p > 0.0)
                .map(|&(p, q)| (if q > 0.0 { (p / q).ln() } else { f64::INFINITY }, p)),
        )
    });
    let (exact, exact_infinite) = exact.unzip();
    json!({
        "edges": edges,
        "estimated": estimated,
        "exact": exact,
        "estimated_infinite": estimated_infinite,
        "exact_infinite": exact_infinite,
    })
}
