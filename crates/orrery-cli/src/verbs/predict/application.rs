//! `orrery predict MODEL application`.

use std::path::Path;

use anyhow::Context as _;
use clap::Args;
use orrery::model::Model;
use orrery::run::{Configuration, variable};
use orrery::scaling::{Forecast, Point};
use orrery::units::NumberList;
use orrery_report::tables::forecasts;

use crate::context::Usage;
use crate::options;
use crate::output::{self, Format};
use crate::verbs::scaling::{application, warn_of_forecasts};

/// The query of `orrery predict MODEL application`: all combinations of the given values.
#[derive(Debug, Args)]
#[command(next_help_heading = "Application")]
pub struct Query {
    /// Problem sizes: 9600, 250000..500000:50000
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    n: Option<NumberList>,
    /// Rows of the process grid
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    p: Option<NumberList>,
    /// Columns of the process grid
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    q: Option<NumberList>,
    /// Numbers of processes
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    processes: Option<NumberList>,
    /// Block sizes
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    block: Option<NumberList>,
    /// Set another variable of the model, such as cores=4,8; may be repeated
    #[arg(long, value_name = "NAME=LIST", value_parser = named)]
    set: Vec<(String, NumberList)>,
    /// Processing elements as KIND=ELEMENTSxPROCESSES-PER-ELEMENT, such as athlon=1x2,pentium-ii=8x1; may be repeated
    #[arg(long, value_name = "KIND=NxM,…")]
    configuration: Vec<Configuration>,
    /// Select the region of the program, if the model has several
    #[arg(long, value_name = "NAME")]
    region: Option<String>,
    /// Probability that a single run lies in its interval
    #[arg(long, value_name = "LEVEL", default_value_t = 0.95, value_parser = options::level)]
    level: f64,
}

/// Parses NAME=LIST.
fn named(text: &str) -> Result<(String, NumberList), String> {
    let (name, list) = text.split_once('=').ok_or("write NAME=LIST, such as cores=4,8")?;
    let list = list.parse().map_err(|error: orrery::units::UnitError| error.to_string())?;
    Ok((name.trim().to_owned(), list))
}

/// The largest number of forecasts in one call.
const MAX_FORECASTS: usize = 1_000_000;

impl Query {
    /// Returns true if an option is given that applies to applications only.
    pub fn is_given(&self) -> bool {
        let lists = [&self.n, &self.p, &self.q, &self.processes, &self.block];
        lists.iter().any(|list| list.is_some()) || !self.set.is_empty() || !self.configuration.is_empty()
    }

    /// Prints a table of forecasts.
    pub fn print(&self, model: &Model, path: &Path, format: Format) -> anyhow::Result<()> {
        let place = || path.display().to_string();
        let application = application(model, path)?;
        let region = application.region(self.region.as_deref()).with_context(place)?;
        let each = |point: Point| -> anyhow::Result<(Point, Forecast)> {
            let forecast = region.forecast(&point, self.level).with_context(place)?;
            Ok((point, forecast))
        };
        let answers: Vec<_> = self.points()?.into_iter().map(each).collect::<anyhow::Result<_>>()?;
        output::print(&forecasts(&answers), format)?;
        warn_of_forecasts(region, answers.iter().map(|(point, forecast)| (point, forecast)), self.level);
        Ok(())
    }

    /// All combinations of the given values; the last variable varies fastest.
    fn points(&self) -> Result<Vec<Point>, Usage> {
        let configurations = self.configuration.iter().cloned();
        let begin = |configuration| Point { configuration, ..Point::default() };
        let mut points: Vec<Point> = configurations.map(begin).collect();
        if points.is_empty() {
            points.push(Point::default());
        }
        let own = [
            (variable::PROBLEM_SIZE, &self.n),
            (variable::PROCESSES, &self.processes),
            (variable::GRID_ROWS, &self.p),
            (variable::GRID_COLUMNS, &self.q),
            (variable::BLOCK_SIZE, &self.block),
        ];
        let own = own.into_iter().filter_map(|(name, list)| Some((name, list.as_ref()?)));
        for (name, list) in own.chain(self.set.iter().map(|(name, list)| (name.as_str(), list))) {
            if points.len() * list.as_slice().len() > MAX_FORECASTS {
                return Err(Usage(format!(
                    "there are more than {MAX_FORECASTS} combinations of the given values; give fewer values"
                )));
            }
            if points[0].variables.contains_key(name) {
                return Err(Usage(format!("{name} is given twice; separate its values by commas")));
            }
            let with = |point: &Point, value: f64| {
                let mut point = point.clone();
                point.variables.insert(name.to_owned(), value);
                point
            };
            points =
                points.iter().flat_map(|point| list.as_slice().iter().map(move |&value| with(point, value))).collect();
        }
        Ok(points)
    }
}
