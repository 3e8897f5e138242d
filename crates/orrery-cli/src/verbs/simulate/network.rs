use clap::{Args, ValueEnum as _};
use orrery::sharing::SharingError;
use orrery::simulate::{FlowModel, SimulationError};

use crate::context::Usage;
use crate::verbs::law::{self, LawParameters};

/// A network: one of messages that flow, by SimGrid's models or by a law, or LogGP.
#[derive(Debug, Clone)]
pub enum Network {
    Shared(FlowModel),
    Law(law::Network),
    LogGp,
}

/// The laws of the networks that have some.
#[derive(Debug, Args)]
pub struct Laws {
    #[command(flatten)]
    parameters: LawParameters,
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
            Err(_) => {
                text.parse().map(Self::Shared).map_err(|error| format!("{error}, gige, myrinet, infiniband or loggp"))
            }
        }
    }
}

impl Network {
    /// The model of the flows; `None` for LogGP. What is given for laws has to be for this one.
    pub fn model(&self, laws: &Laws) -> anyhow::Result<Option<FlowModel>> {
        let model = match self {
            Self::Law(network) => {
                let model = FlowModel::of(laws.parameters.law(*network, "--network")?);
                return Ok(Some(if laws.with_maxmin { model.with_shared_links() } else { model }));
            }
            Self::Shared(model) => Some(model.clone()),
            Self::LogGp => None,
        };
        let word = model.as_ref().map_or("loggp", FlowModel::word);
        laws.parameters.none(word, "--network")?;
        if laws.with_maxmin {
            return Err(Usage(format!("--with-maxmin has no meaning for --network {word}; leave it out")).into());
        }
        Ok(model)
    }
}

/// What may help against an error of a law.
pub fn hint(error: &SimulationError) -> &'static str {
    match error {
        SimulationError::Sharing { error: SharingError::TooLarge { .. }, .. } => " (--estimate)",
        _ => "",
    }
}
