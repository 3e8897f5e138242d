//! The verbs of the command, one file each.

mod algorithms;
mod breakpoints;
mod choose;
pub mod conditions;
mod demo;
mod fit;
mod fit_links;
mod given;
mod kernels;
mod kinds;
mod law;
mod load;
pub mod man;
mod measure;
mod model;
mod model_export;
mod monitor;
mod other_hosts;
pub mod output_file;
mod per_host;
mod predict;
mod ranges;
mod report;
mod samples;
mod samples_verb;
mod scaling;
mod search_space;
mod share;
mod simulate;
mod supervise;
mod switches;
mod timings;
mod trace;
mod tune;
mod validate;
mod whole_numbers;

use clap::Subcommand;

pub use self::measure::KernelArguments;
#[cfg(feature = "mpi")]
pub use self::measure::serve_kernels;
pub use self::predict::is_subject;

use crate::context::Context;
use crate::job::Ranks;

/// The verbs of the command line.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Measure, fit, predict, validate and report on this machine
    Demo(demo::Demo),
    /// Measure a machine and write raw timings to a samples file
    Measure(measure::Measure),
    /// Fit models to samples
    Fit(fit::Fit),
    /// Predict the time of an operation or an application
    Predict(Box<predict::Predict>),
    /// Compare measured and predicted times, model by model
    Validate(validate::Validate),
    /// Write an HTML report of a model and its samples or runs
    Report(report::Report),
    /// Import, summarise or merge samples; advise further ones
    #[command(subcommand)]
    Samples(samples_verb::SamplesVerb),
    /// Replay traces of MPI programs on a cluster with shared links
    Simulate(simulate::Simulate),
    /// Record the calls of MPI programs; convert and profile traces
    #[command(subcommand)]
    Trace(trace::TraceVerb),
    /// Model execution times of applications: import, run, fit, advise
    #[command(subcommand)]
    Scaling(scaling::Scaling),
    /// Predict the slowdown of concurrent transfers
    Share(share::Share),
    /// Find breakpoints in a series: where a line or a level changes
    Breakpoints(breakpoints::FindBreakpoints),
    /// Choose the best algorithm, configuration or network
    #[command(subcommand)]
    Choose(choose::Choose),
    /// Write rules for MPI libraries
    Tune(tune::Tune),
    /// Measure hosts and links on a schedule, forecast measured series, and serve forecasts
    Monitor(monitor::Monitor),
    /// Check, show, export or compare model files
    #[command(subcommand)]
    Model(model::ModelVerb),
    /// Generate completions for a shell
    Completions(man::Completions),
    /// Show the manual page of a verb, or write all pages
    #[command(name = "man")]
    Manual(man::Manual),
    /// Run a command until it ends or stdin is closed
    #[command(hide = true)]
    Supervise(supervise::Supervise),
}

impl Verb {
    /// What the verb does with the ranks of an MPI job.
    pub fn ranks(&self) -> Ranks<'_> {
        match self {
            Self::Demo(verb) => Ranks::Machine(&verb.machine),
            Self::Measure(verb) => verb.ranks(),
            _ => Ranks::First,
        }
    }

    /// Runs the verb.
    pub fn run(self, context: Context) -> anyhow::Result<()> {
        match self {
            Self::Demo(verb) => verb.run(context),
            Self::Measure(verb) => verb.run(context),
            Self::Fit(verb) => verb.run(context),
            Self::Predict(verb) => verb.run(),
            Self::Validate(verb) => verb.run(context),
            Self::Report(verb) => verb.run(context),
            Self::Samples(verb) => verb.run(context),
            Self::Simulate(verb) => verb.run(context),
            Self::Trace(verb) => verb.run(context),
            Self::Scaling(verb) => verb.run(context),
            Self::Share(verb) => verb.run(context),
            Self::Breakpoints(verb) => verb.run(context),
            Self::Choose(verb) => verb.run(context),
            Self::Tune(verb) => verb.run(context),
            Self::Monitor(verb) => verb.run(context),
            Self::Model(verb) => verb.run(context),
            Self::Completions(verb) => verb.run(),
            Self::Manual(verb) => verb.run(),
            Self::Supervise(verb) => verb.run(),
        }
    }
}
