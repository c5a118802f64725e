//! A study on a terminal.

use std::fmt::Write as _;

use crate::{Block, Case, Setting, Study, Table};

/// The width of text.
const WIDTH: usize = 100;

/// The whole study as text.
#[must_use]
pub fn render(case: &Case, setting: &Setting, study: &Study) -> String {
    let mut text = format!("{} ({})\n{}\n\n", case.title, case.source, case.about);
    let mut plots = 0;
    for block in &study.blocks {
        match block {
            Block::Text(paragraphs) => {
                for paragraph in paragraphs.split("\n\n") {
                    text += &wrapped(paragraph, "", "");
                    text.push('\n');
                }
            }
            Block::Table(shown) => text += &table(shown),
            Block::Plot(plot) => {
                plots += 1;
                let _ = writeln!(text, "[picture {plots}: {}]\n", plot.title);
            }
        }
    }
    if !study.findings.is_empty() {
        text += "What the documents say, and what was found:\n\n";
    }
    for finding in &study.findings {
        text += &wrapped(&finding.stated, if finding.agrees { "  = " } else { "  ≠ " }, "    ");
        text += &wrapped(&finding.found, "    → ", "      ");
    }
    let values: Vec<String> = setting.values().map(|(name, value)| format!("{name} {value}")).collect();
    let _ = writeln!(text, "\n{}, seed {}", values.join(", "), setting.seed);
    text
}

/// A paragraph in lines, the first after one text and the others after another.
fn wrapped(paragraph: &str, first: &str, next: &str) -> String {
    let mut lines = String::from(first);
    let mut width = first.chars().count();
    let mut is_start = true;
    for word in paragraph.split_whitespace() {
        let length = word.chars().count();
        if !is_start && width + 1 + length > WIDTH {
            lines.push('\n');
            lines += next;
            width = next.chars().count();
            is_start = true;
        }
        if !is_start {
            lines.push(' ');
            width += 1;
        }
        lines += word;
        width += length;
        is_start = false;
    }
    lines.push('\n');
    lines
}

fn table(table: &Table) -> String {
    let length = |text: &String| text.chars().count();
    let mut widths: Vec<usize> = table.header.iter().map(length).collect();
    for row in &table.rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(length(cell));
        }
    }
    let line = |cells: &[String]| {
        let padded = cells.iter().zip(&widths).enumerate().map(|(column, (cell, width))| {
            let air = " ".repeat(width.saturating_sub(length(cell)));
            // Numbers are compared by their ends, names by their beginnings.
            if column == 0 { format!("{cell}{air}") } else { format!("{air}{cell}") }
        });
        padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    let mut text = wrapped(&table.caption, "", "");
    let _ = writeln!(text, "  {}", line(&table.header));
    let _ = writeln!(text, "  {}", "-".repeat(widths.iter().sum::<usize>() + 2 * widths.len().saturating_sub(1)));
    for row in &table.rows {
        let _ = writeln!(text, "  {}", line(row));
    }
    text.push('\n');
    text
}
