//! What is to be decided: options that advice and runs share.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use orrery::platform::{Cluster, file as cluster_file};
use orrery::run::Run;
use orrery::scaling::advise::{AdviceOptions, Advisor, SearchSpace};
use orrery::scaling::{TermModel, TermOptions, fit_terms};

use crate::context::Context;
use crate::options;
use crate::verbs::choose::configuration::named;
use crate::verbs::field::FieldOptions;

/// When a decision is certain, and among what is chosen.
#[derive(Debug, Clone, Args)]
pub struct DecisionOptions {
    /// A decision is certain when its choice is good enough with this probability
    #[arg(long, value_name = "PROBABILITY", default_value_t = 0.95, value_parser = options::level)]
    pub certain: f64,
    /// A choice that takes no more than this part longer than the best is good enough
    #[arg(long, value_name = "PART", default_value_t = 0.01, value_parser = options::level)]
    pub within: f64,
    /// How often each run is made
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub repetitions: u32,
    /// The seed of the worlds that tell how probable a good choice is
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Any other variable of the model, such as steps=100; may be repeated
    #[arg(long, value_name = "NAME=NUMBER", value_parser = named)]
    set: Vec<(String, f64)>,
    #[command(flatten)]
    field: FieldOptions,
}

impl DecisionOptions {
    pub fn advice(&self) -> AdviceOptions {
        let Self { within: tolerance, certain: confidence, repetitions, seed, .. } = *self;
        AdviceOptions { tolerance, confidence, repetitions, seed }
    }

    /// An advisor on the configurations of a cluster.
    pub fn advisor<'a>(
        &self,
        model: &'a TermModel,
        known: &[Run],
        cluster: &Cluster,
        asked: &[f64],
        sizes: &[f64],
    ) -> anyhow::Result<Advisor<'a>> {
        let field = SearchSpace {
            kinds: cluster.kinds(),
            grids: self.field.grids(Some(model)),
            blocks: self.field.blocks(Some(model))?,
            memory_overhead: self.field.memory_overhead(Some(model)),
            fixed: self.set.iter().cloned().collect(),
        };
        Ok(Advisor::new(model, known, &field, asked, sizes, self.advice())?)
    }
}

/// Reads a cluster file and tells what of it is not used here.
pub fn cluster(context: Context, path: &Path) -> anyhow::Result<Cluster> {
    let loaded = cluster_file::read(path)?;
    for unread in &loaded.unused_keys {
        context.say(format!("{}:{}: {} is not used here", path.display(), unread.line, unread.key));
    }
    Ok(loaded.cluster)
}

/// The model of runs that stand in some file.
pub fn fitted(runs: &[Run], path: &Path) -> anyhow::Result<TermModel> {
    let options = TermOptions::default();
    Ok(fit_terms(runs, options).with_context(|| path.display().to_string())?.model)
}

/// Where something is written, if it is not stdout.
pub fn named_file(path: Option<PathBuf>) -> Option<PathBuf> {
    path.filter(|path| path.as_os_str() != "-")
}
