use clap::Args;
use orrery::model::ModelKind;
use orrery::platform::file::SharingSection;
use orrery::sharing::{LAWS, LawKind, SharingLaw, law_names};
use orrery::simulate::FlowModel;

use crate::context::Usage;
use crate::verbs::law::LawParameters;

/// A network: one of messages that flow, by SimGrid's models or by a law; one of pairs; or LogGP.
#[derive(Debug, Clone)]
pub enum Network {
    Shared(FlowModel),
    Law(&'static LawKind),
    Pairs(ModelKind),
    LogGp,
}

/// The laws of the networks that have some.
#[derive(Debug, Args)]
pub struct Laws {
    #[command(flatten)]
    pub parameters: LawParameters,
    /// gige, myrinet, infiniband: links share their capacity max-min fair besides
    #[arg(long, help_heading = "Parameters")]
    with_maxmin: bool,
}

impl std::str::FromStr for Network {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Ok(model) = text.parse() {
            return Ok(Self::Shared(model));
        }
        if let Ok(kind) = LawKind::from_name(text) {
            return Ok(Self::Law(kind));
        }
        if text == "loggp" {
            return Ok(Self::LogGp);
        }
        text.parse().map(Self::Pairs).map_err(|_| format!("unknown network {text:?}; known are {}", names()))
    }
}

/// The names of all networks, separated by commas.
fn names() -> String {
    let flows = FlowModel::ALL.into_iter().map(|model| model.name());
    let laws = LAWS.into_iter().map(|kind| kind.name).filter(|name| *name != FlowModel::MAXMIN.name());
    // LogGP is a network by itself, which needs no model.
    let kinds = ModelKind::ALL.iter().map(|kind| kind.name()).filter(|name| *name != "loggp");
    flows.chain(laws).chain(kinds).chain(["loggp"]).collect::<Vec<_>>().join(", ")
}

impl Network {
    /// The model of flows of a network whose messages flow; what is given for laws has to be for this one.
    pub fn flows(&self, laws: &Laws) -> anyhow::Result<FlowModel> {
        match self {
            Self::Law(network) => Ok(laws.model(laws.parameters.law(*network, "--network")?)),
            Self::Shared(model) => {
                laws.none(model.name())?;
                Ok(model.clone())
            }
            Self::Pairs(_) | Self::LogGp => self.flows_among(laws),
        }
    }

    /// The same of one of several networks; what is given for laws may be for another.
    pub fn flows_among(&self, laws: &Laws) -> anyhow::Result<FlowModel> {
        match self {
            Self::Law(network) => Ok(laws.model(laws.parameters.law_among(*network, "--network")?)),
            Self::Shared(model) => Ok(model.clone()),
            Self::Pairs(_) | Self::LogGp => {
                let names = law_names();
                Err(Usage(format!("a network on which messages flow is needed: {names} or simgrid-…")).into())
            }
        }
    }
}

impl Laws {
    /// Refuses what a network without a law has no use for.
    pub fn none(&self, network: &str) -> anyhow::Result<()> {
        self.parameters.none(network, "--network")?;
        self.no_shared_links(network)
    }

    /// The same, but for a file.
    pub fn only_file(&self, network: &str) -> anyhow::Result<()> {
        self.parameters.only_file(network, "--network")?;
        self.no_shared_links(network)
    }

    fn no_shared_links(&self, network: &str) -> anyhow::Result<()> {
        if self.with_maxmin {
            return Err(Usage(format!("--with-maxmin has no meaning for --network {network}; leave it out")).into());
        }
        Ok(())
    }

    /// The model of flows that a cluster file names.
    pub fn named(&self, sharing: &SharingSection, path: &std::path::Path) -> anyhow::Result<FlowModel> {
        let network: Network = sharing.law.parse().map_err(|why| Usage(format!("{}: {why}", path.display())))?;
        let Network::Law(law) = network else { return network.flows(self) };
        if sharing.parameters.is_empty() {
            return Network::Law(law).flows(self);
        }
        Ok(self.model(self.parameters.law_of_file(law, &sharing.parameters, path)?))
    }

    fn model(&self, law: SharingLaw) -> FlowModel {
        let model = FlowModel::from_law(law);
        if self.with_maxmin { model.with_shared_links() } else { model }
    }
}
