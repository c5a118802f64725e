//! One training run, audited: canaries in an LSTM's training data, planted bugs, and correct DP-SGD (000 §5).

mod arms;
mod audit;
mod records;
mod report;
mod score;
mod verdict;

use std::sync::atomic::{AtomicU64, Ordering};

use certus::exact::{Probability, Rational};

use self::{
    audit::{Audited, Setup},
    records::Records,
    score::Scores,
};
use crate::{
    Case, CaseError, Parameter, Setting, Study, Watch,
    exact::float,
    pin::{
        attack::{rank, ranking},
        corpus::{PIN, Vocabulary},
        each_on_one_thread,
        model::{Reader, Sizes, losses},
        train::Training,
    },
    random,
};

/// The case.
pub static CASE: Case = Case {
    name: "canaries",
    title: "One training run, audited",
    source: "000 §5",
    about: "canaries in the data of one training find missing noise and planted bugs, and let correct DP-SGD pass",
    parameters: &[
        whole("directions", "how many canaries have a direction of their own", 10_000.0, 4000.0, 200.0, 100_000.0),
        whole("pins", "how many canaries are sentences with a PIN", 100.0, 100.0, 20.0, 1000.0),
        whole("words", "how many words the corpus has", 985.0, 985.0, 100.0, 20_000.0),
        whole("steps", "how many steps the training has", 1000.0, 250.0, 20.0, 10_000.0),
        whole("hidden", "how many numbers the model remembers", 48.0, 32.0, 1.0, 512.0),
        Parameter {
            name: "rate",
            about: "the probability that a record is in a step",
            default: 0.1,
            quick: 0.1,
            least: 0.01,
            most: 0.5,
            whole: false,
        },
    ],
    run,
};

const fn whole(name: &'static str, about: &'static str, default: f64, quick: f64, least: f64, most: f64) -> Parameter {
    Parameter { name, about, default, quick, least, most, whole: true }
}

/// How far a step of Adam goes, as in the case `pin`.
const LEARNING_RATE: f64 = 0.03;
/// δ is 10 to the power of minus this. The bound for (ε, δ) pays 2·m·δ for m canaries, which has to be well
/// below 1 − confidence.
const DELTA_DIGITS: u32 = 7;
/// The confidence of each verdict on a claim, by the history or by the model: one run tells less than many.
const CONFIDENCE: f64 = 0.99;

/// All that there is to report.
struct Experiment {
    records: Records,
    sizes: Sizes,
    rate: Probability,
    steps: u64,
    delta: Probability,
    audited: Vec<Audited>,
}

/// A training's canaries with their scores, before any audit.
struct Scored {
    directions: Vec<f64>,
    sentences: Vec<f64>,
    rank: usize,
}

fn run(setting: &Setting, watch: &dyn Watch) -> Result<Study, CaseError> {
    let bits = |name: &str| random::bits(setting.seed, name, 0);
    let vocabulary = Vocabulary::new();
    let counts = [setting.count("pins"), setting.count("directions")];
    let records = Records::draw(setting.count("words"), counts, &mut bits("corpus"), &mut bits("coins"))?;
    let encode = |sentence: &String| vocabulary.encode(sentence);
    let sentences: Vec<Vec<u32>> = records.sentences().map(encode).collect();
    let held_out: Vec<Vec<u32>> = records.corpus.held_out.iter().map(encode).collect();
    let hidden = usize::try_from(setting.count("hidden"))?;
    let sizes = Sizes { vocabulary: vocabulary.len(), embedding: 16, hidden };
    let (rate, steps) = (Probability::new(setting.exact("rate"))?, setting.count("steps"));
    let training = Training {
        sizes,
        sentences: &sentences,
        directions: records.directions,
        held_out: &held_out,
        rate: rate.clone(),
        steps,
        learning_rate: LEARNING_RATE,
        seed: setting.seed,
    };
    let delta = Probability::new(Rational::new(1.into(), 10_u64.pow(DELTA_DIGITS).into()))?;
    let arms = arms::all(&rate, setting.quick)?;
    let (done, all) = (AtomicU64::new(0), steps.saturating_mul(arms.len() as u64));
    let scored = each_on_one_thread(&arms, |arm| -> Result<Scored, CaseError> {
        let mut scores = Scores::new(float(arm.told_rate.get()), sizes.weights(), records.directions);
        let trained = training.run(&arm.guard, &|place| records.is_absent(place), &mut |sum| {
            scores.see(sum);
            watch.step("training", done.fetch_add(1, Ordering::Relaxed) + 1, all);
        })?;
        let canaries: Vec<&[u32]> = sentences.iter().skip(records.corpus.sentences.len()).map(Vec::as_slice).collect();
        let mut of_sentences = Vec::with_capacity(canaries.len());
        for some in canaries.chunks(32) {
            // What the model was trained on surprises it less.
            of_sentences.extend(losses(&sizes, &trained.weights, some, false)?.losses.iter().map(|loss| -loss));
        }
        let guesses = ranking(&Reader::new(&sizes, &trained.weights)?, &vocabulary)?;
        Ok(Scored { directions: scores.ratios, sentences: of_sentences, rank: rank(&guesses, PIN) })
    })?;
    let coordinates = sizes.weights() + records.directions;
    let (of_sentences, of_directions) = records.coins();
    let setup = Setup {
        seed: setting.seed,
        steps,
        rate: &rate,
        coordinates,
        delta: &delta,
        coins_of_sentences: of_sentences,
        coins_of_directions: of_directions,
    };
    let audited = audit::all(arms, scored, &setup, watch)?;
    Ok(report::study(&Experiment { records, sizes, rate, steps, delta, audited }))
}
