//! The LMO model: T(i→j, m) = C_i + m·t_i + L_ij + m/β_ij + C_j + m·t_j.
//!
//! LOM is LMO without link latency, HLMO is LMO with equal processors and equal links.

mod definition;
#[cfg(feature = "estimation")]
mod estimator;
mod network;
#[cfg(feature = "estimation")]
mod paths;
#[cfg(feature = "estimation")]
mod triplets;
#[cfg(feature = "estimation")]
mod unidentified;

pub(super) use definition::{HLMO, LMO, LOM};
#[cfg(feature = "estimation")]
pub(super) use estimator::{HLMO_ESTIMATOR, LMO_ESTIMATOR, LOM_ESTIMATOR};
#[cfg(feature = "estimation")]
pub use estimator::{LmoEstimator, homogeneous};
pub use network::{Layout, LmoNetwork};
#[cfg(feature = "estimation")]
pub use paths::paths;
#[cfg(feature = "estimation")]
pub use triplets::triplets;
#[cfg(feature = "estimation")]
pub(super) use unidentified::{missing, too_few};

use crate::comm::{FittedNetwork, ParameterSet, TypedParameters};
use orrery_base::numeric::Estimate;
use orrery_cluster::platform::PerPair;

/// Parameters of the LMO model of n processors, and of LOM, which is LMO without link latency.
///
/// T(i→j, m) = C_i + L_ij + C_j + m·(t_i + 1/β_ij + t_j) seconds for m bytes. Links are alike in
/// both directions.
///
/// Sources: LMO: reference of the CPM module `LMO`; LOM: Lastovetsky, Rychkov, O'Flynn, "A software
/// tool for accurate estimation of parameters of heterogeneous communication models", section 3.
#[derive(Debug, Clone, PartialEq)]
pub struct Lmo {
    /// C_i, fixed processing delay of each processor \[s\]; n values.
    pub fixed_delay: Vec<Estimate>,
    /// t_i, processing delay per byte of each processor \[s/B\]; n values.
    pub byte_delay: Vec<Estimate>,
    /// L_ij, latency of each link \[s\]; absent in LOM.
    pub link_latency: Option<PerPair<Estimate>>,
    /// 1/β_ij, delay per byte of each link \[s/B\].
    pub link_byte_delay: PerPair<Estimate>,
}

impl Lmo {
    /// Returns the number of processors of the model.
    pub fn processors(&self) -> usize {
        self.fixed_delay.len()
    }

    /// Returns the numbering of the model's parameters.
    pub fn layout(&self) -> Layout {
        Layout::new(self.processors(), self.link_latency.is_some())
    }

    /// All estimates in the order of the [`Layout`].
    pub fn estimates(&self) -> Vec<Estimate> {
        let latency = self.link_latency.as_ref().map_or(&[][..], PerPair::values);
        [&self.fixed_delay, &self.byte_delay, self.link_byte_delay.values(), latency].concat()
    }

    /// The model as a network for the engine.
    pub fn network(&self) -> FittedNetwork<LmoNetwork> {
        LmoNetwork::fitted(self.layout(), self.estimates())
    }

    /// Returns the model of a list of values in the order of the layout; values below zero become
    /// zero.
    pub(crate) fn from_estimates(
        layout: Layout,
        values: &[f64],
        half_widths: Option<&Vec<f64>>,
        samples: &[u64],
        level: f64,
    ) -> Self {
        let half_width = |p: usize| half_widths.map(|half| half[p]);
        let estimate =
            |p: usize| Estimate::not_negative(values[p], half_width(p), level, samples[p]);
        let (n, pairs) = (layout.processors(), layout.pairs().count());
        let per_pair = |first: usize| {
            let values = (first..first + pairs).map(estimate).collect();
            PerPair::new(n, values)
                .unwrap_or_else(|| unreachable!("the layout has a value for each pair"))
        };
        Self {
            fixed_delay: (0..n).map(estimate).collect(),
            byte_delay: (n..2 * n).map(estimate).collect(),
            link_latency: layout.with_latency().then(|| per_pair(layout.link_latency(0))),
            link_byte_delay: per_pair(layout.link_byte_delay(0)),
        }
    }
}

impl TypedParameters for Lmo {
    fn to_set(&self) -> ParameterSet {
        let mut parameters = ParameterSet::new()
            .with("fixed_delay", self.fixed_delay.clone())
            .with("byte_delay", self.byte_delay.clone());
        if let Some(latency) = &self.link_latency {
            parameters = parameters.with("link_latency", latency.values());
        }
        parameters.with("link_byte_delay", self.link_byte_delay.values())
    }

    fn from_set(parameters: &ParameterSet) -> Option<Self> {
        let fixed_delay = parameters.estimates("fixed_delay").to_vec();
        let per_pair = |name| PerPair::new(fixed_delay.len(), parameters.estimates(name).to_vec());
        let link_latency = match parameters.get("link_latency") {
            Some(_) => Some(per_pair("link_latency")?),
            None => None,
        };
        let byte_delay = parameters.estimates("byte_delay").to_vec();
        let link_byte_delay = per_pair("link_byte_delay")?;
        (byte_delay.len() == fixed_delay.len()).then_some(Self {
            fixed_delay,
            byte_delay,
            link_latency,
            link_byte_delay,
        })
    }
}

/// The names of the parameters, in the order C, t, L, 1/β.
const NAMES: [&str; 4] = ["fixed_delay", "byte_delay", "link_latency", "link_byte_delay"];

/// Parameters of HLMO, the same for all processors and for all links.
///
/// T(m) = 2·C + L + m·(2·t + 1/β) seconds for m bytes. Source: reference of the CPM module `LMO`,
/// functions `HLMO_…`.
#[derive(Debug, Clone, PartialEq)]
pub struct Hlmo {
    /// C, fixed processing delay \[s\].
    pub fixed_delay: Estimate,
    /// t, processing delay per byte \[s/B\].
    pub byte_delay: Estimate,
    /// L, latency of a link \[s\].
    pub link_latency: Estimate,
    /// 1/β, delay per byte of a link \[s/B\].
    pub link_byte_delay: Estimate,
}

impl Hlmo {
    /// All estimates in the order C, t, L, 1/β.
    pub fn estimates(&self) -> [Estimate; 4] {
        [self.fixed_delay, self.byte_delay, self.link_latency, self.link_byte_delay]
    }

    /// The model of these estimates, in the same order.
    pub const fn from_estimates(estimates: [Estimate; 4]) -> Self {
        let [fixed_delay, byte_delay, link_latency, link_byte_delay] = estimates;
        Self { fixed_delay, byte_delay, link_latency, link_byte_delay }
    }

    /// Returns LMO with this number of processors, all with equal parameters.
    pub fn as_lmo(&self, processors: usize) -> Lmo {
        Lmo {
            fixed_delay: vec![self.fixed_delay; processors],
            byte_delay: vec![self.byte_delay; processors],
            link_latency: Some(PerPair::from_fn(processors, |_, _| self.link_latency)),
            link_byte_delay: PerPair::from_fn(processors, |_, _| self.link_byte_delay),
        }
    }

    /// Returns the model as a network of this number of processors for the engine.
    pub fn network(&self, processors: usize) -> FittedNetwork<LmoNetwork> {
        let [fixed_delay, byte_delay, link_latency, link_byte_delay] = self.estimates();
        let estimates = vec![fixed_delay, byte_delay, link_byte_delay, link_latency];
        LmoNetwork::fitted(Layout::of_equal(processors), estimates)
    }
}

impl TypedParameters for Hlmo {
    fn to_set(&self) -> ParameterSet {
        NAMES
            .into_iter()
            .zip(self.estimates())
            .fold(ParameterSet::new(), |set, (name, one)| set.with(name, [one]))
    }

    fn from_set(parameters: &ParameterSet) -> Option<Self> {
        let [fixed_delay, byte_delay, link_latency, link_byte_delay] =
            NAMES.map(|name| parameters.one(name));
        Some(Self::from_estimates([fixed_delay?, byte_delay?, link_latency?, link_byte_delay?]))
    }
}
