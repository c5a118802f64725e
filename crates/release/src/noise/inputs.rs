//! The exact numbers that noise is added to, key by key, and what keys are called.

use std::collections::BTreeMap;

use certus::exact::{BigInt, Rational, render};
use certus_ledger::plan::{Column, Statistic};

use super::{DrawError, Drawing};
use crate::{
    aggregates::Group,
    price::{Role, whole},
};

/// What a row is called: its key, and its cell.
pub(super) type Labels = Vec<(Vec<String>, Option<String>)>;

impl Drawing<'_> {
    /// Every public key or cell, in order, and its group, if the data have it.
    pub(super) fn listed(&self, groups: &[Group]) -> Result<(Labels, Vec<Option<Group>>), DrawError> {
        if let Statistic::Histogram { .. } = self.query.statistic {
            let labels = self.cells()?;
            let found = self.by_cell(groups, labels.len())?;
            return Ok((labels.into_iter().map(|label| (Vec::new(), Some(label))).collect(), found));
        }
        let mut by_key: BTreeMap<&[String], &Group> = BTreeMap::new();
        for group in groups {
            if group.cell.is_some() || by_key.insert(&group.key, group).is_some() {
                return Err(DrawError::Aggregates("a group is there twice"));
            }
        }
        let keys = self.plan.keys_of(self.query);
        let found: Vec<Option<Group>> = keys.iter().map(|key| by_key.remove(key.as_slice()).cloned()).collect();
        if !by_key.is_empty() {
            return Err(DrawError::Aggregates("a group is not on the public list"));
        }
        Ok((keys.iter().map(|key| (self.shown(key), None)).collect(), found))
    }

    /// The group of each cell.
    pub(super) fn by_cell(&self, groups: &[Group], cells: usize) -> Result<Vec<Option<Group>>, DrawError> {
        let mut found: Vec<Option<Group>> = vec![None; cells];
        for group in groups {
            let place = group.cell.and_then(|cell| usize::try_from(cell).ok()).and_then(|cell| found.get_mut(cell));
            match place {
                Some(place @ None) => *place = Some(group.clone()),
                _ => return Err(DrawError::Aggregates("a cell is there twice, or is none of the query's")),
            }
        }
        Ok(found)
    }

    /// Refuses keys that are there twice or of another length; they are sorted.
    pub(super) fn check_keys(&self, sorted: &[&Group]) -> Result<(), DrawError> {
        let is_twice = sorted.iter().zip(sorted.iter().skip(1)).any(|(a, b)| a.key == b.key);
        if is_twice || sorted.iter().any(|group| group.key.len() != self.query.by.len() || group.cell.is_some()) {
            return Err(DrawError::Aggregates("a group is there twice, or has another number of columns"));
        }
        Ok(())
    }

    /// The exact number of a part, of a group; that of nobody where the data have none.
    pub(super) fn exact(&self, role: Role, group: Option<&Group>) -> BigInt {
        let Some(group) = group else { return BigInt::from(0) };
        let (lower, upper) = self.bounds();
        let (middle, width) = (BigInt::from(lower) + upper, BigInt::from(upper) - lower);
        match (role, &self.query.statistic) {
            (Role::CentredSum, _) => BigInt::from(group.sum) * 2 - middle * group.values,
            (Role::CentredSquares, _) => BigInt::from(group.squares) * 2 - &width * &width * group.values,
            (Role::ValueCount, _) => group.values.into(),
            (_, Statistic::Sum { .. }) => group.sum.into(),
            (_, Statistic::Persons) => group.persons.into(),
            _ => group.rows.into(),
        }
    }

    /// The bounds of the statistic's column, in steps.
    pub(super) fn bounds(&self) -> (i64, i64) {
        self.column().and_then(Column::steps).unwrap_or((0, 0))
    }

    pub(super) fn column(&self) -> Option<&Column> {
        self.query.statistic.column().and_then(|column| self.plan.columns.get(column))
    }

    /// The width of a step of the statistic: that of the column, for what is in its unit.
    pub(super) fn step(&self) -> Rational {
        match self.query.statistic {
            Statistic::Count | Statistic::Persons | Statistic::Histogram { .. } | Statistic::TopK { .. } => None,
            _ => self.column().and_then(Column::step),
        }
        .unwrap_or_else(|| whole(1))
    }

    /// A key in the unit of its columns.
    pub(super) fn shown(&self, key: &[String]) -> Vec<String> {
        let in_unit = |(name, value): (&String, &String)| match self.plan.columns.get(name) {
            Some(column @ Column::Number { .. }) => {
                let steps = certus::exact::parse(value).unwrap_or_else(|_| whole(0));
                render(&(steps * column.step().unwrap_or_else(|| whole(1))))
            }
            _ => value.clone(),
        };
        self.query.by.iter().zip(key).map(in_unit).collect()
    }

    /// What the cells of a histogram are called: values, or intervals.
    fn cells(&self) -> Result<Vec<String>, DrawError> {
        let Statistic::Histogram { cuts, .. } = &self.query.statistic else { return Ok(Vec::new()) };
        match self.column() {
            Some(Column::Text { values: Some(values) }) => Ok(values.clone()),
            Some(column) => {
                let unit = column.step().unwrap_or_else(|| whole(1));
                let shown = |steps: &i64| render(&(whole(*steps) * &unit));
                let last = cuts.len().saturating_sub(2);
                let cells = cuts.iter().zip(cuts.iter().skip(1)).enumerate();
                Ok(cells
                    .map(|(i, (from, to))| {
                        format!("[{}, {}{}", shown(from), shown(to), if i == last { ']' } else { ')' })
                    })
                    .collect())
            }
            None => Err(DrawError::Aggregates("the column is not declared")),
        }
    }
}
