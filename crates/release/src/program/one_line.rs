//! The plan of a command line: `people.csv sum 'income[0..100000]' --where 'age >= 40' --epsilon 1/10`.

use std::collections::BTreeMap;

use certus::{
    exact::{Positive, Probability, Rational, parse},
    guarantee::Relation,
    mechanism::Excerpt,
};
use certus_ledger::plan::{
    After, Column, Keys, Literal, Noise, Person, PlanError, Predicate, Query, ReleasePlan, STATISTICS, Share,
    Statistic, budget, column, points,
};

use super::arguments::{Neighbours, NoiseKind, OneLine};

/// The plan: one query, named by its statistic.
pub(super) fn plan(statistic: &str, of: Option<&str>, line: &OneLine) -> Result<ReleasePlan, PlanError> {
    let mut columns = BTreeMap::new();
    for declared in &line.column {
        declare(&mut columns, column(declared)?)?;
    }
    // A name, or a declaration.
    let mut named = |text: &str| -> Result<String, PlanError> {
        match column(text) {
            Ok((name, declared)) => {
                declare(&mut columns, (name.clone(), declared))?;
                Ok(name)
            }
            Err(error) if text.contains(['[', '{']) => Err(error),
            Err(_) => Ok(text.to_owned()),
        }
    };
    let of = of.map(&mut named).transpose()?;
    let by = line.by.iter().map(|text| named(text)).collect::<Result<Vec<_>, _>>()?;
    if line.threshold {
        // Keys that the data have need no list.
        for name in &by {
            columns.entry(name.clone()).or_insert(Column::Text { values: None });
        }
    }
    // The one declared column is the statistic's where none is named.
    let of = of
        .or_else(|| line.column.first().filter(|_| line.column.len() == 1).and_then(|text| Some(column(text).ok()?.0)));
    let filter: Option<Predicate> = line.filter.as_deref().map(str::parse).transpose()?;
    let person = person(line)?;
    if let Some(filter) = &filter {
        declare_by_literals(filter, &mut columns)?;
        declare_nulls(filter, &mut columns);
    }
    let query = Query {
        name: statistic.to_owned(),
        statistic: statistic_of(statistic, of, line, &columns)?,
        filter,
        by,
        keys: if line.threshold { Keys::Thresholded } else { Keys::Public },
        share: match &line.accuracy {
            Some(alpha) => Share::Accuracy(positive("--accuracy", alpha)?),
            None => Share::even()?,
        },
        noise: line.noise.map(|noise| match noise {
            NoiseKind::Laplace => Noise::Laplace,
            NoiseKind::Gaussian => Noise::Gaussian,
        }),
        after: [(line.consistent, After::Consistent), (line.non_negative, After::NonNegative)]
            .into_iter()
            .filter_map(|(asked, after)| asked.then_some(after))
            .collect(),
    };
    let neighbours = match line.neighbours {
        Neighbours::AddRemove => Relation::AddRemove,
        Neighbours::ChangeOne => Relation::ChangeOne,
    };
    let budget = budget(line.epsilon.as_deref(), line.delta.as_deref(), line.rho.as_deref())?;
    ReleasePlan { neighbours, person, columns, budget, queries: vec![query] }.checked()
}

fn declare(columns: &mut BTreeMap<String, Column>, (name, declared): (String, Column)) -> Result<(), PlanError> {
    match columns.insert(name.clone(), declared.clone()) {
        Some(earlier) if earlier != declared => {
            Err(PlanError::new("--column", format!("{} must be declared once", Excerpt::new(&name))))
        }
        _ => Ok(()),
    }
}

fn person(line: &OneLine) -> Result<Option<Person>, PlanError> {
    let Some(column) = line.person.clone() else { return Ok(None) };
    let rows = line.rows.ok_or_else(|| {
        PlanError::new("--rows", "must be given beside --person: the most rows of a person that count")
    })?;
    let (groups, rows_per_group) = (line.groups.unwrap_or(rows), line.rows_per_group.unwrap_or(rows));
    Ok(Some(Person { column, rows, groups, rows_per_group }))
}

fn statistic_of(
    name: &str,
    of: Option<String>,
    line: &OneLine,
    columns: &BTreeMap<String, Column>,
) -> Result<Statistic, PlanError> {
    let unwanted = [
        ("--cuts", line.cuts.is_some(), name == "histogram"),
        ("--level", line.level.is_some(), name == "quantile"),
        ("--candidates", line.candidates.is_some(), matches!(name, "quantile" | "median")),
        ("--k", line.k.is_some(), name == "top_k"),
    ];
    if let Some((argument, ..)) = unwanted.iter().find(|(_, is_given, is_wanted)| *is_given && !is_wanted) {
        return Err(PlanError::new(*argument, format!("must not be given for the statistic {}", Excerpt::new(name))));
    }
    let column = |of: Option<String>| {
        of.ok_or_else(|| PlanError::new("COLUMN", format!("must follow {name}: such as {name} 'age[0..120]'")))
    };
    let steps = |argument: &str, text: &str, column: &str| {
        let declared = columns.get(column).cloned().unwrap_or(Column::Integer { bounds: None });
        points(argument, text, &declared)
    };
    Ok(match name {
        "count" => Statistic::Count,
        "persons" => Statistic::Persons,
        "sum" => Statistic::Sum { column: column(of)? },
        "mean" => Statistic::Mean { column: column(of)? },
        "variance" => Statistic::Variance { column: column(of)? },
        "histogram" => {
            let column = column(of)?;
            let cuts = line.cuts.as_deref().map(|cuts| steps("--cuts", cuts, &column)).transpose()?;
            Statistic::Histogram { cuts: cuts.unwrap_or_default(), column }
        }
        "top_k" => {
            let k = line.k.ok_or_else(|| PlanError::new("--k", "must be given: how many values"))?;
            Statistic::TopK { column: column(of)?, k }
        }
        "quantile" | "median" => {
            let column = column(of)?;
            let level = if name == "median" { "1/2" } else { line.level.as_deref().unwrap_or("") };
            let level = parse(level).ok().and_then(|level| Probability::new(level).ok());
            let level = level.ok_or_else(|| PlanError::new("--level", "must be given: from 0 to 1, such as 0.9"))?;
            let candidates = match &line.candidates {
                Some(text) => steps("--candidates", text, &column)?,
                None => every_step(columns.get(&column))?,
            };
            Statistic::Quantile { column, level, candidates }
        }
        _ => {
            let what = format!("must be one of {}, not {}", STATISTICS.join(", "), Excerpt::new(name));
            return Err(PlanError::new("STATISTIC", what));
        }
    })
}

fn every_step(column: Option<&Column>) -> Result<Vec<i64>, PlanError> {
    let Some(declared) = column else { return Ok(vec![0]) };
    let (Some((lower, upper)), Some(width)) = (declared.steps(), declared.step()) else { return Ok(vec![0]) };
    let in_unit = |steps: i64| certus::exact::render(&(Rational::from_integer(steps.into()) * &width));
    points(
        "--candidates",
        &format!("{}..{}/{}", in_unit(lower), in_unit(upper), certus::exact::render(&width)),
        declared,
    )
}

/// A column that only the filter reads has the type of what it is compared with.
fn declare_by_literals(filter: &Predicate, columns: &mut BTreeMap<String, Column>) -> Result<(), PlanError> {
    let mut declare = |name: &str, literal: Option<&Literal>| -> Result<(), PlanError> {
        if columns.contains_key(name) {
            return Ok(());
        }
        let declared = match literal {
            Some(Literal::Number(value)) if value.is_integer() => Column::Integer { bounds: None },
            Some(Literal::Number(_)) => {
                let what = format!(
                    "{} is compared with a fraction: declare it, as 'NAME=number[LOWER..UPPER]/GRID'",
                    Excerpt::new(name)
                );
                return Err(PlanError::new("--column", what));
            }
            Some(Literal::Text(_)) | None => Column::Text { values: None },
        };
        columns.insert(name.to_owned(), declared);
        Ok(())
    };
    match filter {
        Predicate::Compare { column, literal, .. } => declare(column, Some(literal)),
        Predicate::In { column, literals } => declare(column, literals.first()),
        Predicate::Between { column, low, .. } => declare(column, Some(low)),
        Predicate::IsNull { .. } => Ok(()),
        Predicate::And(left, right) | Predicate::Or(left, right) => {
            declare_by_literals(left, columns)?;
            declare_by_literals(right, columns)
        }
        Predicate::Not(inner) => declare_by_literals(inner, columns),
    }
}

/// A column that is only asked whether it is missing is a text.
fn declare_nulls(filter: &Predicate, columns: &mut BTreeMap<String, Column>) {
    match filter {
        Predicate::IsNull { column } => {
            columns.entry(column.clone()).or_insert(Column::Text { values: None });
        }
        Predicate::And(left, right) | Predicate::Or(left, right) => {
            declare_nulls(left, columns);
            declare_nulls(right, columns);
        }
        Predicate::Not(inner) => declare_nulls(inner, columns),
        _ => {}
    }
}

fn positive(argument: &str, text: &str) -> Result<Positive, PlanError> {
    let value = parse(text).ok().and_then(|value| Positive::new(value).ok());
    value.ok_or_else(|| PlanError::new(argument, format!("must be a positive number, not {}", Excerpt::new(text))))
}
