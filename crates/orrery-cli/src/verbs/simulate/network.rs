use clap::{Args, ValueEnum as _};
use orrery::model::ModelKind;
use orrery::platform::file::SharingSection;
use orrery::sharing::SharingLaw;
use orrery::simulate::FlowModel;

use crate::context::Usage;
use crate::verbs::law::{self, LawParameters};

/// A network: one of messages that flow, by SimGrid's models or by a law; one of pairs; or LogGP.
#[derive(Debug, Clone)]
pub enum Network {
    Shared(FlowModel),
    Law(law::Network),
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
        match law::Network::from_str(text, false) {
            Ok(law::Network::Maxmin) => Ok(Self::Shared(FlowModel::MAXMIN)),
            Ok(network) => Ok(Self::Law(network)),
            Err(_) if text == "loggp" => Ok(Self::LogGp),
            Err(_) => text.parse().map(Self::Shared).or_else(|error| {
                // LogGP is a network by itself, which needs no model.
                let kinds: Vec<_> =
                    ModelKind::ALL.iter().map(|kind| kind.name()).filter(|word| *word != "loggp").collect();
                let kinds = kinds.join(", ");
                let words = || format!("{error}, gige, myrinet, infiniband, {kinds} and loggp");
                text.parse().map(Self::Pairs).map_err(|_| words())
            }),
        }
    }
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
                let why = "a network on which messages flow is needed: maxmin, gige, myrinet, infiniband, simgrid-…";
                Err(Usage(why.into()).into())
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
        Ok(self.model(self.parameters.law_of(law, &sharing.parameters, path)?))
    }

    fn model(&self, law: SharingLaw) -> FlowModel {
        let model = FlowModel::from_law(law);
        if self.with_maxmin { model.with_shared_links() } else { model }
    }
}
