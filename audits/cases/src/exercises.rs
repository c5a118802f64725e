//! The exercises of a section on the foundations (002): the smallest δ of three mechanisms, and two sentences about δ that do not hold.

use certus::bits::{BitStream, Bits as _, BitsError};
use certus::exact::{Enclosure, Positive, Probability, Rational};
use certus::guarantee::{Domination, FinitePair, Pair};
use certus::sample::{Laplace, Program};
use certus_audit::outputs::Output;
use certus_audit::{Report, Sampled, Side, Verdict};
use rand_chacha::ChaCha20Rng;

use crate::exact::{float, middle, show};
use crate::privacy::{self, rational};
use crate::{Axis, Case, CaseError, Mark, Parameter, Plot, Series, Setting, Shape, Study, Table, Watch, random};

/// The case.
pub static CASE: Case = Case {
    name: "exercises",
    title: "The smallest δ, exactly and by audit",
    source: "002 §2, §3, §6",
    about: "uniform noise, integer noise on reals, rounded sums: what δ each really has",
    parameters: &[Parameter {
        name: "samples",
        about: "outputs a side in an audit",
        default: 1_000_000.0,
        quick: 100_000.0,
        least: 10_000.0,
        most: 1e8,
        whole: true,
    }],
    run,
};

type Random = BitStream<ChaCha20Rng>;

/// The plan of finitely many outcomes with these probabilities on the two inputs.
fn listed(outcomes: &[(&str, &str)]) -> Result<certus::account::Plan, CaseError> {
    let probability = |text: &str| -> Result<Probability, CaseError> { Ok(Probability::new(rational(text)?)?) };
    let outcomes =
        outcomes.iter().map(|(p, q)| Ok((probability(p)?, probability(q)?))).collect::<Result<_, CaseError>>()?;
    let pair = Pair::Finite(FinitePair::from_probabilities(outcomes)?);
    Ok(certus::account::Plan::of(&Domination::by(pair), 1))
}

/// How often an attacker who sees one output and knows both distributions is right, at best: (1 + δ(0))/2.
fn guess(total_variation: &Enclosure) -> f64 {
    f64::midpoint(1.0, middle(total_variation))
}

struct Exercises<'a> {
    setting: &'a Setting,
    watch: &'a dyn Watch,
    study: Study,
    audits: u64,
}

fn run(setting: &Setting, watch: &dyn Watch) -> Result<Study, CaseError> {
    let mut exercises = Exercises { setting, watch, study: Study::new(), audits: 0 };
    exercises.opening()?;
    exercises.uniform()?;
    exercises.integers()?;
    exercises.rounded()?;
    exercises.losses()?;
    exercises.points()?;
    Ok(exercises.study)
}

impl Exercises<'_> {
    fn audit(&mut self, target: &dyn Sampled, epsilon: &Rational) -> Result<Report, CaseError> {
        self.watch.step("audits", self.audits, AUDITS);
        self.audits += 1;
        let seed = random::seed(self.setting.seed, "exercises", self.audits);
        privacy::audit(target, epsilon, &rational("0")?, self.setting.count("samples"), seed)
    }

    fn opening(&mut self) -> Result<(), CaseError> {
        let before = privacy::delta("laplace(scale=4, sensitivity=100)", &rational("0")?)?;
        let after = privacy::delta("laplace(scale=100, sensitivity=100)", &rational("0")?)?;
        self.study.figure("guess_before", guess(&before));
        self.study.figure("guess_after", guess(&after));
        self.study.text(format!(
            "The attacker sees one noisy sum and knows everybody's data but yours. Three mechanisms add noise and hide little: uniform noise gives you away \
             half of the time and then for certain; integer noise on a real sum gives you away always; the third is “pure” ε-differentially private, at ε = 25, and the best guess is right \
             {:.4} % of the time. With 25 times the noise of the third, ε is 1 and the best guess is right {:.1} % of the time: that is what noise of the right size changes.\n\n\
             The smallest δ for an ε is Σ max(P(y) − e^ε·Q(y), 0) over the outputs (002, Exercise 2.3). Here it is computed twice: exactly, by certus' accountant, and from samples alone by \
             its auditor, who knows nothing of the mechanism; his bounds hold with confidence {}.",
            100.0 * guess(&before),
            100.0 * guess(&after),
            privacy::CONFIDENCE
        ));
        Ok(())
    }

    /// Exercise 3.1.
    fn uniform(&mut self) -> Result<(), CaseError> {
        // The densities are constant on three pieces, [-1, 0), [0, 1] and (1, 2]: which piece it is says all that an output says.
        let plan = listed(&[("1/2", "0"), ("1/2", "1/2"), ("0", "1/2")])?;
        let target = |side: Side, bits: &mut Random| -> Result<Output, BitsError> {
            Ok(Output::from(side.pick(0.0, 1.0) + 2.0 * random::uniform(bits)? - 1.0))
        };
        let mut table = Table::new(
            "3.1, s + Uniform[−1, 1] on s = 0 and s = 1",
            &["ε", "smallest δ, exact", "audit: δ is at least", "audit: estimate"],
        );
        let mut least = 1.0_f64;
        let mut is_half = true;
        for epsilon in ["0", "1", "3", "5"] {
            let epsilon = rational(epsilon)?;
            let exact = privacy::delta_of(&plan, &epsilon)?;
            let report = self.audit(&target, &epsilon)?;
            least = least.min(report.delta_lower);
            is_half &= exact.contains(&rational("1/2")?) && middle(&exact) == 0.5 && report.delta_lower <= 0.5;
            let cells =
                [show(&exact, 6), format!("{:.4}", report.delta_lower), format!("{:.4}", report.delta_estimate)];
            table.row(&[&epsilon.to_string(), &cells[0], &cells[1], &cells[2]]);
        }
        self.study.table(table);
        self.study.figure("uniform_delta", 0.5);
        self.study.figure("uniform_audited", least);
        self.study.finding(
            "002 Exercise 3.1: s + Uniform[−1, 1] is private for no ε with δ = 0, and the smallest δ is ½",
            format!("½ exactly, for every ε; audits find at least {least:.4}. On [−w, w] it is 1/2w: wider noise makes it smaller, and never 0."),
            is_half,
        );
        Ok(())
    }

    /// Exercise 3.2.
    fn integers(&mut self) -> Result<(), CaseError> {
        // n = 10: Geo(1/2). The supports have nothing in common.
        let plan = listed(&[("1", "0"), ("0", "1")])?;
        let noise = Laplace::new(&Positive::new(rational("1/2")?)?);
        let on = |distance: f64| {
            let noise = noise.clone();
            move |side: Side, bits: &mut Random| -> Result<Output, BitsError> {
                let noise = noise.sample(bits)?.to_i64().unwrap_or(0);
                Ok(Output::from(side.pick(0.0, distance) + noise as f64))
            }
        };
        let (half, one) = (on(0.5), on(1.0));
        let mut table = Table::new(
            "3.2, s + Geo(5/n) for n = 10, on s = 0 and s = ½; and, where every record is an integer, on s = 0 and s = 1",
            &["ε", "δ at ½, exact", "audit: at least", "δ at 1, exact", "audit: at least"],
        );
        let mut least = 1.0_f64;
        let mut is_one = true;
        for epsilon in ["0", "1", "2", "3"] {
            let epsilon = rational(epsilon)?;
            let exact = privacy::delta_of(&plan, &epsilon)?;
            let whole = privacy::delta("laplace(scale=1/2)", &epsilon)?;
            let (at_half, at_one) = (self.audit(&half, &epsilon)?, self.audit(&one, &epsilon)?);
            least = least.min(at_half.delta_lower);
            is_one &= float(&exact.lower()) == 1.0 && at_one.delta_lower <= float(&whole.upper());
            let cells = [
                show(&exact, 6),
                format!("{:.4}", at_half.delta_lower),
                show(&whole, 6),
                format!("{:.4}", at_one.delta_lower),
            ];
            table.row(&[&epsilon.to_string(), &cells[0], &cells[1], &cells[2], &cells[3]]);
        }
        self.study.table(table);
        self.study.figure("integers_delta", 1.0);
        self.study.figure("integers_audited", least);
        self.study.finding(
            "002 Exercise 3.2: integer noise on a real sum has δ = 1: it blatantly violates privacy",
            format!(
                "1 exactly, for every ε: the fraction of the sum is told as it is; audits find at least {least:.4}. Were all records integers, the same noise would be \
                 ε-private for ε = n/5, and the last columns are its profile."
            ),
            is_one,
        );
        Ok(())
    }

    /// Exercise 3.3.
    fn rounded(&mut self) -> Result<(), CaseError> {
        const SPEC: &str = "laplace(scale=4, sensitivity=100)";
        let pure = privacy::epsilon(SPEC, &rational("0")?)?;
        let noise = Laplace::new(&Positive::new(rational("4")?)?);
        let target = move |side: Side, bits: &mut Random| -> Result<Output, BitsError> {
            Ok(Output::from(side.pick(1200, 1300) + noise.sample(bits)?.to_i64().unwrap_or(0)))
        };
        let mut table = Table::new(
            "3.3, (⌈100s⌉ + Geo(4))/100 on s = 12 and s = 13: the whole profile",
            &["ε", "smallest δ, exact", "audit: δ is at least"],
        );
        let (mut profile, mut audited) = (vec![], vec![]);
        let mut refuted = 0.0_f64;
        for quarter in 0..=100 {
            let epsilon = Rational::new(quarter.into(), 4.into());
            let exact = privacy::delta(SPEC, &epsilon)?;
            profile.push((float(&epsilon), middle(&exact)));
            if ![0, 10, 20, 30, 40, 60, 80, 90, 96, 99, 100].contains(&quarter) {
                continue;
            }
            let lower = if quarter <= 30 {
                let report = self.audit(&target, &epsilon)?;
                refuted = refuted.max(report.epsilon_lower);
                audited.push((float(&epsilon), report.delta_lower));
                format!("{:.4}", report.delta_lower)
            } else {
                "out of reach".into()
            };
            table.row(&[&float(&epsilon).to_string(), &show(&exact, 6), &lower]);
        }
        self.study.table(table);
        self.study.plot(Plot {
            title: "(⌈100s⌉ + Geo(4))/100: δ(ε) below 25".into(),
            x: Axis::linear("ε").from(0.0, 25.5),
            y: Axis::linear("smallest δ").from(0.0, 1.02),
            series: vec![
                Series::new("exact, by the accountant", Shape::Line(profile)),
                Series::new("at least this, by the auditor", Shape::Points(audited)),
            ],
            marks: vec![Mark::Upright(25.0, "ε = 25: from here on δ is 0".into())],
        });
        self.study.text(format!(
            "The profile tells what “pure at 25” hides: at ε = 20 δ is still above 0.9. From samples alone, every ε below {refuted:.2} is refuted at δ = 0, and no number of samples that \
             one could draw reaches 25: to see a ratio of e^25 takes some e^25 samples."
        ));
        let at = |epsilon: &str| privacy::delta(SPEC, &rational(epsilon)?);
        self.study.figure("rounded_epsilon", middle(&pure));
        self.study.figure("rounded_delta_20", middle(&at("20")?));
        self.study.figure("rounded_delta_25", middle(&at("25")?));
        self.study.figure("rounded_refuted", refuted);
        self.study.finding(
            "002 Exercise 3.3: (⌈100s⌉ + Geo(4))/100 is ε-differentially private for ε ≥ 25",
            format!(
                "ε = {} exactly, and no less: s moves by 1, ⌈100s⌉ by exactly 100 then, and 100/4 = 25. δ(24.75) is {}.",
                show(&pure, 6),
                show(&at("24.75")?, 4)
            ),
            pure.contains(&rational("25")?),
        );
        Ok(())
    }

    /// §2: the loss is not within ε with probability 1 − δ.
    fn losses(&mut self) -> Result<(), CaseError> {
        let mut table = Table::new(
            "Randomized response with γ = ¼, below its ε of ln 3 = 1.0986",
            &["ε", "smallest δ, exact", "P(privacy loss > ε)"],
        );
        let mut at_one = 0.0;
        for epsilon in ["0.5", "1", "1.05", "1.09"] {
            let epsilon = rational(epsilon)?;
            let delta = privacy::delta("randomized_response(gamma=1/4)", &epsilon)?;
            if epsilon == rational("1")? {
                at_one = middle(&delta);
            }
            // The loss is ln 3 when the truth is told, −ln 3 when not.
            table.row(&[&float(&epsilon).to_string(), &show(&delta, 6), "0.75"]);
        }
        self.study.table(table);
        self.study.figure("loss_delta", at_one);
        self.study.figure("loss_exceeds", 0.75);
        self.study.differs(
            "002 §2: (ε, δ)-differential privacy guarantees that the privacy loss is at most ε with probability at least 1 − δ",
            format!(
                "It does not: randomized response with γ = ¼ is (1, {at_one:.4})-private, and its loss is ln 3 > 1 with probability ¾. The converse holds: if the loss exceeds ε with probability at \
                 most δ, the mechanism is (ε, δ)-private. δ weighs each output by how far the loss exceeds ε: δ = E[(1 − e^(ε − loss))₊]."
            ),
        );
        self.study.agrees(
            "002 Exercise 2.3: the minimum δ is max over neighbours of Σ max(Pr[M(x) = y] − e^ε·Pr[M(x′) = y], 0)",
            format!("This is what the accountant encloses. For the response at ε = 1: ¾ − e/4 = {:.6}, and certus says {at_one:.6}.", 0.75 - std::f64::consts::E / 4.0),
        );
        Ok(())
    }

    /// §6: an inequality for every output is none for every set.
    fn points(&mut self) -> Result<(), CaseError> {
        const TAGS: i64 = 1000;
        // On x the output is a tag below 1000, on x′ one from 1000: each output has probability 1/1000 on one side and 0 on the other.
        let outcomes = (0..2 * TAGS).map(|tag| {
            let share = |is_here: bool| Rational::new(i64::from(is_here).into(), TAGS.into());
            Ok((Probability::new(share(tag < TAGS))?, Probability::new(share(tag >= TAGS))?))
        });
        let pair = FinitePair::from_probabilities(outcomes.collect::<Result<_, CaseError>>()?)?;
        let plan = certus::account::Plan::of(&Domination::by(Pair::Finite(pair)), 1);
        let exact = privacy::delta_of(&plan, &rational("0")?)?;
        let target = |side: Side, bits: &mut Random| -> Result<Output, BitsError> {
            // Near enough to uniform: 2^40 is no multiple of 1000, and nothing here rests on it.
            let tag = i64::try_from(bits.take(40)? % TAGS.unsigned_abs()).unwrap_or(0);
            Ok(Output::from(tag + side.pick(0, TAGS)))
        };
        let report = self.audit(&target, &rational("0")?)?;
        self.study.text(
            "002's δ for a set: §6 proves that a membership attack has p_tp ≤ e^ε·p_fp + δ from “for all outputs a, Pr[M(x) = a] ≤ e^ε·Pr[M(x′) = a] + δ, therefore, by \
             post-processing, …”. That inequality is about single outputs, and does not give the one about the attacker, whose IN is a set of outputs: over it, δ is added once for every output. \
             Here is a mechanism that shows it: it releases a tag drawn from a thousand, and draws from another thousand if you are in.",
        );
        let mut table = Table::new("A tag of 1,000 for x, of another 1,000 for x′, at ε = 0", &["", "δ"]);
        table.row(&["for every single output (002 §6)", "0.001"]);
        table.row(&["for every set, exact", &show(&exact, 6)]);
        table.row(&["for every set, audit: at least", &format!("{:.4}", report.delta_lower)]);
        self.study.table(table);
        self.study.figure("pointwise_delta", 0.001);
        self.study.figure("set_delta", middle(&exact));
        self.study.figure("set_audited", report.delta_lower);
        self.study.differs(
            "002 §6, Exercise 6.1, solution: since Pr[M(x) = a] ≤ e^ε·Pr[M(x′) = a] + δ for all outputs a, by post-processing p_tp ≤ e^ε·p_fp + δ",
            format!(
                "The step fails: with the tags the first holds at ε = 0, δ = 0.001, and the attacker has p_tp = 1 at p_fp = 0; δ for sets is {}. The claim itself is right, by Definition 2.1 for \
                 the set T = {{a : A(y, a, p) = IN}}, which needs no post-processing. For δ = 0 and discrete outputs both versions agree, by adding up.",
                show(&exact, 3)
            ),
        );
        let decoy = self.audit(&privacy::own("laplace(scale=100, sensitivity=100)")?, &rational("1")?)?;
        self.study.text(format!(
            "The defence, audited the same way: (⌈100s⌉ + Geo(100))/100, claimed to be 1-private, is found {}: no event refutes it.",
            format!("{:?}", decoy.verdict).to_lowercase()
        ));
        self.study.figure("defence_audited", decoy.delta_lower);
        self.study.figure("defence_consistent", f64::from(decoy.verdict == Verdict::Consistent));
        Ok(())
    }
}

/// How many audits there are in all.
const AUDITS: u64 = 20;
