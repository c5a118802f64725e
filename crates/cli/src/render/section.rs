//! One target in full: what it is, what was found, the drawings, the counterexample.

use std::fmt::Write as _;

use super::{
    counterexample::counterexample,
    curve,
    document::{Standing, Target},
    escape::{breakable, markup, shortened},
    glance::badge,
    losses,
    table::{enclosure, number},
};

/// The section, open or to be opened.
pub(super) fn section(target: &Target<'_>, is_open: bool, is_alone: bool) -> String {
    let open = if is_open { " open" } else { "" };
    let alarming = if target.is_alarming() { " alarm" } else { "" };
    let claim =
        target.claim().map_or_else(String::new, |claim| format!("<span class=\"claim\">{}</span>", markup(&claim)));
    let surprise =
        if target.standing() == Standing::Unexpected { "<span class=\"surprise\">not as expected</span>" } else { "" };
    let mut html = format!(
        "<details class=\"target{alarming}\" id=\"t{0}\" data-row=\"{0}\"{open}><summary><h3>{1}</h3>{2}{surprise}{claim}</summary><div class=\"body\">",
        target.index,
        breakable(&target.name()),
        badge(target),
    );
    if let Some(about) = target.text("about").filter(|about| !about.is_empty()) {
        let _ = write!(html, "<p class=\"about\">{}</p>", shortened(&about));
    }
    // A page of one target has it in its heading.
    if !is_alone {
        let _ = write!(html, "<p class=\"found\">{}</p>", shortened(&target.sentence()));
    }
    for note in target.texts("notes") {
        let _ = write!(html, "<p class=\"found\"><strong>Note:</strong> {}</p>", shortened(&note));
    }
    html.push_str(&facts(target));
    let figures: Vec<String> = [curve::figure(target), losses::figure(target)].into_iter().flatten().collect();
    if !figures.is_empty() {
        let _ = write!(html, "<div class=\"figures\">{}</div>", figures.join(""));
    }
    html.push_str(&counterexample(target).unwrap_or_default());
    html.push_str("</div></details>");
    html
}

/// The numbers that the table has no room for, and what was sampled.
fn facts(target: &Target<'_>) -> String {
    let mut rows: Vec<(&str, String)> = Vec::new();
    let mut row = |label: &'static str, content: Option<String>| rows.extend(content.map(|content| (label, content)));
    row("Exact δ(ε)", enclosure(target, "delta_exact"));
    row("δ(ε) at least", number(target, "delta_lower"));
    row("δ(ε) estimated", number(target, "delta_estimate"));
    row("δ(ε) at most", number(target, "delta_upper"));
    row("ε at least", number(target, "epsilon_lower"));
    row("Smallest δ seen every other time, in the event tested", number(target, "min_detectable_delta"));
    let searched = target.texts("searched");
    row("Kinds of events searched", (!searched.is_empty()).then(|| shortened(&searched.join(", "))));
    row("Confidence", number(target, "confidence"));
    row("Seeded", target.text("assumes").map(|assumed| format!("the confidence assumes {}", markup(&assumed))));
    let samples = match (number(target, "samples_a"), number(target, "samples_b")) {
        (Some(a), Some(b)) => Some(format!("{a} and {b}")),
        (a, b) => a.or(b),
    };
    row("Samples", samples);
    row("Seconds", number(target, "seconds"));
    let code = |text: &str| format!("<code>{}</code>", shortened(text));
    row("Mechanism", target.text("spec").map(|spec| code(&spec)));
    for (label, field) in [("Inputs", "inputs"), ("Commands", "commands"), ("Files", "files")] {
        let texts = target.texts(field);
        row(
            label,
            (!texts.is_empty()).then(|| {
                texts
                    .iter()
                    .map(|text| code(text))
                    .collect::<Vec<_>>()
                    .join(if texts.iter().all(|text| text.chars().count() <= 20) { ", " } else { "<br>" })
            }),
        );
    }
    if rows.is_empty() {
        return String::new();
    }
    let rows: String = rows
        .into_iter()
        .map(|(label, content)| {
            let long = if content.len() > 120 && content.contains("<code>") { " class=\"long\"" } else { "" };
            format!("<div{long}><dt>{label}</dt><dd>{content}</dd></div>")
        })
        .collect();
    format!("<dl class=\"about-it\">{rows}</dl>")
}
