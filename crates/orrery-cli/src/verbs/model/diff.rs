use std::path::PathBuf;

use clap::{Args, ValueEnum};
use orrery::model::{DiffError, DiffOptions, Model, ModelKind, diff};
use orrery::units::{Bytes, SizeList};
use orrery_report::tables::diff_tables;

use crate::context::{Changed, Context, warn};
use crate::options;
use crate::output::{self, Format};
use crate::verbs::samples;

/// Arguments of `orrery model diff`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  orrery model diff january.json february.json
  orrery model diff before.json after.json --tolerance 0.1 --only changes --format csv

Exit status: 0 nothing changed, 1 failure, 2 wrong usage, 3 something changed.")]
pub struct Diff {
    /// Model file of the earlier state
    #[arg(value_name = "OLD")]
    old: PathBuf,
    /// Model file of the later state
    #[arg(value_name = "NEW")]
    new: PathBuf,
    /// Kind of model that predicts the times [default: the one with the narrowest intervals]
    #[arg(long, value_name = "KIND")]
    model: Option<ModelKind>,
    /// Sizes of the messages whose times are compared
    #[arg(long, value_name = "SIZES", default_value = "0,1K,32K")]
    size: SizeList,
    /// One minus the expected fraction of wrong findings among all messages
    #[arg(long, value_name = "LEVEL", default_value_t = 0.95, value_parser = options::level)]
    level: f64,
    /// Ignore changes of a time up to this fraction; without intervals it decides alone
    #[arg(long, value_name = "FRACTION", default_value_t = 0.05, allow_negative_numbers = true, value_parser = options::positive)]
    tolerance: f64,
    /// Compare processors by number, whatever their hosts
    #[arg(long)]
    mixed_hosts: bool,
    /// Print this table only
    #[arg(long, value_name = "TABLE", value_enum)]
    only: Option<Only>,
    /// Output format; csv prints one table, the changes or that of --only
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// The tables of a comparison, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Only {
    /// Number of changes, level, resolution
    Summary,
    /// Lost and added processors, changed hosts and links
    Changes,
    /// Times of messages of all pairs
    Messages,
    /// Links that groups of processors share
    SharedLinks,
    /// Measured over predicted times of collective operations
    #[value(alias = "corrections")]
    Errors,
    /// Parameters behind these times
    Parameters,
}

impl Diff {
    /// Compares two models; returns [`Changed`] if they differ.
    pub fn run(&self, context: Context) -> anyhow::Result<()> {
        let (old, new) = (samples::model(&self.old)?, samples::model(&self.new)?);
        let options = DiffOptions {
            kind: self.model,
            sizes: self.size.iter().collect(),
            level: self.level,
            tolerance: self.tolerance,
            by_number: self.mixed_hosts,
        };
        self.report_differences(context, &old, &new);
        let found = diff(&old, &new, &options).map_err(|error| {
            let place = match error {
                DiffError::NoProcessors("old") => self.old.display().to_string(),
                DiffError::NoProcessors(_) => self.new.display().to_string(),
                _ => format!("{} and {}", self.old.display(), self.new.display()),
            };
            anyhow::Error::new(error).context(place)
        })?;
        let tables = diff_tables(&old, &new, &found, &options);
        match (self.only, self.format) {
            (Some(only), format) => output::print(&tables[only as usize], format)?,
            (None, Format::Csv) => output::print(&tables[Only::Changes as usize], Format::Csv)?,
            (None, Format::Json) => output::print_all(&tables, Format::Json)?,
            (None, Format::Table) if found.is_changed() => {
                let [_, changes, messages, shared_links, errors, parameters] = tables;
                let shown =
                    [changes, shared_links, errors, messages, parameters].into_iter().enumerate();
                let is_shown = |(place, table): &(usize, orrery_report::Table)| {
                    *place == 0 || !table.display_table().rows().is_empty()
                };
                let shown: Vec<_> = shown.filter(is_shown).map(|(_, table)| table).collect();
                output::print_all(&shown, Format::Table)?;
            }
            (None, Format::Table) => output::print(&tables[Only::Changes as usize], Format::Table)?,
        }
        if found.is_changed() { Err(Changed.into()) } else { Ok(()) }
    }

    /// Warns of differences between the machines other than hosts, and of sizes that were not
    /// measured.
    fn report_differences(&self, context: Context, old: &Model, new: &Model) {
        let (before, after) = (self.old.display(), self.new.display());
        for difference in old.provenance.entry_differences(&new.provenance) {
            warn(format_args!(
                "{after}: {difference} (compared with {before}); the models may not be comparable"
            ));
        }
        let outside = |size: &Bytes| old.extrapolates(*size) || new.extrapolates(*size);
        for size in self.size.iter().filter(outside) {
            context.say(format!("messages of {size} are outside the measured range of a model"));
        }
    }
}
