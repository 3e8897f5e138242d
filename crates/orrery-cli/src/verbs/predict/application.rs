//! `orrery predict MODEL application`.

use std::path::Path;

use anyhow::Context as _;
use clap::Args;
use orrery::model::Model;
use orrery::run::{Configuration, variable};
use orrery::scaling::{Forecast, Point, Region};
use orrery::units::NumberList;
use orrery_report::tables::forecasts;

use crate::context::{Usage, warn};
use crate::options;
use crate::output::{self, Format};
use crate::verbs::levels::{level, named};
use crate::verbs::scaling::{application, warn_of_forecasts};

/// The query of `orrery predict MODEL application`: all combinations of the given values.
#[derive(Debug, Args)]
#[command(next_help_heading = "Application")]
pub struct Query {
    /// Problem sizes: 9600, 250000..500000:50000; of a kernel or a parallel routine, columns of the
    /// result
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    pub n: Option<NumberList>,
    /// Rows of the process grid
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    p: Option<NumberList>,
    /// Columns of the process grid
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    q: Option<NumberList>,
    /// Numbers of processes
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    processes: Option<NumberList>,
    /// Block sizes; of a parallel routine, rows and columns of a block [default: 64]
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    pub block: Option<NumberList>,
    /// Set another variable or levels of a category of the model, such as cores=4,8 or
    /// broadcast=1rg,2rM; may be repeated
    #[arg(long, value_name = "NAME=LIST", value_parser = named)]
    set: Vec<(String, String)>,
    /// Processing elements as KIND=ELEMENTSxPROCESSES-PER-ELEMENT, such as
    /// athlon=1x2,pentium-ii=8x1; may be repeated
    #[arg(long, value_name = "KIND=NxM,…")]
    configuration: Vec<Configuration>,
    /// Select the region of the program, if the model has several
    #[arg(long, value_name = "NAME")]
    region: Option<String>,
    /// Probability that a single run lies in its interval
    #[arg(long, value_name = "LEVEL", default_value_t = 0.95, value_parser = options::level)]
    level: f64,
}

/// The largest number of forecasts in one call.
const MAX_FORECASTS: usize = 1_000_000;

/// The values of a variable, or the levels of a category.
enum Values {
    Numbers(NumberList),
    Levels(Vec<String>),
}

impl Values {
    /// The values of `--set NAME=LIST`: levels if the model has a category of this name, otherwise
    /// numbers.
    fn of(region: &Region, name: &str, text: &str) -> Result<Self, Usage> {
        let known =
            region.model.as_terms().map(|terms| terms.effects.levels(name)).unwrap_or_default();
        let words: Vec<String> = text.split(',').map(|word| level(&known, word.trim())).collect();
        match text.parse() {
            Ok(numbers) if !words.iter().any(|word| known.contains(&word.as_str())) => {
                Ok(Self::Numbers(numbers))
            }
            Err(error) if known.is_empty() => Err(Usage(format!("--set {name}={text}: {error}"))),
            _ => Ok(Self::Levels(words)),
        }
    }

    fn count(&self) -> usize {
        match self {
            Self::Numbers(list) => list.as_slice().len(),
            Self::Levels(levels) => levels.len(),
        }
    }

    /// A point with each of the values.
    fn each(&self, point: &Point, name: &str) -> Vec<Point> {
        let mut points = vec![point.clone(); self.count()];
        match self {
            Self::Numbers(list) => {
                points.iter_mut().zip(list.as_slice()).for_each(|(point, value)| {
                    point.variables.insert(name.to_owned(), *value);
                });
            }
            Self::Levels(levels) => points.iter_mut().zip(levels).for_each(|(point, level)| {
                point.labels.insert(name.to_owned(), level.clone());
            }),
        }
        points
    }
}

/// Warns if a point has no level of a category.
fn warn_of_unnamed(region: &Region, point: Option<&Point>) {
    let Some((terms, point)) = region.model.as_terms().zip(point) else { return };
    let unnamed = terms.unnamed_categories(point);
    if let Some(first) = unnamed.first() {
        let levels = terms.effects.levels(first).join(",");
        warn(format!(
            "no level of {} is given: times are the geometric mean of all levels, and intervals \
                include them; choose with \
             --set, such as --set {first}={levels}",
            unnamed.join(", ")
        ));
    }
}

impl Query {
    /// Returns true if an option is given that applies to applications only.
    pub fn is_given(&self) -> bool {
        self.n.is_some() || self.is_given_besides_n()
    }

    /// As [`Query::is_given`], without `--n`, which kernels have, too.
    pub fn is_given_besides_n(&self) -> bool {
        let lists = [&self.p, &self.q, &self.processes, &self.block];
        lists.iter().any(|list| list.is_some())
            || !self.set.is_empty()
            || !self.configuration.is_empty()
    }

    /// Returns true if a value is given besides those that parallel routines have, too.
    pub fn is_given_besides_block(&self) -> bool {
        let lists = [&self.p, &self.q, &self.processes];
        lists.iter().any(|list| list.is_some())
            || !self.set.is_empty()
            || !self.configuration.is_empty()
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
        let answers: Vec<_> =
            self.points(region)?.into_iter().map(each).collect::<anyhow::Result<_>>()?;
        output::print(&forecasts(&answers), format)?;
        warn_of_unnamed(region, answers.first().map(|(point, _)| point));
        warn_of_forecasts(
            region,
            answers.iter().map(|(point, forecast)| (point, forecast)),
            self.level,
        );
        Ok(())
    }

    /// All combinations of the given values; the last variable varies fastest.
    fn points(&self, region: &Region) -> Result<Vec<Point>, Usage> {
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
        let own = own.map(|(name, list)| (name, Values::Numbers(list.clone())));
        let own: Vec<(&str, Values)> = own.collect();
        let set = self
            .set
            .iter()
            .map(|(name, text)| Ok((name.as_str(), Values::of(region, name, text)?)));
        for (name, values) in own.into_iter().chain(set.collect::<Result<Vec<_>, Usage>>()?) {
            if points.len() * values.count() > MAX_FORECASTS {
                return Err(Usage(format!(
                    "there are more than {MAX_FORECASTS} combinations of the given values; give \
                        fewer values"
                )));
            }
            if points[0].variables.contains_key(name) || points[0].labels.contains_key(name) {
                return Err(Usage(format!("{name} is given twice; separate its values by commas")));
            }
            points = points.iter().flat_map(|point| values.each(point, name)).collect();
        }
        Ok(points)
    }
}
