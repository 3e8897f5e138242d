//! Flows whose starts are known: their ends, without the programs of ranks.

use super::completion_queue::CompletionQueue;
use super::flow_derivatives::FlowDerivatives;
use super::replay::SIMULTANEOUS;
use orrery_cluster::sharing::maxmin::{Demand, MaxMin};

/// A flow of a [`FlowSet`].
#[derive(Debug, Clone)]
pub struct SetFlow {
    /// The start \[s\].
    pub start: f64,
    /// The bytes to transfer.
    pub volume: f64,
    /// The largest rate, by the links that no other flow of the set uses \[B/s\].
    pub bound: f64,
    /// φ without the part of shared links.
    pub inverse_weight: f64,
    /// The part of φ per delay of each of its shared links.
    pub weight_per_delay: f64,
    /// The shared links of its route.
    pub links: Vec<usize>,
}

impl SetFlow {
    /// φ with these delays per byte of links.
    fn inverse_weight_at(&self, delay: impl Fn(usize) -> f64) -> f64 {
        self.inverse_weight
            + self.weight_per_delay * self.links.iter().map(|&link| delay(link)).sum::<f64>()
    }
}

/// The smallest delay per byte of a link \[s/B\]: it bounds no flow.
const MIN_DELAY: f64 = 1e-15;

/// Flows with known starts, which share links as in a [`Simulation`](super::Simulation).
///
/// The delay per byte of each link is a parameter; several links may have the same one, as the two
/// directions of a link do.
#[derive(Debug, Clone)]
pub struct FlowSet {
    flows: Vec<SetFlow>,
    /// The parameter of each link, in the numbering of the set.
    parameter: Vec<usize>,
    /// The number of each parameter of the set in the numbering of the caller, ascending.
    numbers: Vec<usize>,
    /// The number of parameters whose derivatives are computed; they come first.
    varied: usize,
}

/// The end of a flow with its derivatives by the parameters \[s, B\].
#[derive(Debug, Clone, PartialEq)]
pub struct FlowEnd {
    /// The end \[s\].
    pub seconds: f64,
    /// The derivative by each parameter, in the order of [`FlowSet::parameters`]; all others are 0.
    pub derivatives: Vec<f64>,
}

impl FlowSet {
    /// The set of these flows on links; `parameter_of` returns the parameter of a link by its
    /// number in the flows. Parameters from `varied` on are constants, by which ends have no
    /// derivatives.
    pub fn new(
        mut flows: Vec<SetFlow>,
        varied: usize,
        parameter_of: impl Fn(usize) -> usize,
    ) -> Self {
        let mut links: Vec<usize> =
            flows.iter().flat_map(|flow| flow.links.iter().copied()).collect();
        links.sort_unstable();
        links.dedup();
        let place = |link: &usize| links.partition_point(|other| other < link);
        flows.iter_mut().flat_map(|flow| &mut flow.links).for_each(|link| *link = place(link));
        let mut numbers: Vec<usize> = links.iter().map(|&link| parameter_of(link)).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let parameter = links
            .iter()
            .map(|&link| numbers.partition_point(|&other| other < parameter_of(link)))
            .collect();
        let varied = numbers.partition_point(|&number| number < varied);
        Self { flows, parameter, numbers, varied }
    }

    /// The numbers of the parameters that ends have derivatives by, ascending.
    pub fn parameters(&self) -> &[usize] {
        &self.numbers[..self.varied]
    }

    /// The end of each flow \[s\], with these delays per byte by the number of the parameter
    /// \[s/B\]; 0 stands for a link that bounds no flow.
    pub fn ends(&self, delays: &[f64]) -> Vec<f64> {
        self.simulate(&self.delays(delays), None).into_iter().map(|end| end.seconds).collect()
    }

    /// As [`FlowSet::ends`], with derivatives.
    pub fn ends_with_derivatives(&self, delays: &[f64]) -> Vec<FlowEnd> {
        let delays = self.delays(delays);
        let varied = self
            .parameter
            .iter()
            .copied()
            .enumerate()
            .filter(|(_, parameter)| *parameter < self.varied);
        let mut derivatives =
            FlowDerivatives::new(delays[..self.varied].to_vec(), self.parameter.len(), varied);
        self.simulate(&delays, Some(&mut derivatives))
    }

    /// The delay per byte of each parameter of the set, of which `delays` are those of the caller,
    /// and at least [`MIN_DELAY`].
    fn delays(&self, delays: &[f64]) -> Vec<f64> {
        self.numbers.iter().map(|&number| delays[number].max(MIN_DELAY)).collect()
    }

    /// The ends of the flows \[s\]; `derivatives` follows each change of a rate.
    fn simulate(
        &self,
        delays: &[f64],
        mut derivatives: Option<&mut FlowDerivatives>,
    ) -> Vec<FlowEnd> {
        let capacities: Vec<f64> =
            self.parameter.iter().map(|&parameter| 1.0 / delays[parameter]).collect();
        let mut largest_loads = vec![0.0; capacities.len()];
        for flow in &self.flows {
            flow.links.iter().for_each(|&link| largest_loads[link] += flow.bound);
        }
        // Links that all flows at their bounds do not saturate change no rate.
        let can_saturate = |link: &usize| largest_loads[*link] > capacities[*link];
        let mut sharing = MaxMin::new(&capacities);
        let mut queue = CompletionQueue::default();
        queue.reserve(self.flows.len());
        let mut rates = vec![0.0; self.flows.len()];
        let constant = if derivatives.is_some() { vec![0.0; self.varied] } else { Vec::new() };
        let mut ends =
            vec![FlowEnd { seconds: 0.0, derivatives: constant.clone() }; self.flows.len()];
        for (number, flow) in self.flows.iter().enumerate() {
            if flow.links.is_empty() {
                ends[number].seconds = flow.start + flow.volume / flow.bound;
            } else {
                queue.set(number, flow.start);
            }
        }
        let mut demand = Demand { links: Vec::new(), inverse_weight: 1.0, bound: 0.0 };
        let (mut due, mut has_ended) = (Vec::new(), vec![false; self.flows.len()]);
        while let Some(now) = queue.pop(SIMULTANEOUS, &mut due) {
            for &(_, number) in due.iter().filter(|(_, number)| rates[*number] > 0.0) {
                (ends[number].seconds, has_ended[number]) = (now, true);
                if let Some(derivatives) = &mut derivatives {
                    ends[number].derivatives.copy_from_slice(derivatives.end(number, now));
                }
            }
            // Derivatives need each cause of a change by itself.
            let size = if derivatives.is_some() { 1 } else { due.len() };
            for cause in due.chunks(size) {
                for &(_, number) in cause {
                    let flow = &self.flows[number];
                    if has_ended[number] {
                        sharing.stop(number);
                        continue;
                    }
                    demand.links.clear();
                    demand.links.extend(
                        flow.links.iter().copied().filter(can_saturate).map(|link| (link, 1.0)),
                    );
                    demand.inverse_weight =
                        flow.inverse_weight_at(|link| delays[self.parameter[link]]);
                    demand.bound = flow.bound;
                    rates[number] = flow.bound;
                    queue.set_uncontended(number, flow.volume / flow.bound);
                    sharing.start(number, &demand);
                    if let Some(derivatives) = &mut derivatives {
                        let route = flow.links.iter().copied();
                        derivatives.start(number, &demand, route, flow.weight_per_delay, &constant);
                    }
                }
                sharing.update_rates();
                if let (Some(derivatives), &[(_, number)]) = (&mut derivatives, cause) {
                    // Starts do not depend on the parameters; neither do the derivatives of a flow
                    // without an end.
                    derivatives.update(now, &ends[number].derivatives, &sharing);
                }
                let changed = sharing.changed().iter().map(|&number| number as usize);
                let factors = changed.filter(|number| !has_ended[*number]).map(|number| {
                    let rate = sharing.rate(number);
                    (number, std::mem::replace(&mut rates[number], rate) / rate)
                });
                queue.rescale_remaining(now, factors);
            }
        }
        ends
    }
}
