//! Seven people, reconstructed from a table that names none of them (001).

mod noisy;
mod report;
mod solve;
mod subsets;
mod table;

use std::ops::RangeInclusive;

use certus::exact::{Positive, Rational};
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use self::{
    noisy::{OLDEST, anyone, at_their_word, likeliest, misfit, released},
    solve::{Question, Worlds, worlds},
    subsets::Counts,
    table::{Group, PUBLISHED, Person, Row, right},
};
use crate::{Case, CaseError, Parameter, Setting, Study, Watch, random};

/// The case.
pub static CASE: Case = Case {
    name: "census",
    title: "Seven people from a table",
    source: "001",
    about: "a constraint solver finds everybody behind a published table; noise leaves it nothing to find",
    parameters: &[
        whole("tables", "how many noisy tables are drawn for each ε", 100.0, 16.0, 1.0, 100_000.0),
        whole("effort", "steps of the search for the likeliest people", 40_000.0, 10_000.0, 100.0, 1e8),
        whole("most", "how many worlds are counted at the most", 20_000.0, 2_000.0, 100.0, 1e6),
        whole("people", "how many secret bits the counts over subsets are of", 128.0, 64.0, 8.0, 1024.0),
        whole("queries", "how many subsets are counted for each person", 8.0, 8.0, 2.0, 64.0),
        whole("trials", "how many times the counts are attacked for each noise", 40.0, 20.0, 1.0, 10_000.0),
    ],
    run,
};

const fn whole(name: &'static str, about: &'static str, default: f64, quick: f64, least: f64, most: f64) -> Parameter {
    Parameter { name, about, default, quick, least, most, whole: true }
}

/// How many worlds fit as more is known.
struct Rung {
    /// What is known now.
    known: String,
    worlds: Worlds,
}

/// What was made of tables with noise.
struct Noisy {
    epsilon: Positive,
    /// The share of the tables that no people fit, taken at their word.
    without_world: f64,
    /// The mean number of the seven that the likeliest world has exactly.
    exact: f64,
    /// And with the age within two years.
    near: f64,
    /// The share of the searches that found people who fit at least as well as the truth.
    searched: f64,
}

/// What was made of counts over subsets.
struct Recovered {
    /// The scale of the noise; none for none.
    scale: Option<Positive>,
    /// The share of bits that were found.
    share: f64,
}

/// All that there is to report.
struct Experiment {
    /// The males alone, with ages from 1 and from 0.
    males: [Vec<Rung>; 2],
    /// All seven.
    everyone: Vec<Rung>,
    truth: Vec<Person>,
    noisy: Vec<Noisy>,
    /// The mean number right exactly, and within two years, if the table is of other people.
    strangers: (f64, f64),
    counts: Counts,
    recovered: Vec<Recovered>,
}

/// The ε of the noisy tables.
const EPSILONS: [u32; 6] = [100_000, 10_000, 1_000, 100, 10, 1];

/// The order in which rows become known: by what they speak of.
const ORDER: [&str; 7] = ["1A", "2A", "2B", "2C", "2D", "4A", "3B"];

fn run(setting: &Setting, watch: &dyn Watch) -> Result<Study, CaseError> {
    let most = usize::try_from(setting.count("most"))?;
    let males = [males(1..=OLDEST, most), males(0..=OLDEST, most)];
    let mut everyone = Vec::new();
    for (done, _) in ORDER.iter().enumerate() {
        watch.step("solving", done as u64, ORDER.len() as u64);
        let known: Vec<Row> = ORDER
            .iter()
            .take(done + 1)
            .filter_map(|n| PUBLISHED.iter().find(|row| row.number == *n))
            .copied()
            .collect();
        let name = known.last().map_or(String::new(), |row| format!("{} {}", row.number, row.name));
        let worlds = worlds(&Question { people: 7, ages: 0..=OLDEST, rows: &known, most });
        everyone.push(Rung { known: name, worlds });
    }
    let last = everyone.last().and_then(|rung| rung.worlds.found.first());
    let truth = last.cloned().ok_or_else(|| CaseError::Refused("the solver found nobody".into()))?;
    let mut noisy = Vec::new();
    for (done, epsilon) in EPSILONS.into_iter().enumerate() {
        watch.step("noisy tables", done as u64, EPSILONS.len() as u64);
        let epsilon = Positive::new(Rational::from_integer(epsilon.into()))?;
        noisy.push(noisy_tables(setting, &truth, &epsilon)?);
    }
    let strangers = strangers(setting, &truth)?;
    let people = usize::try_from(setting.count("people"))?;
    let counts = Counts { people, queries: people.saturating_mul(usize::try_from(setting.count("queries"))?) };
    let recovered = subsets(setting, &counts, watch)?;
    Ok(report::study(&Experiment { males, everyone, truth, noisy, strangers, counts, recovered }))
}

/// The three males as the document has them: any three; with the median; with the mean.
fn males(ages: RangeInclusive<i32>, most: usize) -> Vec<Rung> {
    // The count and the median leave 2,976 at the most, so that the document's own example is always counted out.
    let most = most.max(5_000);
    let row = PUBLISHED.iter().find(|row| row.group == Group::Male);
    let row = row.map(|row| Row { group: Group::Everyone, ..*row });
    let rung = |known: &str, row: Option<Row>| {
        let rows: Vec<Row> = row.into_iter().collect();
        Rung { known: known.into(), worlds: worlds(&Question { people: 3, ages: ages.clone(), rows: &rows, most }) }
    };
    vec![rung("count 3, median 30", row.map(|row| Row { sums: None, ..row })), rung("count 3, median 30, mean 44", row)]
}

/// Tables of the true people with noise, each attacked.
fn noisy_tables(setting: &Setting, truth: &[Person], epsilon: &Positive) -> Result<Noisy, CaseError> {
    let (tables, effort) = (setting.count("tables"), setting.count("effort"));
    let attack = |table: u64| -> Result<[f64; 4], CaseError> {
        let released = released(truth, epsilon, &mut random::bits(setting.seed, &format!("table {epsilon}"), table))?;
        let world = at_their_word(&released, truth.len()).and_then(|rows| {
            let question = Question { people: truth.len(), ages: 0..=OLDEST, rows: &rows, most: 1 };
            worlds(&question).found.into_iter().next()
        });
        let is_without = world.is_none();
        // Where people fit exactly, nobody fits better.
        let mut bits = random::bits(setting.seed, &format!("search {epsilon}"), table);
        let guess = world.map_or_else(|| likeliest(&released, truth.len(), effort, &mut bits), Ok)?;
        let is_searched = misfit(&guess, &released) <= misfit(truth, &released) + 1e-9;
        let (exact, near) = matches(truth, &guess);
        Ok([f64::from(is_without), exact, near, f64::from(is_searched)])
    };
    let all = (0..tables).into_par_iter().map(attack).collect::<Result<Vec<_>, _>>()?;
    let [without_world, exact, near, searched] = means(&all);
    Ok(Noisy { epsilon: epsilon.clone(), without_world, exact, near, searched })
}

/// What a table of other people tells of these: chance.
fn strangers(setting: &Setting, truth: &[Person]) -> Result<(f64, f64), CaseError> {
    let mut bits = random::bits(setting.seed, "strangers", 0);
    let mut all = Vec::new();
    for _ in 0..10_000 {
        let others = truth.iter().map(|_| anyone(&mut bits)).collect::<Result<Vec<_>, _>>()?;
        let (exact, near) = matches(truth, &others);
        all.push([exact, near]);
    }
    let [exact, near] = means(&all);
    Ok((exact, near))
}

/// How many of the people are right exactly, and with the age within two years.
fn matches(truth: &[Person], guess: &[Person]) -> (f64, f64) {
    let near =
        |a: &Person, b: &Person| a.age.abs_diff(b.age) <= 2 && Person { age: 0, ..*a } == Person { age: 0, ..*b };
    (right(truth, guess, |a, b| a == b) as f64, right(truth, guess, near) as f64)
}

fn means<const N: usize>(all: &[[f64; N]]) -> [f64; N] {
    let mut sums = [0.0; N];
    for one in all {
        for (sum, x) in sums.iter_mut().zip(one) {
            *sum += x / all.len() as f64;
        }
    }
    sums
}

/// Counts over subsets with ever more noise: scales √n/16 to 2√n, and then those of a pure guarantee, queries/ε.
fn subsets(setting: &Setting, counts: &Counts, watch: &dyn Watch) -> Result<Vec<Recovered>, CaseError> {
    let trials = setting.count("trials");
    let eighth = |n: f64| Rational::new(((n * 8.0).round() as i64).max(1).into(), 8.into());
    let root = (counts.people as f64).sqrt();
    let small = [1.0 / 16.0, 0.125, 0.25, 0.5, 1.0, 2.0].map(|share| eighth(share * root));
    let private = [16, 4, 1].map(|epsilon: i64| Rational::new((counts.queries as i64).into(), epsilon.into()));
    let scales: Vec<Option<Rational>> = [None].into_iter().chain(small.into_iter().chain(private).map(Some)).collect();
    let mut recovered = Vec::new();
    for (place, scale) in (0_u64..).zip(&scales) {
        watch.step("counts over subsets", place, scales.len() as u64);
        let scale = scale.clone().map(Positive::new).transpose()?;
        let attack = |trial: u64| {
            let number = place.saturating_mul(1_000_000).saturating_add(trial);
            counts.recovered(scale.as_ref(), &mut random::bits(setting.seed, "subsets", number))
        };
        let shares = (0..trials).into_par_iter().map(attack).collect::<Result<Vec<_>, _>>()?;
        recovered.push(Recovered { scale, share: shares.iter().sum::<f64>() / shares.len().max(1) as f64 });
    }
    Ok(recovered)
}
