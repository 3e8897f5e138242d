//! The tree of links that groups of processors share.

use orrery::comm::Ports;
use orrery::comm::ports::Uplinks;
use orrery::model::{Model, ModelKind};
use orrery::platform::{Processor, processor_name};

use super::format::rate_cell;
use super::table::{Cell, Column, Table};

/// The table of the groups of the model `ports`, each below the group that contains it, with the rate of its link to the
/// others; the first row contains all processors. `None` without that model.
///
/// Columns: group (number in the model), parent (number of the containing group), depth, processors (number), members (those in
/// no smaller group), rate, rate_low and rate_high \[B/s\].
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
        display = display.with_note("No shared link is known; orrery measure comm and orrery fit search for them.");
    }
    let tree = Tree { uplinks: &ports.uplinks, all: Processor::first(model.processors()).collect() };
    for (group, depth) in tree.rows() {
        let members = tree.members(group);
        let own: Vec<String> = tree.own(group).iter().map(|one| processor_name(&model.hosts, *one)).collect();
        let estimate = group.map(|group| ports.uplinks.byte_delay()[group]);
        let rate = |delay: Option<f64>| delay.filter(|delay| *delay > 0.0).map_or(Cell::Null, rate_cell);
        let interval = estimate.and_then(|estimate| estimate.interval);
        let [value, low, high] =
            [estimate.map(|one| one.value), interval.map(|one| one.high), interval.map(|one| one.low)];
        let number = |group: Option<usize>| group.map_or(Cell::Null, |group| Cell::integer(group as u64));
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
        let label = group.map_or("all".to_owned(), |group| format!("{}group {group}", "  ".repeat(depth)));
        let range = match (rate(low), rate(high)) {
            (Cell::Null, _) | (_, Cell::Null) => Cell::Null,
            (low, high) => Cell::text(format!("{} to {}", low.display(), high.display())),
        };
        display.push([Cell::text(label), count, rate(value), range, Cell::text(own.join(" "))]);
    }
    Some(table.with_display(display))
}

/// The groups as a tree; `None` is the group of all processors.
struct Tree<'a> {
    uplinks: &'a Uplinks,
    all: Vec<Processor>,
}

impl Tree<'_> {
    /// The processors of a group.
    fn members(&self, group: Option<usize>) -> &[Processor] {
        group.map_or(&self.all, |group| &self.uplinks.groups()[group])
    }

    /// Returns true if a group is a part of another one.
    fn is_inside(&self, inner: usize, outer: Option<usize>) -> bool {
        let (inside, around) = (self.members(Some(inner)), self.members(outer));
        Some(inner) != outer && inside.iter().all(|one| around.binary_search(one).is_ok())
    }

    /// The smallest group that contains a group.
    fn parent(&self, group: Option<usize>) -> Option<usize> {
        let group = group?;
        let around = (0..self.uplinks.groups().len()).filter(|&outer| self.is_inside(group, Some(outer)));
        around.min_by_key(|&outer| self.members(Some(outer)).len())
    }

    /// The groups directly below a group.
    fn children(&self, group: Option<usize>) -> Vec<usize> {
        let all = 0..self.uplinks.groups().len();
        all.filter(|&inner| self.is_inside(inner, group) && self.parent(Some(inner)) == group).collect()
    }

    /// The processors that are in no smaller group.
    fn own(&self, group: Option<usize>) -> Vec<Processor> {
        let below = self.children(group);
        let is_below =
            |one: &Processor| below.iter().any(|&inner| self.members(Some(inner)).binary_search(one).is_ok());
        self.members(group).iter().copied().filter(|one| !is_below(one)).collect()
    }

    /// All groups with their depths, each followed by those below it.
    fn rows(&self) -> Vec<(Option<usize>, usize)> {
        let mut rows = Vec::new();
        let mut open = vec![(None, 0)];
        while let Some((group, depth)) = open.pop() {
            rows.push((group, depth));
            open.extend(self.children(group).into_iter().rev().map(|inner| (Some(inner), depth + 1)));
        }
        rows
    }
}
