//! The timing attack: the time of a draw tells the noise, and the noise the answer.

pub mod draws;
pub mod guess;

use certus::bits::{BitStream, BitsError, Meter};
use certus::exact::{NonNegative, Positive, Rational};
use certus::sample::Laplace;
use certus::sample::fixed::{FixedLaplace, Mode};
use certus_audit::outputs::Output;
use certus_audit::{Report, Side, Verdict};
use rand_chacha::ChaCha20Rng;

use crate::exact::float;
use crate::membership::bound;
use crate::privacy::{self, CONFIDENCE};
use crate::roc::{Roc, TARGETS};
use crate::{Axis, Case, CaseError, Parameter, Plot, Series, Setting, Shape, Study, Table, Watch, random};
use draws::{Draw, Sampler, Seen};

/// The probability that an interval misses.
pub const ALPHA: f64 = 0.001;

/// The rate of false positives that the table is about.
const RATE: f64 = 0.01;

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
    source: "003 (1), the warning",
    about: "guess the noise from the time of a plain exact sampler, and fail on the fixed-work one",
    parameters: &[
        Parameter {
            name: "draws",
            about: "draws to time, of each sampler",
            default: 200_000.0,
            quick: 24_000.0,
            least: 2_000.0,
            most: 1e7,
            whole: true,
        },
        Parameter {
            name: "repeats",
            about: "replays of each draw on the same random bits",
            default: 15.0,
            quick: 15.0,
            least: 1.0,
            most: 1_000.0,
            whole: true,
        },
        Parameter {
            name: "scale",
            about: "scale of the noise, and the distance of the two answers",
            default: 1.0,
            quick: 1.0,
            least: 1.0,
            most: 1e12,
            whole: true,
        },
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
    let fixed = FixedLaplace::new(&exact_scale, Mode::Standard)?;
    let cost = float(&fixed.cost(1, &NonNegative::one()).upper());
    let mut subjects = Vec::new();
    for (name, key, sampler) in [
        ("plain (CKS20)", "plain", Sampler::Plain(Laplace::new(&exact_scale))),
        ("fixed work", "fixed", Sampler::Fixed(Box::new(fixed))),
    ] {
        let stream = random::bits(setting.seed, key, 0);
        let each = |done: u64| {
            if done.is_multiple_of(1_000) {
                watch.step(name, done, count);
            }
        };
        let draws = draws::draws(&sampler, count, u32::try_from(repeats)?, stream, each)?;
        subjects.push(Subject { name, key, sampler, draws });
    }

    let what = if scale == 1 { "A count".to_owned() } else { format!("A sum that one person moves by up to {scale}") };
    let mut study = Study::new();
    study.text(format!(
        "{what} is released with exact Laplace noise of scale {scale}: ε = 1. The attacker sees the released number, and how long the draw of the noise took. \
         The plain sampler (`reference`, after Canonne, Kamath and Steinke 2020) tosses coins until one fails, so that larger noise takes longer. From the time he gets the size of the noise, and from the number and the size \
         of its noise the answer itself: ε speaks of the number alone.\n\n\
         The fixed-work sampler (`fixed`) does the same work for every draw. (It rejects and starts over now and then, as the plain one does, which has nothing to do with what it accepts in the end; and with probability β < 2^-53 a draw takes \
         a slow path: that adds at most {cost:.1e} to δ for a draw, by its own bound.) The time then tells nothing, and he is left with what ε allows."
    ));
    study.text(format!(
        "Three things are seen of each of {count} draws: the nanoseconds of one run, which is what somebody on the same machine sees; the least of {repeats} runs on the same random bits, which takes off \
         what the machine does besides (no attacker can replay a draw, but one with a better clock, or who counts instructions, sees as much); and the number of random bits that were taken, which is the same on every machine \
         and needs no clock. The attacker learns on every other draw and is judged on the rest. Times differ from run to run; the bits do not."
    ));
    tables(&mut study, &subjects, scale)?;
    study.plot(picture(
        &subjects,
        scale,
        Seen::Least,
        "Time of a draw by the size of its noise: median and quartiles",
        "nanoseconds, least of the replays",
    ));
    study.plot(picture(
        &subjects,
        scale,
        Seen::Bits,
        "Random bits of a draw by the size of its noise: median and quartiles",
        "bits",
    ));
    audits(&mut study, &subjects, setting, scale)?;
    study.agrees(
        "003, (1) Laplace Mechanism: floating point “is just one way in which the implementation requires scrutiny, and it is not unique”.",
        format!(
            "Time is another, and exact arithmetic does not help: at a false-positive rate of 1 %, where ε = 1 allows {:.2} % of true positives, whoever sees the time of the plain exact sampler has {:.1} % \
             (least of the replays; {:.1} % from a single run).",
            100.0 * allowed(RATE)?,
            100.0 * study.named("plain_least_tpr"),
            100.0 * study.named("plain_once_tpr"),
        ),
    );
    Ok(study)
}

fn tables(study: &mut Study, subjects: &[Subject], scale: u64) -> Result<(), CaseError> {
    let mut large = Table::new(
        "How often “is |noise| at least its median?” is answered right",
        &["what is seen", "plain (CKS20)", "fixed work"],
    );
    let mut told = Table::new(
        &format!(
            "The answers 0 and {scale}, told apart: true-positive rate at a false-positive rate of about 1 %, where e^ε allows {:.2} %; and thresholds, of {}, that break e^ε",
            100.0 * allowed(RATE)?,
            TARGETS.len()
        ),
        &["what is seen besides the number", "plain (CKS20)", "breaks", "fixed work", "breaks"],
    );
    let (mut guessed, mut alone) = (vec!["nothing: the likelier answer".to_owned()], vec!["nothing".to_owned()]);
    for (seen, key, name) in SEEN {
        let (mut large_row, mut told_row) = (vec![name.to_owned()], vec![name.to_owned()]);
        for subject in subjects {
            let is_large = guess::is_large(&subject.draws, seen);
            let apart = guess::tell(&subject.draws, seen, scale);
            large_row.push(is_large.by_seen.percent(ALPHA));
            told_row.extend(told_cells(&apart.by_both));
            if seen == Seen::Bits {
                guessed.push(is_large.by_nothing.percent(ALPHA));
                alone.extend(told_cells(&apart.by_value));
                study.figure(&format!("{}_nothing_large", subject.key), is_large.by_nothing.estimate());
                study.figure(&format!("{}_nothing_breaks", subject.key), breaks(&apart.by_value) as f64);
            }
            let (lower, upper) = is_large.by_seen.interval(ALPHA);
            study.figure(&format!("{}_{key}_large", subject.key), is_large.by_seen.estimate());
            study.figure(&format!("{}_{key}_large_lower", subject.key), lower);
            study.figure(&format!("{}_{key}_large_upper", subject.key), upper);
            study.figure(&format!("{}_{key}_breaks", subject.key), breaks(&apart.by_both) as f64);
            let tpr = apart.by_both.at(RATE).map_or(0.0, |point| point.true_positives.estimate());
            study.figure(&format!("{}_{key}_tpr", subject.key), tpr);
        }
        large.row(&large_row.iter().map(String::as_str).collect::<Vec<_>>());
        told.row(&told_row.iter().map(String::as_str).collect::<Vec<_>>());
    }
    large.rows.insert(0, guessed);
    told.rows.insert(0, alone);
    study.table(large);
    study.table(told);
    study.text("Intervals are Clopper and Pearson's at 99.9 %; “breaks” are certain with the same confidence, all thresholds together. (The number alone, a whole one, has no threshold with few false positives but none.)");
    Ok(())
}

/// e^ε·f for ε = 1, by the accountant.
fn allowed(false_positives: f64) -> Result<f64, CaseError> {
    bound::allowed((&Rational::from_integer(1.into()), &Rational::default()), false_positives)
}

fn breaks(roc: &Roc) -> usize {
    roc.breaks(ALPHA, |rate| allowed(rate).unwrap_or(1.0))
}

fn told_cells(roc: &Roc) -> [String; 2] {
    [roc.at(RATE).map_or_else(String::new, |point| point.percent(ALPHA)), breaks(roc).to_string()]
}

fn picture(subjects: &[Subject], scale: u64, seen: Seen, title: &str, label: &str) -> Plot {
    let mut series = Vec::new();
    for subject in subjects {
        let classes = guess::by_magnitude(&subject.draws, seen, scale, f64::max(0.2, 1.0 / scale as f64), 6.0);
        series.push(Series::new(
            &format!("{}: from quartile to quartile", subject.name),
            Shape::Band(classes.iter().map(|&(x, [low, _, high])| (x, low, high)).collect()),
        ));
        series.push(Series::new(
            &format!("{}: median", subject.name),
            Shape::Line(classes.iter().map(|&(x, [_, median, _])| (x, median)).collect()),
        ));
    }
    Plot { title: title.into(), x: Axis::linear("|noise|/scale"), y: Axis::linear(label), series, marks: Vec::new() }
}

/// The auditor, on the number together with the bits that it took.
fn audits(study: &mut Study, subjects: &[Subject], setting: &Setting, scale: u64) -> Result<(), CaseError> {
    let mut table = Table::new(
        &format!(
            "The statistical auditor on the claim ε = 1, given the released number and the random bits that it took, at a confidence of {CONFIDENCE}"
        ),
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
        study.figure(
            &format!("audit_{}_violation", subject.key),
            f64::from(u8::from(report.verdict == Verdict::Violation)),
        );
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
    privacy::audit(&target, &Rational::from_integer(1.into()), &Rational::default(), samples, seed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;

    fn study(seed: u64) -> Study {
        (CASE.run)(&Setting::new(&CASE, true, seed, &[]).unwrap(), &Silent).unwrap()
    }

    /// By the random bits, which no machine changes: the noise is guessed and ε broken on the plain sampler, and not on the fixed-work one.
    #[test]
    fn work_tells_the_noise_and_fixed_work_does_not() {
        let study = study(1);
        assert!(study.named("plain_bits_large") > 0.8, "{:?}", study.figures);
        assert!(study.named("plain_bits_breaks") > 5.0 && study.named("plain_bits_tpr") > 0.3, "{:?}", study.figures);
        assert!(study.named("audit_plain_violation") == 1.0 && study.named("audit_plain_epsilon_lower") > 2.0);
        // The likelier answer is right with probability 2e^-1/(1 + e^-1).
        let chance = 2.0 / (1.0 + std::f64::consts::E);
        let within = study.named("fixed_bits_large_lower")..=study.named("fixed_bits_large_upper");
        assert!(within.contains(&chance) && study.named("fixed_bits_breaks") == 0.0, "{:?}", study.figures);
        assert!(study.named("audit_fixed_violation") == 0.0);
        // Without the side channel, the value alone breaks nothing on either.
        assert!(study.named("plain_nothing_breaks") == 0.0 && study.named("fixed_nothing_breaks") == 0.0);
    }

    /// By the clock. A loaded machine may spoil one run: three are tried, with wide margins. Seen on two cores under a load of ten: 71 to 87 % plain and
    /// 53 to 55 % fixed, where 54 % is chance.
    #[test]
    fn time_tells_the_noise_and_fixed_work_hides_it() {
        let chance = 2.0 / (1.0 + std::f64::consts::E);
        let mut seen = Vec::new();
        let is_as_it_should_be = (1..=3).any(|seed| {
            let study = study(seed);
            let most = |sampler: &str| {
                study.named(&format!("{sampler}_once_large")).max(study.named(&format!("{sampler}_least_large")))
            };
            seen.push((
                most("plain"),
                most("fixed"),
                study.named("plain_least_breaks"),
                study.named("fixed_least_breaks"),
            ));
            most("plain") > chance + 0.08 && most("fixed") < chance + 0.03 && study.named("fixed_least_breaks") == 0.0
        });
        assert!(is_as_it_should_be, "{seen:?}");
    }
}
