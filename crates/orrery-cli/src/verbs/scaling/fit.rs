//! `orrery scaling fit`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use orrery::file::FileKind;
use orrery::model::{Model, file};
use orrery::run::hpl::{self, labels_text};
use orrery::run::{Filter, Metric, Run};
use orrery::scaling::paper::fit_paper;
use orrery::scaling::{
    Application, BoundedKind, Effect, ExecutionTimeModel, FitError, FittedTerms, LackOfFit,
    LawChange, MeasuredPoint, Point, Region, RegionNoise, TermFamily, TermOptions, fit_terms,
    lack_of_fit,
};
use orrery_report::tables::lack_of_fit_sentences;

use super::input;
use super::paper::{self, PaperArguments};
use crate::context::{Context, Usage, provenance, warn};
use crate::verbs::output_file;
use crate::{applies, options};

/// Arguments of `orrery scaling fit`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  orrery scaling fit runs.json -o app.json
  orrery scaling fit runs.json -o app.json --terms hpl --where 'n>=1600'")]
pub struct Fit {
    /// Runs file; - reads stdin
    #[arg(value_name = "RUNS")]
    runs: PathBuf,
    /// Write the model to this file
    #[arg(short, long, value_name = "MODEL")]
    output: PathBuf,
    /// Replace an existing file
    #[arg(long)]
    force: bool,
    /// Select the runs that meet these conditions, such as mode=Reality,n<=200000 [default: all]
    #[arg(long = "where", value_name = "CONDITIONS")]
    conditions: Vec<Filter>,
    /// Metric of the runs, such as visits [default: the time]
    #[arg(long, value_name = "NAME")]
    metric: Option<String>,
    /// Kind of model
    #[arg(long, value_enum, default_value_t)]
    method: Method,
    /// Family of terms [default: auto]
    #[arg(long, value_enum)]
    terms: Option<Terms>,
    /// Confidence level of the intervals of coefficients [default: 0.95]
    #[arg(long, value_name = "LEVEL", value_parser = options::level)]
    level: Option<f64>,
    #[command(flatten)]
    paper: PaperArguments,
}

/// The kinds of execution-time models.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum Method {
    /// One sum of terms for all configurations, with intervals
    #[default]
    Terms,
    /// The N-T and P-T models of Kishimoto and Ichikawa (2004), without intervals
    Paper,
}

/// The keyword of a [`TermFamily`].
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum Terms {
    /// The most probable family
    #[default]
    Auto,
    /// High-Performance Linpack on a process grid
    Hpl,
    /// ScaLAPACK factorizations of dense matrices on square grids
    Scalapack,
    /// Squares of n×n cells in equal parts, which exchange edges
    #[value(name = "domain-2d")]
    Domain2,
    /// Cubes of n×n×n cells in equal parts, which exchange faces
    #[value(name = "domain-3d")]
    Domain3,
    /// Times that fall as one number grows, such as that of nodes
    Strong,
    /// Products of x^i·log2(x)^j
    General,
}

impl Terms {
    /// The family of terms; `None` to compare all families.
    fn family(self) -> Option<TermFamily> {
        match self {
            Self::Auto => None,
            Self::Hpl => Some(TermFamily::Hpl),
            Self::Scalapack => Some(TermFamily::Scalapack),
            Self::Domain2 => Some(TermFamily::Domain2),
            Self::Domain3 => Some(TermFamily::Domain3),
            Self::Strong => Some(TermFamily::Strong),
            Self::General => Some(TermFamily::General),
        }
    }
}

/// The confidence level of intervals if none is given.
const DEFAULT_LEVEL: f64 = 0.95;

impl Fit {
    /// Fits a model to each region of the runs and writes it.
    pub fn run(self, context: Context) -> anyhow::Result<()> {
        self.check()?;
        output_file::check(&self.output, self.force, FileKind::Model)?;
        let runs = input::runs(&self.runs, &self.conditions)?;
        let place = || self.runs.display().to_string();
        if runs.runs.is_empty() {
            return Err(FitError::NoRuns).with_context(place);
        }
        let metric = Metric::choose(&runs.runs, self.metric.as_deref());
        let metric = metric.map_err(|fault| input::metric_fault(&self.runs, fault))?;
        report_metrics(context, &metric, &runs.runs);
        let (mut regions, mut lacks) = (Vec::new(), Vec::new());
        let by_region = by_region(metric.select(&runs.runs));
        let noise = RegionNoise::of_regions(by_region.iter().map(|(_, runs)| runs.as_slice()));
        for (name, runs) in by_region {
            let place =
                || if name.is_empty() { place() } else { format!("{}: region {name:?}", place()) };
            let times = self.times(context, name, (&metric, noise), &runs).with_context(place)?;
            // The accuracy of a model is that at the runs of its law.
            let applies = |run: &&Run| match times.as_terms().and_then(|of| of.law_change.as_ref())
            {
                Some(change) => change.applies_to(&Point::of(run)),
                None => true,
            };
            let runs: Vec<&Run> = runs.into_iter().filter(applies).collect();
            let measured = MeasuredPoint::of_model(runs.iter().copied(), &times);
            let region = Region { name: name.to_owned(), model: times, measured };
            warn_of_variants(&region);
            input::warn_of_model(&region, self.level.unwrap_or(DEFAULT_LEVEL));
            let (mean, runs) = region.model.at_mean_levels(runs);
            if let Some(lack) = lack_of_fit(&runs, |point| mean.estimate(point)) {
                lacks.push((region.name.clone(), lack));
            }
            regions.push(region);
        }
        input::warn_of_varying_together(&regions);
        warn_of_lack_of_fit(&lacks);
        let provenance = provenance(&runs.provenance);
        let model = Model {
            provenance,
            application: Some(Application { metric, regions }),
            ..Model::default()
        };
        file::write(&self.output, &model)?;
        context.say(format!("wrote {}", self.output.display()));
        Ok(())
    }
}

impl Fit {
    /// Rejects options of the other method.
    fn check(&self) -> Result<(), Usage> {
        match self.method {
            Method::Terms => applies::refuse(&paper::OPTIONS, "--method terms"),
            Method::Paper => applies::refuse(&["--terms", "--level"], "--method paper"),
        }
    }

    /// Fits the runs of a region and reports the result.
    fn times(
        &self,
        context: Context,
        name: &str,
        (metric, noise): (&Metric, Option<RegionNoise>),
        runs: &[&Run],
    ) -> Result<ExecutionTimeModel, FitError> {
        let head = if name.is_empty() { String::new() } else { format!("{name}: ") };
        match self.method {
            Method::Terms => {
                let family = self.terms.unwrap_or_default().family();
                let level = self.level.unwrap_or(DEFAULT_LEVEL);
                let options = TermOptions { family, level, noise };
                let fitted = fit_terms(runs.iter().copied(), options)?;
                report(context, &head, metric, &fitted);
                warn_of_outliers(&head, &fitted.outlying_runs, runs);
                Ok(fitted.model.into())
            }
            Method::Paper => {
                let model = fit_paper(runs.iter().copied(), &self.paper.options())?;
                paper::report(context, &head, &model);
                Ok(model.into())
            }
        }
    }
}

/// Warns of models that do not describe their runs; of many regions, of those with the largest
/// errors.
fn warn_of_lack_of_fit(lacks: &[(String, LackOfFit)]) {
    let mut largest: Vec<&(String, LackOfFit)> = lacks.iter().collect();
    largest.sort_by(|a, b| b.1.typical_error.total_cmp(&a.1.typical_error));
    for (name, lack) in largest.iter().take(MAX_NAMED_REGIONS) {
        let head = if name.is_empty() { String::new() } else { format!("{name}: ") };
        lack_of_fit_sentences(lack)
            .into_iter()
            .for_each(|sentence| warn(format!("{head}{sentence}")));
    }
    if lacks.len() > MAX_NAMED_REGIONS {
        let more = lacks.len() - MAX_NAMED_REGIONS;
        warn(format!(
            "lack of fit of {more} more regions; orrery validate with --format json lists all"
        ));
    }
}

/// Warns of runs that differ from the others of their point.
fn warn_of_outliers(head: &str, outlying: &[usize], runs: &[&Run]) {
    let Some(first) = outlying.first().map(|&place| runs[place]) else { return };
    let origin =
        if first.origin.is_empty() { String::new() } else { format!(" ({})", first.origin) };
    warn(format!(
        "{head}{} of {} runs differ from the others of their point by more than four standard \
            deviations and are left out of the fit, such as {} at {}{origin}; repeat them",
        outlying.len(),
        runs.len(),
        first.seconds,
        Point::of(first)
    ));
}

/// The largest number of regions whose lack of fit is described.
const MAX_NAMED_REGIONS: usize = 5;

/// Warns if runs of several variants of the program are pooled.
fn warn_of_variants(region: &Region) {
    let categories =
        region.model.as_terms().map(|terms| terms.effects.categories()).unwrap_or_default();
    let others = |labels: &BTreeMap<String, String>| {
        if categories.is_empty() {
            return labels.clone();
        }
        let mut labels = hpl::parameters(labels);
        labels.retain(|name, _| !categories.contains(&name.as_str()));
        labels
    };
    let variants: BTreeSet<BTreeMap<String, String>> =
        region.variants().into_iter().map(others).collect();
    if variants.len() > 1 {
        let head =
            if region.name.is_empty() { String::new() } else { format!("{}: ", region.name) };
        let named: Vec<String> =
            variants.iter().take(MAX_NAMED_VARIANTS).map(labels_text).collect();
        let more = variants.len().saturating_sub(MAX_NAMED_VARIANTS);
        let more = if more > 0 { format!("; and {more} more") } else { String::new() };
        warn(format!(
            "{head}the runs are of {} variants, which the model does not distinguish: {}{more}; \
                select one with --where, \
             such as variant=WR11C2R4",
            variants.len(),
            named.join("; ")
        ));
    }
}

/// The largest number of variants in a message.
const MAX_NAMED_VARIANTS: usize = 3;

/// Names the metrics of the runs that are not fitted.
fn report_metrics(context: Context, metric: &Metric, runs: &[Run]) {
    let others = Metric::names(runs).into_iter().filter(|name| *name != metric.name());
    let others: Vec<&str> = others.collect();
    if !others.is_empty() {
        context.say(format!(
            "fits the metric {}; --metric fits another: {}",
            metric.name(),
            others.join(", ")
        ));
    }
}

/// The runs by region, in the order of the first run of each.
fn by_region(runs: Vec<&Run>) -> Vec<(&str, Vec<&Run>)> {
    let mut indices: BTreeMap<&str, usize> = BTreeMap::new();
    let mut regions: Vec<(&str, Vec<&Run>)> = Vec::new();
    for run in runs {
        let index = *indices.entry(&run.region).or_insert(regions.len());
        if index == regions.len() {
            regions.push((&run.region, Vec::new()));
        }
        regions[index].1.push(run);
    }
    regions
}

/// An effect with the range of its factors: `broadcast (0.961 to 1.042)`.
fn effect_text(effect: &Effect) -> String {
    let factors = effect.levels.iter().map(|level| level.factor);
    let (least, most) =
        factors.fold((f64::INFINITY, 0.0_f64), |(low, high), f| (low.min(f), high.max(f)));
    format!("{} ({least:.3} to {most:.3})", effect.categories.join(" × "))
}

/// Reports the formula, the numbers of runs and points, and the probabilities of the families.
fn report(context: Context, head: &str, metric: &Metric, fitted: &FittedTerms) {
    let model = &fitted.model;
    let formula: Vec<String> = model
        .coefficients
        .iter()
        .map(|c| {
            let of = c.kind.as_ref().map(|kind| format!(" [{kind}]")).unwrap_or_default();
            format!("{:.4e}·{}{of}", c.estimate.value, c.term).replace("·1", "")
        })
        .collect();
    context.say(format!("{head}{} = {}", metric.unit(), formula.join(" + ")));
    context.say(format!(
        "{head}{} runs of {} points, family {}",
        model.runs,
        model.points,
        model.family.name()
    ));
    if !model.effects.is_empty() {
        let each: Vec<String> = model.effects.effects.iter().map(effect_text).collect();
        context.say(format!("{head}times are multiplied by the effects of {}", each.join(", ")));
    }
    if !model.alternatives.is_empty() {
        let percent = 100.0 * model.probability();
        context.say(format!(
            "{head}these terms have a probability of {percent:.0} %; intervals include {} other \
                plausible sums of terms",
            model.alternatives.len()
        ));
    }
    if let Some(LawChange { variable, below, from }) = &model.law_change {
        warn(format!(
            "{head}the law of the time changes between {variable} = {below} and {from}: the model is \
                that from {from} on; fit the others with --where '{variable}<={below}'"
        ));
    }
    for BoundedKind { kind, .. } in &model.bounded_kinds {
        warn(format!(
            "{head}{kind} is never the slowest kind of its runs: they do not show how fast it is, and \
                choices with it are refused; measure it alone, as {kind}=1x1"
        ));
    }
    for (family, error) in &fitted.skipped_families {
        context.say(format!("{head}family {} was not fitted: {error}", family.name()));
    }
    if !fitted.unused_variables.is_empty() {
        let names = fitted.unused_variables.join(", ");
        warn(format!(
            "{head}{names} varies in the runs but is in no term: forecasts do not depend on it"
        ));
    }
    if fitted.families.len() > 1 {
        let each = fitted
            .families
            .iter()
            .map(|(family, p)| format!("{} {:.0} %", family.name(), p * 100.0));
        context.say(format!(
            "{head}probability of each family: {}",
            each.collect::<Vec<_>>().join(", ")
        ));
    }
}
