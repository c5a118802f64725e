//! The floating-point attack (003's warning; Mironov 2012): the low bits of float noise tell the answer under it.

mod attack;
pub mod naive;

use std::collections::BTreeMap;

use certus::account::{self, Plan, Precision};
use certus::bits::{BitStream, Bits, BitsError};
use certus::exact::{NonNegative, Rational};
use certus::guarantee::{L1, Relation, Sensitivity};
use certus::mechanism::Private;
use certus::mechanism::additive::LaplaceMechanism;
use certus::sample::PreparedLaplace;
use certus_audit::outputs::Output;
use certus_audit::{Audit, Claim, Report, Side, Verdict, tallies};
use rand_chacha::ChaCha20Rng;

use crate::exact::{float, upper};
use crate::privacy::{CONFIDENCE, coins};
use crate::proportion::Proportion;
use crate::{Axis, Case, CaseError, Parameter, Plot, Series, Setting, Shape, Study, Table, Watch, random};
use attack::{Attacked, Mechanism, Successes, attacked};
use naive::{Naive, lowest_bit};

/// The probability that an interval misses.
pub const ALPHA: f64 = 0.001;

/// Steps of the grid in 1: a power of 2, so that multiples of 1/1024 are doubles.
const STEPS: i64 = 1024;

/// How many samples a side the auditor is given, until it has enough.
const LADDER: [u64; 6] = [100, 200, 500, 2_000, 10_000, 50_000];

/// The release of 003's example, which counts 14,235 people with ε = 0.1.
const RELEASED: f64 = 14_238.147_613_610_243;

/// The case.
pub static CASE: Case = Case {
    name: "floating-point",
    title: "Floating point: the low bits of the noise tell the answer",
    source: "003 (1), the warning",
    about: "which answers can make a released double at all: naive float Laplace against exact noise on a grid",
    parameters: &[
        Parameter {
            name: "trials",
            about: "releases to attack",
            default: 200_000.0,
            quick: 60_000.0,
            least: 1_000.0,
            most: 1e8,
            whole: true,
        },
        Parameter {
            name: "epsilon",
            about: "the ε that both releases claim",
            default: 1.0,
            quick: 1.0,
            least: 0.01,
            most: 5.0,
            whole: false,
        },
    ],
    run,
};

fn run(setting: &Setting, watch: &dyn Watch) -> Result<Study, CaseError> {
    let (trials, epsilon) = (setting.count("trials"), setting.exact("epsilon"));
    let steps = Sensitivity::<L1>::new(NonNegative::new(Rational::from_integer(STEPS.into()))?, Relation::AddRemove);
    let exact = LaplaceMechanism::with_epsilon(&steps, &epsilon)?;
    let support = Naive { scale: 1.0 / float(&epsilon) };
    let naive = Mechanism::Naive(support);
    let grid = Mechanism::Grid(Box::new(PreparedLaplace::new(exact.scale())));
    // The best of all attackers on an ε-private release of one of two answers is right with probability (1 + δ(0))/2.
    let plan = Plan::of(&exact.domination(), 1);
    let apart = account::delta(&plan, &NonNegative::zero(), &Precision { digits: 12 })?.enclosure;
    let most = 0.5 + upper(&apart) / 2.0;

    watch.step("attacking float noise", 0, 4);
    let on_naive = attacked(&naive, support, trials, setting.seed, "naive")?;
    watch.step("attacking exact noise", 1, 4);
    let on_grid = attacked(&grid, support, trials, setting.seed, "grid")?;
    let (before, after) = (Successes::of(&on_naive), Successes::of(&on_grid));

    let mut study = Study::new();
    study.text(format!(
        "A count is 0 or 1, and Laplace noise for ε = {epsilon} is added: one number is released, as doubles are printed, with all its digits. The attacker sees that number. \
         In the naive sampler the noise is ±ln(w)/ε for a w of 52 random bits: 2^53 numbers, a thin dust among all doubles, and adding them to 0 gives other doubles than adding \
         them to 1. So he asks of each answer: is there any w that makes this very double? He gets the answer itself, most of the time with certainty, whatever ε is claimed.\n\n\
         Exact noise on a grid of 1/{STEPS} leaves him nothing: a multiple of 1/{STEPS} can come from either answer, with probabilities whose ratio is at most e^ε, \
         and nothing else is ever released. ({}.)",
        exact.guarantee(),
    ));
    let mut table = Table::new(
        &format!(
            "How often {trials} answers of 0 or 1 are named; a coin is right half of the time, and no attack on ε = {epsilon} more than {:.2} % (accountant: (1 + δ(0))/2)",
            100.0 * most
        ),
        &["attack", "naive float Laplace", "exact noise on the grid"],
    );
    for (name, key, of) in [
        (
            "support: rule out what the noise cannot make, else a coin",
            "support",
            (|s| s.support) as fn(&Successes) -> Proportion,
        ),
        ("the same with what float noise cannot make", "float_support", |s| s.float_support),
        ("lowest set bit, learned on the other half", "lowest_bit", |s| s.lowest_bit),
        ("the value alone: the nearer answer", "value", |s| s.value),
        ("support, else the value", "both", |s| s.both),
        ("releases that only one answer can have made", "decided", |s| s.decided),
    ] {
        table.row(&[name, &of(&before).percent(ALPHA), &of(&after).percent(ALPHA)]);
        study.figure(&format!("naive_{key}"), of(&before).estimate());
        study.figure(&format!("grid_{key}"), of(&after).estimate());
        let (lower, upper) = of(&after).interval(ALPHA);
        study.figure(&format!("grid_{key}_lower"), lower);
        study.figure(&format!("grid_{key}_upper"), upper);
        study.figure(&format!("naive_{key}_lower"), of(&before).at_least(ALPHA));
    }
    study.figure("most", most);
    study.figure("wronged", (before.wronged + after.wronged) as f64);
    study.table(table);
    study.text(format!(
        "Intervals are Clopper and Pearson's at 99.9 %. The support ruled out the true answer {} times. On the grid it rules out nothing; the test for float noise, run on it all the same, is some function of \
         the value, and tells less than the value does.",
        before.wronged + after.wronged
    ));
    study.table(bits_table(&on_naive, &on_grid));
    study.plot(bits_picture("Naive float Laplace: the lowest set bit of what is released", &on_naive));
    study.plot(bits_picture("Exact noise on the grid: the lowest set bit of what is released", &on_grid));

    watch.step("auditing", 2, 4);
    let refuted = audits(&mut study, &naive, &grid, setting, &epsilon)?;
    watch.step("larger answers", 3, 4);
    larger(&mut study, setting)?;

    study.finding(
        "003, (1) Laplace Mechanism: with floating-point numbers “outputs with non-zero probability on a database x may, because of rounding, have zero probability on adjacent databases y”.",
        format!(
            "Not “may”: of the naive releases of 0 or 1, {} have probability zero on the other answer. {}",
            before.decided.percent(ALPHA),
            match refuted {
                Some(samples) => format!("The auditor, which is not told where to look, refutes ε = {epsilon} from {samples} samples a side."),
                None => "The auditor, which is not told where to look, does not see it.".to_owned(),
            }
        ),
        before.decided.at_least(ALPHA) > 0.0,
    );
    Ok(study)
}

/// The share of releases whose lowest set bit is in a range, for either answer.
fn bits_table(naive: &[Attacked], grid: &[Attacked]) -> Table {
    let mut table = Table::new(
        "Where the lowest set bit 2^e of a release is",
        &["e", "naive, 0", "naive, 1", "grid, 0", "grid, 1"],
    );
    let ranges = [
        ("below −53", i32::MIN, -54),
        ("−53", -53, -53),
        ("−52", -52, -52),
        ("−51", -51, -51),
        ("−50 to −11", -50, -11),
        ("−10", -10, -10),
        ("above −10", -9, i32::MAX),
    ];
    for (name, from, to) in ranges {
        let share = |of: &[Attacked], answer: i64| {
            let own = of.iter().filter(|one| one.answer == answer);
            let inside = |one: &Attacked| lowest_bit(one.release).is_some_and(|bit| (from..=to).contains(&bit));
            format!("{:.1} %", 100.0 * Proportion::of(own.map(inside)).estimate())
        };
        table.row(&[name, &share(naive, 0), &share(naive, 1), &share(grid, 0), &share(grid, 1)]);
    }
    table
}

/// The share of releases by their lowest set bit, for either answer.
fn bits_picture(title: &str, attacked: &[Attacked]) -> Plot {
    let bars = |answer: i64, shift: f64| {
        let mut counts: BTreeMap<i32, f64> = BTreeMap::new();
        let mut all = 0.0;
        for one in attacked.iter().filter(|one| one.answer == answer) {
            all += 1.0;
            if let Some(bit) = lowest_bit(one.release) {
                // The few below −64 are drawn there.
                *counts.entry(bit.max(-64)).or_default() += 1.0;
            }
        }
        Shape::Bars(
            0.4,
            counts.into_iter().map(|(bit, count)| (f64::from(bit) + shift, count / f64::max(all, 1.0))).collect(),
        )
    };
    Plot {
        title: title.into(),
        x: Axis::linear("exponent e of the lowest set bit 2^e"),
        y: Axis::linear("share of the releases"),
        series: vec![Series::new("the answer is 0", bars(0, -0.2)), Series::new("the answer is 1", bars(1, 0.2))],
        marks: Vec::new(),
    }
}

fn audit(mechanism: &Mechanism, samples: u64, seed: [u8; 32], epsilon: &Rational) -> Result<Report, CaseError> {
    let target = |side: Side, bits: &mut BitStream<ChaCha20Rng>| -> Result<Output, BitsError> {
        Ok(Output::parse(&mechanism.release(side.pick(0, 1), bits)?.to_string()))
    };
    let (a, b) = tallies(&target, samples, seed)?;
    let claim = Claim::new(epsilon.clone(), Rational::default())?;
    Ok(Audit::new(claim, CONFIDENCE)?.seed(coins(seed)).scales(&[1.0 / float(epsilon)]).run(&a, &b)?)
}

/// The auditor, which is not told what is wrong: how few samples it needs, and that it leaves the exact noise alone.
fn audits(
    study: &mut Study,
    naive: &Mechanism,
    grid: &Mechanism,
    setting: &Setting,
    epsilon: &Rational,
) -> Result<Option<u64>, CaseError> {
    let mut table = Table::new(
        &format!("The statistical auditor on the claim ε = {epsilon}, at a confidence of {CONFIDENCE}"),
        &["release", "samples a side", "verdict", "δ at least", "event"],
    );
    let mut refuted = None;
    let mut row = |name: &str, samples: u64, report: &Report| {
        let verdict = match report.verdict {
            Verdict::Violation => "violation",
            Verdict::Consistent => "no violation",
            _ => "too few samples to say",
        };
        let event = report.findings.first().map(|finding| finding.event.to_string()).unwrap_or_default();
        table.row(&[name, &samples.to_string(), verdict, &format!("{:.4}", report.delta_lower), &event]);
    };
    for (place, samples) in (0..).zip(LADDER) {
        let report = audit(naive, samples, random::seed(setting.seed, "audit naive", place), epsilon)?;
        row("naive float Laplace", samples, &report);
        if report.verdict == Verdict::Violation {
            refuted = Some(samples);
            study.figure("audit_naive_delta_lower", report.delta_lower);
            break;
        }
    }
    let samples = if setting.quick { 20_000 } else { 200_000 };
    let report = audit(grid, samples, random::seed(setting.seed, "audit grid", 0), epsilon)?;
    row("exact noise on the grid", samples, &report);
    study.figure("audit_naive_samples", refuted.map_or(f64::INFINITY, |samples| samples as f64));
    study.figure("audit_grid_violation", f64::from(u8::from(report.verdict == Verdict::Violation)));
    study.table(table);
    Ok(refuted)
}

/// Larger answers hide more low bits, and never all.
fn larger(study: &mut Study, setting: &Setting) -> Result<(), CaseError> {
    let mut table =
        Table::new("Naive releases that only one of two neighbouring answers can make", &["answers", "ε", "share"]);
    let trials = setting.count("trials").min(50_000);
    let mut of_document = Proportion::default();
    for (place, (answer, scale)) in
        (0..).zip([(0.0, 1.0), (10.0, 1.0), (100.0, 1.0), (1_000.0, 1.0), (14_235.0, 1.0), (14_235.0, 10.0)])
    {
        let naive = Naive { scale };
        let mut bits = random::bits(setting.seed, "larger", place);
        let mut hits = 0;
        for _ in 0..trials {
            let side = bits.take(1)? as f64;
            let release = naive.release(answer + side, &mut bits)?;
            hits += u64::from(!naive.can_release(answer + 1.0 - side, release));
        }
        of_document = Proportion { hits, trials };
        table.row(&[
            &format!("{answer} and {}", answer + 1.0),
            &format!("{}", 1.0 / scale),
            &of_document.percent(ALPHA),
        ]);
        study.figure(&format!("larger_{answer}_{scale}"), of_document.estimate());
    }
    study.table(table);
    study.text(
        "Near 14,000 a double has 39 binary places after the point, and rounding to them hides most of the dust: there the attack needs luck. It is still not private at any ε: \
         an output that only one of two neighbours can make is a loss without bound, and δ is at least its probability.",
    );
    let naive = Naive { scale: 10.0 };
    let can: Vec<String> = (14_230..=14_240)
        .filter(|&answer| naive.can_release(f64::from(answer), RELEASED))
        .map(|answer| answer.to_string())
        .collect();
    let can_be = naive.can_release(14_235.0, RELEASED);
    study.figure("document_can_release", f64::from(u8::from(can_be)));
    study.finding(
        "003, (1) Laplace Mechanism: the count 14,235 with ε = 0.1 was released as 14238.147613610243.",
        format!(
            "A double that this sampler can make from 14,235. Of the counts from 14,230 to 14,240 it can be {}: this release happens to tell little; {} of such releases rule out a neighbour.",
            can.join(", "),
            of_document.percent(ALPHA),
        ),
        can_be,
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use certus::sample::Program as _;

    #[test]
    fn low_bits_tell_the_answer_and_a_grid_has_none() {
        let study = (CASE.run)(&Setting::new(&CASE, true, 1, &[]).unwrap(), &Silent).unwrap();
        let named = |name: &str| study.named(name);
        // Before: four of five are named for certain, and the claim falls with 500 samples.
        assert!(named("wronged") == 0.0, "{:?}", study.figures);
        assert!(
            named("naive_decided_lower") > 0.75 && named("naive_support_lower") > named("most") + 0.1,
            "{:?}",
            study.figures
        );
        assert!(named("naive_lowest_bit_lower") > 0.6);
        assert!((100.0..=500.0).contains(&named("audit_naive_samples")) && named("audit_naive_delta_lower") > 0.0);
        // After: nothing is ruled out, the same attacks are coins, and the value tells what ε allows.
        assert!(named("audit_grid_violation") == 0.0 && named("grid_decided") == 0.0);
        assert!(named("grid_float_support_upper") < named("most"));
        for attack in ["support", "lowest_bit"] {
            let within = named(&format!("grid_{attack}_lower"))..=named(&format!("grid_{attack}_upper"));
            assert!(within.contains(&0.5), "{attack} {:?}", study.figures);
        }
        assert!(
            named("grid_both_lower") <= named("most") && named("most") <= named("grid_both_upper"),
            "{:?}",
            study.figures
        );
        assert!(named("document_can_release") == 1.0);
    }

    /// Planted: exact noise on a coarser grid than the answers' difference is told apart at once: what can be of 0 cannot be of ½ and the other way round.
    #[test]
    fn a_grid_that_the_answers_are_not_on_is_no_defence() {
        let one = Rational::from_integer(1.into());
        let noise = PreparedLaplace::new(&certus::exact::Positive::new(one.clone()).unwrap());
        let target = |side: Side, bits: &mut BitStream<ChaCha20Rng>| -> Result<Output, BitsError> {
            let noise = noise.sample(bits)?.to_i64().unwrap_or(0) as f64;
            Ok(Output::parse(&(noise + side.pick(0.0, 0.5)).to_string()))
        };
        let (a, b) = tallies(&target, 100, [1; 32]).unwrap();
        let claim = Claim::new(one, Rational::default()).unwrap();
        let report = Audit::new(claim, CONFIDENCE).unwrap().seed([2; 32]).run(&a, &b).unwrap();
        assert_eq!(report.verdict, Verdict::Violation);
    }
}
