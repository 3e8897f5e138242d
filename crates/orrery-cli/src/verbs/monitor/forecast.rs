use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context as _;
use clap::Args;
use orrery::forecast::{Bounds, ForecastOptions, SeriesSelection, TimeFormat, backtest};
use orrery::units::Seconds;
use orrery_report::tables::{
    SeriesForecast, backtests, forecast_candidates, forecast_warnings, series_forecasts,
};

use super::input::{self, Input};
use crate::context::{Usage, warn};
use crate::options;
use crate::output::{self, Format};

/// Arguments of `orrery monitor forecast`.
#[derive(Debug, Args)]
pub struct ForecastSeries {
    /// CSV files with column names in the first line, a column of times and one of values; - for
    /// stdin
    #[arg(value_name = "SERIES", required = true)]
    series: Vec<PathBuf>,
    /// Time from the last sample to the forecast, such as 90s, 10m or 2h, rounded to whole samples
    /// [default: the next sample]
    #[arg(long, value_name = "DURATION", value_parser = options::duration)]
    horizon: Option<Duration>,
    /// Name of the column of values [default: the only one besides the times, or the one named
    /// value]
    #[arg(long, value_name = "COLUMN")]
    column: Option<String>,
    /// Name of the column of times [default: the one named time, timestamp, datetime, date or
    /// seconds, else the first]
    #[arg(long, value_name = "COLUMN")]
    time: Option<String>,
    /// Level of the prediction intervals
    #[arg(long, value_name = "LEVEL", default_value_t = 0.95, value_parser = options::level)]
    level: f64,
    /// Minimum of possible values, such as 0: forecasts and intervals do not go below
    #[arg(long, value_name = "VALUE", allow_negative_numbers = true)]
    min: Option<f64>,
    /// Maximum of possible values, such as 1 for an availability
    #[arg(long, value_name = "VALUE", allow_negative_numbers = true)]
    max: Option<f64>,
    /// Present time, as times are written in the file: warn if the last sample is old
    #[arg(long, value_name = "TIME", value_parser = time)]
    now: Option<Seconds>,
    /// Print the forecasts, past errors and weights of all methods too
    #[arg(long, conflicts_with = "evaluate")]
    explain: bool,
    /// Forecast every past value from those before it, and print the errors and the coverage of the
    /// intervals instead
    #[arg(long)]
    evaluate: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// Parses a time.
fn time(text: &str) -> Result<Seconds, String> {
    let time = TimeFormat::parse(text).map(|(time, _)| time);
    time.ok_or_else(|| {
        "write 2014-02-14 14:30:00, 2014-02-14T14:30:00Z, or a number of seconds".to_owned()
    })
}

impl ForecastSeries {
    /// Forecasts the series and prints the forecasts, or the errors of past ones.
    pub fn run(self) -> anyhow::Result<()> {
        let selection = SeriesSelection { time: self.time.clone(), value: self.column.clone() };
        let inputs: anyhow::Result<Vec<Input>> =
            self.series.iter().map(|path| input::load(path, &selection)).collect();
        let inputs = inputs?;
        if self.evaluate { self.evaluate(&inputs) } else { self.forecast(&inputs) }
    }

    /// Prints the forecasts.
    fn forecast(&self, inputs: &[Input]) -> anyhow::Result<()> {
        let (mut forecasts, mut candidates) = (Vec::new(), Vec::new());
        for input in inputs {
            let (options, read) = (self.options(input)?, &input.read);
            let forecaster =
                backtest(&read.series, options).with_context(|| input.file.clone())?.forecaster;
            let forecast = forecaster
                .forecast()
                .with_context(|| format!("{}: there are no samples", input.file))?;
            let (name, series, format) = (input.name.as_str(), &read.series, read.format);
            let all = forecaster.candidates();
            let shown =
                SeriesForecast { name, series, format, options, forecast, candidates: all.clone() };
            for warning in forecast_warnings(&shown, self.now) {
                warn(format_args!("{}: {warning}", input.file));
            }
            forecasts.push(shown);
            candidates.push((name, all));
        }
        let forecasts = series_forecasts(&forecasts);
        if self.explain {
            return output::print_all(&[forecasts, forecast_candidates(candidates)], self.format);
        }
        output::print(&forecasts, self.format)
    }

    /// Prints the errors of past forecasts.
    fn evaluate(&self, inputs: &[Input]) -> anyhow::Result<()> {
        let backtest = |input: &Input| {
            let options = self.options(input)?;
            backtest(&input.read.series, options).with_context(|| input.file.clone())
        };
        let results = inputs.iter().map(backtest).collect::<anyhow::Result<Vec<_>>>()?;
        let names = inputs.iter().map(|input| input.name.as_str());
        output::print(&backtests(names.zip(&results)), self.format)
    }

    /// The options of the forecasts of one series.
    fn options(&self, input: &Input) -> anyhow::Result<ForecastOptions> {
        let usage =
            |error: orrery::forecast::ForecastError| anyhow::Error::from(Usage(error.to_string()));
        let (low, high) =
            (self.min.unwrap_or(f64::NEG_INFINITY), self.max.unwrap_or(f64::INFINITY));
        let bounds = Bounds::new(low, high).map_err(usage)?;
        let options =
            ForecastOptions::default().with_level(self.level).map_err(usage)?.with_bounds(bounds);
        let Some(horizon) = self.horizon else { return Ok(options) };
        let steps = input.read.series.steps(horizon.into());
        let steps = steps.with_context(|| {
            format!(
                "{}: --horizon needs the spacing of samples, but all have one time; add samples",
                input.file
            )
        })?;
        options.with_steps(steps).with_context(|| input.file.clone())
    }
}
