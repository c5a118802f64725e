//! All studies as one page: no network, no script, readable on a phone, light and dark.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::{Block, Case, Setting, Study, Table};

/// A case that was run.
#[derive(Debug)]
pub struct Page<'a> {
    /// The case.
    pub case: &'a Case,
    /// What it ran under.
    pub setting: Setting,
    /// What it gave.
    pub study: Study,
    /// How long it took.
    pub seconds: f64,
}

const STYLE: &str = include_str!("site.css");

/// What the numbers of the documents stand for.
const DOCUMENTS: [(&str, &str); 5] = [
    ("000", "P. Fu, Gaussian Mechanism as Protection from Sensitive Input Memorization, 2022"),
    ("001", "W. Tang, A. Wei, D. Yi, Intro to Differential Privacy (CSE 484, slides)"),
    ("002", "Section 4: DP Foundations (CS 208, Applied Privacy for Data Science, Spring 2022)"),
    ("003", "S. Fathima, Differential Privacy: Noise adding Mechanisms (a blog post)"),
    ("004", "Lecture 21: Differential Privacy (CS 4783/5783, Mathematical Foundations of Machine Learning)"),
];

/// The page.
#[must_use]
pub fn render(pages: &[Page<'_>]) -> String {
    let mut html = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>Certus: case studies</title>\n<style>\n{STYLE}</style></head>\n<body>\n<header><h1>Attacks that work, and noise that stops them</h1>\n\
         <p>Every claim, exercise and experiment of five documents on differential privacy, run: the attack first, the defence second. \
         Every ε and δ is computed by certus' accountant or auditor, and every noise is drawn by its exact samplers, but for those that are broken on purpose. \
         A number of a document is reproduced, or it is said what is wrong with it.</p>\n<nav><ol>\n"
    );
    for page in pages {
        let (right, all) =
            (page.study.findings.iter().filter(|finding| finding.agrees).count(), page.study.findings.len());
        let _ = writeln!(
            html,
            "<li><a href=\"#{0}\">{1}</a> <span class=\"source\">{2}</span><br>{3} <span class=\"count\">{right} of {all} of its statements hold</span></li>",
            page.case.name,
            escape(page.case.title),
            escape(page.case.source),
            escape(page.case.about),
        );
    }
    html += "</ol></nav>\n<details><summary>The documents</summary>\n<dl>\n";
    for (number, document) in DOCUMENTS {
        let _ = writeln!(html, "<dt>{number}</dt><dd>{}</dd>", escape(document));
    }
    html += "</dl></details></header>\n<main>\n";
    for page in pages {
        html += &section(page);
    }
    // `<` cannot end the script, nor begin anything else in it.
    let data = data(pages).to_string().replace('<', "\\u003c");
    let _ = write!(html, "</main>\n<script type=\"application/json\" id=\"data\">{data}</script>\n</body></html>\n");
    html
}

fn section(page: &Page<'_>) -> String {
    let Page { case, setting, study, seconds } = page;
    let mut html = format!(
        "<section id=\"{}\" data-case=\"{0}\">\n<h2>{}</h2>\n<p class=\"source\">{}</p>\n",
        case.name,
        escape(case.title),
        escape(case.source)
    );
    for block in &study.blocks {
        match block {
            Block::Text(paragraphs) => {
                for paragraph in paragraphs.split("\n\n") {
                    let _ = writeln!(html, "<p>{}</p>", marked(paragraph));
                }
            }
            Block::Table(shown) => html += &table(shown),
            Block::Plot(plot) => {
                let _ = writeln!(html, "<figure>{}</figure>", plot.inline());
            }
        }
    }
    if !study.findings.is_empty() {
        html += "<h3>What the documents say, and what was found</h3>\n<p>Each statement is the document's, not ours; what follows it is what was found.</p>\n<ul class=\"findings\">\n";
        for finding in &study.findings {
            let (class, sign) = if finding.agrees {
                ("holds", "their statement holds")
            } else {
                ("differs", "their statement does not hold")
            };
            let _ = writeln!(
                html,
                "<li class=\"{class}\"><span class=\"badge\">{sign}</span> <q>{}</q><br>{}</li>",
                marked(&finding.stated),
                marked(&finding.found)
            );
        }
        html += "</ul>\n";
    }
    html += "<details><summary>Numbers and setting</summary>\n<div class=\"wide\"><table class=\"figures\"><tbody>\n";
    for (name, value) in &study.figures {
        let _ = writeln!(html, "<tr><th>{}</th><td data-figure=\"{0}\">{}</td></tr>", escape(name), number(*value));
    }
    html += "</tbody></table></div>\n";
    let values: Vec<String> = setting.values().map(|(name, value)| format!("--{name} {value}")).collect();
    let _ = writeln!(
        html,
        "<p><code>certus-cases {} {} --seed {}</code>, {seconds:.1} s</p></details>\n</section>",
        case.name,
        values.join(" "),
        setting.seed
    );
    html
}

fn table(table: &Table) -> String {
    let mut html = format!(
        "<p class=\"caption\">{}</p>\n<div class=\"wide\"><table aria-label=\"{}\">\n<thead><tr>",
        marked(&table.caption),
        escape(&table.caption)
    );
    for head in &table.header {
        let _ = write!(html, "<th>{}</th>", marked(head));
    }
    html += "</tr></thead>\n<tbody>\n";
    for row in &table.rows {
        html += "<tr>";
        for cell in row {
            let _ = write!(html, "<td>{}</td>", marked(cell));
        }
        html += "</tr>\n";
    }
    html += "</tbody></table></div>\n";
    html
}

/// All numbers, tables and findings.
fn data(pages: &[Page<'_>]) -> Value {
    let cases = pages.iter().map(|page| {
        let study = &page.study;
        json!({
            "name": page.case.name,
            "title": page.case.title,
            "source": page.case.source,
            "quick": page.setting.quick,
            "seed": page.setting.seed,
            "parameters": page.setting.values().map(|(name, value)| (name.to_owned(), json!(value.to_string()))).collect::<serde_json::Map<_, _>>(),
            "seconds": page.seconds,
            "figures": study.figures.iter().map(|(name, value)| (name.clone(), json!(number(*value)))).collect::<serde_json::Map<_, _>>(),
            "findings": study.findings.iter().map(|finding| json!({"stated": finding.stated, "found": finding.found, "agrees": finding.agrees})).collect::<Vec<_>>(),
            "tables": study.tables().map(|table| json!({"caption": table.caption, "header": table.header, "rows": table.rows})).collect::<Vec<_>>(),
            "pictures": study.plots().map(|plot| plot.title.clone()).collect::<Vec<_>>(),
        })
    });
    json!({"schema_version": 1, "cases": cases.collect::<Vec<_>>()})
}

/// The shortest text that is this number.
fn number(value: f64) -> String {
    if value != 0.0 && value.is_finite() && !(1e-5..1e15).contains(&value.abs()) {
        format!("{value:e}")
    } else {
        format!("{value}")
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Escaped, with what stands in backticks as code.
fn marked(text: &str) -> String {
    let mut html = String::new();
    for (place, part) in escape(text).split('`').enumerate() {
        let _ = if place % 2 == 1 { write!(html, "<code>{part}</code>") } else { write!(html, "{part}") };
    }
    html
}
