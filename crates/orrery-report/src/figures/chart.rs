//! Charts as SVG: the crate `plotters` draws the axes; series get classes that a style sheet
//! colors.

use super::figure::{
    Axes, Figure, FigureMark, FigureSeries, SeriesColor, SeriesKind, XAxis, YAxis, ratio_label,
    time_label,
};
use orrery::units::Bytes;
use plotters::prelude::*;
use plotters_backend::text_anchor::{HPos, VPos};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind,
    FontTransform,
};
use std::cell::RefCell;
use std::convert::Infallible;
use std::fmt::Write as _;
use std::rc::Rc;

/// The width of all charts.
const WIDTH: u32 = 480;
/// The width of the labels and the title of the y axis.
const Y_AXIS_WIDTH: u32 = 104;
/// The height of the labels and the title of the x axis.
const X_AXIS_HEIGHT: u32 = 54;
/// The space for half a label at the right end of the x axis.
const RIGHT_MARGIN: u32 = 28;
/// The classes of the parts of axes; plotters draws the n-th part in color (n, 0, 0).
const CLASSES: [&str; 3] = ["axis", "grid", "label"];
/// The color that marks axes for the class `axis`.
const AXIS: RGBColor = RGBColor(0, 0, 0);
/// The color that marks grid lines for the class `grid`.
const GRID: RGBColor = RGBColor(1, 0, 0);
/// The color that marks texts for the class `label`.
const LABEL: RGBColor = RGBColor(2, 0, 0);
/// The font size of labels.
const FONT_SIZE: i32 = 13;
/// The width of a letter as a share of the font size.
const LETTER_WIDTH: f64 = 0.6;

impl Figure {
    /// The chart as an SVG element in the colors and the font of the page; `id` must be unique on
    /// the page.
    pub(crate) fn svg(&self, id: &str) -> String {
        svg(self, id)
    }
}

/// The chart as an SVG element.
fn svg(figure: &Figure, id: &str) -> String {
    let (title, description) = (escape(&figure.title), escape(&figure.description));
    let body = Axes::of(figure).map_or_else(empty_chart, |axes| draw(figure, &axes));
    let height = height(figure);
    format!(
        "<svg class=\"figure\" role=\"img\" aria-labelledby=\"{id}-title {id}-desc\" viewBox=\"0 0 \
            {WIDTH} {height}\" \
         xmlns=\"http://www.w3.org/2000/svg\">\n<title id=\"{id}-title\">{title}</title>\n\
         <desc id=\"{id}-desc\">{description}</desc>\n{body}</svg>\n"
    )
}

/// The height of a chart.
fn height(figure: &Figure) -> u32 {
    match (figure.x_axis, figure.y_axis) {
        // The plot area is square, so that the diagonal has an angle of 45°.
        (XAxis::Times, _) => 420,
        (_, YAxis::Time) => 330,
        (_, YAxis::Ratio) => 202,
    }
}

/// The text of a chart without points.
fn empty_chart() -> String {
    let (x, y) = (WIDTH / 2, 90);
    format!("<text class=\"label\" x=\"{x}\" y=\"{y}\" text-anchor=\"middle\">no data</text>\n")
}

/// The axes, marks and series of a chart.
fn draw(figure: &Figure, axes: &Axes) -> String {
    let canvas = Canvas::new(WIDTH, height(figure), &CLASSES);
    let root = canvas.clone().into_drawing_area();
    let x = (axes.x.0..axes.x.1).log_scale().with_key_points(axes.x_labels.clone());
    let y = (axes.y.0..axes.y.1).log_scale().with_key_points(axes.y_labels.clone());
    let x_label = |size: &f64| match (figure.x_axis, axes.zero) {
        (_, Some(zero)) if *size <= zero => "0".to_owned(),
        (XAxis::Bytes, _) => Bytes::new(*size as u64).to_string(),
        (XAxis::Numbers, _) => size.to_string(),
        (XAxis::Times, _) => time_label(*size),
    };
    let font = ("sans-serif", FONT_SIZE * TENTHS).into_font().color(&LABEL);
    let built = ChartBuilder::on(&root)
        .margin_top(12 * TENTHS)
        .margin_right(RIGHT_MARGIN as i32 * TENTHS)
        .x_label_area_size(X_AXIS_HEIGHT as i32 * TENTHS)
        .y_label_area_size(Y_AXIS_WIDTH as i32 * TENTHS)
        .build_cartesian_2d(x, y);
    // The canvas never fails, and it is large enough for axes.
    let Ok(mut chart) = built else { return empty_chart() };
    let _ = chart
        .configure_mesh()
        .x_label_formatter(&x_label)
        .y_label_formatter(&|value| match figure.y_axis {
            YAxis::Time => time_label(*value),
            YAxis::Ratio => ratio_label(*value),
        })
        .label_style(font)
        .axis_style(AXIS)
        .bold_line_style(GRID)
        .light_line_style(TRANSPARENT)
        .set_all_tick_mark_size(4 * TENTHS)
        .draw();
    canvas.put(&axis_titles(figure));
    let area = chart.plotting_area();
    let position =
        |x: f64, y: f64| area.map_coordinate(&(axes.drawn_x(x), y.clamp(axes.y.0, axes.y.1)));
    if figure.y_axis == YAxis::Ratio {
        let ((left, y), (right, _)) = (position(axes.x.0, 1.0), position(axes.x.1, 1.0));
        canvas.put(&format!(
            "<path class=\"axis\" d=\"M{} {}H{}\"/>\n",
            units(left),
            units(y),
            units(right)
        ));
    }
    if figure.x_axis == XAxis::Times {
        let ((left, low), (right, high)) =
            (position(axes.x.0, axes.x.0), position(axes.x.1, axes.x.1));
        let [left, low, right, high] = [left, low, right, high].map(units);
        canvas
            .put(&format!("<path class=\"axis diagonal\" d=\"M{left} {low}L{right} {high}\"/>\n"));
    }
    for mark in figure.marks.iter().filter(|mark| mark.x > axes.x.0 && mark.x < axes.x.1) {
        let ((x, top), (_, bottom)) = (position(mark.x, axes.y.1), position(mark.x, axes.y.0));
        let left = position(axes.x.0, axes.y.0).0;
        canvas.put(&draw_mark(mark, (x, top, bottom), x - left > 3 * FONT_SIZE * TENTHS));
    }
    for series in &figure.series {
        canvas.put(&draw_series(series, &position));
    }
    let _ = root.present();
    canvas.elements()
}

/// The titles of both axes, at the lower and the left edge of the chart.
fn axis_titles(figure: &Figure) -> String {
    let height = height(figure);
    let (center, bottom) = ((Y_AXIS_WIDTH + WIDTH - RIGHT_MARGIN) / 2, height - 6);
    let (left, middle) = (14, (height - X_AXIS_HEIGHT) / 2);
    let (x_title, y_title) = (escape(&figure.x_title), escape(&figure.y_title));
    format!(
        "<text class=\"label\" x=\"{center}\" y=\"{bottom}\" \
            text-anchor=\"middle\">{x_title}</text>\n\
         <text class=\"label\" x=\"{left}\" y=\"{middle}\" dy=\".33em\" text-anchor=\"middle\" \
         transform=\"rotate(-90 {left} {middle})\">{y_title}</text>\n"
    )
}

/// A vertical line with its name at the upper end, to its left if there is room.
fn draw_mark(mark: &FigureMark, (x, top, bottom): (i32, i32, i32), has_room: bool) -> String {
    let (shift, anchor) = if has_room { (-3 * TENTHS, "end") } else { (3 * TENTHS, "start") };
    let (line, text_x) =
        (format!("M{} {}V{}", units(x), units(top), units(bottom)), units(x + shift));
    let (name, top) = (escape(mark.name), units(top + FONT_SIZE * TENTHS));
    format!(
        "<path class=\"mark\" d=\"{line}\"/>\n\
         <text class=\"label\" x=\"{text_x}\" y=\"{top}\" text-anchor=\"{anchor}\">{name}</text>\n"
    )
}

/// The markers, lines, error bars and bands of a series.
fn draw_series(series: &FigureSeries, position: &impl Fn(f64, f64) -> (i32, i32)) -> String {
    let mut text = format!("<g class=\"series {}\">\n", series.color.class());
    let points = || series.points.iter().filter(|point| point.is_drawable());
    if matches!(series.kind, SeriesKind::Band | SeriesKind::Area) {
        text.push_str(&band(series, position));
    }
    if matches!(series.kind, SeriesKind::Line | SeriesKind::Band) {
        let mut data = String::new();
        // Size 0 has no place on the logarithmic scale, so no line leads to it.
        for point in points().filter(|point| point.x > 0.0) {
            let (x, y) = position(point.x, point.y);
            let _ = write!(
                data,
                "{}{} {}",
                if data.is_empty() { "M" } else { "L" },
                units(x),
                units(y)
            );
        }
        let _ = writeln!(text, "<path class=\"line\" d=\"{data}\"/>");
    }
    for point in points().filter(|_| matches!(series.kind, SeriesKind::Points | SeriesKind::Line)) {
        let (x, y) = position(point.x, point.y);
        let _ = write!(text, "<g><title>{}</title>", escape(&point.tooltip));
        if let Some((low, high)) =
            point.interval.filter(|(low, high)| low.is_finite() && high.is_finite())
        {
            let (low, high) = (position(point.x, low).1, position(point.x, high).1);
            let cap = |y: i32| format!("M{} {}h8", units(x - 4 * TENTHS), units(y));
            let stem = format!("M{} {}V{}", units(x), units(low), units(high));
            let _ = write!(text, "<path class=\"whisker\" d=\"{stem}{}{}\"/>", cap(low), cap(high));
        }
        let _ = writeln!(text, "{}</g>", marker(series.color, &units(x), &units(y)));
    }
    text.push_str("</g>\n");
    text
}

/// The area between the ends of the intervals.
fn band(series: &FigureSeries, position: &impl Fn(f64, f64) -> (i32, i32)) -> String {
    let ends = || {
        series
            .points
            .iter()
            .filter(|point| point.is_drawable())
            .filter_map(|p| Some((p.x, p.interval?)))
    };
    let (lows, highs) = (
        ends().map(|(x, (low, _))| position(x, low)),
        ends().map(|(x, (_, high))| position(x, high)),
    );
    let around = lows.chain(highs.collect::<Vec<_>>().into_iter().rev());
    let corners: Vec<String> = around.map(|(x, y)| format!("{} {}", units(x), units(y))).collect();
    if corners.is_empty() {
        String::new()
    } else {
        format!("<path class=\"band\" d=\"M{}z\"/>\n", corners.join("L"))
    }
}

/// The marker of a series at a point; each color has a shape of its own.
pub(crate) fn marker(color: SeriesColor, x: &str, y: &str) -> String {
    let shape = match color {
        SeriesColor::Measured => "m-3.6 0a3.6 3.6 0 1 0 7.2 0a3.6 3.6 0 1 0-7.2 0z",
        SeriesColor::Numbered(0) => "m-3.4-3.4h6.8v6.8h-6.8z",
        SeriesColor::Numbered(1) => "m0-4.8l4.8 4.8l-4.8 4.8l-4.8-4.8z",
        SeriesColor::Numbered(2) => "m0-4.6l4.4 7.8h-8.8z",
        SeriesColor::Numbered(3) => "m0 4.6l4.4-7.8h-8.8z",
        SeriesColor::Numbered(4) => "m0-4.6l4.4 3.2l-1.7 5.2h-5.4l-1.7-5.2z",
        SeriesColor::Numbered(5) => "m-4.8-2.2h9.6v4.4h-9.6z",
        SeriesColor::Numbered(6) => {
            "m-4.4-4.4l4.4 2.6l4.4-2.6l-2.6 4.4l2.6 4.4l-4.4-2.6l-4.4 2.6l2.6-4.4z"
        }
        SeriesColor::Numbered(_) => "m-2.2-4.8h4.4v9.6h-4.4z",
        SeriesColor::Band => return String::new(),
    };
    format!("<path class=\"marker\" d=\"M{x} {y}{shape}\"/>")
}

/// Coordinates are in whole tenths of a unit, so that curves are smooth.
pub(crate) const TENTHS: i32 = 10;

/// The result of drawing, which never fails.
type DrawResult = Result<(), DrawingErrorKind<Infallible>>;

/// A drawing backend of plotters that writes SVG elements with classes instead of colors.
#[derive(Clone)]
pub(crate) struct Canvas {
    size: (u32, u32),
    classes: &'static [&'static str],
    text: Rc<RefCell<String>>,
}

impl Canvas {
    /// An empty canvas.
    pub(crate) fn new(width: u32, height: u32, classes: &'static [&'static str]) -> Self {
        let tenths = TENTHS as u32;
        Self { size: (width * tenths, height * tenths), classes, text: Rc::default() }
    }

    /// The elements drawn so far.
    pub(crate) fn elements(&self) -> String {
        self.text.borrow().clone()
    }

    /// Adds an SVG element.
    pub(crate) fn put(&self, element: &str) {
        self.text.borrow_mut().push_str(element);
    }

    /// The class that a color represents.
    fn class(&self, color: BackendColor) -> &'static str {
        self.classes.get(usize::from(color.rgb.0)).copied().unwrap_or_default()
    }
}

/// The text of a coordinate: `12.5`.
pub(crate) fn units(tenths: i32) -> String {
    let value = f64::from(tenths) / f64::from(TENTHS);
    format!("{value}")
}

/// The text with the special characters of SVG and HTML escaped.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

impl DrawingBackend for Canvas {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        self.size
    }

    fn ensure_prepared(&mut self) -> DrawResult {
        Ok(())
    }

    fn present(&mut self) -> DrawResult {
        Ok(())
    }

    fn draw_pixel(&mut self, _: BackendCoord, _: BackendColor) -> DrawResult {
        Ok(())
    }

    fn draw_line<S: BackendStyle>(
        &mut self,
        from: BackendCoord,
        to: BackendCoord,
        style: &S,
    ) -> DrawResult {
        self.draw_path([from, to], style)
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> DrawResult {
        let mut data = String::new();
        for (index, (x, y)) in path.into_iter().enumerate() {
            let _ = write!(data, "{}{} {}", if index == 0 { "M" } else { "L" }, units(x), units(y));
        }
        self.put(&format!("<path class=\"{}\" d=\"{data}\"/>\n", self.class(style.color())));
        Ok(())
    }

    fn draw_text<S: BackendTextStyle>(
        &mut self,
        text: &str,
        style: &S,
        position: BackendCoord,
    ) -> DrawResult {
        let (x, y) = (units(position.0), units(position.1));
        let anchor = match style.anchor().h_pos {
            HPos::Left => "start",
            HPos::Center => "middle",
            HPos::Right => "end",
        };
        let shift = match style.anchor().v_pos {
            VPos::Top => ".75em",
            VPos::Center => ".33em",
            VPos::Bottom => "-.35em",
        };
        let rotation = match style.transform() {
            FontTransform::None => String::new(),
            FontTransform::Rotate90 => format!(" transform=\"rotate(90 {x} {y})\""),
            FontTransform::Rotate180 => format!(" transform=\"rotate(180 {x} {y})\""),
            FontTransform::Rotate270 => format!(" transform=\"rotate(270 {x} {y})\""),
        };
        let class = self.class(style.color());
        let text = escape(text);
        self.put(&format!(
            "<text class=\"{class}\" x=\"{x}\" y=\"{y}\" dy=\"{shift}\" \
                text-anchor=\"{anchor}\"{rotation}>{text}</text>\n"
        ));
        Ok(())
    }

    fn estimate_text_size<S: BackendTextStyle>(
        &self,
        text: &str,
        style: &S,
    ) -> Result<(u32, u32), DrawingErrorKind<Infallible>> {
        let height = style.size();
        Ok(((height * LETTER_WIDTH * text.chars().count() as f64) as u32, height as u32))
    }
}
