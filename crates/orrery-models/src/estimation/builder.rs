use std::time::Duration;

use crate::comm::Thresholds;
use crate::model::ModelKind;
use orrery_base::units::{Bytes, Seconds};
use orrery_cluster::platform::Processor;
use orrery_measure::measure::{
    CommDesign, Parallelism, Precision, SizeChoice, TripletDesign, choose_size,
};
use orrery_measure::sample::{Experiment, Provenance};

/// What to measure on a machine and which models to fit, with defaults for all of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimation {
    pub(super) kinds: Option<Vec<ModelKind>>,
    pub(super) precision: Precision,
    pub(super) warm_up: u32,
    pub(super) seed: u64,
    pub(super) parallelism: Parallelism,
    pub(super) time_limit: Option<Seconds>,
    pub(super) thresholds: bool,
    size: Option<Bytes>,
    sizes: Vec<Bytes>,
    triplets: TripletDesign,
    further: Vec<Experiment>,
    only: Vec<Processor>,
    shared_links: bool,
    groups: Vec<Vec<Processor>>,
}

impl Default for Estimation {
    /// All kinds of models that round trips, one-to-two and two-to-one experiments identify, with
    /// messages of 32 KiB, the default [`Precision`], a test whether experiments can run in
    /// parallel, and a search for shared links; no thresholds, no time limit.
    fn default() -> Self {
        Self {
            kinds: None,
            precision: Precision::default(),
            warm_up: 1,
            seed: 1,
            parallelism: Parallelism::Auto,
            time_limit: None,
            thresholds: false,
            size: None,
            sizes: Vec::new(),
            triplets: TripletDesign::default(),
            further: Vec::new(),
            only: Vec::new(),
            shared_links: true,
            groups: Vec::new(),
        }
    }
}

impl Estimation {
    /// The estimation of these kinds of models, otherwise as [`Estimation::default`].
    pub fn of(kinds: impl IntoIterator<Item = ModelKind>) -> Self {
        Self { kinds: Some(kinds.into_iter().collect()), ..Self::default() }
    }

    /// The estimation of LMO, without a search for shared links, which LMO does not have. The
    /// machine needs three processors.
    pub fn lmo() -> Self {
        Self { shared_links: false, ..Self::of([ModelKind::Lmo]) }
    }

    /// Sets how often each experiment is repeated.
    #[must_use]
    pub fn precision(self, precision: Precision) -> Self {
        Self { precision, ..self }
    }

    /// Sets the number of repetitions before the first reading of each batch; 1 by default.
    #[must_use]
    pub fn warm_up(self, repetitions: u32) -> Self {
        Self { warm_up: repetitions, ..self }
    }

    /// Sets the seed of the order of experiments.
    #[must_use]
    pub fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// Sets whether experiments that share no processor run in parallel.
    #[must_use]
    pub fn parallel(self, parallelism: Parallelism) -> Self {
        Self { parallelism, ..self }
    }

    /// Sets the time after which no further experiment starts.
    #[must_use]
    pub fn time_limit(self, limit: Duration) -> Self {
        Self { time_limit: Some(limit.into()), ..self }
    }

    /// Sets whether linear scatters and gathers are measured first, to locate their thresholds;
    /// false by default.
    #[must_use]
    pub fn thresholds(self, thresholds: bool) -> Self {
        Self { thresholds, ..self }
    }

    /// Sets the size of messages, besides 0; it should be below the scatter threshold.
    #[must_use]
    pub fn size(self, size: Bytes) -> Self {
        Self { size: Some(size), ..self }
    }

    /// Sets further sizes of round trips, for the regression of Hockney.
    #[must_use]
    pub fn sizes(self, sizes: impl IntoIterator<Item = Bytes>) -> Self {
        Self { sizes: sizes.into_iter().collect(), ..self }
    }

    /// Sets the triplets of one-to-two experiments.
    #[must_use]
    pub fn triplets(self, triplets: TripletDesign) -> Self {
        Self { triplets, ..self }
    }

    /// Sets further experiments, some of
    /// [`further_experiments`](orrery_measure::measure::further_experiments).
    #[must_use]
    pub fn further(self, experiments: Vec<Experiment>) -> Self {
        Self { further: experiments, ..self }
    }

    /// Measures only experiments in which one of these processors takes part; all if there are
    /// none.
    #[must_use]
    pub fn only(self, processors: Vec<Processor>) -> Self {
        Self { only: processors, ..self }
    }

    /// Sets whether pairs exchange messages at the same time, to find links that they share; see
    /// [`Estimation::design`].
    #[must_use]
    pub fn shared_links(self, shared_links: bool) -> Self {
        Self { shared_links, ..self }
    }

    /// Sets groups of processors that may share a link, besides those of the search.
    #[must_use]
    pub fn groups(self, groups: Vec<Vec<Processor>>) -> Self {
        Self { groups, ..self }
    }

    /// Chooses the size of messages: the requested one, else 32 KiB or less, below the scatter
    /// thresholds.
    ///
    /// ```
    /// use orrery_models::estimation::Estimation;
    /// assert_eq!(Estimation::default().choose_size(&[]).size().get(), 32 << 10);
    /// ```
    pub fn choose_size(&self, thresholds: &[Thresholds]) -> SizeChoice {
        choose_size(self.size, thresholds.iter().filter_map(Thresholds::scatter_limit))
    }

    /// The experiments with messages of this size on a machine with this provenance. Shared links
    /// are not searched if all processors are on one host, or if only some are measured.
    pub fn design(&self, size: Bytes, provenance: &Provenance) -> CommDesign {
        let hosts = provenance.hosts();
        let is_one_host = !hosts.is_empty() && hosts.iter().all(|host| *host == hosts[0]);
        CommDesign {
            size,
            sizes: self.sizes.clone(),
            triplets: self.triplets,
            further: self.further.clone(),
            only: self.only.clone(),
            shared_links: self.shared_links && !is_one_host && self.only.is_empty(),
            groups: self.groups.clone(),
        }
    }
}
