//! Maps of the latency and rate of all links, with similar processors next to each other.

use super::document::html_table;
use crate::figures::heatmap::Unit;
use crate::figures::heatmap::{self, Map, pair_words};
use crate::tables::format::median;
use crate::tables::link_classes::classes;
use maud::{Markup, PreEscaped, html};
use orrery::comm::{ParameterSpec, ParameterUnit, Shape};
use orrery::model::{Model, ModelKind};
use orrery::numeric::{Estimate, seriation};
use orrery::platform::{Hosts, PerPair, Processor};
use std::collections::BTreeSet;

/// The factor below which two values count as equal in the order of processors.
const EQUAL_FACTOR: f64 = 1.1;

/// The values of a quantity for all links, with the title of its map.
struct Quantity {
    title: String,
    values: PerPair<f64>,
    unit: fn(f64) -> Unit,
}

impl Quantity {
    /// A map of times.
    fn time(title: String, estimates: &PerPair<Estimate>) -> Self {
        Self { title, values: mapped(estimates, |time| time), unit: Unit::of_time }
    }

    /// A map of the rates that are the inverse of delays per byte.
    fn rate(title: String, estimates: &PerPair<Estimate>) -> Self {
        let rate = |delay: f64| if delay > 0.0 { 1.0 / delay } else { f64::NAN };
        Self { title, values: mapped(estimates, rate), unit: Unit::of_rate }
    }

    /// The median over all links; `None` without finite values.
    fn median(&self) -> Option<f64> {
        median(self.values.values().iter().copied())
    }

    /// The logarithms of all values; values below a tenth of the median count as a tenth, because
    /// they are mostly noise, and values that are not finite as the largest one. `None` if there is
    /// no median above 0.
    fn logarithms(&self) -> Option<PerPair<f64>> {
        let floor = self.median().filter(|median| *median > 0.0)? / 10.0;
        let high = self
            .values
            .values()
            .iter()
            .copied()
            .filter(|value| value.is_finite())
            .fold(floor, f64::max);
        let log = |value: f64| if value.is_finite() { value.max(floor).ln() } else { high.ln() };
        Some(PerPair::from_fn(self.values.pairs().processors(), |i, j| log(*self.values.get(i, j))))
    }
}

/// Applies a function to the values of estimates.
fn mapped(estimates: &PerPair<Estimate>, value: impl Fn(f64) -> f64) -> PerPair<f64> {
    PerPair::from_fn(estimates.pairs().processors(), |i, j| value(estimates.get(i, j).value))
}

/// The latencies and rates of pairs in a kind of model; `pairs` is the name of pairs in titles.
/// Empty if the kind is not in the model.
fn quantities(model: &Model, kind: ModelKind, pairs: &str) -> Vec<Quantity> {
    let of = |spec: &ParameterSpec| {
        let values = PerPair::new(
            model.processors(),
            model.parameters(kind)?.estimates(spec.name).to_vec(),
        )?;
        match spec.unit {
            ParameterUnit::Seconds => {
                Some(Quantity::time(format!("{kind}: latency of {pairs}"), &values))
            }
            ParameterUnit::SecondsPerByte => {
                Some(Quantity::rate(format!("{kind}: rate of {pairs}"), &values))
            }
            ParameterUnit::Bytes => None,
        }
    };
    kind.parameters()
        .filter(|(shape, _)| *shape == Shape::Pairs)
        .filter_map(|(_, spec)| of(spec))
        .collect()
}

/// The preferred kind of model with parameters of pairs: with `has_processors` among those that
/// have parameters of processors, too, so that those of pairs are of links only; else among those
/// without. `None` if the model has no such kind.
pub(super) fn preferred(model: &Model, has_processors: bool) -> Option<ModelKind> {
    let has = |kind: ModelKind, shape| kind.parameters().any(|(own, _)| own == shape);
    let mut kinds = model.kinds();
    kinds
        .retain(|kind| has(*kind, Shape::Pairs) && has(*kind, Shape::Processors) == has_processors);
    ModelKind::preferred(&kinds)
}

/// The section with the maps of latency and rate.
pub(super) fn render(model: &Model) -> Markup {
    let (of_links, of_pairs) = (preferred(model, true), preferred(model, false));
    let links = of_links.map(|kind| quantities(model, kind, "links")).unwrap_or_default();
    let pairs = of_pairs.map(|kind| quantities(model, kind, "pairs")).unwrap_or_default();
    let n = model.processors();
    let drawn =
        (2..=heatmap::MAX_PROCESSORS).contains(&n) && !(links.is_empty() && pairs.is_empty());
    let order = if drawn { order(n, links.iter().chain(&pairs)) } else { Vec::new() };
    let order = by_hosts(&model.shared_hosts(), order);
    html! {
        section id="links" {
            h2 { "Links" }
            @if n > heatmap::MAX_PROCESSORS {
                p { "Maps are drawn for \
                    up to " (heatmap::MAX_PROCESSORS) " processors; this model has " (n)
                    ". The tables below hold the quantiles over the links." }
                @if let Some(classes) = classes(model) { (html_table(&classes)) }
            } @else if !drawn { p { "The model has no links." } } @else {
                (reading(n, &order, model.shared_hosts().are_mixed()))
                (group(model, &links, &order))
                @if let Some(classes) = classes(model) { (html_table(&classes)) }
                @if links.is_empty() { (group(model, &pairs, &order)) } @else if let Some(kind) = of_pairs {
                    details { summary { "Maps of " (kind) ", which attributes the delays of \
                        processors to their pairs" }
                        (group(model, &pairs, &order)) }
                }
            }
        }
    }
}

/// The explanation of the maps and of the order of processors.
fn reading(n: usize, order: &[usize], mixed: bool) -> Markup {
    let sorted = order.is_sorted();
    let listed = || order.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    html! {
        p {
            "Each cell is the link between the processors of its row and its column. "
            @if sorted { "The processors are in the order of their numbers, in which similar ones \
                are neighbours. " }
            @else { "The processors are ordered so that similar ones are neighbours; all maps have \
                the same order. Blocks are groups of "
                "processors; a stripe is a processor that differs from all others. " }
            @if n > 2 { "Similarity is the mean difference of the logarithms of latency and rate \
                over all third "
                "processors, where less than 10 % counts as 0; clusters are joined by average \
                    linkage." }
        }
        @if mixed { p { "Frames enclose the links within a host; all other links are across \
            hosts." } }
        @if !heatmap::has_names(n) {
            p.note { "Colors are quantiles: each step has about the same number of links. Maps of \
                more than 64 processors have no names." }
            details { summary { "The order of the processors" } p.note { (listed()) } }
        }
    }
}

/// An order of the processors in which those with similar links are neighbours.
fn order<'a>(n: usize, quantities: impl Iterator<Item = &'a Quantity>) -> Vec<usize> {
    let logarithms: Vec<PerPair<f64>> = quantities.filter_map(Quantity::logarithms).collect();
    let rows: Vec<Vec<f64>> = logarithms.iter().map(|values| square(values, n)).collect();
    seriation(n, |a, b| {
        let others = || (0..n).filter(|&other| other != a && other != b);
        let apart = |row: &[f64]| -> f64 {
            others()
                .map(|other| {
                    ((row[a * n + other] - row[b * n + other]).abs() - EQUAL_FACTOR.ln()).max(0.0)
                })
                .sum()
        };
        rows.iter().map(|row| apart(row)).sum()
    })
}

/// The order with the processors of each host moved to its first processor.
fn by_hosts(hosts: &Hosts, order: Vec<usize>) -> Vec<usize> {
    if !hosts.are_mixed() {
        return order;
    }
    let host = |p: usize| hosts.number(Processor(p as u32));
    let first = |p: usize| {
        order.iter().position(|&other| other == p || (host(p).is_some() && host(other) == host(p)))
    };
    let mut together = order.clone();
    together.sort_by_cached_key(|&p| first(p));
    together
}

/// The hosts with several neighbouring processors in an order: first and last place, and name;
/// empty if all links are of one class.
fn frames(model: &Model, order: &[usize]) -> Vec<(usize, usize, String)> {
    let hosts = model.shared_hosts();
    let host = |p: usize| hosts.number(Processor(p as u32));
    let mut frames = Vec::new();
    let mut start = 0;
    for alike in order.chunk_by(|&a, &b| host(a).is_some() && host(a) == host(b)) {
        if alike.len() > 1 && hosts.are_mixed() {
            frames.push((start, start + alike.len() - 1, model.hosts[alike[0]].clone()));
        }
        start += alike.len();
    }
    frames
}

/// The values as a full symmetric matrix, row by row, with zeros on the diagonal.
fn square(values: &PerPair<f64>, n: usize) -> Vec<f64> {
    let mut matrix = vec![0.0; n * n];
    for ((i, j), value) in values.pairs().iter().zip(values.values()) {
        (matrix[i.index() * n + j.index()], matrix[j.index() * n + i.index()]) = (*value, *value);
    }
    matrix
}

/// The maps of several quantities.
fn group(model: &Model, quantities: &[Quantity], order: &[usize]) -> Markup {
    let (names, frames) = (names(&model.hosts), frames(model, order));
    html! {
        div.maps.wide[heatmap::is_wide(order.len())] {
            @for quantity in quantities { (one(quantity, order, &names, &frames)) }
        }
    }
}

/// The map of a quantity with its title and its extremes in words.
fn one(
    quantity: &Quantity,
    order: &[usize],
    names: &[String],
    hosts: &[(usize, usize, String)],
) -> Markup {
    let Some(middle) = quantity.median() else { return html! {} };
    let unit = (quantity.unit)(middle);
    let title = format!("{} [{}]", quantity.title, unit.name);
    let map = Map { title: &title, values: &quantity.values, order, names, hosts, unit };
    html! {
        div.one {
            h3 { (title) }
            p.note { (in_words(quantity, names, middle)) }
            @if let Some(svg) = map.svg() {
                div.scroll tabindex="0" role="region" aria-label=(title) { (PreEscaped(svg)) }
            }
        }
    }
}

/// The median, the least and the greatest value as text:
/// `Median 120 MB/s; least 11.8 MB/s between fast0–old1 (0–5); …`.
fn in_words(quantity: &Quantity, names: &[String], middle: f64) -> String {
    let pairs = quantity.values.pairs().iter().zip(quantity.values.values().iter().copied());
    let finite: Vec<_> = pairs.filter(|(_, value)| value.is_finite()).collect();
    let unit = (quantity.unit)(middle);
    let words = |value: f64| {
        // A value far from the median has a unit of its own.
        let own = if value > 0.0 && !(0.01..1e4).contains(&(value / middle)) {
            (quantity.unit)(value)
        } else {
            unit
        };
        format!("{}\u{a0}{}", own.write(value), own.name)
    };
    let end = |found: Option<&((Processor, Processor), f64)>| {
        found.map_or_else(String::new, |((i, j), value)| {
            format!("{} between {}", words(*value), pair_words(names, i.index(), j.index()))
        })
    };
    let least = finite.iter().min_by(|a, b| a.1.total_cmp(&b.1));
    let greatest = finite.iter().rev().max_by(|a, b| a.1.total_cmp(&b.1));
    if finite.len() < 2 {
        return format!("{}.", end(least));
    }
    format!("Median {}; least {}; greatest {}.", words(middle), end(least), end(greatest))
}

/// The largest number of letters of a host name; longer names lose their beginning, because hosts
/// differ at the end.
const MAX_NAME_LETTERS: usize = 12;

/// A short name for each processor: its host if all hosts differ, otherwise its number; a common
/// domain is left out.
pub(super) fn names(hosts: &[String]) -> Vec<String> {
    let domain = |host: &String| host.split_once('.').map(|(_, domain)| domain.to_owned());
    let domains: BTreeSet<Option<String>> = hosts.iter().map(domain).collect();
    let short = |host: &String| -> String {
        let host = if domains.len() == 1 { host.split('.').next().unwrap_or(host) } else { host };
        let letters: Vec<char> = host.chars().collect();
        match letters.len().checked_sub(MAX_NAME_LETTERS) {
            None | Some(0) => host.to_owned(),
            Some(more) => format!("…{}", letters[more + 1..].iter().collect::<String>()),
        }
    };
    let short: Vec<String> = hosts.iter().map(short).collect();
    let distinct: BTreeSet<&String> = short.iter().filter(|name| !name.is_empty()).collect();
    if distinct.len() == hosts.len() {
        short
    } else {
        (0..hosts.len()).map(|number| number.to_string()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::names;

    fn of(hosts: &[&str]) -> Vec<String> {
        names(&hosts.iter().map(ToString::to_string).collect::<Vec<_>>())
    }

    #[test]
    fn a_shared_domain_is_left_out() {
        assert_eq!(of(&["a.site.org", "b.site.org"]), ["a", "b"]);
        assert_eq!(of(&["a.one.org", "a.two.org"]), ["a.one.org", "a.two.org"]);
    }

    #[test]
    fn hosts_that_do_not_differ_are_numbered() {
        assert_eq!(of(&["a", "a", "b"]), ["0", "1", "2"]);
        assert_eq!(of(&["", ""]), ["0", "1"]);
    }

    #[test]
    fn long_names_keep_their_ends() {
        assert_eq!(
            of(&["computenode-rack3-0001", "computenode-rack3-0002"]),
            ["…-rack3-0001", "…-rack3-0002"]
        );
    }
}
