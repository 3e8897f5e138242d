//! The tree of links that groups of processors share.

use std::collections::BTreeSet;

use orrery::comm::Ports;
use orrery::comm::ports::Uplinks;
use orrery::model::{Model, ModelKind};
use orrery::platform::{Processor, processor_name};

use super::columns::Columns;
use super::format::rate_cell;
use super::table::{Cell, Table};

/// The table of the groups of the model `ports`, each below the group that contains it, with the
/// rate of its link to the others; the first row contains all processors. `None` without that
/// model.
///
/// Columns: group (number in the model), parent (number of the containing group), depth, processors
/// (number), members (those in no smaller group), rate, rate_low and rate_high \[B/s\].
pub fn topology(model: &Model) -> Option<Table> {
    let ports: Ports = model.get(ModelKind::Ports)?;
    let tree = Tree::new(&ports.uplinks, model.processors());
    let rows = tree.rows();
    let own = |group| {
        let own = tree.own(group);
        own.iter().map(|one| processor_name(&model.hosts, *one)).collect::<Vec<_>>()
    };
    let rate = |delay: Option<f64>| delay.filter(|delay| *delay > 0.0).map(rate_cell);
    let estimate = |group: Option<usize>| group.map(|group| ports.uplinks.byte_delay()[group]);
    // The rate is high where the delay is low.
    let ends = |group| {
        let interval = estimate(group).and_then(|of| of.interval);
        (rate(interval.map(|of| of.high)), rate(interval.map(|of| of.low)))
    };
    let range = |group| {
        let (low, high) = ends(group);
        Some(format!("{} to {}", low?.display(), high?.display()))
    };
    let label = |group: Option<usize>, depth| match group {
        Some(group) => format!("{}group {group}", "  ".repeat(depth)),
        None => "all".to_owned(),
    };
    let mut columns = Columns::of(&rows);
    columns.number("group", |(group, _)| *group).for_programs();
    columns.text("group", |(group, depth)| label(*group, *depth)).for_people();
    columns.number("parent", |(group, _)| tree.parent(*group)).for_programs();
    columns.number("depth", |(_, depth)| *depth).for_programs();
    columns.number("processors", |(group, _)| tree.members(*group).len());
    columns.text("members", |(group, _)| Cell::texts(own(*group))).for_programs();
    columns
        .number("rate", |(group, _)| rate(estimate(*group).map(|of| of.value)))
        .titled("rate to the others");
    columns.number("rate_low", |(group, _)| ends(*group).0).for_programs();
    columns.number("rate_high", |(group, _)| ends(*group).1).for_programs();
    columns.text("interval", |(group, _)| range(*group)).drop_first(2).for_people();
    columns.text("members", |(group, _)| own(*group).join(" ")).for_people();
    let note = if ports.uplinks.is_empty() {
        "No shared link is known; orrery measure comm and orrery fit search for them."
    } else {
        ""
    };
    let title = "Groups of processors and the links that they share";
    Some(columns.table("topology", title).with_note(note))
}

/// The groups as a tree; `None` is the group of all processors.
pub(crate) struct Tree<'a> {
    uplinks: &'a Uplinks,
    all: Vec<Processor>,
    /// The groups directly below each group, and below that of all processors at the end.
    children: Vec<Vec<usize>>,
}

impl<'a> Tree<'a> {
    /// The tree of the groups of n processors; here, `None` is the group of all processors, its
    /// root.
    pub(crate) fn new(uplinks: &'a Uplinks, processors: usize) -> Self {
        let groups = uplinks.groups().len();
        let mut children = vec![Vec::new(); groups + 1];
        for group in 0..groups {
            children[uplinks.parent(group).unwrap_or(groups)].push(group);
        }
        Self { uplinks, all: Processor::first(processors).collect(), children }
    }

    /// The processors of a group.
    pub(crate) fn members(&self, group: Option<usize>) -> &[Processor] {
        group.map_or(&self.all, |group| &self.uplinks.groups()[group])
    }

    /// The smallest group that contains a group; `None`, all processors, if there is no smaller
    /// one.
    pub(crate) fn parent(&self, group: Option<usize>) -> Option<usize> {
        group.and_then(|group| self.uplinks.parent(group))
    }

    /// The groups directly below a group.
    pub(crate) fn children(&self, group: Option<usize>) -> &[usize] {
        &self.children[group.unwrap_or(self.children.len() - 1)]
    }

    /// The processors that are in no smaller group.
    pub(crate) fn own(&self, group: Option<usize>) -> Vec<Processor> {
        let below: BTreeSet<Processor> = self
            .children(group)
            .iter()
            .flat_map(|&inner| self.members(Some(inner)))
            .copied()
            .collect();
        self.members(group).iter().copied().filter(|one| !below.contains(one)).collect()
    }

    /// All groups with their depths, each followed by those below it.
    pub(crate) fn rows(&self) -> Vec<(Option<usize>, usize)> {
        let mut rows = Vec::new();
        let mut open = vec![(None, 0)];
        while let Some((group, depth)) = open.pop() {
            rows.push((group, depth));
            open.extend(self.children(group).iter().rev().map(|&inner| (Some(inner), depth + 1)));
        }
        rows
    }
}
