//! The timing attack: the time of a draw tells the noise, and the noise the answer.

pub mod draws;
pub mod guess;

use certus::account::{self, Plan, Precision};
use certus::audit::outputs::Output;
use certus::audit::{Audit, Claim, Report, Side, Verdict, tallies};
use certus::bits::{BitStream, BitsError, Meter};
use certus::exact::{NonNegative, Positive, Rational};
use certus::guarantee::{L1, Relation, Sensitivity};
use certus::mechanism::Private;
use certus::mechanism::additive::LaplaceMechanism;
use certus::sample::Laplace;
use certus::sample::fixed::{FixedLaplace, Mode};
use rand_chacha::ChaCha20Rng;

use crate::exact::{float, upper};
use crate::{Axis, Case, CaseError, Parameter, Plot, Series, Setting, Shape, Study, Table, Watch, random};
use draws::{Draw, Sampler, Seen};

/// The probability that an interval misses.
pub const ALPHA: f64 = 0.001;

/// The confidence of the auditor.
const CONFIDENCE: f64 = 0.999;

/// What is seen, by name.
const SEEN: [(Seen, &str, &str); 3] = [
    (Seen::Once, "once", "time of one run"),
    (Seen::Least, "least", "least time of the replays"),
    (Seen::Bits, "bits", "random bits taken"),
];

/// The case.
pub static CASE: Case = Case {
    name: "timing",
    title: "Timing: how long a draw took tells what it drew",
    source: "003, the warning in (1) Laplace Mechanism: “this is just one way”",
    about: "guess the noise from the time of a plain exact sampler, and fail on the fixed-work one",
    parameters: &[
        Parameter { name: "draws", about: "draws to time, of each sampler", default: 200_000.0, quick: 24_000.0, least: 2_000.0, most: 1e7, whole: true },
        Parameter { name: "repeats", about: "replays of each draw on the same random bits", default: 15.0, quick: 15.0, least: 1.0, most: 1_000.0, whole: true },
        Parameter { name: "scale", about: "scale of the noise, and the distance of the two answers", default: 1_000.0, quick: 1_000.0, least: 10.0, most: 1e12, whole: true },
    ],
    run,
};

/// A sampler, and what was seen of it.
struct Subject {
    name: &'static str,
    key: &'static str,
    sampler: Sampler,
    draws: Vec<Draw>,
}

fn run(setting: &Setting, watch: &dyn Watch) -> Result<Study, CaseError> {
    let (count, repeats, scale) = (setting.count("draws"), setting.count("repeats"), setting.count("scale"));
    let exact_scale = Positive::new(Rational::from_integer(scale.into()))?;
    // A sum that one person moves by up to the scale: ε = 1, exactly.
    let sensitivity = Sensitivity::<L1>::new(NonNegative::new(exact_scale.get().clone())?, Relation::AddRemove);
    let mechanism = LaplaceMechanism::with_scale(&sensitivity, exact_scale.get())?;
    let plan = Plan::new().with(&mechanism.domination(), 1);
    let apart = account::delta(&plan, &NonNegative::zero(), &Precision { digits: 12 })?.enclosure;
    let most = 0.5 + upper(&apart) / 2.0;

    let fixed = FixedLaplace::new(&exact_scale, Mode::Standard)?;
    let cost = float(&fixed.cost(1, &NonNegative::one()).upper());
    let mut subjects = Vec::new();
    for (name, key, sampler) in [
        ("plain (CKS20)", "plain", Sampler::Plain(Laplace::new(&exact_scale))),
        ("fixed work", "fixed", Sampler::Fixed(fixed)),
    ] {
        let stream = random::bits(setting.seed, key, 0);
        let each = |done: u64| {
            if done % 1_000 == 0 {
                watch.step(name, done, count);
            }
        };
        let draws = draws::draws(&sampler, count, u32::try_from(repeats)?, stream, each)?;
        subjects.push(Subject { name, key, sampler, draws });
    }

    let mut study = Study::new();
    study.text(format!(
        "A sum that one person moves by up to {scale} is released with Laplace noise of scale {scale}: ε = 1. The attacker sees the released number, and how long the draw of the noise took. \
         The plain exact sampler tosses coins until one fails, so that larger noise takes longer. From the time he gets the size of the noise, and from the number and the size \
         of its noise the sum itself: ε speaks of the number alone.\n\n\
         The fixed-work sampler does the same work for every draw. (It rejects and starts over now and then, as the plain one does, which has nothing to do with what it accepts in the end; and with probability β < 2^-53 a draw takes \
         a slow path: that adds at most {cost:.1e} to δ for a draw, by its own bound.) The time then tells nothing, and he is left with what ε allows."
    ));
    study.text(format!(
        "Three things are seen of each of {count} draws: the nanoseconds of one run, which is what somebody on the same machine sees; the least of {repeats} runs on the same random bits, which takes off \
         what the machine does besides (no attacker can replay a draw, but one with a better clock, or who counts instructions, sees as much); and the number of random bits that were taken, which is the same on every machine \
         and needs no clock. The attacker learns on the first half of the draws and is judged on the second. Times differ from run to run; the bits do not."
    ));
    tables(&mut study, &subjects, setting, scale, most)?;
    study.plot(picture(&subjects, scale, Seen::Least, "Time of a draw by the size of its noise: median and quartiles", "nanoseconds, least of the replays"));
    study.plot(picture(&subjects, scale, Seen::Bits, "Random bits of a draw by the size of its noise: median and quartiles", "bits"));
    audits(&mut study, &subjects, setting, scale)?;
    study.agrees(
        "003, (1) Laplace Mechanism: floating point “is just one way in which the implementation requires scrutiny, and it is not unique”.",
        format!(
            "Time is another, and exact arithmetic does not help: with the time, answers that ε = 1 lets anybody tell apart in at most {:.1} % of cases are told apart in {:.1} % (least of the replays) by the plain exact sampler.",
            100.0 * most,
            100.0 * study.named("plain_least_told")
        ),
    );
    Ok(study)
}

fn tables(study: &mut Study, subjects: &[Subject], setting: &Setting, scale: u64, most: f64) -> Result<(), CaseError> {
    let mut large = Table::new("How often “is |noise| at least its median?” is answered right; a coin is right half of the time", &["what is seen", "plain (CKS20)", "fixed work"]);
    let mut told = Table::new(
        &format!("How often the sums 0 and {scale} are told apart; no attack on ε = 1 is right more than {:.2} % of the time (accountant: (1 + δ(0))/2)", 100.0 * most),
        &["what is seen besides the number", "plain (CKS20)", "fixed work"],
    );
    let mut alone = vec!["nothing".to_owned()];
    for (seen, key, name) in SEEN {
        let (mut large_row, mut told_row) = (vec![name.to_owned()], vec![name.to_owned()]);
        for subject in subjects {
            let is_large = guess::is_large(&subject.draws, seen);
            let mut bits = random::bits(setting.seed, "answers", 0);
            let apart = guess::tell(&subject.draws, seen, scale, &mut bits)?;
            large_row.push(is_large.percent(ALPHA));
            told_row.push(apart.by_both.percent(ALPHA));
            if seen == Seen::Once {
                alone.push(apart.by_value.percent(ALPHA));
                study.figure(&format!("{}_value_told", subject.key), apart.by_value.estimate());
            }
            for (figure, share) in [("large", is_large), ("told", apart.by_both)] {
                let (lower, upper) = share.interval(ALPHA);
                study.figure(&format!("{}_{key}_{figure}", subject.key), share.estimate());
                study.figure(&format!("{}_{key}_{figure}_lower", subject.key), lower);
                study.figure(&format!("{}_{key}_{figure}_upper", subject.key), upper);
            }
        }
        large.row(&large_row.iter().map(String::as_str).collect::<Vec<_>>());
        told.row(&told_row.iter().map(String::as_str).collect::<Vec<_>>());
    }
    told.rows.insert(0, alone);
    study.figure("most", most);
    study.table(large);
    study.table(told);
    study.text("Intervals are Clopper and Pearson's at 99.9 %.");
    Ok(())
}

fn picture(subjects: &[Subject], scale: u64, seen: Seen, title: &str, label: &str) -> Plot {
    let mut series = Vec::new();
    for subject in subjects {
        let classes = guess::by_magnitude(&subject.draws, seen, scale, 0.2, 5.0);
        series.push(Series::new("", Shape::Band(classes.iter().map(|&(x, [low, _, high])| (x, low, high)).collect())));
        series.push(Series::new(subject.name, Shape::Line(classes.iter().map(|&(x, [_, median, _])| (x, median)).collect())));
    }
    Plot { title: title.into(), x: Axis::linear("|noise|/scale"), y: Axis::linear(label), series, marks: Vec::new() }
}

/// The auditor, on the number together with the bits that it took.
fn audits(study: &mut Study, subjects: &[Subject], setting: &Setting, scale: u64) -> Result<(), CaseError> {
    let mut table = Table::new(
        &format!("The statistical auditor on the claim ε = 1, given the released number and the random bits that it took, at a confidence of {CONFIDENCE}"),
        &["sampler", "samples a side", "verdict", "δ at least", "ε at least"],
    );
    let samples = if setting.quick { 20_000 } else { 100_000 };
    for subject in subjects {
        let report = audit(&subject.sampler, scale, samples, random::seed(setting.seed, subject.key, 1))?;
        let verdict = if report.verdict == Verdict::Violation { "violation" } else { "no violation" };
        table.row(&[
            subject.name,
            &samples.to_string(),
            verdict,
            &format!("{:.4}", report.delta_lower),
            &format!("{:.3}", report.epsilon_lower),
        ]);
        study.figure(&format!("audit_{}_violation", subject.key), f64::from(u8::from(report.verdict == Verdict::Violation)));
        study.figure(&format!("audit_{}_epsilon_lower", subject.key), report.epsilon_lower);
    }
    study.table(table);
    Ok(())
}

fn audit(sampler: &Sampler, scale: u64, samples: u64, seed: [u8; 32]) -> Result<Report, CaseError> {
    let scale = i64::try_from(scale)?;
    let target = |side: Side, bits: &mut BitStream<ChaCha20Rng>| -> Result<Output, BitsError> {
        let mut meter = Meter::new(bits);
        let released = sampler.draw(&mut meter)?.saturating_add(side.pick(0, scale));
        Ok(Output::parse(&format!("{released},{}", meter.used())))
    };
    let (a, b) = tallies(&target, samples, seed)?;
    let claim = Claim::new(Rational::from_integer(1.into()), Rational::default())?;
    Ok(Audit::new(claim, CONFIDENCE)?.run(&a, &b)?)
}
