use serde::{Deserialize, Serialize};

use super::{RegionAtLevels, RequestError, check_answers, check_level};
use crate::budget::{Budget, STEPS_PER_OPERATION};
use crate::model::Model;
use crate::platform::Cluster;
use crate::run::variable;
use crate::scaling::search::{Grids, Objective, Ranking, SearchSpace};
use crate::scaling::{RankedConfiguration, Region, TermFamily, TermModel};
use crate::units::Seconds;

/// The configurations of a cluster among which one is chosen for an application.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SearchRequest {
    /// Other variables with their values, and categories with their levels.
    pub set: Vec<(String, String)>,
    /// The process grids; all if the model was fitted to different ones, else none, by default.
    pub grid: Option<Grids>,
    /// The block sizes; the only measured one by default.
    pub block: Vec<u32>,
    /// True if processes need the memory of a matrix of order n; by default for models of dense
    /// solvers.
    pub needs_matrix: Option<bool>,
    /// The memory needed in addition to the matrix, relative to it; 0.1 by default.
    pub memory_overhead: Option<f64>,
}

impl SearchRequest {
    /// Returns a region at the given levels of categories, and otherwise at those with the shortest
    /// time.
    ///
    /// # Errors
    ///
    /// When the value of a variable is no number, or when a category has no such level.
    pub fn at_levels(&self, region: &Region) -> Result<RegionAtLevels, RequestError> {
        RegionAtLevels::choose(region, &self.set)
    }

    /// Returns the configurations of a cluster.
    ///
    /// # Errors
    ///
    /// When block sizes or a memory do not apply, or when several block sizes were measured and none
    /// is given.
    pub fn space<'a>(
        &self,
        known: &RegionAtLevels,
        cluster: &'a Cluster,
    ) -> Result<SearchSpace<'a>, RequestError> {
        let terms = known.region.model.as_terms();
        let range = |name: &str| terms.and_then(|terms| terms.ranges.get(name)).copied();
        let different = range(variable::GRID_ROWS).is_some_and(|(least, most)| least < most);
        let is_general = |model: &TermModel| model.family == TermFamily::General;
        let needs_matrix = self.needs_matrix.unwrap_or(!terms.is_some_and(is_general));
        let is_fraction = |part: f64| part.is_finite() && part >= 0.0;
        if let Some(part) = self.memory_overhead.filter(|part| !is_fraction(*part)) {
            return Err(RequestError::invalid("memory_overhead", part, "it must be 0 or more"));
        }
        if !needs_matrix && self.memory_overhead.is_some() {
            let subject = "choices without a need of memory";
            return Err(RequestError::inapplicable("memory_overhead", subject));
        }
        let measured = range(variable::BLOCK_SIZE);
        if terms.is_some() && measured.is_none() && !self.block.is_empty() {
            let subject = "models that do not depend on the block size";
            return Err(RequestError::inapplicable("block", subject));
        }
        Ok(SearchSpace {
            kinds: cluster.kinds(),
            grids: self.grid.clone().unwrap_or(if different { Grids::All } else { Grids::None }),
            blocks: self.blocks(measured)?,
            memory_overhead: needs_matrix.then_some(self.memory_overhead.unwrap_or(0.1)),
            fixed: known.fixed.clone(),
        })
    }

    /// The block sizes among those of a measured range.
    fn blocks(&self, measured: Option<(f64, f64)>) -> Result<Vec<u32>, RequestError> {
        match measured {
            _ if self.block.contains(&0) => {
                Err(RequestError::invalid("block", 0, "a block size is an integer of 1 or more"))
            }
            _ if !self.block.is_empty() => Ok(self.block.clone()),
            Some((least, most)) if least < most => {
                let subject = format!("a model of block sizes from {least} to {most}");
                Err(RequestError::missing("block", subject, "a list of those to choose from"))
            }
            Some((least, _)) => Ok(vec![least as u32]),
            None => Ok(Vec::new()),
        }
    }
}

/// The choice of the elements, processes and grid of a cluster for an application.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConfigurationRequest {
    /// The region of the program; `None` for the only one.
    pub region: Option<String>,
    /// Problem sizes; none for an application without.
    #[serde(default)]
    pub n: Vec<f64>,
    /// The configurations.
    #[serde(default)]
    pub search: SearchRequest,
    /// The quantity that is minimised.
    #[serde(default)]
    pub objective: Objective,
    /// The limit of the time of a run.
    pub deadline: Option<Seconds>,
    /// The number of configurations for each size.
    pub top: usize,
    /// The probability that a single run lies in its interval.
    pub level: f64,
}

/// The operations of a choice beside those of its search.
const OPERATIONS_PER_CHOICE: u64 = 1000;

/// The best configurations of a cluster.
#[derive(Debug, Clone)]
pub struct ChosenConfigurations<'a> {
    /// The region at the chosen levels of categories.
    pub at_levels: RegionAtLevels,
    /// The configurations to choose from.
    pub space: SearchSpace<'a>,
    /// The ranking for each problem size, with the proof that it is the best one.
    pub rankings: Vec<(Option<f64>, Ranking)>,
    /// The configurations for each problem size with their forecasts, the best first.
    pub choices: Vec<(Option<f64>, Vec<RankedConfiguration>)>,
}

impl ConfigurationRequest {
    /// Returns the region of a model at the given levels of categories, and otherwise at those with
    /// the shortest time.
    ///
    /// # Errors
    ///
    /// As [`SearchRequest::at_levels`], or when the model has no such region.
    pub fn at_levels(&self, model: &Model) -> Result<RegionAtLevels, RequestError> {
        let application = model.application.as_ref().ok_or(RequestError::NoApplication)?;
        self.search.at_levels(application.timed_region(self.region.as_deref())?)
    }

    /// Returns the best configurations of a cluster for each problem size, by the region at its
    /// levels.
    ///
    /// # Errors
    ///
    /// As [`SearchRequest::space`], or when no configuration has a forecast or meets the limits.
    pub fn answers<'a>(
        &self,
        at_levels: RegionAtLevels,
        cluster: &'a Cluster,
    ) -> Result<ChosenConfigurations<'a>, RequestError> {
        check_level(self.level)?;
        if let Some(n) = self.n.iter().find(|n| !(n.is_finite() && **n > 0.0)) {
            return Err(RequestError::invalid("n", n, "a problem size is a number above 0"));
        }
        let space = self.search.space(&at_levels, cluster)?;
        let sizes: Vec<Option<f64>> =
            if self.n.is_empty() { vec![None] } else { self.n.iter().copied().map(Some).collect() };
        check_answers([sizes.len()], "choice", OPERATIONS_PER_CHOICE)?;
        let max_steps = Budget::of_input(0).operations().saturating_mul(STEPS_PER_OPERATION)
            / sizes.len() as u64;
        let (region, labels) = (&at_levels.region, at_levels.labels());
        let (mut rankings, mut all) = (Vec::new(), Vec::new());
        for size in sizes {
            let fixed = space.fixed_at(size);
            let ranking = space.search(&region.model, &region.measured, &fixed, |search| {
                search.objective = self.objective;
                search.deadline = self.deadline;
                search.max_steps = max_steps;
                search.ranking(self.top)
            })?;
            let mut choices = RankedConfiguration::from_ranking(
                &region.model,
                &region.measured,
                &ranking,
                &fixed,
                self.level,
            )?;
            choices.iter_mut().for_each(|choice| choice.point.labels.clone_from(&labels));
            rankings.push((size, ranking));
            all.push((size, choices));
        }
        Ok(ChosenConfigurations { at_levels, space, rankings, choices: all })
    }
}
