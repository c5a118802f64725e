//! The verdicts at a glance: how many, which, and whether any is a surprise.

use std::fmt::Write as _;

use serde_json::Value;

use super::{
    document::{Standing, Target, is_suite, text},
    escape::markup,
};

/// What the cells mean.
const SIGNS: &str = "<p class=\"legend\"><span>✗ violation</span><span>✓ consistent</span><span>? inconclusive</span><span>! could not be run</span><span>– skipped</span>\
    <span>filled: look here</span></p>";

/// How a verdict looks: the class, a sign that does not need colour, and the word.
pub(super) fn look(target: &Target<'_>) -> (&'static str, &'static str, String) {
    match target.standing() {
        Standing::Failed => return ("failed", "!", "not run".to_owned()),
        Standing::Skipped => return ("skipped", "–", "skipped".to_owned()),
        Standing::AsExpected | Standing::Unexpected | Standing::Refuted | Standing::NotRefuted => {}
    }
    match target.text("verdict").as_deref() {
        Some("violation") => ("violation", "✗", "violation".to_owned()),
        Some("consistent") => ("consistent", "✓", "consistent".to_owned()),
        Some("inconclusive") => ("inconclusive", "?", "inconclusive".to_owned()),
        other => ("skipped", "–", other.unwrap_or("none").to_owned()),
    }
}

/// The verdict as a badge.
pub(super) fn badge(target: &Target<'_>) -> String {
    let (class, sign, word) = look(target);
    format!("<span class=\"badge {class}\"><span aria-hidden=\"true\">{sign}</span> {}</span>", markup(&word))
}

/// The heading, the numbers, and one cell for every target.
pub(super) fn glance(document: &Value, targets: &[Target<'_>]) -> String {
    let count = |which: &dyn Fn(&Target<'_>) -> bool| targets.iter().filter(|target| which(target)).count();
    let standing = |wanted: Standing| count(&|target| target.standing() == wanted);
    let (unexpected, failed, skipped) =
        (standing(Standing::Unexpected), standing(Standing::Failed), standing(Standing::Skipped));
    let refuted = standing(Standing::Refuted);
    let expected = standing(Standing::AsExpected);
    let of_all = format!("of {}", numbered(targets.len(), "target"));
    let (class, sign, headline) = if unexpected > 0 {
        let verb = if unexpected == 1 { "is" } else { "are" };
        ("bad", "✗", format!("{} {of_all} {verb} not as expected", numbered(unexpected, "verdict")))
    } else if refuted > 0 && !is_suite(document) {
        ("bad", "✗", "The claim is refuted".to_owned())
    } else if refuted > 0 {
        ("bad", "✗", format!("{} refuted", numbered(refuted, "claim")))
    } else if failed > 0 {
        ("bad", "!", format!("{failed} {of_all} could not be run"))
    } else if skipped == targets.len() {
        // Nothing was run, hence nothing is good.
        (
            "open",
            "–",
            format!("Nothing was run: {}", if skipped == 0 { "there is no target" } else { "all was skipped" }),
        )
    } else if is_suite(document) && expected > 0 && expected + skipped == targets.len() {
        let rest = if skipped > 0 { format!(", {skipped} skipped") } else { String::new() };
        (
            "good",
            "✓",
            format!(
                "{} as expected{rest}",
                if expected == 1 { "The verdict is".to_owned() } else { format!("All {expected} verdicts are") }
            ),
        )
    } else if standing(Standing::NotRefuted) > 0 && targets.iter().all(Target::is_inconclusive) {
        ("open", "?", "Too few samples to judge".to_owned())
    } else if is_suite(document) {
        ("good", "✓", "No claim is refuted".to_owned())
    } else {
        ("good", "✓", if expected > 0 { "The verdict is as expected" } else { "The claim is not refuted" }.to_owned())
    };
    let mut page = format!(
        "<p class=\"headline {class}\"><span class=\"sign\" aria-hidden=\"true\">{sign}</span><span>{headline}</span></p>"
    );
    if !is_suite(document) {
        if let Some(target) = targets.first() {
            let _ = write!(page, "<p class=\"lead\">{}</p>", markup(&target.sentence()));
        }
        return page;
    }
    let verdict = |word: &str| count(&|target| target.text("verdict").is_some_and(|verdict| verdict == word));
    let tiles = [
        ("targets", targets.len(), "targets", ""),
        ("violations", verdict("violation"), "violations", "violation"),
        ("consistent", verdict("consistent"), "consistent", "consistent"),
        ("inconclusive", verdict("inconclusive"), "inconclusive", "inconclusive"),
        ("unexpected", unexpected, "unexpected", "violation"),
        ("not_run", failed + skipped, "not run", if failed > 0 { "violation" } else { "" }),
    ];
    page.push_str("<dl class=\"tiles\">");
    for (name, number, label, class) in tiles {
        let class = if number > 0 { class } else { "" };
        let _ =
            write!(page, "<div class=\"tile {class}\"><dt>{label}</dt><dd data-count=\"{name}\">{number}</dd></div>");
    }
    page.push_str("</dl><div class=\"cells\" role=\"list\" aria-label=\"The verdict of each target\">");
    for target in targets {
        let (class, sign, word) = look(target);
        let alarming = if target.is_alarming() { " alarm" } else { "" };
        let title = markup(&format!(
            "{}: {word}{}",
            target.name(),
            if target.standing() == Standing::Unexpected { ", not as expected" } else { "" }
        ));
        let _ = write!(
            page,
            "<a role=\"listitem\" class=\"cell {class}{alarming}\" href=\"#t{}\" title=\"{title}\" aria-label=\"{title}\">{sign}</a>",
            target.index
        );
    }
    page.push_str("</div>");
    page.push_str(SIGNS);
    let mut facts = Vec::new();
    if let Some(confidence) = text(document, "confidence") {
        facts.push(format!("Confidence of the whole suite: <b data-field=\"confidence\">{}</b>", markup(&confidence)));
    }
    if let Some(assumed) = text(document, "assumes") {
        facts.push(format!("seeded: assumes <b data-field=\"assumes\">{}</b>", markup(&assumed)));
    }
    if let Some(seconds) = text(document, "seconds") {
        facts.push(format!("<span>took <b data-field=\"seconds\">{}</b> s</span>", markup(&seconds)));
    }
    if let Some(file) = text(document, "file") {
        facts.push(format!("audit file <code>{}</code>", markup(&file)));
    }
    let _ = write!(page, "<p class=\"facts\">{}</p>", facts.join(" · "));
    page
}

fn numbered(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
