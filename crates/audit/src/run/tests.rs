//! What an audit evaluates, and that what it says of a claim agrees with itself.
#![expect(clippy::cast_possible_truncation, reason = "places in short lists")]

use super::*;
use crate::events::{Feature, Float, Interval, Orientation, Within};
use crate::outputs::{Counts, Output, Recording};
use crate::statistics::power::tests::Exact;
use crate::statistics::region::Shape;
use certus::bits::Bits;
use certus::exact::{Rational, from_f64, parse};

/// Event, direction, shape and α are functions of the selection part: with the sides of the evaluation part
/// exchanged they are the same, and only the counts are exchanged. Scalars, words, vectors, and near ties.
#[test]
fn what_is_evaluated_is_fixed_before_it_is_looked_at() {
    for run in 0..24_u8 {
        let mut bits = seeded([run; 32]);
        let mut side = |name: &str, bias: u64| {
            let mut recording = Recording::new();
            for _ in 0..3000 {
                let (one, two) = (bits.take(4).unwrap(), bits.take(8).unwrap());
                // On every other run both sides are alike, so that chance decides, and would decide otherwise
                // on other samples.
                let bias = if run % 2 == 0 { bias } else { 0 };
                let line = match run % 3 {
                    0 => format!("{}", one + two % (2 + bias)),
                    1 => format!("{},{}", one, two % (5 + bias)),
                    _ => format!("w{}", one * (two % (2 + bias))),
                };
                recording.line(line.as_bytes()).unwrap();
            }
            recording.finish(name)
        };
        let (a, b) = (side("a", 0), side("b", 1));
        let audit = Audit::new(Claim::new(parse("0.1").unwrap(), parse("0").unwrap()).unwrap(), 0.95).unwrap();
        let table = Table::split(&a, &b, &mut seeded([0; 32])).unwrap();
        let findings = |table: &Table<'_>| audit.evaluate(table, audit.select(table, 0.04).0, 0.04);
        let (before, after) = (findings(&table), findings(&table.clone().with_evaluation_exchanged()));
        assert!(!before.is_empty() && before.len() == after.len());
        for (one, two) in before.iter().zip(&after) {
            assert_eq!((&one.event, one.direction, one.shape), (&two.event, two.direction, two.shape), "run {run}");
            assert_eq!(one.alpha, two.alpha);
            assert_eq!((one.pair.x, one.pair.y), (two.pair.y, two.pair.x), "run {run}");
        }
    }
}

/// A report of these counts of one event, as if they had been evaluated.
fn report(pair: EventCounts, shape: Shape, (epsilon, delta): (&str, &str), confidence: f64) -> Report {
    let claim = Claim::new(parse(epsilon).unwrap(), parse(delta).unwrap()).unwrap();
    let audit = Audit::new(claim, confidence).unwrap();
    let side = |id: &str, order, inside: u64, of: u64| Tally::of_counts(id, order, &[inside, of - inside]);
    let (a, b) = (side("a", 1, pair.x, pair.n), side("b", 2, pair.y, pair.m));
    let table = Table::split(&a, &b, &mut seeded([0; 32])).unwrap();
    let alpha = (1.0 - confidence) * LOWER_SHARE;
    let interval = Interval { above: Float(f64::NEG_INFINITY), to: Float(0.0) };
    let event = Event { feature: Feature::Value, within: Within::Intervals(vec![interval]) };
    let region = Region::new(pair, alpha, shape);
    let finding = Finding { event, direction: Orientation::AOverB, pair, alpha, shape, region };
    audit.report(&table, vec![finding], vec!["value"], 1.0 - confidence)
}

/// A bound as it is printed.
fn printed(bound: f64) -> Rational {
    parse(&Report::decimal_below(bound)).unwrap()
}

/// What one document says of one claim agrees, as numbers and as they are printed.
fn agrees(report: &Report, about: &str) {
    let claim = &report.claim;
    let is_violation = report.verdict == Verdict::Violation;
    assert_eq!(is_violation, printed(report.delta_lower) > *claim.delta(), "{about}: {}", report.delta_lower);
    assert_eq!(is_violation, printed(report.epsilon_lower) > *claim.epsilon(), "{about}: {}", report.epsilon_lower);
    assert_eq!(is_violation, report.epsilon_lower > claim.epsilon_above(), "{about}: {}", report.epsilon_lower);
    let epsilon = claim.epsilon_above();
    let beside = [epsilon.next_down().max(0.0), epsilon, epsilon.next_up(), report.epsilon_lower];
    let mut epsilons: Vec<f64> = (0..=12).map(|j| epsilon * f64::from(j) / 4.0).chain(beside).collect();
    epsilons.sort_by(f64::total_cmp);
    let curve = report.curve(&epsilons);
    for point in &curve {
        let numbers = [point.lower, point.estimate, point.plug_in, point.upper];
        assert!(numbers.iter().all(|number| (0.0..=1.0 + 1e-9).contains(number)), "{about}: {point:?}");
        assert!(point.lower <= point.estimate && point.estimate <= point.upper, "{about}: {point:?}");
        if point.epsilon == epsilon {
            assert_eq!((point.lower, point.estimate), (report.delta_lower, report.delta_estimate), "{about}");
            assert!(point.upper <= report.delta_upper.unwrap_or(1.0), "{about}: {point:?}");
        }
        // But for rounding, the curve is above the claimed δ up to the ε that is refuted.
        if point.epsilon < report.epsilon_lower - 1e-9 {
            assert!(point.lower >= claim.delta_above() - 1e-9, "{about}: {point:?} {}", report.epsilon_lower);
        }
        if point.epsilon > report.epsilon_lower.max(epsilon) {
            assert!(point.lower <= claim.delta_above() + 1e-5, "{about}: {point:?} {}", report.epsilon_lower);
        }
    }
    assert!(curve.windows(2).all(|two| two[0].lower >= two[1].lower), "{about}: {curve:?}");
    assert!(report.delta_lower <= report.delta_estimate, "{about}");
    assert!(report.delta_upper.is_none_or(|upper| report.delta_estimate <= upper && upper < 1.0), "{about}");
    assert!(report.epsilon_lower.is_finite(), "{about}");
    assert!(report.min_detectable_delta.is_none_or(|least| (claim.delta_above()..=1.0).contains(&least)), "{about}");
}

/// **Finding: 3,703 of 10,000 against 1,200 at ε = 1, δ = 0.01** had the verdict `consistent`, refuted every
/// ε up to 1.00041, and had a curve of 0.0102 at ε = 1.
#[test]
fn one_document_says_one_thing() {
    for (pair, tilts, claim) in [
        (EventCounts { x: 3703, n: 10_000, y: 1200, m: 10_000 }, [(1.0, 0.04), (1.1, 0.0)], ("1", "0.01")),
        (EventCounts { x: 85, n: 800, y: 20, m: 800 }, [(1.1, 0.0), (1.0, 0.01)], ("1", "0.0001")),
    ] {
        for (tilt, offset) in tilts {
            for most in [0.3, 0.9] {
                let shape = Shape::Tilted { slope: tilt * 1_f64.exp(), offset, most };
                agrees(&report(pair, shape, claim, 0.999), &format!("{pair:?} {shape:?}"));
                agrees(&report(pair, shape, claim, 0.95), &format!("{pair:?} {shape:?}"));
            }
        }
    }
}

/// Random counts, shapes and claims; and then claims at the edge: the bound that was found as the claim, and
/// the numbers next to it.
#[test]
fn documents_agree_with_themselves() {
    let mut bits = seeded([21; 32]);
    let mut violations = 0;
    let runs = if std::env::var_os("CERTUS_FULL").is_some() { 400 } else { 40 };
    for run in 0..runs {
        let mut below = |n: u64| bits.take(30).unwrap() % n;
        let (n, m) = (20 + below(10_u64.pow(2 + run % 3)), 20 + below(10_u64.pow(2 + run % 2)));
        let (x, y) = (below(n + 1), [0, below(m + 1), below(m / 8 + 1), below(m / 2 + 1)][(run % 4) as usize]);
        let epsilon = ["0", "0.001", "0.1", "1/3", "1", "2.5", "7", "36.8", "40", "100"][below(10) as usize];
        let delta = ["0", "1e-9", "1e-6", "1/30", "0.3", "0.999"][below(6) as usize];
        let confidence = [0.5, 0.95, 0.999, 1.0 - 1e-9][below(4) as usize];
        let slope = epsilon.parse::<f64>().unwrap_or(1.0 / 3.0).exp() * [1.0, 1.0, 1.3, 0.8][below(4) as usize];
        let shape = match run % 5 {
            0 => Shape::Box { share: 0.1 },
            _ => Shape::Tilted {
                slope,
                offset: [0.0, 0.1, 0.9][below(3) as usize],
                most: [0.5, 0.9, 1.0][below(3) as usize],
            },
        };
        let pair = EventCounts { x, n, y, m };
        let about = format!("{pair:?} {shape:?} {epsilon} {delta} {confidence}");
        let found = report(pair, shape, (epsilon, delta), confidence);
        agrees(&found, &about);
        violations += u32::from(found.verdict == Verdict::Violation);
        // The bound on δ as the claimed δ, and that on ε as the claimed ε.
        for bound in [found.delta_lower, found.delta_lower.next_down(), found.delta_lower * 0.999_999] {
            let delta = from_f64(bound.clamp(0.0, 0.99)).unwrap();
            agrees(
                &report(pair, shape, (epsilon, &delta.to_string()), confidence),
                &format!("{about}, delta at {bound}"),
            );
        }
        for bound in [found.epsilon_lower, found.epsilon_lower.next_down(), found.epsilon_lower * 0.999_999] {
            let epsilon = from_f64(bound.clamp(0.0, 100.0)).unwrap();
            agrees(
                &report(pair, shape, (&epsilon.to_string(), delta), confidence),
                &format!("{about}, epsilon at {bound}"),
            );
        }
    }
    assert!(violations >= runs as u32 / 20, "{violations}");
}

/// **Finding: the stated δ was optimistic where p nears 1**: 100 samples, ε = 1, δ = 0 gave 0.587, of which
/// the power was 23 %. What a report states is of the test that it made.
#[test]
fn what_a_report_says_it_would_have_seen_has_that_power() {
    for (samples, epsilon, delta) in [(100, "1", "0"), (150, "0.5", "0.1")] {
        let side = |id: &str, order, inside: u64| Tally::of_counts(id, order, &[inside, samples - inside]);
        let (a, b) = (side("a", 1, samples * 3 / 5), side("b", 2, samples / 2));
        let claim = Claim::new(parse(epsilon).unwrap(), parse(delta).unwrap()).unwrap();
        let report = Audit::new(claim.clone(), 0.999).unwrap().seed([1; 32]).run(&a, &b).unwrap();
        let (finding, least) = (&report.findings[0], report.min_detectable_delta.unwrap());
        let EventCounts { n, m, .. } = finding.pair;
        let (_, c) = exp_bounds(claim.epsilon_above());
        let test = Test { n, m, alpha: finding.alpha, shape: finding.shape, c, delta: claim.delta_above() };
        let exact = Exact::new(test);
        let (at, below) = (exact.least(least, 100), exact.least(0.9 * least, 100));
        println!("{samples} samples: {least}, power {at}; of nine tenths of it {below}");
        assert!(at >= 0.5 && below < 0.5, "{least}: {at}, {below}");
    }
}

/// **Finding: 20 sevens against 20 eights are "consistent" with δ = 0.9**, because the stated δ was cut at 1.
/// Where not even a δ of 1 would have been seen, nothing is said.
#[test]
fn a_cap_is_no_power() {
    let side = |value: i64, name: &str| {
        let mut recording = Recording::new();
        (0..20).for_each(|_| recording.integer(value));
        recording.finish(name)
    };
    for delta in ["0", "0.5", "0.9", "0.9999"] {
        let claim = Claim::new(parse("1").unwrap(), parse(delta).unwrap()).unwrap();
        let report = Audit::new(claim, 0.999).unwrap().run(&side(7, "a"), &side(8, "b")).unwrap();
        assert_eq!((report.verdict, report.min_detectable_delta), (Verdict::Inconclusive, None), "{delta}");
        assert!(report.searched.contains(&"thresholds of numbers"), "{:?}", report.searched);
    }
}

/// Where all outputs are alike no event is tested, and only the upper bound says that a violation would be
/// small.
#[test]
fn outputs_that_are_all_alike_are_judged_by_the_upper_bound() {
    for (samples, verdict) in [(20, Verdict::Inconclusive), (400, Verdict::Inconclusive), (20_000, Verdict::Consistent)]
    {
        let (a, b) = (Tally::of_counts("a", 1, &[samples]), Tally::of_counts("b", 2, &[samples]));
        let claim = Claim::new(parse("1").unwrap(), parse("0").unwrap()).unwrap();
        let report = Audit::new(claim, 0.999).unwrap().run(&a, &b).unwrap();
        assert_eq!(
            (report.verdict, report.min_detectable_delta, report.findings.len()),
            (verdict, None, 0),
            "{samples}"
        );
        assert_eq!(verdict == Verdict::Consistent, report.delta_upper.is_some_and(|upper| upper < 0.1));
    }
}

/// More samples than any tail was shown to be right for.
#[test]
fn too_many_samples_are_refused() {
    let (a, b) = (Tally::of_counts("a", 1, &[1 << 40]), Tally::of_counts("b", 2, &[100]));
    let audit = Audit::new(Claim::new(parse("1").unwrap(), parse("0").unwrap()).unwrap(), 0.999).unwrap();
    assert_eq!(audit.run(&a, &b).err(), Some(AuditError::TooManySamples));
}

/// A ratio that is a little larger than the claim's everywhere, of which no event promises a violation yet, and
/// a rare value that was lucky by two of its standard errors: the rare one has half of the test, and the largest
/// event of that ratio the other half, where a smaller one shows hardly more.
#[test]
fn a_common_event_has_half_of_the_test() {
    let outputs: Vec<Output> = (-9..=9).map(Output::from).collect();
    let outputs: Vec<&Output> = outputs.iter().collect();
    // e^9 = 8103, …, of which each number of one side is e times or 1/e times the other's.
    let powers = [8_103_084_u64, 2_980_958, 1_096_633, 403_429, 148_413, 54_598, 20_086, 7389, 2718, 1000, 368];
    let geometric =
        |middle: i64| -> Vec<u64> { (-9..=9_i64).map(|i| powers[(i - middle).unsigned_abs() as usize]).collect() };
    let mut part = Counts { a: geometric(0), b: geometric(1) };
    // The two least numbers of a: 1368 were expected.
    part.a[0] += 80;
    // What lies below 0 is lucky too, by less than a standard error.
    part.b[8] -= 500;
    let search = Search::new(&outputs, &part, &part, (1 << 28, 1 << 28), &[], &[]);
    let c = 2.7175;
    let goal = Goal::Delta { c, delta: 0.0 };
    let first = search.best(goal, 0.001).unwrap();
    assert!(first.promise < 0.0 && first.event.words() == "the number is -9 or less", "{first:?}");
    let common = search.most_common(c, 0.0, 0.0005).unwrap();
    assert_eq!((common.event.words().as_str(), common.direction), ("the number is 0 or less", Orientation::AOverB));
    assert!(common.promise < 0.0, "{common:?}");
}

/// Two sides that are alike, against ε = 0: a half-line of nearly all outputs would show nothing, whatever it is.
#[test]
fn a_common_event_is_not_nearly_certain() {
    let outputs: Vec<Output> = (0..10).map(Output::from).collect();
    let outputs: Vec<&Output> = outputs.iter().collect();
    let part = Counts { a: vec![1000; 10], b: vec![1000; 10] };
    let search = Search::new(&outputs, &part, &part, (20_000, 20_000), &[], &[]);
    let common = search.most_common(1.0, 0.0, 0.0005).unwrap();
    assert_eq!(common.seen.x, 10_000, "{common:?}");
}

/// Of a true claim that promises nothing, an audit counts both: the common event at half of the α of the lower
/// bounds, unless the best by its errors is that event.
#[test]
fn an_audit_counts_the_common_event() {
    let mut halves = 0;
    for run in 0..8_u8 {
        let mut bits = seeded([run; 32]);
        let mut side = |name: &str| {
            let mut recording = Recording::new();
            (0..4000).for_each(|_| recording.integer(i64::from(bits.take(16).unwrap().trailing_zeros())));
            recording.finish(name)
        };
        let (a, b) = (side("a"), side("b"));
        let audit = Audit::new(Claim::new(parse("0.1").unwrap(), parse("0").unwrap()).unwrap(), 0.95).unwrap();
        let alphas: Vec<f64> =
            audit.seed([run; 32]).run(&a, &b).unwrap().findings.iter().map(|one| one.alpha).collect();
        halves += usize::from(alphas.contains(&(0.5 * LOWER_SHARE * (1.0 - 0.95))));
    }
    assert!(halves >= 4, "{halves} of 8");
}
