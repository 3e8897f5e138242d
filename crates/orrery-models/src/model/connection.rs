//! Latency and bandwidth between processors, by any fitted model of messages.

use std::collections::BTreeSet;

use super::uncertainty::{interval, level_of, together};
use super::{Alarm, Discrepancy, Model, ModelKind, PredictError, Predictor, Query};
use crate::comm::Contribution;
use orrery_base::numeric::ShortestPaths;
use orrery_base::units::{Bytes, BytesPerSecond, Seconds};
use orrery_cluster::platform::Processor;

/// The latency between two processors, or along a path of processors.
#[derive(Debug, Clone, PartialEq)]
pub struct Latency {
    /// The processors from the source to the destination.
    pub path: Vec<Processor>,
    /// The sum over the hops of the time of an empty message.
    pub seconds: Seconds,
    /// Its interval; `None` if the parameters have none.
    pub interval: Option<(Seconds, Seconds)>,
    /// Reasons to doubt it.
    pub alarms: Vec<Alarm>,
}

/// The bandwidth between two processors, or along a path of processors.
#[derive(Debug, Clone, PartialEq)]
pub struct Bandwidth {
    /// The processors from the source to the destination.
    pub path: Vec<Processor>,
    /// The size m at which the rate is taken.
    pub size: Bytes,
    /// The smallest rate of the hops.
    pub rate: BytesPerSecond,
    /// Its interval, whose upper end may be infinite; `None` if the parameters of a hop have none.
    pub interval: Option<(BytesPerSecond, BytesPerSecond)>,
    /// Reasons to doubt it.
    pub alarms: Vec<Alarm>,
}

/// The reason why there is no latency or bandwidth.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ConnectionError {
    /// A message of a hop has no prediction.
    #[error(transparent)]
    Predict(#[from] PredictError),
    /// A path of fewer than two processors.
    #[error("a path has a source and a destination; name at least two processors")]
    Path,
    /// A size without a half.
    #[error("there is no bandwidth at {0}; take a size of at least 2 bytes")]
    Size(Bytes),
    /// No path of known pairs.
    #[error(
        "no path of known pairs leads from processor {from} to processor {to}; measure such a pair"
    )]
    NotConnected {
        /// The source.
        from: Processor,
        /// The destination.
        to: Processor,
    },
    /// The time does not grow with the size, such as with LogP.
    #[error(
        "by {kind}, a message of {size} takes no longer than half of it; take another kind of \
            model or another size"
    )]
    Constant {
        /// The kind of model.
        kind: ModelKind,
        /// The size.
        size: Bytes,
    },
}

/// Latencies and bandwidths of pairs and paths, by one kind of model: what `fast_latency` and
/// `fast_bandwidth` of FAST return.
///
/// The latency is the time of an empty message, T(0) \[s\]. The bandwidth at size m is the inverse
/// of the mean derivative of the time over the second half of the message, (m − h) / (T(m) − T(h))
/// with h = ⌊m/2⌋ \[B/s\]; for models that are linear in the size it is 1/byte delay at any m.
/// Along a path latencies add up, and the smallest bandwidth counts.
///
/// Fitted models have all pairs of their processors. [`Connections::among`] restricts them to pairs
/// that are monitored; other pairs take the path of monitored pairs with the smallest latency.
///
/// Source: M. Quinson, *Dynamic performance forecasting for network-enabled servers in a
/// metacomputing environment*, 2002.
///
/// ```
/// use orrery_models::comm::Hockney;
/// use orrery_models::model::{Connections, Model, ModelKind};
/// use orrery_base::numeric::Estimate;
/// use orrery_cluster::platform::{PerPair, Processor};
/// use orrery_base::units::Bytes;
/// // Pairs 0-1, 0-2, 1-2: latencies [s] and byte delays [s/B].
/// let [latency, byte_delay] = [[50e-6, 20e-6, 25e-6], [10e-9, 8e-9, 4e-9]]
///     .map(|values| PerPair::from_fn(3, |i, j| Estimate::exact(values[i.index() + j.index() - 1])));
/// let mean = Estimate::exact(0.0);
/// let hockney = Hockney { latency, byte_delay, mean_latency: mean, mean_byte_delay: mean };
/// let model = Model::new(3).with(ModelKind::Hockney, &hockney);
/// let (from, to, size) = (Processor(0), Processor(1), Bytes::new(1 << 20));
/// let mut all = Connections::new(&model, ModelKind::Hockney)?;
/// assert_eq!(all.latency(from, to)?.seconds.to_string(), "50.0 µs");
/// assert_eq!(all.bandwidth(from, to, size)?.rate.to_string(), "100 MB/s");
/// // The pair 0-1 is not monitored: latencies of the pairs by processor 2 add up, and their smallest bandwidth counts.
/// let monitored = [(0, 2), (2, 1)].map(|(a, b)| (Processor(a), Processor(b)));
/// let mut some = Connections::among(&model, ModelKind::Hockney, monitored)?;
/// assert_eq!(some.latency(from, to)?.seconds.to_string(), "45.0 µs");
/// let found = some.bandwidth(from, to, size)?;
/// assert_eq!((found.rate.to_string(), found.path), ("125 MB/s".to_owned(), vec![from, Processor(2), to]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Connections<'a> {
    model: &'a Model,
    kind: ModelKind,
    predictor: Predictor<'a>,
    /// The known pairs, in both directions; `None` for all.
    known: Option<BTreeSet<(Processor, Processor)>>,
}

/// A sum of parameters and its alarms.
#[derive(Default)]
struct Sum {
    seconds: f64,
    contributions: Vec<Contribution>,
    alarms: Vec<Alarm>,
}

impl Sum {
    /// Adds a multiple of a predicted time; contributions of one parameter are added up.
    fn add(&mut self, multiple: f64, seconds: Seconds, contributions: Vec<Contribution>) {
        self.seconds += multiple * seconds.get();
        for one in contributions {
            match self.contributions.iter_mut().find(|known| known.parameter == one.parameter) {
                Some(known) => known.factor += multiple * one.factor,
                None => {
                    self.contributions.push(Contribution { factor: multiple * one.factor, ..one });
                }
            }
        }
    }
}

impl<'a> Connections<'a> {
    /// The connections of all pairs of processors by a kind of model.
    ///
    /// # Errors
    ///
    /// When the model does not contain this kind.
    pub fn new(model: &'a Model, kind: ModelKind) -> Result<Self, PredictError> {
        Ok(Self { model, kind, predictor: Predictor::new(model, kind)?, known: None })
    }

    /// The connections by a kind of model of which only these pairs are known, in both directions.
    ///
    /// # Errors
    ///
    /// When the model does not contain this kind or one of the processors, or when a pair is a
    /// processor with itself.
    pub fn among(
        model: &'a Model,
        kind: ModelKind,
        pairs: impl IntoIterator<Item = (Processor, Processor)>,
    ) -> Result<Self, PredictError> {
        let mut known = BTreeSet::new();
        for (a, b) in pairs {
            let processors = model.processors();
            if let Some(processor) = [a, b].into_iter().find(|one| one.index() >= processors) {
                return Err(PredictError::NoSuchProcessor { processor, processors });
            }
            if a == b {
                return Err(PredictError::Oneself(a));
            }
            known.extend([(a, b), (b, a)]);
        }
        Ok(Self { known: Some(known), ..Self::new(model, kind)? })
    }

    /// The path from one processor to another: the pair itself if it is known, otherwise the path
    /// of known pairs with the smallest latency.
    ///
    /// # Errors
    ///
    /// When there is no path, or the model does not have the processors.
    pub fn path(
        &mut self,
        from: Processor,
        to: Processor,
    ) -> Result<Vec<Processor>, ConnectionError> {
        // Refuses processors that the model does not have.
        self.predictor.message_time(from, to, Bytes::ZERO)?;
        let Some(known) = self.known.as_ref().filter(|known| !known.contains(&(from, to))) else {
            return Ok(vec![from, to]);
        };
        let node = |number: usize| Processor(number as u32);
        let predictor = &mut self.predictor;
        let paths = ShortestPaths::from(from.index(), self.model.processors(), |at| {
            let neighbours =
                known.range((node(at), Processor(0))..=(node(at), Processor(u32::MAX)));
            let latency = |&(at, next): &(Processor, Processor)| {
                Ok((next.index(), predictor.message_time(at, next, Bytes::ZERO)?.get()))
            };
            neighbours.map(latency).collect::<Result<Vec<_>, PredictError>>()
        })?;
        let path = paths.to(to.index()).ok_or(ConnectionError::NotConnected { from, to })?;
        Ok(path.into_iter().map(node).collect())
    }

    /// The latency between two processors: T(0) \[s\].
    ///
    /// # Errors
    ///
    /// As [`Connections::path`].
    pub fn latency(&mut self, from: Processor, to: Processor) -> Result<Latency, ConnectionError> {
        let path = self.path(from, to)?;
        self.latency_along(&path)
    }

    /// The latency along a path: Σ T(0) over its hops \[s\].
    ///
    /// # Errors
    ///
    /// When the path has fewer than two processors, or a hop cannot be predicted.
    pub fn latency_along(&mut self, path: &[Processor]) -> Result<Latency, ConnectionError> {
        let mut sum = Sum::default();
        for hop in hops(path)? {
            self.add(&mut sum, 1.0, hop, Bytes::ZERO)?;
        }
        let seconds = Seconds::new(sum.seconds);
        let interval = interval(sum.seconds, self.half_widths(&sum, path));
        Ok(Latency { path: path.to_vec(), seconds, interval, alarms: sum.alarms })
    }

    /// The bandwidth between two processors at a size m: (m − h) / (T(m) − T(h)) with h = ⌊m/2⌋
    /// \[B/s\].
    ///
    /// # Errors
    ///
    /// As [`Connections::path`], for sizes below 2 bytes, and when the time does not grow with the
    /// size.
    pub fn bandwidth(
        &mut self,
        from: Processor,
        to: Processor,
        size: Bytes,
    ) -> Result<Bandwidth, ConnectionError> {
        let path = self.path(from, to)?;
        self.bandwidth_along(&path, size)
    }

    /// The bandwidth along a path at a size: the smallest one of its hops \[B/s\].
    ///
    /// The ends of its interval are the smallest lower end and the smallest upper end of the hops.
    ///
    /// # Errors
    ///
    /// As [`Connections::bandwidth`], and when the path has fewer than two processors.
    pub fn bandwidth_along(
        &mut self,
        path: &[Processor],
        size: Bytes,
    ) -> Result<Bandwidth, ConnectionError> {
        if size.get() < 2 {
            return Err(ConnectionError::Size(size));
        }
        let half = Bytes::new(size.get() / 2);
        let bytes = (size.get() - half.get()) as f64;
        let mut rate = f64::INFINITY;
        let mut interval = Some((f64::INFINITY, f64::INFINITY));
        let mut alarms = Vec::new();
        for hop in hops(path)? {
            let mut sum = Sum::default();
            self.add(&mut sum, 1.0, hop, size)?;
            for alarm in std::mem::take(&mut sum.alarms) {
                alarm.add_to(&mut alarms);
            }
            self.add(&mut sum, -1.0, hop, half)?;
            if sum.seconds <= 0.0 {
                return Err(ConnectionError::Constant { kind: self.kind, size });
            }
            rate = rate.min(bytes / sum.seconds);
            let half_widths = self.half_widths(&sum, &[hop.0, hop.1]);
            interval = interval.zip(half_widths).map(|((low, high), (below, above))| {
                let shortest = (sum.seconds - below).max(0.0);
                (low.min(bytes / (sum.seconds + above)), high.min(bytes / shortest))
            });
        }
        let interval =
            interval.map(|(low, high)| (BytesPerSecond::new(low), BytesPerSecond::new(high)));
        Ok(Bandwidth {
            path: path.to_vec(),
            size,
            rate: BytesPerSecond::new(rate),
            interval,
            alarms,
        })
    }

    /// Adds a multiple of the predicted time of a message to the sum, with its contributions and
    /// alarms.
    fn add(
        &mut self,
        sum: &mut Sum,
        multiple: f64,
        (from, to): (Processor, Processor),
        size: Bytes,
    ) -> Result<(), PredictError> {
        let (prediction, predicted) = self.predictor.explain(&Query::message(from, to, size))?;
        sum.add(multiple, predicted.seconds, predicted.contributions);
        for alarm in prediction.alarms {
            alarm.add_to(&mut sum.alarms);
        }
        Ok(())
    }

    /// Half the widths of the interval of a sum of the times of messages between these processors
    /// below and above it \[s\]: errors of the parameters, the discrepancy of the model for messages
    /// that are alone, and that of hosts that were not measured. `None` if all are unknown.
    fn half_widths(&self, sum: &Sum, processors: &[Processor]) -> Option<(f64, f64)> {
        let readings = self.predictor.errors().half_widths(&sum.contributions);
        let discrepancy =
            self.model.discrepancies.get(&self.kind).and_then(|all| all.point_to_point);
        let of_hosts = readings.and_then(|_| self.model.discrepancy_of_unmeasured(processors));
        let level = level_of(&sum.contributions);
        let widths = |one: Discrepancy| one.half_widths(Seconds::new(sum.seconds), level);
        together(together(readings, discrepancy.map(widths)), of_hosts.map(widths))
    }
}

/// The pairs of successive processors of a path.
fn hops(
    path: &[Processor],
) -> Result<impl Iterator<Item = (Processor, Processor)>, ConnectionError> {
    if path.len() < 2 {
        Err(ConnectionError::Path)
    } else {
        Ok(path.windows(2).map(|two| (two[0], two[1])))
    }
}
