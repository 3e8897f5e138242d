//! What the time of a parallel routine consists of.

use std::collections::{BTreeMap, BTreeSet};

use super::{HostKernels, KernelChoice, RoutinePredictError, RoutinePrediction, RoutinePredictor};
use crate::comm::Contribution;
use orrery_base::units::Seconds;
use orrery_cluster::platform::Placement;
use orrery_program::kernel::{Kernel, KernelCall};
use orrery_program::routine::{KernelTimes, RoutineCall, RoutineProgram};
use orrery_program::schedule::Rank;

/// A part of the time of a routine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RoutinePart {
    /// Calls of a kernel with a variant.
    Kernel(Kernel, &'static str),
    /// Messages: the parameter of the model of the communication that takes the time.
    Messages(&'static str),
    /// Messages and waiting for ports that they share, with models in which they are flows.
    Flows,
}

/// The time of a part.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RoutineShare {
    /// The part.
    pub part: RoutinePart,
    /// The time along the critical path.
    pub seconds: Seconds,
    /// The mean over the processes of the time that each spends in it; `None` for messages, of
    /// which processes wait for those of others.
    pub mean: Option<Seconds>,
}

/// A factor by which kernels are slowed to find their time on the critical path: small enough not
/// to change the path.
const SLOWED: f64 = 1.0 + 1e-6;

/// The smallest part of the time that is listed.
const NEGLIGIBLE: f64 = 1e-6;

impl RoutinePredictor<'_> {
    /// Returns a prediction with what its time consists of along the critical path: kernels by
    /// time, then messages.
    ///
    /// The time of a kernel is the derivative of the time T of the routine by a factor f of the
    /// times of this kernel, dT/df at f = 1: with one critical path, this is the time of its calls
    /// on it. Of several equally long paths the one with most time in kernels counts. The rest are
    /// messages. There is no waiting on the path: it continues at the process that was waited for.
    ///
    /// # Errors
    ///
    /// As [`RoutinePredictor::predict_on`].
    pub fn explain_on(
        &mut self,
        call: &RoutineCall,
        placement: &Placement,
        choice: &KernelChoice,
    ) -> Result<(RoutinePrediction, Vec<RoutineShare>), RoutinePredictError> {
        let (prediction, contributions) = self.predicted_on(call, placement, choice)?;
        let program = self.program(call)?;
        let kernels = self.kernels(&program, placement, choice)?;
        let means = mean_times(&program, &kernels);
        let mut shares = Vec::new();
        let mut slowed = BTreeSet::new();
        let whole = prediction.seconds.get();
        let mut before = whole;
        for (kernel, variant) in program.kernels() {
            slowed.insert((kernel, variant));
            let times = |rank: Rank, call: &KernelCall| {
                let is_slowed = slowed.contains(&(call.kernel(), call.variant()));
                let factor = if is_slowed { SLOWED } else { 1.0 };
                Seconds::new(factor * kernels.seconds(rank, call).get())
            };
            let after = self.time(&program, placement, &times)?;
            let seconds = Seconds::new((after - before).max(0.0) / (SLOWED - 1.0));
            before = after;
            let mean = means.get(&(kernel, variant)).copied();
            shares.push(RoutineShare { part: RoutinePart::Kernel(kernel, variant), seconds, mean });
        }
        let computing: f64 = shares.iter().map(|one| one.seconds.get()).sum();
        let messages = self.message_shares(&contributions, (whole - computing).max(0.0));
        let is_listed =
            |one: &RoutineShare| one.seconds.get() > NEGLIGIBLE * whole || one.mean.is_some();
        shares.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
        shares.extend(messages);
        shares.retain(is_listed);
        Ok((prediction, shares))
    }

    /// The shares of messages, the largest first; with flows they are not divided.
    fn message_shares(&self, contributions: &[Contribution], rest: f64) -> Vec<RoutineShare> {
        let share =
            |part, seconds| RoutineShare { part, seconds: Seconds::new(seconds), mean: None };
        if self.has_flows() {
            return vec![share(RoutinePart::Flows, rest)];
        }
        let mut by_name: BTreeMap<&'static str, f64> = BTreeMap::new();
        for one in contributions {
            *by_name.entry(one.parameter.name).or_default() += one.seconds().get();
        }
        let mut shares: Vec<_> = by_name
            .into_iter()
            .map(|(name, seconds)| share(RoutinePart::Messages(name), seconds))
            .collect();
        shares.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
        shares
    }
}

/// The mean over the processes of the time that each spends in each kernel.
fn mean_times(
    program: &RoutineProgram,
    kernels: &HostKernels,
) -> BTreeMap<(Kernel, &'static str), Seconds> {
    let mut sums: BTreeMap<_, f64> = BTreeMap::new();
    for rank in Rank::first(program.ranks()) {
        for (call, count) in program.calls(rank) {
            let seconds = count as f64 * kernels.seconds(rank, &call).get();
            *sums.entry((call.kernel(), call.variant())).or_default() += seconds;
        }
    }
    sums.into_iter().map(|(key, sum)| (key, Seconds::new(sum / program.ranks() as f64))).collect()
}
