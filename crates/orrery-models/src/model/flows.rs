//! Operations whose messages share the ports and links of a fitted machine as flows.

use std::collections::BTreeMap;

use super::predict::messages;
use super::{Model, ModelKind};
use crate::comm::ports::{Capacity, SizeLaw, bandwidth};
use crate::comm::{Contribution, Ports};
use orrery_base::numeric::{Estimate, Interval};
use orrery_base::units::{Bytes, Seconds};
use orrery_cluster::platform::{HostId, HostOverheads, LinkId, Placement, Topology};
use orrery_play::simulate::{FlowModel, Simulation, SimulationError};
use orrery_program::schedule::{
    Operation, Program, Rank, Reading, Reducer, Schedule, Transfer, operations,
};

/// The ports and the shared links of a fitted machine as links of a simulation, for operations
/// whose messages share them as flows.
#[derive(Debug, Clone)]
pub struct SharedPorts {
    topology: Topology,
    overheads: HostOverheads,
    size_law: SizeLaw,
    capacities: Vec<Capacity>,
    model: FlowModel,
    /// The time of each processor to combine a byte in reductions \[s/B\]; empty for no time.
    combination: Vec<f64>,
}

/// The largest number of changes of rates, about, of a program that is simulated once for each end
/// of an interval: a message changes the rates of those that its sender has under way.
const MAX_SIMULATED_CHANGES: usize = 4096;

/// Returns true if a program changes few enough rates to be simulated once for each end of an
/// interval.
pub(super) fn is_cheap_to_simulate(program: &Program) -> bool {
    let mut changes = 0;
    for rank in Rank::first(program.ranks()) {
        let mut under_way = 0_usize;
        for operation in operations(program, rank) {
            match operation {
                Operation::Do(Transfer::Send { .. }) => changes += 1 + under_way,
                Operation::Post(Transfer::Send { .. }, _) => {
                    under_way += 1;
                    changes += under_way;
                }
                Operation::Wait(_) => under_way = under_way.saturating_sub(1),
                _ => {}
            }
            if changes > MAX_SIMULATED_CHANGES {
                return false;
            }
        }
    }
    true
}

/// A program of which the time with flows is wanted.
#[derive(Clone, Copy)]
pub(super) struct FlowProgram<'a> {
    pub(super) program: &'a Program,
    pub(super) placement: &'a Placement,
    pub(super) reading: Reading,
    /// True if each send waits for its receive.
    pub(super) is_serial: bool,
}

/// The largest number of capacities whose errors an interval contains: those that messages occupy
/// longest.
const MAX_UNCERTAIN: usize = 16;

/// The smallest time that messages occupy such a capacity, relative to that of the busiest one.
const MIN_OCCUPANCY: f64 = 0.1;

impl SharedPorts {
    /// The machine of the model `ports`; `None` if there is none.
    pub fn of(model: &Model) -> Option<Self> {
        let combination = model.combination.iter().map(|delay| delay.value).collect();
        model.get(ModelKind::Ports).map(|ports: Ports| Self { combination, ..Self::new(&ports) })
    }

    /// The machine of these parameters.
    pub fn new(ports: &Ports) -> Self {
        let (topology, overheads) = ports.platform(&[], &[]);
        let (size_law, capacities) = (ports.size_law.clone(), ports.capacities());
        let model = ports.flow_model();
        // All messages are eager if no limit is known.
        let model = match ports.largest_eager() {
            Some(_) => model,
            None => model.with_eager(Bytes::new(u64::MAX)),
        };
        Self { topology, overheads, size_law, capacities, model, combination: Vec::new() }
    }

    /// Sets the delay per byte of a link \[s/B\]; 0 stands for a link that bounds no message.
    pub(super) fn set_byte_delay(&mut self, link: LinkId, byte_delay: f64) {
        self.topology.links[link.index()].bandwidth = bandwidth(byte_delay);
    }

    /// Sets all parameters to those of a model with the same links.
    pub(super) fn set_ports(&mut self, ports: &Ports) {
        let capacities = std::mem::take(&mut self.capacities);
        for Capacity { parameter, links, .. } in &capacities {
            let delay = ports.capacity_delay(parameter);
            links.iter().for_each(|&link| self.set_byte_delay(link, delay));
        }
        self.capacities = capacities;
        // The links of pairs come last.
        let latencies = ports.link_latency.values();
        let first = self.topology.links.len().saturating_sub(latencies.len());
        for (link, latency) in self.topology.links[first..].iter_mut().zip(latencies) {
            link.latency = Seconds::new(latency.value);
        }
        self.overheads = ports.overheads();
    }

    /// The end of each rank. Messages up to the eager limit flow at once, others when their receive
    /// is posted; sends beyond the buffered limit complete with their message. If `is_serial`, each send waits for the end of its receive.
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
        let outcome = self.simulation(&hosts, model).run(schedule)?;
        Ok(outcome.tasks.iter().map(|task| task.end).collect())
    }

    /// The simulation of ranks on these hosts.
    fn simulation<'a>(&'a self, hosts: &'a [HostId], model: FlowModel) -> Simulation<'a> {
        let simulation =
            Simulation::new(&self.topology, hosts, model).with_overheads(&self.overheads);
        if self.combination.is_empty() {
            simulation
        } else {
            simulation.with_combination(&self.combination)
        }
    }

    /// The host of each rank, and the model of flows; with `is_serial`, every send waits for the
    /// end of its message.
    fn settings(&self, placement: &Placement, is_serial: bool) -> (Vec<HostId>, FlowModel) {
        let hosts = placement.processors().iter().map(|processor| HostId(processor.0)).collect();
        let model = self.model.clone();
        (hosts, if is_serial { model.with_synchronous_sends() } else { model })
    }

    /// The time of a program as it is read: at one rank, or that of the last one.
    ///
    /// # Errors
    ///
    /// When the program cannot run to its end.
    pub(super) fn time(&self, of: FlowProgram<'_>) -> Result<Seconds, SimulationError> {
        let ends = self.ends(of.program, of.placement, of.is_serial)?;
        Ok(match of.reading.reducer {
            Reducer::At(rank) => ends[rank.index()],
            Reducer::Maximum | Reducer::RootMinusBarrier(_) | Reducer::Global => {
                ends.into_iter().fold(Seconds::ZERO, Seconds::max)
            }
        })
    }

    /// The contributions of the busiest capacities with uncertain delays per byte to a time \[s\]
    /// with flows; for programs of many messages, by derivatives.
    ///
    /// Along the critical path of the queues, other capacities may bound messages. The factor of a
    /// capacity is the change of the simulated time with its delay at an end of the interval,
    /// divided by the change of the delay; the interval of the contribution leads to the simulated
    /// times.
    ///
    /// # Errors
    ///
    /// When the program cannot run to its end.
    pub(super) fn contributions(
        &mut self,
        of: FlowProgram<'_>,
        seconds: Seconds,
    ) -> Result<Vec<Contribution>, SimulationError> {
        if !is_cheap_to_simulate(of.program) {
            return self.linear_contributions(of);
        }
        let mut contributions = Vec::new();
        for number in self.busiest(of) {
            let Capacity { parameter, estimate, links } = self.capacities[number].clone();
            let Estimate { value, interval: Some(interval), .. } = estimate else { continue };
            // The largest changes of the time in both directions, and of the time divided by that
            // of the delay. Both ends are simulated, because the time is not linear: beyond some
            // delay another capacity bounds the messages.
            let mut earlier = 0.0_f64;
            let mut later = 0.0_f64;
            let mut factor = 0.0_f64;
            for limit in [interval.low, interval.high] {
                if (limit - value).abs() > 0.0 {
                    let time = self.time_with_delay(of, &links, limit, value)?;
                    let change = (time - seconds).get();
                    earlier = earlier.max(-change);
                    later = later.max(change);
                    factor = factor.max(change / (limit - value));
                }
            }
            // The interval of the delay is moved such that it leads to the simulated times.
            if factor > 0.0 {
                let interval = Interval {
                    low: value - earlier / factor,
                    high: value + later / factor,
                    ..interval
                };
                let estimate = Estimate { interval: Some(interval), ..estimate };
                contributions.push(Contribution { parameter, factor, estimate });
            }
        }
        Ok(contributions)
    }

    /// The time of a program with another delay per byte \[s/B\] of some links, which have `value`
    /// afterwards.
    fn time_with_delay(
        &mut self,
        of: FlowProgram<'_>,
        links: &[LinkId],
        delay: f64,
        value: f64,
    ) -> Result<Seconds, SimulationError> {
        links.iter().for_each(|&link| self.set_byte_delay(link, delay));
        let time = self.time(of);
        links.iter().for_each(|&link| self.set_byte_delay(link, value));
        time
    }

    /// The contributions of the busiest capacities whose factors are the derivatives of the time by
    /// their delays per byte.
    fn linear_contributions(
        &self,
        of: FlowProgram<'_>,
    ) -> Result<Vec<Contribution>, SimulationError> {
        let (hosts, model) = self.settings(of.placement, of.is_serial);
        let busiest: Vec<&Capacity> =
            self.busiest(of).into_iter().map(|number| &self.capacities[number]).collect();
        let parameters: Vec<Vec<LinkId>> =
            busiest.iter().map(|capacity| capacity.links.clone()).collect();
        let (outcome, derivatives) =
            self.simulation(&hosts, model).run_with_derivatives(of.program, &parameters)?;
        // The time that is read is the end of one rank: its derivatives are those of the time.
        let end = |rank: &usize| outcome.tasks[*rank].end.get();
        let read = match of.reading.reducer {
            Reducer::At(rank) => Some(rank.index()),
            _ => (0..outcome.tasks.len()).max_by(|a, b| end(a).total_cmp(&end(b))),
        };
        let factors = read.and_then(|rank| derivatives.get(rank)).into_iter().flatten();
        let contributions = busiest.iter().zip(factors).filter(|(_, factor)| **factor > 0.0);
        let contribution = |(capacity, &factor): (&&Capacity, &f64)| {
            let Capacity { parameter, estimate, .. } = (*capacity).clone();
            Contribution { parameter, factor, estimate }
        };
        Ok(contributions.map(contribution).collect())
    }

    /// The numbers of the capacities with uncertain delays that the messages of a program occupy
    /// longest: if one rank is read, its own messages.
    fn busiest(&self, of: FlowProgram<'_>) -> Vec<usize> {
        let host = |rank: Rank| HostId(of.placement.processors()[rank.index()].0);
        let is_read = |rank: Rank| of.reading.reducer.reads(rank);
        // A capacity is occupied for the bytes of its busiest link times its delay. Which one bounds
        // the time depends on the order of events, but one that is idle most of the time does not.
        let mut bytes: BTreeMap<LinkId, f64> = BTreeMap::new();
        for (from, to, size) in
            messages(of.program).filter(|&(from, to, _)| is_read(from) || is_read(to))
        {
            let route = self.topology.route(host(from), host(to)).unwrap_or_default();
            route
                .into_iter()
                .for_each(|link| *bytes.entry(link).or_default() += self.size_law.effective(size));
        }
        let carried = |link: &LinkId| bytes.get(link).copied().unwrap_or(0.0);
        let occupancy = |capacity: &Capacity| {
            let busiest = capacity.links.iter().map(carried).fold(0.0, f64::max);
            busiest * capacity.estimate.value
        };
        let occupied: Vec<f64> = self.capacities.iter().map(occupancy).collect();
        let longest = occupied.iter().copied().fold(0.0, f64::max);
        let is_uncertain = |capacity: &Capacity| {
            capacity.estimate.interval.is_some_and(|interval| interval.low < interval.high)
        };
        let mut busiest: Vec<usize> = (0..occupied.len())
            .filter(|&one| {
                occupied[one] > MIN_OCCUPANCY * longest && is_uncertain(&self.capacities[one])
            })
            .collect();
        busiest.sort_by(|&a, &b| occupied[b].total_cmp(&occupied[a]));
        busiest.truncate(MAX_UNCERTAIN);
        busiest
    }
}
