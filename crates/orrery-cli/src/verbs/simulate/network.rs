use anyhow::anyhow;
use clap::Args;
use orrery::model::ModelKind;
use orrery::names::advice;
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
            .map_err(|_| format!("unknown network {text:?}; {}", advice(text, "known", names())))
    }
}

impl std::str::FromStr for FlowNetwork {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Ok(model) = text.parse() {
            return Ok(Self::Model(Box::new(model)));
        }
        LawKind::from_name(text).map(Self::Law).map_err(|_| {
            let names = [flow_models(), laws()].concat();
            format!("unknown network with flows {text:?}; {}", advice(text, "known", names))
        })
    }
}

/// The names of all networks.
fn names() -> Vec<&'static str> {
    [flow_models(), laws(), point_to_point_models(), vec!["loggp"]].concat()
}

/// The names of networks with shared links.
fn flow_models() -> Vec<&'static str> {
    FlowModel::ALL.iter().map(FlowModel::name).collect()
}

/// The names of sharing laws that are no flow models.
fn laws() -> Vec<&'static str> {
    let names = LAWS.into_iter().map(|kind| kind.name);
    names.filter(|name| *name != FlowModel::MAXMIN.name()).collect()
}

/// The names of point-to-point models; the name loggp means LogGOPS here.
fn point_to_point_models() -> Vec<&'static str> {
    ModelKind::ALL.iter().map(|kind| kind.name()).filter(|name| *name != "loggp").collect()
}

/// The argument that each network needs besides loggp: a cluster for flows, or a model file.
pub fn requirements() -> Vec<(&'static str, &'static str)> {
    let flows = flow_models().into_iter().chain(laws()).map(|name| (name, "cluster"));
    flows.chain(point_to_point_models().into_iter().map(|name| (name, "file"))).collect()
}

/// The help of `--network`.
pub fn help() -> String {
    format!(
        "Network model: shared links ({}), a sharing law ({}), a fitted point-to-point model ({}), \
            or loggp (LogGOPS, no \
         sharing) [default: the one in the cluster file, else simgrid-smpi]",
        flow_models().join(", "),
        laws().join(", "),
        point_to_point_models().join(", ")
    )
}

/// The help of `--with-maxmin`.
fn maxmin_help() -> String {
    format!("{}: share the capacity of links too, max-min fair", laws().join(", "))
}

impl FlowNetwork {
    /// The flow model; an error for options of other laws.
    pub fn flow_model(&self, laws: &LawOptions) -> anyhow::Result<FlowModel> {
        Ok(Self::flow_models(std::slice::from_ref(self), laws)?.remove(0))
    }

    /// The flow models of several networks; an error for options of laws that none of them has.
    pub fn flow_models(networks: &[Self], laws: &LawOptions) -> anyhow::Result<Vec<FlowModel>> {
        let (mut kinds, mut names) = (Vec::new(), Vec::new());
        for network in networks {
            match network {
                Self::Law(kind) => kinds.push(*kind),
                Self::Model(model) => names.push(model.name()),
            }
        }
        if kinds.is_empty() {
            LawOptions::refuse_except(&[], &names.join(","))?;
        }
        let mut shared = laws.parameters.laws(&kinds, "--network")?.into_iter();
        let model = |network: &Self| match network {
            Self::Law(_) => shared.next().map(|law| laws.model(law)),
            Self::Model(model) => Some((**model).clone()),
        };
        Ok(networks.iter().filter_map(model).collect())
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

    /// This flow model, which has no law; options of laws are refused.
    pub fn of_model(&self, model: FlowModel) -> anyhow::Result<FlowModel> {
        FlowNetwork::Model(Box::new(model)).flow_model(self)
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
