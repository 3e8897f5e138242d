//! Laws of sharing: `{"gige": {"beta", "gamma_out", "gamma_in"}, "infiniband": {"beta_out", "beta_in", "gamma"}}`.

use super::error::{Fault, Result};
use super::parameter::{self, Extent};
use super::summary::UnknownKeys;
use crate::json::{Layout, Node};
use crate::numeric::Estimate;
use crate::sharing::{GigabitEthernet, GigeParameters, Infiniband, InfinibandParameters, ParameterError, Parameters};

/// The key among the models.
pub(super) const KEY: &str = "sharing";

const NETWORKS: [&str; 2] = ["gige", "infiniband"];

pub(super) fn read(node: Node, unknown: &mut UnknownKeys) -> Result<Parameters> {
    let object = node.object("an object with \"gige\" or \"infiniband\"")?;
    unknown.note_keys(&object, &NETWORKS);
    let gige = object.get("gige").map(|node| {
        let parameters = GigeParameters::from_estimates(three(node, GigabitEthernet::PARAMETERS, unknown)?);
        sensible(node, parameters.law().map(|_| parameters))
    });
    let gige = gige.transpose()?;
    let infiniband = object.get("infiniband").map(|node| {
        let parameters = InfinibandParameters::from_estimates(three(node, Infiniband::PARAMETERS, unknown)?);
        sensible(node, parameters.law().map(|_| parameters))
    });
    Ok(Parameters { gige, infiniband: infiniband.transpose()? })
}

fn three(node: Node, names: [&'static str; 3], unknown: &mut UnknownKeys) -> Result<[Estimate; 3]> {
    let object = node.object("an object with the parameters of the network")?;
    unknown.note_keys(&object, &names);
    let mut one = |name| -> Result<Estimate> {
        Ok(parameter::read(object.needed(name, "{\"value\": …} with one number")?, Extent::Signed, unknown)?[0])
    };
    Ok([one(names[0])?, one(names[1])?, one(names[2])?])
}

/// What makes a law; otherwise the parameter that does not is told.
fn sensible<T>(node: Node, parameters: std::result::Result<T, ParameterError>) -> Result<T> {
    parameters.map_err(|error| {
        let place = node.object("").ok().and_then(|object| object.get(error.name)).unwrap_or(node);
        place.refuse(Fault::Sharing(error))
    })
}

/// Lays out the parameters, if there are any. An error comes with its place.
pub(super) fn write(parameters: &Parameters) -> std::result::Result<Option<Layout>, (String, Fault)> {
    let laws = [parameters.gige.map(|p| p.law().err()), parameters.infiniband.map(|p| p.law().err())];
    for (network, law) in NETWORKS.into_iter().zip(laws) {
        if let Some(Some(error)) = law {
            return Err((format!("models.{KEY}.{network}.{}", error.name), Fault::Sharing(error)));
        }
    }
    let mut networks: Vec<(String, Layout)> = Vec::new();
    for network in NETWORKS {
        let mut entries = Vec::new();
        for (_, name, estimate) in parameters.all().into_iter().filter(|(of, ..)| *of == network) {
            let layout = parameter::write(&[estimate], Extent::Signed)
                .map_err(|(within, fault)| (format!("models.{KEY}.{network}.{name}{within}"), fault))?;
            entries.push((name.to_owned(), layout));
        }
        if !entries.is_empty() {
            networks.push((network.to_owned(), Layout::Object(entries)));
        }
    }
    Ok((!networks.is_empty()).then_some(Layout::Object(networks)))
}
