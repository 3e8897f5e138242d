use std::path::PathBuf;

use clap::{Args, ValueEnum};
use orrery::file::FileKind;
use orrery::model::Model;
use orrery::request::{RequestError, ValidatedSamples, ValidationRequest};
use orrery::run::Filter;
use orrery_report::tables::{
    self, EvaluationTables, evaluations, native_collectives, ranking, redistribution_validation,
    routine_errors, routine_validation, sharing_validation, validation,
};

use super::kinds::{self, Kinds};
use super::{given, other_hosts, samples, timings};
use crate::context::Context;
use crate::output::{self, Format, counted};
use crate::{applies, options, refusal};

/// Arguments of `orrery validate`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  orrery validate model.json collectives.csv
  orrery validate model.json samples.csv --models lmo,hockney --only summary --format csv
  orrery validate app.json runs.json")]
pub struct Validate {
    /// Model file
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// Samples or timings files of the same machine, times of parallel routines, or runs files of
    /// the same application
    #[arg(required = true, value_name = "SAMPLES|TIMINGS|ROUTINES|RUNS")]
    given: Vec<PathBuf>,
    /// Select the runs that meet these conditions, such as mode=Reality,n<=200000 [default: all]
    #[arg(long = "where", value_name = "CONDITIONS")]
    conditions: Vec<Filter>,
    #[arg(long, value_name = "LIST", default_value = "all", help = kinds::model_help())]
    models: Kinds,
    /// Confidence level of the intervals of measured medians, or of the estimates of runs
    #[arg(long, value_name = "LEVEL", default_value_t = 0.95, value_parser = options::level)]
    level: f64,
    /// Print this table only (samples)
    #[arg(long, value_name = "TABLE", value_enum)]
    only: Option<Only>,
    /// Output format; csv prints one table, the rows or that of --only
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// The tables that compare samples with communication models.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Only {
    /// Measured and predicted times
    Rows,
    /// Errors of each model by operation
    Summary,
    /// Models from the best to the worst
    Ranking,
}

impl Validate {
    /// Compares measured and predicted times.
    pub fn run(self, context: Context) -> anyhow::Result<()> {
        let model = samples::model(&self.model)?;
        let request = ValidationRequest { models: self.models.list(), level: self.level };
        let kind = given::kind_of_all(&self.given)?;
        if kind != Some(FileKind::Runs) {
            applies::refuse(&["--where"], "measurements besides runs")?;
        }
        match kind {
            Some(FileKind::Runs) => {
                applies::refuse(&["--only", "--models"], "runs")?;
                self.of_runs(context, &model, &request)
            }
            Some(FileKind::Timings) => {
                applies::refuse(&["--only", "--models"], "timings of schemes")?;
                self.of_timings(context, &model, &request)
            }
            Some(FileKind::Routines) => {
                applies::refuse(&["--only"], "times of parallel routines")?;
                self.of_routines(context, &model, &request)
            }
            _ => self.of_samples(context, &model, &request),
        }
    }

    /// The error of a comparison with the model.
    fn failure(&self, error: RequestError) -> anyhow::Error {
        refusal::of_given(error, &self.model, &self.given)
    }

    /// Compares samples with communication models.
    fn of_samples(
        &self,
        context: Context,
        model: &Model,
        request: &ValidationRequest,
    ) -> anyhow::Result<()> {
        let samples = samples::read(context, &self.given)?;
        let differences = ValidationRequest::machine_differences(model, &samples.provenance);
        other_hosts::warn_of(&self.model, &self.given, differences);
        let validated = request.of_samples(model, &samples);
        let validated = validated.and_then(ValidatedSamples::require_rows);
        let validated = validated.map_err(|error| self.failure(error))?;
        if validated.too_large > 0 {
            context.say(format!(
                "{} with collective operations of the MPI library of more than the {} processors \
                    of the model: not compared",
                counted(validated.too_large as u64, "experiment"),
                model.processors()
            ));
        }
        let native = native_collectives(&validated.native);
        let (rows, summary) = validation(&validated.compared);
        let ranking = ranking(&validated.compared);
        match (self.only, self.format) {
            (Some(Only::Rows), format) => output::print(&rows, format),
            (Some(Only::Summary), format) => output::print(&summary, format),
            (Some(Only::Ranking), format) => output::print(&ranking, format),
            (None, Format::Csv) if rows.rows().is_empty() => output::print(&native, Format::Csv),
            (None, format) if rows.rows().is_empty() => output::print_all(&[native], format),
            // A CSV file has one set of columns.
            (None, Format::Csv) => {
                if !native.rows().is_empty() {
                    context.say(
                        "collective operations of the MPI library are not shown; use --format \
                            json, or give them in a file of their own",
                    );
                }
                output::print(&rows, Format::Csv)
            }
            (None, format) => {
                // The rank of a single model is no information for people.
                let is_ranked = format == Format::Json || ranking.rows().len() > 1;
                let mut tables = vec![rows, summary];
                tables.extend(is_ranked.then_some(ranking));
                tables.extend((!native.rows().is_empty()).then_some(native));
                output::print_all(&tables, format)
            }
        }
    }

    /// Compares measured times of parallel routines with predicted ones.
    fn of_routines(
        &self,
        context: Context,
        model: &Model,
        request: &ValidationRequest,
    ) -> anyhow::Result<()> {
        let timings = timings::read_routines(&self.given)?;
        let differences = ValidationRequest::machine_differences(model, &timings.provenance);
        other_hosts::warn_of(&self.model, &self.given, differences);
        let validated = request.of_routines(model, timings).map_err(|error| self.failure(error))?;
        if validated.too_large > 0 {
            context.say(format!(
                "{} on grids with more than the {} processors of the model are not compared",
                counted(validated.too_large as u64, "call"),
                model.processors()
            ));
        }
        let moved = redistribution_validation(&validated.redistributions);
        if validated.routines.is_empty() {
            return output::print(&moved, self.format);
        }
        let rows = routine_validation(&validated.routines);
        // A CSV file has one set of columns.
        if self.format == Format::Csv {
            if !moved.rows().is_empty() {
                context.say(
                    "redistributions are not shown; use --format json, or give them in a file of \
                        their own",
                );
            }
            return output::print(&rows, Format::Csv);
        }
        let errors = routine_errors(&validated.routines);
        let mut tables = vec![rows, errors, tables::grid_regrets(&validated.regrets)];
        tables.extend((!moved.rows().is_empty()).then_some(moved));
        output::print_all(&tables, self.format)
    }

    /// Compares measured schemes with sharing laws.
    fn of_timings(
        &self,
        context: Context,
        model: &Model,
        request: &ValidationRequest,
    ) -> anyhow::Result<()> {
        let timings = timings::read(&self.given)?;
        let difference = model.network_difference(&timings.provenance);
        other_hosts::warn_of(&self.model, &self.given, difference);
        let validated = request.of_timings(model, &timings).map_err(|error| self.failure(error))?;
        timings::report_delayed(context, &validated.delayed);
        for (law, scheme, why) in &validated.not_compared {
            context.say(format!("{scheme} is not compared with {law}: {why}"));
        }
        let (rows, summary) = sharing_validation(&validated);
        match self.format {
            Format::Csv => output::print(&rows, Format::Csv),
            format => output::print_all(&[rows, summary], format),
        }
    }

    /// Compares runs with the model of their application.
    fn of_runs(
        &self,
        context: Context,
        model: &Model,
        request: &ValidationRequest,
    ) -> anyhow::Result<()> {
        let runs = given::runs(&self.given, &self.conditions)?;
        let validated = request.of_runs(model, &runs.runs).map_err(|error| self.failure(error))?;
        given::report(context, &validated);
        let named = validated.regions.iter().map(|(region, one)| (region.name.as_str(), one));
        let named: Vec<_> = named.collect();
        let has_new = named.iter().any(|(_, accuracy)| !accuracy.points(false).is_empty());
        let EvaluationTables { held_out, choices, points, summary, lack_of_fit } =
            evaluations(&named);
        let tables = match self.format {
            Format::Csv => return output::print(&points, Format::Csv),
            Format::Json => [held_out, choices, Some(points), Some(summary), lack_of_fit],
            // Held-out errors are first. The lack of fit was reported in words.
            Format::Table if has_new => [held_out, Some(summary), choices, Some(points), None],
            Format::Table => [held_out, choices, Some(points), Some(summary), None],
        };
        output::print_all(&tables.into_iter().flatten().collect::<Vec<_>>(), self.format)
    }
}
