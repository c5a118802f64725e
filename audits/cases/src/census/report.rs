//! What is told of it.

use super::{
    Experiment, Noisy, Rung,
    noisy::PARTS,
    table::{PUBLISHED, Person},
};
use crate::{Axis, Mark, Plot, Series, Shape, Study, Table, exact::float};

/// The text, the tables, the pictures and the findings.
pub(super) fn study(seen: &Experiment) -> Study {
    let mut study = Study::new();
    study.text(
        "What the attacker sees: a table of a small block: how many people there are of some groups, their median and their mean age. Groups of fewer than three are suppressed, (D), \"to protect\".\n\n\
         What he gets: everybody. Each number is a constraint on seven unknown people; a constraint solver (Pumpkin: a SAT solver that speaks of integers) finds that exactly one set of seven \
         fits them all, and says who they are, those of the suppressed groups too.\n\n\
         What the noise changes: with noise on each number no people fit the table at all, and those who fit best are others. With seven people nothing useful is left of the table \
         either: what is private about them and what the table says are the same thing. (For large groups they are not: the noise stays as it is, and the counts grow.)",
    );
    study.table(published());
    study.table(rungs("Three males: how many sets of three ages fit, from 1 to 125", &seen.males[0]));
    study.table(rungs("The same with ages from 0 to 125", &seen.males[1]));
    study.table(rungs("All seven, a row of the table at a time: how many sets of people fit", &seen.everyone));
    study.text(
        "Worlds are sets: seven people in another order are the same. What no row has spoken of yet (sex, race, marriage) is not counted as a difference. \
         Means are taken as printed, to one digit: 36.7 for three people is any sum from 109.95 to 110.25, hence 110.",
    );
    study.table(people("The one world that fits: the seven people", &seen.truth));
    study.table(suppressed(&seen.truth));
    study.table(noisy(seen));
    study.text(format!(
        "Each number of the table has discrete Laplace noise: ε/{PARTS} for each of three statistics in each of the five kinds of row that a person can be in (everyone; one sex; one race; \
         the married; black women), so that the whole table is ε-private when one person is added or removed. Sensitivities are 1 for a count, 125 for a sum of ages (ages are clamped; the mean \
         is the sum over the count) and 125 for a median. First the solver takes the numbers at their word. Where nobody fits, the likeliest seven people are searched for; \
         that the search is good enough is seen in the last column: what it finds fits at least as well as the truth. The attacker is told that there are seven."
    ));
    study.plot(people_right(seen));
    subsets(&mut study, seen);
    findings(&mut study, seen);
    figures(&mut study, seen);
    study
}

fn published() -> Table {
    let mut table =
        Table::new("The published table (001; (D) is suppressed)", &["", "group", "count", "median", "mean"]);
    for row in &PUBLISHED {
        let median = row.twice_median.map_or(String::new(), |twice| (f64::from(twice) / 2.0).to_string());
        let mean = row.sums.map_or(String::new(), |(sum, _)| {
            ((f64::from(sum) / f64::from(row.count) * 10.0).round() / 10.0).to_string()
        });
        table.row(&[row.number, row.name, &row.count.to_string(), &median, &mean]);
    }
    for (number, name) in SUPPRESSED.map(|(number, name, _)| (number, name)) {
        table.row(&[number, name, "(D)", "(D)", "(D)"]);
    }
    table
}

type Holds = fn(&Person) -> bool;

/// The suppressed rows: who is in them.
const SUPPRESSED: [(&str, &str, Holds); 7] = [
    ("3A", "single adults", |person| !person.married && person.age >= 18),
    ("4B", "black or African American male", |person| person.black && !person.female),
    ("4C", "white male", |person| !person.black && !person.female),
    ("4D", "white female", |person| !person.black && person.female),
    ("5A", "persons under 5 years", |person| person.age < 5),
    ("5B", "persons under 18 years", |person| person.age < 18),
    ("5C", "persons 64 years or over", |person| person.age >= 64),
];

fn suppressed(truth: &[Person]) -> Table {
    let mut table = Table::new(
        "The suppressed rows, told anyway (an adult is taken to be 18 or older)",
        &["", "group", "count", "ages"],
    );
    for (number, name, holds) in SUPPRESSED {
        let ages: Vec<String> =
            truth.iter().filter(|person| holds(person)).map(|person| person.age.to_string()).collect();
        table.row(&[number, name, &ages.len().to_string(), &ages.join(", ")]);
    }
    table
}

fn count(rung: &Rung) -> String {
    let found = rung.worlds.found.len();
    if rung.worlds.is_all { found.to_string() } else { format!("more than {}", found.saturating_sub(1)) }
}

fn rungs(caption: &str, rungs: &[Rung]) -> Table {
    let mut table = Table::new(caption, &["known, with all above", "worlds"]);
    for rung in rungs {
        table.row(&[&rung.known, &count(rung)]);
    }
    table
}

fn people(caption: &str, people: &[Person]) -> Table {
    let mut table = Table::new(caption, &["age", "sex", "race", ""]);
    for person in people {
        table.row(&[
            &person.age.to_string(),
            if person.female { "female" } else { "male" },
            if person.black { "black" } else { "white" },
            if person.married { "married" } else { "single" },
        ]);
    }
    table
}

fn noisy(seen: &Experiment) -> Table {
    let mut table = Table::new(
        "Noisy tables: how many of the seven are found, on average",
        &["ε", "tables that nobody fits", "right exactly", "right but for 2 years", "search as good as the truth"],
    );
    table.row(&["∞ (as published)", "0 %", "7", "7", "100 %"]);
    for Noisy { epsilon, without_world, exact, near, searched } in &seen.noisy {
        let percent = |share: f64| format!("{:.0} %", 100.0 * share);
        let number = |x: f64| format!("{x:.2}");
        table.row(&[
            &epsilon.to_string(),
            &percent(*without_world),
            &number(*exact),
            &number(*near),
            &percent(*searched),
        ]);
    }
    let (exact, near) = seen.strangers;
    table.row(&["0 (anybody)", "", &format!("{exact:.2}"), &format!("{near:.2}"), ""]);
    table
}

fn people_right(seen: &Experiment) -> Plot {
    let line = |pick: fn(&Noisy) -> f64| {
        Shape::Line(seen.noisy.iter().map(|noisy| (float(noisy.epsilon.get()), pick(noisy))).collect())
    };
    Plot {
        title: "People found in a table with noise".into(),
        x: Axis::log("ε of the whole table"),
        y: Axis::linear("of seven").from(0.0, 7.2),
        series: vec![
            Series::new("right exactly", line(|noisy| noisy.exact)),
            Series::new("right but for two years", line(|noisy| noisy.near)),
        ],
        marks: vec![Mark::Level(seen.strangers.1, "chance, but for two years".into())],
    }
}

fn subsets(study: &mut Study, seen: &Experiment) {
    let (people, queries) = (seen.counts.people, seen.counts.queries);
    study.text(format!(
        "Dinur and Nissim 2003, behind all of this. {people} people have a secret bit each. The attacker asks for {queries} counts, each over half of the people at random, and gets them with \
         noise. He solves for the bits by least squares and rounds. While the noise is small against √n he finds nearly all of them, however the noise is made; to stop him it must be of the order \
         of √n or more. Pure ε-privacy of all {queries} counts takes noise of scale {queries}/ε each, and leaves him with guessing."
    ));
    let mut table = Table::new(
        &format!("Bits found from {queries} noisy counts of {people} people"),
        &["scale of the noise", "scale/√n", "ε of all counts", "bits found"],
    );
    for recovered in &seen.recovered {
        let share = format!("{:.1} %", 100.0 * recovered.share);
        match &recovered.scale {
            None => table.row(&["none", "0", "∞", &share]),
            Some(scale) => {
                let scale = float(scale.get());
                let (relative, epsilon) = (scale / (people as f64).sqrt(), queries as f64 / scale);
                table.row(&[&format!("{scale}"), &format!("{relative:.3}"), &format!("{epsilon:.4}"), &share]);
            }
        }
    }
    study.table(table);
    let points = seen.recovered.iter().filter_map(|recovered| {
        recovered.scale.as_ref().map(|scale| (float(scale.get()) / (people as f64).sqrt(), recovered.share))
    });
    study.plot(Plot {
        title: "Bits found against noise".into(),
        x: Axis::log("scale of the noise / √n"),
        y: Axis::linear("share of the bits").from(0.4, 1.02),
        series: vec![Series::new("least squares", Shape::Line(points.collect()))],
        marks: vec![
            Mark::Level(0.5, "guessing".into()),
            Mark::Upright(queries as f64 / (people as f64).sqrt(), "ε = 1 for all counts together".into()),
        ],
    });
}

fn findings(study: &mut Study, seen: &Experiment) {
    let [from_1, from_0] = &seen.males;
    let last = |rungs: &[Rung]| rungs.last().map_or(0, |rung| rung.worlds.found.len());
    study.agrees(
        "001: with ages in [1, 125], three people have C(125, 3) ≈ 300k combinations",
        "C(125, 3) = 317,750 if no two have the same age. They may: C(127, 3) = 333,375. About 300,000 either way.",
    );
    study.finding(
        "001: with count 3, median 30 and mean 44 \"there's 30 possibilities\", ages in [0, 125]",
        format!(
            "{} with ages from 1, as its first page has it, and {} with ages from 0, as this page has it: (0, 30, 102) is the one that its list leaves out.",
            last(from_1), last(from_0)
        ),
        last(from_0) == 30,
    );
    study.differs(
        "001: \"Median=40, must one male aged 30\"",
        "The table's median is 30, and so is that of all the possibilities listed: 40 is a slip.",
    );
    let unique = seen.everyone.last().is_some_and(|rung| rung.worlds.is_all && rung.worlds.found.len() == 1);
    study.finding(
        "001: \"with more constraints, we can extract more information, eventually reconstruct dataset\"",
        format!(
            "{} world after all seven rows: the dataset. Neither the note that the married are 15 or older nor the suppressed rows are needed for that.",
            seen.everyone.last().map_or(String::new(), count)
        ),
        unique,
    );
    study.agrees(
        "001: \"a SAT problem (NP-Hard); anyone can perform such attack using a SAT-Solver\"",
        "A published solver, as it comes, solves it in a moment. Hard in general is not hard here.",
    );
    study.differs(
        "001: \"(D)s are suppressed data to protect\"",
        "They protect nothing: the rows that are left determine them all (the table above).",
    );
    let share = |place: usize| seen.recovered.get(place).map_or(f64::NAN, |recovered| recovered.share);
    study.finding(
        "001: Dinur–Nissim: \"with enough accurate data, attacker can reconstruct almost the entire underlying dataset\"",
        format!("{:.1} % of the bits at noise √n/16, {:.1} % at √n/8, {:.1} % at √n/4", 100.0 * share(1), 100.0 * share(2), 100.0 * share(3)),
        share(1) >= 0.95,
    );
}

fn figures(study: &mut Study, seen: &Experiment) {
    for (from, rungs) in [("1", &seen.males[0]), ("0", &seen.males[1])] {
        study.figure(
            &format!("worlds of the males from age {from}"),
            rungs.last().map_or(f64::NAN, |rung| rung.worlds.found.len() as f64),
        );
    }
    for rung in &seen.everyone {
        study.figure(&format!("worlds with {}", rung.known), rung.worlds.found.len() as f64);
    }
    study.figure("people reconstructed from the table", seen.truth.len() as f64);
    for noisy in &seen.noisy {
        study.figure(&format!("people right at epsilon {}", noisy.epsilon), noisy.exact);
        study.figure(&format!("people right but for two years at epsilon {}", noisy.epsilon), noisy.near);
        study.figure(&format!("tables that nobody fits at epsilon {}", noisy.epsilon), noisy.without_world);
        study.figure(&format!("searches as good as the truth at epsilon {}", noisy.epsilon), noisy.searched);
    }
    study.figure("people right by chance", seen.strangers.0);
    for recovered in &seen.recovered {
        let at = recovered.scale.as_ref().map_or("no noise".into(), |scale| format!("scale {}", float(scale.get())));
        study.figure(&format!("bits found at {at}"), recovered.share);
    }
    let queries = seen.counts.queries as f64;
    let one = seen.recovered.iter().find(|r| r.scale.as_ref().is_some_and(|s| float(s.get()) == queries));
    study.figure("bits found at epsilon 1", one.map_or(f64::NAN, |recovered| recovered.share));
}
