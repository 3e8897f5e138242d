use clap::Args;
use orrery::model::ModelKind;
use orrery::platform::file::SharingSection;
use orrery::sharing::{LAWS, LawKind, SharingLaw, law_names};
use orrery::simulate::FlowModel;

use crate::context::Usage;
use crate::verbs::law::LawParameters;

/// A network model.
#[derive(Debug, Clone)]
pub enum Network {
    /// Max-min fairness, or one of SimGrid's flow models.
    Flows(Box<FlowModel>),
    /// A sharing law.
    Law(&'static LawKind),
    /// A fitted point-to-point model.
    PointToPoint(ModelKind),
    /// LogGOPS.
    LogGp,
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
        if let Ok(model) = text.parse() {
            return Ok(Self::Flows(Box::new(model)));
        }
        if let Ok(kind) = LawKind::from_name(text) {
            return Ok(Self::Law(kind));
        }
        if text == "loggp" {
            return Ok(Self::LogGp);
        }
        text.parse()
            .map(Self::PointToPoint)
            .map_err(|_| format!("unknown network {text:?}; known are {}", names()))
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

impl Network {
    /// The flow model; an error for options of other laws, and for networks without flows.
    pub fn flow_model(&self, laws: &LawOptions) -> anyhow::Result<FlowModel> {
        match self {
            Self::Law(network) => Ok(laws.model(laws.parameters.law(network, "--network")?)),
            Self::Flows(model) => {
                laws.none(model.name())?;
                Ok((**model).clone())
            }
            Self::PointToPoint(_) | Self::LogGp => self.flow_model_among(laws),
        }
    }

    /// The flow model of one of several networks; options of laws may be for another one.
    pub fn flow_model_among(&self, laws: &LawOptions) -> anyhow::Result<FlowModel> {
        match self {
            Self::Law(network) => Ok(laws.model(laws.parameters.law_among(network, "--network")?)),
            Self::Flows(model) => Ok((**model).clone()),
            Self::PointToPoint(_) | Self::LogGp => {
                let names = law_names();
                Err(Usage(format!("a network with flows is needed: {names} or simgrid-…")).into())
            }
        }
    }
}

impl LawOptions {
    /// Returns an error if options of laws are given for a network without a law.
    pub fn none(&self, network: &str) -> anyhow::Result<()> {
        self.parameters.none(network, "--network")?;
        self.no_shared_links(network)
    }

    /// The same, but accepts --parameters.
    pub fn only_file(&self, network: &str) -> anyhow::Result<()> {
        self.parameters.only_file(network, "--network")?;
        self.no_shared_links(network)
    }

    /// Returns an error if `--with-maxmin` is given.
    fn no_shared_links(&self, network: &str) -> anyhow::Result<()> {
        if self.with_maxmin {
            return Err(Usage(format!(
                "--with-maxmin does not apply to --network {network}; leave it out"
            ))
            .into());
        }
        Ok(())
    }

    /// The flow model of the section [sharing] of a cluster file.
    pub fn of_section(
        &self,
        sharing: &SharingSection,
        path: &std::path::Path,
    ) -> anyhow::Result<FlowModel> {
        let network: Network =
            sharing.law.parse().map_err(|why| Usage(format!("{}: {why}", path.display())))?;
        let Network::Law(law) = network else { return network.flow_model(self) };
        if sharing.parameters.is_empty() {
            return Network::Law(law).flow_model(self);
        }
        Ok(self.model(self.parameters.law_of_file(law, &sharing.parameters, path)?))
    }

    /// The flow model of a law, with shared links if requested.
    fn model(&self, law: SharingLaw) -> FlowModel {
        let model = FlowModel::from_law(law);
        if self.with_maxmin { model.with_shared_links() } else { model }
    }
}
