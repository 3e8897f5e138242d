//! `orrery predict application`: the times of runs of an application.

use clap::Args;
use orrery::request::ApplicationRequest;
use orrery::run::Configuration;
use orrery::scaling::{Point, Region, RegionOrder};
use orrery::units::NumberList;
use orrery_report::tables::{forecasts, regions};

use super::Common;
use crate::context::warn;
use crate::verbs::samples;
use crate::verbs::scaling::{warn_of_forecasts, warn_of_varying_together};
use crate::verbs::search_space::named;
use crate::{options, output, refusal};

/// Arguments of an application: all combinations of the given values.
#[derive(Debug, Args)]
pub struct ApplicationArguments {
    #[command(flatten)]
    common: Common,
    /// Problem sizes, if the model depends on them: 9600, 250000..500000:50000
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    n: Option<NumberList>,
    /// Rows of the process grid, if the model depends on them: 2,4
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    p: Option<NumberList>,
    /// Columns of the process grid, if the model depends on them: 2,4
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    q: Option<NumberList>,
    /// Numbers of processes, if the model depends on them: 4,8
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    processes: Option<NumberList>,
    /// Block sizes, if the model depends on them: 64,128
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    block: Option<NumberList>,
    /// Set another variable or levels of a category of the model, such as cores=4,8 or
    /// broadcast=1rg,2rM; may be repeated
    #[arg(long, value_name = "NAME=LIST", value_parser = named)]
    set: Vec<(String, String)>,
    /// Processing elements as KIND=ELEMENTSxPROCESSES-PER-ELEMENT, such as
    /// athlon=1x2,pentium-ii=8x1; may be repeated
    #[arg(long, value_name = "KIND=NxM,…")]
    configuration: Vec<Configuration>,
    /// Select the region of the program, if the model has several
    #[arg(long, value_name = "NAME", conflicts_with = "rank_by")]
    region: Option<String>,
    /// Rank all regions at one point, with the share of the time and its growth
    #[arg(long, value_name = "ORDER", value_parser = options::described::<RegionOrder>())]
    rank_by: Option<RegionOrder>,
    /// Probability that a single run lies in its interval
    #[arg(long, value_name = "LEVEL", default_value_t = 0.95, value_parser = options::level)]
    level: f64,
}

impl ApplicationArguments {
    /// Prints forecasts.
    pub fn run(self) -> anyhow::Result<()> {
        let path = &self.common.model;
        let model = samples::model(path)?;
        let list = |list: Option<NumberList>| list.unwrap_or_default().as_slice().to_vec();
        let request = ApplicationRequest {
            region: self.region,
            configurations: self.configuration,
            n: list(self.n),
            processes: list(self.processes),
            p: list(self.p),
            q: list(self.q),
            block: list(self.block),
            set: self.set,
            level: self.level,
            rank_by: self.rank_by,
        };
        let failure = |error| refusal::failure(error, path);
        let metric = request.metric(&model).map_err(failure)?;
        if self.rank_by.is_some() {
            let (point, ranked) = request.regions(&model).map_err(failure)?;
            output::print(&regions(metric, &point, &ranked), self.common.format)?;
            warn_of_varying_together(ranked.iter().map(|one| one.region));
            return Ok(());
        }
        let answers = request.answers(&model).map_err(failure)?;
        output::print(&forecasts(metric, &answers), self.common.format)?;
        let region = request.region(&model).map_err(failure)?;
        warn_of_varying_together([region]);
        warn_of_unnamed(region, answers.first().map(|(point, _)| point));
        let rows = answers.iter().map(|(point, forecast)| (point, forecast));
        warn_of_forecasts(region, rows, self.level);
        Ok(())
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
