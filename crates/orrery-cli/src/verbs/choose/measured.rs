//! Choices of collective algorithms by a samples file.

use std::path::PathBuf;

use anyhow::Context as _;
use orrery::collective::measured::{
    CollectiveReadings, Design, KeepDefault, MeasuredModel, Selection,
};
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
        let design = Design::of(&readings, []).with_context(place)?;
        let mut choices = MeasuredModel::of(&design, &readings)
            .with_context(place)?
            .choices(&readings, self.keep);
        choices.retain(|choice| {
            self.sizes.is_none_or(|(low, high)| (low..=high).contains(&choice.point.size))
        });
        output::print(&measured_choices(readings.procs, &choices), self.format)
    }
}
