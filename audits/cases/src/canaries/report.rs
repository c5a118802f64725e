//! What is told of it.

use certus_audit::canaries::{Tested, rates::roc};

use super::{Audited, CONFIDENCE, Experiment, arms::CLAIMED};
use crate::{
    Axis, Mark, Plot, Series, Shape, Study, Table,
    exact::float,
    pin::{corpus::SECRET, train::STEEPNESS},
};

/// The text, the tables, the pictures and the findings.
pub(super) fn study(seen: &Experiment) -> Study {
    let mut study = Study::new();
    introduction(&mut study, seen);
    study.table(table(seen));
    reading(&mut study);
    study.plot(by_noise(seen));
    study.plot(told_apart(seen));
    limits(&mut study, seen);
    findings(&mut study, seen);
    figures(&mut study, seen);
    study
}

fn introduction(study: &mut Study, seen: &Experiment) {
    study.text(format!(
        "What the auditor does: before a training he adds canaries to its data, and a fair coin decides of each whether it is trained on. Afterwards he guesses the coins. \
         If the training is (ε, δ)-private, few of his guesses can be right, and theorems say how few; so one training is enough. Here it is the LSTM of the case `pin`, with \
         its sentence \"{SECRET}\", trained {} times by the same code: without privacy, with bugs that were planted in it or in its account, and correctly. Each training is audited once, by \
         itself, at confidence {CONFIDENCE} and δ = {}.\n\n\
         What he sees, and scores. {} canaries are sentences such as \"{}\", and their score is how little they surprise the trained model: all that \
         an outsider could do. {} canaries are records with a direction of their own: the gradient of each is {STEEPNESS} along one weight that no sentence reads, so that it is clipped \
         to norm 1 as any steep gradient is. Their scores come from the training's history: the sum of each step, as it is released to the optimiser. A score is the logarithm of a likelihood ratio, \
         summed over {} steps: that a record in a sample with probability {} made these numbers, against noise alone. That is a strong attacker, and the one whom the account is about. \
         The code that is audited is the case `pin`'s own, from the samples to the noise.\n\n\
         What is claimed. The accountant is told a noise multiplier and a rate, and says ε. In correct trainings it is told the truth.",
        seen.audited.len(),
        seen.delta,
        seen.records.pins.len(),
        seen.records.pins.first().map_or("", String::as_str),
        seen.records.directions,
        seen.steps,
        seen.rate,
    ));
}

/// An ε that is claimed, rounded up; infinite where there is none.
fn shown(epsilon: f64) -> String {
    if epsilon.is_finite() { format!("{:.2}", (epsilon * 100.0).ceil() / 100.0) } else { "∞".into() }
}

/// At least what ε has to be, rounded down.
pub(super) fn found(tested: &Tested) -> f64 {
    tested.epsilon_lower.unwrap_or(0.0)
}

fn shown_found(tested: &Tested) -> String {
    format!("{:.2}", (found(tested) * 100.0).floor() / 100.0)
}

impl Audited {
    /// Of the claim, by the history.
    fn is_refuted(&self) -> bool {
        self.by_directions.claim.is_refuted
    }
}

fn table(seen: &Experiment) -> Table {
    let mut table = Table::new(
        &format!("Each training, audited in one run: ε at δ = {}, and at least how large it has to be", seen.delta),
        &[
            "training",
            "ε claimed",
            "ε true",
            "ε found",
            "claim",
            "along its plan",
            "plan",
            "by the model alone",
            "claim",
            "rank of 3456",
        ],
    );
    let verdict = |is_refuted: bool| if is_refuted { "refuted" } else { "not refuted" };
    for one in &seen.audited {
        table.row(&[
            &one.arm.name,
            &shown(one.claimed),
            &shown(one.truth),
            &shown_found(&one.by_directions.claim),
            verdict(one.is_refuted()),
            &one.along.as_ref().map_or_else(String::new, shown_found),
            if one.is_another_plan { "another" } else { "no alarm" },
            &shown_found(&one.by_sentences.claim),
            verdict(one.by_sentences.claim.is_refuted),
            &one.rank.to_string(),
        ]);
    }
    table
}

fn reading(study: &mut Study) {
    study.text(format!(
        "\"Found\" is what the guesses refute: any smaller ε is false, of (ε, δ) whatever the mechanism. \"Plan\" is a narrower question, with an α of its own: was this training the plan that its accountant was told? \
         Its conditions hold of directions: each has a coordinate of its own, the noise of coordinates is independent, and no sentence reads them. \"Along its plan\" is the ε of the same plan with as much noise as the guesses \
         allow: much more of ε is seen where it is known how the noise was made.\n\n\
         Clipping forgotten: a direction moves the sum by {STEEPNESS}, so that the noise is as good as {STEEPNESS} times less. Noise once an epoch: the sums between are exact, and no ε \
         holds. Rate understated: the samples are ten times those that were accounted for. Told {CLAIMED} for 1: more noise was accounted for than was drawn.",
    ));
}

fn by_noise(seen: &Experiment) -> Plot {
    let points = |value: &dyn Fn(&Audited) -> f64| -> Vec<(f64, f64)> {
        let correct = seen.audited.iter().filter(|one| one.arm.is_correct);
        correct.map(|one| (float(one.arm.told.get()), value(one))).filter(|(_, y)| y.is_finite()).collect()
    };
    Plot {
        title: "ε accounted for, and ε that one run shows".into(),
        x: Axis::log("noise multiplier of correct DP-SGD"),
        y: Axis::log("ε"),
        series: vec![
            Series::new("accounted for", Shape::Line(points(&|one| one.claimed))),
            Series::new(
                "found by the history, along the plan",
                Shape::Points(points(&|one| one.along.as_ref().map_or(f64::NAN, found))),
            ),
            Series::new(
                "found by the history, of (ε, δ)",
                Shape::Points(points(&|one| found(&one.by_directions.claim))),
            ),
            Series::new(
                "found by the model alone, of (ε, δ)",
                Shape::Points(points(&|one| found(&one.by_sentences.claim))),
            ),
        ],
        marks: vec![Mark::Level(most(seen), "with every guess right".into())],
    }
}

/// What is found where every guess is right.
fn most(seen: &Experiment) -> f64 {
    seen.audited.first().map_or(f64::NAN, |one| found(&one.by_directions.claim))
}

/// At most so many points of a curve.
const POINTS: usize = 200;

fn told_apart(seen: &Experiment) -> Plot {
    let claimed = seen.audited.iter().rev().find(|one| one.arm.is_correct);
    let line = |one: &Audited| {
        let count_in = one.canaries.count_in().max(1) as f64;
        let count_out = (one.canaries.len() - one.canaries.count_in()).max(1) as f64;
        let point = |point: certus_audit::canaries::rates::RocPoint| {
            (point.false_positives as f64 / count_out, point.true_positives as f64 / count_in)
        };
        let points = roc(&one.canaries, POINTS).into_iter().map(point).collect();
        Series::new(&one.arm.name, Shape::Line(points))
    };
    let mut series: Vec<Series> = seen.audited.iter().skip(2).filter(|one| !one.arm.is_correct).map(line).collect();
    if let Some(correct) = claimed {
        series.push(line(correct));
        let bound = (0..=60).map(|place| {
            let rate = 10_f64.powf(-3.0 + f64::from(place) / 20.0);
            (rate, (correct.claimed.exp() * rate + float(seen.delta.get())).min(1.0))
        });
        series.push(Series::new(
            &format!("the most that ε = {} allows", shown(correct.claimed)),
            Shape::Dashed(bound.collect()),
        ));
    }
    Plot {
        title: "Canaries that are found, for others taken for them".into(),
        x: Axis::log("false positives").from(1e-3, 1.0),
        y: Axis::log("true positives").from(1e-3, 1.0),
        series,
        marks: vec![],
    }
}

fn limits(study: &mut Study, seen: &Experiment) {
    let missed = seen.audited.iter().filter(|one| !one.arm.is_correct && !one.is_refuted());
    let missed: Vec<String> = missed
        .map(|one| {
            let plan = if one.is_another_plan { "told from its plan" } else { "not told from its plan either" };
            format!("\"{}\" (ε = {} where {} is claimed; {plan})", one.arm.name, shown(one.truth), shown(one.claimed))
        })
        .collect();
    let missed = if missed.is_empty() { "no bug here".to_owned() } else { missed.join(", ") };
    let unseen = seen.audited.iter().filter(|one| !one.arm.is_correct && !one.by_sentences.claim.is_refuted);
    let unseen: Vec<String> = unseen.map(|one| format!("\"{}\"", one.arm.name)).collect();
    study.text(format!(
        "What one run cannot refute. Of the bugs above: {missed}. With every guess right, {} canaries show ε ≥ {:.2} and no more: where the picture's points leave its line on the left, it is the number of \
         canaries that ends. On the right, guesses are little better than coins, and theorems that hold for every mechanism have to allow for worse ones: they find a fraction of ε. The model alone, by {} sentences, does not refute {}: \
         whoever has but the model sees less than the account allows for, and an audit through it finds only what is badly wrong. No alarm is not evidence of privacy.",
        seen.records.directions,
        most(seen),
        seen.records.pins.len(),
        if unseen.is_empty() { "nothing".to_owned() } else { unseen.join(", ") },
    ));
}

fn findings(study: &mut Study, seen: &Experiment) {
    let correct = || seen.audited.iter().filter(|one| one.arm.is_correct);
    let (Some(plain), Some(document)) = (seen.audited.first(), correct().next()) else { return };
    study.finding(
        "000 Table 1: without privacy 3456 has rank 1",
        format!(
            "rank {} among {} sentences of its kind, about half of which are trained on; {} sentences alone refute every ε below {}",
            plain.rank, seen.records.pins.len(), seen.records.pins.len(), shown_found(&plain.by_sentences.claim)
        ),
        plain.rank == 1,
    );
    study.differs(
        "000 §5: noise multiplier 0.3 gives \"differential privacy\"",
        format!(
            "One run of it shows ε ≥ {} at δ = {}, of the {} that are accounted for: an attacker who sees the training's history is right about nearly everybody. From the model alone, \
             {} canaries show ε ≥ {}: what a model says of a PIN is no measure of what training tells.",
            shown_found(&document.by_directions.claim), seen.delta, shown(document.claimed), seen.records.pins.len(), shown_found(&document.by_sentences.claim)
        ),
    );
    study.finding(
        "000 Table 2: with noise multiplier 0.3 and clipping to 1.0, 3456 has rank 3050",
        format!(
            "rank {} here, another training of another corpus, and the same training is the one above",
            document.rank
        ),
        document.rank > 100,
    );
}

fn figures(study: &mut Study, seen: &Experiment) {
    study.figure("directions", seen.records.directions as f64);
    study.figure("sentences that are canaries", seen.records.pins.len() as f64);
    study.figure("weights", seen.sizes.weights() as f64);
    study.figure("delta", float(seen.delta.get()));
    study.figure("epsilon with every guess right", most(seen));
    for one in &seen.audited {
        let mut figure = |what: &str, value: f64| study.figure(&format!("{what}: {}", one.arm.name), value);
        figure("epsilon claimed", one.claimed);
        if one.truth.is_finite() {
            figure("epsilon true", one.truth);
        }
        figure("epsilon found", found(&one.by_directions.claim));
        if let Some(along) = &one.along {
            figure("epsilon found along the plan", found(along));
        }
        figure("claim refuted", f64::from(u8::from(one.is_refuted())));
        figure("plan refuted", f64::from(u8::from(one.is_another_plan)));
        figure("epsilon found by the model", found(&one.by_sentences.claim));
        figure("claim refuted by the model", f64::from(u8::from(one.by_sentences.claim.is_refuted)));
        figure("rank", one.rank as f64);
    }
}
