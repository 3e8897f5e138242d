use serde::{Deserialize, Serialize};

use super::{RequestError, check_level, kinds};
use crate::model::{
    Model, ModelKind, NativeComparison, SharingValidation, Validation, compare_native, validate,
    validate_sharing,
};
use crate::sample::{MachineDifference, Provenance, Samples, Timings};

/// The comparison of a model with measurements.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ValidationRequest {
    /// The kinds of models; all of the model for an empty list.
    pub models: Vec<ModelKind>,
    /// The level of the intervals of measured medians, or of the estimates of runs.
    pub level: f64,
}

impl Default for ValidationRequest {
    fn default() -> Self {
        Self { models: Vec::new(), level: 0.95 }
    }
}

/// A model compared with samples.
#[derive(Debug, Clone, PartialEq)]
pub struct ValidatedSamples {
    /// The comparison of the experiments whose messages are known.
    pub compared: Validation,
    /// The comparison of collective operations of the MPI library.
    pub native: Vec<NativeComparison>,
    /// The number of such operations of more processors than the model has; they are left out.
    pub too_large: usize,
}

impl ValidatedSamples {
    /// Returns the comparison if it has rows.
    ///
    /// # Errors
    ///
    /// When the model predicts none of the experiments.
    pub fn require_rows(self) -> Result<Self, RequestError> {
        if self.compared.rows.is_empty() && self.native.is_empty() {
            return Err(RequestError::failed(
                "the model predicts none of the experiments in the samples; give samples of its \
                    processors, or other models",
            ));
        }
        Ok(self)
    }
}

impl ValidationRequest {
    /// Returns the differences between the machines of a model and of measurements, which also
    /// explain why a comparison fails.
    pub fn machine_differences(model: &Model, measured: &Provenance) -> Vec<MachineDifference> {
        model.clone().of_measured(measured).machine_differences(measured)
    }

    /// Compares samples with the predictions of models.
    ///
    /// # Errors
    ///
    /// When the level is none, or when predictions exceed the budget of the samples.
    pub fn of_samples(
        &self,
        model: &Model,
        samples: &Samples,
    ) -> Result<ValidatedSamples, RequestError> {
        check_level(self.level)?;
        samples.check_operations()?;
        let model = &model.clone().of_measured(&samples.provenance);
        let kinds = kinds(&self.models, model)?;
        let compared = validate(model, samples, &kinds, self.level)?;
        let native = compare_native(model, samples, &kinds, self.level)?;
        let experiments = samples.series().iter().map(|series| &series.experiment);
        let too_large = experiments
            .filter(|one| !one.has_program() && one.processors_needed() > model.processors());
        Ok(ValidatedSamples { compared, native, too_large: too_large.count() })
    }

    /// Compares measured schemes with the sharing laws of a model.
    ///
    /// # Errors
    ///
    /// When the level is none.
    pub fn of_timings(
        &self,
        model: &Model,
        timings: &Timings,
    ) -> Result<SharingValidation, RequestError> {
        check_level(self.level)?;
        Ok(validate_sharing(&model.sharing, timings, self.level))
    }
}
