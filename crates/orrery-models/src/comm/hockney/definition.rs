//! The registry entries of Hockney.

use super::Hockney;
use crate::comm::{
    ModelDefinition, ParameterGroup, ParameterSet, ParameterSpec, PointToPoint, Shape,
    TypedParameters,
};
use orrery_base::numeric::Estimate;

/// The registry entries of Hockney.
#[derive(Clone, Copy)]
pub(in crate::comm) enum Definition {
    /// Parameters for each pair.
    PerPair,
    /// The mean parameters for every pair.
    Mean,
}

/// The parameters for each pair, as declared in the registry.
const PAIRS: [ParameterGroup; 1] = [ParameterGroup {
    table: "pairs",
    family: "Hockney",
    rows: "each pair of processors",
    shape: Shape::Pairs,
    parameters: &[
        ParameterSpec::seconds("latency"),
        ParameterSpec::seconds_per_byte("byte_delay").with_rate("rate"),
    ],
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
        match self {
            Self::PerPair => "hockney",
            Self::Mean => "hockney-mean",
        }
    }

    fn formula(&self) -> &'static str {
        match self {
            Self::PerPair => "α_ij + β_ij·m",
            Self::Mean => "α + β·m",
        }
    }

    fn about(&self) -> &'static str {
        match self {
            Self::PerPair => "latency and delay per byte of each pair",
            Self::Mean => "the means over the pairs",
        }
    }

    fn stored_as(&self) -> Option<&'static str> {
        match self {
            Self::PerPair => None,
            Self::Mean => Some(Self::PerPair.name()),
        }
    }

    fn groups(&self) -> &'static [ParameterGroup] {
        match self {
            Self::PerPair => &PAIRS,
            Self::Mean => &MEAN,
        }
    }

    fn network(&self, parameters: &ParameterSet, _: usize) -> Option<Box<dyn PointToPoint>> {
        let hockney = Hockney::from_set(parameters)?;
        Some(Box::new(match self {
            Self::PerPair => hockney.network(),
            Self::Mean => hockney.mean_network(),
        }))
    }

    fn optional(&self) -> &'static [&'static str] {
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
    let mean =
        if sum.is_finite() { sum / count } else { estimates.iter().map(|e| e.value / count).sum() };
    Estimate::exact(mean.min(f64::MAX))
}
