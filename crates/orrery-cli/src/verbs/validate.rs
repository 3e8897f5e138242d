use std::path::PathBuf;

use anyhow::{Context as _, anyhow};
use clap::{Args, ValueEnum};
use orrery::file::FileKind;
use orrery::model::{
    KernelChoice, Model, compare_native, grid_regrets, validate, validate_redistributions,
    validate_routines, validate_sharing,
};
use orrery::run::Filter;
use orrery::sample::{RoutineTimings, Series};
use orrery_report::tables::{
    self, EvaluationTables, evaluations, native_collectives, ranking, redistribution_validation,
    routine_errors, routine_validation, sharing_validation, validation,
};

use super::kinds::{self, Kinds};
use super::{given, other_hosts, samples, timings};
use crate::context::Context;
use crate::output::{self, Format, counted};
use crate::{applies, options};

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
        let kind = given::kind_of_all(&self.given)?;
        if kind == Some(FileKind::Runs) {
            applies::refuse(&["--only", "--models"], "runs")?;
            return self.of_application(context, &model);
        }
        applies::refuse(&["--where"], "measurements besides runs")?;
        if kind == Some(FileKind::Timings) {
            applies::refuse(&["--only", "--models"], "timings of schemes")?;
            return self.of_sharing(context, &model);
        }
        if kind == Some(FileKind::Routines) {
            applies::refuse(&["--only"], "times of parallel routines")?;
            return self.of_routines(context, &model);
        }
        given::needs_communication(&model, &self.model)?;
        let samples = samples::read(context, &self.given)?;
        samples::check_operations(&samples, &self.given)?;
        let model = model.of_measured(&samples.provenance);
        other_hosts::warn_of(
            &self.model,
            &self.given,
            model.machine_differences(&samples.provenance),
        );
        let kinds = self.models.of(&model);
        let place = || self.model.display().to_string();
        let validated = validate(&model, &samples, &kinds, self.level).with_context(place)?;
        let own = native_collectives(
            &compare_native(&model, &samples, &kinds, self.level).with_context(place)?,
        );
        let (rows, summary) = validation(&validated);
        let too_large = |series: &&Series| {
            !series.experiment.has_program()
                && series.experiment.processors_needed() > model.processors()
        };
        let too_large = samples.series().iter().filter(too_large).count();
        if too_large > 0 {
            let processors = model.processors();
            context.say(format!(
                "{too_large} experiments with collective operations of the MPI library are not \
                    compared: they have more than \
                 the {processors} processors of the model"
            ));
        }
        if rows.rows().is_empty() && own.rows().is_empty() {
            return Err(anyhow!(
                "{}: the model predicts none of the experiments in the samples; give samples of \
                    its processors, or other --models",
                place()
            ));
        }
        let ranking = ranking(&validated);
        match self.only {
            Some(Only::Rows) => return output::print(&rows, self.format),
            Some(Only::Summary) => return output::print(&summary, self.format),
            Some(Only::Ranking) => return output::print(&ranking, self.format),
            None => {}
        }
        if self.format == Format::Csv && rows.rows().is_empty() {
            return output::print(&own, Format::Csv);
        }
        match self.format {
            // A CSV file has one set of columns.
            Format::Csv => {
                if !own.rows().is_empty() {
                    context.say(
                        "collective operations of the MPI library are not shown; use --format \
                            json, or give them in a file of their own",
                    );
                }
                output::print(&rows, Format::Csv)
            }
            format if rows.rows().is_empty() && !own.rows().is_empty() => {
                output::print_all(&[own], format)
            }
            format => {
                // The rank of a single model is no information for people.
                let ranked = format == Format::Json || ranking.rows().len() > 1;
                let own = (!own.rows().is_empty()).then_some(own);
                let tables =
                    [rows, summary].into_iter().chain(ranked.then_some(ranking)).chain(own);
                output::print_all(&tables.collect::<Vec<_>>(), format)
            }
        }
    }

    /// Compares measured times of parallel routines with predicted ones.
    fn of_routines(&self, context: Context, model: &Model) -> anyhow::Result<()> {
        given::needs_communication(model, &self.model)?;
        let mut timings = timings::read_routines(&self.given)?;
        other_hosts::warn_of(
            &self.model,
            &self.given,
            model.machine_differences(&timings.provenance),
        );
        let processors = model.processors();
        let calls =
            |timings: &RoutineTimings| timings.calls().len() + timings.redistribution_calls().len();
        let before = calls(&timings);
        timings.readings.retain(|reading| reading.call.grid().processes() <= processors as u64);
        timings.redistributions.retain(|reading| reading.call.processes() <= processors as u64);
        let too_large = before - calls(&timings);
        if too_large > 0 {
            context.say(format!(
                "{} on grids with more than the {processors} processors of the model are not \
                    compared",
                counted(too_large as u64, "call")
            ));
        }
        if calls(&timings) == 0 {
            return Err(anyhow!(
                "{}: the model predicts none of the routines in the files; give times on grids of \
                    at most {processors} processes",
                self.model.display()
            ));
        }
        let (mut all, mut moved) = (Vec::new(), Vec::new());
        for kind in self.models.of(model) {
            let place = || self.model.display().to_string();
            all.push(
                validate_routines(model, kind, &timings, &KernelChoice::default())
                    .with_context(place)?,
            );
            moved.extend(validate_redistributions(model, kind, &timings).with_context(place)?);
        }
        let regrets: Vec<_> = all.iter().flat_map(|of_kind| grid_regrets(of_kind)).collect();
        let all: Vec<_> = all.into_iter().flatten().collect();
        let (rows, moved) = (routine_validation(&all), redistribution_validation(&moved));
        match (self.format, all.is_empty(), moved.rows().is_empty()) {
            // A CSV file has one set of columns.
            (Format::Csv, true, _) => output::print(&moved, Format::Csv),
            (Format::Csv, false, is_all) => {
                if !is_all {
                    context.say(
                        "redistributions are not shown; use --format json, or give them in a \
                            file of their own",
                    );
                }
                output::print(&rows, Format::Csv)
            }
            (format, true, _) => output::print(&moved, format),
            (format, false, is_all) => {
                let mut tables = vec![rows, routine_errors(&all), tables::grid_regrets(&regrets)];
                tables.extend((!is_all).then_some(moved));
                output::print_all(&tables, format)
            }
        }
    }

    /// Compares measured schemes with sharing laws.
    fn of_sharing(&self, context: Context, model: &Model) -> anyhow::Result<()> {
        let timings = timings::read(&self.given)?;
        other_hosts::warn_of(
            &self.model,
            &self.given,
            model.network_difference(&timings.provenance),
        );
        let validation = validate_sharing(&model.sharing, &timings, self.level);
        timings::report_delayed(context, &validation.delayed);
        for (law, scheme, why) in &validation.not_compared {
            context.say(format!("{scheme} is not compared with {law}: {why}"));
        }
        let (rows, summary) = sharing_validation(&validation);
        match self.format {
            Format::Csv => output::print(&rows, Format::Csv),
            format => output::print_all(&[rows, summary], format),
        }
    }

    /// Compares runs with the model of their application.
    fn of_application(&self, context: Context, model: &Model) -> anyhow::Result<()> {
        let runs = given::runs(&self.given, &self.conditions)?;
        let evaluated = given::evaluated(context, model, &self.model, &runs.runs, self.level)?;
        let named: Vec<_> =
            evaluated.iter().map(|(region, accuracy)| (region.name.as_str(), accuracy)).collect();
        let has_new = evaluated.iter().any(|(_, accuracy)| !accuracy.points(false).is_empty());
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
