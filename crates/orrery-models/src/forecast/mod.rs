//! Forecasts of measured series, such as the load of a host or the bandwidth of a link.
//!
//! [`SeriesForecaster`] takes one sample after the other. It runs all forecasters of the Network
//! Weather Service ([`NwsForecasters`]), the daily course and the level since the last change, and
//! gives a mixture of them with a prediction interval whose coverage is measured. [`backtest()`]
//! compares past forecasts of a [`Series`] with its values, and [`read()`] reads one from CSV.

mod backtest;
mod errors;
mod forecaster;
mod interval;
mod level;
mod mixture;
mod nws;
mod options;
mod primary;
mod reader;
mod seasonal;
mod series;
mod time;
mod window;

pub use backtest::{Backtest, Score, backtest};
pub use errors::ErrorMeasure;
pub use forecaster::{Candidate, Forecast, Method, Outcome, SeriesForecaster};
pub use interval::Coverage;
pub use nws::{NwsForecaster, NwsForecasters};
pub use options::{Bounds, ForecastError, ForecastOptions, MAX_LEVEL, MAX_STEPS};
pub use primary::Primary;
pub use reader::{ReadSeries, SeriesFileError, SeriesSelection, read};
pub use series::{Gap, MAX_MAGNITUDE, Series};
pub use time::TimeFormat;
