//! The verbs of the command, one file each.

mod breakpoints;
mod choose;
mod completions;
mod demo;
mod field;
mod fit;
mod given;
mod kinds;
mod law;
mod measure;
mod model;
mod predict;
mod ranges;
mod replace;
mod report;
mod samples;
mod samples_verb;
mod scaling;
mod share;
mod simulate;
mod thresholds;
mod timings;
mod trace;
mod validate;

use clap::Subcommand;

use crate::context::Context;
use crate::options::MachineOptions;

/// What the command can do.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// The whole story on this machine: measure, fit, predict, validate, report
    Demo(demo::Demo),
    /// Measure a machine: raw timings into a samples file
    Measure(measure::Measure),
    /// Estimate models from samples
    Fit(fit::Fit),
    /// Predict the time of an operation
    Predict(predict::Predict),
    /// Set observed against predicted times, model by model
    Validate(validate::Validate),
    /// Write the HTML report of a model and its samples or runs
    Report(report::Report),
    /// Import or summarise samples
    Samples(samples_verb::SamplesVerb),
    /// Replay the trace of an application on a cluster whose links are shared
    Simulate(simulate::Simulate),
    /// Traces of applications: convert, profile
    Trace(trace::TraceVerb),
    /// Runs of applications: import, fit, show, advise which to make, make them
    Scaling(scaling::Scaling),
    /// What concurrent transfers do to each other: penalties of a scheme
    Share(share::Share),
    /// Where a line or a level gives way to another one in any series
    Breakpoints(breakpoints::FindBreakpoints),
    /// Choose what is best, with reasons
    Choose(choose::Choose),
    /// Check or show a model file
    Model(model::ModelVerb),
    /// Write completions for a shell
    Completions(completions::Completions),
}

impl Verb {
    /// The machine on which it measures, if it does.
    pub fn machine(&self) -> Option<&MachineOptions> {
        match self {
            Self::Demo(verb) => Some(&verb.machine),
            Self::Measure(verb) => Some(verb.machine()),
            _ => None,
        }
    }

    /// Carries it out.
    pub fn run(self, context: Context, command: &mut clap::Command) -> anyhow::Result<()> {
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
            Self::Model(verb) => verb.run(),
            Self::Completions(verb) => verb.run(command),
        }
    }
}
