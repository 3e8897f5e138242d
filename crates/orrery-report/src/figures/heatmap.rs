//! Heat maps as SVG: one colored cell for each pair of processors.

use std::fmt::Write as _;

use orrery::platform::{PerPair, Processor};

use crate::figures::chart::{escape, rounded};
use crate::tables::format::{median, quantile};

/// The largest number of processors at which values are written into the cells.
const MAX_WITH_NUMBERS: usize = 12;
/// The largest number of processors at which each cell has a tooltip with its pair and value.
const MAX_WITH_TOOLTIPS: usize = 32;
/// The largest number of processors at which rows and columns are named.
const MAX_WITH_NAMES: usize = 64;
/// The largest number of processors of a map.
pub(crate) const MAX_PROCESSORS: usize = 256;
/// The largest width of a cell.
const MAX_CELL_SIZE: f64 = 42.0;
/// The width of a letter as a share of the font size.
const LETTER_WIDTH: f64 = 0.62;

/// The content of a heat map.
pub(crate) struct Map<'a> {
    /// The name of the quantity, also for screen readers.
    pub(crate) title: &'a str,
    /// The values in SI units; cells of values that are not finite are empty.
    pub(crate) values: &'a PerPair<f64>,
    /// The processors in the order of rows and columns.
    pub(crate) order: &'a [usize],
    /// The name of each processor.
    pub(crate) names: &'a [String],
    /// The hosts of several neighbours in this order: first and last place, and name.
    pub(crate) hosts: &'a [(usize, usize, String)],
    /// The unit of the written values.
    pub(crate) unit: Unit,
}

/// Returns true if a map of this number of processors takes the whole width of the page.
pub(crate) fn is_wide(processors: usize) -> bool {
    processors > MAX_WITH_TOOLTIPS
}

/// Returns true if a map of this number of processors names them.
pub(crate) fn has_names(processors: usize) -> bool {
    processors <= MAX_WITH_NAMES
}

/// The position and size of the cells, and the font size of labels.
struct Layout {
    left: f64,
    top: f64,
    cell: f64,
    letters: f64,
}

impl Layout {
    /// The layout of a map.
    fn of(map: &Map) -> Self {
        let n = map.order.len();
        let (width, letters): (f64, f64) = match n {
            _ if !is_wide(n) => (480.0, 11.0),
            _ if has_names(n) => (1100.0, 11.0),
            _ => (760.0, 0.0),
        };
        let longest = map.names.iter().map(|name| name.chars().count()).max().unwrap_or(0) as f64;
        let side = if letters > 0.0 { longest * letters * LETTER_WIDTH + 8.0 } else { 1.0 };
        let cell = ((width - side) / n as f64).min(MAX_CELL_SIZE);
        let top = if longest * letters * LETTER_WIDTH > cell - 3.0 { side } else { letters + 6.0 };
        Self {
            left: side,
            top,
            cell: (cell * 10.0).floor() / 10.0,
            letters: letters.min(cell * 0.95),
        }
    }

    /// The upper left corner of a cell.
    fn place(&self, column: usize, row: usize) -> (f64, f64) {
        (rounded(self.left + column as f64 * self.cell), rounded(self.top + row as f64 * self.cell))
    }
}

impl Map<'_> {
    /// The map with its legend as SVG; `None` without finite values.
    pub(crate) fn svg(&self) -> Option<String> {
        let n = self.order.len();
        let finite: Vec<f64> =
            self.values.values().iter().copied().filter(|value| value.is_finite()).collect();
        let steps = if has_names(n) {
            ColorScale::by_factor(&finite)
        } else {
            ColorScale::by_count(&finite)
        }?;
        let layout = Layout::of(self);
        let side = n as f64 * layout.cell;
        let (width, bottom) =
            ((layout.left + side + 1.0).max(steps.width() + 36.0), layout.top + side + 14.0);
        let mut body = if n <= MAX_WITH_TOOLTIPS {
            self.single_cells(&layout, &steps)
        } else {
            self.merged_cells(&layout, &steps)
        };
        body.push_str(&self.frames(&layout));
        if has_names(n) {
            body.push_str(&self.labels(&layout));
        }
        let unit_x = steps.width() + 2.0;
        let legend = steps.legend(self.unit, 0.0, bottom);
        let unit = format!(
            "<text class=\"label\" x=\"{unit_x}\" y=\"{}\">{}</text>",
            bottom + 22.0,
            self.unit.name
        );
        let (title, height) = (escape(self.title), rounded(bottom + 28.0));
        let (width, class) =
            (rounded(width), if n <= MAX_WITH_NUMBERS { "map small" } else { "map" });
        Some(format!(
            "<svg class=\"{class}\" role=\"img\" aria-label=\"{title}\" width=\"{width}\" \
                height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" \
             xmlns=\"http://www.w3.org/2000/svg\">\n{body}{legend}{unit}</svg>\n"
        ))
    }

    /// The value of a cell; `None` on the diagonal and for values that are not finite.
    fn value(&self, row: usize, column: usize) -> Option<f64> {
        let (i, j) = (self.order[row], self.order[column]);
        let value = (i != j).then(|| *self.values.get(Processor(i as u32), Processor(j as u32)));
        value.filter(|value| value.is_finite())
    }

    /// The cells as separate elements with tooltips.
    fn single_cells(&self, layout: &Layout, steps: &ColorScale) -> String {
        let n = self.order.len();
        let mut svg = String::new();
        let inner = rounded(layout.cell - 1.0);
        for (row, column) in (0..n).flat_map(|row| (0..n).map(move |column| (row, column))) {
            let Some(value) = self.value(row, column) else { continue };
            let (x, y) = layout.place(column, row);
            let (color, words) = (steps.color(value), self.unit.write(value));
            let pair = self.pair(self.order[row], self.order[column]);
            let _ = write!(svg, "<g><title>{}: {words} {}</title>", escape(&pair), self.unit.name);
            let _ =
                write!(svg, "<path class=\"s{color}\" d=\"M{x} {y}h{inner}v{inner}h-{inner}z\"/>");
            if n <= MAX_WITH_NUMBERS {
                let (x, y) = (rounded(x + inner / 2.0), rounded(y + inner / 2.0));
                let _ = write!(
                    svg,
                    "<text class=\"t{color}\" x=\"{x}\" y=\"{y}\" dy=\".35em\" \
                        text-anchor=\"middle\">{words}</text>"
                );
            }
            svg.push_str("</g>\n");
        }
        svg
    }

    /// The cells as one path for each color, in which neighbours of a row are one stripe.
    fn merged_cells(&self, layout: &Layout, steps: &ColorScale) -> String {
        let n = self.order.len();
        let mut paths = vec![String::new(); 9];
        for row in 0..n {
            let colors: Vec<Option<usize>> = (0..n)
                .map(|column| self.value(row, column).map(|value| steps.color(value)))
                .collect();
            let mut start = 0;
            for stripe in colors.chunk_by(|a, b| a == b) {
                if let Some(color) = stripe[0] {
                    let _ = write!(paths[color], "M{start} {row}h{}", stripe.len());
                }
                start += stripe.len();
            }
        }
        let (left, top, cell) =
            (rounded(layout.left), rounded(layout.top + layout.cell / 2.0), layout.cell);
        let mut svg =
            format!("<g class=\"stripes\" transform=\"translate({left} {top}) scale({cell})\">\n");
        for (color, path) in paths.iter().enumerate().filter(|(_, path)| !path.is_empty()) {
            let _ = writeln!(svg, "<path class=\"s{color}\" d=\"{path}\"/>");
        }
        svg.push_str("</g>\n");
        svg
    }

    /// Frames around the links within each host.
    fn frames(&self, layout: &Layout) -> String {
        let mut svg = String::new();
        for (first, last, name) in self.hosts {
            let (x, y) = layout.place(*first, *first);
            let (x, y) = (rounded(x - 0.5), rounded(y - 0.5));
            let (side, name) = (rounded((last - first + 1) as f64 * layout.cell), escape(name));
            let _ = writeln!(
                svg,
                "<g><title>within host {name}</title><path class=\"host\" d=\"M{x} \
                    {y}h{side}v{side}h-{side}z\"/></g>"
            );
        }
        svg
    }

    /// The names of rows and columns.
    fn labels(&self, layout: &Layout) -> String {
        let letters = rounded(layout.letters);
        let mut svg = format!("<g class=\"label\" font-size=\"{letters}\">");
        for (place, &processor) in self.order.iter().enumerate() {
            let name = escape(self.names.get(processor).map_or("", String::as_str));
            let (x, y) = layout.place(place, place);
            let (x, y) = (rounded(x + layout.cell / 2.0), rounded(y + layout.cell / 2.0));
            let (left, top) = (layout.left - 5.0, rounded(layout.top - 5.0));
            let _ = write!(
                svg,
                "<text x=\"{left:.1}\" y=\"{y}\" dy=\".35em\" text-anchor=\"end\">{name}</text>"
            );
            // Names that are wider than a cell are vertical.
            let _ = if layout.top > layout.letters + 8.0 {
                write!(
                    svg,
                    "<text x=\"{x}\" y=\"{top}\" dy=\".35em\" transform=\"rotate(-90 {x} \
                        {top})\">{name}</text>"
                )
            } else {
                write!(svg, "<text x=\"{x}\" y=\"{top}\" text-anchor=\"middle\">{name}</text>")
            };
        }
        svg.push_str("</g>\n");
        svg
    }

    /// The name of a pair, with its numbers if they differ: `old0–fast1 (4–1)`.
    fn pair(&self, i: usize, j: usize) -> String {
        pair_words(self.names, i, j)
    }
}

/// The name of a pair, with its numbers if they differ: `old0–fast1 (4–1)`.
pub(crate) fn pair_words(names: &[String], i: usize, j: usize) -> String {
    let name = |p: usize| names.get(p).cloned().unwrap_or_else(|| p.to_string());
    let (numbers, words) = (format!("{i}–{j}"), format!("{}–{}", name(i), name(j)));
    if words == numbers { words } else { format!("{words} ({numbers})") }
}

/// The largest number of steps: the number of colors in the style sheet.
const MAX_STEPS: usize = 9;
/// The least factor between the ends of the scale, so that noise does not fill it.
const MIN_RANGE: f64 = 1.5;
/// Values beyond this factor from the median are in the first or last step.
const MAX_FACTOR_FROM_MEDIAN: f64 = 30.0;
/// The least factor between the edges of a step that is filled by number of values.
const MIN_STEP: f64 = 1.05;
/// A value that exceeds the next lower one by this factor begins a step.
const GAP_FACTOR: f64 = 1.2;
/// The width of a step in the legend.
const SWATCH_WIDTH: f64 = 38.0;
/// The height of a step in the legend.
const SWATCH_HEIGHT: f64 = 10.0;

/// The unit of all values of a map: its name, and its number per SI unit.
#[derive(Clone, Copy)]
pub(crate) struct Unit {
    scale: f64,
    pub(crate) name: &'static str,
}

impl Unit {
    /// A unit of time in which the value is 1 or more.
    pub(crate) fn of_time(value: f64) -> Self {
        Self::first(&[(1.0, "s"), (1e3, "ms"), (1e6, "µs"), (1e9, "ns")], value)
    }

    /// A unit of rates in which the value is 1 or more.
    pub(crate) fn of_rate(value: f64) -> Self {
        Self::first(&[(1e-9, "GB/s"), (1e-6, "MB/s"), (1e-3, "kB/s"), (1.0, "B/s")], value)
    }

    /// The first unit in which the value is 1 or more, otherwise the last.
    fn first(units: &[(f64, &'static str)], value: f64) -> Self {
        let fits = units.iter().find(|(scale, _)| value * scale >= 0.995);
        let (scale, name) = fits.or(units.last()).copied().unwrap_or((1.0, ""));
        Self { scale, name }
    }

    /// A value in this unit with three significant digits, without the name of the unit.
    pub(crate) fn write(self, value: f64) -> String {
        let value = value * self.scale;
        let decimals = match value.abs() {
            v if v >= 99.95 => 0,
            v if v >= 9.995 => 1,
            _ => 2,
        };
        format!("{value:.decimals$}")
    }
}

/// The edges of the steps in ascending order.
pub(crate) struct ColorScale {
    edges: Vec<f64>,
    /// True if values lie below the first edge, and above the last.
    open: (bool, bool),
}

impl ColorScale {
    /// Steps of equal factors; `None` without finite values.
    pub(crate) fn by_factor(values: &[f64]) -> Option<Self> {
        let (low, high, middle) =
            (quantile_of(values, 0.0)?, quantile_of(values, 1.0)?, median(values.iter().copied())?);
        if middle <= 0.0 {
            return Some(Self { edges: vec![low, high], open: (false, false) });
        }
        let (first, last) =
            (low.max(middle / MAX_FACTOR_FROM_MEDIAN), high.min(middle * MAX_FACTOR_FROM_MEDIAN));
        Some(Self { open: (low < first, high > last), ..Self::between(first, last) })
    }

    /// Steps of equal factors between two values above 0.
    pub(crate) fn between(mut first: f64, mut last: f64) -> Self {
        if last / first < MIN_RANGE {
            let centre = (first * last).sqrt();
            (first, last) = (centre / MIN_RANGE.sqrt(), centre * MIN_RANGE.sqrt());
        }
        let factor = last / first;
        let edges = (0..=MAX_STEPS)
            .map(|edge| first * factor.powf(edge as f64 / MAX_STEPS as f64))
            .collect();
        Self { edges, open: (false, false) }
    }

    /// Steps with about equal numbers of values; gaps between values begin a step too. `None`
    /// without finite values.
    pub(crate) fn by_count(values: &[f64]) -> Option<Self> {
        let mut sorted: Vec<f64> =
            values.iter().copied().filter(|value| value.is_finite()).collect();
        sorted.sort_by(f64::total_cmp);
        let (&low, &high) = (sorted.first()?, sorted.last()?);
        let enough = sorted.len().div_ceil(MAX_STEPS);
        let (mut edges, mut held) = (vec![low], 0);
        for pair in sorted.windows(2) {
            held += 1;
            let (before, value, first) = (pair[0], pair[1], edges[edges.len() - 1]);
            let full = held >= enough && value > first * MIN_STEP;
            if (full || value > before * GAP_FACTOR) && edges.len() < MAX_STEPS {
                edges.push(value);
                held = 0;
            }
        }
        edges.push(high);
        Some(Self { edges, open: (false, false) })
    }

    /// The number of steps.
    fn count(&self) -> usize {
        self.edges.len() - 1
    }

    /// The color of a value: 0 for the smallest to 8 for the largest; class `s0` to `s8` in the
    /// style sheet.
    pub(crate) fn color(&self, value: f64) -> usize {
        let inner = &self.edges[1..self.count()];
        self.spread(inner.iter().filter(|edge| value >= **edge).count())
    }

    /// The color of a step; few steps are spread over all colors.
    fn spread(&self, step: usize) -> usize {
        if self.count() == 1 { MAX_STEPS / 2 } else { step * (MAX_STEPS - 1) / (self.count() - 1) }
    }

    /// The width of the legend.
    pub(crate) fn width(&self) -> f64 {
        (self.count() + 1) as f64 * SWATCH_WIDTH
    }

    /// The legend at a position, as SVG: the colors of the steps with the values of their edges.
    pub(crate) fn legend(&self, unit: Unit, x: f64, y: f64) -> String {
        let mut svg = String::new();
        let left = x + SWATCH_WIDTH / 2.0;
        let below = y + SWATCH_HEIGHT + 12.0;
        for (step, low) in self.edges.iter().enumerate() {
            let at = left + step as f64 * SWATCH_WIDTH;
            if step < self.count() {
                let color = self.spread(step);
                let _ = write!(
                    svg,
                    "<path class=\"s{color}\" d=\"M{at} \
                        {y}h{SWATCH_WIDTH}v{SWATCH_HEIGHT}h-{SWATCH_WIDTH}z\"/>"
                );
            }
            let sign = match step {
                0 if self.open.0 => "≤",
                last if last == self.count() && self.open.1 => "≥",
                _ => "",
            };
            let words = unit.write(*low);
            let _ = write!(
                svg,
                "<text class=\"label\" x=\"{at}\" y=\"{below}\" \
                    text-anchor=\"middle\">{sign}{words}</text>"
            );
        }
        svg
    }
}

/// The quantile q (0 to 1) of some values; `None` without finite values.
fn quantile_of(values: &[f64], q: f64) -> Option<f64> {
    quantile(values.iter().copied(), q)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_does_not_fill_the_scale() {
        let steps = ColorScale::by_factor(&[100.0, 101.0, 102.0]).unwrap();
        let colors: Vec<usize> = [100.0, 102.0].map(|value| steps.color(value)).to_vec();
        assert!(colors.iter().all(|color| (3..=5).contains(color)), "{colors:?}");
    }

    #[test]
    fn the_ends_of_the_scale_are_the_ends_of_the_values() {
        for steps in [
            ColorScale::by_factor(&[1.0, 2.0, 3.0, 10.0]),
            ColorScale::by_count(&[1.0, 2.0, 3.0, 10.0]),
        ] {
            let steps = steps.unwrap();
            assert_eq!((steps.color(1.0), steps.color(10.0)), (0, 8));
        }
    }

    #[test]
    fn crowded_values_share_a_step() {
        let values: Vec<f64> =
            (0..90).map(|k| 10.0 + 0.001 * f64::from(k)).chain([20.0; 10]).collect();
        let steps = ColorScale::by_count(&values).unwrap();
        assert_eq!(steps.count(), 2);
        assert_eq!((steps.color(10.0), steps.color(20.0)), (0, 8));
        let values: Vec<f64> = (0..99).map(|k| 10.0 + 0.001 * f64::from(k)).chain([5.0]).collect();
        let steps = ColorScale::by_count(&values).unwrap();
        assert_eq!((steps.color(5.0), steps.color(10.0)), (0, 8));
    }

    #[test]
    fn zeros_and_nothing_are_borne() {
        assert!(
            ColorScale::by_factor(&[]).is_none() && ColorScale::by_count(&[f64::NAN]).is_none()
        );
        assert_eq!(ColorScale::by_factor(&[0.0, 0.0, 0.0]).unwrap().color(0.0), 4);
        assert_eq!(ColorScale::by_factor(&[0.0, 5.0, 6.0]).unwrap().color(0.0), 0);
        assert_eq!(ColorScale::by_count(&[0.0; 4]).unwrap().color(0.0), 4);
    }
}
