use std::error::Error;

use super::{Plan, Precision};
use crate::machine::{Batch, Machine, MachineError};
use crate::sample::{Experiment, Sample, Samples};

/// Where the readings of a campaign go, experiment by experiment.
pub trait Sink {
    /// Keeps readings; when this returns they are safe.
    ///
    /// # Errors
    ///
    /// When they cannot be kept, a full disk for instance.
    fn record(&mut self, readings: &[Sample]) -> Result<(), Box<dyn Error + Send + Sync>>;
}

impl Sink for Samples {
    fn record(&mut self, readings: &[Sample]) -> Result<(), Box<dyn Error + Send + Sync>> {
        readings.iter().for_each(|&reading| self.push(reading));
        Ok(())
    }
}

/// How far a plan has come.
#[derive(Debug, Clone, Copy)]
pub struct Progress<'a> {
    /// Experiments that are done.
    pub done: usize,
    /// Experiments in all.
    pub total: usize,
    /// The experiment that comes next, or has just ended as the last.
    pub experiment: &'a Experiment,
}

/// Why a campaign ended early. What was measured before is with the sink.
#[derive(Debug, thiserror::Error)]
pub enum CampaignError {
    /// The machine failed.
    #[error("{experiment}: {source}")]
    Machine {
        /// During which experiment.
        experiment: Experiment,
        /// Why.
        source: MachineError,
    },
    /// The experiment is a call of the MPI library, which has no schedule that a machine could run.
    #[error("{0} cannot be measured: only an MPI library knows what it sends; measure an algorithm by name")]
    NoSchedule(Experiment),
    /// The readings could not be kept.
    #[error("cannot keep the readings of {experiment}: {source}")]
    Sink {
        /// Of which experiment.
        experiment: Experiment,
        /// Why.
        source: Box<dyn Error + Send + Sync>,
    },
}

/// Measures plans on a machine: repeats each experiment until the precision is reached and hands the readings over.
///
/// Readings that are known already count: a campaign that was interrupted goes on where it stopped.
pub struct Campaign<'a> {
    /// Where it is measured.
    pub machine: &'a mut dyn Machine,
    /// How often each experiment is repeated.
    pub precision: Precision,
    /// Repetitions before the first reading of an experiment that are not read.
    pub warm_up: u32,
    /// The number of this launch.
    pub launch: u32,
    /// Where the readings go.
    pub sink: &'a mut dyn Sink,
    /// What there is already, and what comes to it.
    pub known: &'a mut Samples,
    /// Is told how far the plan has come.
    pub progress: &'a mut dyn FnMut(Progress),
}

impl Campaign<'_> {
    /// Measures a plan.
    ///
    /// # Errors
    ///
    /// When the machine fails or the readings cannot be kept; all readings taken before are with the sink.
    pub fn run(&mut self, plan: &Plan) -> Result<(), CampaignError> {
        let total = plan.len();
        for (done, experiment) in plan.experiments().enumerate() {
            (self.progress)(Progress { done, total, experiment });
            self.measure(experiment)?;
        }
        if let Some(experiment) = plan.experiments().last() {
            (self.progress)(Progress { done: total, total, experiment });
        }
        Ok(())
    }

    fn measure(&mut self, experiment: &Experiment) -> Result<(), CampaignError> {
        let known = self.known.get(experiment);
        let here = known.iter().flat_map(|series| &series.readings).filter(|reading| reading.launch == self.launch);
        let mut next_rep = here.clone().map(|reading| reading.rep + 1).max().unwrap_or(0);
        let mut seconds: Vec<f64> = here.map(|reading| reading.seconds.get()).collect();
        let mut fresh = Vec::new();
        let mut warm_up = self.warm_up;
        let outcome = loop {
            let repetitions = self.precision.more(&seconds);
            if repetitions == 0 {
                break Ok(());
            }
            let Some((program, placement)) = experiment.program() else {
                break Err(CampaignError::NoSchedule(*experiment));
            };
            let reading = program.reading();
            let batch = Batch { program, placement, reading, warm_up, first: next_rep, repetitions };
            match self.machine.run(&batch) {
                Ok(readings) => {
                    let rep = (next_rep..).zip(readings);
                    fresh.extend(rep.map(|(rep, seconds)| Sample {
                        experiment: *experiment,
                        launch: self.launch,
                        rep,
                        seconds,
                    }));
                }
                Err(source) => break Err(CampaignError::Machine { experiment: *experiment, source }),
            }
            next_rep += repetitions;
            seconds.extend(fresh[fresh.len() - repetitions as usize..].iter().map(|sample| sample.seconds.get()));
            warm_up = 0;
        };
        if !fresh.is_empty() {
            let kept = self.sink.record(&fresh);
            kept.map_err(|source| CampaignError::Sink { experiment: *experiment, source })?;
            fresh.iter().for_each(|&reading| self.known.push(reading));
        }
        outcome
    }
}
