//! The graph of a scheme: nodes on a circle and an arrow for each message, colored and dashed by
//! its conflicts.

use std::collections::{BTreeMap, BTreeSet};
use std::f64::consts::TAU;
use std::fmt::Write as _;

use super::chart::escape;
use orrery::sharing::{Conflict, Transfer, conflicts};

/// An arrow of a scheme graph: one message.
#[derive(Debug, Clone, PartialEq)]
pub struct GraphArc {
    /// The name of the message.
    pub name: String,
    /// The source and the destination.
    pub transfer: Transfer,
    /// The text after the name, such as the penalty.
    pub label: String,
}

/// The radius of the circle on which nodes are drawn.
const CIRCLE_RADIUS: f64 = 140.0;
/// The radius of a node.
const NODE_RADIUS: f64 = 15.0;
/// The free space around the drawing.
const MARGIN: f64 = 6.0;

/// The width of a letter of a label.
const LETTER_WIDTH: f64 = 8.0;
/// Half the height of a label with its padding.
const HALF_LINE_HEIGHT: f64 = 9.0;
/// The width of a legend's sample line with the gap before its text.
const LEGEND_KEY_WIDTH: f64 = 40.0;

/// The distance between arrows of the same two nodes, as a share of their length.
const CURVATURE: f64 = 0.24;

/// The position of the label along an arrow, from 0 at the source to 1: off the middle, where
/// arrows cross.
const LABEL_POSITION: f64 = 0.42;

/// The classes of arrows: the CSS class, the meaning for legends, and the dashes.
pub(crate) const LEGEND: [(&str, &str, &str); 5] = [
    ("outgoing", "other messages leave its source", "none"),
    ("income", "other messages arrive at its destination", "9 4"),
    ("both", "both of these", "3 3"),
    ("mixed", "only messages in the opposite direction", "9 3 3 3"),
    ("free", "no conflict", "none"),
];

/// The style of a graph in a file of its own, for light and dark backgrounds.
const STYLE: &str = "<style>\
.scheme{color-scheme:light dark;font:13px system-ui,sans-serif;--ink:#16191d;--paper:#fff;--free:#68707a;--outgoing:#0072b2;\
--income:#b84d00;--both:#9c3f8c;--mixed:#00805d}\
@media (prefers-color-scheme:dark){.scheme{--ink:#e8eaed;--paper:#14171b;--free:#a9b0ba;--outgoing:#56b4e9;--income:#f0803c;\
--both:#d98bc9;--mixed:#1fb78c}}\
.scheme .back{fill:var(--paper)}</style>";

/// The index into [`LEGEND`] of a message with these conflicts.
fn class_index(conflicts: &[Conflict]) -> usize {
    match (
        conflicts.contains(&Conflict::Outgoing),
        conflicts.contains(&Conflict::Income),
        conflicts.is_empty(),
    ) {
        (true, true, _) => 2,
        (true, false, _) => 0,
        (false, true, _) => 1,
        (false, false, false) => 3,
        (false, false, true) => 4,
    }
}

/// The graph of a scheme as an SVG document with a legend, for light and dark backgrounds.
pub fn scheme_svg(title: &str, arcs: &[GraphArc]) -> String {
    let drawing = draw(title, arcs, 0, true);
    let open = drawing.find('>').map_or(0, |end| end + 1);
    let (head, body) = drawing.split_at(open);
    let background =
        "<rect class=\"back\" x=\"-1000\" y=\"-1000\" width=\"2000\" height=\"3000\"/>";
    format!("{head}{STYLE}{background}{body}")
}

/// The graph of a scheme as an SVG element for a page with a style sheet and a legend; `number`
/// makes its ids unique.
pub(crate) fn drawing(title: &str, arcs: &[GraphArc], number: usize) -> String {
    draw(title, arcs, number, false)
}

/// The graph as an SVG element, with a legend if requested.
fn draw(title: &str, arcs: &[GraphArc], number: usize, with_legend: bool) -> String {
    let mut nodes: BTreeMap<u32, (f64, f64)> = BTreeMap::new();
    for arc in arcs {
        nodes.insert(arc.transfer.source.0, (0.0, 0.0));
        nodes.insert(arc.transfer.destination.0, (0.0, 0.0));
    }
    let count = nodes.len();
    let radius = if count == 1 { 0.0 } else { CIRCLE_RADIUS };
    for (place, at) in nodes.values_mut().enumerate() {
        let angle = TAU * (place as f64 / count as f64 - 0.25);
        *at = (radius * angle.cos(), radius * angle.sin());
    }
    let mut frame = Frame::default();
    nodes.values().for_each(|&node| frame.include(node, NODE_RADIUS, NODE_RADIUS));
    let conflicts = conflicts(&arcs.iter().map(|arc| arc.transfer).collect::<Vec<_>>());
    let (mut lines, mut labels, mut used) = (String::new(), String::new(), BTreeSet::new());
    for (k, arc) in arcs.iter().enumerate() {
        let (from, to) = (nodes[&arc.transfer.source.0], nodes[&arc.transfer.destination.0]);
        let curve = if arc.transfer.is_local() {
            Curve::within(from, same_ends(arcs, k).0 as f64)
        } else {
            Curve::between(from, to, curvature(arcs, k))
        };
        let index = class_index(&conflicts[k]);
        used.insert(index);
        let (class, _, dashes) = LEGEND[index];
        let kinds: Vec<_> = conflicts[k].iter().map(|conflict| conflict.name()).collect();
        let kinds = if kinds.is_empty() { "no conflict".to_owned() } else { kinds.join(", ") };
        let (name, label) = (escape(&arc.name), escape(&arc.label));
        let transfer = format!("{} → {}", arc.transfer.source, arc.transfer.destination);
        let _ = writeln!(
            lines,
            "<path d=\"{}\" \
                style=\"fill:none;stroke:var(--{class});stroke-width:2;stroke-dasharray:{dashes}\" \
                marker-end=\"url(#tip-{number}-{class})\">\
             <title>{name}: {transfer}, {kinds}</title></path>",
            curve.path()
        );
        let (x, y) = curve.at(LABEL_POSITION);
        let space = if label.is_empty() { "" } else { " " };
        let letters = arc.name.chars().count() + space.len() + arc.label.chars().count();
        let half = letters as f64 * LETTER_WIDTH / 2.0;
        frame.include((x, y), half, HALF_LINE_HEIGHT);
        (0..=10).for_each(|part| frame.include(curve.at(f64::from(part) / 10.0), 2.0, 2.0));
        let _ = writeln!(
            labels,
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"4\" \
                style=\"fill:var(--paper)\"/>\
             <text x=\"{x:.1}\" y=\"{y:.1}\" dy=\".33em\" text-anchor=\"middle\" \
             style=\"fill:var(--ink)\">\
             <tspan font-weight=\"700\">{name}</tspan>{space}{label}</text>",
            x - half,
            y - HALF_LINE_HEIGHT,
            2.0 * half,
            2.0 * HALF_LINE_HEIGHT
        );
    }
    for (node, (x, y)) in &nodes {
        let _ = writeln!(
            labels,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{NODE_RADIUS}\" \
                style=\"fill:var(--paper);stroke:var(--ink);stroke-width:1.5\"/>\
             <text x=\"{x:.1}\" y=\"{y:.1}\" dy=\".35em\" text-anchor=\"middle\" \
             style=\"fill:var(--ink)\">{node}</text>"
        );
    }
    if with_legend {
        labels.push_str(&legend(&used, &mut frame));
    }
    let tip = |class: &str| {
        format!(
            "<marker id=\"tip-{number}-{class}\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" \
                markerWidth=\"7\" markerHeight=\"7\" \
             orient=\"auto\"><path d=\"M0 0L10 5L0 10z\" style=\"fill:var(--{class})\"/></marker>"
        )
    };
    let tips: String = LEGEND.into_iter().map(|(class, _, _)| tip(class)).collect();
    let title = escape(title);
    format!(
        "<svg class=\"scheme\" role=\"img\" aria-label=\"{title}\" {} \
            xmlns=\"http://www.w3.org/2000/svg\"><defs>{tips}</defs>\n{lines}{labels}</svg>\n",
        frame.attributes()
    )
}

/// The legend of the used classes below the graph.
fn legend(used: &BTreeSet<usize>, frame: &mut Frame) -> String {
    let (left, top) = (frame.low.0, frame.high.1 + 2.0 * MARGIN);
    let mut svg = String::new();
    for (line, &index) in used.iter().enumerate() {
        let (class, text, dashes) = LEGEND[index];
        let y = top + (2 * line + 1) as f64 * HALF_LINE_HEIGHT;
        let (end, text_x) = (left + LEGEND_KEY_WIDTH - 8.0, left + LEGEND_KEY_WIDTH);
        let _ = writeln!(
            svg,
            "<path class=\"key\" d=\"M{left:.1} {y:.1}H{end:.1}\" \
                style=\"fill:none;stroke:var(--{class});stroke-width:2;\
             stroke-dasharray:{dashes}\"/><text x=\"{text_x:.1}\" y=\"{y:.1}\" dy=\".33em\" \
             style=\"fill:var(--ink)\">{text}</text>"
        );
        let half = f64::midpoint(LEGEND_KEY_WIDTH, text.chars().count() as f64 * LETTER_WIDTH);
        frame.include((left + half, y), half, HALF_LINE_HEIGHT);
    }
    svg
}

/// The number of arcs before this one with the same source and destination, and the number of all
/// of them.
fn same_ends(arcs: &[GraphArc], k: usize) -> (usize, usize) {
    let same = |arc: &&GraphArc| arc.transfer == arcs[k].transfer;
    (arcs[..k].iter().filter(same).count(), arcs.iter().filter(same).count())
}

/// The curvature of an arc to its left: a single arc is straight, opposite arcs curve to different
/// sides, and repeated arcs lie side by side.
fn curvature(arcs: &[GraphArc], k: usize) -> f64 {
    let (before, all) = same_ends(arcs, k);
    let is_opposite = |arc: &GraphArc| {
        arc.transfer.source == arcs[k].transfer.destination
            && arc.transfer.destination == arcs[k].transfer.source
    };
    if arcs.iter().any(is_opposite) {
        CURVATURE * (before as f64 + 0.5)
    } else {
        CURVATURE * (before as f64 - (all as f64 - 1.0) / 2.0)
    }
}

/// The bounding box of a drawing.
#[derive(Debug, Clone, Copy)]
struct Frame {
    low: (f64, f64),
    high: (f64, f64),
}

impl Default for Frame {
    fn default() -> Self {
        Self { low: (-NODE_RADIUS, -NODE_RADIUS), high: (NODE_RADIUS, NODE_RADIUS) }
    }
}

impl Frame {
    /// Extends the box by a rectangle, given by its center and half its width and height.
    fn include(&mut self, (x, y): (f64, f64), half_width: f64, half_height: f64) {
        self.low = (self.low.0.min(x - half_width), self.low.1.min(y - half_height));
        self.high = (self.high.0.max(x + half_width), self.high.1.max(y + half_height));
    }

    /// The attributes width, height and viewBox of the SVG element.
    fn attributes(&self) -> String {
        let (x, y) = ((self.low.0 - MARGIN).floor(), (self.low.1 - MARGIN).floor());
        let (width, height) =
            ((self.high.0 + MARGIN - x).ceil(), (self.high.1 + MARGIN - y).ceil());
        format!("width=\"{width}\" height=\"{height}\" viewBox=\"{x} {y} {width} {height}\"")
    }
}

/// A cubic Bézier curve.
struct Curve {
    from: (f64, f64),
    controls: [(f64, f64); 2],
    to: (f64, f64),
}

impl Curve {
    /// A curve between the edges of two nodes; `curvature` is a share of its length.
    fn between(from: (f64, f64), to: (f64, f64), curvature: f64) -> Self {
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let middle = (
            f64::midpoint(from.0, to.0) + dy * curvature,
            f64::midpoint(from.1, to.1) - dx * curvature,
        );
        let edge = |node: (f64, f64)| {
            let (dx, dy) = (middle.0 - node.0, middle.1 - node.1);
            let part = (NODE_RADIUS + 2.0) / dx.hypot(dy);
            (node.0 + dx * part, node.1 + dy * part)
        };
        Self { from: edge(from), controls: [middle, middle], to: edge(to) }
    }

    /// A loop at a node, larger for each further loop.
    fn within(node: (f64, f64), loops_before: f64) -> Self {
        let angle = node.1.atan2(node.0);
        let at = |angle: f64, far: f64| (node.0 + far * angle.cos(), node.1 + far * angle.sin());
        let far = 70.0 + 18.0 * loops_before;
        Self {
            from: at(angle - 0.5, NODE_RADIUS + 2.0),
            controls: [at(angle - 0.6, far), at(angle + 0.6, far)],
            to: at(angle + 0.5, NODE_RADIUS + 2.0),
        }
    }

    /// The path data of the curve.
    fn path(&self) -> String {
        let [a, b] = self.controls;
        format!(
            "M{:.1} {:.1}C{:.1} {:.1} {:.1} {:.1} {:.1} {:.1}",
            self.from.0, self.from.1, a.0, a.1, b.0, b.1, self.to.0, self.to.1
        )
    }

    /// The point at a parameter between 0 and 1.
    fn at(&self, t: f64) -> (f64, f64) {
        let weights =
            [(1.0 - t).powi(3), 3.0 * t * (1.0 - t).powi(2), 3.0 * t * t * (1.0 - t), t.powi(3)];
        let points = [self.from, self.controls[0], self.controls[1], self.to];
        points.iter().zip(weights).fold((0.0, 0.0), |sum, (point, weight)| {
            (sum.0 + point.0 * weight, sum.1 + point.1 * weight)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arc(name: &str, from: u32, to: u32) -> GraphArc {
        GraphArc { name: name.into(), transfer: Transfer::between(from, to), label: "1.50".into() }
    }

    /// The path data of the arcs, in order.
    fn paths(svg: &str) -> Vec<&str> {
        svg.split("<path d=\"M")
            .skip(1)
            .filter_map(|rest| rest.split('"').next())
            .filter(|d| d.len() > 20)
            .collect()
    }

    #[test]
    fn arcs_between_the_same_nodes_have_different_curves() {
        let arcs =
            [arc("a", 0, 1), arc("b", 0, 1), arc("back", 1, 0), arc("in", 0, 0), arc("more", 0, 0)];
        let svg = scheme_svg("test", &arcs);
        let mut all = paths(&svg);
        assert_eq!(all.len(), arcs.len());
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), arcs.len(), "{all:?}");
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }

    #[test]
    fn names_are_escaped_and_conflicts_set_the_class() {
        let svg = scheme_svg("a < b", &[arc("x&y", 0, 1), arc("z", 0, 2), arc("w", 3, 4)]);
        assert!(svg.contains("a &lt; b") && svg.contains("x&amp;y") && !svg.contains("x&y"));
        let strokes =
            |class: &str| svg.matches(&format!("marker-end=\"url(#tip-0-{class})")).count();
        assert_eq!((strokes("outgoing"), strokes("free"), strokes("income")), (2, 1, 0));
        let nothing = scheme_svg("nothing", &[]);
        assert!(nothing.starts_with("<svg") && nothing.ends_with("</svg>\n"));
    }

    #[test]
    fn a_file_has_a_legend_of_the_classes_that_occur() {
        let svg = scheme_svg("test", &[arc("a", 0, 1), arc("b", 0, 2), arc("c", 3, 4)]);
        assert_eq!(svg.matches("class=\"key\"").count(), 2);
        assert!(
            svg.contains("other messages leave its source") && svg.contains("no conflict</text>")
        );
        assert!(
            !drawing("test", &[arc("a", 0, 1)], 0).contains("class=\"key\""),
            "pages have their own legend"
        );
    }

    #[test]
    fn all_texts_lie_inside_the_view_box() {
        let long = |name: &str, from, to| GraphArc {
            label: "penalty 123.45".into(),
            ..arc(name, from, to)
        };
        let svg = scheme_svg(
            "test",
            &[long("a message with a long name", 0, 1), long("in", 1, 1), long("c", 2, 1)],
        );
        let view: Vec<f64> =
            attribute(&svg, "viewBox").split(' ').map(|number| number.parse().unwrap()).collect();
        let texts: Vec<&str> = svg.split("<text ").skip(1).collect();
        assert!(texts.len() > 6);
        for text in texts {
            let [x, y] = ["x", "y"].map(|name| attribute(text, name).parse::<f64>().unwrap());
            let content: String = text
                .split('>')
                .skip(1)
                .map(|part| part.split('<').next().unwrap_or_default())
                .collect();
            let width = content.trim().chars().count() as f64 * 7.2;
            let (left, right) = if text.contains("middle") {
                (x - width / 2.0, x + width / 2.0)
            } else {
                (x, x + width)
            };
            assert!(
                left >= view[0] && right <= view[0] + view[2],
                "{content} is clipped: {left} to {right} in {view:?}"
            );
            assert!(
                y - 7.0 >= view[1] && y + 7.0 <= view[1] + view[3],
                "{content} is clipped at {y} in {view:?}"
            );
        }
    }

    /// The value of the first attribute of a name.
    fn attribute<'a>(svg: &'a str, name: &str) -> &'a str {
        svg.split(&format!("{name}=\"")).nth(1).and_then(|rest| rest.split('"').next()).unwrap()
    }
}
