use std::path::{Path, PathBuf};

use clap::Args;
use orrery::file::FileKind;
use orrery::model::Model;
use orrery::request::ValidationRequest;
use orrery::run::Filter;
use orrery_report::pages;

use super::kinds::{self, Kinds};
use super::output_file;
use super::{given, other_hosts, samples, timings};
use crate::context::{Context, warn};
use crate::{applies, refusal};

/// The level of all intervals on the page.
const LEVEL: f64 = 0.95;

/// Arguments of `orrery report`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  orrery report model.json samples.csv -o report.html
  orrery report app.json runs.json -o application.html --where 'n>=1600'
  orrery report app.json runs.json --figures figures --where 'region=main->solve'")]
pub struct Report {
    /// Model file
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// Samples or timings files of the same machine, or runs files of the same application
    #[arg(required = true, value_name = "SAMPLES|TIMINGS|RUNS")]
    given: Vec<PathBuf>,
    /// Select the runs that meet these conditions, such as mode=Reality,n<=200000 [default: all]
    #[arg(long = "where", value_name = "CONDITIONS")]
    conditions: Vec<Filter>,
    #[arg(long, value_name = "LIST", default_value = "all", help = kinds::model_help())]
    models: Kinds,
    /// Write the page to this file
    #[arg(short, long, value_name = "HTML", required_unless_present = "figures")]
    output: Option<PathBuf>,
    /// Write the charts of an application to this folder, each as an SVG file of its own: all
    /// regions, and for each region the curves, the errors and the correlation
    #[arg(long, value_name = "DIR")]
    figures: Option<PathBuf>,
    /// Replace existing files
    #[arg(long)]
    force: bool,
}

impl Report {
    /// Writes the page of a model and its measurements.
    pub fn run(self, context: Context) -> anyhow::Result<()> {
        let output = self.output.as_ref();
        let output = output.map(|path| output_file::check(path, self.force, FileKind::Page));
        let output = output.transpose()?;
        let model = samples::model(&self.model)?;
        let kind = given::kind_of_all(&self.given)?;
        let request = ValidationRequest { models: self.models.list(), level: LEVEL };
        let failure = |error| refusal::failure(error, &self.model);
        if kind == Some(FileKind::Runs) {
            applies::refuse(&["--models"], "runs")?;
            let runs = given::runs(&self.given, &self.conditions)?;
            let validated = request.of_runs(&model, &runs.runs).map_err(failure)?;
            given::report(context, &validated);
            if let Some(folder) = &self.figures {
                let figures = pages::application_figures(&model, &validated.regions, LEVEL);
                self.write_figures(context, folder, figures)?;
            }
            let Some(output) = output else { return Ok(()) };
            let page = pages::application_page(&model, &runs, &validated.regions, LEVEL);
            return output.write_and_report(context, &page);
        }
        applies::refuse(&["--figures"], "samples and timings")?;
        let page = if self.conditions.is_empty() && kind == Some(FileKind::Timings) {
            applies::refuse(&["--models"], "timings of schemes")?;
            let timings = timings::read(&self.given)?;
            other_hosts::warn_of(
                &self.model,
                &self.given,
                model.network_difference(&timings.provenance),
            );
            let validation = request.of_timings(&model, &timings).map_err(failure)?;
            timings::report_delayed(context, &validation.delayed);
            pages::schemes_page(&model, &timings, &validation, LEVEL)
        } else {
            self.of_samples(context, model, &request)?
        };
        output.map_or(Ok(()), |output| output.write_and_report(context, &page))
    }

    /// Writes the figures of an application, each with the name of its file.
    fn write_figures(
        &self,
        context: Context,
        folder: &Path,
        figures: Vec<(String, String)>,
    ) -> anyhow::Result<()> {
        let files = figures.into_iter().map(|(name, svg)| (name, FileKind::Figure, svg));
        let written = output_file::write_all(folder, &files.collect::<Vec<_>>(), self.force)?;
        context.say(format!("wrote {} figures to {}", written.len(), folder.display()));
        Ok(())
    }

    /// The page of the communication models and their samples.
    fn of_samples(
        &self,
        context: Context,
        mut model: Model,
        request: &ValidationRequest,
    ) -> anyhow::Result<String> {
        applies::refuse(&["--where"], "samples")?;
        let samples = samples::read(context, &self.given)?;
        let differences = ValidationRequest::machine_differences(&model, &samples.provenance);
        other_hosts::warn_of(&self.model, &self.given, differences);
        let validated = request.of_samples(&model, &samples);
        let validated =
            validated.map_err(|error| refusal::of_given(error, &self.model, &self.given))?;
        if !validated.native.is_empty() {
            context.say(
                "collective operations of the MPI library are not on the page; orrery validate \
                    shows them",
            );
        }
        if validated.compared.rows.is_empty() {
            warn(
                "the model predicts none of the experiments in the samples; the page compares \
                    nothing",
            );
        }
        model = model.of_measured(&samples.provenance);
        if let Some(kinds) = self.models.named() {
            model
                .point_to_point
                .retain(|stored, _| kinds.iter().any(|kind| kind.stored_as() == *stored));
        }
        Ok(pages::communication_page(&model, &samples, &validated.compared))
    }
}
