//! What the drawings share: a frame, scales, ticks. Floats say where ink goes, and nothing else.
#![expect(clippy::float_arithmetic, reason = "drawing")]

use std::fmt::Write as _;

use super::escape::markup;

/// The drawing, in its own pixels: about as wide as a phone.
const SIZE: (u32, u32) = (360, 230);
/// The frame in it: left, right, top, bottom.
pub(super) const FRAME: (f64, f64, f64, f64) = (48.0, 352.0, 10.0, 188.0);

/// A drawing with two linear axes.
pub(super) struct Chart {
    x: (f64, f64),
    y: (f64, f64),
    /// The last number that the x axis may mark.
    marked: f64,
    inside: String,
    over: String,
}

/// Where to mark an axis, and with what.
type Tick = (f64, String);

impl Chart {
    /// From the first to the last of each axis.
    pub(super) fn new(x: (f64, f64), y: (f64, f64)) -> Self {
        Self { x, y, marked: x.1, inside: String::new(), over: String::new() }
    }

    /// Marks the x axis up to here alone.
    pub(super) fn mark_to(mut self, last: f64) -> Self {
        self.marked = last;
        self
    }

    /// Where a number is, in pixels from the frame's left.
    pub(super) fn across(&self, x: f64) -> f64 {
        (FRAME.1 - FRAME.0) * (x - self.x.0) / (self.x.1 - self.x.0)
    }

    /// Where a number is, in pixels from the frame's top: up in numbers is down on paper.
    pub(super) fn down(&self, y: f64) -> f64 {
        (FRAME.3 - FRAME.2) * (self.y.1 - y) / (self.y.1 - self.y.0)
    }

    /// Points, for a line or a polygon.
    pub(super) fn points(&self, points: impl Iterator<Item = (f64, f64)>) -> String {
        let mut text = String::new();
        for (x, y) in points {
            let space = if text.is_empty() { "" } else { " " };
            let _ = write!(text, "{space}{},{}", pixel(self.across(x)), pixel(self.down(y)));
        }
        text
    }

    /// Draws inside the frame, where what sticks out is cut.
    pub(super) fn draw(&mut self, element: &str) {
        self.inside.push_str(element);
    }

    /// Draws over the frame, in the drawing's own pixels.
    pub(super) fn draw_over(&mut self, element: &str) {
        self.over.push_str(element);
    }

    /// The whole drawing.
    pub(super) fn finish(self, title: &str, about: &str, x_label: &str, y_label: &str) -> String {
        let (wide, high) = SIZE;
        let (left, right, top, bottom) = FRAME;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {wide} {high}\" role=\"img\"><title>{}</title><desc>{}</desc>",
            markup(title),
            markup(about)
        );
        let (middle, lowest) = ((left + right) / 2.0, bottom + 34.0);
        for (x, label) in ticks((self.x.0, self.marked), 6) {
            let x = pixel(left + self.across(x));
            let _ = write!(
                svg,
                "<path class=\"grid\" d=\"M{x} {top}V{bottom}\"/><text x=\"{x}\" y=\"{}\" class=\"mid\">{label}</text>",
                bottom + 15.0
            );
        }
        for (y, label) in ticks(self.y, 5) {
            let y = top + self.down(y);
            let _ = write!(
                svg,
                "<path class=\"grid\" d=\"M{left} {0}H{right}\"/><text x=\"{1}\" y=\"{2}\" class=\"end\">{label}</text>",
                pixel(y),
                left - 6.0,
                pixel(y + 4.0)
            );
        }
        let _ = write!(
            svg,
            "<svg x=\"{left}\" y=\"{top}\" width=\"{}\" height=\"{}\">{}</svg><path class=\"axis\" d=\"M{left} {top}V{bottom}H{right}\"/>{}\
             <text x=\"{middle}\" y=\"{lowest}\" class=\"mid\">{}</text><text transform=\"translate(11 {}) rotate(-90)\" class=\"mid\">{}</text></svg>",
            right - left,
            bottom - top,
            self.inside,
            self.over,
            markup(x_label),
            (top + bottom) / 2.0,
            markup(y_label)
        );
        svg
    }
}

/// Tenths of a pixel are fine enough. What is far outside the drawing is brought near, so that no renderer
/// has to think of 10^300.
pub(super) fn pixel(pixels: f64) -> String {
    let text = format!("{:.1}", pixels.clamp(-4000.0, 4000.0));
    match text.strip_suffix(".0") {
        Some("-0") => "0".to_owned(),
        Some(whole) => whole.to_owned(),
        None => text,
    }
}

/// At multiples of 1, 2 or 5 times a power of ten, at most this many steps.
fn ticks((first, last): (f64, f64), most: u32) -> Vec<Tick> {
    let span = last - first;
    let unit = 10f64.powf((span / f64::from(most)).log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|step| step * unit).into_iter().find(|step| span / step <= f64::from(most));
    let Some(step) = step.filter(|step| step.is_normal()) else { return Vec::new() };
    let digits = (0u16..15).find(|digits| step * 10f64.powi(i32::from(*digits)) > 0.999).unwrap_or(15);
    let start = (first / step - 1e-9).ceil();
    (0..=most)
        .map(|index| (start + f64::from(index)) * step)
        .filter(|tick| *tick <= last + step * 1e-9)
        .map(|tick| {
            // No negative zero, and a true minus sign.
            let text = format!("{:.*}", usize::from(digits), if tick.abs() < step / 2.0 { 0.0 } else { tick });
            (tick, text.replace('-', "−"))
        })
        .collect()
}

/// The least round number that is at least this.
pub(super) fn round_above(value: f64) -> f64 {
    let unit = 10f64.powf(value.log10().floor());
    [1.0, 1.2, 1.6, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0]
        .map(|step| step * unit)
        .into_iter()
        .find(|round| *round >= value)
        .unwrap_or(10.0 * unit)
}
