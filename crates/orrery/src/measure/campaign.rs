use std::error::Error;

use super::queue::{Queue, Task};
use super::{Plan, Precision, Statistic};
use crate::machine::{Batch, Machine, MachineError};
use crate::sample::{Experiment, Sample, Samples};
use crate::schedule::Timing;
use crate::units::Seconds;

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
    /// Experiments that are precise enough.
    pub done: usize,
    /// Experiments in all.
    pub total: usize,
    /// The experiment that has just been measured.
    pub experiment: &'a Experiment,
}

/// How a plan came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CampaignEnd {
    /// Every experiment has reached the precision, or its largest number of repetitions.
    Complete,
    /// The time was over: so many experiments have fewer readings than the precision asks for, and so many of them fewer
    /// than the least number.
    OutOfTime {
        /// Experiments that are not precise enough.
        imprecise: usize,
        /// Experiments with fewer readings than the least number.
        unmeasured: usize,
    },
}

/// Why a campaign ended early. What was measured before is with the sink.
#[derive(Debug, thiserror::Error)]
pub enum CampaignError {
    /// The machine failed.
    #[error("{experiment} was not measured to its end")]
    Machine {
        /// During which experiment; of several at the same time the first.
        experiment: Experiment,
        /// Why.
        source: MachineError,
    },
    /// The experiment is a call of the MPI library, which has no schedule that a machine could run.
    #[error("{0} cannot be measured: only an MPI library knows what it sends; measure an algorithm by name")]
    NoSchedule(Experiment),
    /// The readings could not be kept.
    #[error("the readings of {experiment} cannot be kept")]
    Sink {
        /// Of which experiment.
        experiment: Experiment,
        /// Why.
        source: Box<dyn Error + Send + Sync>,
    },
}

/// Measures plans on a machine: repeats each experiment until the precision is reached and hands the readings over.
///
/// It goes through the plan several times: first every experiment gets its least number of repetitions, then those that
/// need more get more. So a campaign that is interrupted knows a little of everything, and slow drift shows in the spread
/// of each experiment. Readings that are known already count: an interrupted campaign goes on where it stopped.
pub struct Campaign<'a> {
    /// Where it is measured.
    pub machine: &'a mut dyn Machine,
    /// How often each experiment is repeated.
    pub precision: Precision,
    /// Repetitions before the first reading of each visit to an experiment that are not read.
    pub warm_up: u32,
    /// How collective operations are timed.
    pub timing: Timing,
    /// The number of this launch.
    pub launch: u32,
    /// Whether experiments that share no processor run at the same time.
    pub parallel: bool,
    /// When the machine's clock shows this, no further experiments are begun.
    pub deadline: Option<Seconds>,
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
    pub fn run(&mut self, plan: &Plan) -> Result<CampaignEnd, CampaignError> {
        let mut tasks: Vec<Task> = plan.experiments().map(|experiment| self.resumed(experiment)).collect();
        let mut queue = Queue::new(self.parallel, self.machine.processors());
        loop {
            let mut wanted: Vec<(usize, u32)> =
                tasks.iter().enumerate().map(|(t, task)| (t, self.outstanding(task))).collect();
            wanted.retain(|(_, repetitions)| *repetitions > 0);
            if wanted.is_empty() {
                self.tell(&tasks, tasks.len(), tasks.len().checked_sub(1));
                return Ok(CampaignEnd::Complete);
            }
            let mut done = tasks.len() - wanted.len();
            for visit in queue.chunks(&tasks, wanted) {
                if self.deadline.is_some_and(|deadline| self.machine.elapsed() >= deadline) {
                    return Ok(self.out_of_time(&tasks));
                }
                self.visit(&mut tasks, &visit)?;
                queue.learn(&tasks, &visit);
                done += visit.iter().filter(|(task, _)| self.outstanding(&tasks[*task]) == 0).count();
                self.tell(&tasks, done, visit.last().map(|(task, _)| *task));
            }
        }
    }

    /// An experiment with the readings of this launch that are known.
    fn resumed(&self, experiment: &Experiment) -> Task {
        let known = self.known.get(experiment).into_iter().flat_map(|series| &series.readings);
        let here = known.filter(|reading| reading.launch == self.launch);
        let next_rep = here.clone().map(|reading| reading.rep + 1).max().unwrap_or(0);
        Task { experiment: *experiment, seconds: here.map(|reading| reading.seconds.get()).collect(), next_rep }
    }

    /// How many readings are missing. Of collective operations escalations count, however rare.
    fn outstanding(&self, task: &Task) -> u32 {
        let statistic = match task.experiment {
            Experiment::Collective { .. } | Experiment::Native { .. } => Statistic::Mean,
            _ => self.precision.statistic,
        };
        Precision { statistic, ..self.precision }.outstanding(&task.seconds)
    }

    /// Measures each of these experiments so many times more.
    fn visit(&mut self, tasks: &mut [Task], visit: &[(usize, u32)]) -> Result<(), CampaignError> {
        let batch = |&(task, repetitions): &(usize, u32)| {
            let experiment = tasks[task].experiment;
            let (program, placement) = experiment.program().ok_or(CampaignError::NoSchedule(experiment))?;
            let reading = program.reading_by(self.timing);
            Ok(Batch {
                program,
                placement,
                reading,
                warm_up: self.warm_up,
                first_repetition: tasks[task].next_rep,
                repetitions,
            })
        };
        let batches = visit.iter().map(batch).collect::<Result<Vec<Batch>, CampaignError>>()?;
        let measured = self.machine.run_all(&batches);
        let first = tasks[visit[0].0].experiment;
        let measured = measured.map_err(|source| CampaignError::Machine { experiment: first, source })?;
        let mut fresh = Vec::new();
        for (&(t, _), readings) in visit.iter().zip(measured) {
            let task = &mut tasks[t];
            let experiment = task.experiment;
            let reps = task.next_rep..;
            fresh.extend(reps.zip(&readings).map(|(rep, &seconds)| Sample {
                experiment,
                launch: self.launch,
                rep,
                seconds,
            }));
            task.next_rep += readings.len() as u32;
            task.seconds.extend(readings.iter().map(|seconds| seconds.get()));
        }
        self.sink.record(&fresh).map_err(|source| CampaignError::Sink { experiment: first, source })?;
        fresh.iter().for_each(|&reading| self.known.push(reading));
        Ok(())
    }

    fn out_of_time(&self, tasks: &[Task]) -> CampaignEnd {
        let imprecise = tasks.iter().filter(|task| self.outstanding(task) > 0).count();
        let least = self.precision.min_reps as usize;
        CampaignEnd::OutOfTime { imprecise, unmeasured: tasks.iter().filter(|task| task.seconds.len() < least).count() }
    }

    fn tell(&mut self, tasks: &[Task], done: usize, latest: Option<usize>) {
        if let Some(latest) = latest {
            (self.progress)(Progress { done, total: tasks.len(), experiment: &tasks[latest].experiment });
        }
    }
}
