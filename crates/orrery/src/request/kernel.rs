use serde::{Deserialize, Serialize};

use super::{RequestError, check_answers};
use crate::kernel::{Kernel, KernelCall};
use crate::model::KernelChoice;
#[cfg(feature = "applications")]
use crate::model::{
    Availability, Forecaster, KernelForecast, KernelOnHost, KernelPredictError, Model,
};

/// The times of calls of a compute kernel: all combinations of the dimensions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KernelRequest {
    /// The kernel.
    pub kernel: Kernel,
    /// Transpositions, side and triangle; the first variant by default.
    pub variant: Option<String>,
    /// Rows of the result.
    #[serde(default)]
    pub m: Vec<u64>,
    /// Columns of the result.
    #[serde(default)]
    pub n: Vec<u64>,
    /// Products for each element of the result.
    #[serde(default)]
    pub k: Vec<u64>,
    /// Which of the models of the kernel is meant.
    #[serde(default)]
    pub kernels: KernelChoice,
}

/// The operations of a prediction.
const OPERATIONS_PER_PREDICTION: u64 = 10;

impl KernelRequest {
    /// Returns the calls; the last dimension varies fastest.
    ///
    /// # Errors
    ///
    /// When a dimension of the kernel is missing, or another one is given; when the kernel has no
    /// such variant; when there are too many combinations.
    pub fn calls(&self) -> Result<Vec<KernelCall>, RequestError> {
        let kernel = self.kernel;
        let fields = [("m", &self.m), ("n", &self.n), ("k", &self.k)];
        let exists = kernel.routine.dimensions();
        let mut all = vec![[1_u64; 3]];
        for (place, (field, values)) in fields.into_iter().enumerate() {
            match (values.is_empty(), exists[place]) {
                (true, false) => continue,
                (false, false) => return Err(RequestError::inapplicable(field, kernel)),
                (true, true) => {
                    let all = fields.into_iter().zip(exists);
                    let missing = all.filter(|((_, values), exists)| *exists && values.is_empty());
                    let fields = missing.map(|((field, _), _)| field).collect();
                    let (subject, content) = (kernel.to_string(), "such as 1000");
                    return Err(RequestError::Missing { fields, subject, content });
                }
                (false, true) => {}
            }
            check_answers([all.len(), values.len()], "prediction", OPERATIONS_PER_PREDICTION)?;
            let mut combined = Vec::with_capacity(all.len() * values.len());
            for one in &all {
                for &value in values {
                    let mut dimensions = *one;
                    dimensions[place] = value;
                    combined.push(dimensions);
                }
            }
            all = combined;
        }
        let variant = self.variant.as_deref().unwrap_or(kernel.routine.variants()[0]);
        let call = |dimensions| Ok(KernelCall::new(kernel, variant, dimensions)?);
        all.into_iter().map(call).collect()
    }

    /// Returns the first call, the only one of a request with single dimensions.
    ///
    /// # Errors
    ///
    /// As [`KernelRequest::calls`].
    pub fn call(&self) -> Result<KernelCall, RequestError> {
        self.calls().map(|calls| calls[0])
    }

    /// Returns the calls, each with the model of its time and its forecast: for the named host, or
    /// the measured one, under this load.
    ///
    /// # Errors
    ///
    /// As [`KernelRequest::calls`], and when the model has no such kernel, or several.
    #[cfg(feature = "applications")]
    pub fn answers<'a>(
        &self,
        model: &'a Model,
        availability: &Availability,
    ) -> Result<Vec<KernelAnswer<'a>>, RequestError> {
        let forecaster = Forecaster::new(model).with_availability(availability.clone());
        let forecaster = forecaster.map_err(|error| RequestError::failed(error.to_string()))?;
        let answer = |call| {
            let model = model.kernel(&call, &self.kernels)?;
            let host = self.kernels.host.as_ref().unwrap_or(&model.conditions.host).clone();
            let forecast = forecaster.kernel_time_by(model, &call, &host);
            let forecast = forecast.ok_or(KernelPredictError::NoKernels)?;
            Ok(KernelAnswer { call, model, host, forecast })
        };
        self.calls()?.into_iter().map(answer).collect()
    }
}

/// A call of a kernel with the model of its time.
#[cfg(feature = "applications")]
#[derive(Debug, Clone)]
pub struct KernelAnswer<'a> {
    /// The call.
    pub call: KernelCall,
    /// The model.
    pub model: &'a KernelOnHost,
    /// The host that the forecast is for.
    pub host: String,
    /// The time on this host.
    pub forecast: KernelForecast,
}
