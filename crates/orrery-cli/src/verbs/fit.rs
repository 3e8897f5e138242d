use std::collections::BTreeSet;
use std::path::PathBuf;

use anyhow::{Context as _, bail};
use clap::Args;
use orrery::comm::Ports;
use orrery::comm::hockney::HockneyEstimator;
use orrery::comm::lmo::LmoEstimator;
use orrery::comm::thresholds::{EscalationRule, SlopeForm, ThresholdOptions};
use orrery::file::FileKind;
use orrery::model::{
    CollectiveAlgorithm, FitDiagnostics, FitOptions, FittedKernels, Misfit, Model, ModelKind, file,
    fit_kernels, fit_sharing,
};
use orrery::numeric::breakpoints::Shape;
use orrery::platform::Processor;
use orrery::request::{Fitted, fit_samples};
use orrery::sample::Samples;
use orrery::sharing::LawKind;
use orrery::units::{Bytes, SizeList};
use orrery_report::tables::fit_diagnostics;

use super::fit_links;
use super::kernels;
use super::kinds::{self, Kinds};
use super::law::law_parser;
use super::other_hosts::OtherHosts;
use super::output_file;
use super::switches::Switches;
use super::{given, other_hosts, ranges, samples, timings};
use crate::context::{Context, warn};
use crate::options::{self, described};
use crate::output::{self, Format, counted};
use crate::{applies, hints, refusal};

/// Arguments of `orrery fit`.
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  orrery fit comm.csv overheads.csv -o model.json
  orrery fit timings.csv --into model.json -o model.json --sharing gige")]
pub struct Fit {
    /// Samples files of the same machine, timings files of schemes, or files with times of kernels
    #[arg(required = true, value_name = "SAMPLES|TIMINGS")]
    samples: Vec<PathBuf>,
    /// Write the model to this file
    #[arg(short, long, value_name = "MODEL")]
    output: PathBuf,
    /// Replace an existing file
    #[arg(long)]
    force: bool,
    #[arg(long, value_name = "LIST", default_value = "all", help = kinds::fit_help())]
    models: Kinds,
    /// Estimator of LMO and LOM
    #[arg(long, value_parser = described::<LmoEstimator>(), default_value_t)]
    estimator: LmoEstimator,
    /// Estimator of Hockney
    #[arg(long, value_parser = described::<HockneyEstimator>(), value_name = "WAY", default_value_t)]
    hockney: HockneyEstimator,
    /// Confidence level of the intervals of parameters
    #[arg(long, value_name = "LEVEL", default_value_t = 0.95, value_parser = options::level)]
    level: f64,
    /// Fit to the collective operations and exchanges in the samples too (estimator paths)
    #[arg(long)]
    with_collectives: bool,
    /// Leave out the errors of models in the collective operations among the samples, by which
    /// predictions are corrected
    #[arg(long)]
    no_corrections: bool,
    /// Fit LogP, LogGP and PLogP to this pair of processors instead of the means over all pairs:
    /// 0-3
    #[arg(long, value_name = "I-J", value_parser = pair)]
    pair: Option<(Processor, Processor)>,
    /// Fit these sharing laws, separated by commas, to timings [default: all that the timings
    /// identify]
    #[arg(long, value_name = "LIST", value_parser = law_parser(LawKind::calibrated()), value_delimiter = ',')]
    sharing: Vec<&'static LawKind>,
    /// Add the sharing laws or kernels to the models of this file; -o may name the same file
    #[arg(long, value_name = "MODEL")]
    into: Option<PathBuf>,
    /// Fit to messages of these sizes only: 0..64K, 16K..1M; empty messages are used if the range
    /// begins at 0
    #[arg(long, value_name = "FROM..TO", value_parser = ranges::sizes)]
    sizes: Option<(Bytes, Bytes)>,
    /// Leave collective operations with blocks of these sizes out of all parts of the fit, so that
    /// validate can test its predictions: 4K, 1K..64K or a list with commas. Calls of an MPI
    /// library are left out, too; point-to-point experiments are not
    #[arg(long, value_name = "SIZES")]
    hold_out: Option<SizeList>,
    /// Test the switches in this topology.conf of Slurm as groups of hosts that share links
    #[arg(long, value_name = "TOPOLOGY.CONF")]
    topology: Option<PathBuf>,
    /// Fit to files of different hosts, or of the same hosts in another order
    #[arg(long)]
    mixed_hosts: bool,
    /// Output format of the residuals; json adds the residuals by size and the findings
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    #[command(flatten)]
    thresholds: ThresholdArguments,
}

/// The options for the estimation of thresholds.
#[derive(Debug, Clone, Copy, Args)]
#[command(next_help_heading = "Thresholds")]
struct ThresholdArguments {
    /// Estimate no thresholds of linear scatter and gather
    #[arg(long)]
    no_thresholds: bool,
    /// Times that are subtracted from the slopes of gathers to obtain their corrections
    #[arg(long, value_parser = described::<SlopeForm>(), value_name = "FORM", default_value_t)]
    slopes: SlopeForm,
    /// Regression that finds the size at which gathers become serial
    #[arg(long, value_parser = described::<Shape>(), value_name = "SHAPE", default_value_t)]
    gather_large: Shape,
    /// Rule for the size at which gathers start to escalate
    #[arg(long, value_parser = described::<EscalationRule>(), value_name = "RULE", default_value_t)]
    gather_small: EscalationRule,
}

impl ThresholdArguments {
    /// Returns the options for estimating the size thresholds of linear scatter and gather; `None`
    /// with `--no-thresholds`.
    fn options(self, level: f64) -> Option<ThresholdOptions> {
        let Self { no_thresholds, slopes, gather_large: large, gather_small: small } = self;
        (!no_thresholds).then_some(ThresholdOptions { slopes, large, small, level })
    }
}

/// Parses a pair of different processors, such as `0-3`.
fn pair(text: &str) -> Result<(Processor, Processor), String> {
    let numbers = text.split_once('-').and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
    match numbers {
        Some((a, b)) if a != b => Ok((Processor(a), Processor(b))),
        _ => Err("write two different processors, such as 0-3".into()),
    }
}

/// The options that apply to samples only.
const OF_SAMPLES: [&str; 14] = [
    "--models",
    "--estimator",
    "--hockney",
    "--with-collectives",
    "--hold-out",
    "--no-corrections",
    "--pair",
    "--sizes",
    "--topology",
    "--no-thresholds",
    "--slopes",
    "--gather-large",
    "--gather-small",
    "--format",
];

impl Fit {
    /// Fits models to samples, or sharing laws to timings.
    pub fn run(self, context: Context) -> anyhow::Result<()> {
        // A file that the laws are added to may be replaced.
        if self.into.as_ref().is_some_and(|source| applies::is_same_file(source, &self.output)) {
            output_file::check_kind(&self.output, FileKind::Model)?;
        } else {
            output_file::check(&self.output, self.force, FileKind::Model)?;
        }
        match given::kind_of_all(&self.samples)? {
            Some(FileKind::Timings) => return self.laws(context),
            Some(FileKind::Kernels) => return self.kernels(context),
            _ => {}
        }
        applies::refuse(&["--sharing", "--into"], "samples")?;
        let samples = samples::read_with(context, &self.samples, self.other_hosts())?;
        samples.provenance.shared_cores().iter().for_each(warn);
        let hosts = samples.provenance.hosts();
        let switches =
            self.topology.as_deref().map(|path| Switches::read(path, &hosts)).transpose()?;
        let options = FitOptions {
            kinds: self.models.named().map(<[_]>::to_vec),
            estimator: self.estimator,
            hockney: self.hockney,
            level: self.level,
            collectives: self.with_collectives,
            thresholds: self.thresholds.options(self.level),
            pair: self.pair,
            sizes: self.sizes,
            groups: switches.iter().flat_map(|switches| switches.groups.clone()).collect(),
            corrections: !self.no_corrections,
            held_out: self.hold_out.clone().unwrap_or_default(),
        };
        let fitted = fitted(context, &self.samples, &samples, &options)?;
        let outcome = &fitted.outcome;
        match (&switches, &outcome.shared_links) {
            (Some(switches), Some(found)) => switches.report(context, found, &outcome.model.hosts),
            (Some(_), None) => warn(
                "--topology changed nothing: the switches are tested by exchanges of orrery \
                    measure comm and by the model ports, \
                 and one of them is missing",
            ),
            (None, _) => {}
        }
        if let Some(all) = &fitted.all_hosts {
            report_all_hosts(context, &outcome.model, all);
        }
        file::write(&self.output, fitted.all_hosts.as_ref().unwrap_or(&outcome.model))?;
        context.say(format!("wrote {}", self.output.display()));
        warn_of_no_effect(&fitted);
        let diagnostics = fitted.diagnostics.with_context(|| applies::names(&self.samples))?;
        report_findings(&diagnostics);
        let [residuals, by_size, findings] = fit_diagnostics(&diagnostics, &outcome.failed);
        match self.format {
            Format::Json => output::print_all(&[residuals, by_size, findings], Format::Json),
            Format::Table if context.quiet || residuals.rows().is_empty() => Ok(()),
            format => output::print(&residuals, format),
        }
    }

    /// The response to files of different hosts.
    fn other_hosts(&self) -> OtherHosts {
        if self.mixed_hosts { OtherHosts::Warn } else { OtherHosts::Refuse }
    }

    /// Fits the times of kernels.
    fn kernels(&self, context: Context) -> anyhow::Result<()> {
        applies::refuse(&OF_SAMPLES, "times of kernels")?;
        applies::refuse(&["--sharing", "--mixed-hosts"], "times of kernels")?;
        let timings = timings::read_kernels(&self.samples)?;
        let FittedKernels { models, failed, host_memory } =
            fit_kernels(&timings, self.level).with_context(|| applies::names(&self.samples))?;
        kernels::warn_of(&models, &failed);
        for one in &models {
            let pieces = counted(one.model.pieces.len() as u64, "piece");
            let deviation = 100.0 * one.model.deviation();
            context.say(format!(
                "{}: {pieces}, readings {deviation:.1} % from the model",
                kernels::name(one)
            ));
        }
        let mut model = match &self.into {
            Some(path) => samples::model(path)?,
            None => Model { provenance: timings.provenance, ..Model::default() },
        };
        let count = models.len() as u64;
        model.add_kernels(models);
        model.host_memory.extend(host_memory);
        file::write(&self.output, &model)?;
        context.say(format!("fitted {}", counted(count, "kernel")));
        context.say(format!("wrote {}", self.output.display()));
        Ok(())
    }

    /// Fits sharing laws to timings.
    fn laws(&self, context: Context) -> anyhow::Result<()> {
        applies::refuse(&OF_SAMPLES, "timings of schemes")?;
        let timings = timings::read_with(&self.samples, self.other_hosts())?;
        let all: Vec<_> = LawKind::calibrated().collect();
        let requested = if self.sharing.is_empty() { &all } else { &self.sharing };
        let fit = fit_sharing(&timings, requested, self.level)
            .with_context(|| applies::names(&self.samples))?;
        timings::report_delayed(context, &fit.delayed);
        for (law, why) in &fit.skipped {
            if !self.sharing.is_empty() {
                bail!("{}: {law} was not fitted: {why}", applies::names(&self.samples));
            }
            context.say(format!("{law} was not fitted: {why}"));
        }
        let mut model = match &self.into {
            Some(path) => {
                let model = samples::model(path)?;
                other_hosts::warn_of(
                    path,
                    &self.samples,
                    model.network_difference(&timings.provenance),
                );
                model
            }
            None => Model { provenance: timings.provenance, ..Model::default() },
        };
        let names: Vec<_> = fit.laws.iter().map(|law| law.kind().name).collect();
        model.sharing.extend(fit.laws.clone());
        file::write(&self.output, &model)?;
        context.say(format!("fitted {} to {} slowdowns", names.join(", "), fit.slowdowns));
        context.say(format!("wrote {}", self.output.display()));
        Ok(())
    }
}

/// Prints parameters at their bounds and suspected causes of misfit as warnings, each once with its
/// models.
fn report_findings(diagnostics: &[FitDiagnostics]) {
    let mut findings: Vec<(String, Vec<&str>)> = Vec::new();
    for one in diagnostics {
        let bounds = one.at_bounds.iter().map(ToString::to_string);
        // Ranks that share cores were reported when the samples were read.
        let misfits = one.misfits.iter().filter(|misfit| !matches!(misfit, Misfit::SharedCores(_)));
        for words in bounds.chain(misfits.map(with_options)) {
            match findings.iter_mut().find(|(known, _)| *known == words) {
                Some((_, kinds)) => kinds.push(one.kind.name()),
                None => findings.push((words, vec![one.kind.name()])),
            }
        }
    }
    for (words, kinds) in findings {
        warn(format!("{}: {words}", kinds.join(", ")));
    }
}

/// A cause of misfit with the options that remedy it.
fn with_options(misfit: &Misfit) -> String {
    match misfit {
        Misfit::ProtocolChange { last, first } => {
            format!("{misfit}: --sizes 0..{last}, --sizes {first}..1G")
        }
        Misfit::FallingTimes { .. } => format!("{misfit}: --sizes FROM..TO"),
        Misfit::SharedLink { .. } => {
            format!("{misfit} with orrery measure scheme and orrery fit --sharing")
        }
        _ => misfit.to_string(),
    }
}

/// Warns of options and experiments that changed nothing.
fn warn_of_no_effect(fitted: &Fitted) {
    for field in &fitted.unused_fields {
        warn(match *field {
            "collectives" => {
                "--with-collectives changed nothing: the samples contain no collective operation \
                    and no exchange; measure some with orrery measure collectives"
            }
            "held_out" => {
                "--hold-out changed nothing: the samples contain no collective operation of these \
                    sizes"
            }
            _ => {
                "--pair changed nothing: it applies to LogP, LogGP and PLogP, which were not \
                    fitted; see orrery measure overheads"
            }
        });
    }
    for name in &fitted.unused_experiments {
        warn(format!(
            "{name}: these experiments changed nothing, because no fitted model uses them; see \
                --models"
        ));
    }
}

/// Fits models to samples and reports how the fit ended; `files` are named in messages.
pub fn fitted(
    context: Context,
    files: &[PathBuf],
    samples: &Samples,
    options: &FitOptions,
) -> anyhow::Result<Fitted> {
    if samples.count() == 0 {
        bail!("{}: there are no readings; measure some with orrery measure", applies::names(files));
    }
    let all = fit_samples(options, samples)
        .map_err(|error| refusal::failure_at(error, applies::names(files)))?;
    let fitted = &all.outcome;
    for (kind, error) in &fitted.skipped {
        let hint = hints::for_fit(error).map(|hint| format!("; {hint}")).unwrap_or_default();
        context.say(format!("no {kind}: {error}{hint}"));
    }
    for (kind, error) in &fitted.mixed_links {
        warn(format_args!(
            "{kind}: links within a host and across hosts are fitted together: {error}"
        ));
    }
    fitted.failed.iter().for_each(warn);
    for (kind, termination) in &fitted.terminations {
        context.say(format!("{kind}: {termination}"));
    }
    fit_links::report(context, fitted);
    if !fitted.spread && fitted.observations > 0 {
        context.say(
            "no repeated readings: intervals are estimated from the residuals of the fit, and \
                absent where there are none",
        );
    }
    let words: Vec<_> = fitted.model.kinds().iter().map(|kind: &ModelKind| kind.name()).collect();
    if !words.is_empty() {
        context.say(format!(
            "fitted {} to {} experiments of {} processors",
            words.join(", "),
            fitted.observations,
            fitted.model.processors()
        ));
    }
    let measured = fitted.model.discrepancies.values().flat_map(|all| &all.collectives);
    let measured: BTreeSet<CollectiveAlgorithm> = measured.map(|one| one.algorithm).collect();
    let count = counted(measured.len() as u64, "algorithm");
    if !measured.is_empty() {
        context.say(format!(
            "predictions contain the measured errors of {count}; those of other collective \
                operations start from what was seen on other clusters; see orrery model show"
        ));
    } else if !words.is_empty() {
        context.say(
            "no collective operations in the fit: the intervals of their times come from errors \
                on other clusters",
        );
    }
    for of in &fitted.model.thresholds {
        let (operation, root, procs) = (of.operation, of.root, of.procs);
        context.say(format!(
            "found thresholds of the linear {operation} of {procs} processors, root {root}"
        ));
    }
    Ok(all)
}

/// Reports the hosts that were not measured.
fn report_all_hosts(context: Context, measured: &Model, all: &Model) {
    context.say(format!(
        "{} of {} hosts were measured; the others take the means of their classes, without \
            intervals where only one host or link of a class was measured",
        measured.processors(),
        all.processors()
    ));
    if measured.get(ModelKind::Ports).is_some_and(|ports: Ports| !ports.uplinks.is_empty()) {
        warn(
            "links that groups of hosts share are known of the measured hosts only, and are \
                left out",
        );
    }
}
