//! A scheme as a graph: nodes on a circle, an arrow for each message, in the colour of its conflicts.

use std::collections::BTreeMap;
use std::f64::consts::TAU;
use std::fmt::Write as _;

use super::chart::escape;
use orrery::sharing::{Conflict, Transfer, conflicts};

/// A message as it is drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct GraphArc {
    /// Its name.
    pub name: String,
    /// From where to where.
    pub transfer: Transfer,
    /// What stands behind its name, such as its penalty.
    pub label: String,
}

/// The radius of the circle of nodes, that of a node, and what is left free round the drawing.
const RADIUS: f64 = 140.0;
const NODE: f64 = 15.0;
const MARGIN: f64 = 6.0;

/// How wide a letter of a label is, and half its height with some room.
const LETTER: f64 = 8.0;
const HALF_LINE: f64 = 9.0;

/// How far arcs between the same two nodes are bowed apart, as a part of their length.
const BOW: f64 = 0.24;

/// Along its way from the source an arc has its label here, so that the labels of crossing arcs lie apart.
const LABEL: f64 = 0.42;

/// The classes of arcs, by what they meet.
const CLASSES: [&str; 5] = ["free", "outgoing", "income", "both", "mixed"];

/// The colours of the classes where no style sheet gives others, for light and for dark.
const STYLE: &str = "<style>\
.scheme{color-scheme:light dark;font:13px system-ui,sans-serif;--color:#16191d;--paper:#fff;--free:#68707a;--outgoing:#0072b2;\
--income:#b84d00;--both:#9c3f8c;--mixed:#00805d}\
@media (prefers-color-scheme:dark){.scheme{--color:#e8eaed;--paper:#14171b;--free:#a9b0ba;--outgoing:#56b4e9;--income:#f0803c;\
--both:#d98bc9;--mixed:#1fb78c}}\
.scheme .back{fill:var(--paper)}</style>";

/// What an arc meets: `free` nothing, `outgoing` others of its source, `income` others to its destination, `both` of these,
/// `mixed` only arcs the other way.
fn class(met: &[Conflict]) -> &'static str {
    match (met.contains(&Conflict::Outgoing), met.contains(&Conflict::Income), met.is_empty()) {
        (true, true, _) => CLASSES[3],
        (true, false, _) => CLASSES[1],
        (false, true, _) => CLASSES[2],
        (false, false, false) => CLASSES[4],
        (false, false, true) => CLASSES[0],
    }
}

/// What the classes mean, each with its name: for legends.
pub(crate) const LEGEND: [(&str, &str); 5] = [
    ("outgoing", "others leave its source"),
    ("income", "others come to its destination"),
    ("both", "both"),
    ("mixed", "only others the other way"),
    ("free", "no conflict"),
];

/// The graph as an SVG document of its own, which follows light and dark.
pub fn scheme_svg(title: &str, arcs: &[GraphArc]) -> String {
    let drawing = drawing(title, arcs, 0);
    let open = drawing.find('>').map_or(0, |end| end + 1);
    let (head, body) = drawing.split_at(open);
    let back =
        format!("<rect class=\"back\" x=\"{0}\" y=\"{0}\" width=\"{1}\" height=\"{1}\"/>", -2.0 * RADIUS, 4.0 * RADIUS);
    format!("{head}{STYLE}{back}{body}")
}

/// The graph without colours of its own; `number` tells the drawings of one page apart.
pub(crate) fn drawing(title: &str, arcs: &[GraphArc], number: usize) -> String {
    let mut nodes: BTreeMap<u32, (f64, f64)> = BTreeMap::new();
    for arc in arcs {
        nodes.insert(arc.transfer.source.0, (0.0, 0.0));
        nodes.insert(arc.transfer.destination.0, (0.0, 0.0));
    }
    let count = nodes.len();
    let radius = if count == 1 { 0.0 } else { RADIUS };
    for (place, at) in nodes.values_mut().enumerate() {
        let angle = TAU * (place as f64 / count as f64 - 0.25);
        *at = (radius * angle.cos(), radius * angle.sin());
    }
    let mut frame = Frame::default();
    nodes.values().for_each(|&node| frame.hold(node, NODE, NODE));
    let met = conflicts(&arcs.iter().map(|arc| arc.transfer).collect::<Vec<_>>());
    let (mut lines, mut labels) = (String::new(), String::new());
    for (k, arc) in arcs.iter().enumerate() {
        let (from, to) = (nodes[&arc.transfer.source.0], nodes[&arc.transfer.destination.0]);
        let curve = if arc.transfer.is_local() {
            Curve::within(from, turn(arcs, k))
        } else {
            Curve::between(from, to, bow(arcs, k))
        };
        let class = class(&met[k]);
        let words: Vec<_> = met[k].iter().map(|conflict| conflict.name()).collect();
        let words = if words.is_empty() { "no conflict".to_owned() } else { words.join(", ") };
        let (name, label) = (escape(&arc.name), escape(&arc.label));
        let transfer = format!("{} → {}", arc.transfer.source, arc.transfer.destination);
        let _ = writeln!(
            lines,
            "<path d=\"{}\" style=\"fill:none;stroke:var(--{class});stroke-width:2\" marker-end=\"url(#tip-{number}-{class})\">\
             <title>{name}: {transfer}, {words}</title></path>",
            curve.path()
        );
        let (x, y) = curve.at(LABEL);
        let space = if label.is_empty() { "" } else { " " };
        let letters = arc.name.chars().count() + space.len() + arc.label.chars().count();
        let half = letters as f64 * LETTER / 2.0;
        frame.hold((x, y), half, HALF_LINE);
        (0..=10).for_each(|part| frame.hold(curve.at(f64::from(part) / 10.0), 2.0, 2.0));
        let _ = writeln!(
            labels,
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"4\" style=\"fill:var(--paper)\"/>\
             <text x=\"{x:.1}\" y=\"{y:.1}\" dy=\".33em\" text-anchor=\"middle\" style=\"fill:var(--color)\">\
             <tspan font-weight=\"700\">{name}</tspan>{space}{label}</text>",
            x - half,
            y - HALF_LINE,
            2.0 * half,
            2.0 * HALF_LINE
        );
    }
    for (node, (x, y)) in &nodes {
        let _ = writeln!(
            labels,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{NODE}\" style=\"fill:var(--paper);stroke:var(--color);stroke-width:1.5\"/>\
             <text x=\"{x:.1}\" y=\"{y:.1}\" dy=\".35em\" text-anchor=\"middle\" style=\"fill:var(--color)\">{node}</text>"
        );
    }
    let tip = |class: &str| {
        format!(
            "<marker id=\"tip-{number}-{class}\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"7\" markerHeight=\"7\" \
             orient=\"auto\"><path d=\"M0 0L10 5L0 10z\" style=\"fill:var(--{class})\"/></marker>"
        )
    };
    let tips: String = CLASSES.into_iter().map(tip).collect();
    let title = escape(title);
    format!(
        "<svg class=\"scheme\" role=\"img\" aria-label=\"{title}\" {} xmlns=\"http://www.w3.org/2000/svg\"><defs>{tips}</defs>\n{lines}{labels}</svg>\n",
        frame.attributes()
    )
}

/// How many arcs before this one join the same two nodes in the same direction, and how many there are.
fn place(arcs: &[GraphArc], k: usize) -> (usize, usize) {
    let same = |arc: &&GraphArc| arc.transfer == arcs[k].transfer;
    (arcs[..k].iter().filter(same).count(), arcs.iter().filter(same).count())
}

/// How far an arc is bowed to its left: a single one is straight, those there and back lie on different sides, and
/// repeated ones side by side.
fn bow(arcs: &[GraphArc], k: usize) -> f64 {
    let (before, all) = place(arcs, k);
    let back = |arc: &GraphArc| {
        arc.transfer.source == arcs[k].transfer.destination && arc.transfer.destination == arcs[k].transfer.source
    };
    if arcs.iter().any(back) {
        // Its left is the other's right.
        BOW * (before as f64 + 0.5)
    } else {
        BOW * (before as f64 - (all as f64 - 1.0) / 2.0)
    }
}

fn turn(arcs: &[GraphArc], k: usize) -> f64 {
    place(arcs, k).0 as f64
}

/// What the drawing takes up.
#[derive(Debug, Clone, Copy)]
struct Frame {
    low: (f64, f64),
    high: (f64, f64),
}

impl Default for Frame {
    fn default() -> Self {
        Self { low: (-NODE, -NODE), high: (NODE, NODE) }
    }
}

impl Frame {
    /// Has room for something so many units to each side of a point.
    fn hold(&mut self, (x, y): (f64, f64), wide: f64, high: f64) {
        self.low = (self.low.0.min(x - wide), self.low.1.min(y - high));
        self.high = (self.high.0.max(x + wide), self.high.1.max(y + high));
    }

    fn attributes(&self) -> String {
        let (x, y) = ((self.low.0 - MARGIN).floor(), (self.low.1 - MARGIN).floor());
        let (width, height) = ((self.high.0 + MARGIN - x).ceil(), (self.high.1 + MARGIN - y).ceil());
        format!("width=\"{width}\" height=\"{height}\" viewBox=\"{x} {y} {width} {height}\"")
    }
}

/// A curve of the third order, by its points.
struct Curve {
    from: (f64, f64),
    by: [(f64, f64); 2],
    to: (f64, f64),
}

impl Curve {
    /// From node to node, bowed by a part of its length, ending at their edges.
    fn between(from: (f64, f64), to: (f64, f64), bow: f64) -> Self {
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let middle = (f64::midpoint(from.0, to.0) + dy * bow, f64::midpoint(from.1, to.1) - dx * bow);
        let edge = |node: (f64, f64)| {
            let (dx, dy) = (middle.0 - node.0, middle.1 - node.1);
            let part = (NODE + 2.0) / dx.hypot(dy);
            (node.0 + dx * part, node.1 + dy * part)
        };
        Self { from: edge(from), by: [middle, middle], to: edge(to) }
    }

    /// A loop outside of the node.
    fn within(node: (f64, f64), turn: f64) -> Self {
        let angle = node.1.atan2(node.0);
        let at = |angle: f64, far: f64| (node.0 + far * angle.cos(), node.1 + far * angle.sin());
        let far = 70.0 + 18.0 * turn;
        Self {
            from: at(angle - 0.5, NODE + 2.0),
            by: [at(angle - 0.6, far), at(angle + 0.6, far)],
            to: at(angle + 0.5, NODE + 2.0),
        }
    }

    fn path(&self) -> String {
        let [a, b] = self.by;
        // With both points in one place the curve bows as far as one of the second order whose point is that place.
        format!(
            "M{:.1} {:.1}C{:.1} {:.1} {:.1} {:.1} {:.1} {:.1}",
            self.from.0, self.from.1, a.0, a.1, b.0, b.1, self.to.0, self.to.1
        )
    }

    /// The point at a part of the way.
    fn at(&self, t: f64) -> (f64, f64) {
        let weights = [(1.0 - t).powi(3), 3.0 * t * (1.0 - t).powi(2), 3.0 * t * t * (1.0 - t), t.powi(3)];
        let points = [self.from, self.by[0], self.by[1], self.to];
        points
            .iter()
            .zip(weights)
            .fold((0.0, 0.0), |sum, (point, weight)| (sum.0 + point.0 * weight, sum.1 + point.1 * weight))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arc(name: &str, from: u32, to: u32) -> GraphArc {
        GraphArc { name: name.into(), transfer: Transfer::between(from, to), label: "1.50".into() }
    }

    /// The ways of the arcs, in order.
    fn paths(svg: &str) -> Vec<&str> {
        svg.split("<path d=\"M").skip(1).filter_map(|rest| rest.split('"').next()).filter(|d| d.len() > 20).collect()
    }

    #[test]
    fn arcs_between_the_same_nodes_lie_apart() {
        let arcs = [arc("a", 0, 1), arc("b", 0, 1), arc("back", 1, 0), arc("in", 0, 0), arc("more", 0, 0)];
        let svg = scheme_svg("test", &arcs);
        let mut all = paths(&svg);
        assert_eq!(all.len(), arcs.len());
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), arcs.len(), "{all:?}");
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }

    #[test]
    fn names_are_escaped_and_conflicts_have_their_colours() {
        let svg = scheme_svg("a < b", &[arc("x&y", 0, 1), arc("z", 0, 2), arc("w", 3, 4)]);
        assert!(svg.contains("a &lt; b") && svg.contains("x&amp;y") && !svg.contains("x&y"));
        let strokes = |class: &str| svg.matches(&format!("stroke:var(--{class})")).count();
        assert_eq!((strokes("outgoing"), strokes("free"), strokes("income")), (2, 1, 0));
        let nothing = scheme_svg("nothing", &[]);
        assert!(nothing.starts_with("<svg") && nothing.ends_with("</svg>\n"));
    }
}
