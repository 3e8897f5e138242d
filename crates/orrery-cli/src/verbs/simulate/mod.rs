mod goal;
mod places;

use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use orrery::platform::{Seating, xml};
use orrery::report::{self, Table};
use orrery::simulate::{FlowModel, Simulation};
use orrery::trace::file;
use orrery::units::Bytes;

use crate::context::{Context, Usage};
use crate::output::{self, Format};

/// Arguments of `orrery simulate`.
#[derive(Debug, Args)]
pub struct Simulate {
    /// The trace: a time-independent one of SimGrid, an index that names a file for each rank, a binary one, or
    /// GOAL; for loggp in GOAL
    #[arg(value_name = "TRACE")]
    trace: PathBuf,
    /// The cluster: a platform of SimGrid in XML; loggp needs none
    #[arg(long, visible_alias = "cluster", value_name = "PLATFORM")]
    platform: Option<PathBuf>,
    /// How transfers share links: maxmin, simgrid-cm02, simgrid-lv08, simgrid-smpi or simgrid-ib; or
    /// loggp, where none minds another
    #[arg(long, value_name = "NETWORK", default_value = "simgrid-smpi")]
    network: Network,
    #[command(flatten)]
    loggp: goal::Parameters,
    /// Which ranks stand where: rrn (hosts in turn), rrp (core by core), random[:SEED]
    #[arg(long, value_name = "PLACEMENT", default_value = "rrn")]
    placement: Seating,
    /// Sends of fewer bytes do not wait for their receive [default: 64K]
    #[arg(long, value_name = "SIZE")]
    eager: Option<Bytes>,
    /// Tell every operation that takes time, too
    #[arg(long)]
    events: bool,
    /// How to write it
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// A network: one whose links are shared, or LogGP.
#[derive(Debug, Clone)]
enum Network {
    Shared(FlowModel),
    LogGp,
}

impl std::str::FromStr for Network {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "loggp" => Ok(Self::LogGp),
            _ => text.parse().map(Self::Shared).map_err(|error| format!("{error}; or loggp")),
        }
    }
}

impl Simulate {
    pub fn run(self, context: Context) -> anyhow::Result<()> {
        let Network::Shared(network) = self.network else {
            return goal::run(context, &self.trace, &self.loggp, self.format);
        };
        let platform = self.platform.ok_or_else(|| Usage("name the cluster with --platform".into()))?;
        let name = platform.display().to_string();
        let text = std::fs::read_to_string(&platform).with_context(|| format!("cannot read {name}"))?;
        let topology = xml::parse(&text, &name)?;
        let trace = file::load(&self.trace)?;
        let hosts = self.placement.hosts(&topology, trace.ranks());
        let speeds: Vec<f64> = hosts.iter().map(|host| topology.hosts[host.index()].speed).collect();
        let mut model = network;
        if let Some(eager) = self.eager {
            model = model.with_eager(eager);
        }
        let schedule = trace.schedule(&speeds, model.test_time());
        let simulation = Simulation::new(&topology, &hosts, model);
        let simulation = if self.events { simulation.with_events() } else { simulation };
        let outcome = simulation.run(&schedule).map_err(|error| places::told(&error, &trace))?;
        context.say(format!("{} actions of {} ranks: {} s", trace.actions(), trace.ranks(), outcome.end.get()));
        let names: Vec<&str> = hosts.iter().map(|host| topology.hosts[host.index()].name.as_str()).collect();
        let tasks = report::tasks(&outcome, &names);
        let place = |event: &orrery::simulate::Event| trace.place(event.rank, event.statement).map(|p| p.to_string());
        let events = self.events.then(|| report::events(&outcome, outcome.events.iter().map(place)));
        match self.format {
            Format::Json => output::text(&json(outcome.end.get(), &tasks, events.as_ref())),
            format => output::print_all(&[Some(tasks), events].into_iter().flatten().collect::<Vec<_>>(), format),
        }
    }
}

fn json(end: f64, tasks: &Table, events: Option<&Table>) -> String {
    let events = events.map(|events| format!(",\"events\":{}", events.json().trim_end())).unwrap_or_default();
    format!("{{\"simulated_seconds\":{end},\"tasks\":{}{events}}}\n", tasks.json().trim_end())
}
