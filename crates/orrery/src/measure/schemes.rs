use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::rc::Rc;

use super::{CampaignEnd, Precision};
use crate::machine::{Batch, Machine, MachineError};
use crate::platform::{Placement, Processor};
use crate::sample::{Communication, NodeMessage, Repetition, TimedScheme, TimingRow, TimingSubject, Timings};
use crate::schedule::{Completion, ConcurrentMessage, ConcurrentMessages, Program, Rank};
use crate::units::Seconds;

/// A message and its delay.
type Arc = (NodeMessage, Seconds);

/// The nodes of schemes, each with the processors on it.
///
/// The messages that leave a node or come to it are dealt out to its processors in turn, so that each has a process of its
/// own as long as there are enough.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemeNodes {
    processors: Vec<Vec<Processor>>,
}

impl SchemeNodes {
    /// Every processor is a node.
    pub fn per_processor(count: usize) -> Self {
        Self { processors: Processor::first(count).map(|processor| vec![processor]).collect() }
    }

    /// Every host is a node, in the order in which hosts are first named.
    pub fn per_host(hosts: &[&str]) -> Self {
        let mut names: Vec<&str> = Vec::new();
        let mut processors: Vec<Vec<Processor>> = Vec::new();
        for (processor, &host) in Processor::first(hosts.len()).zip(hosts) {
            match names.iter().position(|known| *known == host) {
                Some(place) => processors[place].push(processor),
                None => {
                    names.push(host);
                    processors.push(vec![processor]);
                }
            }
        }
        Self { processors }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.processors.len()
    }

    /// Whether a scheme can be measured on them.
    ///
    /// # Errors
    ///
    /// A scheme without messages, a message of a node that is not there, or within one.
    pub fn check(&self, scheme: &TimedScheme) -> Result<(), SchemeProblem> {
        let nodes = self.count();
        if scheme.communications.is_empty() {
            return Err(SchemeProblem::Empty(scheme.name.clone()));
        }
        for one in &scheme.communications {
            let (scheme, communication) = (scheme.name.clone(), one.name.clone());
            let NodeMessage { source, destination, .. } = one.message;
            if source.max(destination) as usize >= nodes {
                return Err(SchemeProblem::Node { scheme, communication, node: source.max(destination), nodes });
            }
            if source == destination {
                return Err(SchemeProblem::Inside { scheme, communication, node: source });
            }
        }
        Ok(())
    }

    /// The messages between processors, as ranks of a program, and where the ranks stand.
    fn placed(&self, arcs: &[Arc]) -> (Vec<ConcurrentMessage>, Placement) {
        let mut turns = vec![0; self.processors.len()];
        let mut take = |node: u32| {
            let (own, turn) = (&self.processors[node as usize], &mut turns[node as usize]);
            let processor = own[*turn % own.len()];
            *turn += 1;
            processor
        };
        let ends: Vec<_> = arcs.iter().map(|(message, _)| (take(message.source), take(message.destination))).collect();
        let used: BTreeSet<Processor> = ends.iter().flat_map(|&(from, to)| [from, to]).collect();
        let ranks: BTreeMap<Processor, Rank> = used.iter().copied().zip(Rank::first(used.len())).collect();
        let link = |(&(message, delay), (from, to)): (&Arc, &(Processor, Processor))| ConcurrentMessage {
            from: ranks[from],
            to: ranks[to],
            size: message.size,
            delay,
        };
        (arcs.iter().zip(&ends).map(link).collect(), Placement::new(used))
    }
}

/// A scheme that cannot be measured on these nodes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SchemeProblem {
    /// It has nothing to measure.
    #[error("scheme {0:?} has no communication")]
    Empty(String),
    /// It names a node that there is not.
    #[error(
        "scheme {scheme:?}: communication {communication:?} needs node {node}, but there are {nodes}, numbered from 0"
    )]
    Node {
        /// The scheme.
        scheme: String,
        /// The message.
        communication: String,
        /// The node.
        node: u32,
        /// How many there are.
        nodes: usize,
    },
    /// A message does not leave its node.
    #[error(
        "scheme {scheme:?}: communication {communication:?} stays within node {node}, where no network is shared; leave it out"
    )]
    Inside {
        /// The scheme.
        scheme: String,
        /// The message.
        communication: String,
        /// The node.
        node: u32,
    },
    /// The file knows another scheme of this name.
    #[error(
        "scheme {0:?} is another one than that of this name in the file; give it another name, or name another file"
    )]
    Known(String),
}

/// Why a campaign of schemes ended early. What was measured before is with the sink.
#[derive(Debug, thiserror::Error)]
pub enum SchemeError {
    /// A scheme does not fit.
    #[error(transparent)]
    Misfit(#[from] SchemeProblem),
    /// The machine failed.
    #[error("{what} was not measured to its end")]
    Machine {
        /// What was being measured.
        what: String,
        /// Why.
        source: MachineError,
    },
    /// The readings could not be kept.
    #[error("the readings of {what} cannot be kept")]
    Sink {
        /// Of what.
        what: String,
        /// Why.
        source: Box<dyn Error + Send + Sync>,
    },
}

/// Keeps rows; when it returns they are safe.
pub type RowSink<'a> = dyn FnMut(&[TimingRow]) -> Result<(), Box<dyn Error + Send + Sync>> + 'a;

/// Measures schemes on a machine: each message by itself, and each with the others of its scheme under way.
///
/// One pass gives everything its least number of readings, further passes go on with what is not precise enough; so an uncontended
/// message and one among others are read at about the same time, and slow drift falls on both. Each message is timed in
/// iterations of its own, in which it is the one that its ends wait for first.
pub struct SchemeCampaign<'a> {
    /// Where it is measured.
    pub machine: &'a mut dyn Machine,
    /// Which processors are on which node.
    pub nodes: &'a SchemeNodes,
    /// When a message counts as complete.
    pub completion: Completion,
    /// How often each is repeated.
    pub precision: Precision,
    /// Repetitions before the first reading of each visit that are not read.
    pub warm_up: u32,
    /// The number of this launch.
    pub launch: u32,
    /// When the machine's clock shows this, nothing further is begun.
    pub deadline: Option<Seconds>,
    /// Where the readings go.
    pub keep: &'a mut RowSink<'a>,
    /// What there is already, and what comes to it.
    pub known: &'a mut Timings,
    /// Is told how far it has come: done, of how many, and what has just been measured.
    pub progress: &'a mut dyn FnMut(usize, usize, &str),
}

/// A message to be timed.
struct Task {
    subject: TimingSubject,
    what: String,
    /// What is under way, and which of it is timed.
    arcs: Rc<[Arc]>,
    number: usize,
    seconds: Vec<f64>,
    next_rep: u32,
}

impl SchemeCampaign<'_> {
    /// Measures these schemes, of which the readings are passed over.
    ///
    /// # Errors
    ///
    /// A scheme that does not fit, before anything is measured; when the machine fails or the readings cannot be kept.
    pub fn run(&mut self, schemes: &[TimedScheme]) -> Result<CampaignEnd, SchemeError> {
        schemes.iter().try_for_each(|scheme| self.fits(scheme))?;
        self.name(schemes)?;
        let mut tasks = self.tasks(schemes);
        loop {
            let wanted: Vec<usize> = (0..tasks.len()).filter(|&t| self.outstanding(&tasks[t]) > 0).collect();
            if wanted.is_empty() {
                return Ok(CampaignEnd::Complete);
            }
            let mut done = tasks.len() - wanted.len();
            for t in wanted {
                if self.deadline.is_some_and(|deadline| self.machine.elapsed() >= deadline) {
                    return Ok(self.out_of_time(&tasks));
                }
                self.visit(&mut tasks[t])?;
                done += usize::from(self.outstanding(&tasks[t]) == 0);
                (self.progress)(done, tasks.len(), &tasks[t].what);
            }
        }
    }

    fn outstanding(&self, task: &Task) -> u32 {
        self.precision.outstanding(&task.seconds)
    }

    fn fits(&self, scheme: &TimedScheme) -> Result<(), SchemeProblem> {
        self.nodes.check(scheme)?;
        match self.known.scheme(&scheme.name) {
            Some(known) if !known.is_like(scheme) => Err(SchemeProblem::Known(scheme.name.clone())),
            _ => Ok(()),
        }
    }

    /// Names the messages of the schemes that are not known yet.
    fn name(&mut self, schemes: &[TimedScheme]) -> Result<(), SchemeError> {
        for scheme in schemes {
            if self.known.scheme(&scheme.name).is_none() {
                let subject = scheme.communications.iter().map(|one| timed(scheme, one));
                let rows: Vec<TimingRow> = subject.map(|subject| TimingRow { subject, reading: None }).collect();
                self.record(&scheme.name, rows)?;
            }
        }
        Ok(())
    }

    /// Lone messages, then those of each scheme.
    fn tasks(&self, schemes: &[TimedScheme]) -> Vec<Task> {
        let all = || schemes.iter().flat_map(|scheme| &scheme.communications);
        let message: BTreeSet<NodeMessage> = all().map(|one| one.message).collect();
        let mut tasks: Vec<Task> = message
            .into_iter()
            .map(|message| {
                let what = format!("{} to {} alone ({})", message.source, message.destination, message.size);
                self.task(TimingSubject::Reference(message), what, Rc::from([(message, Seconds::ZERO)]), 0)
            })
            .collect();
        for scheme in schemes {
            let arcs: Rc<[Arc]> = scheme.communications.iter().map(|one| (one.message, one.delay)).collect();
            for (number, one) in scheme.communications.iter().enumerate() {
                tasks.push(self.task(
                    timed(scheme, one),
                    format!("{} of {}", one.name, scheme.name),
                    Rc::clone(&arcs),
                    number,
                ));
            }
        }
        tasks
    }

    /// The task of timing a message, with the readings of this launch that are known.
    fn task(&self, subject: TimingSubject, what: String, arcs: Rc<[Arc]>, number: usize) -> Task {
        let known = match &subject {
            TimingSubject::Reference(message) => self.known.references().get(message),
            TimingSubject::Concurrent { scheme, communication, .. } => self.known.scheme(scheme).and_then(|scheme| {
                let own = scheme.communications.iter().find(|one| one.name == *communication);
                own.map(|one| &one.readings)
            }),
        };
        let here = || known.into_iter().flatten().filter(|reading| reading.launch == self.launch);
        let next_rep = here().map(|reading| reading.rep + 1).max().unwrap_or(0);
        Task { subject, what, arcs, number, seconds: here().map(|one| one.seconds.get()).collect(), next_rep }
    }

    /// Measures as often as is outstanding.
    fn visit(&mut self, task: &mut Task) -> Result<(), SchemeError> {
        let (links, placement) = self.nodes.placed(&task.arcs);
        let program = Program::Concurrent(ConcurrentMessages::new(&links, task.number, self.completion));
        let reading = program.reading();
        let (warm_up, first_repetition, repetitions) = (self.warm_up, task.next_rep, self.outstanding(task));
        let batch = Batch { program, placement, reading, warm_up, first_repetition, repetitions };
        let readings = self.machine.run(&batch);
        let readings = readings.map_err(|source| SchemeError::Machine { what: task.what.clone(), source })?;
        let launch = self.launch;
        let row = |(rep, &seconds): (u32, &Seconds)| TimingRow {
            subject: task.subject.clone(),
            reading: Some(Repetition { launch, rep, seconds }),
        };
        let rows: Vec<TimingRow> = (first_repetition..).zip(&readings).map(row).collect();
        self.record(&task.what, rows)?;
        task.next_rep += readings.len() as u32;
        task.seconds.extend(readings.iter().map(|seconds| seconds.get()));
        Ok(())
    }

    fn record(&mut self, what: &str, rows: Vec<TimingRow>) -> Result<(), SchemeError> {
        let refused = |source| SchemeError::Sink { what: what.to_owned(), source };
        (self.keep)(&rows).map_err(refused)?;
        rows.into_iter().try_for_each(|row| self.known.push(row)).map_err(|mismatch| refused(mismatch.into()))
    }

    fn out_of_time(&self, tasks: &[Task]) -> CampaignEnd {
        let imprecise = tasks.iter().filter(|task| self.outstanding(task) > 0).count();
        let least = self.precision.min_reps as usize;
        CampaignEnd::OutOfTime {
            stage: "schemes",
            experiments: tasks.len(),
            imprecise,
            unmeasured: tasks.iter().filter(|task| task.seconds.len() < least).count(),
        }
    }
}

fn timed(scheme: &TimedScheme, one: &Communication) -> TimingSubject {
    let (scheme, communication) = (scheme.name.clone(), one.name.clone());
    TimingSubject::Concurrent { scheme, communication, message: one.message, delay: one.delay }
}
