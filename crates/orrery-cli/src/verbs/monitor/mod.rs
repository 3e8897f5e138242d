mod forecast;
mod input;

use clap::{Args, Subcommand};

/// Arguments of `orrery monitor`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  orrery monitor forecast load.csv --horizon 10m
  orrery monitor forecast load.csv bandwidth.csv --evaluate")]
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
}

impl Monitor {
    /// Runs the subcommand.
    pub fn run(self) -> anyhow::Result<()> {
        match self.what {
            What::Forecast(arguments) => arguments.run(),
        }
    }
}
