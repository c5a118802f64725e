//! The table: a row for each target, every number as the document has it, and where its δ lies, drawn.
#![expect(clippy::float_arithmetic, reason = "drawing")]

use std::fmt::Write as _;

use super::{
    document::{Standing, Target, claimed, text, to_draw},
    escape::{breakable, markup},
    glance::{badge, look},
    svg::pixel,
};

/// The drawing of a δ: its size, the margin, and where the logarithm begins.
const STRIP: (f64, f64) = (150.0, 22.0);
const MARGIN: f64 = 6.0;
const LEAST: f64 = -4.0;

/// A longer number of a claim is shown as people write it.
const LONGEST_CLAIM: usize = 12;

/// A number of a target, marked so that it can be compared with the document.
pub(super) fn number(target: &Target<'_>, field: &str) -> Option<String> {
    let text = target.text(field)?;
    Some(marked(target, field, &grouped(&text)))
}

fn marked(target: &Target<'_>, field: &str, html: &str) -> String {
    format!("<span class=\"n\" data-target=\"{}\" data-field=\"{field}\">{html}</span>", target.index)
}

/// A long integer in groups of three that only the eye sees: the text stays what it is.
fn grouped(text: &str) -> String {
    // A long fraction may be broken after its bar.
    if let Some((over, under)) = text.split_once('/') {
        return format!("{}/<wbr>{}", markup(over), markup(under));
    }
    if text.len() < 5 || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return markup(text);
    }
    let mut html = String::new();
    for (index, digit) in text.chars().enumerate() {
        let is_start = index > 0 && (text.len() - index).is_multiple_of(3);
        if is_start {
            html.push_str("<i></i>");
        }
        html.push(digit);
    }
    html
}

/// Both bounds of an enclosure, one above the other; what the upper shares with the lower is faint.
pub(super) fn enclosure(target: &Target<'_>, field: &str) -> Option<String> {
    let value = target.object(field)?;
    let (lower, upper) = (text(value, "lower")?, text(value, "upper")?);
    if lower == upper {
        return Some(marked(target, field, &markup(&lower)));
    }
    let shared: usize =
        lower.chars().zip(upper.chars()).take_while(|(one, other)| one == other).map(|(one, _)| one.len_utf8()).sum();
    let (same, rest) = upper.split_at_checked(shared).unwrap_or(("", &upper));
    let faint = format!("<span class=\"same\">{}</span>{}", markup(same), markup(rest));
    let (lower, upper) =
        (marked(target, &format!("{field}.lower"), &markup(&lower)), marked(target, &format!("{field}.upper"), &faint));
    Some(format!("<span class=\"stack\">{lower}{upper}</span>"))
}

/// All rows.
pub(super) fn table(targets: &[Target<'_>]) -> String {
    let has_exact = targets.iter().any(|target| target.object("delta_exact").is_some());
    let has_expected = targets.iter().any(|target| target.text("expected").is_some());
    let mut html = String::from(
        "<div class=\"wide\"><table class=\"targets\"><thead><tr><th scope=\"col\">Target</th><th scope=\"col\">Claim</th>",
    );
    if has_exact {
        html.push_str("<th scope=\"col\">Exact δ(ε)</th>");
    }
    html.push_str("<th scope=\"col\">Estimated δ(ε)</th>");
    let _ = write!(html, "<th scope=\"col\" class=\"strip\"><span class=\"name\">Where δ lies</span>{}</th>", scale());
    html.push_str("<th scope=\"col\">Verdict</th>");
    if has_expected {
        html.push_str("<th scope=\"col\">Expected</th>");
    }
    html.push_str("</tr></thead><tbody>");
    for target in targets {
        let alarming = if target.is_alarming() { " class=\"alarm\"" } else { "" };
        let _ = write!(
            html,
            "<tr{alarming} data-row=\"{0}\" data-verdict=\"{1}\"{2}><th scope=\"row\"><a href=\"#t{0}\" data-target=\"{0}\" data-field=\"target\">{3}</a></th>",
            target.index,
            look(target).0,
            if target.standing() == Standing::Unexpected { " data-unexpected" } else { "" },
            breakable(&target.name())
        );
        let claim: Vec<String> = [("ε", "epsilon"), ("δ", "delta_claimed")]
            .into_iter()
            .filter_map(|(symbol, field)| {
                let exact = target.text(field)?;
                let number = if exact.len() <= LONGEST_CLAIM {
                    number(target, field)?
                } else {
                    format!("{}<span hidden=\"\">{}</span>", markup(&claimed(&exact)), number(target, field)?)
                };
                Some(format!("<span class=\"pair\">{symbol} = {number}</span>"))
            })
            .collect();
        cell(&mut html, "Claim", (!claim.is_empty()).then(|| claim.join(" ")));
        if has_exact {
            cell(&mut html, "Exact δ(ε)", enclosure(target, "delta_exact"));
        }
        cell(&mut html, "Estimated δ(ε)", estimated(target));
        cell(&mut html, "Where δ lies", strip(target));
        cell(&mut html, "Verdict", Some(badge(target)));
        if has_expected {
            let expected = target.text("expected").map(|expected| {
                let word = if expected == "no-violation" { "no violation" } else { expected.as_ref() };
                match target.standing() {
                    Standing::Unexpected => {
                        format!("<span class=\"surprise\"><span aria-hidden=\"true\">≠</span> {}</span>", markup(word))
                    }
                    _ => format!("<span class=\"met\">{}</span>", markup(word)),
                }
            });
            cell(&mut html, "Expected", expected);
        }
        html.push_str("</tr>");
    }
    html.push_str("</tbody></table></div>");
    html
}

fn cell(html: &mut String, label: &str, content: Option<String>) {
    // A cell that is empty says so by a dash; as a card it is left out.
    let _ = match content {
        Some(content) => write!(html, "<td data-label=\"{label}\"><span class=\"v\">{content}</span></td>"),
        None => write!(html, "<td data-label=\"{label}\" class=\"none\">–</td>"),
    };
}

/// The estimate, and the interval that holds at the confidence.
fn estimated(target: &Target<'_>) -> Option<String> {
    let estimate = number(target, "delta_estimate");
    let interval = number(target, "delta_lower").map(|lower| match number(target, "delta_upper") {
        Some(upper) => format!("[{lower}, {upper}]"),
        None => format!("at least {lower}"),
    });
    match (estimate, interval) {
        (Some(estimate), Some(interval)) => Some(format!("{estimate} <span class=\"interval\">{interval}</span>")),
        (one, other) => one.or(other),
    }
}

/// Where a δ is on the strip: 0 at the left, then the logarithm from 10^-4 to 1.
fn along(delta: f64) -> f64 {
    let width = STRIP.0 - 2.0 * MARGIN;
    let zero = width * 0.14;
    let share = if delta > 0.0 { ((delta.log10() - LEAST) / -LEAST).min(1.0) } else { -1.0 };
    // Between 0 and 10^-4, straight.
    let x = if share < 0.0 { zero * (delta.max(0.0) / 10f64.powf(LEAST)) } else { zero + (width - zero) * share };
    MARGIN + x
}

/// The claim, the interval, the estimate and the exact δ on one line.
fn strip(target: &Target<'_>) -> Option<String> {
    let lower = target.draw("delta_lower")?;
    let (high, middle) = (STRIP.1, STRIP.1 / 2.0);
    let upper = target.draw("delta_upper");
    let (from, to) = (along(lower), along(upper.unwrap_or(1.0)));
    let class = look(target).0;
    let mut svg = format!(
        "<svg class=\"strip {class}\" viewBox=\"0 0 {} {high}\" role=\"img\" aria-label=\"the interval of δ, the claim and the exact δ\"><path class=\"axis\" d=\"M{} {middle}H{}\"/>",
        STRIP.0,
        pixel(MARGIN),
        pixel(STRIP.0 - MARGIN)
    );
    let open = if upper.is_none() { " open" } else { "" };
    let _ =
        write!(svg, "<path class=\"interval{open}\" d=\"M{} {middle}H{}\"/>", pixel(from), pixel(to.max(from + 1.0)));
    if let Some(claimed) = target.draw("delta_claimed") {
        let _ = write!(svg, "<path class=\"claim\" d=\"M{} 3V{}\"/>", pixel(along(claimed)), high - 3.0);
    }
    if let Some(estimate) = target.draw("delta_estimate") {
        let _ = write!(svg, "<circle class=\"estimate\" cx=\"{}\" cy=\"{middle}\" r=\"3.5\"/>", pixel(along(estimate)));
    }
    if let Some(exact) =
        target.object("delta_exact").and_then(|exact| text(exact, "upper")).and_then(|text| to_draw(&text))
    {
        let _ = write!(svg, "<path class=\"exact\" d=\"M{} {}l4 4-4 4-4-4z\"/>", pixel(along(exact)), middle - 4.0);
    }
    svg.push_str("</svg>");
    Some(svg)
}

/// The strip's scale, for the head of its column.
fn scale() -> String {
    let mut svg = format!("<svg class=\"strip\" viewBox=\"0 0 {} 14\" aria-hidden=\"true\">", STRIP.0);
    for (delta, label) in [(0.0, "0"), (1e-4, "10⁻⁴"), (1e-2, "10⁻²"), (1.0, "1")] {
        let _ = write!(svg, "<text x=\"{}\" y=\"11\" class=\"mid\">{label}</text>", pixel(along(delta)));
    }
    svg.push_str("</svg>");
    svg
}
