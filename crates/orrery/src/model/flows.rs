use super::{Model, ModelKind};
use crate::comm::Ports;
use crate::comm::ports::SizeLaw;
use crate::platform::{HostId, HostOverheads, Placement, Topology};
use crate::schedule::Schedule;
use crate::simulate::{FlowModel, Simulation, SimulationError};
use crate::units::{Bytes, Seconds};

/// The ports of a fitted machine as links that flows share, for predictions of operations with concurrent messages.
#[derive(Debug)]
pub(super) struct SharedPorts {
    topology: Topology,
    overheads: HostOverheads,
    size_law: SizeLaw,
}

impl SharedPorts {
    /// The machine of the model `ports`; `None` if there is none.
    pub(super) fn of(model: &Model) -> Option<Self> {
        let ports: Ports = model.get(ModelKind::Ports)?;
        let (topology, overheads) = ports.platform(&model.hosts, &[]);
        Some(Self { topology, overheads, size_law: ports.size_law })
    }

    /// The time until the last rank has ended. Sends are eager and flow at once; if `is_serial`, each waits for its receive.
    pub(super) fn time(
        &self,
        schedule: &impl Schedule,
        placement: &Placement,
        is_serial: bool,
    ) -> Result<Seconds, SimulationError> {
        let hosts: Vec<HostId> = placement.processors().iter().map(|processor| HostId(processor.0)).collect();
        let eager = Bytes::new(if is_serial { 0 } else { u64::MAX });
        let model = FlowModel::PORTS.with_eager(eager).with_size_law(&self.size_law);
        let simulation = Simulation::new(&self.topology, &hosts, model);
        Ok(simulation.with_overheads(&self.overheads).run(schedule)?.end)
    }
}
