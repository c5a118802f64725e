//! The profile as a picture: log δ against ε, the enclosures as a band.
//!
//! Coordinates are computed on integers, in hundredths of a pixel, rounded outward: the picture too is an
//! enclosure, at the points that it marks. Between them it joins the bounds by straight lines.

use std::fmt::Write as _;

use num_traits::{One, ToPrimitive, Zero};

use super::profile::Point;
use certus::exact::{Positive, Rational, Rounding, decimal, ln};

/// The picture, and the frame in it, in pixels: left, right, top, bottom.
const SIZE: (i64, i64) = (760, 480);
const FRAME: (i64, i64, i64, i64) = (90, 730, 64, 420);

/// The longest list of mechanisms that the heading shows, in characters.
const LONGEST_HEADING: usize = 90;

/// The lowest exponent of ten that is drawn.
const LOWEST: i64 = -400;

const STYLE: &str = ":root{--paper:#fff;--ink:#1f2328;--faint:#d0d7de;--line:#0b5cad;--band:#0b5cad}\
@media (prefers-color-scheme:dark){:root{--paper:#0d1117;--ink:#e6edf3;--faint:#30363d;--line:#6cb6ff;--band:#6cb6ff}}\
text{fill:var(--ink);font:13px system-ui,sans-serif}.heading{font-size:15px;font-weight:600}\
.paper{fill:var(--paper)}.grid{stroke:var(--faint)}.frame{stroke:var(--ink);fill:none}\
.band{fill:var(--band);fill-opacity:.25;stroke:var(--line);stroke-width:1.5;stroke-linejoin:round}.point{fill:var(--line)}circle.asked{fill:none;stroke:var(--ink);stroke-width:2}text.asked{font-weight:600}";

/// The scales of the picture.
struct Axes {
    last: Rational,
    /// δ from 10^floor to 10^top.
    floor: i64,
    top: i64,
    /// Whether the lowest decade stands for all that is below it, down to 0, which has no logarithm.
    has_zero: bool,
}

impl Axes {
    fn new(points: &[Point]) -> Self {
        let last = points.iter().map(|point| point.epsilon.get().clone()).max().unwrap_or_else(Rational::one);
        let last = if last.is_zero() { Rational::one() } else { last };
        let exponents = points.iter().flat_map(|point| [point.delta.enclosure.lower(), point.delta.enclosure.upper()]);
        let exponents: Vec<i64> = exponents.filter_map(|delta| floor_log10(&delta)).collect();
        let top = exponents.iter().max().map_or(0, |top| (top + 1).min(0)).max(LOWEST + 1);
        let has_zero = points.iter().any(|point| point.delta.enclosure.lower().is_zero());
        let floor = exponents.iter().min().map_or(top - 1, |floor| (*floor).clamp(LOWEST, top - 1));
        Self { last, floor: if has_zero { floor - 1 } else { floor }, top, has_zero }
    }

    /// Hundredths of a pixel.
    fn x(&self, epsilon: &Rational) -> i64 {
        let (left, right, ..) = FRAME;
        let along = epsilon / &self.last * Rational::from_integer(((right - left) * 100).into());
        along.round().to_integer().to_i64().unwrap_or(0) + left * 100
    }

    /// Hundredths of a pixel; a bound below the picture is at its lower edge. Down on paper is up in numbers.
    fn y(&self, delta: &Rational, rounding: Rounding) -> i64 {
        let (.., top, bottom) = FRAME;
        let Ok(delta) = Positive::new(delta.clone()) else { return bottom * 100 };
        let ten = Positive::new(Rational::from_integer(10.into())).map(|ten| ln(&ten, 64));
        let log = ten.ok().and_then(|ten| ln(&delta, 64).div(&ten));
        let Some(log) = log else { return bottom * 100 };
        let down = |log: Rational| {
            (Rational::from_integer(self.top.into()) - log) / Rational::from_integer((self.top - self.floor).into())
                * Rational::from_integer(((bottom - top) * 100).into())
        };
        let is_up = rounding == Rounding::Up;
        let y = if is_up { down(log.upper()).floor() } else { down(log.lower()).ceil() };
        (y.to_integer().to_i64().unwrap_or(i64::MAX / 2) + top * 100).clamp(top * 100, bottom * 100)
    }
}

/// ⌊log10 x⌋, nothing for 0.
fn floor_log10(value: &Rational) -> Option<i64> {
    let ten = ln(&Positive::new(Rational::from_integer(10.into())).ok()?, 64);
    ln(&Positive::new(value.clone()).ok()?, 64).div(&ten)?.lower().floor().to_integer().to_i64()
}

/// The whole picture: the band through all of `along`, the points of the profile, and the one that was asked for;
/// `attained` says whether the lower bounds are the plan's own.
pub(super) fn svg(
    plan: &[String],
    attained: bool,
    (points, along): (&[Point], &[Point]),
    asked: Option<&Point>,
) -> String {
    let axes = Axes::new(points);
    let (left, right, top, bottom) = FRAME;
    let (wide, high) = SIZE;
    let mut heading = plan.join(", ");
    if let Some((end, _)) = heading.char_indices().nth(LONGEST_HEADING) {
        heading.truncate(end);
        heading.push('…');
    }
    let heading = escaped(&heading);
    let mut text = String::new();
    let mut line = |part: String| {
        text.push_str(&part);
        text.push('\n');
    };
    line(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {wide} {high}\" width=\"{wide}\" height=\"{high}\" role=\"img\" \
         aria-labelledby=\"title about\">"
    ));
    line(format!("<title id=\"title\">Privacy profile of {heading}</title>"));
    line(format!(
        "<desc id=\"about\">delta, logarithmic, against epsilon at {} points; the band is from the lower to the upper bound at each point{}</desc>",
        points.len(),
        if attained { "" } else { ", both of the pairs that dominate the plan: an upper bound" }
    ));
    line(format!("<style>{STYLE}</style>"));
    line(format!("<rect class=\"paper\" width=\"{wide}\" height=\"{high}\"/>"));
    line(format!("<text class=\"heading\" x=\"{left}\" y=\"32\">{heading}</text>"));
    if !attained {
        line(format!(
            "<text x=\"{left}\" y=\"52\">an upper bound: the pairs dominate the plan and need not be attained</text>"
        ));
    }
    for (epsilon, label) in epsilon_ticks(&axes.last) {
        let x = pixels(axes.x(&epsilon));
        line(format!("<line class=\"grid\" x1=\"{x}\" x2=\"{x}\" y1=\"{top}\" y2=\"{bottom}\"/>"));
        line(format!("<text x=\"{x}\" y=\"{}\" text-anchor=\"middle\">{label}</text>", bottom + 20));
    }
    let step = ((axes.top - axes.floor + 9) / 10).max(1);
    let is_marked = |exponent: &i64| (axes.top - exponent) % step == 0 || (axes.has_zero && *exponent == axes.floor);
    for exponent in (axes.floor..=axes.top).rev().filter(is_marked) {
        let y = pixels((axes.top - exponent) * (bottom - top) * 100 / (axes.top - axes.floor) + top * 100);
        line(format!("<line class=\"grid\" x1=\"{left}\" x2=\"{right}\" y1=\"{y}\" y2=\"{y}\"/>"));
        let label = if exponent == 0 {
            "1".to_owned()
        } else if axes.has_zero && exponent == axes.floor {
            "0".to_owned()
        } else {
            format!("10<tspan dy=\"-6\" font-size=\"10\">{}</tspan>", minus(exponent))
        };
        line(format!("<text x=\"{}\" y=\"{y}\" dy=\"4\" text-anchor=\"end\">{label}</text>", left - 8));
    }
    line(format!("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">ε</text>", (left + right) / 2, bottom + 44));
    line(format!("<text x=\"24\" y=\"{}\" text-anchor=\"middle\">δ(ε)</text>", (top + bottom) / 2));
    let upper = along.iter().map(|point| corner(&axes, point, Rounding::Up));
    let lower = along.iter().rev().map(|point| corner(&axes, point, Rounding::Down));
    line(format!("<polygon class=\"band\" points=\"{}\"/>", upper.chain(lower).collect::<Vec<_>>().join(" ")));
    for point in points {
        let (x, y) =
            (pixels(axes.x(point.epsilon.get())), pixels(axes.y(&point.delta.enclosure.upper(), Rounding::Up)));
        let delta = &point.delta.enclosure;
        line(format!(
            "<circle class=\"point\" cx=\"{x}\" cy=\"{y}\" r=\"2.5\"><title>ε = {}, δ in {delta}</title></circle>",
            decimal(point.epsilon.get(), 6, Rounding::Down)
        ));
    }
    if let Some(point) = asked.filter(|asked| *asked.epsilon.get() <= axes.last) {
        let (x, y) = (axes.x(point.epsilon.get()), axes.y(&point.delta.enclosure.upper(), Rounding::Up));
        let (epsilon, delta) =
            (decimal(point.epsilon.get(), 4, Rounding::Up), decimal(&point.delta.enclosure.upper(), 4, Rounding::Up));
        // Beside the point, on the side where there is room.
        let (anchor, aside) = if x > (left + right) * 50 { ("end", -10) } else { ("start", 10) };
        let (across, down) = (pixels(x), pixels(y));
        line(format!("<circle class=\"asked\" cx=\"{across}\" cy=\"{down}\" r=\"6\"/>"));
        line(format!(
            "<text class=\"asked\" x=\"{across}\" y=\"{down}\" dx=\"{aside}\" dy=\"-10\" text-anchor=\"{anchor}\">ε = {epsilon}, δ ≤ {delta}</text>"
        ));
    }
    line(format!(
        "<rect class=\"frame\" x=\"{left}\" y=\"{top}\" width=\"{}\" height=\"{}\"/>\n</svg>",
        right - left,
        bottom - top
    ));
    text
}

fn corner(axes: &Axes, point: &Point, rounding: Rounding) -> String {
    let delta = &point.delta.enclosure;
    let bound = if rounding == Rounding::Up { delta.upper() } else { delta.lower() };
    format!("{},{}", pixels(axes.x(point.epsilon.get())), pixels(axes.y(&bound, rounding)))
}

/// Where the ε axis is marked: at multiples of 1, 2 or 5 times a power of ten, at most ten of them.
fn epsilon_ticks(last: &Rational) -> Vec<(Rational, String)> {
    let decade = floor_log10(last).unwrap_or(0).saturating_sub(1).clamp(-1100, 1100);
    let power = num_bigint::BigInt::from(10).pow(u32::try_from(decade.unsigned_abs()).unwrap_or(0));
    let unit = if decade < 0 { Rational::new(1.into(), power) } else { Rational::from_integer(power) };
    let steps = [1u32, 2, 5, 10, 20].map(|step| &unit * Rational::from_integer(step.into()));
    let most = Rational::from_integer(10.into());
    let step = steps.iter().find(|step| last / *step <= most).cloned().unwrap_or_else(|| last.clone());
    let count = (last / &step).floor().to_integer().to_u32().unwrap_or(0).min(10);
    (0..=count)
        .map(|index| {
            let epsilon = &step * Rational::from_integer(index.into());
            let label = decimal(&epsilon, 6, Rounding::Down);
            (epsilon, label)
        })
        .collect()
}

/// Hundredths of a pixel as pixels.
fn pixels(hundredths: i64) -> String {
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}

/// An exponent with a true minus sign.
fn minus(exponent: i64) -> String {
    if exponent < 0 { format!("−{}", exponent.unsigned_abs()) } else { exponent.to_string() }
}

fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for character in text.chars() {
        match character {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            character if character.is_control() => escaped.push('\u{fffd}'),
            character => {
                let _ = write!(escaped, "{character}");
            }
        }
    }
    escaped
}
