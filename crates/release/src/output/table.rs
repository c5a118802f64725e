//! A document for people: aligned columns, or CSV.

use certus::exact::{Rounding, decimal, parse};

use super::{Document, QueryText, RowText};

/// The columns of CSV and Parquet.
pub(super) const COLUMNS: [&str; 13] = [
    "query",
    "statistic",
    "column",
    "group",
    "cell",
    "value",
    "value_exact",
    "accuracy_95",
    "accuracy_95_all",
    "accuracy_kind",
    "guarantee",
    "mechanism",
    "sampler",
];

/// A released row as texts, in the order of [`COLUMNS`].
pub(super) fn records(document: &Document) -> Vec<Vec<String>> {
    let each = |query: &QueryText, row: &RowText| {
        let joined = |of: &dyn Fn(&super::MechanismText) -> String| {
            query.mechanisms.iter().map(of).collect::<Vec<_>>().join(" + ")
        };
        vec![
            query.name.clone(),
            query.statistic.clone(),
            query.column.clone().unwrap_or_default(),
            group(query, row),
            row.cell.clone().unwrap_or_default(),
            shown(&row.value, 17, Rounding::Down),
            row.value.clone(),
            row.accuracy.as_deref().map(|alpha| shown(alpha, 17, Rounding::Up)).unwrap_or_default(),
            query.accuracy_all.as_deref().map(|alpha| shown(alpha, 17, Rounding::Up)).unwrap_or_default(),
            query.accuracy_kind.clone(),
            format!("{}; neighbours: {}", query.cost.shown(), document.neighbours),
            joined(&|mechanism| mechanism.spec.clone()),
            joined(&|mechanism| mechanism.sampler.clone().unwrap_or_default()),
        ]
    };
    document.queries.iter().flat_map(|query| query.results.iter().map(move |row| each(query, row))).collect()
}

/// `sex=f; county=Kent`.
fn group(query: &QueryText, row: &RowText) -> String {
    let parts = query.by.iter().zip(&row.group).filter(|(_, value)| !value.is_empty());
    parts.map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("; ")
}

/// An exact number in decimals, rounded in a direction; a word as it is.
fn shown(exact: &str, digits: u32, rounding: Rounding) -> String {
    parse(exact).map_or_else(|_| exact.to_owned(), |value| decimal(&value, digits, rounding))
}

/// The results as CSV, with a header.
#[must_use]
pub fn csv(document: &Document) -> String {
    let field = |text: &str| {
        let is_plain = !text.contains([',', '"', '\n', '\r']);
        if is_plain { text.to_owned() } else { format!("\"{}\"", text.replace('"', "\"\"")) }
    };
    let line = |fields: &[String]| fields.iter().map(|text| field(text)).collect::<Vec<_>>().join(",") + "\n";
    let header = COLUMNS.map(String::from);
    std::iter::once(line(&header)).chain(records(document).iter().map(|record| line(record))).collect()
}

/// The results as a table, with what they cost.
#[must_use]
pub fn table(document: &Document) -> String {
    let mut rows = vec![["query", "group", "value", "± at 95 %", "mechanism"].map(String::from).to_vec()];
    for query in &document.queries {
        for row in &query.results {
            let place = [group(query, row), row.cell.clone().unwrap_or_default()];
            let place = place.iter().filter(|text| !text.is_empty()).cloned().collect::<Vec<_>>().join(" ");
            let alpha = row.accuracy.as_deref().map(|alpha| shown(alpha, 6, Rounding::Up)).unwrap_or_default();
            let alpha = match query.accuracy_kind.as_str() {
                "value" => alpha,
                kind => format!("{alpha} rows ({kind})"),
            };
            let mechanisms = query.mechanisms.iter().map(|mechanism| mechanism.spec.as_str()).collect::<Vec<_>>();
            rows.push(vec![
                query.name.clone(),
                place,
                shown(&row.value, 12, Rounding::Down),
                alpha,
                mechanisms.join(" + "),
            ]);
        }
        if query.results.is_empty() {
            rows.push(vec![
                query.name.clone(),
                "(no group reached the threshold)".into(),
                String::new(),
                String::new(),
                String::new(),
            ]);
        }
    }
    let mut samplers: Vec<&str> =
        document.queries.iter().flat_map(|query| &query.mechanisms).filter_map(|m| m.sampler.as_deref()).collect();
    samplers.sort_unstable();
    samplers.dedup();
    format!(
        "{}\ncost: {}; neighbours: {}; sampler: {}\n± holds with probability at least 95 %, of {}\n",
        aligned(&rows),
        document.cost.shown(),
        document.neighbours,
        samplers.join(", "),
        document.accuracy_of
    )
}

/// What a plan would cost, and how accurate it would be.
#[must_use]
pub fn dry_run_table(document: &Document) -> String {
    let mut rows = vec![["query", "cost", "± at 95 %", "± all at 95 %", "mechanism"].map(String::from).to_vec()];
    for query in &document.queries {
        let up = |alpha: &Option<String>| alpha.as_deref().map(|alpha| shown(alpha, 6, Rounding::Up));
        let kind =
            if query.accuracy_kind == "value" { String::new() } else { format!(" rows ({})", query.accuracy_kind) };
        let alpha = up(&query.accuracy).map_or_else(|| "with the release".into(), |alpha| alpha + &kind);
        for (i, mechanism) in query.mechanisms.iter().enumerate() {
            let (name, alpha, all) = match i {
                0 => (query.name.clone(), alpha.clone(), up(&query.accuracy_all).unwrap_or_default()),
                _ => (String::new(), String::new(), String::new()),
            };
            rows.push(vec![name, mechanism.cost.shown(), alpha, all, mechanism.spec.clone()]);
        }
    }
    format!(
        "{}\ncost: {}, of {}; neighbours: {}; no data were read, nothing was debited\n",
        aligned(&rows),
        document.cost.shown(),
        document.budget.shown(),
        document.neighbours
    )
}

/// Columns of equal width, two spaces apart.
fn aligned(rows: &[Vec<String>]) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|text| text.chars().count()).max();
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
    let line = |row: &Vec<String>| {
        let cells = row
            .iter()
            .zip(&widths)
            .map(|(text, &width)| format!("{}{}", clean(text), " ".repeat(width.saturating_sub(text.chars().count()))));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    };
    rows.iter().map(line).collect()
}

/// A key of the data may hold anything: no control character reaches a terminal.
fn clean(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}
