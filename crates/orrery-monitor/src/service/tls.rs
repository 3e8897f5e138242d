//! The certificate of the service and its key.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

use super::error::ServiceError;
use crate::secret::read_protected;

/// The maximum size of the file of a key in bytes.
const MAX_KEY_BYTES: u64 = 1 << 20;

/// A certificate with its chain and its key, read from files.
#[derive(Clone)]
pub struct Tls {
    pub(super) acceptor: TlsAcceptor,
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tls")
    }
}

impl Tls {
    /// Reads a certificate, followed by those of its issuers, and its key, both in PEM. Connections
    /// use TLS 1.2 or 1.3.
    ///
    /// # Errors
    ///
    /// Returns an error if a file cannot be read, other users can read or write the key, a file has
    /// no certificate or key, or the key belongs to another certificate.
    pub fn read(certificate: &Path, key: &Path) -> Result<Self, ServiceError> {
        let fault =
            |path: &Path, reason: String| ServiceError::Tls { path: path.to_owned(), reason };
        let text = orrery::file::read_bytes(certificate).unwrap_or_default();
        let chain = CertificateDer::pem_slice_iter(&text).collect::<Result<Vec<_>, _>>();
        let chain = chain.ok().filter(|chain| !chain.is_empty());
        let chain = chain.ok_or_else(|| {
            fault(certificate, "this is no readable certificate in PEM; name another file".into())
        })?;
        let private = read_protected(key, MAX_KEY_BYTES)?;
        let private = PrivateKeyDer::from_pem_slice(private.as_bytes()).map_err(|_| {
            fault(key, "this is no readable private key in PEM; name another file".into())
        })?;
        let builder = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
        let builder = builder.with_safe_default_protocol_versions();
        let config = builder
            .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, private));
        let mut config = config.map_err(|error| {
            fault(
                key,
                format!(
                    "the key does not serve the certificate {}: {error}; name its key",
                    certificate.display()
                ),
            )
        })?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Self { acceptor: TlsAcceptor::from(Arc::new(config)) })
    }
}
