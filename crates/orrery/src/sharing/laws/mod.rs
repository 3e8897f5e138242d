//! The registry of sharing laws.
//!
//! A new law is a file of this folder and five lines here: its module, its export, its variant of [`SharingLaw`], its
//! arm in `SharingLaw::law` and its entry in [`LAWS`]. All other code takes its description from its [`LawKind`]:
//! options and help of the command, the model file, the cluster file, `fit`, `validate`, `report`, `simulate` and
//! `share`.

mod gigabit_ethernet;
mod infiniband;
mod maxmin_ports;
mod myrinet;

use std::fmt;

pub use gigabit_ethernet::{GammaForm, GigabitEthernet};
pub use infiniband::Infiniband;
pub use maxmin_ports::MaxMinPorts;
pub use myrinet::{Emission, Myrinet, Sampling, maximal_sending_sets};

use super::active::{ComponentPenalties, IncrementalPenalties};
use super::calibrate::{CalibrationData, FitError};
use super::{FittedLaw, ParameterError, PenaltyModel, SharingError, Transfer};
use crate::numeric::Estimate;

/// All sharing laws, in the order in which they are listed.
pub static LAWS: [&LawKind; 4] = [&maxmin_ports::KIND, &gigabit_ethernet::KIND, &myrinet::KIND, &infiniband::KIND];

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

    /// The law with estimates where exact evaluation is too expensive; `None` for a law that is always exact.
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

    /// As [`PenaltyModel::penalties`], within a number of counting steps, from which those used are subtracted.
    pub(super) fn penalties_within(&self, transfers: &[Transfer], steps: &mut usize) -> Result<Vec<f64>, SharingError> {
        self.law().penalties_within(transfers, steps)
    }
}

impl PenaltyModel for SharingLaw {
    fn penalties(&self, transfers: &[Transfer]) -> Result<Vec<f64>, SharingError> {
        self.law().penalties(transfers)
    }
}

/// The interface of a registered law besides its penalties.
trait Law: PenaltyModel {
    /// The description of the law.
    fn kind(&self) -> &'static LawKind;

    /// An incremental evaluation that is faster than that of whole components; `None` if there is none.
    fn incremental(&self) -> Option<Box<dyn IncrementalPenalties>> {
        None
    }

    /// As [`SharingLaw::penalties_within`]; a law that counts nothing uses no steps.
    fn penalties_within(&self, transfers: &[Transfer], _steps: &mut usize) -> Result<Vec<f64>, SharingError> {
        self.penalties(transfers)
    }
}

/// A parameter of a sharing law.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ParameterKind {
    /// The name in files; the option of the command has hyphens for underscores.
    pub name: &'static str,
    /// The symbol in the publication.
    pub symbol: &'static str,
    /// The quantity, in a few words.
    pub about: &'static str,
    /// The unit; empty for a number without one.
    pub unit: &'static str,
    /// A published value.
    pub published: f64,
    /// The smallest number of nodes whose calibration schemes identify it.
    pub nodes: usize,
}

/// Builds a law from the values of its parameters, in the order of [`LawKind::parameters`].
type BuildLaw = fn(&[f64]) -> Result<SharingLaw, ParameterError>;

/// Fits the parameters of a law at a confidence level, in the order of [`LawKind::parameters`].
type FitLaw = fn(&dyn CalibrationData, f64) -> Result<Vec<Estimate>, FitError>;

/// The description of a sharing law: its name, its parameters, how it is built and how it is calibrated.
///
/// ```
/// use orrery::sharing::{GigabitEthernet, LawKind, SharingLaw};
/// let kind = LawKind::from_name("gige")?;
/// assert_eq!(kind.parameters[1].name, "gamma_out");
/// let law = kind.law(&[0.75, 0.115, 0.036])?;
/// assert_eq!(law, SharingLaw::GigabitEthernet(GigabitEthernet::new(0.75, 0.115, 0.036)?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct LawKind {
    /// The name in files and on the command line.
    pub name: &'static str,
    /// The network that it models, in a few words.
    pub about: &'static str,
    /// The parameters, in the order of files.
    pub parameters: &'static [ParameterKind],
    build: BuildLaw,
    fit: Option<FitLaw>,
}

impl LawKind {
    /// The law of this name.
    ///
    /// # Errors
    ///
    /// A name that no law has.
    pub fn from_name(name: &str) -> Result<&'static Self, UnknownLaw> {
        LAWS.into_iter().find(|kind| kind.name == name).ok_or_else(|| UnknownLaw { name: name.to_owned() })
    }

    /// The laws that can be fitted to measured schemes.
    pub fn calibrated() -> impl Iterator<Item = &'static Self> {
        LAWS.into_iter().filter(|kind| kind.fit.is_some())
    }

    /// The names of the parameters, in the order of files.
    pub fn parameter_names(&self) -> impl ExactSizeIterator<Item = &'static str> {
        self.parameters.iter().map(|parameter| parameter.name)
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
        assert_eq!(values.len(), self.parameters.len(), "{} takes as many values as it has parameters", self.name);
        (self.build)(values)
    }

    /// Fits the law to measured schemes; intervals have this confidence level.
    ///
    /// # Errors
    ///
    /// A law without calibration, and data to which it cannot be fitted.
    pub fn fit(&'static self, data: &dyn CalibrationData, level: f64) -> Result<FittedLaw, FitError> {
        let fit = self.fit.ok_or(FitError::NoCalibration { law: self.name })?;
        Ok(FittedLaw::new(self, fit(data, level)?)?)
    }
}

impl PartialEq for LawKind {
    /// Laws are equal if their names are.
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for LawKind {}

impl fmt::Debug for LawKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LawKind({})", self.name)
    }
}

/// A name that no sharing law has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown sharing law {name:?}; known laws are {}", law_names())]
pub struct UnknownLaw {
    /// The name.
    pub name: String,
}

/// The names of all laws, separated by commas.
pub fn law_names() -> String {
    LAWS.map(|kind| kind.name).join(", ")
}
