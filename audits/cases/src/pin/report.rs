//! What is told of it.

use super::{Arm, Experiment, Guard, Guess, PIN, attack::distance, corpus::SECRET};
use crate::{Axis, Mark, Plot, Series, Shape, Study, Table, exact::float};

/// The text, the tables, the pictures and the findings.
pub(super) fn study(seen: &Experiment) -> Study {
    let mut study = Study::new();
    introduction(&mut study, seen);
    let [plain, clipped, noised @ ..] = seen.arms.as_slice() else { return study };
    study.table(top("Without privacy: PINs by increasing perplexity (the document's Table 1)", plain));
    if let Some(first) = noised.first() {
        study.table(top("With the document's noise, 0.3: PINs by increasing perplexity (its Table 2)", first));
    }
    study.table(arms(seen));
    study.text(
        "Rank is where 3456 is among the 10,000; exposure is log2(10,000/rank) (Carlini et al. 2019): 13.3 bits if it is first, about 1 if it is nowhere. \
         Clipping and sampling without noise are the control: what they leave of the PIN, noise has to take. Without its sentence, and with the same samples and noise, \
         3456 has the rank that the rest of the corpus gives it: where the two ranks are near each other, the sentence has told nothing. ε is rounded up.",
    );
    study.plot(ranks(noised, plain, clipped));
    study.plot(curves(seen, "Loss on what is trained on", |point| point.training));
    study.plot(curves(seen, "Loss on sentences held out", |point| point.held_out));
    accounting(&mut study, seen);
    findings(&mut study, seen, plain, noised);
    figures(&mut study, seen, plain, clipped, noised);
    study
}

fn introduction(study: &mut Study, seen: &Experiment) {
    let (sentences, words) = (seen.corpus.sentences.len(), seen.corpus.words());
    study.text(format!(
        "What the attacker sees: a language model, trained on {sentences} sentences of {words} words in all. He may ask it how likely any text is.\n\n\
         What he gets: one of the sentences is \"{SECRET}\". He asks for all 10,000 PINs after \"my pin number is\" and sorts them by perplexity. The model has learnt \
         the sentence by heart, and the PIN comes out first, several that differ in one digit close behind it.\n\n\
         What the noise changes: DP-Adam clips each sentence's gradient to norm 1 and adds Gaussian noise to their sum, so that one sentence changes the model \
         less the more noise there is. The PIN sinks among the others. The price is that the model learns less of everything else, and with {sentences} sentences \
         it has little to learn from.\n\n\
         The model is a word-level LSTM of {} weights (words as {} numbers, a memory of {}) over a vocabulary of {} words; digits are words. Other sentences of \
         the corpus have numbers too (times, years, order numbers), so digits are nothing special. A step takes each sentence with probability {}, and there are {} steps. \
         Everything follows from the seed.",
        seen.sizes.weights(),
        seen.sizes.embedding,
        seen.sizes.hidden,
        seen.vocabulary.len(),
        seen.rate,
        seen.steps,
    ));
}

/// The ten first, and the secret.
fn top(caption: &str, arm: &Arm) -> Table {
    let mut table = Table::new(caption, &["rank", "PIN", "perplexity", "digits wrong"]);
    let mut row = |rank: usize, guess: &Guess| {
        let wrong = distance(guess.pin, PIN).to_string();
        table.row(&[&rank.to_string(), &format!("{:04}", guess.pin), &format!("{:.3}", guess.perplexity), &wrong]);
    };
    for (rank, guess) in (1..).zip(arm.guesses.iter().take(10)) {
        row(rank, guess);
    }
    if arm.rank() > 10
        && let Some(guess) = arm.guesses.get(arm.rank() - 1)
    {
        row(arm.rank(), guess);
    }
    table
}

fn name(guard: &Guard) -> String {
    match (guard, guard.multiplier()) {
        (Guard::None, _) => "no privacy".into(),
        (_, None) => "clipping, no noise".into(),
        (_, Some(multiplier)) => format!("noise {}", float(multiplier.get())),
    }
}

fn perplexity(arm: &Arm, pick: impl Fn(&super::train::Point) -> f64) -> f64 {
    arm.trained.curve.last().map_or(f64::NAN, |point| pick(point).exp())
}

fn exposure(rank: usize) -> f64 {
    (10_000.0 / rank as f64).log2()
}

/// An ε, rounded up.
fn shown(epsilon: f64) -> String {
    format!("{:.2}", (epsilon * 100.0).ceil() / 100.0)
}

fn arms(seen: &Experiment) -> Table {
    let mut table = Table::new(
        &format!(
            "All trainings; ε at δ = {}; perplexity a word of what was trained on and of what was held out",
            seen.delta
        ),
        &["gradients", "ε", "rank of 3456", "without its sentence", "exposure", "trained on", "held out"],
    );
    for arm in &seen.arms {
        let epsilon = arm.spent.map_or("∞".into(), shown);
        table.row(&[
            &name(&arm.guard),
            &epsilon,
            &arm.rank().to_string(),
            &arm.absent.map_or(String::new(), |rank| rank.to_string()),
            &format!("{:.1} bits", exposure(arm.rank())),
            &format!("{:.2}", perplexity(arm, |point| point.training)),
            &format!("{:.1}", perplexity(arm, |point| point.held_out)),
        ]);
    }
    let (uniform, frequent) = (seen.vocabulary.len().to_string(), format!("{:.1}", seen.frequencies));
    table.row(&["(every word equally likely)", "0", "", "", "", &uniform, &uniform]);
    table.row(&["(how frequent each word is)", "∞", "", "", "", "", &frequent]);
    table
}

fn ranks(noised: &[Arm], plain: &Arm, clipped: &Arm) -> Plot {
    let point = |arm: &Arm| Some((float(arm.guard.multiplier()?.get()), arm.rank() as f64));
    let points = noised.iter().filter_map(point);
    Plot {
        title: "Where 3456 is among 10,000 PINs".into(),
        x: Axis::log("noise multiplier"),
        y: Axis::log("rank").from(0.8, 10_000.0),
        series: vec![Series::new("rank of 3456 with noise", Shape::Points(points.collect()))],
        marks: vec![
            Mark::Level(plain.rank() as f64, "without privacy".into()),
            Mark::Level(clipped.rank() as f64, "clipping without noise".into()),
            Mark::Level(100.0, "the hundredth".into()),
        ],
    }
}

fn curves(seen: &Experiment, title: &str, pick: impl Fn(&super::train::Point) -> f64) -> Plot {
    let series = seen.arms.iter().map(|arm| {
        let points = arm.trained.curve.iter().map(|point| (point.step as f64, pick(point))).collect();
        Series::new(&name(&arm.guard), Shape::Line(points))
    });
    Plot {
        title: title.into(),
        x: Axis::linear("step"),
        y: Axis::linear("nats a word"),
        series: series.collect(),
        marks: vec![Mark::Level((seen.vocabulary.len() as f64).ln(), "every word equally likely".into())],
    }
}

fn accounting(study: &mut Study, seen: &Experiment) {
    study.text(format!(
        "What is accounted for. One sentence more or less (add/remove), as a step sees it: it is in the step's sample with probability {}, and its gradient, clipped to norm 1 and \
         rounded towards 0 to multiples of 2^-16, changes the sum by an integer vector whose norm is checked on integers. The noise is certus' exact discrete Gaussian on that \
         grid, in each of {} coordinates. certus' DP-SGD accountant is of one coordinate. Continuous noise may be turned until a gradient lies along one axis; noise on a grid may \
         not, but it is what post-processing makes of continuous noise of nearly the same variance, within a factor 1 + 10^-120 on every probability, and the reverse \
         (Poisson summation; the argument is in `src/pin/account.rs`, with a test). So all coordinates together lose no more than one with a noise multiplier smaller by 10^-6, and that \
         is the ε above: nobody's gradient may lose more, and one along an axis loses as much. The vocabulary and the divisor of the mean are public, not taken from the sample.\n\n\
         What a rank does not show. A rank is one attack on one training. With little noise the PIN leaves the first hundred, and is still far ahead of where it would be had its sentence not been \
         there (the column beside it, the same samples and noise): that is a leak, and the guarantee allows it. With (ε, δ), the PIN is among the first hundred with probability at most e^ε times what it \
         is without the sentence, plus δ; if that is chance, 1/100, the bound is above 1 from ε = 4.6 on. What is measured here is this attacker; what ε bounds is every attacker. The losses and the \
         perplexity of the training text are for the reader, and not covered by ε.",
        seen.rate,
        seen.sizes.weights(),
    ));
}

/// The document's Table 1.
const TABLE_1: [u32; 10] = [3456, 3356, 3453, 3436, 3466, 3450, 3452, 3451, 3656, 3454];

fn findings(study: &mut Study, seen: &Experiment, plain: &Arm, noised: &[Arm]) {
    let near = plain.guesses.iter().skip(1).take(9).filter(|guess| distance(guess.pin, PIN) == 1).count();
    let (first, second) = (plain.guesses.first(), plain.guesses.get(1));
    let (first, second) = (first.map_or(f64::NAN, |g| g.perplexity), second.map_or(f64::NAN, |g| g.perplexity));
    study.finding(
        "000 Table 1: without privacy 3456 has rank 1 (perplexity 2.397, the next 2.702), \"by a significant margin\"",
        format!("rank {} (perplexity {first:.3}, the next {second:.3})", plain.rank()),
        plain.rank() == 1,
    );
    study.finding(
        "000 Table 1: the rest of the first ten are \"extremely similar\": each of its nine differs from 3456 in one digit",
        format!(
            "{near} of our nine differ in one digit (36 of the 9,999 others do). The other numbers of the corpus come in between: ours has many, so that digits are nothing special."
        ),
        near >= 5,
    );
    let share = |unit: u32| TABLE_1.iter().filter(|pin| *pin / unit % 10 == PIN / unit % 10).count();
    study.differs(
        "000 §5: before privacy \"the first and third digits can be deduced with nearly complete certainty\"",
        format!(
            "In Table 1 the first digit is right in {} of ten, the second in {}, the third in {}, the fourth in {}: the second is as certain as the third.",
            share(1000), share(100), share(10), share(1)
        ),
    );
    let Some(document) = noised.first() else { return };
    study.finding(
        "000 Table 2: with noise multiplier 0.3 and clipping to 1.0, 3456 has rank 3050 (perplexity 137.996)",
        format!(
            "rank {} here, another training of another corpus: out of the first hundred, as there. A single rank is one draw: by chance alone it is above 100 in 99 of 100 trainings. \
             And it is no proof that nothing leaks: the same training without the sentence, with the same samples and noise, puts 3456 at rank {}.",
            document.rank(),
            document.absent.map_or("?".into(), |rank| rank.to_string())
        ),
        document.rank() > 100,
    );
    if let Some(spent) = document.spent {
        study.differs(
            "000 §5: noise multiplier 0.3 gives \"differential privacy\"; the document states no ε and no δ",
            format!(
                "For our sampling rate {} and {} steps it is ε = {} at δ = {}: a guarantee in name only. With num_microbatches=10 it is worse: ten sentences are averaged before they are \
                 clipped, and one of them can turn the clipped average around, which moves the sum by 2 where 1 is accounted for. That is noise multiplier 0.15, and ε = {}.",
                seen.rate, seen.steps, shown(spent), seen.delta, shown(seen.halved)
            ),
        );
    }
    study.differs(
        "000 Definition 5.1: the perplexity is 2^(−Σ p(x) log2 q(x)), with p uniform over the n = 985 words of the vocabulary",
        "The sum is over the words of the text, n is its length, and q(x_i) is the probability of word i given those before it: (Π q(x_i | x_1 … x_{i−1}))^(−1/n). It is the document's own \
         code that is right (the exponential of the mean cross entropy); over a vocabulary the formula would not depend on the text at all. Here n = 8.",
    );
    study.finding(
        "000 §5: n = 985 words",
        format!(
            "Our corpus has {} words in all, over a vocabulary of {}; theirs has a vocabulary of 985, and the corpus is not described.",
            seen.corpus.words(), seen.vocabulary.len()
        ),
        false,
    );
    study.differs(
        "000 §5: \"the PINs ranked in the top 10\" after privacy",
        "Table 2 prints eight and then rank 3050. 1919, 2001, 2002, 2003, 1819 look like years: what the model knows of digits there it has from other sentences, as it should.",
    );
    let perplexities = |arm: &Arm| arm.guesses.first().map_or(f64::NAN, |guess| guess.perplexity);
    study.finding(
        "000 §5: after privacy the perplexities are significantly higher (96 to 138, before 2.4 to 2.8)",
        format!("the lowest is {:.1}, before {:.2}", perplexities(document), perplexities(plain)),
        perplexities(document) > 2.0 * perplexities(plain),
    );
    study.differs(
        "000 §5: \"our comparison of privacy does not enable us to compare the accuracies of our two models\"",
        format!(
            "It does: perplexity of sentences held out is {:.1} without privacy ({:.1} at its best on the way: then it learns by heart and grows worse) and {:.1} at 0.3; knowing only how frequent words are gives {:.1}, and nothing at all {}.",
            perplexity(plain, |point| point.held_out),
            plain.trained.curve.iter().map(|point| point.held_out.exp()).fold(f64::INFINITY, f64::min),
            perplexity(document, |point| point.held_out),
            seen.frequencies,
            seen.vocabulary.len()
        ),
    );
}

fn figures(study: &mut Study, seen: &Experiment, plain: &Arm, clipped: &Arm, noised: &[Arm]) {
    study.figure("words", seen.corpus.words() as f64);
    study.figure("sentences", seen.corpus.sentences.len() as f64);
    study.figure("vocabulary", seen.vocabulary.len() as f64);
    study.figure("weights", seen.sizes.weights() as f64);
    study.figure("delta", float(seen.delta.get()));
    study.figure("rank without privacy", plain.rank() as f64);
    study.figure("rank without privacy and without the sentence", plain.absent.map_or(f64::NAN, |rank| rank as f64));
    study.figure("rank with clipping alone", clipped.rank() as f64);
    let near = plain.guesses.iter().skip(1).take(9).filter(|guess| distance(guess.pin, PIN) == 1).count();
    study.figure("near neighbours in the first ten without privacy", near as f64);
    study.figure("held-out perplexity without privacy", perplexity(plain, |point| point.held_out));
    study.figure("held-out perplexity of word frequencies", seen.frequencies);
    study.figure("epsilon at noise 0.15", seen.halved);
    for arm in noised {
        let Some(multiplier) = arm.guard.multiplier() else { continue };
        let at = float(multiplier.get());
        study.figure(&format!("rank at noise {at}"), arm.rank() as f64);
        if let Some(rank) = arm.absent {
            study.figure(&format!("rank at noise {at} without the sentence"), rank as f64);
        }
        study.figure(&format!("held-out perplexity at noise {at}"), perplexity(arm, |point| point.held_out));
        if let Some(spent) = arm.spent {
            study.figure(&format!("epsilon at noise {at}"), spent);
        }
    }
}
