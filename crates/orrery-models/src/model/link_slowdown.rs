//! A model whose links are slower than when it was measured.

use super::{Model, ModelKind};
use crate::comm::{ParameterSet, ParameterUnit, Shape};
use orrery_base::numeric::{Estimate, Interval};
use orrery_cluster::platform::{Pairs, PerPair, Processor};

/// A factor of times, at least 1, with the ends of its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Factor {
    /// The expected factor.
    pub value: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Factor {
    /// The factor 1: times as they were measured.
    pub const NONE: Self = Self { value: 1.0, low: 1.0, high: 1.0 };

    /// A factor with the ends of its interval; below 1 they count as 1.
    pub fn new(value: f64, low: f64, high: f64) -> Self {
        let value = value.max(1.0);
        Self { value, low: low.clamp(1.0, value), high: high.max(value) }
    }

    /// The mean of factors; 1 without any.
    fn mean(factors: impl ExactSizeIterator<Item = Self>) -> Self {
        let count = factors.len();
        if count == 0 {
            return Self::NONE;
        }
        let add =
            |sum: [f64; 3], one: Self| [sum[0] + one.value, sum[1] + one.low, sum[2] + one.high];
        let [value, low, high] = factors.fold([0.0; 3], add).map(|sum| sum / count as f64);
        Self { value, low, high }
    }

    /// The estimate times the factor: interval ends are those of the estimate times those of the
    /// factor.
    fn times(self, estimate: Estimate) -> Estimate {
        let ends = |Interval { low, high, level }| Interval {
            low: low * self.low,
            high: high * self.high,
            level,
        };
        Estimate {
            value: estimate.value * self.value,
            interval: estimate.interval.map(ends),
            ..estimate
        }
    }
}

/// How much longer messages of a pair of processors take on their way than when the model was
/// measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinkSlowdown {
    /// The factor of latencies.
    pub latency: Factor,
    /// The factor of delays per byte.
    pub byte_delay: Factor,
}

impl LinkSlowdown {
    /// No slowdown.
    pub const NONE: Self = Self { latency: Factor::NONE, byte_delay: Factor::NONE };

    /// The factor of delays per byte, or of latencies.
    fn factor(self, of_bytes: bool) -> Factor {
        if of_bytes { self.byte_delay } else { self.latency }
    }
}

/// The parameters of the network that belong to the whole cluster, and whether the factor of delays
/// per byte applies to them, else that of latencies: means over pairs, and the gap of PLogP, a
/// function of the size. Delays and overheads of processors are left out.
const OF_CLUSTER: [(Shape, &str, bool); 7] = [
    (Shape::Cluster, "mean.latency", false),
    (Shape::Cluster, "mean.byte_delay", true),
    (Shape::Cluster, "latency", false),
    (Shape::Cluster, "byte_gap", true),
    (Shape::Cluster, "link_latency", false),
    (Shape::Cluster, "link_byte_delay", true),
    (Shape::Sizes, "gap", true),
];

impl Model {
    /// The model with slower links: latencies and delays per byte of pairs times their factors;
    /// parameters of the network that belong to the whole cluster times the mean factor of the
    /// pairs on different hosts. Delays of processors, kernels and everything else stay.
    ///
    /// The least delay per byte of a flow in kind `ports` becomes f·max(g_i, h_ij, g′_j) where the
    /// factor f is above 1: one slow link is no slow port.
    ///
    /// ```
    /// use orrery_models::comm::Hockney;
    /// use orrery_models::model::{Factor, LinkSlowdown, Model, ModelKind, Query};
    /// use orrery_base::numeric::Estimate;
    /// use orrery_cluster::platform::{PerPair, Processor};
    /// use orrery_base::units::Bytes;
    /// let pairs = |value| PerPair::from_fn(2, |_, _| Estimate::exact(value));
    /// let mean = Estimate::exact(0.0);
    /// let hockney = Hockney { latency: pairs(1e-5), byte_delay: pairs(1e-8), mean_latency: mean, mean_byte_delay: mean };
    /// let model = Model::new(2).with(ModelKind::Hockney, &hockney);
    /// let half_as_fast = LinkSlowdown { latency: Factor::NONE, byte_delay: Factor::new(2.0, 1.5, 3.0) };
    /// let now = model.with_slow_links(|_, _| half_as_fast);
    /// let message = Query::message(Processor(0), Processor(1), Bytes::new(1000));
    /// assert_eq!(model.predict(ModelKind::Hockney, &message)?.seconds.to_string(), "20.0 µs");
    /// assert_eq!(now.predict(ModelKind::Hockney, &message)?.seconds.to_string(), "30.0 µs");
    /// # Ok::<(), orrery_models::model::PredictError>(())
    /// ```
    #[must_use]
    pub fn with_slow_links(
        &self,
        slowdown: impl FnMut(Processor, Processor) -> LinkSlowdown,
    ) -> Self {
        let mut model = self.clone();
        let slowdowns = PerPair::from_fn(self.processors(), slowdown);
        let host = |processor: Processor| {
            self.hosts.get(processor.index()).filter(|host| !host.is_empty())
        };
        let crosses = |(i, j): &(Processor, Processor)| host(*i).is_none() || host(*i) != host(*j);
        let between: Vec<LinkSlowdown> =
            slowdowns.pairs().iter().filter(crosses).map(|(i, j)| *slowdowns.get(i, j)).collect();
        let mean = LinkSlowdown {
            latency: Factor::mean(between.iter().map(|pair| pair.latency)),
            byte_delay: Factor::mean(between.iter().map(|pair| pair.byte_delay)),
        };
        for (kind, parameters) in &mut model.point_to_point {
            slow(*kind, parameters, slowdowns.values(), mean);
        }
        model
    }
}

/// Multiplies the parameters of the network by the factors of the pairs.
fn slow(
    kind: ModelKind,
    parameters: &mut ParameterSet,
    pairs: &[LinkSlowdown],
    mean: LinkSlowdown,
) {
    if kind == ModelKind::Ports {
        bound_flows(parameters, pairs);
    }
    for (shape, spec) in kind.parameters() {
        let Some(values) = parameters.get_mut(spec.name) else { continue };
        let named = OF_CLUSTER.iter().find(|(of, name, _)| (*of, *name) == (shape, spec.name));
        if let Some((_, _, of_bytes)) = named {
            let factor = mean.factor(*of_bytes);
            values.estimates.iter_mut().for_each(|one| *one = factor.times(*one));
        } else if shape == Shape::Pairs && spec.name != FLOW_BYTE_DELAY {
            let of_bytes = spec.unit == ParameterUnit::SecondsPerByte;
            let factors = pairs.iter().map(|pair| pair.factor(of_bytes));
            values
                .estimates
                .iter_mut()
                .zip(factors)
                .for_each(|(one, factor)| *one = factor.times(*one));
        }
    }
}

/// The name of the parameter with the delay per byte of a flow alone in kind `ports`.
const FLOW_BYTE_DELAY: &str = "flow_byte_delay";

/// Sets the delay per byte of flows in kind `ports` on slower links.
fn bound_flows(parameters: &mut ParameterSet, pairs: &[LinkSlowdown]) {
    let ports = parameters.estimates("port_byte_delay").to_vec();
    let in_ports =
        Some(parameters.estimates("in_port_byte_delay").to_vec()).filter(|own| !own.is_empty());
    let in_ports = in_ports.unwrap_or_else(|| ports.clone());
    let both = |i: usize, j: usize| [ports.get(i), ports.get(j), in_ports.get(i), in_ports.get(j)];
    let ends =
        Pairs::of(ports.len()).iter().map(|(i, j)| both(i.index(), j.index())).collect::<Vec<_>>();
    let Some(values) = parameters.get_mut(FLOW_BYTE_DELAY) else { return };
    for ((one, pair), ends) in values.estimates.iter_mut().zip(pairs).zip(ends) {
        if pair.byte_delay.value > 1.0 {
            let slowest = ends
                .into_iter()
                .flatten()
                .copied()
                .fold(*one, |a, b| if b.value > a.value { b } else { a });
            *one = pair.byte_delay.times(slowest);
        }
    }
}
