mod diff;

use std::path::PathBuf;

use anyhow::anyhow;
use clap::{Args, Subcommand};
use orrery::model::file::{self, Summary};
use orrery_report::tables::{
    host_memory, kernel_memory, kernel_models, paper_models, parameters, sharing_parameters, terms,
    thresholds, topology,
};
use orrery_report::{Cell, Column, Table};

use super::model_export::ExportArguments;
use super::samples;
use crate::context::{Context, warn};
use crate::output::{self, Format, counted};

/// Arguments of `orrery model`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  orrery model check model.json
  orrery model show model.json
  orrery model diff january.json february.json")]
pub struct ModelVerb {
    #[command(subcommand)]
    what: What,
}

/// The subcommands of `orrery model`.
#[derive(Debug, Subcommand)]
enum What {
    /// Check a model file and summarise it
    #[command(after_help = "Examples:
  orrery model check model.json
  orrery model check model.json --format json")]
    Check(ModelArguments),
    /// Print all parameters with their intervals
    #[command(after_help = "Examples:
  orrery model show model.json
  orrery model show model.json --topology
  orrery model show model.json --format csv")]
    Show(ShowArguments),
    /// Write a model for another simulator
    #[command(after_help = "Examples:
  orrery model export model.json --for simgrid -o platform.xml
  orrery model export model.json --for loggopsim")]
    Export(ExportArguments),
    /// Find what changed between two models of one cluster: slower hosts, degraded links, lost
    /// processors
    Diff(diff::Diff),
}

/// Arguments of the subcommands of `orrery model`.
#[derive(Debug, Args)]
struct ModelArguments {
    /// Model file
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// Arguments of `orrery model show`.
#[derive(Debug, Args)]
struct ShowArguments {
    #[command(flatten)]
    model: ModelArguments,
    /// Print the groups of processors that share links, as a tree
    #[arg(long)]
    topology: bool,
}

impl ModelVerb {
    /// Runs the subcommand.
    pub fn run(self, context: Context) -> anyhow::Result<()> {
        match self.what {
            What::Diff(arguments) => arguments.run(context),
            What::Check(arguments) => arguments.check(),
            What::Export(arguments) => arguments.run(context),
            What::Show(arguments) => arguments.run(),
        }
    }
}

impl ShowArguments {
    /// Prints the parameters or the groups.
    fn run(self) -> anyhow::Result<()> {
        let Self { model: ModelArguments { model: path, format }, topology: is_topology } = self;
        let model = samples::model(&path)?;
        if is_topology {
            let lacks = || {
                anyhow!(
                    "{}: there is no model ports, which knows shared links; fit it with `orrery \
                        fit --models ports`",
                    path.display()
                )
            };
            return output::print(&topology(&model).ok_or_else(lacks)?, format);
        }
        let communication = if model.kinds().is_empty() { Vec::new() } else { parameters(&model) };
        let mut tables: Vec<Table> = communication;
        tables.extend((!model.thresholds.is_empty()).then(|| thresholds(&model.thresholds)));
        tables.extend((!model.sharing.is_empty()).then(|| sharing_parameters(&model.sharing)));
        tables.extend(kernel_models(&model));
        tables.extend(kernel_memory(&model));
        tables.extend(host_memory(&model));
        if let Some(application) = &model.application {
            let with_terms =
                application.regions.iter().any(|region| region.model.as_terms().is_some());
            tables.extend(with_terms.then(|| terms(application)));
            tables.extend(paper_models(application));
        }
        output::print_all(&tables, format)
    }
}

impl ModelArguments {
    /// Checks the file and prints a summary.
    fn check(&self) -> anyhow::Result<()> {
        let summary = file::check(&self.model)?;
        summary.warnings.iter().for_each(warn);
        let columns = [
            Column::text("file"),
            Column::text("models"),
            Column::number("processors"),
            Column::number("parameters"),
            Column::number("with_interval").with_title("with interval"),
            Column::number("measured_from").with_title("measured from"),
            Column::number("measured_to").with_title("to"),
        ];
        let mut table = Table::new("check", "", columns);
        let measured = |pick: fn(&(_, _)) -> _| {
            summary.measured.as_ref().map_or(Cell::Null, |range| Cell::size(pick(range)))
        };
        table.push([
            Cell::text(self.model.display().to_string()),
            Cell::text(words(&summary)),
            Cell::integer(summary.processors as u64),
            Cell::integer(summary.parameters as u64),
            Cell::integer(summary.with_interval as u64),
            measured(|range| range.0),
            measured(|range| range.1),
        ]);
        output::print(&table.with_display(self.summary_table(&summary)), self.format)
    }

    /// The summary for people, one line for each fact.
    fn summary_table(&self, summary: &Summary) -> Table {
        let columns = [Column::text("fact"), Column::text("found")];
        let title = format!("{}: valid model file", self.model.display());
        let mut table = Table::new("check", title, columns);
        let measured = summary.measured.as_ref().map(|(from, to)| format!("from {from} to {to}"));
        for (what, found) in [
            ("models", words(summary)),
            ("processors", summary.processors.to_string()),
            (
                "parameters",
                format!(
                    "{}, {} of them with an interval",
                    summary.parameters, summary.with_interval
                ),
            ),
            ("measured sizes", measured.unwrap_or_else(|| "not recorded".to_owned())),
        ] {
            table.push([Cell::text(what), Cell::text(found)]);
        }
        table
    }
}

/// The models of a file as text, separated by commas.
fn words(summary: &Summary) -> String {
    let application = match summary.regions {
        0 => None,
        1 => Some("application".to_owned()),
        regions => Some(format!("application of {regions} regions")),
    };
    let of = |what: &str, count: usize, noun: &str| {
        (count > 0).then(|| format!("{what} of {}", counted(count as u64, noun)))
    };
    let thresholds = of("thresholds", summary.thresholds, "operation");
    let corrections = of("corrections", summary.corrections, "algorithm");
    let kernels = (summary.kernels > 0).then(|| counted(summary.kernels as u64, "kernel"));
    let sharing = summary.sharing.iter().map(|network| format!("sharing of {network}"));
    summary
        .kinds
        .iter()
        .map(|kind| kind.name().to_owned())
        .chain(thresholds)
        .chain(corrections)
        .chain(sharing)
        .chain(kernels)
        .chain(application)
        .collect::<Vec<_>>()
        .join(", ")
}
