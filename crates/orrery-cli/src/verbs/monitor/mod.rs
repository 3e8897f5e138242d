mod agent;
mod forecast;
mod serve;

use clap::{Args, Subcommand};

use crate::context::Context;

/// Arguments of `orrery monitor`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  orrery monitor forecast load.csv --horizon 10m
  orrery monitor agent --config agent.toml --check
  orrery monitor serve --store series.db")]
pub struct Monitor {
    #[command(subcommand)]
    what: What,
}

/// The subcommands of `orrery monitor`.
#[derive(Debug, Subcommand)]
enum What {
    /// Forecast series from their past values, with prediction intervals whose coverage is measured
    #[command(after_help = "Examples:
  orrery monitor forecast load.csv --horizon 10m
  orrery monitor forecast load.csv --column n1 --min 0 --explain
  orrery monitor forecast load.csv bandwidth.csv --evaluate
  tail -n 2000 load.csv | sed '1i time,load' | orrery monitor forecast - --format json")]
    Forecast(forecast::ForecastSeries),
    /// Measure this host and its links on a schedule, into a database and to a service
    #[command(after_help = "Examples:
  orrery monitor agent --config agent.toml --check
  orrery monitor agent --config agent.toml")]
    Agent(agent::MonitorAgent),
    /// Take samples of agents, and answer with forecasts over HTTP
    #[command(after_help = "Examples:
  orrery monitor serve --store series.db
  orrery monitor serve --store series.db --listen 0.0.0.0:7410 --token-file token \
  --tls-certificate cert.pem --tls-key key.pem
  curl 'http://127.0.0.1:7410/v1/forecast?series=node1/load&horizon=10m'")]
    Serve(serve::Serve),
}

impl Monitor {
    /// Runs the subcommand.
    #[cfg(feature = "monitor")]
    pub fn run(self, context: Context) -> anyhow::Result<()> {
        match self.what {
            What::Forecast(arguments) => arguments.run(),
            What::Agent(arguments) => arguments.run(context),
            What::Serve(arguments) => arguments.run(context),
        }
    }

    /// Runs the subcommand, unless it needs the feature `monitor`.
    #[cfg(not(feature = "monitor"))]
    pub fn run(self, _: Context) -> anyhow::Result<()> {
        match self.what {
            What::Forecast(arguments) => arguments.run(),
            What::Agent(_) | What::Serve(_) => Err(no_monitoring()),
        }
    }
}

/// The error of verbs that need the feature `monitor`.
#[cfg(not(feature = "monitor"))]
fn no_monitoring() -> anyhow::Error {
    crate::context::Usage(
        "this build has no monitoring; build it with `--features monitor`".to_owned(),
    )
    .into()
}
