//! Choices of collective algorithms by a samples file.

use std::path::PathBuf;

use anyhow::Context as _;
use orrery::collective::measured::{CollectiveReadings, Design, KeepDefault, MeasuredModel, Row, Selection};
use orrery::units::Bytes;
use orrery_report::tables::measured_choices;

use crate::context::Context;
use crate::output::{self, Format};
use crate::verbs::samples;

/// A choice by samples.
pub struct MeasuredChoice {
    /// The samples file.
    pub samples: PathBuf,
    /// The collective operations.
    pub selection: Selection,
    /// The sizes.
    pub sizes: Option<(Bytes, Bytes)>,
    /// When the library's own choice is kept.
    pub keep: KeepDefault,
    /// The format of the table.
    pub format: Format,
}

impl MeasuredChoice {
    /// Prints the choices.
    pub fn run(self, context: Context) -> anyhow::Result<()> {
        let samples = samples::read(context, std::slice::from_ref(&self.samples))?;
        let place = || self.samples.display().to_string();
        let readings = CollectiveReadings::of(&samples, &self.selection).with_context(place)?;
        let design = design(&readings, []).with_context(place)?;
        let mut choices = model(&readings, &design).with_context(place)?.choices(&readings, self.keep);
        choices.retain(|choice| self.sizes.is_none_or(|(low, high)| (low..=high).contains(&choice.point.size)));
        output::print(&measured_choices(readings.procs, &choices), self.format)
    }
}

/// The design of the rows of samples and further rows.
pub fn design(
    readings: &CollectiveReadings,
    further: impl IntoIterator<Item = Row>,
) -> Result<Design, orrery::collective::measured::MeasuredError> {
    let rows = readings.times.keys().copied().chain(further);
    Design::new(readings.procs, rows, readings.defaults.keys().copied())
}

/// The model by all readings.
pub fn model<'a>(
    readings: &CollectiveReadings,
    design: &'a Design,
) -> Result<MeasuredModel<'a>, orrery::collective::measured::MeasuredError> {
    let mut model = MeasuredModel::new(design);
    model.read(readings.times.iter().filter_map(|(row, seconds)| Some((design.index_of(row)?, *seconds))))?;
    Ok(model)
}
