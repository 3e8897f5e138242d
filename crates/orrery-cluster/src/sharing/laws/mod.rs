//! The registry of sharing laws.
//!
//! A new law is a file of this folder and five lines here: its module, its export, its variant of
//! [`SharingLaw`], its arm in `SharingLaw::law` and its entry in `REGISTRY`. All other code takes
//! its description from its [`LawKind`]: options and help of the command, the model file, the
//! cluster file, `fit`, `validate`, `report`, `simulate` and `share`.

mod gigabit_ethernet;
mod infiniband;
mod kind;
mod maxmin_ports;
mod myrinet;

pub use gigabit_ethernet::{GammaForm, GigabitEthernet};
pub use infiniband::Infiniband;
use kind::Law;
pub use kind::{LawKind, ParameterKind};
pub use maxmin_ports::MaxMinPorts;
pub use myrinet::{Emission, Myrinet, Sampling, maximal_sending_sets};

use super::active::{ComponentPenalties, IncrementalPenalties, StepLimitedLaw};
use super::{ParameterError, PenaltyModel, SharingError, Transfer};
use orrery_base::units::UnknownName;

/// Builds a law from the values of its parameters, in the order of [`LawKind::parameters`].
type BuildLaw = fn(&[f64]) -> Result<SharingLaw, ParameterError>;

/// All sharing laws, in the order in which they are listed, and how they are built.
const REGISTRY: [(&LawKind, BuildLaw); 4] = [
    (&maxmin_ports::KIND, |_| Ok(SharingLaw::MaxMinPorts)),
    (&gigabit_ethernet::KIND, |values| {
        GigabitEthernet::from_values(values).map(SharingLaw::GigabitEthernet)
    }),
    (&myrinet::KIND, |_| Ok(SharingLaw::Myrinet(Myrinet::default()))),
    (&infiniband::KIND, |values| Infiniband::from_values(values).map(SharingLaw::Infiniband)),
];

/// All sharing laws, in the order in which they are listed.
pub static LAWS: [&LawKind; REGISTRY.len()] = {
    let mut laws = [REGISTRY[0].0; REGISTRY.len()];
    let mut place = 1;
    while place < laws.len() {
        laws[place] = REGISTRY[place].0;
        place += 1;
    }
    laws
};

/// A sharing law with its parameter values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SharingLaw {
    /// Max-min fairness over the ports of the nodes.
    MaxMinPorts,
    /// Gigabit Ethernet.
    GigabitEthernet(GigabitEthernet),
    /// Myrinet.
    Myrinet(Myrinet),
    /// InfiniBand.
    Infiniband(Infiniband),
}

impl SharingLaw {
    /// The law behind the variant.
    fn law(&self) -> &dyn Law {
        match self {
            Self::MaxMinPorts => &MaxMinPorts,
            Self::GigabitEthernet(law) => law,
            Self::Myrinet(law) => law,
            Self::Infiniband(law) => law,
        }
    }

    /// The description of the law.
    pub fn kind(&self) -> &'static LawKind {
        self.law().kind()
    }

    /// The name in files and on the command line.
    pub fn name(&self) -> &'static str {
        self.kind().name
    }

    /// The law with another form of γ; `None` for a law without such a choice.
    #[must_use]
    pub fn with_gamma_form(self, form: GammaForm) -> Option<Self> {
        match self {
            Self::GigabitEthernet(law) => Some(Self::GigabitEthernet(law.in_form(form))),
            _ => None,
        }
    }

    /// The law with estimates where exact evaluation is too expensive; `None` for a law that is
    /// always exact.
    #[must_use]
    pub fn with_sampling(self, sampling: Sampling) -> Option<Self> {
        match self {
            Self::Myrinet(law) => Some(Self::Myrinet(law.with_sampling(sampling))),
            _ => None,
        }
    }

    /// The emission coefficients behind the penalties; `None` for a law without them.
    ///
    /// # Errors
    ///
    /// As [`PenaltyModel::penalties`].
    pub fn emissions(&self, transfers: &[Transfer]) -> Option<Result<Vec<Emission>, SharingError>> {
        match self {
            Self::Myrinet(law) => Some(law.emissions(transfers)),
            _ => None,
        }
    }

    /// Penalties by this law of transfers that start and stop.
    pub(super) fn incremental(&self) -> Box<dyn IncrementalPenalties> {
        self.law().incremental().unwrap_or_else(|| Box::new(ComponentPenalties::new(*self)))
    }
}

impl StepLimitedLaw for SharingLaw {
    fn penalties_within(
        &self,
        transfers: &[Transfer],
        steps: &mut usize,
    ) -> Result<Vec<f64>, SharingError> {
        self.law().penalties_within(transfers, steps)
    }
}

impl PenaltyModel for SharingLaw {
    fn penalties(&self, transfers: &[Transfer]) -> Result<Vec<f64>, SharingError> {
        self.law().penalties(transfers)
    }
}

impl LawKind {
    /// The law of this name.
    ///
    /// # Errors
    ///
    /// A name that no law has.
    pub fn from_name(name: &str) -> Result<&'static Self, UnknownName> {
        UnknownName::find("sharing law", name, &LAWS, |kind| kind.name)
    }

    /// The laws that can be fitted to measured schemes.
    pub fn calibrated() -> impl Iterator<Item = &'static Self> {
        LAWS.into_iter().filter(|kind| kind.fit.is_some())
    }

    /// The law with these parameter values, in the order of [`parameters`](Self::parameters).
    ///
    /// # Errors
    ///
    /// A value outside the range of its parameter.
    ///
    /// # Panics
    ///
    /// If the number of values is not that of the parameters.
    pub fn law(&self, values: &[f64]) -> Result<SharingLaw, ParameterError> {
        assert_eq!(
            values.len(),
            self.parameters.len(),
            "{} takes as many values as it has parameters",
            self.name
        );
        let entry = REGISTRY.into_iter().find(|(kind, _)| *kind == self);
        let (_, build) = entry.unwrap_or_else(|| unreachable!("every kind of law is registered"));
        build(values)
    }
}

/// The names of all laws, separated by commas.
pub fn law_names() -> String {
    LAWS.map(|kind| kind.name).join(", ")
}
