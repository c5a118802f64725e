//! The page of an audit by canaries: its verdict, how well they were told apart, and what the command said.

use serde_json::Value;

use super::{
    document::{text, to_draw},
    escape::{markup, shortened},
    html::head,
    svg::{Chart, pixel},
};

/// The page of the document, with what the command printed of it.
pub(crate) fn canaries(document: &Value, verdict: &str, claimed: &str, printed: &str) -> String {
    let of = |field: &str| text(document, field).unwrap_or_default();
    let is_violation = of("verdict") == "violation";
    let (class, sign) = if is_violation { ("bad", "✕") } else { ("open", "?") };
    let plan = document.get("plan_verdict").and_then(|plan| text(plan, "verdict"));
    let plan = match plan.as_deref() {
        Some("not_the_plan") => " This run was not that plan, at the confidence.",
        _ => "",
    };
    format!(
        "{}<a class=\"skip\" href=\"#said\">Skip to the numbers</a><header><p class=\"wordmark\">certus</p><h1>Privacy audit by canaries</h1></header>\n<main>\n\
         <section class=\"glance {class}\" aria-label=\"At a glance\"><p class=\"headline\"><span class=\"sign\" aria-hidden=\"true\">{sign}</span>{}</p>\
         <p class=\"lead\">Claim: {}.{plan}</p><p class=\"lead\">{}</p></section>\n{}\
         <section aria-labelledby=\"said\"><h2 id=\"said\">In full</h2><pre>{}</pre></section>\n</main>\n</body>\n</html>\n",
        head("canaries"),
        markup(verdict),
        shortened(claimed),
        markup(&of("note")),
        figure(document).unwrap_or_default(),
        markup(printed),
    )
}

/// The receiver operating characteristic beside what the claim allows; nothing where there is none.
fn figure(document: &Value) -> Option<String> {
    let total = |field: &str| document.get(field).and_then(Value::as_u64).filter(|total| *total > 0);
    let (all_in, all_out) = (total("samples_a")?, total("samples_b")?);
    let pairs = |field: &str| document.get(field).and_then(Value::as_array);
    let mut chart = Chart::new((0.0, 1.0), (0.0, 1.0));
    let claimed = pairs("claimed_curve")?.iter().filter_map(|point| {
        let end = |place: usize| point.get(place).and_then(Value::as_str).and_then(to_draw);
        Some((end(0)?, end(1)?))
    });
    let line = chart.points(claimed);
    chart.draw(&format!("<polyline class=\"exact\" fill=\"none\" points=\"{line}\"/>"));
    let (left, right) = (chart.across(0.0), chart.across(1.0));
    let (low, high) = (chart.down(0.0), chart.down(1.0));
    chart.draw(&format!(
        "<path class=\"claim\" d=\"M{} {}L{} {}\"/>",
        pixel(left),
        pixel(low),
        pixel(right),
        pixel(high)
    ));
    let found = pairs("roc")?.iter().filter_map(|point| {
        let share =
            |place: usize, of: u64| point.get(place)?.as_u64().and_then(|count| to_draw(&format!("{count}/{of}")));
        Some((share(0, all_out)?, share(1, all_in)?))
    });
    let line = chart.points(found);
    chart.draw(&format!("<polyline class=\"estimate\" points=\"{line}\"/>"));
    let svg = chart.finish(
        "How well canaries are told apart",
        "the share of those trained on that are found, against the share of the others that are mistaken for them",
        "of those left out, mistaken",
        "of those trained on, found",
    );
    Some(format!(
        "<section aria-labelledby=\"roc\"><h2 id=\"roc\">How well they are told apart</h2><figure><figcaption>Above the claim's line is what it does not allow</figcaption>{svg}\
         <p class=\"legend\"><span class=\"key estimate\">these scores</span><span class=\"key exact\">the most that the claim allows, both directions averaged</span>\
         <span class=\"key claimed\">guessing</span></p><p class=\"facts\">The picture describes this attack; the verdict rests on the guesses alone.</p></figure></section>\n"
    ))
}
