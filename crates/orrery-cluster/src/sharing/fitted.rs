//! Sharing laws with estimated parameters.

use super::calibrate::{CalibrationData, no_law};
use super::{LAWS, LawKind, ParameterError, SharingLaw};
use orrery_base::file::Fault;
use orrery_base::numeric::Estimate;

/// A sharing law and the estimates of its parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct FittedLaw {
    law: SharingLaw,
    estimates: Vec<Estimate>,
}

impl FittedLaw {
    /// The law with these estimates, in the order of [`LawKind::parameters`].
    ///
    /// # Errors
    ///
    /// A value outside the range of its parameter.
    ///
    /// # Panics
    ///
    /// If the number of estimates is not that of the parameters.
    pub fn new(kind: &'static LawKind, estimates: Vec<Estimate>) -> Result<Self, ParameterError> {
        let values: Vec<f64> = estimates.iter().map(|estimate| estimate.value).collect();
        Ok(Self { law: kind.law(&values)?, estimates })
    }

    /// The law with the estimated values.
    pub const fn law(&self) -> SharingLaw {
        self.law
    }

    /// The description of the law.
    pub fn kind(&self) -> &'static LawKind {
        self.law.kind()
    }

    /// The estimates, in the order of [`LawKind::parameters`].
    pub fn estimates(&self) -> &[Estimate] {
        &self.estimates
    }

    /// The estimate of the parameter of this name; `None` if the law has no such parameter.
    pub fn estimate(&self, name: &str) -> Option<Estimate> {
        self.named().find(|(own, _)| *own == name).map(|(_, estimate)| estimate)
    }

    /// The estimates with the names of their parameters.
    pub fn named(&self) -> impl ExactSizeIterator<Item = (&'static str, Estimate)> {
        self.kind().parameter_names().zip(self.estimates.iter().copied())
    }
}

impl LawKind {
    /// Fits the law to measured schemes; intervals have this confidence level.
    ///
    /// # Errors
    ///
    /// A law without calibration, and data to which it cannot be fitted.
    pub fn fit(&'static self, data: &dyn CalibrationData, level: f64) -> Result<FittedLaw, Fault> {
        let fit = self.fit.ok_or_else(|| {
            let (law, calibrated) = (self.name, calibrated());
            Fault::new(format!(
                "the sharing law {law} cannot be fitted; laws that can are {calibrated}"
            ))
        })?;
        FittedLaw::new(self, fit(data, level)?).map_err(|error| no_law(&error))
    }
}

/// The names of the laws with a calibration, separated by commas.
fn calibrated() -> String {
    LawKind::calibrated().map(|kind| kind.name).collect::<Vec<_>>().join(", ")
}

/// The fitted sharing laws of a cluster, at most one of each kind, in the order of [`LAWS`].
///
/// ```
/// use orrery_base::numeric::Estimate;
/// use orrery_cluster::sharing::{FittedLaw, FittedLaws, LawKind};
/// let estimates = [0.75, 0.115, 0.036].map(Estimate::exact).to_vec();
/// let mut laws = FittedLaws::default();
/// laws.insert(FittedLaw::new(LawKind::from_name("gige")?, estimates)?);
/// assert_eq!(laws.get("gige").unwrap().estimate("beta").unwrap().value, 0.75);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FittedLaws {
    laws: Vec<FittedLaw>,
}

impl FittedLaws {
    /// Adds a law, in place of one of the same kind.
    pub fn insert(&mut self, law: FittedLaw) {
        let order = |law: &FittedLaw| LAWS.iter().position(|kind| *kind == law.kind());
        self.laws.retain(|other| other.kind() != law.kind());
        let place = self.laws.partition_point(|other| order(other) < order(&law));
        self.laws.insert(place, law);
    }

    /// Adds laws, each in place of one of the same kind.
    pub fn extend(&mut self, laws: Self) {
        laws.laws.into_iter().for_each(|law| self.insert(law));
    }

    /// The law of this name, if it was fitted.
    pub fn get(&self, name: &str) -> Option<&FittedLaw> {
        self.iter().find(|law| law.kind().name == name)
    }

    /// The fitted laws.
    pub fn iter(&self) -> std::slice::Iter<'_, FittedLaw> {
        self.laws.iter()
    }

    /// Returns true if no law was fitted.
    pub const fn is_empty(&self) -> bool {
        self.laws.is_empty()
    }
}

impl<'a> IntoIterator for &'a FittedLaws {
    type Item = &'a FittedLaw;
    type IntoIter = std::slice::Iter<'a, FittedLaw>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
