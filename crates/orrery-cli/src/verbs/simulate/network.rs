use anyhow::anyhow;
use clap::Args;
use orrery::model::ModelKind;
use orrery::platform::file::SharingSection;
use orrery::sharing::{LAWS, LawKind, SharingLaw};
use orrery::simulate::FlowModel;

use crate::applies;
use crate::context::Usage;
use crate::verbs::law::LawParameters;

/// A network model.
#[derive(Debug, Clone)]
pub enum Network {
    /// A network with flows.
    Flows(FlowNetwork),
    /// A fitted point-to-point model.
    PointToPoint(ModelKind),
    /// LogGOPS.
    LogGp,
}

/// A network whose messages are flows.
#[derive(Debug, Clone)]
pub enum FlowNetwork {
    /// Max-min fairness, or one of SimGrid's flow models.
    Model(Box<FlowModel>),
    /// A sharing law.
    Law(&'static LawKind),
}

/// The options of sharing laws.
#[derive(Debug, Args)]
pub struct LawOptions {
    #[command(flatten)]
    pub parameters: LawParameters,
    #[arg(long, help_heading = "Parameters", help = maxmin_help())]
    with_maxmin: bool,
}

impl std::str::FromStr for Network {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Ok(network) = text.parse() {
            return Ok(Self::Flows(network));
        }
        if text == "loggp" {
            return Ok(Self::LogGp);
        }
        text.parse()
            .map(Self::PointToPoint)
            .map_err(|_| format!("unknown network {text:?}; known are {}", names()))
    }
}

impl std::str::FromStr for FlowNetwork {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Ok(model) = text.parse() {
            return Ok(Self::Model(Box::new(model)));
        }
        LawKind::from_name(text).map(Self::Law).map_err(|_| {
            let names = [flow_models(), laws()].join(", ");
            format!("a network with flows is needed: one of {names}")
        })
    }
}

/// The names of all networks, separated by commas.
fn names() -> String {
    [flow_models(), laws(), point_to_point_models(), "loggp".to_owned()].join(", ")
}

/// The names of networks with shared links, separated by commas.
fn flow_models() -> String {
    FlowModel::ALL.iter().map(FlowModel::name).collect::<Vec<_>>().join(", ")
}

/// The names of sharing laws that are no flow models, separated by commas.
fn laws() -> String {
    let laws =
        LAWS.into_iter().map(|kind| kind.name).filter(|name| *name != FlowModel::MAXMIN.name());
    laws.collect::<Vec<_>>().join(", ")
}

/// The names of point-to-point models, separated by commas; the name loggp means LogGOPS here.
fn point_to_point_models() -> String {
    let kinds = ModelKind::ALL.iter().map(|kind| kind.name()).filter(|name| *name != "loggp");
    kinds.collect::<Vec<_>>().join(", ")
}

/// The help of `--network`.
pub fn help() -> String {
    format!(
        "Network model: shared links ({}), a sharing law ({}), a fitted point-to-point model ({}), \
            or loggp (LogGOPS, no \
         sharing) [default: the one in the cluster file, else simgrid-smpi]",
        flow_models(),
        laws(),
        point_to_point_models()
    )
}

/// The help of `--with-maxmin`.
fn maxmin_help() -> String {
    format!("{}: share the capacity of links too, max-min fair", laws())
}

impl FlowNetwork {
    /// The flow model; an error for options of other laws.
    pub fn flow_model(&self, laws: &LawOptions) -> anyhow::Result<FlowModel> {
        match self {
            Self::Law(network) => Ok(laws.model(laws.parameters.law(network, "--network")?)),
            Self::Model(model) => {
                LawOptions::refuse_except(&[], model.name())?;
                Ok((**model).clone())
            }
        }
    }

    /// The flow model of one of several networks; options of laws may be for another one.
    pub fn flow_model_among(&self, laws: &LawOptions) -> anyhow::Result<FlowModel> {
        match self {
            Self::Law(network) => Ok(laws.model(laws.parameters.law_among(network, "--network")?)),
            Self::Model(model) => Ok((**model).clone()),
        }
    }
}

impl LawOptions {
    /// Returns an error if options are given for a network without a law, besides those with these
    /// names.
    pub fn refuse_except(known: &[&str], network: &str) -> Result<(), Usage> {
        let subject = format!("--network {network}");
        LawParameters::refuse_except(known, &subject)?;
        applies::refuse(&["--with-maxmin"], subject)
    }

    /// The flow model of the section [sharing] of a cluster file.
    pub fn of_section(
        &self,
        sharing: &SharingSection,
        path: &std::path::Path,
    ) -> anyhow::Result<FlowModel> {
        let network: Result<FlowNetwork, String> = sharing.law.parse();
        let network = network.map_err(|why| anyhow!("{}: {why}", path.display()))?;
        match network {
            FlowNetwork::Law(law) if !sharing.parameters.is_empty() => {
                Ok(self.model(self.parameters.law_of_file(law, &sharing.parameters, path)?))
            }
            network => network.flow_model(self),
        }
    }

    /// The flow model of a law, with shared links if requested.
    fn model(&self, law: SharingLaw) -> FlowModel {
        let model = FlowModel::from_law(law);
        if self.with_maxmin { model.with_shared_links() } else { model }
    }
}
