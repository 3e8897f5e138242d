mod diff;

use std::path::PathBuf;

use anyhow::anyhow;
use clap::{Args, Subcommand};
use orrery::model::file;
use orrery_report::Table;
use orrery_report::tables::{
    host_memory, kernel_memory, kernel_models, model_summary, paper_models, parameters,
    sharing_parameters, terms, thresholds, topology,
};

use super::model_export::ExportArguments;
use super::samples;
use crate::context::{Context, warn};
use crate::output::{self, Format};

/// The subcommands of `orrery model`.
#[derive(Debug, Subcommand)]
#[command(after_help = "Examples:
  orrery model check model.json
  orrery model show model.json
  orrery model diff january.json february.json")]
pub enum ModelVerb {
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
pub struct ModelArguments {
    /// Model file
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// Arguments of `orrery model show`.
#[derive(Debug, Args)]
pub struct ShowArguments {
    #[command(flatten)]
    model: ModelArguments,
    /// Print the groups of processors that share links, as a tree
    #[arg(long)]
    topology: bool,
}

impl ModelVerb {
    /// Runs the subcommand.
    pub fn run(self, context: Context) -> anyhow::Result<()> {
        match self {
            Self::Diff(arguments) => arguments.run(context),
            Self::Check(arguments) => arguments.check(),
            Self::Export(arguments) => arguments.run(context),
            Self::Show(arguments) => arguments.run(),
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
        let file = self.model.display().to_string();
        output::print(&model_summary(&file, &summary), self.format)
    }
}
