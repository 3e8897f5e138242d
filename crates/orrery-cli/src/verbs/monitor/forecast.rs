use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, anyhow};
use clap::Args;
use orrery::file::read_stream_string;
use orrery::forecast::{Backtest, ForecastOptions, ReadSeries, SeriesSelection, TimeFormat, read};
use orrery::request::SeriesForecastRequest;
use orrery::units::Seconds;
use orrery_report::tables::{
    SeriesForecast, backtests, forecast_candidates, forecast_warnings, series_forecasts,
};

use crate::context::warn;
use crate::output::{self, Format, counted};
use crate::{hand_written, options, refusal};

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
            self.series.iter().map(|path| load(path, &selection)).collect();
        let inputs = inputs?;
        if self.evaluate { self.evaluate(&inputs) } else { self.forecast(&inputs) }
    }

    /// Prints the forecasts.
    fn forecast(&self, inputs: &[Input]) -> anyhow::Result<()> {
        let (mut forecasts, mut candidates) = (Vec::new(), Vec::new());
        for input in inputs {
            let (options, tested) = self.answer(input)?;
            let forecaster = tested.forecaster;
            let forecast = forecaster
                .forecast()
                .with_context(|| format!("{}: there are no samples", input.file))?;
            let (name, read) = (input.name.as_str(), &input.read);
            let (series, format) = (&read.series, read.format);
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
        let results = inputs.iter().map(|input| Ok(self.answer(input)?.1));
        let results = results.collect::<anyhow::Result<Vec<Backtest>>>()?;
        let names = inputs.iter().map(|input| input.name.as_str());
        output::print(&backtests(names.zip(&results)), self.format)
    }

    /// The forecasts of one series.
    fn answer(&self, input: &Input) -> anyhow::Result<(ForecastOptions, Backtest)> {
        let horizon = self.horizon.map(Into::into);
        let (level, min, max) = (self.level, self.min, self.max);
        let request = SeriesForecastRequest { horizon, level, min, max };
        let answer = request.answer(&input.read.series);
        answer.map_err(|error| refusal::failure_at(error, input.file.clone()))
    }
}

/// The name of stdin on the command line.
const STDIN: &str = "-";

/// A series with the name of its file.
#[derive(Debug)]
struct Input {
    /// The name of the file, `stdin` for stdin.
    file: String,
    /// The name of the series: that of the file without its extension, and the column if the user
    /// named it.
    name: String,
    /// The series.
    read: ReadSeries,
}

/// Reads a series; warns of samples that are not in order or without a value.
fn load(path: &Path, selection: &SeriesSelection) -> anyhow::Result<Input> {
    let (file, text) = if path.as_os_str() == STDIN {
        let text = read_stream_string(std::io::stdin().lock())
            .context("stdin: cannot read the series; check that it is text")?;
        hand_written::check_end(Path::new("stdin"), text.as_bytes());
        ("stdin".to_owned(), text)
    } else {
        let file = path.display().to_string();
        let text = hand_written::read(path).with_context(|| {
            format!("{file}: cannot read the series; check its name, and that it is text")
        })?;
        (file, text)
    };
    let read = read(&text, selection).map_err(|error| anyhow!("{file}:{error}"))?;
    if read.series.values().is_empty() {
        return Err(anyhow!(
            "{file}: the series has no samples; add a line such as 2014-02-14 14:30:00,0.5"
        ));
    }
    if read.were_reordered {
        warn(format_args!("{file}: times decrease in the file: samples are sorted by time"));
    }
    if read.missing > 0 {
        let samples = counted(read.missing as u64, "sample");
        warn(format_args!("{file}: left out: {samples} without a value"));
    }
    let stem = path
        .file_stem()
        .filter(|_| path.as_os_str() != STDIN)
        .map(|stem| stem.to_string_lossy().into_owned());
    let name = stem.unwrap_or_else(|| file.clone());
    let name = if selection.value.is_some() { format!("{name} {}", read.name) } else { name };
    Ok(Input { file, name, read })
}
