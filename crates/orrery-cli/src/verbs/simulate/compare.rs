//! Simulated times beside measured ones.

use std::path::Path;

use anyhow::Context as _;
use clap::ValueEnum;
use orrery::report::{self, Table};
use orrery::simulate::{Measured, Quantity, TaskTimes};

use super::played::Played;

/// What is compared.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Column {
    /// How long tasks communicated
    Communicating,
    /// How long tasks ran
    Seconds,
}

/// The comparison of the tasks with a file, and the mean of the errors; of several jobs tasks are numbered on.
pub fn with(path: &Path, column: Option<Column>, played: &Played<'_>) -> anyhow::Result<(Table, Option<f64>)> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {name}"))?;
    let quantity = column.map(|column| match column {
        Column::Communicating => Quantity::Communicating,
        Column::Seconds => Quantity::Seconds,
    });
    let measured = Measured::parse(&text, &name, quantity)?;
    let predicted = |times: &TaskTimes| match measured.quantity {
        Quantity::Communicating => times.communicating.get(),
        Quantity::Seconds => times.end.get(),
    };
    let predicted: Vec<f64> = played.outcome.tasks.iter().map(predicted).collect();
    let compared = measured.compare(&predicted)?;
    Ok((report::compared_tasks(&compared, measured.quantity), compared.mean))
}
