use crate::comm::Thresholds;
use crate::model::ModelKind;
use orrery_base::units::{Bytes, Seconds};
use orrery_measure::measure::{CommDesign, Parallelism, Precision, SizeChoice, choose_size};
use orrery_measure::sample::Provenance;

/// What to measure on a machine and which models to fit, with defaults for all of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimation {
    /// The kinds of models; `None` for all kinds that the samples identify.
    pub kinds: Option<Vec<ModelKind>>,
    /// How often each experiment is repeated.
    pub precision: Precision,
    /// The number of repetitions before the first reading of each batch.
    pub warm_up: u32,
    /// The seed of the order of experiments.
    pub seed: u64,
    /// Whether experiments that share no processor run in parallel.
    pub parallelism: Parallelism,
    /// The time after which no further experiment starts.
    pub time_limit: Option<Seconds>,
    /// True to measure linear scatters and gathers first, to locate their thresholds.
    pub thresholds: bool,
    /// The size of messages, besides 0, which should be below the scatter threshold; `None` to
    /// [choose](Self::choose_size) it.
    pub size: Option<Bytes>,
    /// The experiments of point-to-point models; [`Estimation::design`] replaces their size.
    pub experiments: CommDesign,
}

impl Default for Estimation {
    /// All kinds of models that the samples identify, messages of 32 KiB, one warm-up, a test whether
    /// experiments can run in parallel, and a search for shared links; no thresholds and no limit of
    /// time.
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
            experiments: CommDesign { shared_links: true, ..CommDesign::new(Bytes::ZERO) },
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
        let experiments = CommDesign { shared_links: false, ..Self::default().experiments };
        Self { experiments, ..Self::of([ModelKind::Lmo]) }
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
        let own = &self.experiments;
        let shared_links = own.shared_links && !is_one_host && own.only.is_empty();
        CommDesign { size, shared_links, ..own.clone() }
    }
}
