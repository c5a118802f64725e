//! The canonical text of a plan: a plan file that reads as the same plan again, so that no two plans share a
//! text. Its SHA-256 is the plan's digest.

use std::fmt::Write as _;

use certus::exact::{Rational, render};

use super::{After, Budget, Column, Keys, Noise, Query, ReleasePlan, Share, Statistic, read::FORMAT};
use crate::Digest;

impl ReleasePlan {
    /// The canonical text: every default written out, columns by name, numbers as fractions in lowest terms,
    /// values of files in place.
    #[must_use]
    pub fn canonical(&self) -> String {
        let mut text = String::new();
        self.write(&mut text);
        text
    }

    /// SHA-256 of the canonical text.
    #[must_use]
    pub fn digest(&self) -> Digest {
        Digest::of(self.canonical().as_bytes())
    }

    fn write(&self, out: &mut String) {
        line(out, "format", &quoted(FORMAT));
        line(out, "neighbours", &quoted(self.neighbours.key()));
        if let Some(person) = &self.person {
            out.push_str("\n[person]\n");
            line(out, "column", &quoted(&person.column));
            line(out, "rows", &person.rows.to_string());
            line(out, "groups", &person.groups.to_string());
            line(out, "rows_per_group", &person.rows_per_group.to_string());
        }
        out.push_str("\n[budget]\n");
        match &self.budget {
            Budget::Pure { epsilon } => line(out, "epsilon", &fraction(epsilon.get())),
            Budget::Approximate { epsilon, delta } => {
                line(out, "epsilon", &fraction(epsilon.get()));
                line(out, "delta", &fraction(delta.get()));
            }
            Budget::Zcdp { rho } => line(out, "rho", &fraction(rho.get())),
        }
        for (name, column) in &self.columns {
            let _ = write!(out, "\n[columns.{}]\n", quoted(name));
            column.write(out);
        }
        for query in &self.queries {
            out.push_str("\n[[query]]\n");
            query.write(self, out);
        }
    }
}

impl Column {
    fn write(&self, out: &mut String) {
        let unit = self.step().unwrap_or_else(|| Rational::from_integer(1.into()));
        let (kind, bounds) = match self {
            Self::Integer { bounds } => ("integer", *bounds),
            Self::Number { bounds, .. } => ("number", Some(*bounds)),
            Self::Text { .. } => ("text", None),
        };
        line(out, "type", &quoted(kind));
        if let Some((lower, upper)) = bounds {
            line(out, "lower", &in_unit(lower, &unit));
            line(out, "upper", &in_unit(upper, &unit));
        }
        match self {
            Self::Number { grid, .. } => line(out, "grid", &fraction(grid.get())),
            Self::Text { values: Some(values) } => line(out, "values", &list(values.iter().map(|value| quoted(value)))),
            _ => {}
        }
    }
}

impl Query {
    fn write(&self, plan: &ReleasePlan, out: &mut String) {
        line(out, "name", &quoted(&self.name));
        let unit = self.statistic.column().and_then(|column| plan.columns.get(column)).and_then(Column::step);
        let unit = unit.unwrap_or_else(|| Rational::from_integer(1.into()));
        let points = |points: &[i64]| list(points.iter().map(|point| in_unit(*point, &unit)));
        line(out, "statistic", &quoted(self.statistic.key()));
        if let Some(column) = self.statistic.column() {
            line(out, "column", &quoted(column));
        }
        match &self.statistic {
            Statistic::Histogram { cuts, .. } if !cuts.is_empty() => line(out, "cuts", &points(cuts)),
            Statistic::Quantile { level, candidates, .. } => {
                line(out, "level", &fraction(level.get()));
                line(out, "candidates", &points(candidates));
            }
            Statistic::TopK { k, .. } => line(out, "k", &k.to_string()),
            _ => {}
        }
        if let Some(filter) = &self.filter {
            line(out, "where", &quoted(&filter.to_string()));
        }
        if !self.by.is_empty() {
            line(out, "by", &list(self.by.iter().map(|column| quoted(column))));
        }
        let keys = match self.keys {
            Keys::Public => "public",
            Keys::Thresholded => "thresholded",
        };
        line(out, "keys", &quoted(keys));
        let (key, value) = match &self.share {
            Share::Weight(weight) => ("weight", weight),
            Share::Accuracy(accuracy) => ("accuracy", accuracy),
            Share::Cost(cost) => ("cost", cost),
        };
        line(out, key, &fraction(value.get()));
        if let Some(noise) = self.noise {
            let noise = match noise {
                Noise::Laplace => "laplace",
                Noise::Gaussian => "gaussian",
            };
            line(out, "noise", &quoted(noise));
        }
        if !self.after.is_empty() {
            let step = |after: &After| match after {
                After::NonNegative => quoted("non_negative"),
                After::Consistent => quoted("consistent"),
            };
            line(out, "after", &list(self.after.iter().map(step)));
        }
    }
}

impl Statistic {
    /// Its name in a plan; a median is the quantile of level 1/2.
    #[must_use]
    pub fn key(&self) -> &'static str {
        match self {
            Self::Count => "count",
            Self::Persons => "persons",
            Self::Sum { .. } => "sum",
            Self::Mean { .. } => "mean",
            Self::Variance { .. } => "variance",
            Self::Histogram { .. } => "histogram",
            Self::Quantile { .. } => "quantile",
            Self::TopK { .. } => "top_k",
        }
    }
}

fn line(out: &mut String, key: &str, value: &str) {
    let _ = writeln!(out, "{key} = {value}");
}

fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(", "))
}

/// A number as the text that `parse` reads.
fn fraction(value: &Rational) -> String {
    quoted(&render(value))
}

fn in_unit(steps: i64, unit: &Rational) -> String {
    fraction(&(Rational::from_integer(steps.into()) * unit))
}

/// A basic string of TOML.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if c.is_control() => {
                let _ = write!(out, "\\u{:04X}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
