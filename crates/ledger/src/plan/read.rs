//! Plans from TOML. Numbers are read exactly from their own text; a key that is not known is refused.

pub(super) mod column;
pub(super) mod query;
mod table;

use std::{collections::BTreeMap, fs, io::Read as _, path::Path};

use certus::{
    exact::{Positive, Probability},
    guarantee::Relation,
    mechanism::Excerpt,
};
use toml::de::DeTable;

use super::{Budget, Person, PlanError, ReleasePlan, limits::MOST_BYTES};
pub use query::STATISTICS;
use table::Table;

/// The version key of a release plan.
pub const FORMAT: &str = "certus-release/1";

/// Every key that a plan may hold, table by table: what the published schema lists.
pub const KEYS: &[(&str, &[&str])] = &[
    ("plan", &["format", "neighbours", "person", "budget", "columns", "query"]),
    ("person", &["column", "rows", "groups", "rows_per_group"]),
    ("budget", &["epsilon", "delta", "rho"]),
    ("column", &["type", "lower", "upper", "grid", "values", "values_from"]),
    (
        "query",
        &[
            "name",
            "statistic",
            "where",
            "by",
            "keys",
            "weight",
            "accuracy",
            "cost",
            "noise",
            "after",
            "column",
            "cuts",
            "level",
            "candidates",
            "k",
        ],
    ),
    ("candidates", &["from", "to", "step"]),
];

/// The known keys of a kind of table.
fn keys(kind: &str) -> &'static [&'static str] {
    KEYS.iter().find(|(name, _)| *name == kind).map_or(&[], |(_, keys)| keys)
}

/// How the text of a second, public file is had, by the name that the plan gives it.
pub type ReadValues<'r> = &'r dyn Fn(&str) -> Result<String, PlanError>;

impl ReleasePlan {
    /// The plan of a file; files of values are looked for beside it.
    ///
    /// # Errors
    ///
    /// If a file cannot be read or is too large, or the plan is none.
    pub fn from_file(path: &Path) -> Result<Self, PlanError> {
        let name = path.display().to_string();
        let text = read_text(path, &name)?;
        let folder = path.parent().map(Path::to_owned).unwrap_or_default();
        Self::from_toml(&text, &|file| read_text(&folder.join(file), file)).map_err(|error| error.within(&name))
    }

    /// The plan of a text.
    ///
    /// # Errors
    ///
    /// If the text is no plan, or a file of values cannot be had.
    pub fn from_toml(text: &str, read_values: ReadValues<'_>) -> Result<Self, PlanError> {
        if u64::try_from(text.len()).map_or(true, |length| length > MOST_BYTES) {
            return Err(too_large());
        }
        let document = DeTable::parse(text).map_err(|error| {
            let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or("");
            let line = before.matches('\n').count() + 1;
            PlanError::new(format!("line {line}"), format!("not TOML: {}", error.message().replace('\n', ", ")))
        })?;
        let document = Table::new("plan", document.get_ref());
        document.refuse_unknown(keys("plan"))?;
        let format = document.text("format")?;
        if format.as_deref() != Some(FORMAT) {
            return Err(PlanError::new("format", format!("must be {FORMAT:?}, the format that this program reads")));
        }
        let neighbours = match document.word("neighbours", &["add_remove", "change_one"])? {
            Some("change_one") => Relation::ChangeOne,
            _ => Relation::AddRemove,
        };
        let mut columns = BTreeMap::new();
        if let Some(table) = document.table("columns")? {
            for (name, declared) in table.tables()? {
                let place = format!("column {}", Excerpt::new(&name));
                let column = column::read(&declared, read_values).map_err(|error| error.within(&place))?;
                columns.insert(name, column);
            }
        }
        let person = document.table("person")?.map(|table| person(&table)).transpose();
        let person = person.map_err(|error| error.within("person"))?;
        let budget = document.table("budget")?.ok_or_else(|| {
            PlanError::new("budget", "must be given: [budget] with epsilon, epsilon and delta, or rho")
        })?;
        let budget = budget_of(&budget).map_err(|error| error.within("budget"))?;
        let mut queries = Vec::new();
        for (place, table) in (1_usize..).zip(document.list_of_tables("query")?) {
            let place = match table.text("name") {
                Ok(Some(name)) => format!("query {}", Excerpt::new(&name)),
                _ => format!("query {place}"),
            };
            queries.push(query::read(&table, &columns, queries.len()).map_err(|error| error.within(&place))?);
        }
        Self { neighbours, person, columns, budget, queries }.checked()
    }
}

fn too_large() -> PlanError {
    PlanError::new("plan", format!("must have at most {MOST_BYTES} bytes"))
}

/// The text of a file that is not too large.
fn read_text(path: &Path, name: &str) -> Result<String, PlanError> {
    let refused = |what: String| PlanError::new(name, what);
    let file = fs::File::open(path).map_err(|error| refused(format!("could not be read: {error}")))?;
    let mut text = String::new();
    let read = file.take(MOST_BYTES + 1).read_to_string(&mut text);
    read.map_err(|error| refused(format!("could not be read as UTF-8 text: {error}")))?;
    if u64::try_from(text.len()).map_or(true, |length| length > MOST_BYTES) {
        return Err(refused(format!("must have at most {MOST_BYTES} bytes")));
    }
    Ok(text)
}

fn person(table: &Table<'_, '_>) -> Result<Person, PlanError> {
    table.refuse_unknown(keys("person"))?;
    let column = table.text("column")?.ok_or_else(|| PlanError::new("column", "must name the person's column"))?;
    let rows = table
        .count("rows")?
        .ok_or_else(|| PlanError::new("rows", "must be given: the most rows of a person that count in a query"))?;
    let groups = table.count("groups")?.unwrap_or(rows);
    let rows_per_group = table.count("rows_per_group")?.unwrap_or(rows);
    Ok(Person { column, rows, groups, rows_per_group })
}

fn budget_of(table: &Table<'_, '_>) -> Result<Budget, PlanError> {
    table.refuse_unknown(keys("budget"))?;
    let (epsilon, rho) = (table.positive("epsilon")?, table.positive("rho")?);
    let delta = table.number("delta")?;
    budget_from(epsilon, delta, rho)
}

/// The budget that was given: ε, ε and δ, or ρ.
pub(super) fn budget_from(
    epsilon: Option<Positive>,
    delta: Option<certus::exact::Rational>,
    rho: Option<Positive>,
) -> Result<Budget, PlanError> {
    match (epsilon, delta, rho) {
        (Some(epsilon), None, None) => Ok(Budget::Pure { epsilon }),
        (Some(epsilon), Some(delta), None) => {
            let delta = Probability::new(delta).map_err(|_| PlanError::new("delta", "must be above 0 and below 1"))?;
            Ok(Budget::Approximate { epsilon, delta })
        }
        (None, None, Some(rho)) => Ok(Budget::Zcdp { rho }),
        _ => Err(PlanError::new("epsilon", "the budget must be epsilon, epsilon and delta, or rho")),
    }
}

#[cfg(test)]
mod tests;
