//! The counterexample, told: which event, how often on each side, what it shows, how anyone can see it again.
#![expect(clippy::float_arithmetic, reason = "drawing")]

use std::fmt::Write as _;

use serde_json::Value;

use super::{
    document::{Target, claimed, text, told},
    escape::{markup, shortened},
    table::number,
};

/// The longest counterexample that a page carries in full, in bytes.
const LONGEST: usize = 6000;

/// The event with its counts; as a counterexample where the claim is refuted.
pub(super) fn counterexample(target: &Target<'_>) -> Option<String> {
    let event = target.text("event")?;
    let is_violation = target.is_violation();
    let heading = match (is_violation, is_sequential(target)) {
        (true, true) => "The last event that was played",
        (true, false) => "Counterexample",
        (false, _) => "The event that was tested",
    };
    let (p, q) = sides(target);
    let mut html = format!("<div class=\"event{}\"><h4>{heading}</h4>", if is_violation { " refuted" } else { "" });
    if let Some(told) = told(target.value) {
        let _ = write!(html, "<p class=\"told\">{}.</p>", shortened(&capital(&told)));
    }
    if let Some(cause) = target.text("cause") {
        let _ = write!(html, "<p>Cause: {}.</p>", shortened(&cause));
    }
    let _ = write!(html, "<p class=\"predicate\"><code>{}</code></p>", shortened(&event));
    if let Some(counts) = target.object("counts") {
        html.push_str(&bars(target, counts, &p, &q));
    }
    let _ = write!(html, "<p>{}</p>", shows(target, &p, &q));
    if let Some(also) = target.object("also")
        && let (Some(event), Some(lower)) = (text(also, "event"), text(also, "delta_lower"))
    {
        let _ = write!(
            html,
            "<p>Also, and stronger: <code>{}</code> shows that δ is at least {}.</p>",
            shortened(&event),
            markup(&lower)
        );
    }
    if is_violation {
        let _ = match target.text("replay") {
            Some(command) => {
                write!(html, "<p>Anyone can replay it, on fresh samples: <code>{}</code></p>", shortened(&command))
            }
            None => write!(
                html,
                "<p>Anyone can replay it, on fresh samples: <code>certus audit … --counterexample FILE</code> writes it, \
                 <code>certus replay FILE</code> runs it.</p>"
            ),
        };
        if let Some(found) = target.object("counterexample") {
            let json = serde_json::to_string_pretty(found).unwrap_or_default();
            if json.len() <= LONGEST {
                let _ = write!(
                    html,
                    "<details class=\"numbers\"><summary>The counterexample</summary><pre tabindex=\"0\">{}</pre></details>",
                    markup(&json)
                );
            } else {
                html.push_str("<p class=\"faint\">It is long: <code>--counterexample FILE</code> writes it, and the JSON document has it.</p>");
            }
        }
    }
    html.push_str("</div>");
    Some(html)
}

/// A sentence's first letter.
fn capital(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

/// Whether the claim was bet against batch by batch: some event that was played violates it, and which one is
/// not known.
fn is_sequential(target: &Target<'_>) -> bool {
    target.text("mode").is_some_and(|mode| mode == "sequential")
}

/// What the sides P and Q are called.
fn sides(target: &Target<'_>) -> (String, String) {
    let given = super::document::sides(target.value);
    let name = |side: &str, index: usize| match given.as_ref().and_then(|given| given.get(index)) {
        Some(text) if text.chars().count() <= 40 => format!("{side} (<code>{}</code>)", markup(text)),
        _ => side.to_owned(),
    };
    let (a, b) = (name("a", 0), name("b", 1));
    if target.text("direction").is_some_and(|direction| direction == "b over a") { (b, a) } else { (a, b) }
}

/// The two shares as bars, with a mark at the most that the claim allows the first.
fn bars(target: &Target<'_>, counts: &Value, p: &str, q: &str) -> String {
    let draw = |field: &str| counts.get(field).and_then(Value::as_f64);
    let share = |inside: &str, samples: &str| {
        draw(inside)
            .zip(draw(samples))
            .filter(|(_, samples)| *samples > 0.0)
            .map(|(inside, samples)| (inside / samples).clamp(0.0, 1.0))
    };
    let (p_share, q_share) =
        (share("p_inside", "p_samples").unwrap_or(0.0), share("q_inside", "q_samples").unwrap_or(0.0));
    let allowed = target
        .draw("epsilon")
        .map(|epsilon| epsilon.exp() * q_share + target.draw("delta_claimed").unwrap_or(0.0))
        .filter(|allowed| *allowed <= 1.0);
    let most = p_share.max(q_share).max(allowed.unwrap_or(0.0));
    let percent = |share: f64| if most > 0.0 { 100.0 * share / most } else { 0.0 };
    let mut html = String::from("<div class=\"bars\">");
    for (side, name, inside, samples, share, mark) in
        [("P", p, "p_inside", "p_samples", p_share, allowed), ("Q", q, "q_inside", "q_samples", q_share, None)]
    {
        let (Some(inside_text), Some(samples_text)) = (text(counts, inside), text(counts, samples)) else { continue };
        let mark = mark.map_or_else(String::new, |allowed| format!("<span class=\"mark\" style=\"left:{:.2}%\" title=\"e^ε·Q(S) + δ: the most that the claim allows, going by Q's share\"></span>", percent(allowed)));
        let _ = write!(
            html,
            "<div><span class=\"side\">{side} = {name}</span><span class=\"track\"><span class=\"bar\" style=\"width:{:.2}%\"></span>{mark}</span><span class=\"count\">{}</span></div>",
            percent(share),
            format_args!(
                "<span class=\"n\" data-target=\"{0}\" data-field=\"counts.{inside}\">{1}</span> of <span class=\"n\" data-target=\"{0}\" data-field=\"counts.{samples}\">{2}</span>",
                target.index,
                markup(&inside_text),
                markup(&samples_text)
            )
        );
    }
    html.push_str("</div>");
    if allowed.is_some() {
        html.push_str("<p class=\"legend\"><span class=\"key mark\">e<sup>ε</sup>·Q(S) + δ: the most that the claim allows P, going by Q’s share</span></p>");
    }
    html
}

/// What it shows, in one sentence.
fn shows(target: &Target<'_>, p: &str, q: &str) -> String {
    let lower = number(target, "event_lower").or_else(|| number(target, "delta_lower"));
    let (Some(epsilon), Some(lower)) = (target.text("epsilon"), lower) else {
        return String::new();
    };
    let epsilon = markup(&claimed(&epsilon));
    let confidence = target
        .text("confidence")
        .map_or_else(String::new, |confidence| format!(" at confidence {}", markup(&confidence)));
    let claimed = target
        .text("delta_claimed")
        .map_or_else(|| "the claimed δ".to_owned(), |delta| format!("the claimed δ = {}", markup(&claimed(&delta))));
    if target.is_violation() && is_sequential(target) {
        format!(
            "With P the outputs on {p} and Q those on {q}, P(S) − e<sup>{epsilon}</sup>·Q(S) is at least {lower}{confidence} for some event S that was played; were the claim true, it would be at most {claimed}. Of the event named here alone, the last one played, nothing is shown: a replay tests it."
        )
    } else if target.is_violation() {
        format!(
            "With P the outputs on {p} and Q those on {q}, P(S) − e<sup>{epsilon}</sup>·Q(S) is at least {lower}{confidence}; were the claim true, it would be at most {claimed}."
        )
    } else {
        format!(
            "With P the outputs on {p} and Q those on {q}, P(S) − e<sup>{epsilon}</sup>·Q(S) is at least {lower}{confidence}: not more than {claimed}."
        )
    }
}
