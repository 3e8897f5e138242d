//! The choice of a cluster, a network and a placement for applications.

use serde::{Deserialize, Serialize};

use super::{
    Assumed, EagerLimits, RankPlacement, SharedLinks, SimulatedApplication, SimulatedPlatform,
};
use crate::platform::Network;
use crate::request::{RequestError, UnusedSetting};
use crate::simulate::{FlowModel, Objective, Outcome, rank, sweep, without_sharing};
use crate::units::Seconds;

/// The choice among clusters with networks and placements for applications.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NetworkRequest {
    /// The quantity that is minimised.
    pub objective: Objective,
    /// The number of candidates in the answer; all by default.
    pub top: Option<usize>,
    /// The number of simulations at the same time, on which the answer does not depend.
    pub jobs: usize,
}

impl Default for NetworkRequest {
    fn default() -> Self {
        Self { objective: Objective::default(), top: None, jobs: 1 }
    }
}

/// A cluster with a network, and the same one without sharing.
#[derive(Debug)]
pub struct CandidateNetwork {
    /// The name of the cluster.
    pub cluster: String,
    /// The name of the network.
    pub network: &'static str,
    platform: SimulatedPlatform,
    alone: SimulatedPlatform,
}

/// The simulated time of an application on a candidate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NetworkTime {
    /// The execution time.
    pub seconds: Seconds,
    /// The time in communication, summed over its tasks.
    pub communicating: Seconds,
    /// The time in communication if no message shares a link.
    pub unshared: Seconds,
    /// The execution time if no message shares a link.
    pub unshared_seconds: Seconds,
}

/// A cluster with a network model and a placement.
#[derive(Debug, Clone, PartialEq)]
pub struct NetworkCandidate<'a> {
    /// The cluster.
    pub cluster: &'a str,
    /// The network.
    pub network: &'a str,
    /// The placement.
    pub placement: &'a str,
    /// The value of the objective by which candidates are ranked.
    pub score: f64,
    /// The times of the applications.
    pub times: Vec<NetworkTime>,
    /// What the simulations assume, since the file of the cluster does not have it.
    pub assumed: Vec<Assumed>,
}

/// The candidates, ranked.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedNetworks<'a> {
    /// The requested number of candidates, the best first.
    pub candidates: Vec<NetworkCandidate<'a>>,
    /// The shortest time of each application on any candidate, in seconds.
    pub best: Vec<f64>,
    /// The number of all candidates.
    pub count: usize,
}

impl CandidateNetwork {
    /// A cluster with a network; also returns the settings that have no effect there.
    ///
    /// # Errors
    ///
    /// A setting that the network does not support.
    pub fn new(
        name: String,
        cluster: Network,
        model: FlowModel,
        limits: EagerLimits,
    ) -> Result<(Self, Vec<UnusedSetting>), RequestError> {
        let network = model.name();
        let mut unshared = cluster.clone();
        unshared.topology = without_sharing(&cluster.topology);
        let law = without_law(&model);
        // Errors name the network that is asked for, so it comes first.
        let (links, unused) = SharedLinks::new(cluster, model, limits)?;
        let (alone, _) = SharedLinks::new(unshared, law, limits)?;
        let [platform, alone] = [links, alone].map(SimulatedPlatform::Flows);
        Ok((Self { cluster: name, network, platform, alone }, unused))
    }

    /// The time of an application, and its time in communication with and without sharing.
    fn time(
        &self,
        placement: &RankPlacement,
        application: &SimulatedApplication,
    ) -> Result<NetworkTime, RequestError> {
        let on = |platform: &SimulatedPlatform| {
            let placed = platform.place([(application, Some(placement), Seconds::ZERO)])?;
            platform.run(&placed.iter().collect::<Vec<_>>(), false, None)
        };
        let communicating =
            |outcome: &Outcome| outcome.tasks.iter().map(|times| times.communicating).sum();
        let (shared, alone) = (on(&self.platform)?, on(&self.alone)?);
        Ok(NetworkTime {
            seconds: shared.end,
            communicating: communicating(&shared),
            unshared: communicating(&alone),
            unshared_seconds: alone.end,
        })
    }
}

/// The network without its sharing law: messages take the same time without others.
fn without_law(model: &FlowModel) -> FlowModel {
    match model.name() {
        // IB without its law is SMPI.
        "simgrid-ib" => FlowModel::SMPI,
        word if word.starts_with("simgrid-") => model.clone(),
        _ => FlowModel::MAXMIN,
    }
}

impl NetworkRequest {
    /// Simulates applications on all networks with all placements, which have names, and ranks
    /// these candidates.
    ///
    /// # Errors
    ///
    /// The reason why an application does not run on a candidate.
    pub fn answer<'a>(
        &self,
        networks: &'a [CandidateNetwork],
        placements: &'a [(String, RankPlacement)],
        applications: &[SimulatedApplication],
    ) -> Result<RankedNetworks<'a>, RequestError> {
        let candidates: Vec<(&CandidateNetwork, &(String, RankPlacement))> = networks
            .iter()
            .flat_map(|network| placements.iter().map(move |placement| (network, placement)))
            .collect();
        let each = applications.len();
        if each == 0 {
            return Err(RequestError::failed("there is no application; give a trace"));
        }
        let results = sweep(candidates.len() * each, self.jobs, |number| {
            let (network, (name, placement)) = candidates[number / each];
            let place = || format!("{} with {} and {name}", network.cluster, network.network);
            let time = network.time(placement, &applications[number % each]);
            time.map_err(|error| error.at(place()))
        });
        let times = results.into_iter().collect::<Result<Vec<NetworkTime>, RequestError>>()?;
        let times: Vec<&[NetworkTime]> = times.chunks(each).collect();
        let seconds: Vec<Vec<f64>> =
            times.iter().map(|own| own.iter().map(|time| time.seconds.get()).collect()).collect();
        let ranked = rank(&seconds, self.objective);
        let best = ranked.order.iter().take(self.top.unwrap_or(usize::MAX));
        let candidate = |&(number, score): &(usize, f64)| {
            let (network, (placement, places)) = candidates[number];
            let all = applications.iter().map(|one| (one, Some(places), Seconds::ZERO));
            let placed = network.platform.place(all)?;
            let assumed = network.platform.assumed(&placed).into_iter().cloned().collect();
            Ok(NetworkCandidate {
                cluster: &network.cluster,
                network: network.network,
                placement,
                score,
                times: times[number].to_vec(),
                assumed,
            })
        };
        Ok(RankedNetworks {
            candidates: best.map(candidate).collect::<Result<_, RequestError>>()?,
            best: ranked.best,
            count: candidates.len(),
        })
    }
}
