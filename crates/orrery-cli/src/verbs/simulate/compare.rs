//! Comparison of simulated and measured times.

use std::path::Path;

use anyhow::Context as _;
use clap::ValueEnum;
use orrery::simulate::{MeasuredTimes, Quantity, TaskTimes};
use orrery_report::{self, Table};

use super::results::SimulatedJobs;
use crate::context::Context;
use crate::hand_written;

/// The column to compare.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Column {
    /// Time in communication
    Communicating,
    /// Time to the end of the task
    Seconds,
}

/// The table of the comparison, and the mean error in percent.
pub type Compared = (Table, Option<f64>);

/// Compares simulated with measured times of tasks; the tasks of several jobs are numbered
/// consecutively.
pub fn with(
    path: &Path,
    column: Option<Column>,
    simulated: &SimulatedJobs<'_>,
) -> anyhow::Result<Compared> {
    let quantity = column.map(|column| match column {
        Column::Communicating => Quantity::Communicating,
        Column::Seconds => Quantity::Seconds,
    });
    let times = |quantity, times: &TaskTimes| match quantity {
        Quantity::Communicating => times.communicating.get(),
        Quantity::Seconds => times.end.get(),
    };
    let tasks = &simulated.outcome.tasks;
    compared(path, quantity, |quantity| tasks.iter().map(|task| times(quantity, task)).collect())
}

/// Compares predicted times of a quantity with those of a file.
fn compared(
    path: &Path,
    quantity: Option<Quantity>,
    predicted: impl Fn(Quantity) -> Vec<f64>,
) -> anyhow::Result<Compared> {
    let name = path.display().to_string();
    let text = hand_written::read(path).with_context(|| format!("cannot read {name}"))?;
    let measured = MeasuredTimes::parse(&text, &name, quantity)?;
    let compared = measured.compare(&predicted(measured.quantity))?;
    Ok((orrery_report::tables::task_comparison(&compared, measured.quantity), compared.mean))
}

/// Prints the mean error.
pub fn report(context: Context, compared: Option<&Compared>) {
    if let Some((_, Some(mean))) = compared {
        context.say(format!("mean of the errors of tasks: {mean:.2} %"));
    }
}
