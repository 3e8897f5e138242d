mod goal;
mod network;
mod output;

use std::path::PathBuf;

use anyhow::{Context as _, anyhow};
use clap::Args;
use orrery::platform::{Seating, xml};
use orrery::report::Table;
use orrery::simulate::{Simulation, SimulationError};
use orrery::trace::file;
use orrery::trace::tit::Trace;
use orrery::units::Bytes;

use self::network::Network;
use crate::context::{Context, Usage};

/// Arguments of `orrery simulate`.
#[derive(Debug, Args)]
pub struct Simulate {
    /// The trace: a time-independent one of SimGrid, or an index that names a file for each rank; for loggp in GOAL
    #[arg(value_name = "TRACE")]
    trace: PathBuf,
    /// The cluster: a platform of SimGrid in XML; loggp needs none
    #[arg(long, visible_alias = "cluster", value_name = "PLATFORM")]
    platform: Option<PathBuf>,
    /// How transfers share links: maxmin, simgrid-cm02, simgrid-lv08, simgrid-smpi or simgrid-ib; by
    /// which law they slow each other: gige, myrinet or infiniband; or loggp, where none minds another
    #[arg(long, value_name = "NETWORK", default_value = "simgrid-smpi")]
    network: Network,
    /// Which ranks stand where: rrn (hosts in turn), rrp (core by core), random[:SEED]
    #[arg(long, value_name = "PLACEMENT", default_value = "rrn")]
    placement: Seating,
    /// Sends of fewer bytes do not wait for their receive [default: 64K]
    #[arg(long, value_name = "SIZE")]
    eager: Option<Bytes>,
    #[command(flatten)]
    output: output::Output,
    #[command(flatten)]
    laws: network::Laws,
    #[command(flatten)]
    loggp: goal::Parameters,
}

impl Simulate {
    pub fn run(self, context: Context) -> anyhow::Result<()> {
        let Some(mut model) = self.network.model(&self.laws)? else {
            return goal::run(context, &self.trace, &self.loggp, self.output.format());
        };
        let platform = self.platform.ok_or_else(|| Usage("name the cluster with --platform".into()))?;
        let name = platform.display().to_string();
        let text = std::fs::read_to_string(&platform).with_context(|| format!("cannot read {name}"))?;
        let topology = xml::parse(&text, &name)?;
        let trace = file::load(&self.trace)?;
        let hosts = self.placement.hosts(&topology, trace.ranks());
        let speeds: Vec<f64> = hosts.iter().map(|host| topology.hosts[host.index()].speed).collect();
        if let Some(eager) = self.eager {
            model = model.with_eager(eager);
        }
        let schedule = trace.schedule(&speeds, model.test_time());
        let word = model.word();
        let simulation = self.output.asked(Simulation::new(&topology, &hosts, model))?;
        let outcome = simulation.run(&schedule).map_err(|error| located(&error, &trace))?;
        context.say(format!("{} actions of {} ranks: {} s", trace.actions(), trace.ranks(), outcome.end.get()));
        let place = |rank, statement| trace.place(rank, statement).map(|place| place.to_string());
        self.output.tell(context, word, &outcome, (&topology, &hosts), place)
    }
}

/// A deadlock with the places of the trace.
fn located(error: &SimulationError, trace: &Trace) -> anyhow::Error {
    if !matches!(error, SimulationError::Deadlock(_)) {
        return anyhow!("{error}{}", network::hint(error));
    }
    let place = |blocked: &orrery::simulate::Blocked| {
        trace.place(blocked.rank, blocked.statement).map_or("its end".to_owned(), |place| place.to_string())
    };
    anyhow!("deadlock: {}", error.told(place))
}

/// The simulated seconds, and each table under its name.
fn json(end: f64, tables: &[Table]) -> String {
    let told = tables.iter().map(|table| format!("\"{}\":{}", table.name, table.json().trim_end()));
    let all: Vec<String> = [format!("\"simulated_seconds\":{end}")].into_iter().chain(told).collect();
    format!("{{{}}}\n", all.join(","))
}
