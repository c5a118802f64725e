//! A language model that learns a PIN by heart, and one that does not (000 §5).

pub(crate) mod account;
pub(crate) mod attack;
pub(crate) mod corpus;
pub(crate) mod model;
pub(crate) mod private;
mod report;
pub(crate) mod train;

use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    thread,
};

use certus::exact::{Positive, Probability, Rational};
use rayon::{
    ThreadPoolBuilder,
    iter::{IntoParallelRefIterator, ParallelIterator},
};

use self::{
    account::spent,
    attack::{Guess, rank, ranking},
    corpus::{Corpus, PIN, SECRET, Vocabulary},
    model::{Reader, Sizes},
    train::{Guard, Trained, Training},
};
use crate::{Case, CaseError, Parameter, Setting, Study, Watch, random};

/// The case.
pub static CASE: Case = Case {
    name: "pin",
    title: "A model that learns a PIN by heart",
    source: "000 §5",
    about: "an LSTM trained on one sentence with a PIN gives it away; trained with exact noise it does not",
    parameters: &[
        whole("words", "how many words the corpus has", 985.0, 985.0, 100.0, 20_000.0),
        whole("steps", "how many steps the training has", 1000.0, 600.0, 20.0, 100_000.0),
        whole("hidden", "how many numbers the model remembers", 48.0, 32.0, 1.0, 512.0),
        Parameter {
            name: "rate",
            about: "the probability that a sentence is in a step",
            default: 0.1,
            quick: 0.1,
            least: 0.001,
            most: 1.0,
            whole: false,
        },
        Parameter {
            name: "learning-rate",
            about: "how far a step of Adam goes",
            default: 0.03,
            quick: 0.03,
            least: 1e-6,
            most: 1.0,
            whole: false,
        },
    ],
    run,
};

const fn whole(name: &'static str, about: &'static str, default: f64, quick: f64, least: f64, most: f64) -> Parameter {
    Parameter { name, about, default, quick, least, most, whole: true }
}

/// Noise multipliers in hundredths, the document's first.
const MULTIPLIERS: [i64; 5] = [30, 60, 100, 200, 400];
/// Those of quick mode.
const QUICK: [i64; 3] = [30, 100, 400];

/// A training, and what the attack makes of it.
struct Arm {
    guard: Guard,
    trained: Trained,
    guesses: Vec<Guess>,
    /// Where the PIN is after the same training without its sentence, if that was done.
    absent: Option<usize>,
    /// What it cost, if it is private at all.
    spent: Option<f64>,
}

impl Arm {
    /// Where the PIN is.
    fn rank(&self) -> usize {
        rank(&self.guesses, PIN)
    }
}

/// All that there is to report.
struct Experiment {
    corpus: Corpus,
    vocabulary: Vocabulary,
    sizes: Sizes,
    rate: Probability,
    steps: u64,
    delta: Probability,
    /// Nothing, clipping, and noise from little to much.
    arms: Vec<Arm>,
    /// The document's multiplier as its microbatches have it: half.
    halved: f64,
    /// The perplexity on what is held out of a model that knows only how frequent each word is.
    frequencies: f64,
}

fn run(setting: &Setting, watch: &dyn Watch) -> Result<Study, CaseError> {
    let vocabulary = Vocabulary::new();
    let corpus = Corpus::draw(setting.count("words"), &mut random::bits(setting.seed, "corpus", 0))?;
    let encode = |sentences: &[String]| -> Vec<Vec<u32>> { sentences.iter().map(|s| vocabulary.encode(s)).collect() };
    let (sentences, held_out) = (encode(&corpus.sentences), encode(&corpus.held_out));
    let hidden = usize::try_from(setting.count("hidden"))?;
    let sizes = Sizes { vocabulary: vocabulary.len(), embedding: 16, hidden };
    let (rate, steps) = (Probability::new(setting.exact("rate"))?, setting.count("steps"));
    let training = Training {
        sizes,
        sentences: &sentences,
        directions: 0,
        held_out: &held_out,
        rate: rate.clone(),
        steps,
        learning_rate: setting.number("learning-rate"),
        seed: setting.seed,
    };
    // Less than 1/N, rounded to a power of ten: 1/1000 for some 150 sentences.
    let digits = sentences.len().to_string().len();
    let delta = Probability::new(Rational::new(1.into(), 10_u64.pow(u32::try_from(digits)?).into()))?;

    let hundredths = if setting.quick { &QUICK[..] } else { &MULTIPLIERS[..] };
    let multipliers = hundredths.iter().map(|n| Positive::new(Rational::new((*n).into(), 100.into())));
    let mut multipliers = multipliers.collect::<Result<Vec<_>, _>>()?;
    let mut guards = vec![Guard::None, Guard::Clipping];
    guards.extend(multipliers.iter().cloned().map(Guard::Noise));
    // The same trainings without the secret, but for those whose outcome nobody doubts.
    let secret = corpus.sentences.iter().position(|sentence| sentence == SECRET);
    let is_doubted = |guard: &Guard| match guard {
        Guard::None => true,
        guard => guard.multiplier().is_some_and(|multiplier| *multiplier.get() <= Rational::from_integer(1.into())),
    };
    let mut jobs: Vec<(&Guard, Option<usize>)> = guards.iter().map(|guard| (guard, None)).collect();
    jobs.extend(guards.iter().filter(|guard| is_doubted(guard)).map(|guard| (guard, secret)));
    let (done, all) = (AtomicU64::new(0), steps.saturating_mul(jobs.len() as u64));
    let report = || watch.step("training", done.fetch_add(1, Ordering::Relaxed) + 1, all);
    let job = |(guard, absent): &(&Guard, Option<usize>)| -> Result<Arm, CaseError> {
        let trained = training.run(guard, &|place| *absent == Some(place), &mut |_| report())?;
        let guesses = ranking(&Reader::new(&sizes, &trained.weights)?, &vocabulary)?;
        Ok(Arm { guard: (*guard).clone(), trained, guesses, absent: None, spent: None })
    };
    let mut arms = each_on_one_thread(&jobs, job)?;
    for without in arms.split_off(guards.len()) {
        if let Some(with) = arms.iter_mut().find(|arm| arm.guard == without.guard) {
            with.absent = Some(without.rank());
        }
    }
    multipliers.push(Positive::new(Rational::new(15.into(), 100.into()))?);
    let (done, all) = (AtomicU64::new(0), multipliers.len() as u64);
    let account = |multiplier: &Positive| {
        watch.step("accounting", done.fetch_add(1, Ordering::Relaxed), all);
        spent(multiplier, &rate, steps, sizes.weights(), &delta)
    };
    let mut costs = multipliers.par_iter().map(account).collect::<Result<Vec<_>, _>>()?;
    let halved = costs.pop().unwrap_or(f64::INFINITY);
    for (arm, cost) in arms.iter_mut().skip(2).zip(costs) {
        arm.spent = Some(cost);
    }
    let frequencies = frequencies(&sentences, &held_out, vocabulary.len());
    Ok(report::study(&Experiment { corpus, vocabulary, sizes, rate, steps, delta, arms, halved, frequencies }))
}

/// What `run` makes of each item, in order. Each runs on one thread with all that it calls: sums have one order then, and small operations do not wait for other threads.
pub(crate) fn each_on_one_thread<T: Sync, R: Send>(
    items: &[T],
    run: impl Fn(&T) -> Result<R, CaseError> + Sync,
) -> Result<Vec<R>, CaseError> {
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<(usize, Result<R, CaseError>)>> = Mutex::new(Vec::new());
    let work = || -> Result<(), CaseError> {
        let alone = ThreadPoolBuilder::new().num_threads(1).build()?;
        while let Some((place, item)) =
            Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|n| Some((n, items.get(n)?)))
        {
            let result = alone.install(|| run(item));
            results.lock().unwrap_or_else(PoisonError::into_inner).push((place, result));
        }
        Ok(())
    };
    thread::scope(|scope| {
        let count = thread::available_parallelism().map_or(1, usize::from).min(items.len());
        let workers: Vec<_> = (0..count).map(|_| scope.spawn(work)).collect();
        let failed = || CaseError::Refused("a training ended early".into());
        workers.into_iter().try_for_each(|worker| worker.join().unwrap_or_else(|_| Err(failed())))
    })?;
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|(place, _)| *place);
    results.into_iter().map(|(_, result)| result).collect()
}

/// The perplexity of the held-out sentences by how frequent each word is in the others (and one more, so that none is impossible), as the losses have it: a mean over
/// sentences of the mean over their words, the end included.
fn frequencies(sentences: &[Vec<u32>], held_out: &[Vec<u32>], words: usize) -> f64 {
    let mut counts = vec![1.0; words];
    for word in sentences.iter().flat_map(|sentence| sentence.iter().chain([&corpus::BOUNDARY])) {
        if let Some(count) = counts.get_mut(*word as usize) {
            *count += 1.0;
        }
    }
    let total: f64 = counts.iter().sum();
    let loss = |sentence: &Vec<u32>| {
        let words = sentence.iter().chain([&corpus::BOUNDARY]);
        let logs = words.map(|word| (counts.get(*word as usize).copied().unwrap_or(1.0) / total).ln());
        -logs.sum::<f64>() / (sentence.len() + 1) as f64
    };
    (held_out.iter().map(loss).sum::<f64>() / held_out.len().max(1) as f64).exp()
}
