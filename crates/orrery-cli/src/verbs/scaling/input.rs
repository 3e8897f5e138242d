//! What the subcommands share: options of decisions, readers of files, and warnings about models.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use orrery::file::{Fault, TORN_LINE_USED, read_bytes, read_stream};
use orrery::model::Model;
use orrery::platform::{Cluster, file as cluster_file};
use orrery::request::{RegionAtLevels, RequestError};
use orrery::run::import::ImportError;
use orrery::run::{Filter, Metric, Run, Runs, file};
use orrery::scaling::advise::{Advice, AdviceOptions, PlanLimits};
use orrery::scaling::search::SearchSpace;
use orrery::scaling::{
    Application, Forecast, MeasuredPoint, Point, Region, TermOptions, fit_terms,
};
use orrery_report::tables::varying_together_sentences;

use crate::context::{Context, warn};
use crate::verbs::search_space::{self, SearchSpaceOptions, named};
use crate::{options, refusal};

/// The criterion for a certain decision, and the configurations to choose from.
#[derive(Debug, Clone, Args)]
pub struct DecisionOptions {
    /// Stop when the choice is within --tolerance of the best with this probability
    #[arg(long, value_name = "PROBABILITY", default_value_t = 0.95, value_parser = options::level)]
    pub confidence: f64,
    /// Accept a choice that takes longer than the best by this fraction
    #[arg(long, value_name = "FRACTION", default_value_t = 0.01, value_parser = options::level)]
    pub tolerance: f64,
    /// Repeat each run N times
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub repetitions: u32,
    /// Plan a run only if it is expected to save more time in N production runs of the choice than
    /// it costs
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    pub uses: u32,
    /// Seed of the random draws for the probability
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Set another variable or a level of a category of the model, such as steps=100 or
    /// broadcast=2rM; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = named)]
    set: Vec<(String, String)>,
    #[command(flatten)]
    search_space: SearchSpaceOptions,
}

impl DecisionOptions {
    /// The options for the library.
    pub fn advice(&self) -> AdviceOptions {
        let Self { tolerance, confidence, repetitions, uses, seed, .. } = *self;
        AdviceOptions { tolerance, confidence, repetitions, uses, seed }
    }

    /// A region at the levels that are given, or else take the shortest time.
    pub fn at_levels(&self, context: Context, region: &Region) -> anyhow::Result<RegionAtLevels> {
        let known = self.search_space.request(&self.set).at_levels(region);
        let known = known.map_err(refusal::without_file)?;
        search_space::report_levels(context, &known);
        Ok(known)
    }

    /// The configurations of a cluster to choose from.
    pub fn space<'a>(
        &self,
        known: &RegionAtLevels,
        cluster: &'a Cluster,
    ) -> anyhow::Result<SearchSpace<'a>> {
        self.search_space.request(&self.set).space(known, cluster).map_err(refusal::without_file)
    }

    /// The runs to make next for a choice between the configurations of a cluster.
    pub fn advise(
        &self,
        known: &RegionAtLevels,
        cluster: &Cluster,
        limits: &PlanLimits,
    ) -> anyhow::Result<Advice> {
        let (space, region) = (self.space(known, cluster)?, &known.region);
        Ok(Advice::new(&region.model, &region.measured, &space, limits, self.advice())?)
    }
}

/// Reads a cluster file and reports its unused keys.
pub fn cluster(context: Context, path: &Path) -> anyhow::Result<Cluster> {
    let loaded = cluster_file::read(path)?;
    if let Some(line) = loaded.torn_line {
        warn(format_args!("{}:{line}: {TORN_LINE_USED}", path.display()));
    }
    for unread in &loaded.unused_keys {
        context.say(format!("{}:{}: {} is not used here", path.display(), unread.line, unread.key));
    }
    Ok(loaded.cluster)
}

/// Fits a term model to the times of the runs of a file.
pub fn fit(runs: &[Run], path: &Path) -> anyhow::Result<Region> {
    let times = Metric::choose(runs, None).map_err(|fault| metric_fault(path, fault))?;
    let runs = times.select(runs);
    let fitted = fit_terms(runs.iter().copied(), TermOptions::default())
        .with_context(|| path.display().to_string())?;
    let model = fitted.model.into();
    let measured = MeasuredPoint::of_model(runs.iter().copied(), &model);
    Ok(Region { name: String::new(), measured, model })
}

/// The output path; `None` for stdout.
pub fn not_stdout(path: Option<PathBuf>) -> Option<PathBuf> {
    path.filter(|path| path.as_os_str() != "-")
}

/// The path that means stdin.
const STDIN: &str = "-";

/// Reads a file or stdin; returns the content and the name for messages.
pub fn content(path: &Path) -> anyhow::Result<(Vec<u8>, PathBuf)> {
    if path.as_os_str() == STDIN {
        let content = read_stream(std::io::stdin().lock()).context("cannot read from stdin")?;
        return Ok((content, "stdin".into()));
    }
    let content = read_bytes(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok((content, path.to_owned()))
}

/// Reads the runs of a runs file that meet all conditions.
pub fn runs(path: &Path, conditions: &[Filter]) -> anyhow::Result<Runs> {
    let mut runs = if path.as_os_str() == STDIN {
        let (content, name) = content(path)?;
        file::parse(content, name)?
    } else {
        file::read(path)?
    };
    runs.runs = filtered(runs.runs, conditions)?;
    Ok(runs)
}

/// The runs that meet all conditions.
pub fn filtered(runs: Vec<Run>, conditions: &[Filter]) -> anyhow::Result<Vec<Run>> {
    Ok(conditions.iter().try_fold(runs, |runs, filter| filter.apply(runs))?)
}

/// The application model of a model file.
pub fn application<'a>(model: &'a Model, path: &Path) -> anyhow::Result<&'a Application> {
    let application = model.application.as_ref();
    application.ok_or_else(|| refusal::failure(RequestError::NoApplication, path))
}

/// The refusal of a metric of the runs of a file.
pub fn metric_fault(path: &Path, fault: Fault) -> anyhow::Error {
    anyhow::Error::from(ImportError::Metric(fault)).context(path.display().to_string())
}

/// Warns if the runs do not determine a time, and names a run that would help.
pub fn warn_of_forecasts<'a>(
    region: &Region,
    forecasts: impl Iterator<Item = (&'a Point, &'a Forecast)> + Clone,
    level: f64,
) {
    let all = forecasts.clone().count();
    let worthless = forecasts.filter(|(_, forecast)| forecast.is_worthless());
    let count = worthless.clone().count();
    if let Some((point, _)) = worthless.max_by(|(_, a), (_, b)| a.ratio().total_cmp(&b.ratio())) {
        let which = if all == 1 { String::new() } else { format!(" {count} of {all} times") };
        warn(format!(
            "cannot predict{which}: the runs do not determine {point}{}",
            help(region, point, level)
        ));
    }
}

/// Warns of variables that vary together in all runs of some region, once of each pair.
pub fn warn_of_varying_together<'a>(regions: impl IntoIterator<Item = &'a Region>) {
    varying_together_sentences(regions).into_iter().for_each(warn);
}

/// Warns if the runs do not even determine a time between them.
pub fn warn_of_model(region: &Region, level: f64) {
    let Some(middle) = region.measured.get(region.measured.len() / 2) else { return };
    let Ok(forecast) = region.forecast(&middle.point, level) else { return };
    if forecast.is_worthless() {
        let head =
            if region.name.is_empty() { String::new() } else { format!("{}: ", region.name) };
        warn(format!(
            "{head}the model cannot predict: even at {}, which was measured, its interval spans {}; \
                repeat runs \
             to see how far they vary{}",
            middle.point,
            factor_text(forecast.ratio()),
            help(region, &middle.point, level)
        ));
    }
}

/// The ratio of the ends of an interval in words.
fn factor_text(ratio: f64) -> String {
    if ratio < 1e6 {
        format!("a factor of {ratio:.0}")
    } else {
        "a factor of more than a million".to_owned()
    }
}

/// A run that would improve a forecast, in words behind a semicolon; empty if none is known.
fn help(region: &Region, point: &Point, level: f64) -> String {
    region
        .helpful_run(point, level)
        .map_or_else(String::new, |run| format!("; a run at {run} would help"))
}
