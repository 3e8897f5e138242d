//! One value for each pair of processors as a coloured cell: an SVG without script.

use std::fmt::Write as _;

use super::color_scale::{ColorScale, Unit};
use crate::figures::chart::escape;
use orrery::platform::{PerPair, Processor};

/// Up to so many processors the values are written into the cells.
const MOST_WITH_NUMBERS: usize = 12;
/// Up to so many processors each cell says its pair and value when the pointer rests on it.
const MOST_WITH_TITLES: usize = 32;
/// Up to so many processors they are named.
const MOST_WITH_NAMES: usize = 64;
/// More processors than this are not drawn.
pub(crate) const MOST: usize = 256;
/// The largest side of a cell.
const LARGEST_CELL: f64 = 42.0;
/// How wide a letter is, as a share of the size of the letters.
const LETTER: f64 = 0.62;

/// What is drawn.
pub(crate) struct Map<'a> {
    /// What the values are; the name of the picture for those who do not see it.
    pub(crate) title: &'a str,
    /// The values in SI units; those that are not finite stay empty.
    pub(crate) values: &'a PerPair<f64>,
    /// The processors in the order in which they are shown.
    pub(crate) order: &'a [usize],
    /// The name of each processor.
    pub(crate) names: &'a [String],
    /// Neighbours in this order that share a host: the first and the last place, and the name of the host.
    pub(crate) hosts: &'a [(usize, usize, String)],
    /// In which unit the values are written.
    pub(crate) unit: Unit,
}

/// Whether the map of so many processors takes the whole width of the page.
pub(crate) fn is_wide(processors: usize) -> bool {
    processors > MOST_WITH_TITLES
}

/// Whether the map of so many processors names them.
pub(crate) fn has_names(processors: usize) -> bool {
    processors <= MOST_WITH_NAMES
}

/// Where the cells stand.
struct Layout {
    left: f64,
    top: f64,
    cell: f64,
    letters: f64,
}

impl Layout {
    fn of(map: &Map) -> Self {
        let n = map.order.len();
        let (width, letters): (f64, f64) = match n {
            _ if !is_wide(n) => (480.0, 11.0),
            _ if has_names(n) => (1100.0, 11.0),
            _ => (760.0, 0.0),
        };
        let longest = map.names.iter().map(|name| name.chars().count()).max().unwrap_or(0) as f64;
        let side = if letters > 0.0 { longest * letters * LETTER + 8.0 } else { 1.0 };
        let cell = ((width - side) / n as f64).min(LARGEST_CELL);
        let top = if longest * letters * LETTER > cell - 3.0 { side } else { letters + 6.0 };
        Self { left: side, top, cell: (cell * 10.0).floor() / 10.0, letters: letters.min(cell * 0.95) }
    }

    fn place(&self, column: usize, row: usize) -> (f64, f64) {
        (rounded(self.left + column as f64 * self.cell), rounded(self.top + row as f64 * self.cell))
    }
}

fn rounded(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

impl Map<'_> {
    /// The map with its legend; nothing when there is no finite value.
    pub(crate) fn svg(&self) -> Option<String> {
        let n = self.order.len();
        let finite: Vec<f64> = self.values.values().iter().copied().filter(|value| value.is_finite()).collect();
        let steps = if has_names(n) { ColorScale::by_factor(&finite) } else { ColorScale::by_count(&finite) }?;
        let layout = Layout::of(self);
        let side = n as f64 * layout.cell;
        let (width, bottom) = ((layout.left + side + 1.0).max(steps.width() + 36.0), layout.top + side + 14.0);
        let mut body = if n <= MOST_WITH_TITLES { self.single(&layout, &steps) } else { self.merged(&layout, &steps) };
        body.push_str(&self.frames(&layout));
        if has_names(n) {
            body.push_str(&self.labels(&layout));
        }
        let unit_x = steps.width() + 2.0;
        let legend = steps.legend(self.unit, 0.0, bottom);
        let unit = format!("<text class=\"label\" x=\"{unit_x}\" y=\"{}\">{}</text>", bottom + 22.0, self.unit.name);
        let (title, height) = (escape(self.title), rounded(bottom + 28.0));
        let (width, class) = (rounded(width), if n <= MOST_WITH_NUMBERS { "map small" } else { "map" });
        Some(format!(
            "<svg class=\"{class}\" role=\"img\" aria-label=\"{title}\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" xmlns=\"http://www.w3.org/2000/svg\">\n{body}{legend}{unit}</svg>\n"
        ))
    }

    fn value(&self, row: usize, column: usize) -> Option<f64> {
        let (i, j) = (self.order[row], self.order[column]);
        let value = (i != j).then(|| *self.values.get(Processor(i as u32), Processor(j as u32)));
        value.filter(|value| value.is_finite())
    }

    /// Each cell by itself, with what it says.
    fn single(&self, layout: &Layout, steps: &ColorScale) -> String {
        let n = self.order.len();
        let mut svg = String::new();
        let inner = rounded(layout.cell - 1.0);
        for (row, column) in (0..n).flat_map(|row| (0..n).map(move |column| (row, column))) {
            let Some(value) = self.value(row, column) else { continue };
            let (x, y) = layout.place(column, row);
            let (colour, words) = (steps.colour(value), self.unit.write(value));
            let pair = self.pair(self.order[row], self.order[column]);
            let _ = write!(svg, "<g><title>{}: {words} {}</title>", escape(&pair), self.unit.name);
            let _ = write!(svg, "<path class=\"s{colour}\" d=\"M{x} {y}h{inner}v{inner}h-{inner}z\"/>");
            if n <= MOST_WITH_NUMBERS {
                let (x, y) = (rounded(x + inner / 2.0), rounded(y + inner / 2.0));
                let _ = write!(
                    svg,
                    "<text class=\"t{colour}\" x=\"{x}\" y=\"{y}\" dy=\".35em\" text-anchor=\"middle\">{words}</text>"
                );
            }
            svg.push_str("</g>\n");
        }
        svg
    }

    /// Neighbours of one colour in one row as one stripe, all of one colour as one path; a cell is one unit wide.
    fn merged(&self, layout: &Layout, steps: &ColorScale) -> String {
        let n = self.order.len();
        let mut paths = vec![String::new(); 9];
        for row in 0..n {
            let colours: Vec<Option<usize>> =
                (0..n).map(|column| self.value(row, column).map(|value| steps.colour(value))).collect();
            let mut start = 0;
            for stripe in colours.chunk_by(|a, b| a == b) {
                if let Some(colour) = stripe[0] {
                    let _ = write!(paths[colour], "M{start} {row}h{}", stripe.len());
                }
                start += stripe.len();
            }
        }
        let (left, top, cell) = (rounded(layout.left), rounded(layout.top + layout.cell / 2.0), layout.cell);
        let mut svg = format!("<g class=\"stripes\" transform=\"translate({left} {top}) scale({cell})\">\n");
        for (colour, path) in paths.iter().enumerate().filter(|(_, path)| !path.is_empty()) {
            let _ = writeln!(svg, "<path class=\"s{colour}\" d=\"{path}\"/>");
        }
        svg.push_str("</g>\n");
        svg
    }

    /// A frame round the links within each host.
    fn frames(&self, layout: &Layout) -> String {
        let mut svg = String::new();
        for (first, last, name) in self.hosts {
            let (x, y) = layout.place(*first, *first);
            let (x, y) = (rounded(x - 0.5), rounded(y - 0.5));
            let (side, name) = (rounded((last - first + 1) as f64 * layout.cell), escape(name));
            let _ = writeln!(
                svg,
                "<g><title>within host {name}</title><path class=\"host\" d=\"M{x} {y}h{side}v{side}h-{side}z\"/></g>"
            );
        }
        svg
    }

    fn labels(&self, layout: &Layout) -> String {
        let letters = rounded(layout.letters);
        let mut svg = format!("<g class=\"label\" font-size=\"{letters}\">");
        for (place, &processor) in self.order.iter().enumerate() {
            let name = escape(self.names.get(processor).map_or("", String::as_str));
            let (x, y) = layout.place(place, place);
            let (x, y) = (rounded(x + layout.cell / 2.0), rounded(y + layout.cell / 2.0));
            let (left, top) = (layout.left - 5.0, rounded(layout.top - 5.0));
            let _ = write!(svg, "<text x=\"{left:.1}\" y=\"{y}\" dy=\".35em\" text-anchor=\"end\">{name}</text>");
            // Names that are wider than a cell stand upright.
            let _ = if layout.top > layout.letters + 8.0 {
                write!(
                    svg,
                    "<text x=\"{x}\" y=\"{top}\" dy=\".35em\" transform=\"rotate(-90 {x} {top})\">{name}</text>"
                )
            } else {
                write!(svg, "<text x=\"{x}\" y=\"{top}\" text-anchor=\"middle\">{name}</text>")
            };
        }
        svg.push_str("</g>\n");
        svg
    }

    /// A pair by name, and by number where that is something else: `old0–fast1 (4–1)`.
    fn pair(&self, i: usize, j: usize) -> String {
        pair_words(self.names, i, j)
    }
}

/// A pair by name, and by number where that is something else: `old0–fast1 (4–1)`.
pub(crate) fn pair_words(names: &[String], i: usize, j: usize) -> String {
    let name = |p: usize| names.get(p).cloned().unwrap_or_else(|| p.to_string());
    let (numbers, words) = (format!("{i}–{j}"), format!("{}–{}", name(i), name(j)));
    if words == numbers { words } else { format!("{words} ({numbers})") }
}
