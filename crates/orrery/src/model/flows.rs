use super::{Model, ModelKind};
use crate::comm::Ports;
use crate::comm::ports::{SizeLaw, bandwidth, uplink};
use crate::platform::{HostId, HostOverheads, Placement, Topology};
use crate::schedule::Schedule;
use crate::simulate::{FlowModel, Simulation, SimulationError};
use crate::units::{Bytes, Seconds};

/// The ports and the shared links of a fitted machine as links of a simulation, for operations whose messages share them as
/// flows.
#[derive(Debug, Clone)]
pub struct SharedPorts {
    topology: Topology,
    overheads: HostOverheads,
    size_law: SizeLaw,
}

impl SharedPorts {
    /// The machine of the model `ports`; `None` if there is none.
    pub fn of(model: &Model) -> Option<Self> {
        model.get(ModelKind::Ports).map(|ports: Ports| Self::new(&ports))
    }

    /// The machine of these parameters.
    pub fn new(ports: &Ports) -> Self {
        let (topology, overheads) = ports.platform(&[], &[]);
        Self { topology, overheads, size_law: ports.size_law.clone() }
    }

    /// Sets the delay per byte of each shared link \[s/B\]; 0 stands for a link that bounds no message.
    pub(super) fn set_uplinks(&mut self, byte_delays: &[f64]) {
        let processors = self.topology.hosts.len();
        for (group, &byte_delay) in byte_delays.iter().enumerate() {
            for link in uplink(processors, group) {
                self.topology.links[link.index()].bandwidth = bandwidth(byte_delay);
            }
        }
    }

    /// The end of each rank. Sends are eager and flow at once; if `is_serial`, each waits for its receive.
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
        let hosts: Vec<HostId> = placement.processors().iter().map(|processor| HostId(processor.0)).collect();
        let eager = Bytes::new(if is_serial { 0 } else { u64::MAX });
        let model = FlowModel::PORTS.with_eager(eager).with_size_law(&self.size_law);
        let simulation = Simulation::new(&self.topology, &hosts, model);
        let outcome = simulation.with_overheads(&self.overheads).run(schedule)?;
        Ok(outcome.tasks.iter().map(|task| task.end).collect())
    }
}
