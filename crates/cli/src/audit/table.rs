//! The table of an audit.

use std::io::{self, Write};

use serde_json::Value;

use crate::render::claimed;
use certus::exact::{Rounding, decimal, parse};

/// The longest name that is shown, in characters.
const LONGEST_NAME: usize = 44;

/// What a cell shows of a number: four digits are enough to read, and the document has the rest.
fn short(value: &Value) -> String {
    let text = value.as_str().unwrap_or("-");
    let (mantissa, exponent) =
        text.split_once('e').map_or((text, None), |(mantissa, exponent)| (mantissa, Some(exponent)));
    let mut kept = String::new();
    let mut digits = 0;
    for c in mantissa.chars() {
        if c.is_ascii_digit() && (digits > 0 || c != '0') {
            digits += 1;
        }
        if digits > 4 && kept.contains('.') {
            break;
        }
        kept.push(c);
    }
    if kept.contains('.') {
        kept = kept.trim_end_matches('0').trim_end_matches('.').to_owned();
    }
    match exponent {
        Some(exponent) => format!("{kept}e{exponent}"),
        None => kept,
    }
}

fn name(text: &str) -> String {
    let printable = text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c });
    let mut kept: String = printable.take(LONGEST_NAME).collect();
    if text.chars().nth(LONGEST_NAME).is_some() {
        kept.pop();
        kept.push('…');
    }
    kept
}

/// A verdict in its colour: red, green or yellow.
fn coloured(verdict: &str) -> String {
    let code = match verdict {
        _ if verdict.contains("UNEXPECTED") || verdict == "FAILED" => "1;31",
        "violation" => "31",
        "consistent" => "32",
        _ => "33",
    };
    format!("\u{1b}[{code}m{verdict}\u{1b}[0m")
}

/// One row a target; the verdicts in colour, if so.
pub(super) fn print(targets: &[Value], is_coloured: bool, out: &mut dyn Write) -> io::Result<()> {
    let heading =
        ["target", "claim", "exact δ(ε)", "estimated δ", "interval", "ε refuted to", "δ seen from", "verdict"];
    let mut rows = vec![heading.map(str::to_owned)];
    rows.extend(targets.iter().map(row));
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..heading.len()).map(width).collect();
    for (place, row) in rows.iter().enumerate() {
        let mut line = String::new();
        let (verdict, cells) = row.split_last().map_or(("", [].as_slice()), |(last, cells)| (last.as_str(), cells));
        for (cell, width) in cells.iter().zip(&widths) {
            line.push_str(cell);
            line.extend(std::iter::repeat_n(' ', width + 2 - cell.chars().count()));
        }
        let verdict = if is_coloured && place > 0 { coloured(verdict) } else { verdict.to_owned() };
        writeln!(out, "{line}{verdict}")?;
    }
    Ok(())
}

/// The midpoint is not known better than its bounds: one of them is shown, and where the lower is 0, that it
/// is one.
fn exactly(enclosure: &Value) -> String {
    let [lower, upper] = ["lower", "upper"].map(|key| enclosure.get(key).unwrap_or(&Value::Null));
    match (lower.as_str(), upper.as_str()) {
        (Some("0"), Some("0")) => "0".to_owned(),
        (Some("0"), _) => format!("≤ {}", short(upper)),
        _ => short(upper),
    }
}

fn row(target: &Value) -> [String; 8] {
    let text = |key: &str| target.get(key).and_then(Value::as_str).unwrap_or_default();
    let of = |key: &str| short(target.get(key).unwrap_or(&Value::Null));
    if target.get("verdict").is_none_or(Value::is_null) {
        let what = if target.get("skipped").is_some_and(Value::is_string) { "skipped" } else { "FAILED" };
        return [&name(text("target")), "-", "-", "-", "-", "-", "-", what].map(str::to_owned);
    }
    let exact = target.get("delta_exact").filter(|exact| exact.is_object());
    let unexpected = target.get("as_expected").and_then(Value::as_bool) == Some(false);
    [
        name(text("target")),
        if text("delta_claimed") == "0" {
            format!("ε={}", claimed(text("epsilon")))
        } else {
            format!("ε={}, δ={}", claimed(text("epsilon")), claimed(text("delta_claimed")))
        },
        exact.map_or_else(|| "-".to_owned(), exactly),
        of("delta_estimate"),
        format!(
            "[{}, {}]",
            of("delta_lower"),
            if text("delta_upper").is_empty() { "1".to_owned() } else { of("delta_upper") }
        ),
        of("epsilon_lower"),
        // Rounded up: what is a little less would not have been seen.
        parse(text("min_detectable_delta")).map_or_else(|_| "-".to_owned(), |seen| decimal(&seen, 4, Rounding::Up)),
        format!("{}{}", text("verdict"), if unexpected { "  UNEXPECTED" } else { "" }),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_cut_not_changed() {
        for (text, shown) in [
            ("0", "0"),
            ("0.25", "0.25"),
            ("0.123456", "0.1234"),
            ("1.23456e-7", "1.234e-7"),
            ("0.00123456", "0.001234"),
            ("12345", "12345"),
            ("12.30000", "12.3"),
        ] {
            assert_eq!(short(&Value::from(text)), shown);
        }
        assert_eq!(short(&Value::Null), "-");
    }
}
