//! Pictures: SVG, by plotters.

use std::ops::Range;

use plotters::coord::Shift;
use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// A picture.
#[derive(Clone, Debug, Default)]
pub struct Plot {
    /// What it shows.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// What is drawn, the first at the back.
    pub series: Vec<Series>,
    /// Lines across all of it.
    pub marks: Vec<Mark>,
}

/// An axis.
#[derive(Clone, Debug, Default)]
pub struct Axis {
    /// What it measures.
    pub label: String,
    /// Whether it is logarithmic. What is not positive is left out then.
    pub log: bool,
    /// From where to where; as wide as the data if not given.
    pub range: Option<(f64, f64)>,
}

impl Axis {
    /// A linear axis.
    #[must_use]
    pub fn linear(label: &str) -> Self {
        Self { label: label.into(), log: false, range: None }
    }

    /// A logarithmic axis.
    #[must_use]
    pub fn log(label: &str) -> Self {
        Self { label: label.into(), log: true, range: None }
    }

    /// From here to there.
    #[must_use]
    pub fn from(mut self, first: f64, last: f64) -> Self {
        self.range = Some((first, last));
        self
    }
}

/// Something that is drawn, with its name in the legend.
#[derive(Clone, Debug)]
pub struct Series {
    /// Its name; none in the legend if empty.
    pub label: String,
    /// What it looks like.
    pub shape: Shape,
}

/// What a series looks like.
#[derive(Clone, Debug)]
pub enum Shape {
    /// A line through (x, y).
    Line(Vec<(f64, f64)>),
    /// A dashed line through (x, y).
    Dashed(Vec<(f64, f64)>),
    /// A dot at each (x, y).
    Points(Vec<(f64, f64)>),
    /// Bars of this width around each x, from 0 (or the foot of a logarithmic axis) to y.
    Bars(f64, Vec<(f64, f64)>),
    /// The area between two curves: (x, lower, upper).
    Band(Vec<(f64, f64, f64)>),
}

impl Series {
    /// A series.
    #[must_use]
    pub fn new(label: &str, shape: Shape) -> Self {
        Self { label: label.into(), shape }
    }

    /// The x and y that it reaches.
    fn reach(&self) -> Vec<(f64, f64)> {
        match &self.shape {
            Shape::Line(points) | Shape::Dashed(points) | Shape::Points(points) => points.clone(),
            Shape::Bars(width, points) => {
                points.iter().flat_map(|&(x, y)| [(x - width / 2.0, 0.0), (x + width / 2.0, y)]).collect()
            }
            Shape::Band(points) => points.iter().flat_map(|&(x, lower, upper)| [(x, lower), (x, upper)]).collect(),
        }
    }
}

/// A line across the whole picture.
#[derive(Clone, Debug)]
pub enum Mark {
    /// Level, at this y.
    Level(f64, String),
    /// Upright, at this x.
    Upright(f64, String),
}

/// Size in pixels, without the legend: text stays readable where a phone shrinks it.
const SIZE: (u32, u32) = (480, 300);
/// The height of a line of the legend.
const LINE: u32 = 18;
/// The ink of text and axes. It becomes the page's own colour.
const INK: RGBColor = RGBColor(1, 2, 3);
const INK_HEX: &str = "#010203";
/// Colours that can be told apart on white and on black, also by most who see fewer of them.
const COLOURS: [RGBColor; 7] = [
    RGBColor(0x3b, 0x82, 0xc4),
    RGBColor(0xd9, 0x7b, 0x1f),
    RGBColor(0x3f, 0x9d, 0x6b),
    RGBColor(0xc2, 0x4f, 0x7a),
    RGBColor(0x8a, 0x6f, 0xd1),
    RGBColor(0x9a, 0x8a, 0x2c),
    RGBColor(0x7f, 0x7f, 0x7f),
];

fn colour(place: usize) -> RGBColor {
    COLOURS.get(place % COLOURS.len()).copied().unwrap_or(INK)
}

/// An axis that plotters can draw on.
#[derive(Clone, Debug)]
struct Scale {
    log: bool,
    first: f64,
    last: f64,
}

impl Scale {
    /// Over these numbers, or as the axis says.
    fn over(axis: &Axis, numbers: impl Iterator<Item = f64>) -> Self {
        let usable = numbers.filter(|number| number.is_finite() && (!axis.log || *number > 0.0));
        let (first, last) =
            usable.fold((f64::MAX, f64::MIN), |(least, most), number| (least.min(number), most.max(number)));
        let (mut first, mut last) = axis.range.unwrap_or(if first > last { (1.0, 10.0) } else { (first, last) });
        if axis.log {
            (first, last) = (first.max(f64::MIN_POSITIVE), last.max(f64::MIN_POSITIVE));
            if last / first < 1.01 {
                (first, last) = (first / 2.0, last * 2.0);
            }
        } else if last - first <= 1e-12 * first.abs().max(last.abs()).max(1e-300) {
            (first, last) = (first - 0.5, last + 0.5);
        } else if axis.range.is_none() {
            let air = (last - first) * 0.03;
            // What begins at 0 stays there.
            first = if first == 0.0 { 0.0 } else { first - air };
            last += air;
        }
        Self { log: axis.log, first, last }
    }

    /// Where a number is, from 0 to 1 inside.
    fn place(&self, value: f64) -> f64 {
        if self.log {
            let foot = self.first.ln();
            (value.max(f64::MIN_POSITIVE).ln() - foot) / (self.last.ln() - foot)
        } else {
            (value - self.first) / (self.last - self.first)
        }
    }

    /// Around so many round numbers.
    fn ticks(&self, about: usize) -> Vec<f64> {
        let about = about.max(2) as f64;
        if self.log {
            let (low, high) = (self.first.log10(), self.last.log10());
            if high - low >= 2.2 {
                let step = ((high - low) / about).ceil().max(1.0);
                return steps((low / step).ceil() * step, high, step).map(|power| 10_f64.powf(power)).collect();
            }
            let power = low.floor() as i32;
            let nice = (power..=power + 3).flat_map(|power| [1.0, 2.0, 5.0].map(|digit| digit * 10_f64.powi(power)));
            let inside: Vec<f64> =
                nice.filter(|tick| *tick >= self.first * 0.999 && *tick <= self.last * 1.001).collect();
            if inside.len() >= 2 {
                return inside;
            }
        }
        let raw = (self.last - self.first) / about;
        let power = 10_f64.powf(raw.log10().floor());
        let step = [1.0, 2.0, 2.5, 5.0, 10.0].iter().map(|digit| digit * power).find(|step| *step >= raw * 0.999);
        let step = step.unwrap_or(power * 10.0);
        steps((self.first / step).ceil() * step, self.last, step).collect()
    }
}

fn steps(first: f64, last: f64, step: f64) -> impl Iterator<Item = f64> {
    (0..100).map(move |count| first + f64::from(count) * step).take_while(move |value| *value <= last + step * 1e-6)
}

impl Ranged for Scale {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let (from, to) = (f64::from(limit.0), f64::from(limit.1));
        // Somewhat outside at the most: the frame cuts it off.
        (from + (to - from) * self.place(*value).clamp(-1.0, 2.0)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        self.ticks(hint.max_num_points().min(7))
    }

    fn range(&self) -> Range<f64> {
        self.first..self.last
    }
}

/// A number as an axis shows it.
fn tick(value: f64) -> String {
    let size = value.abs();
    if size != 0.0 && !(1e-3..1e5).contains(&size) {
        let power = size.log10().floor() as i32;
        let digits = value / 10_f64.powi(power);
        let digits = (digits * 100.0).round() / 100.0;
        if digits == 1.0 { format!("1e{power}") } else { format!("{digits}e{power}") }
    } else {
        let rounded = (value * 1e6).round() / 1e6;
        // No negative zero.
        format!("{}", if rounded == 0.0 { 0.0 } else { rounded })
    }
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), Box<dyn std::error::Error>>;

impl Plot {
    /// The picture as a whole SVG document: black on white wherever it is shown.
    #[must_use]
    pub fn svg(&self) -> String {
        self.inline().replacen("<svg ", "<svg style=\"color:#222;background:#fff\" ", 1)
    }

    /// The picture for a page: its text has the page's colour.
    #[must_use]
    pub fn inline(&self) -> String {
        let mut text = String::new();
        let legend = self.series.iter().filter(|series| !series.label.is_empty()).count() + self.marks.len();
        let size = (SIZE.0, SIZE.1 + LINE * u32::try_from(legend).unwrap_or(0) + 4);
        {
            let root = SVGBackend::with_string(&mut text, size).into_drawing_area();
            // Writing to a string does not fail; a picture that could not be drawn is empty.
            if self.draw(&root).and_then(|()| Ok(root.present()?)).is_err() {
                return String::new();
            }
        }
        let title = self.title.replace('&', "&amp;").replace('<', "&lt;");
        text.replace(INK_HEX, "currentColor")
            .replacen("<svg ", "<svg role=\"img\" font-family=\"sans-serif\" ", 1)
            .replacen(">\n", &format!(">\n<title>{title}</title>\n"), 1)
    }

    fn draw(&self, root: &Area<'_>) -> Drawn {
        let (above, below) = root.split_vertically(SIZE.1);
        let reach: Vec<(f64, f64)> = self.series.iter().flat_map(Series::reach).collect();
        let x = Scale::over(&self.x, reach.iter().map(|point| point.0));
        let y = Scale::over(&self.y, reach.iter().map(|point| point.1));
        let foot = if y.log { y.first } else { 0.0 };
        let font = |size: i32| ("sans-serif", size).into_font().color(&INK);
        let mut chart = ChartBuilder::on(&above)
            .margin(6)
            .margin_right(14)
            .caption(&self.title, font(15))
            .x_label_area_size(38)
            .y_label_area_size(58)
            .build_cartesian_2d(x.clone(), y.clone())?;
        chart
            .configure_mesh()
            .light_line_style(INK.mix(0.0))
            .bold_line_style(INK.mix(0.12))
            .axis_style(INK.mix(0.6))
            .label_style(font(12))
            .axis_desc_style(font(13))
            .x_desc(&self.x.label)
            .y_desc(&self.y.label)
            .x_labels(7)
            .y_labels(6)
            .x_label_formatter(&|value| tick(*value))
            .y_label_formatter(&|value| tick(*value))
            .draw()?;
        let usable = |point: &(f64, f64)| {
            point.0.is_finite() && point.1.is_finite() && (!x.log || point.0 > 0.0) && (!y.log || point.1 > 0.0)
        };
        for (place, series) in self.series.iter().enumerate() {
            let ink = colour(place);
            match &series.shape {
                Shape::Line(points) => {
                    let points = points.iter().copied().filter(usable);
                    chart.draw_series(LineSeries::new(points, ink.stroke_width(2)))?;
                }
                Shape::Dashed(points) => {
                    let points = points.iter().copied().filter(usable);
                    chart.draw_series(DashedLineSeries::new(points, 6, 4, ink.stroke_width(2)))?;
                }
                Shape::Points(points) => {
                    let dots =
                        points.iter().filter(|point| usable(point)).map(|&point| Circle::new(point, 3, ink.filled()));
                    chart.draw_series(dots)?;
                }
                Shape::Bars(width, points) => {
                    let bars = points.iter().filter(|point| usable(point)).map(|&(x, y)| {
                        Rectangle::new([(x - width / 2.0, foot), (x + width / 2.0, y)], ink.mix(0.55).filled())
                    });
                    chart.draw_series(bars)?;
                }
                Shape::Band(points) => {
                    let upper = points.iter().map(|&(x, _, upper)| (x, upper));
                    let lower =
                        points.iter().rev().map(|&(x, lower, _)| (x, if y.log { lower.max(foot) } else { lower }));
                    let outline: Vec<(f64, f64)> = upper.chain(lower).filter(usable).collect();
                    chart.draw_series([Polygon::new(outline, ink.mix(0.3).filled())])?;
                }
            }
        }
        for mark in &self.marks {
            // One that is not within the frame would be drawn on its edge, where it is not.
            let place = match *mark {
                Mark::Level(at, _) => y.place(at),
                Mark::Upright(at, _) => x.place(at),
            };
            if !(0.0..=1.0).contains(&place) {
                continue;
            }
            let ends = match *mark {
                Mark::Level(at, _) => [(x.first, at), (x.last, at)],
                Mark::Upright(at, _) => [(at, y.first), (at, y.last)],
            };
            chart.draw_series(DashedLineSeries::new(ends, 3, 3, INK.mix(0.8).stroke_width(1)))?;
        }
        self.legend(&below)
    }

    /// The names, one a line, under the picture: there they hide nothing.
    fn legend(&self, area: &Area<'_>) -> Drawn {
        let style = ("sans-serif", 12).into_font().color(&INK).pos(Pos::new(HPos::Left, VPos::Center));
        let named = self.series.iter().enumerate().filter(|(_, series)| !series.label.is_empty());
        let mut line = 0;
        let mut middle = || {
            line += 1;
            i32::try_from(LINE).unwrap_or(0) * (line - 1) + 8
        };
        for (place, series) in named {
            let (at, ink) = (middle(), colour(place));
            match series.shape {
                Shape::Line(_) => area.draw(&PathElement::new([(20, at), (44, at)], ink.stroke_width(2)))?,
                Shape::Dashed(_) => {
                    area.draw(&PathElement::new([(20, at), (30, at)], ink.stroke_width(2)))?;
                    area.draw(&PathElement::new([(34, at), (44, at)], ink.stroke_width(2)))?;
                }
                Shape::Points(_) => area.draw(&Circle::new((32, at), 3, ink.filled()))?,
                Shape::Bars(..) => area.draw(&Rectangle::new([(24, at - 5), (40, at + 5)], ink.mix(0.55).filled()))?,
                Shape::Band(_) => area.draw(&Rectangle::new([(24, at - 5), (40, at + 5)], ink.mix(0.3).filled()))?,
            }
            area.draw(&Text::new(series.label.clone(), (52, at), style.clone()))?;
        }
        for mark in &self.marks {
            let at = middle();
            let (sign, label) = match mark {
                Mark::Level(_, label) => ([(20, at), (44, at)], label),
                Mark::Upright(_, label) => ([(32, at - 7), (32, at + 7)], label),
            };
            area.draw(&PathElement::new(sign, INK.mix(0.8).stroke_width(1)))?;
            area.draw(&Text::new(label.clone(), (52, at), style.clone()))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(y: Axis, points: Vec<(f64, f64)>, marks: Vec<Mark>) -> String {
        let series = vec![Series::new("a < b & c", Shape::Line(points))];
        Plot { title: "x < y & z".into(), x: Axis::linear("x"), y, series, marks }.svg()
    }

    #[test]
    fn odd_data_are_drawn_or_left_out() {
        for points in [
            vec![],
            vec![(1.0, 1.0)],
            vec![(0.0, 0.0), (1.0, 0.0)],
            vec![(0.0, f64::NAN), (1.0, f64::INFINITY), (2.0, -1.0)],
            vec![(0.0, 1e-300), (1.0, 1e300)],
            vec![(1.0, 5.0), (1.0, 5.0)],
        ] {
            for y in
                [Axis::linear("y"), Axis::log("y"), Axis::log("y").from(0.0, 1.0), Axis::linear("y").from(1.0, 1.0)]
            {
                let svg = plot(y.clone(), points.clone(), vec![Mark::Level(0.5, "half".into())]);
                assert!(svg.ends_with("</svg>\n") || svg.trim_end().ends_with("</svg>"), "{y:?} {points:?}");
                assert!(!svg.contains("NaN") && svg.contains("a &lt; b &amp; c") && svg.contains("x &lt; y &amp; z"));
            }
        }
    }

    /// A mark beyond the frame has no line: the only dashed ones are those within.
    #[test]
    fn marks_beyond_the_frame_are_not_drawn_on_its_edge() {
        let with = |at: f64| {
            plot(Axis::linear("y").from(0.0, 1.0), vec![(0.0, 0.0), (1.0, 1.0)], vec![Mark::Level(at, "m".into())])
        };
        assert!(with(0.5).len() > with(2.0).len() + 1000);
    }

    #[test]
    fn ticks_are_round_and_inside() {
        let ticks = |log, first, last| Scale { log, first, last }.ticks(6);
        let shown: Vec<String> = ticks(false, 0.0, 1.0).into_iter().map(tick).collect();
        assert_eq!(shown, ["0", "0.2", "0.4", "0.6", "0.8", "1"]);
        assert_eq!(ticks(true, 1.0, 1e4), [1.0, 10.0, 100.0, 1000.0, 10_000.0]);
        assert_eq!(tick(1e-6), "1e-6");
        assert_eq!(tick(-0.0), "0");
        assert_eq!(tick(250_000.0), "2.5e5");
    }
}
