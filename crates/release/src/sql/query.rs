//! One query of a plan: filter, then bound, then aggregate; its result as rows of text.

use std::collections::BTreeSet;

use certus_ledger::{
    Digest,
    plan::{Column, Keys, Predicate, Query, Statistic},
};

use super::{Dialect, SqlError, Writer};

/// The first column of the row whose cell is the plan's digest.
pub const BINDING_PLAN: &str = "plan";
/// The first column of the row whose cell is the rank key.
pub const BINDING_RANK: &str = "rank";
/// Steps between the bounds of a column whose squares are summed: each is at most 2^60.
pub const SQUARES_RANGE: u64 = 1 << 30;

/// What a statistic asks of the rows of a group.
struct Parts {
    /// Cells, and the condition for a row to be in one.
    cell: Option<(String, String)>,
    /// The column that is counted and summed.
    value: Option<String>,
    /// The expression whose squares are summed.
    centred: Option<String>,
}

impl Writer<'_> {
    /// Two rows that bind a result to the plan and to the rank key.
    pub(crate) fn binding(&self, digest: &Digest) -> Vec<String> {
        let row = |first: &str, cell: &str| self.row(&format!("'{first}'"), &[], &format!("'{cell}'"), ["'0'"; 5]);
        vec![row(BINDING_PLAN, &digest.to_string()), row(BINDING_RANK, &self.rank_key.to_string())]
    }

    /// The columns of a result's row.
    fn row(&self, first: &str, keys: &[String], cell: &str, numbers: [&str; 5]) -> String {
        let mut columns = vec![format!("{first} AS query")];
        for place in 0..self.key_columns() {
            let key = keys.get(place).map_or("''", String::as_str);
            columns.push(format!("{key} AS key_{}", place + 1));
        }
        columns.push(format!("{cell} AS cell"));
        let names = ["n_rows", "n_persons", "n_values", "total", "squares"];
        columns.extend(numbers.iter().zip(names).map(|(number, name)| format!("{number} AS {name}")));
        format!("SELECT {}", columns.join(", "))
    }

    /// The aggregation of a query, over the table `canonical`; nothing where there is no such query.
    pub(crate) fn query(&self, place: usize) -> Result<Option<String>, SqlError> {
        let Some(query) = self.plan.queries.get(place) else { return Ok(None) };
        let parts = self.parts(place, query)?;
        let keys = self.called(query.by.iter().map(String::as_str))?;
        let reads = reads(query);

        let mut conditions: Vec<_> = keys.iter().map(|key| format!("{key} IS NOT NULL")).collect();
        if self.plan.person.is_some() {
            conditions.push("p IS NOT NULL".to_owned());
        }
        if let Some(filter) = &query.filter {
            conditions.push(self.predicate(filter)?);
        }
        conditions.extend(parts.cell.iter().map(|(_, condition)| condition.clone()));
        let mut columns: Vec<_> = self.plan.person.iter().map(|_| "p".to_owned()).collect();
        columns.extend(self.called(reads.iter().copied())?);
        let columns = if columns.is_empty() { "1 AS nothing".to_owned() } else { columns.join(", ") };
        let mut rows = format!("SELECT {columns} FROM canonical");
        if !conditions.is_empty() {
            rows += &format!("\n  WHERE {}", conditions.join(" AND "));
        }
        let persons = self.plan.person.is_some()
            && (query.statistic == Statistic::Persons || query.keys == Keys::Thresholded && !keys.is_empty());
        let (bounded, first) = self.bounded(&format!("({rows})"), query, &reads, persons)?;
        Ok(Some(self.aggregated(place, query, &parts, &keys, &bounded, first)?))
    }

    /// The groups of the bounded rows.
    fn aggregated(
        &self,
        place: usize,
        query: &Query,
        parts: &Parts,
        keys: &[String],
        bounded: &str,
        first: Option<&str>,
    ) -> Result<String, SqlError> {
        let varchar = self.dialect.text_type();
        let mut inner: Vec<_> = keys.to_vec();
        inner.extend(parts.cell.iter().map(|(cell, _)| format!("{cell} AS cell")));
        inner.extend(parts.value.iter().map(|value| format!("{value} AS v")));
        inner.extend(parts.centred.iter().map(|centred| format!("{centred} AS d")));
        inner.extend(first.map(|first| format!("{first} AS f")));
        inner.push("1 AS one".to_owned());

        let mut shown = Vec::new();
        for (name, key) in query.by.iter().zip(keys) {
            shown.push(match self.column(name)?.0 {
                Column::Text { .. } => self.dialect.octets(key),
                Column::Integer { .. } | Column::Number { .. } => format!("CAST({key} AS {varchar})"),
            });
        }
        let text_cells = matches!(&query.statistic, Statistic::Histogram { column, .. } | Statistic::TopK { column, .. }
            if matches!(self.column(column)?.0, Column::Text { .. }));
        let cell = match parts.cell {
            None => "''".to_owned(),
            Some(_) if text_cells => self.dialect.octets("cell"),
            Some(_) => format!("CAST(cell AS {varchar})"),
        };
        let number = |expression: &str| format!("CAST({expression} AS {varchar})");
        let sum = |expression: &str| number(&format!("coalesce(sum({expression}), 0)"));
        let count = number("count(*)");
        // A sum of BIGINT wraps in one engine and fails in another.
        let squares = "CAST(d * d AS DECIMAL(38,0))";
        let row = self.row(
            &format!("'{place}'"),
            &shown,
            &cell,
            [
                &count,
                &match (first, &self.plan.person) {
                    (Some(_), _) => number("count(CASE WHEN f = 1 THEN 1 END)"),
                    (None, Some(_)) => "'0'".to_owned(),
                    (None, None) => count.clone(),
                },
                &parts.value.as_ref().map_or("'0'".to_owned(), |_| number("count(v)")),
                &parts.value.as_ref().map_or("'0'".to_owned(), |_| sum("CAST(v AS DECIMAL(38,0))")),
                &parts.centred.as_ref().map_or("'0'".to_owned(), |_| sum(squares)),
            ],
        );
        let mut groups: Vec<_> = keys.to_vec();
        groups.extend(parts.cell.iter().map(|_| "cell".to_owned()));
        let groups = if groups.is_empty() { String::new() } else { format!("\nGROUP BY {}", groups.join(", ")) };
        Ok(format!("{row}\nFROM (SELECT {} FROM {bounded} AS kept) AS grouped{groups}", inner.join(", ")))
    }

    /// What a statistic asks for.
    fn parts(&self, place: usize, query: &Query) -> Result<Parts, SqlError> {
        let nothing = Parts { cell: None, value: None, centred: None };
        let number = |name: &String| -> Result<(i64, i64, String), SqlError> {
            let wrong = || SqlError::Type(name.clone());
            match self.column(name)? {
                (
                    Column::Integer { bounds: Some((low, high)) } | Column::Number { bounds: (low, high), .. },
                    called,
                ) => Ok((*low, *high, called)),
                (Column::Integer { bounds: None }, _) | (Column::Text { .. }, _) => Err(wrong()),
            }
        };
        let present = |value: &str| format!("{value} IS NOT NULL");
        Ok(match &query.statistic {
            Statistic::Count | Statistic::Persons => nothing,
            Statistic::Sum { column } | Statistic::Mean { column } => {
                Parts { value: Some(number(column)?.2), ..nothing }
            }
            Statistic::Variance { column } => {
                let (low, high, value) = number(column)?;
                if high.abs_diff(low) > SQUARES_RANGE {
                    return Err(SqlError::Range(column.clone()));
                }
                let (low, high) = (Dialect::integer(low), Dialect::integer(high));
                // 2v − (lower + upper) without a step that could overflow.
                Parts {
                    centred: Some(format!("({value} - {low}) - ({high} - {value})")),
                    value: Some(value),
                    cell: None,
                }
            }
            Statistic::Histogram { column, cuts } => {
                let (declared, called) = self.column(column)?;
                let cell = match (declared, cuts.first(), cuts.last()) {
                    (Column::Text { values: Some(_) }, _, _) => (called.clone(), present(&called)),
                    (Column::Integer { .. } | Column::Number { .. }, Some(first), Some(last)) if cuts.len() > 1 => {
                        let (first, last) = (Dialect::integer(*first), Dialect::integer(*last));
                        let within = format!("{called} >= {first} AND {called} <= {last}");
                        (self.histogram_cell(place, &called, cuts), within)
                    }
                    _ => return Err(SqlError::Type(column.clone())),
                };
                Parts { cell: Some(cell), ..nothing }
            }
            Statistic::Quantile { column, candidates, .. } => {
                let value = number(column)?.2;
                Parts { cell: Some((self.quantile_cell(place, &value, candidates), present(&value))), ..nothing }
            }
            Statistic::TopK { column, .. } => match self.column(column)? {
                (Column::Text { values: Some(_) }, called) => {
                    Parts { cell: Some((called.clone(), present(&called))), ..nothing }
                }
                _ => return Err(SqlError::Type(column.clone())),
            },
        })
    }
}

/// The columns that a query reads: its keys, its filter's and its statistic's.
pub(crate) fn reads(query: &Query) -> BTreeSet<&str> {
    let mut names: BTreeSet<_> = query.by.iter().map(String::as_str).collect();
    if let Some(filter) = &query.filter {
        filter_reads(filter, &mut names);
    }
    match &query.statistic {
        Statistic::Count | Statistic::Persons => {}
        Statistic::Sum { column }
        | Statistic::Mean { column }
        | Statistic::Variance { column }
        | Statistic::Histogram { column, .. }
        | Statistic::Quantile { column, .. }
        | Statistic::TopK { column, .. } => {
            names.insert(column);
        }
    }
    names
}

fn filter_reads<'a>(predicate: &'a Predicate, names: &mut BTreeSet<&'a str>) {
    match predicate {
        Predicate::Compare { column, .. }
        | Predicate::In { column, .. }
        | Predicate::Between { column, .. }
        | Predicate::IsNull { column } => {
            names.insert(column);
        }
        Predicate::And(left, right) | Predicate::Or(left, right) => {
            filter_reads(left, names);
            filter_reads(right, names);
        }
        Predicate::Not(inner) => filter_reads(inner, names),
    }
}
