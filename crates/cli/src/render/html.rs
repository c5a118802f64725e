//! The page: self-contained, readable without a script and without a network, on a phone and in the dark.

use serde_json::Value;

use super::{
    document::{Target, is_suite, targets},
    escape::markup,
    glance::glance,
    section::section,
    table::table,
};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The SHA-256 of the script: the page's policy lets this one run, and no other that a text might smuggle in.
/// `openssl dgst -sha256 -binary crates/cli/src/render/page.js | openssl base64` prints it; in a browser, a
/// wrong one is an error of the console, which the browser test finds.
const SCRIPT_HASH: &str = "NCSL2l8cysR4+efR6r5m7YWhqMHgaVWpLMuNF3stpV8=";

/// More targets than this are shown closed, but for those that are alarming.
const MOST_OPEN: usize = 6;

/// The page of an audit's document.
pub(crate) fn html(document: &Value) -> String {
    let targets = targets(document);
    let subject = match (is_suite(document), targets.as_slice()) {
        (false, [target]) => markup(&target.name()),
        _ => format!("{} targets", targets.len()),
    };
    let mut page = head(&subject);
    page.push_str("<a class=\"skip\" href=\"#each\">Skip to the targets</a><header><p class=\"wordmark\">certus</p><h1>Privacy audit</h1></header>\n<main>\n<section class=\"glance\" aria-label=\"At a glance\">");
    page.push_str(&glance(document, &targets));
    page.push_str("</section>\n");
    if is_suite(document) {
        page.push_str("<section aria-labelledby=\"all\"><h2 id=\"all\">All targets</h2><div class=\"filters\" hidden role=\"group\" aria-label=\"Which targets to show\">");
        for (which, label) in [
            ("all", "All"),
            ("violation", "Violations"),
            ("unexpected", "Unexpected"),
            ("inconclusive", "Inconclusive"),
        ] {
            let pressed = which == "all";
            page.push_str(&format!(
                "<button type=\"button\" data-filter=\"{which}\" aria-pressed=\"{pressed}\">{label}</button>"
            ));
        }
        page.push_str("</div>");
        page.push_str(&legend(&targets));
        page.push_str(&table(&targets));
        page.push_str("</section>\n<section aria-labelledby=\"each\"><h2 id=\"each\">Target by target</h2>\n");
    } else {
        page.push_str("<section aria-labelledby=\"each\"><h2 id=\"each\">In full</h2>\n");
        page.push_str(&legend(&targets));
        page.push_str(&table(&targets));
    }
    for target in &targets {
        page.push_str(&section(target, targets.len() <= MOST_OPEN || target.is_alarming(), !is_suite(document)));
        page.push('\n');
    }
    page.push_str("</section>\n</main>\n<footer>");
    page.push_str(NOTES);
    page.push_str(&format!("</footer>\n<script>{SCRIPT}</script>\n</body>\n</html>\n"));
    page
}

/// The page up to its body; the subject is markup.
pub(super) fn head(subject: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-{SCRIPT_HASH}'; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n<meta name=\"generator\" content=\"certus {}\">\n<link rel=\"icon\" href=\"data:,\">\n\
         <title>Privacy audit: {subject}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n",
        env!("CARGO_PKG_VERSION")
    )
}

/// What the strips of the table show.
fn legend(targets: &[Target<'_>]) -> String {
    let has_exact = targets.iter().any(|target| target.object("delta_exact").is_some());
    let exact = if has_exact { "<span class=\"key diamond\">exact</span>" } else { "" };
    format!(
        "<p class=\"legend\"><span class=\"key interval\">interval of δ(ε)</span><span class=\"key dot\">estimate</span>{exact}<span class=\"key tick\">claim</span></p>"
    )
}

const NOTES: &str = "<h2>How to read this</h2><p>A mechanism is (ε, δ)-private if no event S is much likelier on one input than on its neighbour: \
    P(S) ≤ e<sup>ε</sup>·Q(S) + δ. δ(ε) is the smallest δ for which that holds.</p><ul>\
    <li><b>exact</b>: proven bounds, computed without samples. Two lines are a lower and an upper bound.</li>\
    <li><b>estimated</b>: from samples. The interval holds at the confidence, for the two inputs that were sampled; where there is no upper end, the samples give none.</li>\
    <li><b>violation</b>: the claim is refuted at the confidence, and the counterexample can be replayed. <b>consistent</b>: not refuted, though a violation of a size \
    that is stated would have been seen at least every other time in the event that was tested, which is the best found of the kinds of events that were searched; of events of other kinds \
    nothing is said. <b>inconclusive</b>: too few samples to say.</li></ul>";
