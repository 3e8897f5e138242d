//! The tree of links that groups of processors share.

use std::collections::BTreeSet;

use orrery::comm::Ports;
use orrery::comm::ports::Uplinks;
use orrery::model::{Model, ModelKind};
use orrery::platform::{Processor, processor_name};

use super::format::rate_cell;
use super::table::{Cell, Column, Table};

/// The table of the groups of the model `ports`, each below the group that contains it, with the
/// rate of its link to the others; the first row contains all processors. `None` without that
/// model.
///
/// Columns: group (number in the model), parent (number of the containing group), depth, processors
/// (number), members (those in no smaller group), rate, rate_low and rate_high \[B/s\].
pub fn topology(model: &Model) -> Option<Table> {
    let ports: Ports = model.get(ModelKind::Ports)?;
    let columns = [
        Column::number("group"),
        Column::number("parent"),
        Column::number("depth"),
        Column::number("processors"),
        Column::text("members"),
        Column::number("rate"),
        Column::number("rate_low"),
        Column::number("rate_high"),
    ];
    let mut table = Table::new("topology", "", columns);
    let shown = [
        Column::text("group"),
        Column::number("processors"),
        Column::number("rate to the others"),
        Column::text("interval").drop_priority(2),
        Column::text("members"),
    ];
    let title = "Groups of processors and the links that they share";
    let mut display = Table::new("topology", title, shown);
    if ports.uplinks.is_empty() {
        display = display.with_note(
            "No shared link is known; orrery measure comm and orrery fit search for them.",
        );
    }
    let tree = Tree::new(&ports.uplinks, model.processors());
    for (group, depth) in tree.rows() {
        let members = tree.members(group);
        let own: Vec<String> =
            tree.own(group).iter().map(|one| processor_name(&model.hosts, *one)).collect();
        let estimate = group.map(|group| ports.uplinks.byte_delay()[group]);
        let rate =
            |delay: Option<f64>| delay.filter(|delay| *delay > 0.0).map_or(Cell::Null, rate_cell);
        let interval = estimate.and_then(|estimate| estimate.interval);
        let [value, low, high] = [
            estimate.map(|one| one.value),
            interval.map(|one| one.high),
            interval.map(|one| one.low),
        ];
        let number =
            |group: Option<usize>| group.map_or(Cell::Null, |group| Cell::integer(group as u64));
        let count = Cell::integer(members.len() as u64);
        table.push([
            number(group),
            number(tree.parent(group)),
            Cell::integer(depth as u64),
            count.clone(),
            Cell::texts(own.iter().cloned()),
            rate(value),
            rate(low),
            rate(high),
        ]);
        let label =
            group.map_or("all".to_owned(), |group| format!("{}group {group}", "  ".repeat(depth)));
        let range = match (rate(low), rate(high)) {
            (Cell::Null, _) | (_, Cell::Null) => Cell::Null,
            (low, high) => Cell::text(format!("{} to {}", low.display(), high.display())),
        };
        display.push([Cell::text(label), count, rate(value), range, Cell::text(own.join(" "))]);
    }
    Some(table.with_display(display))
}

/// The groups as a tree; `None` is the group of all processors.
pub(crate) struct Tree<'a> {
    uplinks: &'a Uplinks,
    all: Vec<Processor>,
    /// The groups directly below each group, and below that of all processors at the end.
    children: Vec<Vec<usize>>,
}

impl<'a> Tree<'a> {
    /// The tree of the groups of n processors.
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

    /// The smallest group that contains a group.
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
