//! The options of decisions, shared by `scaling advise` and `scaling run`.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use orrery::file::TORN_LINE_USED;
use orrery::platform::{Cluster, file as cluster_file};
use orrery::request::RegionAtLevels;
use orrery::run::Run;
use orrery::scaling::advise::{AdviceOptions, Advisor};
use orrery::scaling::search::SearchSpace;
use orrery::scaling::{MeasuredPoint, Region, TermOptions, fit_terms};

use crate::context::{Context, warn};
use crate::options;
use crate::refusal;
use crate::verbs::levels::{self, named};
use crate::verbs::search_space::SearchSpaceOptions;

/// The criterion for a certain decision, and the configurations to choose from.
#[derive(Debug, Clone, Args)]
pub struct DecisionOptions {
    /// Stop when the choice is within --tolerance of the best with this probability
    #[arg(long, alias = "certain", value_name = "PROBABILITY", default_value_t = 0.95, value_parser = options::level)]
    pub confidence: f64,
    /// Accept a choice that takes longer than the best by this fraction
    #[arg(long, alias = "within", value_name = "FRACTION", default_value_t = 0.01, value_parser = options::level)]
    pub tolerance: f64,
    /// Repeat each run N times
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub repetitions: u32,
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
        let Self { tolerance, confidence, repetitions, seed, .. } = *self;
        AdviceOptions { tolerance, confidence, repetitions, seed }
    }

    /// A region at the levels that are given, or else take the shortest time.
    pub fn at_levels(&self, context: Context, region: &Region) -> anyhow::Result<RegionAtLevels> {
        let known = self.search_space.request(&self.set).at_levels(region);
        let known = known.map_err(refusal::without_file)?;
        levels::report(context, &known);
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

    /// An advisor for the configurations of a cluster.
    pub fn advisor<'a>(
        &self,
        known: &'a RegionAtLevels,
        cluster: &Cluster,
        asked: &[f64],
        sizes: &[f64],
    ) -> anyhow::Result<Advisor<'a>> {
        let (space, region) = (self.space(known, cluster)?, &known.region);
        Ok(Advisor::new(&region.model, &region.measured, &space, asked, sizes, self.advice())?)
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

/// Fits a term model to the runs of a file.
pub fn fit(runs: &[Run], path: &Path) -> anyhow::Result<Region> {
    let fitted =
        fit_terms(runs, TermOptions::default()).with_context(|| path.display().to_string())?;
    let model = fitted.model.into();
    Ok(Region { name: String::new(), measured: MeasuredPoint::of_model(runs, &model), model })
}

/// The output path; `None` for stdout.
pub fn not_stdout(path: Option<PathBuf>) -> Option<PathBuf> {
    path.filter(|path| path.as_os_str() != "-")
}
