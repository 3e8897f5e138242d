use super::batch::check_placement;
use super::{Batch, ForcibleAlgorithm, Machine, MachineError, NativeCalls};
use crate::sample::{PROCESSES_PER_HOST, Provenance};
use orrery_base::file::Fault;
use orrery_base::units::Seconds;
use orrery_cluster::platform::{Placement, Processor, ranks_per_host};
use orrery_program::schedule::CollectiveKind;

/// Some processors of a machine as a machine of their own, numbered in their order; the others are
/// idle.
///
/// ```
/// use orrery_play::engine::UniformNetwork;
/// use orrery_measure::machine::{Machine, SelectedProcessors, SimulatedMachine};
/// use orrery_cluster::platform::Processor;
/// let network = UniformNetwork { processors: 3, ..Default::default() };
/// let machine = SimulatedMachine::new(network, 0.0, 1);
/// let two = SelectedProcessors::new(Box::new(machine), [2, 0].map(Processor).to_vec())?;
/// assert_eq!(two.processors(), 2);
/// # Ok::<(), orrery_base::file::Fault>(())
/// ```
pub struct SelectedProcessors {
    machine: Box<dyn Machine>,
    processors: Vec<Processor>,
    /// What the provenance says besides: a key and its value.
    described: Option<(&'static str, String)>,
}

impl SelectedProcessors {
    /// The machine of these processors.
    ///
    /// # Errors
    ///
    /// When the machine does not have one of them, or one is named twice.
    pub fn new(machine: Box<dyn Machine>, processors: Vec<Processor>) -> Result<Self, Fault> {
        check_placement(&Placement::new(processors.iter().copied()), machine.processors())?;
        Ok(Self { machine, processors, described: None })
    }

    /// The same machine with a key and its value in its provenance.
    #[must_use]
    pub fn describing(self, key: &'static str, value: String) -> Self {
        Self { described: Some((key, value)), ..self }
    }

    /// The machine of the first `ranks` processors of each host, see [`ranks_per_host`].
    ///
    /// # Errors
    ///
    /// When a host is unknown or has fewer processors.
    pub fn per_host(machine: Box<dyn Machine>, ranks: usize) -> Result<Self, Fault> {
        let provenance = machine.provenance();
        let mut hosts = provenance.hosts();
        hosts.resize(machine.processors(), "");
        let processors = ranks_per_host(&hosts, ranks)?;
        Ok(Self { machine, processors, described: Some((PROCESSES_PER_HOST, ranks.to_string())) })
    }

    /// The batch with its processors as numbered on the whole machine; an error if it does not fit
    /// the selection.
    fn on_machine(&self, batch: &Batch) -> Result<Batch, Fault> {
        batch.check(self.processors())?;
        let placement = batch.placement.on(&self.processors);
        Ok(Batch { placement, ..batch.clone() })
    }
}

impl Machine for SelectedProcessors {
    fn processors(&self) -> usize {
        self.processors.len()
    }

    fn provenance(&self) -> Provenance {
        let mut provenance = self.machine.provenance().of_processors(&self.processors);
        if let Some((key, value)) = &self.described {
            provenance.set(*key, value.clone());
        }
        provenance
    }

    fn elapsed(&self) -> Seconds {
        self.machine.elapsed()
    }

    fn run(&mut self, batch: &Batch) -> Result<Vec<Seconds>, MachineError> {
        let batch = self.on_machine(batch)?;
        self.machine.run(&batch)
    }

    fn run_all(&mut self, batches: &[Batch]) -> Result<Vec<Vec<Seconds>>, MachineError> {
        let batches: Vec<Batch> =
            batches.iter().map(|batch| self.on_machine(batch)).collect::<Result<_, _>>()?;
        self.machine.run_all(&batches)
    }

    fn native_algorithms(
        &self,
        kind: CollectiveKind,
        procs: usize,
    ) -> Option<Vec<ForcibleAlgorithm>> {
        self.machine.native_algorithms(kind, procs)
    }

    fn run_native(&mut self, calls: &NativeCalls) -> Result<Vec<Seconds>, MachineError> {
        calls.check(self.processors())?;
        let placement = calls.placement.on(&self.processors);
        self.machine.run_native(&NativeCalls { placement, ..calls.clone() })
    }
}
