//! Requests that are refused, with their HTTP status.

use hyper::StatusCode;
use orrery::request::RequestError;
use serde::Serialize;

use crate::sample::{INVALID_SAMPLE, SAMPLE_AHEAD};
use crate::store::StoreError;

/// The reason why a request is refused, which the client receives as JSON:
/// `{"error": {"message": …}}`, with a code where the client decides by it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) status: StatusCode,
    pub(super) code: Option<&'static str>,
    pub(super) message: String,
}

impl Refusal {
    pub(super) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Self { status, code: None, message: message.into() }
    }

    /// A sample is not valid, and would not be if it were sent again.
    pub(super) fn sample(message: impl Into<String>) -> Self {
        Self { code: Some(INVALID_SAMPLE), ..Self::bad(message) }
    }

    /// A sample is too far ahead of the clock, and can be sent again later.
    pub(super) fn ahead(message: impl Into<String>) -> Self {
        Self { code: Some(SAMPLE_AHEAD), ..Self::bad(message) }
    }

    /// The request is wrong.
    pub(super) fn bad(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, message)
    }

    /// The request is wrong, by the error of a value in it.
    pub(super) fn of(error: impl std::fmt::Display) -> Self {
        Self::bad(error.to_string())
    }

    /// A request has no answer; its fields have the names of parameters.
    #[expect(clippy::needless_pass_by_value, reason = "errors are mapped by value")]
    pub(super) fn request(error: RequestError) -> Self {
        let name = |field: &str| match field {
            "procs" => "the parameter 'processes'".to_owned(),
            "models" => "the parameter 'model'".to_owned(),
            field => format!("the parameter '{field}'"),
        };
        if let RequestError::ExceedsMemory { .. } = error {
            return Self::missing(
                "the operands exceed the free memory of the hosts on all grids; use more processes",
            );
        }
        if error.is_absent_from_model() || matches!(error, RequestError::Failed { .. }) {
            return Self::missing(error.worded(name));
        }
        Self::bad(error.worded(name))
    }

    /// What is asked for does not exist, or is not known.
    pub(super) fn missing(message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, message)
    }

    /// The service has too much to do.
    pub(super) fn busy() -> Self {
        Self::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "the service has too much to do; repeat the request in a second",
        )
    }

    /// The service ends.
    pub(super) fn stopping() -> Self {
        Self::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "the service is stopping; repeat the request in some seconds",
        )
    }

    /// The database cannot be read or written; paths and details are for the log.
    pub(super) fn store(error: &StoreError) -> Self {
        if error.is_full() {
            return Self::new(
                StatusCode::INSUFFICIENT_STORAGE,
                "the disk of the service is full; free space there, and repeat the samples",
            );
        }
        let message = if error.is_lost() {
            "the database was removed, replaced or moved; put it back, or restart the service"
        } else {
            "the database cannot be used at present; the log of the service has the reason"
        };
        Self::new(StatusCode::SERVICE_UNAVAILABLE, message)
    }

    /// The body in JSON.
    pub(super) fn body(&self) -> Vec<u8> {
        #[derive(Serialize)]
        struct Body<'a> {
            error: Message<'a>,
        }
        #[derive(Serialize)]
        struct Message<'a> {
            #[serde(skip_serializing_if = "Option::is_none")]
            code: Option<&'a str>,
            message: &'a str,
        }
        let error = Message { code: self.code, message: &self.message };
        serde_json::to_vec(&Body { error }).unwrap_or_default()
    }
}
