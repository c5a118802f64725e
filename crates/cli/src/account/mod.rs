//! `certus account`: the smallest δ for an ε, the smallest ε for a δ, or the profile, of a plan.

mod listed;
mod meaning;
mod pair_file;
mod plan_file;
mod plot;
mod profile;
mod summary;

use std::{
    io::Write,
    time::{Duration, Instant},
};

use num_traits::{One, Zero};
use serde_json::{Value, json};

pub(super) use self::pair_file::read as read_text;
use self::{
    listed::{Item, Listed},
    plot::svg,
    profile::{Point, profile, profile_both_ways, with_corners},
    summary::Summary,
};
use super::{
    Failure, SCHEMA_VERSION,
    arguments::{Account, Shared},
    progress::{Progress, watched},
    source::{count, number},
    suggest,
    whole_file::{WholeFile, check_apart},
};
use certus::{
    account::{AccountError, Answer, Method, Plan, Precision, delta, epsilon},
    exact::{Enclosure, NonNegative, Probability, Rational, Rounding, decimal, render},
    guarantee::Relation,
};

/// The most digits that may be asked for.
const MOST_DIGITS: u64 = 1000;

/// The points of a profile where no number is asked for.
const POINTS: &str = "21";

/// The most points of a profile.
const MOST_POINTS: u64 = 1000;

/// The longest text of one mechanism that the table shows, in characters.
const LONGEST_SHOWN: usize = 90;

/// What is printed under numbers of which the lower ends are not the plan's own.
const NOTE: &str = "note      an upper bound: the pairs dominate this plan and need not be attained; it may lose less than a lower end says";

/// What is printed under numbers of which the ends are apart, after how far.
const ENDS: &str = "the lower end is that of a vector that neighbours can differ by, the upper end that of a line";

/// What is printed where several pairs have an order and no relation is asked for.
const ORDER: &str = "note      the first columns of all pairs are taken for one input; where neighbours have no order, ask --relation change_one";

/// What is asked.
pub(super) enum Question {
    /// The smallest δ at this ε.
    Delta(NonNegative),
    /// The smallest ε at this δ.
    Epsilon(Probability),
    /// δ at many epsilons.
    Profile,
}

/// What is answered.
enum Found {
    One(Answer),
    Many(Vec<Point>),
}

/// All that is printed.
struct Report<'a> {
    listed: &'a Listed,
    question: &'a Question,
    digits: u32,
    found: &'a Found,
    summary: Option<&'a Summary>,
    elapsed: Duration,
}

pub(super) fn run(options: &Account, shared: &Shared, out: &mut dyn Write) -> Result<u8, Failure> {
    let relation = options.relation.as_deref().map(relation).transpose()?;
    let listed = Listed::new(items(options)?, relation)?;
    let plan = listed.plan();
    let question = Question::of(options.epsilon.as_deref(), options.delta.as_deref())?.unwrap_or(Question::Profile);
    let digits = u32::try_from(count("--digits", &options.digits, 1, MOST_DIGITS)?).unwrap_or(15);
    let precision = Precision { digits };
    let points = count("--points", options.points.as_deref().unwrap_or(POINTS), 2, MOST_POINTS)?;
    let last = options.to.as_deref().map(|text| non_negative("--to", text)).transpose()?;
    if let (Some(last), Some(text)) = (&last, &options.to)
        && last.get().is_zero()
    {
        return Err(Failure::value("--to", text, "must be above 0: a profile has epsilons from 0 to it"));
    }
    let draws_profile = matches!(question, Question::Profile) || options.summary || options.plot.is_some();
    for (name, given) in [("--points", &options.points), ("--to", &options.to)] {
        if given.is_some() && !draws_profile {
            let must = "must not be given beside --epsilon or --delta alone: it is of a profile, and so of --summary and --plot";
            return Err(Failure::argument(name, must));
        }
    }
    if shared.seed.is_some() || options.seed.is_some() {
        return Err(Failure::argument("--seed", "must not be given: an account draws nothing"));
    }
    // Before the work, not after it.
    let plot = options.plot.as_deref().map(|name| WholeFile::to("--plot", name, "profile.svg")).transpose()?;
    if let Some(plot) = &plot {
        check_apart(&[plot], &inputs(options)?)?;
    }

    let started = Instant::now();
    let draw = |points: u64, precision: &Precision| {
        let progress = Progress::new(Some(points), "epsilons", shared.quiet);
        watched(progress, |done| profile(plan, points, last.as_ref(), precision, done))
            .map_err(|error| refused(options, error))
    };
    let found = match &question {
        Question::Profile => Found::Many(draw(points, &precision)?),
        Question::Delta(_) | Question::Epsilon(_) => {
            let progress = Progress::new(Some(0), "accounting", shared.quiet);
            let answer = watched(progress, |_| answer(plan, &question, &precision));
            Found::One(answer.map_err(|error| refused(options, error))?)
        }
    };
    let elapsed = started.elapsed();
    let summary = if options.summary {
        // Read off the profile to some digits: twice as many points make these a quarter as wide. Where each
        // is a sum over frequencies, which takes longer than any other method, fewer have to do.
        let is_slow =
            options.points.is_none() && matches!(&found, Found::One(answer) if answer.method == Method::Spectral);
        let twice = if is_slow { 9 } else { points.saturating_mul(2) - 1 };
        let progress = Progress::new(Some(twice), "epsilons", shared.quiet);
        let rough = Precision { digits: if is_slow { 5 } else { 9 } };
        let points = watched(progress, |done| profile_both_ways(plan, twice, last.as_ref(), &rough, done))
            .map_err(|error| refused(options, error))?;
        let progress = Progress::new(Some(0), "summing up", shared.quiet);
        Some(watched(progress, |_| Summary::new(plan, &question, &points, &precision)))
    } else {
        None
    };
    if let Some(plot) = plot {
        let drawn = match &found {
            Found::Many(points) => points.clone(),
            // A hundredth of a pixel needs no more.
            Found::One(_) => draw(points, &Precision { digits: 6 })?,
        };
        let asked = match (&question, &found) {
            (Question::Delta(epsilon), Found::One(answer)) => {
                Some(Point { epsilon: epsilon.clone(), delta: answer.clone() })
            }
            (Question::Epsilon(_), Found::One(answer)) => {
                let upper = NonNegative::new(answer.enclosure.upper()).unwrap_or_else(|_| NonNegative::zero());
                let at = self::answer(plan, &Question::Delta(upper.clone()), &Precision { digits: 6 });
                Some(Point { epsilon: upper, delta: at.map_err(|error| refused(options, error))? })
            }
            _ => None,
        };
        let progress = Progress::new(Some(0), "drawing", shared.quiet);
        let along = watched(progress, |_| with_corners(plan, drawn.clone(), asked.as_ref(), &Precision { digits: 6 }))
            .map_err(|error| refused(options, error))?;
        plot.write(svg(&listed.texts(), plan.has_lower_end(), (&drawn, &along), asked.as_ref()).as_bytes())?;
    }
    let report =
        Report { listed: &listed, question: &question, digits, found: &found, summary: summary.as_ref(), elapsed };
    if shared.json {
        writeln!(out, "{}", report.json())?;
    } else {
        report.print(out)?;
    }
    out.flush()?;
    Ok(0)
}

/// Specs and plan files, of an argument that names them.
fn specs_and_plans(argument: &str, given: &[String]) -> Result<Vec<Item>, Failure> {
    let mut items = Vec::new();
    for text in given {
        if text.ends_with(".toml") {
            items.extend(plan_file::from_file(text)?);
        } else {
            items.push(Item::from_spec(text).map_err(|error| suggest::refused(argument, &error))?.0);
        }
    }
    Ok(items)
}

/// The mechanisms that an argument of another command lists, each as it is given: a canonical spec, and how
/// often it runs.
pub(super) fn declared_items(argument: &str, given: &[String]) -> Result<Vec<(String, u64)>, Failure> {
    Ok(specs_and_plans(argument, given)?.iter().map(Item::named).collect())
}

/// The answer to a question that another command asks, as a line and as a document.
pub(super) fn answer_in_words(plan: &Plan, question: &Question, quiet: bool) -> Result<(String, Value), Failure> {
    let digits = Precision::default().digits;
    let progress = Progress::new(Some(0), "accounting", quiet);
    let found = watched(progress, |_| answer(plan, question, &Precision::default()));
    let found = found.map_err(|error| match error {
        AccountError::NoEpsilon | AccountError::NoEpsilonKnown => Failure::argument("--delta", error),
        _ => Failure::argument("--declare", error),
    })?;
    let (of, at) = (value(&found.enclosure, digits), bounds(&found.enclosure, digits));
    Ok(match question {
        Question::Delta(epsilon) => {
            let line = format!("delta = {of} at epsilon = {}", shown(epsilon.get()));
            (line, json!({ "epsilon": render(epsilon.get()), "delta": at }))
        }
        Question::Epsilon(delta) => {
            let line = format!("epsilon = {of} at delta = {}", shown(delta.get()));
            (line, json!({ "epsilon": at, "delta": render(delta.get()) }))
        }
        Question::Profile => (of, at),
    })
}

/// What the arguments list: specs, plan files, pair files.
fn items(options: &Account) -> Result<Vec<Item>, Failure> {
    let mut items = specs_and_plans("SPEC", &options.specs)?;
    for argument in &options.pairs {
        items.push(pair_file::from_argument(argument)?);
    }
    if items.is_empty() {
        let must = "must be given: a mechanism such as 'gaussian(sigma=10)*100', a plan file in .toml, or --pair FILE";
        return Err(Failure::argument("SPEC", must));
    }
    Ok(items)
}

/// The files that the plan is read from, each with the argument that named it.
fn inputs(options: &Account) -> Result<Vec<(String, String)>, Failure> {
    let mut inputs = Vec::new();
    for plan in options.specs.iter().filter(|argument| argument.ends_with(".toml")) {
        inputs.push(("SPEC".to_owned(), plan.clone()));
        inputs.extend(plan_file::pair_files(plan)?.into_iter().map(|pair| (plan.clone(), pair)));
    }
    for argument in &options.pairs {
        inputs.push(("--pair".to_owned(), pair_file::path_of(argument).to_owned()));
    }
    Ok(inputs)
}

/// The neighbours that are asked for.
pub(super) fn relation(text: &str) -> Result<Relation, Failure> {
    match text {
        "add_remove" => Ok(Relation::AddRemove),
        "change_one" => Ok(Relation::ChangeOne),
        _ => Err(Failure::value("--relation", text, "must be add_remove or change_one")),
    }
}

impl Question {
    /// The smallest δ at an ε, or the smallest ε at a δ; nothing where neither is given. The parser has seen to
    /// it that there is at most one.
    pub(super) fn of(epsilon: Option<&str>, delta: Option<&str>) -> Result<Option<Self>, Failure> {
        if let Some(text) = epsilon {
            return Ok(Some(Self::Delta(non_negative("--epsilon", text)?)));
        }
        let Some(text) = delta else { return Ok(None) };
        let must = "must be a number at least 0 and below 1, such as 0, 1e-6 or 1/1000";
        let delta = Some(number("--delta", text, must)?).filter(|delta| *delta < Rational::one());
        let delta = delta.and_then(|delta| Probability::new(delta).ok());
        delta.map(|delta| Some(Self::Epsilon(delta))).ok_or_else(|| Failure::value("--delta", text, must))
    }
}

fn non_negative(name: &str, text: &str) -> Result<NonNegative, Failure> {
    let must = "must be a number of 0 or more, such as 1, 0.1 or 1/3";
    NonNegative::new(number(name, text, must)?).map_err(|_| Failure::value(name, text, must))
}

fn answer(plan: &Plan, question: &Question, precision: &Precision) -> Result<Answer, AccountError> {
    match question {
        Question::Delta(at) => delta(plan, at, precision),
        Question::Epsilon(at) => epsilon(plan, at, precision),
        Question::Profile => Err(AccountError::Empty),
    }
}

/// The argument that is to blame for there being no answer.
fn refused(options: &Account, error: AccountError) -> Failure {
    match error {
        AccountError::NoEpsilon | AccountError::NoEpsilonKnown => Failure::argument("--delta", error),
        _ => Failure::argument(if options.specs.is_empty() { "--pair" } else { "SPEC" }, error),
    }
}

/// An enclosure, as bounds rounded outward to three digits more than were asked for: a method may know many
/// more than anybody wants to read, and the width that was asked for still shows.
fn bounds(enclosure: &Enclosure, digits: u32) -> Value {
    let (lower, upper) = decimals(enclosure, digits);
    json!({ "lower": lower, "upper": upper })
}

fn decimals(enclosure: &Enclosure, digits: u32) -> (String, String) {
    let digits = digits.saturating_add(3);
    let shorter = |a: String, b: String| if b.len() < a.len() { b } else { a };
    (
        shorter(decimal(&enclosure.lower(), digits, Rounding::Down), enclosure.lower_decimal()),
        shorter(decimal(&enclosure.upper(), digits, Rounding::Up), enclosure.upper_decimal()),
    )
}

impl Report<'_> {
    fn json(&self) -> Value {
        let mut document = json!({
            "schema_version": SCHEMA_VERSION,
            "plan": self.listed.texts(),
            "relation": self.listed.plan().relation().map(Relation::key),
            "converted": self.listed.converted(),
            "ordered": self.listed.plan().is_ordered(),
            "digits": self.digits,
            "seconds": self.elapsed.as_secs_f64(),
        });
        let mut set = |key: &str, value: Value| {
            if let Some(fields) = document.as_object_mut() {
                fields.insert(key.to_owned(), value);
            }
        };
        match (self.question, self.found) {
            (_, Found::Many(points)) => {
                let rows = points.iter().map(|point| {
                    json!({
                        "epsilon": render(point.epsilon.get()),
                        "delta": bounds(&point.delta.enclosure, self.digits),
                        "method": point.delta.method.to_string(),
                        "narrow": point.delta.is_narrow,
                        "attained": self.is_attained(&point.delta),
                        "apart": self.apart(&point.delta),
                    })
                });
                set("profile", rows.collect());
                set("method", points.first().map_or(Value::Null, |point| point.delta.method.to_string().into()));
                set("narrow", points.iter().all(|point| point.delta.is_narrow).into());
                set("attained", points.iter().all(|point| self.is_attained(&point.delta)).into());
            }
            (question, Found::One(answer)) => {
                let (epsilon, delta) = match question {
                    Question::Delta(epsilon) => (render(epsilon.get()).into(), bounds(&answer.enclosure, self.digits)),
                    Question::Epsilon(delta) => (bounds(&answer.enclosure, self.digits), render(delta.get()).into()),
                    Question::Profile => (Value::Null, Value::Null),
                };
                set("epsilon", epsilon);
                set("delta", delta);
                set("method", answer.method.to_string().into());
                set("narrow", answer.is_narrow.into());
                set("attained", self.is_attained(answer).into());
                set("apart", self.apart(answer).into());
            }
        }
        if let Some(summary) = self.summary {
            set("summary", summary.json(self.digits, self.listed.plan().is_attained_at_once()));
        }
        document
    }

    fn print(&self, out: &mut dyn Write) -> Result<(), Failure> {
        for (index, text) in self.listed.texts().iter().enumerate() {
            writeln!(out, "{:<9} {}", if index == 0 { "plan" } else { "" }, shortened(text))?;
        }
        if let Some(relation) = self.listed.plan().relation() {
            writeln!(out, "relation  {}: neighbours differ by {}", relation.key(), neighbours(relation))?;
        }
        for text in self.listed.converted() {
            writeln!(out, "          {}: as two steps of add_remove", shortened(&text))?;
        }
        match (self.question, self.found) {
            (_, Found::Many(points)) => self.print_profile(points, out)?,
            (question, Found::One(answer)) => self.print_answer(question, answer, out)?,
        }
        if let Some(summary) = self.summary {
            summary.print(self.digits, out)?;
        }
        if !self.has_two_ends() && !self.is_attained_throughout() {
            writeln!(out, "{NOTE}")?;
        }
        if self.listed.plan().is_ordered() {
            writeln!(out, "{ORDER}")?;
        }
        Ok(())
    }

    /// Whether the lower end of an answer is the plan's own, too.
    fn is_attained(&self, answer: &Answer) -> bool {
        answer.is_attained(self.listed.plan())
    }

    /// Whether both ends are the plan's own, and apart.
    fn has_two_ends(&self) -> bool {
        let plan = self.listed.plan();
        plan.has_lower_end() && !plan.is_attained()
    }

    /// How far the ends are apart, as a share of the lower one, where they are.
    fn apart(&self, answer: &Answer) -> Option<String> {
        apart(answer).filter(|_| self.has_two_ends()).map(|apart| short(&apart))
    }

    /// Whether all that is printed is the plan's own.
    fn is_attained_throughout(&self) -> bool {
        let answers = match self.found {
            Found::One(answer) => self.is_attained(answer),
            Found::Many(points) => points.iter().all(|point| self.is_attained(&point.delta)),
        };
        answers && (self.summary.is_none() || self.listed.plan().is_attained_at_once())
    }

    fn print_answer(&self, question: &Question, answer: &Answer, out: &mut dyn Write) -> Result<(), Failure> {
        let (asked, name) = match question {
            Question::Delta(epsilon) => (format!("the smallest delta at epsilon = {}", shown(epsilon.get())), "delta"),
            Question::Epsilon(delta) => (format!("the smallest epsilon at delta = {}", shown(delta.get())), "epsilon"),
            Question::Profile => return Ok(()),
        };
        writeln!(out, "question  {asked}")?;
        writeln!(out, "{name:<9} {}", value(&answer.enclosure, self.digits))?;
        match self.apart(answer) {
            Some(apart) => writeln!(out, "ends      {apart} of the answer apart: {ENDS}")?,
            None => writeln!(out, "width     {}", width(answer, self.digits))?,
        }
        writeln!(out, "method    {}", answer.method)?;
        writeln!(out, "meaning   {}", meaning::sentence(self.listed.plan(), question, answer))?;
        Ok(())
    }

    fn print_profile(&self, points: &[Point], out: &mut dyn Write) -> Result<(), Failure> {
        let cells: Vec<_> = points
            .iter()
            .map(|point| [shown(point.epsilon.get()), value(&point.delta.enclosure, self.digits)])
            .collect();
        let widest = cells.iter().map(|[epsilon, _]| epsilon.len()).max().unwrap_or(0).max("epsilon".len());
        writeln!(out, "\n  {:>widest$}  delta", "epsilon")?;
        for ([epsilon, delta], point) in cells.iter().zip(points) {
            let is_narrow = point.delta.is_narrow || self.has_two_ends();
            let remark = if is_narrow { "" } else { "  (wider than asked)" };
            writeln!(out, "  {epsilon:>widest$}  {delta}{remark}")?;
        }
        let wide = points.iter().filter(|point| !point.delta.is_narrow).count();
        let mut methods: Vec<_> = points.iter().map(|point| point.delta.method.to_string()).collect();
        methods.sort_unstable();
        methods.dedup();
        writeln!(out, "\nmethod    {}", methods.join("; "))?;
        if self.has_two_ends() {
            writeln!(out, "ends      apart: {ENDS}")?;
        } else if wide > 0 {
            writeln!(
                out,
                "width     {wide} of {} enclosures are WIDER than the {} digits asked for",
                points.len(),
                self.digits
            )?;
        }
        Ok(())
    }
}

/// What neighbours of a relation differ by.
fn neighbours(relation: Relation) -> &'static str {
    match relation {
        Relation::AddRemove => "a record that one has and the other has not",
        _ => "the value of one record",
    }
}

/// An answer for the reader: both bounds, or the number itself where it is known.
fn value(enclosure: &Enclosure, digits: u32) -> String {
    let (lower, upper) = decimals(enclosure, digits);
    if lower == upper { format!("exactly {lower}") } else { format!("[{lower}, {upper}]") }
}

/// A number as an enclosure.
fn point(value: &Rational) -> Enclosure {
    Enclosure::enclosing(value, 256).unwrap_or_else(|| Enclosure::from_integer(0, 256))
}

/// The relative distance of the ends; nothing where the lower one is 0.
fn apart(answer: &Answer) -> Option<Rational> {
    let lower = answer.enclosure.lower();
    (!lower.is_zero()).then(|| answer.enclosure.width() / lower)
}

fn short(share: &Rational) -> String {
    decimal(share, 2, Rounding::Up)
}

/// The relative width, and whether it is what was asked for.
fn width(answer: &Answer, digits: u32) -> String {
    let (lower, width) = (answer.enclosure.lower(), answer.enclosure.width());
    let relative = if width.is_zero() {
        "0: the answer is exact".into()
    } else if lower.is_zero() {
        "the answer may be 0".into()
    } else {
        format!("{} of the answer", decimal(&(width / lower), 2, Rounding::Up))
    };
    if answer.is_narrow { relative } else { format!("{relative}; WIDER than the {digits} digits asked for") }
}

/// A given number: as a decimal if it is a short one, otherwise as a fraction.
fn shown(number: &Rational) -> String {
    let (down, up) = (decimal(number, 12, Rounding::Down), decimal(number, 12, Rounding::Up));
    if down == up { down } else { shortened(&render(number)) }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST_SHOWN) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or(text)),
        None => text.to_owned(),
    }
}
