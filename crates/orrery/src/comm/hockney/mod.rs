//! The Hockney model: T(i→j, m) = α_ij + β_ij·m.

mod classes;
mod fit;
mod network;

pub use classes::ClassMean;
pub use fit::{HockneyEstimator, fit};
pub use network::HockneyNetwork;

use crate::comm::{
    Estimated, EstimationOptions, FitError, FittedNetwork, ModelDefinition, ModelKind, Observations, ParameterGroup,
    ParameterSet, ParameterSpec, PointToPoint, Shape, TypedParameters,
};
use crate::numeric::Estimate;
use crate::platform::PerPair;
use crate::sample::ExperimentKind;

/// Parameters of the Hockney model of n processors: for each pair, and the mean over the pairs.
///
/// T(i→j, m) = α_ij + β_ij·m seconds for m bytes.
///
/// Source: Hockney, "The communication challenge for MPP: Intel Paragon and Meiko CS-2", Parallel Computing 20 (1994).
#[derive(Debug, Clone, PartialEq)]
pub struct Hockney {
    /// α_ij, latency of each pair \[s\].
    pub latency: PerPair<Estimate>,
    /// β_ij, delay per byte of each pair \[s/B\].
    pub byte_delay: PerPair<Estimate>,
    /// Mean of α over the pairs \[s\].
    pub mean_latency: Estimate,
    /// Mean of β over the pairs \[s/B\].
    pub mean_byte_delay: Estimate,
}

impl Hockney {
    /// Returns the number of processors of the model.
    pub fn processors(&self) -> usize {
        self.latency.pairs().processors()
    }

    /// The model with its parameters for each pair as a network for the engine.
    pub fn network(&self) -> FittedNetwork<HockneyNetwork> {
        fitted(self.processors(), self.latency.values(), self.byte_delay.values())
    }

    /// The model with the mean parameters for every pair as a network for the engine.
    pub fn mean_network(&self) -> FittedNetwork<HockneyNetwork> {
        fitted(self.processors(), &[self.mean_latency], &[self.mean_byte_delay])
    }
}

/// Returns the network with these estimates, one for each pair or one for all pairs.
fn fitted(processors: usize, latency: &[Estimate], byte_delay: &[Estimate]) -> FittedNetwork<HockneyNetwork> {
    let values = |estimates: &[Estimate]| estimates.iter().map(|estimate| estimate.value).collect::<Vec<_>>();
    let network = HockneyNetwork::new(processors, &values(latency), &values(byte_delay));
    FittedNetwork::new(network, [latency, byte_delay].concat())
}

impl TypedParameters for Hockney {
    fn to_set(&self) -> ParameterSet {
        ParameterSet::new()
            .with("mean.latency", [self.mean_latency])
            .with("mean.byte_delay", [self.mean_byte_delay])
            .with("latency", self.latency.values())
            .with("byte_delay", self.byte_delay.values())
    }

    fn from_set(parameters: &ParameterSet) -> Option<Self> {
        Some(Self {
            latency: PerPair::packed(parameters.estimates("latency").to_vec())?,
            byte_delay: PerPair::packed(parameters.estimates("byte_delay").to_vec())?,
            mean_latency: parameters.one("mean.latency")?,
            mean_byte_delay: parameters.one("mean.byte_delay")?,
        })
    }
}

/// The registry entry of Hockney with parameters for each pair.
pub(super) struct Definition;

/// The parameters for each pair, as declared in the registry.
const PAIRS: [ParameterGroup; 1] = [ParameterGroup {
    table: "pairs",
    family: "Hockney",
    rows: "each pair of processors",
    shape: Shape::Pairs,
    parameters: &[ParameterSpec::seconds("latency"), ParameterSpec::seconds_per_byte("byte_delay").with_rate("rate")],
}];

/// The mean parameters, as declared in the registry.
const MEAN: [ParameterGroup; 1] = [ParameterGroup {
    table: "mean",
    family: "Hockney",
    rows: "mean over the pairs",
    shape: Shape::Cluster,
    parameters: &[
        ParameterSpec::seconds("mean.latency"),
        ParameterSpec::seconds_per_byte("mean.byte_delay").with_rate("rate"),
    ],
}];

impl ModelDefinition for Definition {
    fn name(&self) -> &'static str {
        "hockney"
    }

    fn formula(&self) -> &'static str {
        "α_ij + β_ij·m"
    }

    fn about(&self) -> &'static str {
        "latency and delay per byte of each pair"
    }

    fn groups(&self) -> &'static [ParameterGroup] {
        &PAIRS
    }

    fn uses(&self) -> &'static [ExperimentKind] {
        &[ExperimentKind::RoundTrip]
    }

    fn fit(&self, observations: &Observations, options: &EstimationOptions) -> Result<Estimated, FitError> {
        Ok(fit(observations, options.hockney, options.level)?.to_set().into())
    }

    fn network(&self, parameters: &ParameterSet, _: usize) -> Option<Box<dyn PointToPoint>> {
        Some(Box::new(Hockney::from_set(parameters)?.network()))
    }

    fn optional_objects(&self) -> &'static [&'static str] {
        &["mean"]
    }

    /// The means over the pairs are their plain means, without intervals.
    fn complete(&self, parameters: &mut ParameterSet) {
        for (mean, each) in [("mean.latency", "latency"), ("mean.byte_delay", "byte_delay")] {
            if parameters.get(mean).is_none() {
                let mean_of_pairs = plain_mean(parameters.estimates(each));
                *parameters = std::mem::take(parameters).with(mean, [mean_of_pairs]);
            }
        }
    }
}

/// The mean of the values, without an interval.
fn plain_mean(estimates: &[Estimate]) -> Estimate {
    let count = estimates.len() as f64;
    let sum: f64 = estimates.iter().map(|estimate| estimate.value).sum();
    // The mean of finite numbers is finite although their sum may overflow.
    let mean = if sum.is_finite() { sum / count } else { estimates.iter().map(|e| e.value / count).sum() };
    Estimate::exact(mean.min(f64::MAX))
}

/// The registry entry of Hockney with the mean parameters for every pair.
pub(super) struct MeanDefinition;

impl ModelDefinition for MeanDefinition {
    fn name(&self) -> &'static str {
        "hockney-mean"
    }

    fn formula(&self) -> &'static str {
        "α + β·m"
    }

    fn about(&self) -> &'static str {
        "the means over the pairs"
    }

    fn stored_as(&self) -> Option<ModelKind> {
        Some(ModelKind::Hockney)
    }

    fn groups(&self) -> &'static [ParameterGroup] {
        &MEAN
    }

    fn fit(&self, observations: &Observations, options: &EstimationOptions) -> Result<Estimated, FitError> {
        Definition.fit(observations, options)
    }

    fn network(&self, parameters: &ParameterSet, _: usize) -> Option<Box<dyn PointToPoint>> {
        Some(Box::new(Hockney::from_set(parameters)?.mean_network()))
    }
}
