//! The answers of a service of `orrery monitor serve`.

use crate::status::{Failure, Status};

/// The text of the present conditions.
#[cfg(feature = "monitor")]
pub(crate) fn conditions(
    url: &str,
    token_file: Option<&str>,
    ca_file: Option<&str>,
) -> Result<String, Failure> {
    let token = token_file.map(|path| orrery_monitor::Secret::read(path.as_ref())).transpose();
    let token = token.map_err(|error| Failure::caused(Status::ORRERY_FILE, &error))?;
    let client = orrery_monitor::Client::new(url, token, ca_file.map(AsRef::as_ref));
    client.and_then(|client| client.get_json("/v1/conditions")).map_err(|error| of_client(&error))
}

/// The failure of a request.
#[cfg(feature = "monitor")]
fn of_client(error: &orrery_monitor::ClientError) -> Failure {
    use orrery_monitor::ClientError::{
        Answer, Certificates, NoCertificates, Refused, Secret, TokenInClear, Unreachable, Url,
    };
    let status = match error {
        Url { .. } | TokenInClear { .. } => Status::ORRERY_ARGUMENT,
        Secret(_) | Certificates { .. } | NoCertificates { .. } => Status::ORRERY_FILE,
        Unreachable { .. } | Refused { .. } | Answer { .. } => Status::ORRERY_SERVICE,
    };
    Failure::caused(status, error)
}

/// Explains how to ask a service without this library.
#[cfg(not(feature = "monitor"))]
pub(crate) fn conditions(url: &str, _: Option<&str>, _: Option<&str>) -> Result<String, Failure> {
    let message = format!(
        "{url}: this library was built without the feature monitor; save the conditions by curl -o \
            now.json {}/v1/conditions, and read \
         the file",
        url.trim_end_matches('/')
    );
    Err(Failure::new(Status::ORRERY_SERVICE, message))
}
