//! Audits of mechanisms whose truth is known.
#![expect(
    clippy::float_arithmetic,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "tests sample floats"
)]

use super::outputs::{Output, Recording, Tally};
use super::{Audit, Claim, Report, Sequential, Verdict};
use certus::bits::{BitStream, Bits, seeded};
use certus::exact::parse;
use rand_chacha::ChaCha20Rng;
use rayon::prelude::*;

type Source = BitStream<ChaCha20Rng>;

fn source(tag: u64, run: u64, side: u8) -> Source {
    let mut seed = [side; 32];
    seed[..8].copy_from_slice(&run.to_le_bytes());
    seed[8..16].copy_from_slice(&tag.to_le_bytes());
    seeded(seed)
}

/// Uniform on (0, 1], 53 bits.
fn unit(bits: &mut Source) -> f64 {
    (bits.take(53).unwrap() + 1) as f64 / 9_007_199_254_740_992.0
}

fn laplace(bits: &mut Source, scale: f64) -> f64 {
    let magnitude = -unit(bits).ln() * scale;
    if bits.take(1).unwrap() == 1 { magnitude } else { -magnitude }
}

/// Continuous noise on a grid so fine that only its distribution matters, and no float's bits: multiples of
/// 2^-30, as integers.
fn fine_laplace(bits: &mut Source, centre: i64, scale: f64) -> i64 {
    centre * (1 << 30) + (laplace(bits, scale) * f64::from(1 << 30)).floor() as i64
}

/// The symmetric geometric P(k) ∝ e^(-|k|/scale), by two geometric variables.
fn geometric(bits: &mut Source, scale: f64) -> i64 {
    let one = |bits: &mut Source| (-unit(bits).ln() * scale).floor() as i64;
    one(bits) - one(bits)
}

fn tally(name: &str, samples: u64, mut next: impl FnMut() -> Output) -> Tally {
    let mut recording = Recording::new();
    (0..samples).for_each(|_| recording.output(&next()));
    recording.finish(name)
}

/// The coins of the split where a test has none of its own: of no sample's seed.
const COINS: [u8; 32] = [0x5e; 32];

fn audit(epsilon: &str, delta: &str, confidence: f64) -> Audit {
    let claim = Claim::new(parse(epsilon).unwrap(), parse(delta).unwrap()).unwrap();
    Audit::new(claim, confidence).unwrap().seed(COINS)
}

/// A mechanism on two inputs with the δ it has at the audit's ε, to about 15 digits, and a claim that is just
/// true.
struct Boundary {
    epsilon: &'static str,
    delta: &'static str,
    truth: f64,
    draw: fn(&mut Source, i64) -> Output,
}

/// Correct mechanisms at their exact boundary: pure claims that are tight for every event, claims with a δ
/// that is attained, bits, words, vectors.
const BOUNDARIES: [Boundary; 6] = [
    // Geometric of scale 2 on inputs 0 and 1: ε = 1/2, attained on every threshold. Truth at ε = ½: 0.
    Boundary { epsilon: "0.5", delta: "0", truth: 0.0, draw: |bits, input| (input + geometric(bits, 2.0)).into() },
    // The same at ε = 1/4: δ = (1 − e^(ε − 1/2))/(1 + e^(−1/2)), of k ≤ 0: P = 1/(1+r), Q = r/(1+r) at r =
    // e^(−1/2).
    Boundary {
        epsilon: "0.25",
        delta: "0.137690461563655",
        truth: 0.137_690_461_563_654,
        draw: |bits, input| (input + geometric(bits, 2.0)).into(),
    },
    // Fine Laplace of scale 1: δ(½) = 1 − e^(−1/4).
    Boundary {
        epsilon: "0.5",
        delta: "0.2211992169285952",
        truth: 0.221_199_216_928_595,
        draw: |bits, input| fine_laplace(bits, input, 1.0).into(),
    },
    // Randomized response with truth 3/4 as words, at ε = 1/2: δ = 3/4 − e^½/4.
    Boundary {
        epsilon: "0.5",
        delta: "0.337819682324968",
        truth: 0.337_819_682_324_967,
        draw: |bits, input| Output::parse(if (bits.take(2).unwrap() > 0) == (input > 0) { "yes" } else { "no" }),
    },
    // A rare leak: nothing is printed with probability 1/64 on one input. δ = 1/64 at any ε.
    Boundary {
        epsilon: "1",
        delta: "1/64",
        truth: 1.0 / 64.0,
        draw: |bits, input| Output::parse(if bits.take(6).unwrap() == 0 && input > 0 { "" } else { "ok" }),
    },
    // Vectors: two geometric counts of scale 2, one of which has the input: ε = 1/2.
    Boundary {
        epsilon: "0.5",
        delta: "0",
        truth: 0.0,
        draw: |bits, input| Output::parse(&format!("{},{}", input + geometric(bits, 2.0), geometric(bits, 2.0))),
    },
];

/// (alarms, covered) over runs of all boundaries.
fn boundary_runs(runs: u64, samples: u64) -> (u32, u32, u64) {
    let outcomes: Vec<(bool, bool)> = (0..runs)
        .into_par_iter()
        .map(|run| {
            let place = (run % BOUNDARIES.len() as u64) as usize;
            let Boundary { epsilon, delta, truth, draw } = BOUNDARIES[place];
            let (mut one, mut two) = (source(1, run, 1), source(1, run, 2));
            let (a, b) = (tally("a", samples, || draw(&mut one, 0)), tally("b", samples, || draw(&mut two, 1)));
            let mut seed = [0; 32];
            seed[..8].copy_from_slice(&run.to_le_bytes());
            let report = audit(epsilon, delta, 0.95).seed(seed).run(&a, &b).unwrap();
            let covered = report.delta_lower <= truth + 1e-12 && report.delta_upper.is_none_or(|upper| truth <= upper);
            (report.verdict == Verdict::Violation, covered)
        })
        .collect();
    let count = |side: fn(&(bool, bool)) -> bool| outcomes.iter().filter(|outcome| side(outcome)).count() as u32;
    (count(|outcome| outcome.0), count(|outcome| outcome.1), runs)
}

/// Each alarms with probability at most 0.05: of 1,000 more than 70 has probability 0.002 at most, were the
/// seeds not fixed.
#[test]
fn a_thousand_audits_at_the_boundary() {
    let (alarms, covered, runs) = boundary_runs(1000, 4000);
    println!("{alarms} alarms, {covered} covered, of {runs}");
    assert!(alarms <= 70 && covered >= 930, "{alarms} alarms, {covered} covered, of {runs}");
}

/// Continuous Laplace of ε = 1.25 against a claim of 1, 10,000 samples a side, as floats with full bits or on
/// a grid.
fn miscalibrated(run: u64, confidence: f64) -> Report {
    let (mut one, mut two) = (source(2, run, 1), source(2, run, 2));
    let a = tally("a", 10_000, || fine_laplace(&mut one, 0, 0.8).into());
    let b = tally("b", 10_000, || fine_laplace(&mut two, 1, 0.8).into());
    audit("1", "0", confidence).run(&a, &b).unwrap()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The truth is 1 − e^(−1/8) = 0.1175, which a run in twenty may exceed.
#[test]
fn miscalibration_over_a_hundred_runs() {
    let bounds: Vec<Report> = (0..100).into_par_iter().map(|run| miscalibrated(run, 0.95)).collect();
    assert!(bounds.iter().all(|report| report.verdict == Verdict::Violation));
    let middle = median(bounds.iter().map(|report| report.delta_lower).collect());
    let above = bounds.iter().filter(|report| report.delta_lower > 0.1175).count();
    println!("median delta {middle}, {above} of 100 above the truth");
    assert!((0.085..0.1175).contains(&middle), "{middle}");
    assert!(above <= 10, "{above}");
}

/// The textbook's inverse of the CDF, in floats: x − s·sign(u)·ln(1 − 2|u|).
fn naive_laplace(bits: &mut Source, centre: f64, scale: f64) -> f64 {
    let u = (bits.take(53).unwrap() as f64) / 9_007_199_254_740_992.0 - 0.5;
    centre - scale * u.signum() * (1.0 - 2.0 * u.abs()).ln()
}

fn float_audit(run: u64, samples: u64, scale: f64) -> Report {
    let (mut one, mut two) = (source(3, run, 1), source(3, run, 2));
    let a = tally("a", samples, || naive_laplace(&mut one, 0.0, scale).into());
    let b = tally("b", samples, || naive_laplace(&mut two, 1.0, scale).into());
    audit("1", "0", 0.999).scales(&[scale]).run(&a, &b).unwrap()
}

/// Five hundred samples a side at 99.9%, in each of 50 runs; at a scale of 2, where fewer outputs have low
/// bits, in most of them.
#[test]
fn floating_point_laplace_is_refuted() {
    for (scale, least) in [(1.0, 50), (0.7, 50), (2.0, 40)] {
        let refuted = (0..50).filter(|run| float_audit(*run, 500, scale).verdict == Verdict::Violation).count();
        println!("floats: {refuted} of 50 at scale {scale}");
        assert!(refuted >= least, "{refuted} of 50 at scale {scale}");
    }
}

#[test]
fn verdicts_say_what_could_be_seen() {
    let draw = |run, samples| {
        let (mut one, mut two) = (source(4, run, 1), source(4, run, 2));
        (
            tally("a", samples, || geometric(&mut one, 2.0).into()),
            tally("b", samples, || (1 + geometric(&mut two, 2.0)).into()),
        )
    };
    let (a, b) = draw(0, 20_000);
    let report = audit("0.5", "0", 0.999).run(&a, &b).unwrap();
    assert_eq!(report.verdict, Verdict::Consistent, "{report:?}");
    let least = report.min_detectable_delta.unwrap();
    assert!(least < 0.1 && least > 0.005, "{least}");
    assert!(
        report.delta_upper.unwrap() < 0.1 && report.epsilon_lower < 0.5 && report.epsilon_lower > 0.4,
        "{} {}",
        report.delta_upper.unwrap(),
        report.epsilon_lower
    );
    let (a, b) = draw(1, 100);
    assert_eq!(audit("0.5", "0", 0.999).run(&a, &b).unwrap().verdict, Verdict::Inconclusive);
    // The curve's bands hold the truth at every ε.
    let (a, b) = draw(2, 20_000);
    let report = audit("0.25", "0", 0.99).run(&a, &b).unwrap();
    let r = (-0.5_f64).exp();
    for point in report.curve(&[0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 1.0]) {
        let truth = ((1.0 - (point.epsilon - 0.5).exp()) / (1.0 + r)).max(0.0);
        assert!(point.lower <= truth && truth <= point.upper, "{point:?} {truth}");
        assert!(point.lower > truth - 0.05 && point.upper < truth + 0.1, "{point:?} {truth}");
    }
}

#[test]
fn an_audit_is_a_function_of_the_merged_counts_and_the_seed() {
    let mut one = source(5, 0, 1);
    let shards: Vec<Tally> =
        (0..4).map(|shard| tally(&format!("a{shard}"), 500, || geometric(&mut one, 1.0).into())).collect();
    let mut two = source(5, 0, 2);
    let b = tally("b", 2000, || (1 + geometric(&mut two, 1.0)).into());
    let merged =
        |order: [usize; 4]| order[1..].iter().fold(shards[order[0]].clone(), |sum, i| sum.merge(&shards[*i]).unwrap());
    let reports = [[0, 1, 2, 3], [3, 1, 0, 2]].map(|order| audit("0.5", "0", 0.99).run(&merged(order), &b).unwrap());
    assert_eq!(reports[0].delta_lower, reports[1].delta_lower);
    assert_eq!(reports[0].findings[0].event, reports[1].findings[0].event);
    // The same samples on both sides are refused.
    assert!(audit("0.5", "0", 0.99).run(&shards[0], &shards[0]).is_err());
}

/// Alarms of sequential audits that look after every batch, at the boundary: each direction at α/2 = 2.5%. Of
/// 60, more than 12 has probability below 10^-4.
#[test]
fn sequential_audits_may_look_at_any_time() {
    let run = |boundary: &Boundary, run: u64, batches: usize| {
        let (mut one, mut two) = (source(6, run, 1), source(6, run, 2));
        let claim = Claim::new(parse(boundary.epsilon).unwrap(), parse(boundary.delta).unwrap()).unwrap();
        let mut audit = Sequential::new(&claim, 0.95).unwrap();
        for _ in 0..batches {
            let batch =
                |bits: &mut Source, input| (0..100).map(|_| (boundary.draw)(bits, input)).collect::<Vec<Output>>();
            audit.batch(&batch(&mut one, 0), &batch(&mut two, 1));
            if audit.is_refuted() {
                return true;
            }
        }
        false
    };
    let alarms = (0..60_u64).into_par_iter().filter(|i| run(&BOUNDARIES[(i % 6) as usize], *i, 20)).count();
    assert!(alarms <= 12, "{alarms}");
}

#[test]
fn sequential_audits_stop_early_in_either_direction() {
    for (left, right) in [(0.0, 1.0), (1.0, 0.0)] {
        let (mut one, mut two) = (source(7, 0, 1), source(7, 0, 2));
        let claim = Claim::new(parse("1").unwrap(), parse("0").unwrap()).unwrap();
        let mut audit = Sequential::new(&claim, 0.999).unwrap();
        let batch = |bits: &mut Source, centre: f64| {
            (0..50).map(|_| naive_laplace(bits, centre, 1.0).into()).collect::<Vec<Output>>()
        };
        while !audit.is_refuted() && audit.pairs() < 5000 {
            audit.batch(&batch(&mut one, left), &batch(&mut two, right));
        }
        assert!(audit.is_refuted() && audit.pairs() <= 1000, "{} {}", audit.pairs(), audit.delta_lower());
    }
}

/// Mechanisms with vector outputs, where no single part says enough: noise on each of twelve parts, all of
/// which move by a little. The sum of the parts' losses is what tells the inputs apart, and a learned score
/// must come near it.
#[test]
fn a_learned_score_adds_up_what_the_parts_say() {
    // Parts of scale 4 that all move by 1 together with random signs known to nobody: part i moves up on
    // even, down on odd places.
    let draw = |bits: &mut Source, input: i64| {
        let part =
            |(place, bits): (usize, &mut Source)| (if place % 2 == 0 { input } else { -input }) + geometric(bits, 4.0);
        let parts: Vec<String> = (0..12).map(|place| part((place, bits)).to_string()).collect();
        Output::parse(&parts.join(","))
    };
    let (mut one, mut two) = (source(8, 0, 1), source(8, 0, 2));
    let (a, b) = (tally("a", 10_000, || draw(&mut one, 0)), tally("b", 10_000, || draw(&mut two, 1)));
    // The claim speaks of one part; the truth of all is ε = 3, and δ(¼) is large.
    let report = audit("0.25", "0", 0.99).run(&a, &b).unwrap();
    println!("{} {} {}", report.findings[0].event, report.delta_lower, report.epsilon_lower);
    assert_eq!(report.verdict, Verdict::Violation);
    // The counts are those of the event as it is stored, float by float.
    let finding = &report.findings[0];
    let (all, _) =
        super::Finding::replay(&finding.event, finding.direction, (&a, &b), 0.01, &report.claim, Some(finding.pair));
    let table = super::outputs::Table::split(&a, &b, &mut seeded(COINS)).unwrap();
    let mask = finding.event.select(table.outputs());
    let (x, y) = finding.direction.orient(0, 1);
    let of = |part: super::outputs::Part, side: i32| {
        let (a, b) = table.counts(part).inside(&mask);
        if side == 0 { a } else { b }
    };
    assert_eq!(
        (finding.pair.x, finding.pair.y),
        (of(super::outputs::Part::Evaluate, x), of(super::outputs::Part::Evaluate, y))
    );
    assert!(all.x > finding.pair.x);
    // A single part shows at most (1 − e^(ε − ¼))₊ = 0 at ε = ¼, so whatever is found is found by adding up.
    assert!(report.delta_lower > 0.15, "{}", report.delta_lower);
}

/// Every family's own leak is found by name.
#[test]
fn leaks_are_found_where_they_are() {
    type Draw = fn(&mut Source, i64) -> Output;
    let leaks: [(&str, Draw); 7] = [
        ("length", |bits, input| {
            Output::parse(&format!(
                "{:0width$}",
                bits.take(10).unwrap(),
                width = if input > 0 && bits.take(3).unwrap() == 0 { 6 } else { 5 }
            ))
        }),
        ("presence", |bits, input| {
            if input > 0 && bits.take(3).unwrap() == 0 { Output::parse("") } else { laplace(bits, 1.0).into() }
        }),
        (
            "NaN",
            |bits, input| {
                if input > 0 && bits.take(3).unwrap() == 0 { f64::NAN.into() } else { laplace(bits, 1.0).into() }
            },
        ),
        ("-0", |bits, input| {
            if bits.take(3).unwrap() > 0 {
                laplace(bits, 1.0).into()
            } else if input > 0 {
                (-0.0).into()
            } else {
                0.0.into()
            }
        }),
        ("grid", |bits, input| {
            let noise = (laplace(bits, 1.0) * 1e4).round() / 1e4;
            (if input > 0 { noise } else { noise + 0.00003 }).into()
        }),
        ("word", |bits, input| {
            Output::parse(["red", "green", "blue"][if bits.take(2).unwrap() > 0 { input as usize } else { 2 }])
        }),
        ("place", |bits, input| {
            let top = if bits.take(2).unwrap() > 0 { input } else { 2 };
            Output::parse(
                &(0..3)
                    .map(|i| (laplace(bits, 1.0) + if i == top { 50.0 } else { 0.0 }).to_string())
                    .collect::<Vec<_>>()
                    .join(","),
            )
        }),
    ];
    for (name, draw) in leaks {
        let (mut one, mut two) = (source(9, 0, 1), source(9, 0, 2));
        let (a, b) = (tally("a", 2000, || draw(&mut one, 0)), tally("b", 2000, || draw(&mut two, 1)));
        let report = audit("1", "0.01", 0.999).scales(&[1e-4]).run(&a, &b).unwrap();
        println!("{name}: {} {:?} {}", report.findings[0].event, report.findings[0].pair, report.delta_lower);
        assert_eq!(report.verdict, Verdict::Violation, "{name}: {:?}", report.findings);
        // And again on fresh samples, from storage.
        let stored = serde_json::to_string(&report.findings[0].event).unwrap();
        let (mut one, mut two) = (source(10, 0, 1), source(10, 0, 2));
        let (a, b) = (tally("a", 2000, || draw(&mut one, 0)), tally("b", 2000, || draw(&mut two, 1)));
        let event = serde_json::from_str(&stored).unwrap();
        let finding = &report.findings[0];
        // With what was seen, and without.
        for seen in [Some(finding.pair), None] {
            let (_, region) = super::Finding::replay(&event, finding.direction, (&a, &b), 0.001, &report.claim, seen);
            assert!(region.delta_lower(1_f64.exp()) > 0.01, "{name}");
        }
    }
}

/// What is spent is what was stated: 0.8·α over the events that were evaluated, and the rest on the upper
/// bound.
#[test]
fn the_shares_of_alpha_add_up() {
    let mut numbers = std::collections::BTreeSet::new();
    for run in 0..12_u64 {
        // A geometric mechanism with a rarer value that only one side has: δ is best seen in the bulk, ε in
        // the rarer value.
        let draw = |bits: &mut Source, input: i64| -> Output {
            if bits.take(3).unwrap() == 0 && input > 0 {
                Output::parse("rare")
            } else {
                (input + geometric(bits, 1.0)).into()
            }
        };
        let (mut one, mut two) = (source(11, run, 1), source(11, run, 2));
        let (a, b) = (tally("a", 20_000, || draw(&mut one, 0)), tally("b", 20_000, || draw(&mut two, 1)));
        let report = audit("0.5", "0", 0.95).run(&a, &b).unwrap();
        // The upper bound at the claimed ε is one of a tenth of α.
        let upper_alpha = 0.05 / 10.0;
        let upper = report.loss.delta_upper(0.5, upper_alpha).max(report.loss.reversed().delta_upper(0.5, upper_alpha));
        assert!((report.delta_upper.unwrap() - upper).abs() < 1e-9);
        let spent = report.findings.iter().map(|finding| finding.alpha).sum::<f64>() + upper_alpha + report.band_alpha;
        assert!((spent - 0.05).abs() < 1e-12, "{spent} on {}", report.findings.len());
        // Of 20,000 samples, 4,000 chose; none of them is counted again.
        assert!(report.findings.iter().all(|finding| (finding.pair.n, finding.pair.m) == (16_000, 16_000)));
        numbers.insert(report.findings.len());
    }
    assert!(numbers.contains(&2), "two events are evaluated at times: {numbers:?}");
}

/// The choice is blind to the evaluation part, even to which outputs it holds: with outputs that only the
/// evaluation part has (a new shape, length and value among them), the search answers the same event.
#[test]
fn the_choice_does_not_see_outputs_of_the_evaluation_part() {
    use super::events::{Goal, Search};
    use super::outputs::Counts;
    let outputs: Vec<Output> = (0..20).map(Output::from).collect();
    let counts = Counts { a: (0..20).map(|i| 40 - i).collect(), b: (0..20).map(|i| 20 + i).collect() };
    let goal = Goal::Delta { c: 1.2, delta: 0.0 };
    let best = |outputs: &[Output], counts: &Counts| {
        let outputs: Vec<&Output> = outputs.iter().collect();
        let candidate = Search::new(&outputs, counts, counts, (5000, 5000), &[], &[]).best(goal, 0.05).unwrap();
        (candidate.event, candidate.direction, candidate.promise)
    };
    let mut more = outputs.clone();
    more.extend(["", "word", "1,2,3", "-7.25", "99999999999", "nan"].map(Output::parse));
    let mut padded = counts.clone();
    padded.a.resize(more.len(), 0);
    padded.b.resize(more.len(), 0);
    assert_eq!(best(&outputs, &counts), best(&more, &padded));
}
