use std::collections::BTreeMap;

use crate::comm::ports::ProtocolLimits;
use orrery_base::numeric::{median, median_variance_factor, parallel_map, student_quantile};
use orrery_base::units::Bytes;
use orrery_cluster::platform::{Hosts, Pairs, Processor};
use orrery_measure::sample::{Experiment, Samples, Series, SpreadGroup, pooled_spreads};

/// The readings of one experiment, summarised for estimators.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Observation {
    /// The experiment.
    pub experiment: Experiment,
    /// The median of the readings \[s\].
    pub seconds: f64,
    /// The standard deviation of that median \[s\], from the spread pooled over all experiments of
    /// its kind.
    pub deviation: f64,
    /// The number of readings.
    pub count: u64,
}

/// The observations of a campaign.
///
/// The spread of readings is pooled over each [`SpreadGroup`], relative to the median: a few
/// repetitions of one experiment estimate its own spread poorly, and intervals computed from them
/// cover too rarely.
#[derive(Debug, Clone, Default)]
pub struct Observations {
    /// The observations in the order of experiments.
    list: Vec<Observation>,
    processors: usize,
    hosts: Hosts,
    degrees_of_freedom: f64,
    limits: ProtocolLimits,
}

/// The relative spread that is assumed if readings do not differ at all (a simulation without
/// noise): observations then have equal relative weights.
const ASSUMED_SPREAD: f64 = 1e-12;

/// The smallest spread of a kind of experiment relative to that of the median kind; a smaller one
/// is raised to it.
const MIN_RELATIVE_SPREAD: f64 = 0.01;

/// The number of series whose medians one task computes, whatever the number of threads.
const SERIES_PER_TASK: usize = 1 << 14;

/// The degrees of freedom per difference of two readings, for a standard deviation estimated from
/// the median absolute difference.
const DIFFERENCE_EFFICIENCY: f64 = 0.37;

impl Observations {
    /// Returns the observations of the experiments that `wanted` accepts. Calls of the MPI library
    /// are left out, because their algorithms are not known; processors that only they use do not
    /// count.
    pub fn from_samples(samples: &Samples, wanted: impl Fn(&Experiment) -> bool) -> Self {
        let known = |series: &&Series| series.experiment.has_program();
        let processors = samples
            .series()
            .iter()
            .filter(known)
            .map(|series| series.experiment.processors_needed())
            .max();
        let taken = |series: &&Series| known(series) && wanted(&series.experiment);
        let hosts = samples.hosts();
        let spreads = pooled_spreads(samples.series().iter().filter(taken), &hosts);
        let typical =
            median(&spreads.values().copied().filter(|spread| *spread > 0.0).collect::<Vec<_>>());
        let floor = if typical > 0.0 { MIN_RELATIVE_SPREAD * typical } else { ASSUMED_SPREAD };
        let observe = |series: &&Series| {
            let readings = series.seconds();
            let seconds = median(&readings);
            let spread = spreads[&SpreadGroup::of(&series.experiment, &hosts)].max(floor);
            let deviation = seconds * spread * median_variance_factor(readings.len()).sqrt();
            Observation {
                experiment: series.experiment,
                seconds,
                deviation,
                count: readings.len() as u64,
            }
        };
        let series: Vec<&Series> = samples.in_order().filter(taken).collect();
        let pieces: Vec<&[&Series]> = series.chunks(SERIES_PER_TASK).collect();
        let list = parallel_map(pieces.len(), |piece| {
            pieces[piece].iter().map(observe).collect::<Vec<_>>()
        })
        .concat();
        let differences: usize = series.iter().map(|series| series.readings.len() / 2).sum();
        let degrees_of_freedom =
            if typical > 0.0 { DIFFERENCE_EFFICIENCY * differences as f64 } else { 0.0 };
        Self {
            list,
            processors: processors.unwrap_or(0),
            hosts,
            degrees_of_freedom,
            limits: ProtocolLimits::default(),
        }
    }

    /// The same observations of a machine with these limits of protocols.
    #[must_use]
    pub(crate) fn with_limits(self, limits: ProtocolLimits) -> Self {
        Self { limits, ..self }
    }

    /// The limits of protocols, as far as they are known.
    pub(crate) fn limits(&self) -> ProtocolLimits {
        self.limits
    }

    /// All observations in the order of experiments, independent of the order of measurement.
    pub fn iter(&self) -> impl Iterator<Item = &Observation> {
        self.list.iter()
    }

    /// The number of observations.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Returns true if there is no observation.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Returns true if readings of any experiment differ. If no experiment was read twice, for
    /// example because a benchmark prints only means, intervals come from the residuals of the fit.
    pub fn have_spread(&self) -> bool {
        self.degrees_of_freedom > 0.0
    }

    /// The degrees of freedom of the pooled spread; 0 if readings do not differ.
    pub(crate) fn spread_degrees(&self) -> f64 {
        self.degrees_of_freedom
    }

    /// The number of processors in the samples.
    pub fn processors(&self) -> usize {
        self.processors
    }

    /// The hosts of the processors.
    pub fn hosts(&self) -> &Hosts {
        &self.hosts
    }

    /// The pairs of these processors.
    pub fn pairs(&self) -> Pairs {
        Pairs::of(self.processors)
    }

    /// The observation of an experiment; `None` if it was not measured.
    pub fn get(&self, experiment: &Experiment) -> Option<&Observation> {
        let place =
            self.list.binary_search_by(|observation| observation.experiment.cmp(experiment));
        place.ok().map(|place| &self.list[place])
    }

    /// The round trip of two processors, measured from either end; `None` if it was not measured.
    pub fn round_trip(
        &self,
        a: Processor,
        b: Processor,
        size: Bytes,
        reply: Bytes,
    ) -> Option<&Observation> {
        let from = |i, j| self.get(&Experiment::RoundTrip { i, j, size, reply });
        from(a, b).or_else(|| from(b, a))
    }

    /// The one-to-two experiment from i to two partners, in either order; `None` if it was not
    /// measured.
    pub fn one_to_two(
        &self,
        i: Processor,
        a: Processor,
        b: Processor,
        size: Bytes,
    ) -> Option<&Observation> {
        let order = |j, k| self.get(&Experiment::OneToTwo { i, j, k, size });
        order(a, b).or_else(|| order(b, a))
    }

    /// The observations of the cluster as if it were homogeneous: one for each kind of experiment,
    /// the mean over all processors.
    ///
    /// With n observations of deviations σ_k the mean has the deviation √(Σ σ_k²)/n.
    pub(in crate::comm) fn averaged(&self) -> Vec<Observation> {
        let mut kinds: BTreeMap<Experiment, Vec<&Observation>> = BTreeMap::new();
        self.iter().for_each(|one| {
            kinds.entry(one.experiment.without_processors()).or_default().push(one);
        });
        let mean = |alike: Vec<&Observation>| {
            let n = alike.len() as f64;
            Observation {
                experiment: alike[0].experiment,
                seconds: alike.iter().map(|one| one.seconds).sum::<f64>() / n,
                deviation: alike.iter().map(|one| one.deviation.powi(2)).sum::<f64>().sqrt() / n,
                count: alike.iter().map(|one| one.count).sum(),
            }
        };
        kinds.into_values().map(mean).collect()
    }

    /// Returns the observations that `wanted` accepts, with the same pooled spread.
    pub(crate) fn filtered(&self, wanted: impl Fn(&Experiment) -> bool) -> Self {
        let list = self.iter().filter(|one| wanted(&one.experiment)).copied().collect();
        Self { list, hosts: self.hosts.clone(), ..*self }
    }

    /// Returns the ratio of half an interval of this confidence level to a standard deviation.
    ///
    /// `excess` is the mean square of the weighted residuals over their degrees of freedom. If the
    /// model fits worse than the spread of the readings explains, the intervals are widened by its
    /// square root (Birge 1932); they are never narrowed. If the readings do not differ at all, the
    /// residuals determine the intervals.
    pub fn half_width_factor(
        &self,
        level: f64,
        excess: Option<f64>,
        residual_degrees: f64,
    ) -> Option<f64> {
        if self.degrees_of_freedom > 0.0 {
            let widening = excess.map_or(1.0, |excess| excess.max(1.0)).sqrt();
            return Some(student_quantile(self.degrees_of_freedom.max(1.0), level) * widening);
        }
        excess.map(|excess| student_quantile(residual_degrees, level) * excess.sqrt())
    }
}
