//! Simulated times beside measured ones.

use std::path::Path;

use anyhow::Context as _;
use clap::ValueEnum;
use orrery::simulate::{MeasuredTimes, Quantity, TaskTimes};
use orrery_report::{self, Table};

use super::played::Played;
use crate::context::Context;

/// What is compared.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Column {
    /// How long tasks communicated
    Communicating,
    /// How long tasks ran
    Seconds,
}

/// A table of the comparison, and the mean of the errors.
pub type Compared = (Table, Option<f64>);

/// The comparison of the tasks with a file; of several jobs tasks are numbered on.
pub fn with(path: &Path, column: Option<Column>, played: &Played<'_>) -> anyhow::Result<Compared> {
    let quantity = column.map(|column| match column {
        Column::Communicating => Quantity::Communicating,
        Column::Seconds => Quantity::Seconds,
    });
    let times = |quantity, times: &TaskTimes| match quantity {
        Quantity::Communicating => times.communicating.get(),
        Quantity::Seconds => times.end.get(),
    };
    let tasks = &played.outcome.tasks;
    compared(path, quantity, |quantity| tasks.iter().map(|task| times(quantity, task)).collect())
}

fn compared(
    path: &Path,
    quantity: Option<Quantity>,
    predicted: impl Fn(Quantity) -> Vec<f64>,
) -> anyhow::Result<Compared> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {name}"))?;
    let measured = MeasuredTimes::parse(&text, &name, quantity)?;
    let compared = measured.compare(&predicted(measured.quantity))?;
    Ok((orrery_report::tables::task_comparison(&compared, measured.quantity), compared.mean))
}

/// Says what the errors of tasks come to.
pub fn say(context: Context, compared: Option<&Compared>) {
    if let Some((_, Some(mean))) = compared {
        context.say(format!("mean of the errors of tasks: {mean:.2} %"));
    }
}
