//! One row of a result, as text, made a group; what the plan excludes is refused.

use std::{
    collections::{HashMap, HashSet},
    str::FromStr,
};

use certus_ledger::{
    Digest,
    plan::{Column, Keys, Query, ReleasePlan, Statistic},
};

use super::{Group, RankKey};
use crate::sql::{BINDING_PLAN, BINDING_RANK};

/// What is wrong with a row. It says nothing of what the row holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// Fields.
    #[error("a row does not have as many fields as the plan's result")]
    Fields,
    /// The first field.
    #[error("a row is of no query of the plan")]
    Query,
    /// A digest or key that cannot be read.
    #[error("the row that names the plan or the rank key cannot be read")]
    Binding,
    /// A key.
    #[error("a key is not of its column's type, bounds or list")]
    Key,
    /// A cell.
    #[error("a cell is none of the query's")]
    Cell,
    /// A number.
    #[error("a number is not in plain decimal digits")]
    Number,
    /// Numbers that contradict each other or the plan's bounds.
    #[error("a group has numbers that no rows within the plan's bounds could have")]
    Impossible,
    /// A group twice: part of the work may have been done twice.
    #[error("a group occurs twice")]
    Twice,
}

/// A row of a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Row {
    /// The digest of the plan.
    Plan(Digest),
    /// The rank key.
    Rank(RankKey),
    /// A group of the query of this index.
    Group(usize, Group),
}

/// Reads rows, and remembers which groups it has seen.
pub struct Reader<'a> {
    plan: &'a ReleasePlan,
    keys: usize,
    lists: Vec<HashMap<&'a str, u32>>,
    seen: HashSet<(usize, Vec<String>, Option<u32>)>,
}

impl<'a> Reader<'a> {
    /// A reader that has seen nothing.
    #[must_use]
    pub fn new(plan: &'a ReleasePlan) -> Self {
        let keys = plan.queries.iter().map(|query| query.by.len()).max().unwrap_or(0);
        let lists = plan.columns.values().map(|column| match column {
            Column::Text { values: Some(values) } => values.iter().map(String::as_str).zip(0..).collect(),
            Column::Text { values: None } | Column::Integer { .. } | Column::Number { .. } => HashMap::new(),
        });
        Self { plan, keys, lists: lists.collect(), seen: HashSet::new() }
    }

    /// Reads a row. A group that was read before is a fault.
    ///
    /// # Errors
    ///
    /// What is wrong with the row.
    pub fn row(&mut self, fields: &[&str]) -> Result<Row, Fault> {
        let row = self.read(fields)?;
        if let Row::Group(place, group) = &row
            && !self.seen.insert((*place, group.key.clone(), group.cell))
        {
            return Err(Fault::Twice);
        }
        Ok(row)
    }

    /// Reads a row of a result in which the engine itself gives each group once.
    pub(crate) fn read(&self, fields: &[&str]) -> Result<Row, Fault> {
        let Some((first, rest)) = fields.split_first() else { return Err(Fault::Fields) };
        let Some((keys, rest)) = rest.split_at_checked(self.keys) else { return Err(Fault::Fields) };
        let [cell, rows, persons, values, sum, squares] = *rest else { return Err(Fault::Fields) };
        match *first {
            BINDING_PLAN => return cell.parse().map(Row::Plan).map_err(|_| Fault::Binding),
            BINDING_RANK => return cell.parse().map(Row::Rank).map_err(|_| Fault::Binding),
            _ => {}
        }
        let place: usize = decimal(first).map_err(|_| Fault::Query)?;
        let query = self.plan.queries.get(place).ok_or(Fault::Query)?;
        let (keys, absent) = keys.split_at_checked(query.by.len()).ok_or(Fault::Fields)?;
        if absent.iter().any(|key| !key.is_empty()) {
            return Err(Fault::Key);
        }
        let key = query.by.iter().zip(keys).map(|(name, key)| self.key(name, key));
        let group = Group {
            key: key.collect::<Result<_, _>>()?,
            cell: self.cell(query, cell)?,
            rows: decimal(rows)?,
            persons: decimal(persons)?,
            values: decimal(values)?,
            sum: decimal(sum)?,
            squares: decimal(squares)?,
        };
        if self.possible(query, &group) { Ok(Row::Group(place, group)) } else { Err(Fault::Impossible) }
    }

    fn column(&self, name: &str) -> Option<(&'a Column, &HashMap<&'a str, u32>)> {
        let place = self.plan.columns.keys().position(|key| key == name)?;
        Some((self.plan.columns.get(name)?, self.lists.get(place)?))
    }

    fn key(&self, name: &str, key: &str) -> Result<String, Fault> {
        let (column, list) = self.column(name).ok_or(Fault::Key)?;
        match column {
            Column::Text { values } => {
                let text = octets(key).filter(|text| !text.is_empty()).ok_or(Fault::Key)?;
                let listed = values.is_none() || list.contains_key(text.as_str());
                if listed { Ok(text) } else { Err(Fault::Key) }
            }
            Column::Integer { .. } | Column::Number { .. } => {
                let (low, high) = bounds(column);
                let value: i64 = decimal(key).map_err(|_| Fault::Key)?;
                if (low..=high).contains(&value) { Ok(key.to_owned()) } else { Err(Fault::Key) }
            }
        }
    }

    fn cell(&self, query: &Query, cell: &str) -> Result<Option<u32>, Fault> {
        let below = |count: usize| match decimal::<u32>(cell) {
            Ok(cell) if usize::try_from(cell).is_ok_and(|cell| cell < count) => Ok(Some(cell)),
            _ => Err(Fault::Cell),
        };
        match &query.statistic {
            Statistic::Histogram { column, cuts } => match self.column(column).ok_or(Fault::Cell)? {
                (Column::Text { .. }, list) => listed(list, cell),
                (Column::Integer { .. } | Column::Number { .. }, _) => below(cuts.len().saturating_sub(1)),
            },
            Statistic::TopK { column, .. } => listed(self.column(column).ok_or(Fault::Cell)?.1, cell),
            Statistic::Quantile { candidates, .. } => below(2 * candidates.len() + 1),
            Statistic::Count
            | Statistic::Persons
            | Statistic::Sum { .. }
            | Statistic::Mean { .. }
            | Statistic::Variance { .. } => {
                if cell.is_empty() {
                    Ok(None)
                } else {
                    Err(Fault::Cell)
                }
            }
        }
    }

    /// Whether rows within the plan's bounds could have these numbers.
    fn possible(&self, query: &Query, group: &Group) -> bool {
        let Group { rows, persons, values, sum, squares, .. } = *group;
        let grouped = !query.by.is_empty() || group.cell.is_some();
        if values > rows || persons > rows || grouped && rows == 0 {
            return false;
        }
        let counted = match &self.plan.person {
            None => persons == rows,
            Some(_)
                if query.statistic == Statistic::Persons || query.keys == Keys::Thresholded && !query.by.is_empty() =>
            {
                // Each person of a group is counted in one of its cells.
                group.cell.is_some() || (persons == 0) == (rows == 0)
            }
            Some(_) => persons == 0,
        };
        let (low, high) = match &query.statistic {
            Statistic::Sum { column } | Statistic::Mean { column } | Statistic::Variance { column } => {
                self.column(column).map_or((0, 0), |(column, _)| bounds(column))
            }
            Statistic::Count
            | Statistic::Persons
            | Statistic::Histogram { .. }
            | Statistic::Quantile { .. }
            | Statistic::TopK { .. } => {
                return counted && values == 0 && sum == 0 && squares == 0;
            }
        };
        // |low|, |high| ≤ 2^63 and values < 2^64: the products are below 2^127.
        let values = i128::from(values);
        let within = values * i128::from(low) <= sum && sum <= values * i128::from(high);
        let most = i128::from(high.abs_diff(low)).checked_pow(2).and_then(|square| square.checked_mul(values));
        let spread = match &query.statistic {
            Statistic::Variance { .. } => squares >= 0 && most.is_none_or(|most| squares <= most),
            _ => squares == 0,
        };
        counted && within && spread
    }
}

/// The bounds of an integer or number.
fn bounds(column: &Column) -> (i64, i64) {
    match column {
        Column::Number { bounds, .. } => *bounds,
        Column::Integer { bounds } => bounds.unwrap_or((i64::MIN, i64::MAX)),
        Column::Text { .. } => (0, 0),
    }
}

fn listed(list: &HashMap<&str, u32>, cell: &str) -> Result<Option<u32>, Fault> {
    let text = octets(cell).ok_or(Fault::Cell)?;
    list.get(text.as_str()).copied().map(Some).ok_or(Fault::Cell)
}

/// A number in decimal digits as the engines write it: no sign but a minus, no leading zero.
fn decimal<T: FromStr + ToString>(text: &str) -> Result<T, Fault> {
    text.parse::<T>().ok().filter(|value| value.to_string() == text).ok_or(Fault::Number)
}

/// The text of 'x' and the hexadecimal digits of its octets.
fn octets(text: &str) -> Option<String> {
    let digits = text.strip_prefix('x')?.as_bytes();
    let digit = |byte: &u8| char::from(*byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let octet = |pair: &[u8]| match pair {
        [high, low] => Some(digit(high)? * 16 + digit(low)?),
        _ => None,
    };
    String::from_utf8(digits.chunks(2).map(octet).collect::<Option<_>>()?).ok()
}
