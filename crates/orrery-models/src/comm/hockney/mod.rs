//! The Hockney model: T(i→j, m) = α_ij + β_ij·m.

#[cfg(feature = "estimation")]
mod fit;
mod network;

#[cfg(feature = "estimation")]
pub(super) use fit::ESTIMATOR;
#[cfg(feature = "estimation")]
pub use fit::{HockneyEstimator, fit};
pub use network::HockneyNetwork;

use crate::comm::{
    FittedNetwork, ModelDefinition, ParameterGroup, ParameterSet, ParameterSpec, Shape,
    TypedParameters,
};
use orrery_base::numeric::{Estimate, Interval};
use orrery_cluster::platform::{Hosts, LinkClass, PerPair};

/// Parameters of the Hockney model of n processors: for each pair, and the mean over the pairs.
///
/// T(i→j, m) = α_ij + β_ij·m seconds for m bytes.
///
/// Source: Hockney, "The communication challenge for MPP: Intel Paragon and Meiko CS-2", Parallel
/// Computing 20 (1994).
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
fn fitted(
    processors: usize,
    latency: &[Estimate],
    byte_delay: &[Estimate],
) -> FittedNetwork<HockneyNetwork> {
    let values = |estimates: &[Estimate]| {
        estimates.iter().map(|estimate| estimate.value).collect::<Vec<_>>()
    };
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

/// Mean parameters of Hockney over the pairs of one class.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClassMean {
    /// The class of the pairs: within a host or across hosts.
    pub class: LinkClass,
    /// The number of pairs.
    pub pairs: usize,
    /// Mean of α over these pairs \[s\].
    pub latency: Estimate,
    /// Mean of β over these pairs \[s/B\].
    pub byte_delay: Estimate,
}

impl Hockney {
    /// Returns the mean parameters of the pairs within a host and of the pairs across hosts; empty
    /// if all pairs are of one class.
    ///
    /// With both classes, the mean over all pairs ([`Hockney::mean_latency`]) describes neither
    /// kind of link.
    pub fn class_means(&self, hosts: &Hosts) -> Vec<ClassMean> {
        let of_class = |class| {
            let chosen = |values: &[Estimate]| -> Vec<Estimate> {
                let pairs = self.latency.pairs().iter().zip(values);
                pairs
                    .filter(|((a, b), _)| hosts.class(*a, *b) == Some(class))
                    .map(|(_, estimate)| *estimate)
                    .collect()
            };
            let (latency, byte_delay) =
                (chosen(self.latency.values()), chosen(self.byte_delay.values()));
            (!latency.is_empty()).then(|| ClassMean {
                class,
                pairs: latency.len(),
                latency: mean(&latency),
                byte_delay: mean(&byte_delay),
            })
        };
        [LinkClass::WithinHost, LinkClass::AcrossHosts].into_iter().filter_map(of_class).collect()
    }
}

/// Returns the mean of independent estimates; if h_i are the half-widths of their intervals, the
/// half-width of the mean is √(Σ h_i²) / n.
fn mean(estimates: &[Estimate]) -> Estimate {
    let count = estimates.len() as f64;
    let value = estimates.iter().map(|estimate| estimate.value).sum::<f64>() / count;
    // The upper half-width is used, because the lower end may have been cut off at zero.
    let half = |estimate: &Estimate| {
        estimate.interval.map(|interval| (interval.high - estimate.value).powi(2))
    };
    let squares: Option<f64> = estimates.iter().map(half).sum();
    let level =
        estimates.iter().filter_map(|estimate| estimate.interval).map(|i| i.level).reduce(f64::min);
    let interval = squares.zip(level).map(|(squares, level)| {
        let half = squares.sqrt() / count;
        Interval { low: (value - half).max(0.0), high: value + half, level }
    });
    Estimate { value, interval, samples: estimates.iter().map(|estimate| estimate.samples).sum() }
}

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
