//! The description of a sharing law, for its registry entry.

use std::fmt;

use crate::sharing::active::IncrementalPenalties;
use crate::sharing::calibrate::CalibrationData;
use crate::sharing::{PenaltyModel, SharingError, Transfer};
use orrery_base::file::Fault;
use orrery_base::numeric::Estimate;

/// The interface of a registered law besides its penalties.
pub(super) trait Law: PenaltyModel {
    /// The description of the law.
    fn kind(&self) -> &'static LawKind;

    /// An incremental evaluation that is faster than that of whole components; `None` if there is
    /// none.
    fn incremental(&self) -> Option<Box<dyn IncrementalPenalties>> {
        None
    }

    /// As [`PenaltyModel::penalties`], within a number of counting steps, from which those used are
    /// subtracted; a law that counts nothing uses none.
    fn penalties_within(
        &self,
        transfers: &[Transfer],
        _steps: &mut usize,
    ) -> Result<Vec<f64>, SharingError> {
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

/// Fits the parameters of a law at a confidence level, in the order of [`LawKind::parameters`].
pub(in crate::sharing) type FitLaw = fn(&dyn CalibrationData, f64) -> Result<Vec<Estimate>, Fault>;

/// The description of a sharing law: its name, its parameters, and how it is calibrated.
///
/// ```
/// use orrery_cluster::sharing::{GigabitEthernet, LawKind, SharingLaw};
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
    /// The calibration; `None` for a law without one.
    pub(in crate::sharing) fit: Option<FitLaw>,
}

impl LawKind {
    /// The names of the parameters, in the order of files.
    pub fn parameter_names(&self) -> impl ExactSizeIterator<Item = &'static str> {
        self.parameters.iter().map(|parameter| parameter.name)
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
