use super::predict::messages;
use super::{Model, ModelKind};
use crate::comm::Ports;
use crate::comm::ports::{SizeLaw, Uplinks, bandwidth, uplink};
use crate::platform::{HostId, HostOverheads, LinkId, Placement, Topology};
use crate::schedule::{Program, Rank, Schedule};
use crate::simulate::{FlowModel, LinkParameter, Simulation, SimulationError};
use crate::units::{Bytes, Seconds};

/// The ports and the shared links of a fitted machine as links of a simulation, for operations whose messages share them as
/// flows.
#[derive(Debug, Clone)]
pub struct SharedPorts {
    topology: Topology,
    overheads: HostOverheads,
    size_law: SizeLaw,
    uplinks: Uplinks,
    /// Messages of this size and more wait until their receive is posted.
    rendezvous: Bytes,
}

/// The largest number of messages of a program that is simulated once for each end of an interval.
const MAX_SIMULATED_MESSAGES: usize = 4096;

/// The largest number of shared links whose errors an interval contains: those that messages occupy longest.
const MAX_UNCERTAIN: usize = 8;

impl SharedPorts {
    /// The machine of the model `ports`; `None` if there is none.
    pub fn of(model: &Model) -> Option<Self> {
        model.get(ModelKind::Ports).map(|ports: Ports| Self::new(&ports))
    }

    /// The machine of these parameters.
    pub fn new(ports: &Ports) -> Self {
        let (topology, overheads) = ports.platform(&[], &[]);
        let rendezvous = ports.largest_eager().map_or(Bytes::new(u64::MAX), |limit| limit + Bytes::new(1));
        Self { topology, overheads, size_law: ports.size_law.clone(), uplinks: ports.uplinks.clone(), rendezvous }
    }

    /// Sets the delay per byte of each shared link \[s/B\]; 0 stands for a link that bounds no message.
    pub(super) fn set_uplinks(&mut self, byte_delays: &[f64]) {
        let processors = self.topology.hosts.len();
        for (group, &byte_delay) in byte_delays.iter().enumerate() {
            uplink(processors, group).into_iter().for_each(|link| self.set_byte_delay(link, byte_delay));
        }
    }

    /// Sets the delay per byte of a link \[s/B\]; 0 stands for a link that bounds no message.
    pub(super) fn set_byte_delay(&mut self, link: LinkId, byte_delay: f64) {
        self.topology.links[link.index()].bandwidth = bandwidth(byte_delay);
    }

    /// The end of each rank. Messages up to the eager limit flow at once, others when their receive is posted; if `is_serial`, each
    /// send waits for the end of its receive.
    ///
    /// # Errors
    ///
    /// When the schedule cannot run to its end.
    pub fn ends(
        &self,
        schedule: &impl Schedule,
        placement: &Placement,
        is_serial: bool,
    ) -> Result<Vec<Seconds>, SimulationError> {
        let (hosts, model) = self.settings(placement, is_serial);
        let simulation = Simulation::new(&self.topology, &hosts, model);
        let outcome = simulation.with_overheads(&self.overheads).run(schedule)?;
        Ok(outcome.tasks.iter().map(|task| task.end).collect())
    }

    /// The host of each rank, and the model of flows.
    fn settings(&self, placement: &Placement, is_serial: bool) -> (Vec<HostId>, FlowModel) {
        let hosts = placement.processors().iter().map(|processor| HostId(processor.0)).collect();
        let model = FlowModel::PORTS.with_eager(self.rendezvous);
        let model = if is_serial { model.with_synchronous_sends() } else { model };
        (hosts, model.with_size_law(&self.size_law))
    }

    /// The end of a program, and the times by which it may be earlier and later because of the errors of shared links: the roots of
    /// the sums of squares over the links \[s\].
    ///
    /// Programs of few messages are simulated with each link at both ends of its interval. For others, the derivatives by the
    /// delays are taken.
    ///
    /// # Errors
    ///
    /// When the program cannot run to its end.
    pub(super) fn end_with_errors(
        &mut self,
        program: &Program,
        placement: &Placement,
        is_serial: bool,
    ) -> Result<(Seconds, [f64; 2]), SimulationError> {
        let is_uncertain = |link: &usize| self.uplinks.byte_delay()[*link].interval.is_some();
        let links: Vec<usize> = self.busiest(program, placement).into_iter().filter(is_uncertain).collect();
        let (end, changes) = if messages(program).nth(MAX_SIMULATED_MESSAGES).is_some() {
            self.linear_changes(&links, program, placement, is_serial)?
        } else {
            let end = latest(self.ends(program, placement, is_serial)?);
            (end, self.simulated_changes(&links, program, placement, is_serial, end)?)
        };
        let mut squares = [0.0_f64; 2];
        for [low, high] in changes {
            squares[0] += low.min(high).min(0.0).powi(2);
            squares[1] += low.max(high).max(0.0).powi(2);
        }
        Ok((end, squares.map(f64::sqrt)))
    }

    /// The changes of the end of a program with each of these links at both ends of its interval \[s\].
    fn simulated_changes(
        &mut self,
        links: &[usize],
        program: &Program,
        placement: &Placement,
        is_serial: bool,
        end: Seconds,
    ) -> Result<Vec<[f64; 2]>, SimulationError> {
        let delays: Vec<f64> = self.uplinks.byte_delay().iter().map(|delay| delay.value).collect();
        let mut changes = Vec::new();
        for &link in links {
            let Some(interval) = self.uplinks.byte_delay()[link].interval else { continue };
            let mut change = [0.0_f64; 2];
            for (limit, change) in [interval.low, interval.high].into_iter().zip(&mut change) {
                let mut changed = delays.clone();
                changed[link] = limit;
                self.set_uplinks(&changed);
                let ends = self.ends(program, placement, is_serial);
                self.set_uplinks(&delays);
                *change = (latest(ends?) - end).get();
            }
            changes.push(change);
        }
        Ok(changes)
    }

    /// The end of a program, and its changes as in [`SharedPorts::simulated_changes`] by derivatives.
    fn linear_changes(
        &self,
        links: &[usize],
        program: &Program,
        placement: &Placement,
        is_serial: bool,
    ) -> Result<(Seconds, Vec<[f64; 2]>), SimulationError> {
        let (hosts, model) = self.settings(placement, is_serial);
        let processors = self.topology.hosts.len();
        let parameters: Vec<LinkParameter> = links.iter().map(|&link| uplink(processors, link).to_vec()).collect();
        let simulation = Simulation::new(&self.topology, &hosts, model).with_overheads(&self.overheads);
        let (outcome, derivatives) = simulation.run_with_derivatives(program, &parameters)?;
        let last =
            (0..outcome.tasks.len()).max_by(|&a, &b| outcome.tasks[a].end.get().total_cmp(&outcome.tasks[b].end.get()));
        let of_end = last.and_then(|rank| derivatives.get(rank)).into_iter().flatten();
        let change = |(&link, derivative): (&usize, &f64)| {
            let delay = self.uplinks.byte_delay()[link];
            let limits = delay.interval.map_or([delay.value; 2], |interval| [interval.low, interval.high]);
            limits.map(|limit| derivative * (limit - delay.value))
        };
        Ok((outcome.end, links.iter().zip(of_end).map(change).collect()))
    }

    /// The shared links that the messages of a program occupy longest.
    fn busiest(&self, program: &Program, placement: &Placement) -> Vec<usize> {
        let mut loads: Vec<f64> = vec![0.0; self.uplinks.groups().len()];
        let processor = |rank: Rank| placement.processors()[rank.index()];
        if loads.is_empty() {
            return Vec::new();
        }
        for (from, to, size) in messages(program) {
            for (group, _) in self.uplinks.between(processor(from), processor(to)) {
                loads[group] += size.get() as f64 * self.uplinks.byte_delay()[group].value;
            }
        }
        let mut links: Vec<usize> = (0..loads.len()).filter(|&link| loads[link] > 0.0).collect();
        links.sort_by(|&a, &b| loads[b].total_cmp(&loads[a]));
        links.truncate(MAX_UNCERTAIN);
        links
    }
}

/// The end of the last rank.
fn latest(ends: Vec<Seconds>) -> Seconds {
    ends.into_iter().fold(Seconds::ZERO, Seconds::max)
}
