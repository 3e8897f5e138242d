//! The tree of groups of hosts that share links, with the rates of these links.

use std::collections::BTreeMap;

use maud::{Markup, PreEscaped, html};
use orrery::comm::Ports;
use orrery::model::{Model, ModelKind};
use orrery::numeric::Estimate;
use orrery::platform::Processor;

use super::document::html_table;
use super::link_maps::names;
use crate::figures::link_tree::{self, MAX_GROUPS, MAX_LETTERS, TreeGroup, first_names};
use crate::tables::format::{counted, rate};
use crate::tables::topology::{Tree, topology};

/// The largest number of names in the text of a box and in the description.
const MAX_NAMES: usize = 64;

/// The section with the tree; empty if no shared link is known.
pub(super) fn render(model: &Model) -> Markup {
    let Some(ports) =
        model.get::<Ports>(ModelKind::Ports).filter(|ports| !ports.uplinks.is_empty())
    else {
        return html! {};
    };
    let (tree, hosts) = (Tree::new(&ports.uplinks, model.processors()), HostNames::of(model));
    let delays = ports.uplinks.byte_delay();
    let groups = groups(&tree, &hosts, delays);
    let description = description(&tree, &hosts, delays);
    let title = "Tree of groups and the links that they share";
    let table = topology(model);
    html! {
        section id="shared-links" {
            h2 { "Shared links" }
            p {
                "All messages between a group and the other hosts pass one link. The box of each \
                    group shows the rate of its link in \
                 each direction, with its interval; a thicker line is a faster link. Rates are \
                 estimated from exchanges of several \
                 pairs at the same time, and their intervals take the other parameters as known."
            }
            @if groups.len() > MAX_GROUPS {
                p.note { "The first " (MAX_GROUPS) " of " (groups.len()) " groups are drawn; the \
                    table contains all." }
            }
            div.beside {
                figure { div.scroll tabindex="0" role="region" aria-label=(title) {
                    (PreEscaped(link_tree::svg("shared-links-tree", title, &description, &groups)))
                } }
                @if let Some(table) = &table { div { (html_table(table)) } }
            }
        }
    }
}

/// The names of hosts, or the numbers of processors on unknown hosts.
struct HostNames {
    /// The place of each processor's host in the names.
    places: Vec<usize>,
    names: Vec<String>,
    /// Short names.
    short: Vec<String>,
    are_known: bool,
}

impl HostNames {
    /// The hosts of a model.
    fn of(model: &Model) -> Self {
        let are_known = !model.hosts.iter().any(String::is_empty);
        let numbers = || (0..model.processors()).map(|number| number.to_string()).collect();
        let all: Vec<String> = if are_known { model.hosts.clone() } else { numbers() };
        let mut known: BTreeMap<&String, usize> = BTreeMap::new();
        let (mut distinct, mut places) = (Vec::new(), Vec::new());
        for host in &all {
            places.push(*known.entry(host).or_insert_with(|| {
                distinct.push(host.clone());
                distinct.len() - 1
            }));
        }
        Self { places, short: names(&distinct), names: distinct, are_known }
    }

    /// The places of the hosts of some processors, each once.
    fn hosts(&self, processors: &[Processor]) -> Vec<usize> {
        let mut places: Vec<usize> =
            processors.iter().map(|one| self.places[one.index()]).collect();
        places.sort_unstable();
        places.dedup();
        places
    }

    /// The short names of the hosts of some processors.
    fn short(&self, processors: &[Processor]) -> Vec<String> {
        self.hosts(processors).into_iter().map(|place| self.short[place].clone()).collect()
    }

    /// The first names of the hosts of some processors.
    fn listed(&self, processors: &[Processor]) -> String {
        let hosts = self.hosts(processors);
        let shown: Vec<&str> =
            hosts.iter().take(MAX_NAMES).map(|&place| self.names[place].as_str()).collect();
        match hosts.len() - shown.len() {
            0 => shown.join(", "),
            more => format!("{} and {more} more", shown.join(", ")),
        }
    }

    /// `4 hosts`, `8 processors on 4 hosts`, or `8 processors`.
    fn count(&self, processors: &[Processor]) -> String {
        let hosts = self.hosts(processors).len();
        match (self.are_known, hosts == processors.len()) {
            (true, true) => counted(hosts, "host"),
            (true, false) => {
                format!("{} on {}", counted(processors.len(), "processor"), counted(hosts, "host"))
            }
            (false, _) => counted(processors.len(), "processor"),
        }
    }
}

/// The interval of the rate that is the inverse of a delay per byte: `124 to 126 MB/s`; `None`
/// without interval, or if the delay may be 0.
fn interval(delay: &Estimate) -> Option<String> {
    let interval = delay.interval.filter(|interval| interval.low > 0.0)?;
    let (low, high) = (rate(interval.high), rate(interval.low));
    let unit = |text: &str| {
        text.split_once(' ').map(|(number, unit)| (number.to_owned(), unit.to_owned()))
    };
    match (unit(&low), unit(&high)) {
        (Some((low, one)), Some((high, other))) if one == other => {
            Some(format!("{low} to {high} {one}"))
        }
        _ => Some(format!("{low} to {high}")),
    }
}

/// The boxes of the tree.
fn groups(tree: &Tree, hosts: &HostNames, delays: &[Estimate]) -> Vec<TreeGroup> {
    let fastest = delays
        .iter()
        .map(|delay| delay.value)
        .filter(|delay| *delay > 0.0)
        .fold(f64::INFINITY, f64::min);
    let group = |(group, depth): (Option<usize>, usize)| {
        let delay = group.map(|group| &delays[group]).filter(|delay| delay.value > 0.0);
        let (own, below) = (hosts.short(&tree.own(group)), tree.children(group).len());
        let count = hosts.count(tree.members(group));
        let heading =
            group.map_or_else(|| format!("all {count}"), |group| rate(delays[group].value));
        let inner = counted(below, "group");
        let content = match (group, below, own.is_empty()) {
            (_, 0, _) => first_names(&format!("{count}: "), &own, MAX_LETTERS),
            (None, _, true) => format!("in {inner}"),
            (Some(_), _, true) => format!("{count} in {inner}"),
            (_, _, false) => first_names(&format!("{inner}, "), &own, MAX_LETTERS),
        };
        TreeGroup {
            depth,
            heading,
            detail: delay.and_then(interval).unwrap_or_default(),
            content,
            tooltip: hosts.listed(tree.members(group)),
            relative_rate: delay.map(|delay| fastest / delay.value),
        }
    };
    tree.rows().into_iter().map(group).collect()
}

/// The first [`MAX_GROUPS`] groups of the tree in sentences.
fn description(tree: &Tree, hosts: &HostNames, delays: &[Estimate]) -> String {
    let sentence = |(group, _): (Option<usize>, usize)| {
        let (group, delay) = (group?, &delays[group?]);
        let members = hosts.listed(tree.members(Some(group)));
        let range = interval(delay).map_or_else(String::new, |range| format!(", interval {range}"));
        Some(format!("{members} reach the others through {}{range}.", rate(delay.value)))
    };
    tree.rows().into_iter().take(MAX_GROUPS).filter_map(sentence).collect::<Vec<_>>().join(" ")
}
