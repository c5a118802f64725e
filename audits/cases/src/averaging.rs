//! The averaging attack (001): repeated queries reveal the value, and a budget filter stops them.

use std::sync::Arc;

use certus::exact::{Positive, Rational, Real};
use certus::guarantee::{Filter, Guarantee, Relation};
use certus::mechanism::from_spec;
use certus::sample::PreparedLaplace;

use crate::exact::{float, show};
use crate::privacy::{self, rational};
use crate::{Axis, Case, CaseError, Mark, Parameter, Plot, Series, Setting, Shape, Study, Table, Watch, random};

/// The case.
pub static CASE: Case = Case {
    name: "averaging",
    title: "Ask often enough",
    source: "001",
    about: "repeated queries reveal the value; a budget filter stops them",
    parameters: &[
        Parameter {
            name: "epsilon",
            about: "what each answer costs",
            default: 0.1,
            quick: 0.1,
            least: 0.01,
            most: 10.0,
            whole: false,
        },
        Parameter {
            name: "budget",
            about: "what all answers together may cost",
            default: 1.0,
            quick: 1.0,
            least: 0.01,
            most: 100.0,
            whole: false,
        },
        Parameter {
            name: "queries",
            about: "the most queries",
            default: 10_000.0,
            quick: 10_000.0,
            least: 100.0,
            most: 1e6,
            whole: true,
        },
        Parameter {
            name: "trials",
            about: "attacks that are simulated",
            default: 1000.0,
            quick: 200.0,
            least: 50.0,
            most: 1e5,
            whole: true,
        },
    ],
    run,
};

/// 003's count: what the attacker is after.
const TRUTH: i64 = 14_235;

/// The attacker's guess: the mean of the answers, rounded.
fn guess(answers: &[i64]) -> i64 {
    (answers.iter().sum::<i64>() as f64 / answers.len() as f64).round() as i64
}

/// A curator who adds fresh noise to every answer, as long as the filter admits it.
struct Curator {
    filter: Filter,
    cost: Guarantee,
    noise: Arc<PreparedLaplace>,
}

impl Curator {
    fn new(epsilon: &Rational, budget: &Rational, noise: &Arc<PreparedLaplace>) -> Result<Self, CaseError> {
        let pure = |epsilon: &Rational| Guarantee::pure(Relation::AddRemove, Real::from(epsilon.clone()));
        Ok(Self { filter: Filter::new(pure(budget)?), cost: pure(epsilon)?, noise: Arc::clone(noise) })
    }

    /// The answers to so many queries, and what the filter said to the first that it refused. Debited before it is drawn.
    fn answers(
        &mut self,
        queries: u64,
        bits: &mut impl certus::bits::Bits,
    ) -> Result<(Vec<i64>, Option<String>), CaseError> {
        let mut refusal = None;
        let mut admitted = 0;
        for _ in 0..queries {
            if let Err(error) = self.filter.debit(&self.cost) {
                refusal = Some(error.to_string());
                break;
            }
            admitted += 1;
        }
        let mut answers = vec![TRUTH; admitted];
        self.noise.add_noise(bits, &mut answers)?;
        Ok((answers, refusal))
    }
}

fn run(setting: &Setting, watch: &dyn Watch) -> Result<Study, CaseError> {
    let (epsilon, budget) = (setting.exact("epsilon"), setting.exact("budget"));
    let (queries, trials) = (setting.count("queries"), setting.count("trials"));
    if epsilon > budget {
        return Err(CaseError::Refused(format!(
            "--epsilon {epsilon}: must be at most the budget, {budget}: no query could be answered"
        )));
    }
    let scale = Rational::from_integer(1.into()) / &epsilon;
    let asked: Vec<u64> = [1, 3, 10, 30, 100, 300, 1000, 3000, 10_000, 100_000, 1_000_000]
        .into_iter()
        .filter(|n| *n <= queries)
        .collect();
    let sampler = Arc::new(PreparedLaplace::new(&Positive::new(scale.clone())?));
    let most = usize::try_from(asked.last().copied().unwrap_or(100))?;

    // Before: every query is answered.
    let mut hits = vec![0_u64; asked.len()];
    let mut squares = vec![0.0; asked.len()];
    let mut bits = random::bits(setting.seed, "averaging", 0);
    for trial in 0..trials {
        watch.step("attacks", trial, trials);
        let mut answers = vec![TRUTH; most];
        sampler.add_noise(&mut bits, &mut answers)?;
        for ((hits, squares), n) in hits.iter_mut().zip(&mut squares).zip(&asked) {
            let seen = answers.get(..usize::try_from(*n)?).unwrap_or(&answers);
            *hits += u64::from(guess(seen) == TRUTH);
            let mean = seen.iter().map(|answer| (answer - TRUTH) as f64).sum::<f64>() / seen.len() as f64;
            *squares += mean * mean;
        }
    }
    let found: Vec<f64> = hits.iter().map(|hits| *hits as f64 / trials as f64).collect();
    let before = found.last().copied().unwrap_or(f64::NAN);

    // After: the same attack on a curator with a budget.
    let mut stopped_hits = 0_u64;
    let mut admitted = 0;
    let mut refusal = None;
    let mut stopped_square = 0.0;
    for trial in 0..trials {
        let mut curator = Curator::new(&epsilon, &budget, &sampler)?;
        let (answers, refused) = curator.answers(queries, &mut random::bits(setting.seed, "filtered", trial))?;
        admitted = answers.len();
        stopped_hits += u64::from(guess(&answers) == TRUTH);
        refusal = refused;
        let mean = answers.iter().map(|answer| (answer - TRUTH) as f64).sum::<f64>() / answers.len() as f64;
        stopped_square += mean * mean;
    }
    let after = stopped_hits as f64 / trials as f64;
    // The same attack on a curator who answers a repeated question with the answer that he gave: the noise is drawn once.
    let once = privacy::laplace(&scale, usize::try_from(trials)?, &mut random::bits(setting.seed, "cached", 0))?;
    let cached = once.iter().filter(|noise| **noise == 0).count() as f64 / trials as f64;

    let mut study = Study::new();
    study.text(format!(
        "The attacker asks one question, a count, over and over. Every answer has fresh noise for ε = {} on it, and is off by about {:.0}; but noise averages out, and after {most} answers the rounded mean is the exact count in \
         {:.1} % of {trials} attacks. A budget stops it: certus' filter is debited before an answer is drawn, admits {admitted} queries at ε = {} for a budget of ε = {}, and refuses the next: “{}”. The same attack then finds the count \
         {:.1} % of the time.",
        float(&epsilon),
        float(&scale),
        100.0 * before,
        float(&epsilon),
        float(&budget),
        refusal.clone().unwrap_or_else(|| "nothing was refused".into()),
        100.0 * after
    ));
    let mut table = Table::new(
        &format!("A count of {TRUTH}, asked again and again at ε = {} each: {trials} attacks", float(&epsilon)),
        &["answers", "deviation of the mean", "found exactly", "ε of all, sum", "ε of all at δ = 1e-6, exact"],
    );
    for ((n, share), square) in asked.iter().zip(&found).zip(&squares) {
        let sum = float(&(&epsilon * Rational::from_integer((*n).into())));
        let exact = privacy::epsilon(&format!("laplace(scale={scale})*{n}"), &rational("1e-6")?)?;
        table.row(&[
            &n.to_string(),
            &format!("{:.3}", (square / trials as f64).sqrt()),
            &format!("{share:.3}"),
            &format!("{sum}"),
            &show(&exact, 4),
        ]);
    }
    table.row(&[&format!("{admitted}, then refused"), "", &format!("{after:.3}"), &float(&budget).to_string(), ""]);
    table.row(&[&format!("{most}, each the same"), "", &format!("{cached:.3}"), &float(&epsilon).to_string(), ""]);
    study.table(table);
    let error = |square: f64| (square / trials as f64).sqrt();
    study.plot(Plot {
        title: "How far the mean of the answers is off".into(),
        x: Axis::log("queries"),
        y: Axis::log("root of the mean square"),
        series: vec![
            Series::new(
                "every query is answered",
                Shape::Line(asked.iter().map(|n| *n as f64).zip(squares.iter().copied().map(error)).collect()),
            ),
            Series::new(
                &format!("the filter stops after {admitted}"),
                Shape::Line(vec![(admitted as f64, error(stopped_square)), (most as f64, error(stopped_square))]),
            ),
        ],
        marks: vec![Mark::Level(0.25, "¼: the rounded mean is right 95 times of 100".into())],
    });
    study.plot(Plot {
        title: "How often the count is found exactly".into(),
        x: Axis::log("answers"),
        y: Axis::linear("share of the attacks").from(0.0, 1.02),
        series: vec![Series::new(
            "every query is answered",
            Shape::Line(asked.iter().map(|n| *n as f64).zip(found.clone()).collect()),
        )],
        marks: vec![Mark::Level(after, format!("with a budget of ε = {}", float(&budget)))],
    });
    study.figure("found_before", before);
    study.figure("found_after", after);
    study.figure("found_cached", cached);
    study.figure("admitted", admitted as f64);
    study.figure("refused", f64::from(refusal.is_some()));
    study.finding(
        "001: repeated queries will reveal the underlying data",
        format!("{most} answers at ε = {}: found exactly in {:.1} % of the attacks.", float(&epsilon), 100.0 * before),
        before > 0.5,
    );
    budgets(setting, &mut study)?;
    attackers(setting, &mut study, &epsilon, &budget, &sampler)?;
    occurrences(setting, &mut study)?;
    Ok(study)
}

/// 001: a higher budget mitigates it? Queries until the deviation of the mean is ¼, when the rounded mean is right 95 times of 100.
fn budgets(setting: &Setting, study: &mut Study) -> Result<(), CaseError> {
    let mut table = Table::new(
        "How many answers the attack takes: 95 % are right once the mean's deviation is ¼ (1.96 deviations are ½)",
        &["ε of each answer", "deviation of one", "answers needed"],
    );
    let mut needed = vec![];
    for text in ["0.05", "0.1", "0.5", "1", "2"] {
        let scale = Rational::from_integer(1.into()) / rational(text)?;
        let noise = privacy::laplace(&scale, 50_000, &mut random::bits(setting.seed, "budgets", 0))?;
        let deviation = (noise.iter().map(|noise| (*noise as f64).powi(2)).sum::<f64>() / noise.len() as f64).sqrt();
        let answers = (1.96 * deviation / 0.5).powi(2).ceil();
        needed.push(answers);
        table.row(&[text, &format!("{deviation:.2}"), &format!("{answers}")]);
    }
    study.table(table);
    study.figure("needed_low", needed.first().copied().unwrap_or(f64::NAN));
    study.figure("needed_high", needed.last().copied().unwrap_or(f64::NAN));
    study.differs(
        "001: a higher privacy budget can mitigate this problem",
        format!(
            "Backwards: a higher ε is less noise, and fewer answers suffice: {} at ε = 2 where {} are needed at ε = 0.05. What mitigates it is a lower budget that is kept over all answers, or the same answer to the same \
             question.",
            study.named("needed_high"),
            study.named("needed_low")
        ),
    );
    Ok(())
}

/// 001: groups of attackers. A budget for each attacker is none; one for the data is.
fn attackers(
    setting: &Setting,
    study: &mut Study,
    epsilon: &Rational,
    budget: &Rational,
    noise: &Arc<PreparedLaplace>,
) -> Result<(), CaseError> {
    const GROUP: u64 = 1000;
    let trials = setting.count("trials").min(200);
    let (mut apart, mut together) = (0_u64, 0_u64);
    for trial in 0..trials {
        let mut bits = random::bits(setting.seed, "group", trial);
        let mut pooled = vec![];
        for _ in 0..GROUP {
            pooled.extend(Curator::new(epsilon, budget, noise)?.answers(10, &mut bits)?.0);
        }
        apart += u64::from(guess(&pooled) == TRUTH);
        let mut shared = Curator::new(epsilon, budget, noise)?;
        let mut pooled = vec![];
        for _ in 0..GROUP {
            pooled.extend(shared.answers(10, &mut bits)?.0);
        }
        together += u64::from(guess(&pooled) == TRUTH);
    }
    let (apart, together) = (apart as f64 / trials as f64, together as f64 / trials as f64);
    study.figure("group_apart", apart);
    study.figure("group_together", together);
    study.finding(
        "001: groups of attackers can “plan” these attacks",
        format!(
            "{GROUP} attackers of 10 queries each, a budget for each of them: found in {:.1} % of {trials} attacks. One budget for the data, whoever asks: {:.1} %. ε is spent by the data, not by the analyst.",
            100.0 * apart,
            100.0 * together
        ),
        apart > together,
    );
    Ok(())
}

/// 001's table of values and occurrences.
fn occurrences(setting: &Setting, study: &mut Study) -> Result<(), CaseError> {
    const SEEN: [(i64, u64); 5] = [(1, 18), (2, 23), (3, 35), (4, 28), (5, 20)];
    let total: u64 = SEEN.iter().map(|(_, count)| count).sum();
    let mean = SEEN.iter().map(|(value, count)| *value as f64 * *count as f64).sum::<f64>() / total as f64;
    // The document does not say how they were drawn. They look like P(v) ∝ e^(−0.31·|v − 3|) on 1 … 5, which expects 18.8, 25.7, 35.1, 25.7 and 18.8: the exponential mechanism at ε = 5/8.
    let mechanism = from_spec(&"exponential(epsilon=5/8, candidates=5)".parse()?)?;
    let release = mechanism.on("-2,-1,0,-1,-2")?;
    let mut bits = random::bits(setting.seed, "occurrences", 0);
    let mut drawn = [0_u64; 5];
    for _ in 0..total {
        let chosen: usize = release.draw(&mut bits)?.to_string().parse()?;
        if let Some(count) = drawn.get_mut(chosen) {
            *count += 1;
        }
    }
    let mut table = Table::new(
        &format!(
            "001's table of {total} answers to one question, and {total} of ours: the exponential mechanism on 1 … 5 around a truth of 3, ε = 5/8 (the document does not say which noise it is)"
        ),
        &["value", "001", "ours"],
    );
    for ((value, count), ours) in SEEN.iter().zip(drawn) {
        table.row(&[&value.to_string(), &count.to_string(), &ours.to_string()]);
    }
    let ours =
        SEEN.iter().zip(drawn).map(|((value, _), count)| *value as f64 * count as f64).sum::<f64>() / total as f64;
    study.table(table);
    study.figure("occurrences_mean", mean);
    study.figure("occurrences_ours", ours);
    study.agrees(
        "001: values 1 to 5 were seen 18, 23, 35, 28 and 20 times",
        format!("The commonest is 3 and the mean {mean:.2}: whoever asks {total} times knows that the truth is 3. Ours have a mean of {ours:.2}."),
    );
    Ok(())
}
