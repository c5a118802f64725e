//! Columns of canonical values, built row by row.

use std::{collections::HashSet, sync::Arc};

use certus_ledger::plan::{Column, ReleasePlan};
use datafusion::arrow::{
    array::{ArrayRef, Int64Builder, StringBuilder},
    datatypes::{DataType, Field, Schema},
};

use super::{
    header::{Header, HeaderError},
    value::{self, Rule},
};

/// What is made of a field of the file.
#[derive(Clone, Debug)]
pub(crate) struct Declared {
    /// What it is called: `p`, `c0`, `c1`, …
    called: String,
    /// Its place in a row of the file.
    pub(crate) place: usize,
    rule: Rule,
    list: Option<Arc<HashSet<String>>>,
}

impl Declared {
    /// The person and the columns of a plan, by the names of a header. A grid that no rule takes is `None`.
    pub(crate) fn all(plan: &ReleasePlan, header: &Header) -> Result<Option<Vec<Self>>, HeaderError> {
        let mut all = Vec::new();
        if let Some(person) = &plan.person {
            let place = header.place(&person.column)?;
            all.push(Self { called: "p".to_owned(), place, rule: Rule::Text, list: None });
        }
        for (index, (name, column)) in plan.columns.iter().enumerate() {
            let place = header.place(name)?;
            let Some(rule) = Rule::of(column) else { return Ok(None) };
            let list = match column {
                Column::Text { values: Some(values) } => Some(Arc::new(values.iter().cloned().collect())),
                Column::Text { values: None } | Column::Integer { .. } | Column::Number { .. } => None,
            };
            all.push(Self { called: format!("c{index}"), place, rule, list });
        }
        Ok(Some(all))
    }
}

/// The schema of declared columns.
pub(crate) fn schema(columns: &[Declared]) -> Schema {
    let fields = columns.iter().map(|column| {
        let kind = if column.rule == Rule::Text { DataType::Utf8 } else { DataType::Int64 };
        Field::new(&column.called, kind, true)
    });
    Schema::new(fields.collect::<Vec<_>>())
}

/// A column that grows.
pub(crate) enum Builder {
    Integer(Rule, Int64Builder),
    Text(Option<Arc<HashSet<String>>>, StringBuilder),
}

impl Builder {
    pub(crate) fn new(column: &Declared, rows: usize) -> Self {
        match column.rule {
            Rule::Text => Self::Text(column.list.clone(), StringBuilder::with_capacity(rows, rows * 8)),
            rule => Self::Integer(rule, Int64Builder::with_capacity(rows)),
        }
    }

    /// Appends what a field means.
    pub(crate) fn push(&mut self, field: &[u8]) {
        match self {
            Self::Integer(rule, builder) => builder.append_option(rule.integer(field)),
            Self::Text(list, builder) => {
                let text = value::text(field);
                builder.append_option(text.filter(|text| list.as_ref().is_none_or(|list| list.contains(*text))));
            }
        }
    }

    pub(crate) fn finish(&mut self) -> ArrayRef {
        match self {
            Self::Integer(_, builder) => Arc::new(builder.finish()),
            Self::Text(_, builder) => Arc::new(builder.finish()),
        }
    }
}
