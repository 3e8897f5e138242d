use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

#[cfg(feature = "monitor")]
use crate::context::Context;
use crate::options;

/// Arguments of `orrery monitor serve`.
#[derive(Debug, Args)]
pub struct Serve {
    /// Write samples to this database, which is created if it does not exist; an agent of this user
    /// may write to it, too
    #[arg(long, value_name = "FILE")]
    store: PathBuf,
    /// Fitted model of the cluster: answer how long kernels and routines take on its hosts now
    #[arg(long, value_name = "MODEL")]
    model: Option<PathBuf>,
    /// Time after which samples are summarised; an agent that writes to the same database must keep
    /// them as long
    #[arg(long, value_name = "DURATION", default_value = "24h", value_parser = options::duration)]
    keep: Duration,
    /// Address and port to listen on; addresses other hosts can reach need a token file and a
    /// certificate
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:7410")]
    listen: SocketAddr,
    /// File with a token per line: clients send one in the header Authorization [default: all
    /// programs of this host have access]
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Certificate in PEM, followed by those of its issuers
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_certificate: Option<PathBuf>,
    /// Private key of the certificate in PEM
    #[arg(long, value_name = "FILE", requires = "tls_certificate")]
    tls_key: Option<PathBuf>,
    /// Maximum number of open connections; one more closes the slowest one of the address with
    /// most
    #[arg(long, value_name = "N", default_value_t = 512, value_parser = clap::value_parser!(u32).range(1..))]
    max_connections: u32,
    /// Maximum number of requests per second of an address, except for this host
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..))]
    max_rate: u32,
    /// Maximum size of a request in KiB
    #[arg(long, value_name = "KIB", default_value_t = 1024, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    max_body: u32,
    /// Maximum number of series that are stored
    #[arg(long, value_name = "N", default_value_t = 5000, value_parser = clap::value_parser!(u32).range(1..))]
    max_series: u32,
}

#[cfg(feature = "monitor")]
impl Serve {
    /// Runs the service until SIGINT or SIGTERM; prints its events to stderr.
    pub fn run(self, context: Context) -> anyhow::Result<()> {
        use orrery_monitor::service::{
            Event, Limits, Service, ServiceError, ServiceOptions, Tls, Tokens,
        };
        use orrery_monitor::store::Retention;

        use crate::context::{Usage, warn};
        use crate::verbs::samples;

        let tokens = self.token_file.as_deref().map(Tokens::read).transpose()?;
        let files = self.tls_certificate.as_deref().zip(self.tls_key.as_deref());
        let tls = files.map(|(certificate, key)| Tls::read(certificate, key)).transpose()?;
        let limits = Limits {
            connections: self.max_connections as usize,
            requests_per_second: self.max_rate,
            body_bytes: self.max_body as usize * 1024,
            series: self.max_series as usize,
            ..Limits::default()
        };
        let model = self.model.as_deref().map(samples::model).transpose()?;
        let options = ServiceOptions {
            store: self.store,
            listen: self.listen,
            tokens,
            tls,
            limits,
            retention: Retention { samples: self.keep.into(), ..Retention::default() },
            model,
        };
        // The service logs from several threads; the MPI job of the context belongs to this one.
        let quiet = context.quiet;
        let log = move |event: Event| {
            if event.is_warning() {
                warn(event);
            } else {
                Context::new(quiet).say(format_args!("orrery: {event}"));
            }
        };
        let service = Service::start(options, log).map_err(|error| match error {
            error @ ServiceError::Unprotected { .. } => Usage(error.to_string()).into(),
            error => anyhow::Error::from(error),
        })?;
        let stopper = service.stopper();
        ctrlc::set_handler(move || stopper.stop())?;
        service.run();
        Ok(())
    }
}
