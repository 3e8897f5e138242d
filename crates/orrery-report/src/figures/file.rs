//! Charts as files of their own, with legend and style, for papers and slides.
//!
//! Programs that convert SVG to PDF do not know variables of styles, so that the style has the
//! colors of light pages in their place.

use std::fmt::Write as _;

use super::chart::{WIDTH, escape, height, marker};
use super::figure::{Figure, FigureSeries, SeriesKind};

/// The colors of pages as variables, first those of light ones.
const COLORS: &str = include_str!("colors.css");
/// The style of charts, with colors as variables.
const STYLE: &str = include_str!("chart.css");
/// The space at both sides of the legend.
const MARGIN: f64 = 14.0;
/// The height of a line of the legend.
const LINE_HEIGHT: f64 = 20.0;
/// The width of a sample of the legend with the gap behind it.
const SAMPLE_WIDTH: f64 = 33.0;
/// The width of a letter of the legend.
const LETTER_WIDTH: f64 = 8.0;
/// The gap behind an entry of the legend.
const GAP: f64 = 16.0;
/// The largest number of letters of a name in the legend: those that fit on a line.
const MAX_LETTERS: usize = 52;

impl Figure {
    /// The chart as a whole SVG file on white, with its legend.
    pub(crate) fn file(&self) -> String {
        let (title, description) = (escape(&self.title), escape(&self.description));
        let chart_height = height(self);
        let (legend, legend_height) = legend(&self.series, chart_height);
        let (body, style, height) = (self.body(), style(), chart_height + legend_height);
        format!(
            "<svg class=\"figure\" xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" \
             width=\"{WIDTH}\" height=\"{height}\" viewBox=\"0 0 {WIDTH} {height}\" \
             font-family=\"Helvetica, Arial, Liberation Sans, DejaVu Sans, sans-serif\" \
             font-size=\"13\">\n<title>{title}</title>\n<desc>{description}</desc>\n\
             <style>\n{style}</style>\n\
             <rect width=\"{WIDTH}\" height=\"{height}\" fill=\"#fff\"/>\n{body}{legend}</svg>\n"
        )
    }
}

/// The style of charts with the colors of light pages.
fn style() -> String {
    let light = COLORS.split('}').next().unwrap_or_default();
    let variables = light.split(['{', ';']).filter_map(|text| {
        let (name, value) = text.trim().strip_prefix("--")?.split_once(": ")?;
        Some((format!("var(--{name})"), value))
    });
    variables.fold(STYLE.to_owned(), |style, (variable, value)| style.replace(&variable, value))
}

/// The legend of the series below a chart, and its height; empty for a single entry.
fn legend(series: &[FigureSeries], top: f64) -> (String, f64) {
    let mut entries: Vec<&FigureSeries> = Vec::new();
    for one in series {
        if !entries.iter().any(|other| (other.color, &other.name) == (one.color, &one.name)) {
            entries.push(one);
        }
    }
    if entries.len() < 2 {
        return (String::new(), 0.0);
    }
    let mut svg = String::new();
    let (mut x, mut y) = (MARGIN, top + 8.0);
    for one in entries {
        let name = shortened(&one.name);
        let width = SAMPLE_WIDTH + name.chars().count() as f64 * LETTER_WIDTH;
        if x > MARGIN && x + width > WIDTH - MARGIN {
            (x, y) = (MARGIN, y + LINE_HEIGHT);
        }
        let has_sample = one.kind != SeriesKind::Points
            || one.points.iter().any(|point| point.interval.is_some());
        let (class, path) = if has_sample { one.kind.sample() } else { ("", "") };
        let (color, marker) = (one.color.class(), marker(one.color, 13.0, 7.0));
        let _ = writeln!(
            svg,
            "<g transform=\"translate({x} {y})\"><title>{}</title><g class=\"series {color}\">\
             <path class=\"{class}\" d=\"{path}\"/>{marker}</g>\
             <text class=\"label\" x=\"{SAMPLE_WIDTH}\" y=\"11.5\">{}</text></g>",
            escape(&one.name),
            escape(&name)
        );
        x += width + GAP;
    }
    (svg, y + LINE_HEIGHT + 4.0 - top)
}

/// A name without its beginning if it is too long for the legend: call paths differ at their ends.
fn shortened(name: &str) -> String {
    match name.chars().count().checked_sub(MAX_LETTERS) {
        None | Some(0) => name.to_owned(),
        Some(more) => format!("…{}", name.chars().skip(more + 1).collect::<String>()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn styles_have_colors_in_place_of_variables() {
        let style = style();
        assert!(!style.contains("var("), "{style}");
        assert!(style.contains("svg .model-0 { color: #0072b2; }"), "{style}");
    }

    #[test]
    fn long_names_lose_their_beginnings() {
        assert_eq!(shortened("main->solve"), "main->solve");
        let name = shortened(&format!("{}->end", "a".repeat(100)));
        assert!(name.starts_with('…') && name.ends_with("->end"), "{name}");
        assert_eq!(name.chars().count(), MAX_LETTERS);
    }
}
