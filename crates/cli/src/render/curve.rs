//! δ(ε), drawn: what the samples say with its band, what is exact, and the claim.
#![expect(clippy::float_arithmetic, reason = "drawing")]

use std::fmt::Write as _;

use serde_json::Value;

use super::{
    document::{Target, text, to_draw},
    escape::markup,
    svg::{Chart, FRAME, pixel, round_above},
};

/// A point of the curve, to draw.
struct Point {
    epsilon: f64,
    lower: Option<f64>,
    estimate: Option<f64>,
    upper: Option<f64>,
    exact: Option<(f64, f64)>,
}

fn point(value: &Value) -> Option<Point> {
    let number = |value: &Value, field: &str| text(value, field).and_then(|text| to_draw(&text));
    let exact = value.get("exact");
    Some(Point {
        epsilon: number(value, "epsilon")?,
        lower: number(value, "lower"),
        estimate: number(value, "estimate"),
        upper: number(value, "upper"),
        exact: exact.and_then(|exact| Some((number(exact, "lower")?, number(exact, "upper")?))),
    })
}

/// The figure; nothing where there are no two points to join.
pub(super) fn figure(target: &Target<'_>) -> Option<String> {
    let mut points: Vec<Point> = target.curve().iter().filter_map(point).collect();
    points.sort_by(|one, other| one.epsilon.total_cmp(&other.epsilon));
    let (first, last) = (points.first()?.epsilon, points.last()?.epsilon);
    let claim = target.draw("epsilon").zip(target.draw("delta_claimed"));
    // A claim far off the curve would squeeze it: it is then not drawn.
    let claim = claim.filter(|(epsilon, _)| *epsilon >= first && *epsilon <= last);
    if !(last - first).is_normal() || last <= first {
        return None;
    }
    let top = top(&points, claim.map_or(0.0, |(_, delta)| delta));
    let mut chart = Chart::new((first, last), (0.0, top));
    let upper = points.iter().filter_map(|point| Some((point.epsilon, point.upper?)));
    let lower = points.iter().rev().filter_map(|point| Some((point.epsilon, point.lower?)));
    let has_upper = points.iter().any(|point| point.upper.is_some_and(|upper| upper < 1.0));
    let has_lower = points.iter().any(|point| point.lower.is_some_and(|lower| lower > 0.0));
    if has_upper || has_lower {
        // Where nothing bounds it from above, it goes up to 1, which bounds every δ.
        let upper: Vec<_> = if points.iter().all(|point| point.upper.is_none()) {
            vec![(first, 1.0), (last, 1.0)]
        } else {
            upper.collect()
        };
        let band = chart.points(upper.into_iter().chain(lower));
        chart.draw(&format!("<polygon class=\"band\" points=\"{band}\"/>"));
    }
    let estimate = chart.points(points.iter().filter_map(|point| Some((point.epsilon, point.estimate?))));
    chart.draw(&format!("<polyline class=\"estimate\" points=\"{estimate}\"/>"));
    let has_exact = points.iter().any(|point| point.exact.is_some());
    if has_exact {
        // Both bounds, as a band that is mostly thinner than its line.
        let there = points.iter().filter_map(|point| Some((point.epsilon, point.exact?.1)));
        let back = points.iter().rev().filter_map(|point| Some((point.epsilon, point.exact?.0)));
        let line = chart.points(there.chain(back));
        chart.draw(&format!("<polygon class=\"exact\" points=\"{line}\"/>"));
    }
    if let Some((epsilon, delta)) = claim {
        let x = pixel(chart.across(epsilon));
        chart.draw(&format!("<path class=\"claim\" d=\"M{x} 0V{}\"/>", pixel(FRAME.3 - FRAME.2)));
        let (x, y) = (FRAME.0 + chart.across(epsilon), FRAME.2 + chart.down(delta));
        chart.draw_over(&format!(
            "<path class=\"claimed\" d=\"M{} {}l5 5-5 5-5-5z\"><title>{}</title></path>",
            pixel(x),
            pixel(y - 5.0),
            markup(&format!("the claim: {}", target.claim().unwrap_or_default()))
        ));
    }
    let about = if has_exact { "estimated with a band, and exact" } else { "estimated with a band" };
    let svg = chart.finish(
        &format!("δ(ε) of {}", target.name()),
        &format!("δ against ε at {} points, {about}; the table below has the numbers", points.len()),
        "ε",
        "δ(ε)",
    );
    let mut legend = String::from("<span class=\"key estimate\">estimated</span>");
    if has_upper || has_lower {
        let label = if has_upper { "bounds that hold together" } else { "at least; nothing bounds it from above" };
        let _ = write!(legend, "<span class=\"key band\">{label}</span>");
    }
    if has_exact {
        legend.push_str("<span class=\"key exact\">exact</span>");
    }
    if claim.is_some() {
        legend.push_str("<span class=\"key claimed\">claim</span>");
    }
    Some(format!(
        "<figure><figcaption>Privacy curve δ(ε)</figcaption>{svg}<p class=\"legend\">{legend}</p>{}</figure>",
        numbers(target)
    ))
}

/// The top of the picture: all of it, unless the upper bound is so far above the rest that it would flatten
/// it.
fn top(points: &[Point], claimed: f64) -> f64 {
    let of = |pick: fn(&Point) -> Option<f64>| points.iter().filter_map(pick).fold(0.0, f64::max);
    let body = of(|point| point.estimate)
        .max(of(|point| point.lower))
        .max(of(|point| point.exact.map(|exact| exact.1)))
        .max(claimed);
    let upper = of(|point| point.upper);
    let wanted = if body > 0.0 && upper > 3.0 * body { 3.0 * body } else { body.max(upper) };
    if wanted > 0.0 && wanted.is_normal() { round_above(wanted * 1.04).clamp(1e-12, 1.04) } else { 1.0 }
}

/// The numbers behind the drawing, each as the document has it.
fn numbers(target: &Target<'_>) -> String {
    let has = |field: &str| target.curve().iter().any(|point| point.get(field).is_some_and(|value| !value.is_null()));
    let fields: Vec<(&str, &str)> = [
        ("epsilon", "ε"),
        ("lower", "at least"),
        ("estimate", "estimated"),
        ("plug_in", "plug-in"),
        ("upper", "at most"),
    ]
    .into_iter()
    .filter(|(field, _)| has(field))
    .collect();
    let mut table = format!(
        "<details class=\"numbers\"><summary>The numbers</summary><div class=\"wide\"><table class=\"curve\" data-target=\"{}\"><thead><tr>",
        target.index
    );
    for (_, heading) in &fields {
        let _ = write!(table, "<th scope=\"col\">{heading}</th>");
    }
    let has_exact = has("exact");
    if has_exact {
        table.push_str("<th scope=\"col\" colspan=\"2\">exact</th>");
    }
    table.push_str("</tr></thead><tbody>");
    for point in target.curve() {
        table.push_str("<tr>");
        for (field, _) in &fields {
            let _ =
                write!(table, "<td>{}</td>", text(point, field).map_or_else(|| "–".to_owned(), |text| markup(&text)));
        }
        if has_exact {
            for bound in ["lower", "upper"] {
                let value = point.get("exact").and_then(|exact| text(exact, bound));
                let _ = write!(table, "<td>{}</td>", value.map_or_else(|| "–".to_owned(), |text| markup(&text)));
            }
        }
        table.push_str("</tr>");
    }
    table.push_str("</tbody></table></div></details>");
    table
}
