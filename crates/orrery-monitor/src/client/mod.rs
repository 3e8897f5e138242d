//! Requests to a service: blocking, by HTTP or HTTPS, with a time limit and bounded answers.
//!
//! A token is sent to hosts by HTTPS, and to this host by either. Redirections are not followed and
//! proxies not used, so that nobody else gets it.

mod error;

use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use ureq::http::{Response, Uri};
use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem};
use ureq::{Agent, Body};

pub use error::ClientError;

use crate::sample::Sample;
use crate::secret::Secret;

/// The maximum number of samples that a request should have: about 100 KB.
pub const MAX_SAMPLES_PER_REQUEST: usize = 1000;

/// The maximum size of an answer in bytes.
pub const MAX_ANSWER_BYTES: u64 = 16 << 20;

/// The maximum number of characters of the reason of a refusal.
const MAX_REASON_CHARACTERS: usize = 300;

/// The time limit of a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// The time limit of a request, from the resolution of the host's name to the end of the answer.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);

/// What a service did with samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Acknowledgement {
    /// The number of samples that were new. They are on the service's disk.
    pub accepted: u64,
    /// The number of samples that the service had before.
    pub duplicates: u64,
}

/// A client of a service. It keeps its connections.
///
/// ```no_run
/// use orrery_monitor::{Client, Secret};
/// let client = Client::new("http://127.0.0.1:7410", None, None)?;
/// println!("{}", client.get_json("/v1/series")?);
/// # Ok::<(), orrery_monitor::ClientError>(())
/// ```
#[derive(Debug)]
pub struct Client {
    agent: Agent,
    url: String,
    authorization: Option<Secret>,
}

impl Client {
    /// A client of the service at an address, with the bearer token that the service requires, and
    /// the certificates of the authorities that may sign its certificate. Without them, those of
    /// the host are used.
    ///
    /// # Errors
    ///
    /// Returns an error if the address is not valid, if certificates cannot be read, or if a token
    /// would be sent to another host without encryption.
    pub fn new(
        url: &str,
        token: Option<Secret>,
        ca_file: Option<&Path>,
    ) -> Result<Self, ClientError> {
        let url = url.trim_end_matches('/').to_owned();
        let is_encrypted = check(&url, token.is_some())?;
        let mut config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .proxy(None)
            .timeout_connect(Some(CONNECT_TIMEOUT))
            .timeout_global(Some(REQUEST_TIMEOUT))
            .user_agent(concat!("orrery/", env!("CARGO_PKG_VERSION")));
        if is_encrypted {
            let provider = Arc::new(rustls::crypto::ring::default_provider());
            let roots = RootCerts::Specific(Arc::new(certificates(&url, ca_file)?));
            let tls =
                TlsConfig::builder().unversioned_rustls_crypto_provider(provider).root_certs(roots);
            config = config.tls_config(tls.build());
        }
        Ok(Self { agent: config.build().new_agent(), url, authorization: token })
    }

    /// The address of the service.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Sends samples; those without a finite value are left out. When it returns, they are on the
    /// service's disk.
    ///
    /// # Errors
    ///
    /// Returns an error if the service does not acknowledge them. They can be sent again: the
    /// service keeps each once.
    pub fn post_samples(&self, samples: &[Sample]) -> Result<Acknowledgement, ClientError> {
        let url = format!("{}/v1/samples", self.url);
        let mut request = self.agent.post(&url).header("Content-Type", "application/json");
        if let Some(token) = &self.authorization {
            request = request.header("Authorization", format!("Bearer {}", token.expose()));
        }
        let answer = self.answer(&url, request.send(body(samples)))?;
        let parsed: Option<Value> = serde_json::from_str(&answer).ok();
        let count = |name| parsed.as_ref().and_then(|value| value.get(name)?.as_u64());
        match (count("accepted"), count("duplicates")) {
            (Some(accepted), Some(duplicates)) => Ok(Acknowledgement { accepted, duplicates }),
            _ => {
                Err(ClientError::Answer { url, reason: "it has no numbers of samples".to_owned() })
            }
        }
    }

    /// The text of the answer to `GET path`; the path begins with `/`, and its query is encoded.
    ///
    /// # Errors
    ///
    /// Returns an error if the service does not answer with a text of at most [`MAX_ANSWER_BYTES`],
    /// or refuses.
    pub fn get_json(&self, path: &str) -> Result<String, ClientError> {
        let url = format!("{}{path}", self.url);
        let mut request = self.agent.get(&url).header("Accept", "application/json");
        if let Some(token) = &self.authorization {
            request = request.header("Authorization", format!("Bearer {}", token.expose()));
        }
        self.answer(&url, request.call())
    }

    /// The text of a successful answer.
    fn answer(
        &self,
        url: &str,
        outcome: Result<Response<Body>, ureq::Error>,
    ) -> Result<String, ClientError> {
        let failure = |error: ureq::Error| match error {
            ureq::Error::BadUri(_) | ureq::Error::Http(_) => {
                ClientError::Url { url: url.to_owned(), reason: "the address is not valid" }
            }
            ureq::Error::BodyExceedsLimit(limit) => ClientError::Answer {
                url: url.to_owned(),
                reason: format!("it is longer than {limit} bytes"),
            },
            error => ClientError::Unreachable { url: self.url.clone(), reason: error.to_string() },
        };
        let mut response = outcome.map_err(failure)?;
        let text = response
            .body_mut()
            .with_config()
            .limit(MAX_ANSWER_BYTES)
            .read_to_string()
            .map_err(failure)?;
        match response.status().as_u16() {
            200..=299 => Ok(text),
            status => {
                let (code, message) = reason(&text);
                Err(ClientError::Refused { url: self.url.clone(), status, code, message })
            }
        }
    }
}

/// Checks the address of a service; returns true for HTTPS, false for HTTP. An error if it is not
/// valid, or if a token would be sent by HTTP to another host.
fn check(url: &str, has_token: bool) -> Result<bool, ClientError> {
    let fault = |reason| ClientError::Url { url: url.to_owned(), reason };
    let uri: Uri = url.parse().map_err(|_| fault("this is no address of a service"))?;
    let authority = uri.authority().ok_or_else(|| fault("the address names no host"))?;
    if authority.as_str().contains('@') {
        // The address could contain a password.
        let url = format!("{}://{}", uri.scheme_str().unwrap_or("https"), authority.host());
        return Err(ClientError::Url { url, reason: "the address has a user name" });
    }
    if uri.query().is_some() || url.contains('#') {
        return Err(fault("the address has a query"));
    }
    match uri.scheme_str() {
        Some("https") => Ok(true),
        Some("http") if has_token && !is_loopback(authority.host()) => {
            Err(ClientError::TokenInClear { url: url.to_owned() })
        }
        Some("http") => Ok(false),
        _ => Err(fault("the address begins with neither http:// nor https://")),
    }
}

/// Returns true if a host is this one by its name or address.
fn is_loopback(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    address.map_or(host == "localhost", |address| address.is_loopback())
}

/// The certificates of a file, or those of the host.
fn certificates(
    url: &str,
    ca_file: Option<&Path>,
) -> Result<Vec<Certificate<'static>>, ClientError> {
    let none = || ClientError::NoCertificates { url: url.to_owned() };
    let path = match ca_file {
        Some(path) => path.to_owned(),
        None => openssl_probe::probe().cert_file.ok_or_else(none)?,
    };
    let at = |reason| ClientError::Certificates { path: path.clone(), reason };
    let text = orrery::file::read_bytes(&path).map_err(at)?;
    let mut certificates = Vec::new();
    for item in parse_pem(&text) {
        if let PemItem::Certificate(certificate) =
            item.map_err(|error| at(std::io::Error::other(error)))?
        {
            certificates.push(certificate);
        }
    }
    if certificates.is_empty() {
        return Err(at(std::io::Error::other("it has no certificate")));
    }
    Ok(certificates)
}

/// The body of a request with samples.
fn body(samples: &[Sample]) -> String {
    let finite = samples.iter().filter(|sample| sample.value.is_finite());
    let samples = finite.map(|sample| {
        let Sample { series, time, value } = sample;
        json!({"series": series.to_string(), "time": time.seconds().get(), "value": value})
    });
    json!({"samples": samples.collect::<Vec<_>>()}).to_string()
}

/// The code and the reason in the answer of a service, the reason on one line.
fn reason(text: &str) -> (Option<String>, String) {
    let parsed: Option<Value> = serde_json::from_str(text).ok();
    let part = |name| parsed.as_ref()?.get("error")?.get(name)?.as_str();
    let message = part("message").unwrap_or(text);
    let message =
        message.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MAX_REASON_CHARACTERS);
    let message: String = message.collect();
    let message = message.trim();
    let message = if message.is_empty() { "no reason" } else { message };
    (part("code").map(str::to_owned), message.to_owned())
}
