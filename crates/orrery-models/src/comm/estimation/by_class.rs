//! The estimation of a model from links across hosts, and of its parameters for links within a
//! host.

use super::{Estimated, EstimationOptions, FitError, Observations};
use crate::comm::within_host::{PREFIX, WITHIN_HOST};
use crate::comm::{Correlations, ModelKind};
use orrery_cluster::platform::LinkClass;

/// Estimates a model from links across hosts, and its parameters for links within a host from
/// those, if the samples have links of both classes and the model declares such parameters. Where
/// one class does not identify them, all links count as alike; the reason is returned, too.
///
/// # Errors
///
/// When the observations do not identify the parameters.
pub(crate) fn fit_by_class(
    kind: ModelKind,
    observations: &Observations,
    options: &EstimationOptions,
) -> Result<(Estimated, Option<FitError>), FitError> {
    let hosts = observations.hosts();
    let fit = kind.estimator().fit;
    let specs = || kind.definition().groups.iter().flat_map(|group| group.parameters);
    let within_name = |name: &str| {
        let is_same = |own: &&'static str| own.strip_prefix(PREFIX) == Some(name);
        specs().map(|spec| spec.name).find(is_same)
    };
    if !hosts.are_mixed() || specs().all(|spec| spec.object() != Some(WITHIN_HOST)) {
        return Ok((fit(observations, options)?, None));
    }
    let of_class = |class| {
        let chosen = observations.filtered(|experiment| experiment.class(hosts) == Some(class));
        fit(&chosen, options)
    };
    let both = of_class(LinkClass::AcrossHosts)
        .and_then(|across| Ok((across, of_class(LinkClass::WithinHost)?)));
    let (across, within) = match both {
        Ok(both) => both,
        Err(error) => return Ok((fit(observations, options)?, Some(error))),
    };
    let parameters =
        within.parameters.iter().fold(across.parameters, |set, one| match within_name(one.name) {
            Some(name) => set.with_index(name, one.index.clone(), &one.estimates[..]),
            None => set,
        });
    // Correlations are kept for links across hosts; errors of the others count as independent.
    let correlations = across.correlations.filter(|all| *all != Correlations::default());
    Ok((Estimated { parameters, correlations, termination: across.termination }, None))
}
