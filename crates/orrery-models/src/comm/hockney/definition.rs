//! The registry entries of Hockney.

use super::Hockney;
use crate::comm::{
    ModelDefinition, ParameterGroup, ParameterSet, ParameterSpec, Shape, TypedParameters,
};
use orrery_base::numeric::Estimate;

/// The parameters for each pair, as declared in the registry.
const PAIRS: ParameterGroup = ParameterGroup {
    table: "pairs",
    family: "Hockney",
    rows: "each pair of processors",
    shape: Shape::Pairs,
    parameters: &[
        ParameterSpec::seconds("latency"),
        ParameterSpec::seconds_per_byte("byte_delay").with_rate("rate"),
    ],
};

/// The mean parameters, as declared in the registry.
const MEANS: ParameterGroup = ParameterGroup {
    table: "mean",
    family: "Hockney",
    rows: "mean over the pairs",
    shape: Shape::Cluster,
    parameters: &[
        ParameterSpec::seconds("mean.latency"),
        ParameterSpec::seconds_per_byte("mean.byte_delay").with_rate("rate"),
    ],
};

/// Hockney with parameters for each pair.
pub(in crate::comm) const HOCKNEY: ModelDefinition = ModelDefinition {
    name: "hockney",
    formula: "α_ij + β_ij·m",
    about: "latency and delay per byte of each pair",
    groups: &[PAIRS],
    optional: &["mean"],
    network: |parameters, _| Some(Box::new(Hockney::from_set(parameters)?.network())),
    complete: add_means,
    ..ModelDefinition::PLAIN
};

/// Hockney with the mean parameters for every pair.
pub(in crate::comm) const MEAN: ModelDefinition = ModelDefinition {
    name: "hockney-mean",
    formula: "α + β·m",
    about: "the means over the pairs",
    stored_as: Some(HOCKNEY.name),
    groups: &[MEANS],
    network: |parameters, _| Some(Box::new(Hockney::from_set(parameters)?.mean_network())),
    ..HOCKNEY
};

/// Adds missing means over the pairs: their plain means, without intervals.
fn add_means(parameters: &mut ParameterSet) {
    for (mean, each) in [("mean.latency", "latency"), ("mean.byte_delay", "byte_delay")] {
        if parameters.get(mean).is_none() {
            let mean_of_pairs = plain_mean(parameters.estimates(each));
            *parameters = std::mem::take(parameters).with(mean, [mean_of_pairs]);
        }
    }
}

/// The mean of the values, without an interval.
fn plain_mean(estimates: &[Estimate]) -> Estimate {
    let count = estimates.len() as f64;
    let sum: f64 = estimates.iter().map(|estimate| estimate.value).sum();
    // The mean of finite numbers is finite although their sum may overflow.
    let mean =
        if sum.is_finite() { sum / count } else { estimates.iter().map(|e| e.value / count).sum() };
    Estimate::exact(mean.min(f64::MAX))
}
