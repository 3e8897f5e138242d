use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::options;

/// Arguments of `orrery monitor serve`.
#[derive(Debug, Args)]
pub struct Serve {
    /// Write samples to this database, which is created if it does not exist; an agent of this host
    /// may write to it, too
    #[arg(long, value_name = "FILE")]
    pub store: PathBuf,
    /// Fitted model of the cluster: answer how long kernels and routines take on its hosts now
    #[arg(long, value_name = "MODEL")]
    pub model: Option<PathBuf>,
    /// Time after which samples are summarised; an agent that writes to the same database must keep
    /// them as long
    #[arg(long, value_name = "DURATION", default_value = "24h", value_parser = options::duration)]
    pub keep: Duration,
    /// Address and port to listen on; addresses other hosts can reach need a token file and a
    /// certificate
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:7410")]
    pub listen: SocketAddr,
    /// File with a token per line: clients send one in the header Authorization [default: all
    /// programs of this host have access]
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// Certificate in PEM, followed by those of its issuers
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub tls_certificate: Option<PathBuf>,
    /// Private key of the certificate in PEM
    #[arg(long, value_name = "FILE", requires = "tls_certificate")]
    pub tls_key: Option<PathBuf>,
    /// Maximum number of open connections; one more closes the one that is idle for the longest
    /// time
    #[arg(long, value_name = "N", default_value_t = 512, value_parser = clap::value_parser!(u32).range(1..))]
    pub max_connections: u32,
    /// Maximum number of requests per second of an address, except for this host
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..))]
    pub max_rate: u32,
    /// Maximum size of a request in KiB
    #[arg(long, value_name = "KIB", default_value_t = 1024, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pub max_body: u32,
    /// Maximum number of series that are stored
    #[arg(long, value_name = "N", default_value_t = 5000, value_parser = clap::value_parser!(u32).range(1..))]
    pub max_series: u32,
}
