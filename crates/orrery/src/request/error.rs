use std::error::Error;
use std::fmt;

use crate::budget::OverBudget;
#[cfg(feature = "estimation")]
use crate::collective::measured::MeasuredError;
#[cfg(feature = "estimation")]
use crate::comm::FitError;
use crate::kernel::KernelCallError;
#[cfg(feature = "applications")]
use crate::model::RoutinePredictError;
use crate::model::{HostClassesError, KernelPredictError, PredictError};
#[cfg(feature = "applications")]
use crate::routine::RoutineError;
#[cfg(feature = "applications")]
use crate::scaling::{self, ForecastError, RegionError};
use crate::units::Bytes;

/// The reason why a request has no answer.
///
/// The text has the names of fields as they are in the request; [`RequestError::worded`] replaces
/// them by those of an interface.
#[derive(Debug, Clone, PartialEq)]
pub enum RequestError {
    /// A value that is not allowed.
    Invalid {
        /// The field of the request.
        field: &'static str,
        /// Its value.
        value: String,
        /// What is wrong, or what is allowed.
        reason: String,
    },
    /// A maximum that is too small for a minimum.
    Range {
        /// The field of the minimum and its value.
        min: (&'static str, String),
        /// The field of the maximum and its value.
        max: (&'static str, String),
    },
    /// Fields that are needed and not given.
    Missing {
        /// The fields of the request.
        fields: Vec<&'static str>,
        /// What needs them, such as `dgemm`.
        subject: String,
        /// What the fields have, such as `a list of dimensions`.
        content: &'static str,
    },
    /// A field that is given and does not apply.
    Inapplicable {
        /// The field of the request.
        field: &'static str,
        /// What it does not apply to, such as `alltoall`.
        subject: String,
    },
    /// The operands of a routine exceed the memory on all grids.
    ExceedsMemory {
        /// The memory of a process; `None` for that of the hosts.
        limit: Option<Bytes>,
    },
    /// A call of a kernel, a routine or a redistribution that is impossible.
    Call {
        /// The field of the request.
        field: &'static str,
        /// Why it is impossible.
        reason: String,
    },
    /// Data that do not answer the request, such as a simulated run that does not come to its end.
    Failed {
        /// Why, with the position in a file.
        reason: String,
        /// The field that helps, and its value if it needs one.
        remedy: Option<(&'static str, Option<String>)>,
    },
    /// The model has no model of the communication.
    NoCommunication,
    /// The model has no model of an application.
    NoApplication,
    /// More work than an input may request.
    Budget(OverBudget),
    /// A message or a collective operation has no prediction.
    Predict(PredictError),
    /// Samples give no choice.
    #[cfg(feature = "estimation")]
    Measured(MeasuredError),
    /// Samples identify no model.
    #[cfg(feature = "estimation")]
    Fit(FitError),
    /// The hosts that were not measured have no model.
    HostClasses(HostClassesError),
    /// A kernel has no prediction.
    Kernel(KernelPredictError),
    /// A parallel routine or a redistribution has no prediction.
    #[cfg(feature = "applications")]
    Routine(RoutinePredictError),
    /// The model has no such region of an application.
    #[cfg(feature = "applications")]
    Region(RegionError),
    /// Runs cannot be compared with a model.
    #[cfg(feature = "applications")]
    Runs(scaling::FitError),
    /// An application has no forecast.
    #[cfg(feature = "applications")]
    Forecast(ForecastError),
}

impl RequestError {
    /// The error of a value that is not allowed: the field, its value, and the reason in words.
    pub fn invalid(
        field: &'static str,
        value: impl fmt::Display,
        reason: impl fmt::Display,
    ) -> Self {
        Self::Invalid { field, value: value.to_string(), reason: reason.to_string() }
    }

    /// The error of a maximum that is too small for a minimum.
    pub fn range<T: fmt::Display + Copy>(min: (&'static str, T), max: (&'static str, T)) -> Self {
        Self::Range { min: (min.0, min.1.to_string()), max: (max.0, max.1.to_string()) }
    }

    /// The error of a field that is needed: what needs it, and what it may contain.
    pub fn missing(field: &'static str, subject: impl fmt::Display, content: &'static str) -> Self {
        Self::Missing { fields: vec![field], subject: subject.to_string(), content }
    }

    /// The error of a field that does not apply to a subject.
    pub fn inapplicable(field: &'static str, subject: impl fmt::Display) -> Self {
        Self::Inapplicable { field, subject: subject.to_string() }
    }

    /// The error of data that do not answer the request.
    pub fn failed(reason: impl Into<String>) -> Self {
        Self::Failed { reason: reason.into(), remedy: None }
    }

    /// The error of data that need another value of a field; `value` is that value, if it is known.
    pub fn failed_with(reason: String, field: &'static str, value: Option<String>) -> Self {
        Self::Failed { reason, remedy: Some((field, value)) }
    }

    /// This error with the place of its data.
    #[cfg(feature = "applications")]
    pub(super) fn at(self, place: impl fmt::Display) -> Self {
        match self {
            Self::Failed { reason, remedy } => {
                Self::Failed { reason: format!("{place}: {reason}"), remedy }
            }
            other => Self::failed(format!("{place}: {other}")),
        }
    }

    /// This error of a value, as one of another field.
    pub(super) fn of_field(self, field: &'static str) -> Self {
        match self {
            Self::Invalid { value, reason, .. } => Self::Invalid { field, value, reason },
            other => other,
        }
    }

    /// Returns true if the model does not contain what the request is about.
    pub fn is_absent_from_model(&self) -> bool {
        let is_absent = |error: &PredictError| matches!(error, PredictError::NoSuchModel { .. });
        let is_absent_kernel =
            |error: &KernelPredictError| !matches!(error, KernelPredictError::Several { .. });
        match self {
            Self::NoCommunication | Self::NoApplication => true,
            Self::Kernel(error) => is_absent_kernel(error),
            Self::Predict(error) => is_absent(error),
            #[cfg(feature = "applications")]
            Self::Routine(RoutinePredictError::Kernel(error)) => is_absent_kernel(error),
            #[cfg(feature = "applications")]
            Self::Routine(RoutinePredictError::Communication(error)) => is_absent(error),
            _ => false,
        }
    }

    /// The text with the names that an interface gives to the fields.
    pub fn worded(&self, name: impl Fn(&str) -> String) -> String {
        match self {
            Self::Invalid { field, value, reason } => {
                format!("{} {value}: {reason}", name(field))
            }
            Self::Range { min, max } => format!(
                "{} {} is too small for {} {}; raise it, or lower the other",
                name(max.0),
                max.1,
                name(min.0),
                min.1
            ),
            Self::Missing { fields, subject, content } => {
                let names: Vec<String> = fields.iter().map(|field| name(field)).collect();
                format!("{subject} needs {}, {content}", names.join(" and "))
            }
            Self::Inapplicable { field, subject } => {
                format!("{} does not apply to {subject}; leave it out", name(field))
            }
            Self::ExceedsMemory { limit } => {
                let memory = name("memory");
                let limit = limit.map_or_else(
                    || format!("the memory of the hosts ({memory} gives another limit)"),
                    |limit| format!("{memory} {limit}"),
                );
                format!("the operands exceed {limit} on all grids; use more processes")
            }
            Self::Call { field, reason } => format!("{}: {reason}", name(field)),
            Self::Failed { reason, remedy: None } => reason.clone(),
            Self::Failed { reason, remedy: Some((field @ "network", None)) } => {
                format!("{reason}, or choose another network ({})", name(field))
            }
            Self::Failed { reason, remedy: Some((field, None)) } => {
                format!("{reason}; give {}", name(field))
            }
            Self::Failed { reason, remedy: Some((field, Some(value))) } => {
                format!("{reason}; allow more with {} {value}", name(field))
            }
            Self::NoCommunication => {
                "the model has no communication model; fit one to samples".to_owned()
            }
            Self::NoApplication => {
                "the model has no model of an application; fit one to runs".to_owned()
            }
            _ => self.cause().map(ToString::to_string).unwrap_or_default(),
        }
    }
}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.worded(str::to_owned))
    }
}

impl Error for RequestError {}

/// Makes a [`RequestError`] of errors of the library.
macro_rules! causes {
    ($($(#[$feature:meta])* $variant:ident($error:ty)),+ $(,)?) => {
        $($(#[$feature])*
        impl From<$error> for RequestError {
            fn from(error: $error) -> Self {
                Self::$variant(error)
            }
        })+

        impl RequestError {
            /// The error of the library below the request; `None` if the request itself is wrong.
            pub fn cause(&self) -> Option<&(dyn Error + 'static)> {
                match self {
                    $($(#[$feature])* Self::$variant(error) => Some(error),)+
                    _ => None,
                }
            }
        }
    };
}

causes! {
    Budget(OverBudget),
    Predict(PredictError),
    #[cfg(feature = "estimation")]
    Measured(MeasuredError),
    #[cfg(feature = "estimation")]
    Fit(FitError),
    HostClasses(HostClassesError),
    Kernel(KernelPredictError),
    #[cfg(feature = "applications")]
    Routine(RoutinePredictError),
    #[cfg(feature = "applications")]
    Region(RegionError),
    #[cfg(feature = "applications")]
    Runs(scaling::FitError),
    #[cfg(feature = "applications")]
    Forecast(ForecastError),
}

/// The field of a dimension.
fn dimension(name: char) -> &'static str {
    match name {
        'm' => "m",
        'n' => "n",
        _ => "k",
    }
}

impl From<KernelCallError> for RequestError {
    fn from(error: KernelCallError) -> Self {
        let field = match &error {
            KernelCallError::Dimension { name, .. } => dimension(*name),
            KernelCallError::Variant { .. } => "variant",
            KernelCallError::Kernel(_) | KernelCallError::Text { .. } => "kernel",
        };
        Self::Call { field, reason: error.to_string() }
    }
}

#[cfg(feature = "applications")]
impl From<RoutineError> for RequestError {
    fn from(error: RoutineError) -> Self {
        let field = match &error {
            RoutineError::Variant { .. } => "variant",
            RoutineError::Dimension { name, .. } | RoutineError::MatrixDimension { name, .. } => {
                dimension(*name)
            }
            RoutineError::Block(_) => "block",
            RoutineError::Grid(_) => "grid",
            RoutineError::Elements { .. } | RoutineError::Steps { .. } => "n",
        };
        Self::Call { field, reason: error.to_string() }
    }
}
