//! The privacy loss ln P/Q under P, drawn: the share of it in each bin, as the samples say and as it is
//! exactly.
#![expect(clippy::float_arithmetic, reason = "drawing")]

use std::fmt::Write as _;

use super::{
    document::{Target, text, texts, to_draw},
    svg::{Chart, FRAME, pixel, round_above},
};

/// The figure; nothing where there are no bins.
pub(super) fn figure(target: &Target<'_>) -> Option<String> {
    let losses = target.object("losses")?;
    let numbers = |field: &str| texts(losses, field).iter().map(|text| to_draw(text)).collect::<Option<Vec<f64>>>();
    let infinite = |field: &str| text(losses, field).and_then(|text| to_draw(&text)).filter(|mass| *mass > 0.0);
    let edges = numbers("edges")?;
    let estimated = numbers("estimated")?;
    let exact = numbers("exact").filter(|exact| exact.len() == estimated.len());
    let (estimated_infinite, exact_infinite) = (infinite("estimated_infinite"), infinite("exact_infinite"));
    let (first, last) = (*edges.first()?, *edges.last()?);
    if edges.len() != estimated.len() + 1 || !edges.is_sorted() || last <= first || !(last - first).is_normal() {
        return None;
    }
    let most = estimated.iter().chain(exact.iter().flatten()).copied();
    let most = most.chain(estimated_infinite).chain(exact_infinite).fold(0.0, f64::max);
    let top = if most.is_normal() && most > 0.0 { round_above(most * 1.03).min(1.2) } else { 1.0 };
    // A place of its own for the infinite loss, right of the bins.
    let has_infinite = estimated_infinite.is_some() || exact_infinite.is_some();
    let room = if has_infinite { (last - first) * 0.12 } else { 0.0 };
    let mut chart =
        Chart::new((first, last + room), (0.0, top)).mark_to(if has_infinite { last - room * 0.1 } else { last });
    let ground = FRAME.3 - FRAME.2;
    if let Some(epsilon) = target.draw("epsilon").filter(|epsilon| *epsilon < last + room) {
        let x = chart.across(epsilon.max(first));
        chart.draw(&format!(
            "<path class=\"beyond\" d=\"M{0} 0H{1}V{2}H{0}z\"/><path class=\"claim\" d=\"M{0} 0V{2}\"/>",
            pixel(x),
            pixel(FRAME.1 - FRAME.0),
            pixel(ground)
        ));
    }
    let mut bars = String::new();
    for (bounds, mass) in edges.windows(2).zip(&estimated) {
        let &[from, to] = bounds else { continue };
        if *mass > 0.0 {
            let _ = write!(
                bars,
                "M{} {}V{}H{}V{}z",
                pixel(chart.across(from)),
                pixel(ground),
                pixel(chart.down(*mass)),
                pixel(chart.across(to)),
                pixel(ground)
            );
        }
    }
    let infinite_at = (last + room * 0.4, last + room * 0.9);
    if let Some(mass) = estimated_infinite {
        let _ = write!(
            bars,
            "M{} {}V{}H{}V{}z",
            pixel(chart.across(infinite_at.0)),
            pixel(ground),
            pixel(chart.down(mass)),
            pixel(chart.across(infinite_at.1)),
            pixel(ground)
        );
    }
    chart.draw(&format!("<path class=\"bars\" d=\"{bars}\"/>"));
    if let Some(exact) = &exact {
        let mut steps = format!("M0 {}", pixel(ground));
        for (to, mass) in edges.iter().skip(1).zip(exact) {
            let _ = write!(steps, "V{}H{}", pixel(chart.down(*mass)), pixel(chart.across(*to)));
        }
        let _ = write!(steps, "V{}", pixel(ground));
        if let Some(mass) = exact_infinite {
            let _ = write!(
                steps,
                "M{} {}V{}H{}V{}",
                pixel(chart.across(infinite_at.0)),
                pixel(ground),
                pixel(chart.down(mass)),
                pixel(chart.across(infinite_at.1)),
                pixel(ground)
            );
        }
        chart.draw(&format!("<path class=\"exact\" d=\"{steps}\"/>"));
    }
    if has_infinite {
        let x = FRAME.0 + chart.across(last + room * 0.65);
        chart.draw_over(&format!("<text x=\"{}\" y=\"{}\" class=\"mid\">∞</text>", pixel(x), pixel(FRAME.3 + 15.0)));
    }
    let svg = chart.finish(
        &format!("Privacy loss of {}", target.name()),
        &format!(
            "the share of the privacy loss ln P/Q in each of {} bins{}",
            estimated.len(),
            if exact.is_some() { ", estimated and exact" } else { ", estimated" }
        ),
        "privacy loss ln P/Q",
        "share",
    );
    let mut legend = String::from("<span class=\"key bars\">estimated</span>");
    if exact.is_some() {
        legend.push_str("<span class=\"key steps\">exact</span>");
    }
    if target.draw("epsilon").is_some_and(|epsilon| epsilon < last + room) {
        legend.push_str("<span class=\"key beyond\">beyond the claimed ε</span>");
    }
    for (field, what) in [("estimated_infinite", "estimated"), ("exact_infinite", "exact")] {
        if let Some(mass) = text(losses, field).filter(|_| has_infinite) {
            let _ = write!(
                legend,
                "<span>∞, {what}: <span data-target=\"{}\" data-field=\"losses.{field}\">{}</span></span>",
                target.index,
                super::escape::markup(&mass)
            );
        }
    }
    Some(format!(
        "<figure><figcaption>Privacy-loss distribution</figcaption>{svg}<p class=\"legend\">{legend}</p></figure>"
    ))
}
