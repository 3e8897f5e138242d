use std::error::Error;

use super::anchors::Anchors;
use super::queue::{Queue, Task};
use super::{MissingRoundTrips, Plan, Precision, Statistic};
use crate::machine::{Batch, Machine, MachineError, NativeCalls};
use crate::sample::file::Writer;
use crate::sample::{AnchorStage, ExchangeSet, Experiment, Sample, Samples};
use orrery_base::file::Fault;
use orrery_base::units::{Bytes, Seconds};
use orrery_cluster::platform::Placement;
use orrery_program::schedule::{Program, Rank, Timing};

/// A store for the readings of a campaign: one experiment at a time, or several that ran in
/// parallel.
pub trait Sink {
    /// Stores readings permanently before it returns.
    ///
    /// # Errors
    ///
    /// When they cannot be stored, for instance because the disk is full.
    fn record(&mut self, readings: &[Sample]) -> Result<(), Box<dyn Error + Send + Sync>>;
}

impl Sink for Samples {
    fn record(&mut self, readings: &[Sample]) -> Result<(), Box<dyn Error + Send + Sync>> {
        readings.iter().for_each(|&reading| self.push(reading));
        Ok(())
    }
}

impl Sink for Writer {
    fn record(&mut self, readings: &[Sample]) -> Result<(), Box<dyn Error + Send + Sync>> {
        Ok(self.append(readings)?)
    }
}

/// The progress of a campaign within one plan.
#[derive(Debug, Clone, Copy)]
pub struct Progress<'a> {
    /// The part of the campaign that the plan belongs to, such as `round trips`.
    pub stage: &'static str,
    /// The number of experiments that are precise enough.
    pub done: usize,
    /// The number of experiments in the plan.
    pub total: usize,
    /// The experiment that was measured last.
    pub experiment: &'a Experiment,
}

/// The end of a campaign: complete, or stopped by its deadline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CampaignEnd {
    /// Every experiment has reached the precision, or the largest number of repetitions.
    Complete,
    /// The deadline passed before every experiment of a plan was precise enough.
    OutOfTime {
        /// The part of the campaign that the plan belongs to, such as `round trips`.
        stage: &'static str,
        /// The number of experiments in the plan.
        experiments: usize,
        /// The number of experiments that are not precise enough.
        imprecise: usize,
        /// The number of experiments with fewer readings than the least number of repetitions.
        unmeasured: usize,
    },
}

impl CampaignEnd {
    /// What was not measured; `None` if all was. `min_reps` is the least number of repetitions.
    pub fn remark(&self, min_reps: u32) -> Option<String> {
        let Self::OutOfTime { stage, experiments, imprecise, unmeasured } = self else {
            return None;
        };
        Some(format!(
            "time limit reached: {imprecise} of {experiments} experiments ({stage}) are not precise \
                enough, {unmeasured} of them have fewer than {min_reps} readings"
        ))
    }
}

/// The error that ended a campaign early; earlier readings are stored.
#[derive(Debug, thiserror::Error)]
pub enum CampaignError {
    /// A scheme cannot be measured on the nodes.
    #[error(transparent)]
    Misfit(#[from] Fault),
    /// The machine failed.
    #[error("the measurement of {what} was not completed")]
    Machine {
        /// The experiment or message that ran; the first of several that ran in parallel.
        what: String,
        /// The failure.
        source: MachineError,
    },
    /// The campaign has a timing method by which calls of the MPI library are not timed.
    #[error(
        "{0} is a call of the MPI library, which only the method max can time, but this campaign \
            uses {1}; write it to another samples file"
    )]
    LibraryTiming(Experiment, Timing),
    /// The experiment does not determine a program, or it is a call of the MPI library among
    /// experiments that run in parallel.
    #[error("{0} cannot be measured by itself; leave it out")]
    NoSchedule(Experiment),
    /// The design needs round trips that were not measured.
    #[error(transparent)]
    MissingRoundTrips(#[from] MissingRoundTrips),
    /// The sink could not store the readings; the samples of a [`Campaign`] hold them.
    #[error("the readings of {what} cannot be stored")]
    Sink {
        /// The experiment or message of the first reading.
        what: String,
        /// The failure.
        source: Box<dyn Error + Send + Sync>,
    },
}

/// A set of experiments that is measured as a whole, and the order in which it must be measured.
///
/// Later experiments may depend on readings of earlier ones.
pub trait Design {
    /// Measures all experiments of the design; stops at the deadline of the campaign.
    ///
    /// # Errors
    ///
    /// As [`Campaign::run`].
    fn measure(&self, campaign: &mut Campaign<'_>) -> Result<CampaignEnd, CampaignError>;
}

/// Measures plans on a machine: repeats each experiment until the precision is reached, and stores
/// the readings.
///
/// It passes through a plan several times: first every experiment gets the minimum number of
/// repetitions, then the experiments that are not precise enough get more. An interrupted campaign
/// therefore has some readings of every experiment, and slow drift shows in the spread of each
/// experiment. Readings in `samples` count, so that an interrupted campaign resumes at its last
/// experiment.
///
/// ```
/// use orrery_play::engine::UniformNetwork;
/// use orrery_measure::machine::SimulatedMachine;
/// use orrery_measure::measure::{Campaign, CampaignEnd, CommDesign};
/// use orrery_measure::sample::Samples;
/// use orrery_base::units::{Bytes, Seconds};
/// let latency = Seconds::new(20e-6);
/// let network = UniformNetwork { processors: 3, latency, ..Default::default() };
/// let mut machine = SimulatedMachine::new(network, 0.01, 1);
/// let mut samples = Samples::default();
/// let mut campaign = Campaign::new(&mut machine, &mut samples).parallel(true).seed(7);
/// assert_eq!(campaign.measure(&CommDesign::new(Bytes::new(32 << 10)))?, CampaignEnd::Complete);
/// // Three pairs with (0, 0), (M, M) and (M, 0); three roots with 0 and M; three receivers of two.
/// assert_eq!(samples.series().len(), 9 + 6 + 3);
/// # Ok::<(), orrery_measure::measure::CampaignError>(())
/// ```
pub struct Campaign<'a> {
    machine: &'a mut dyn Machine,
    samples: &'a mut Samples,
    sink: Option<&'a mut dyn Sink>,
    progress: Option<&'a mut dyn FnMut(Progress)>,
    precision: Precision,
    warm_up: u32,
    timing: Timing,
    seed: u64,
    launch: u32,
    parallel: bool,
    deadline: Option<Seconds>,
    /// The sets of concurrent exchanges that its plans contain.
    sets: Vec<ExchangeSet>,
    /// The anchors that are repeated between its experiments.
    anchors: Option<Anchors>,
}

impl<'a> Campaign<'a> {
    /// A campaign on `machine` that adds its readings to `samples`.
    ///
    /// Defaults: the precision of [`Precision::default`], no warm-up, the timing method of
    /// `samples`, seed 1, launch 0, one experiment at a time, no deadline.
    pub fn new(machine: &'a mut dyn Machine, samples: &'a mut Samples) -> Self {
        let (precision, timing) = (Precision::default(), samples.provenance.timing());
        Self {
            machine,
            samples,
            sink: None,
            progress: None,
            precision,
            warm_up: 0,
            timing,
            seed: 1,
            launch: 0,
            parallel: false,
            deadline: None,
            sets: Vec::new(),
            anchors: None,
        }
    }

    /// Sets how often each experiment is repeated.
    #[must_use]
    pub fn precision(mut self, precision: Precision) -> Self {
        self.precision = precision;
        self
    }

    /// Sets the number of unread repetitions before the first reading of each batch.
    #[must_use]
    pub fn warm_up(mut self, repetitions: u32) -> Self {
        self.warm_up = repetitions;
        self
    }

    /// Sets how collective operations are timed.
    #[must_use]
    pub fn timing(mut self, timing: Timing) -> Self {
        self.timing = timing;
        self
    }

    /// Sets the seed of the order of experiments.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Sets the number of this launch of the machine, under which readings are stored.
    #[must_use]
    pub fn launch(mut self, launch: u32) -> Self {
        self.launch = launch;
        self
    }

    /// Sets whether experiments that share no processor run in parallel; see
    /// [`super::Parallelism`].
    #[must_use]
    pub fn parallel(mut self, parallel: bool) -> Self {
        self.parallel = parallel;
        self
    }

    /// Sets the time of the machine's clock after which no further experiment starts; `None` for no
    /// limit.
    #[must_use]
    pub fn deadline(mut self, deadline: Option<Seconds>) -> Self {
        self.deadline = deadline;
        self
    }

    /// Stores the readings in `sink`, too, after they are added to the samples. If the sink fails,
    /// the campaign ends with [`CampaignError::Sink`], and the samples hold the readings
    /// nevertheless.
    #[must_use]
    pub fn sink(mut self, sink: &'a mut dyn Sink) -> Self {
        self.sink = Some(sink);
        self
    }

    /// Calls `progress` after each step.
    #[must_use]
    pub fn on_progress(mut self, progress: &'a mut dyn FnMut(Progress)) -> Self {
        self.progress = Some(progress);
        self
    }

    /// The number of processors of the machine.
    pub fn processors(&self) -> usize {
        self.machine.processors()
    }

    /// All readings so far, those known before the campaign included.
    pub fn samples(&self) -> &Samples {
        self.samples
    }

    /// The seed of the order of experiments.
    pub fn order_seed(&self) -> u64 {
        self.seed
    }

    /// Measures a design.
    ///
    /// # Errors
    ///
    /// As [`Campaign::run`].
    pub fn measure(&mut self, design: &dyn Design) -> Result<CampaignEnd, CampaignError> {
        design.measure(self)
    }

    /// Repeats anchors with messages of this size between the experiments that follow.
    pub(super) fn begin_anchors(&mut self, size: Bytes) {
        self.anchors = Some(Anchors::new(self.processors(), size, self.samples, self.launch));
    }

    /// Notes that another part of the campaign begins.
    pub(super) fn enter(&mut self, stage: AnchorStage) {
        self.anchors.iter_mut().for_each(|anchors| anchors.enter(stage));
    }

    /// Measures the last round of anchors if experiments were measured since the one before.
    pub(super) fn end_anchors(&mut self) -> Result<(), CampaignError> {
        if self.anchors.as_ref().is_some_and(Anchors::is_outdated) {
            self.run_anchors()?;
        }
        self.anchors = None;
        Ok(())
    }

    /// Measures a round of anchors if it is due.
    fn run_due_anchors(&mut self) -> Result<(), CampaignError> {
        let now = self.machine.elapsed();
        if self.anchors.as_ref().is_some_and(|anchors| anchors.is_due(now)) {
            self.run_anchors()?;
        }
        self.anchors.iter_mut().for_each(Anchors::outdate);
        Ok(())
    }

    /// Measures a round of anchors.
    fn run_anchors(&mut self) -> Result<(), CampaignError> {
        let start = self.machine.elapsed();
        let Some((groups, readings)) = self.anchors.as_mut().map(|all| all.round(start)) else {
            return Ok(());
        };
        for group in groups {
            let mut tasks: Vec<Task> = group.iter().map(|one| self.resumed(one)).collect();
            let Experiment::Anchor { round, .. } = group[0] else { continue };
            tasks.iter_mut().for_each(|task| task.next_rep = round * readings);
            let wanted: Vec<(usize, u32)> = (0..tasks.len()).map(|task| (task, readings)).collect();
            let together = if self.parallel { wanted.len() } else { 1 };
            for chunk in wanted.chunks(together) {
                self.run_chunk(&mut tasks, chunk)?;
            }
        }
        let end = self.machine.elapsed();
        self.anchors.iter_mut().for_each(|anchors| anchors.finish(start, end));
        Ok(())
    }

    /// Adds a set of exchanges, so that plans can contain its experiments.
    pub(super) fn add_set(&mut self, set: ExchangeSet) {
        self.sets.push(set);
    }

    /// The program of an experiment and its placement, with the other pairs of a set of exchanges;
    /// `None` for a call of the MPI library, or if its set was not added.
    fn program(&self, experiment: &Experiment) -> Option<(Program, Placement)> {
        match *experiment {
            Experiment::Exchanges { i, set, size, pairs: 2.., .. } => {
                let of = self.sets.iter().find(|known| known.number() == set && known.size == size);
                of.map(|of| of.program(i))
            }
            _ => experiment.program(),
        }
    }

    /// Measures a plan; `stage` names it in progress reports.
    ///
    /// # Errors
    ///
    /// When the machine fails or the readings cannot be stored; all readings taken before are
    /// stored.
    pub fn run(&mut self, stage: &'static str, plan: &Plan) -> Result<CampaignEnd, CampaignError> {
        let mut tasks: Vec<Task> =
            plan.experiments().map(|experiment| self.resumed(experiment)).collect();
        let meets_others =
            plan.experiments().any(|one| matches!(one, Experiment::Exchanges { .. }));
        let mut queue = Queue::new(self.parallel && !meets_others, self.machine.processors());
        loop {
            let mut wanted: Vec<(usize, u32)> =
                tasks.iter().enumerate().map(|(t, task)| (t, self.outstanding(task))).collect();
            wanted.retain(|(_, repetitions)| *repetitions > 0);
            if wanted.is_empty() {
                self.report(stage, &tasks, tasks.len(), tasks.len().checked_sub(1));
                return Ok(CampaignEnd::Complete);
            }
            let mut done = tasks.len() - wanted.len();
            for chunk in queue.chunks(&tasks, wanted) {
                if self.deadline.is_some_and(|deadline| self.machine.elapsed() >= deadline) {
                    return Ok(self.out_of_time(stage, &tasks));
                }
                self.run_due_anchors()?;
                self.run_chunk(&mut tasks, &chunk)?;
                queue.adapt_chunk_length(&tasks, &chunk);
                done +=
                    chunk.iter().filter(|(task, _)| self.outstanding(&tasks[*task]) == 0).count();
                self.report(stage, &tasks, done, chunk.last().map(|(task, _)| *task));
            }
        }
    }

    /// Measures a plan as [`Campaign::run`] does, with at most this number of readings of each
    /// experiment.
    pub(super) fn run_briefly(
        &mut self,
        stage: &'static str,
        plan: &Plan,
        readings: u32,
    ) -> Result<CampaignEnd, CampaignError> {
        let own = self.precision;
        let (min_reps, max_reps) = (own.min_reps.min(readings), own.max_reps.min(readings));
        self.precision = Precision { min_reps, max_reps, ..own };
        let end = self.run(stage, plan);
        self.precision = own;
        end
    }

    /// An experiment with its known readings of this launch, to which further ones are added.
    fn resumed(&self, experiment: &Experiment) -> Task {
        let known = self.samples.get(experiment).into_iter().flat_map(|series| &series.readings);
        let here = known.filter(|reading| reading.launch == self.launch);
        let next_rep = here.clone().map(|reading| reading.rep + 1).max().unwrap_or(0);
        Task {
            experiment: *experiment,
            seconds: here.map(|reading| reading.seconds.get()).collect(),
            next_rep,
        }
    }

    /// The number of readings that are missing before the next decision. Collective operations are
    /// judged by their mean, since rare escalations do not change the median.
    fn outstanding(&self, task: &Task) -> u32 {
        let statistic = if task.experiment.is_collective() {
            Statistic::Mean
        } else {
            self.precision.statistic
        };
        Precision { statistic, ..self.precision }.outstanding(&task.seconds)
    }

    /// Measures each task of a chunk, given by index, this number of times; adds the readings to
    /// the samples, then to the sink.
    fn run_chunk(
        &mut self,
        tasks: &mut [Task],
        chunk: &[(usize, u32)],
    ) -> Result<(), CampaignError> {
        let calls_library =
            |task: usize| matches!(tasks[task].experiment, Experiment::Native { .. });
        if let Some((task, _)) =
            chunk.iter().find(|(task, _)| calls_library(*task) && self.timing != Timing::Maximum)
        {
            return Err(CampaignError::LibraryTiming(tasks[*task].experiment, self.timing));
        }
        let readings = match chunk {
            &[(task, repetitions)] => self.native_calls(&tasks[task], repetitions).map(|calls| {
                let readings = self.machine.run_native(&calls)?;
                Ok(vec![readings])
            }),
            _ => None,
        };
        let batch = |&(task, repetitions): &(usize, u32)| {
            let experiment = tasks[task].experiment;
            let (program, placement) =
                self.program(&experiment).ok_or(CampaignError::NoSchedule(experiment))?;
            let reading = program.reading_by(self.timing);
            let first_repetition = tasks[task].next_rep;
            Ok(Batch {
                program,
                placement,
                reading,
                warm_up: self.warm_up,
                first_repetition,
                repetitions,
            })
        };
        let measured = match readings {
            Some(readings) => readings,
            None => {
                let batches =
                    chunk.iter().map(batch).collect::<Result<Vec<Batch>, CampaignError>>()?;
                self.machine.run_all(&batches)
            }
        };
        let first = tasks[chunk[0].0].experiment;
        let measured = measured
            .map_err(|source| CampaignError::Machine { what: first.to_string(), source })?;
        let mut fresh = Vec::new();
        for (&(t, _), readings) in chunk.iter().zip(measured) {
            let task = &mut tasks[t];
            let (experiment, launch) = (task.experiment, self.launch);
            let reps = task.next_rep..;
            fresh.extend(reps.zip(&readings).map(|(rep, &seconds)| Sample {
                experiment,
                launch,
                rep,
                seconds,
            }));
            task.next_rep += readings.len() as u32;
            task.seconds.extend(readings.iter().map(|seconds| seconds.get()));
        }
        fresh.iter().for_each(|&reading| self.samples.push(reading));
        match &mut self.sink {
            Some(sink) => sink
                .record(&fresh)
                .map_err(|source| CampaignError::Sink { what: first.to_string(), source }),
            None => Ok(()),
        }
    }

    /// The calls of the MPI library of a task; `None` for a schedule.
    fn native_calls(&self, task: &Task, repetitions: u32) -> Option<NativeCalls> {
        let Experiment::Native { kind, algorithm, root, procs, size } = task.experiment else {
            return None;
        };
        let (root, warm_up) = (Rank(root.0), self.warm_up);
        let placement = Placement::identity(procs);
        Some(NativeCalls { kind, algorithm, root, placement, size, warm_up, repetitions })
    }

    /// Returns the end of a campaign whose deadline passed before these tasks were precise enough.
    fn out_of_time(&self, stage: &'static str, tasks: &[Task]) -> CampaignEnd {
        let least = self.precision.min_reps as usize;
        CampaignEnd::OutOfTime {
            stage,
            experiments: tasks.len(),
            imprecise: tasks.iter().filter(|task| self.outstanding(task) > 0).count(),
            unmeasured: tasks.iter().filter(|task| task.seconds.len() < least).count(),
        }
    }

    /// Calls the progress callback, if there is one; `latest` is the index of the task that was
    /// measured last, `None` without tasks.
    fn report(&mut self, stage: &'static str, tasks: &[Task], done: usize, latest: Option<usize>) {
        if let (Some(progress), Some(latest)) = (&mut self.progress, latest) {
            progress(Progress {
                stage,
                done,
                total: tasks.len(),
                experiment: &tasks[latest].experiment,
            });
        }
    }
}
