use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::rc::Rc;

use super::{CampaignEnd, CampaignError, Precision};
use crate::machine::{Batch, Machine};
use crate::sample::{
    Communication, NodeMessage, Repetition, TimedScheme, TimingRow, TimingSubject, Timings,
};
use orrery_base::file::Fault;
use orrery_base::units::Seconds;
use orrery_cluster::platform::{Placement, Processor};
use orrery_program::schedule::{Completion, ConcurrentMessage, ConcurrentMessages, Program, Rank};

/// A message and the delay before its start.
type Arc = (NodeMessage, Seconds);

/// The nodes of schemes, each with the processors on it.
///
/// Messages that leave or reach a node are assigned to its processors in turn, so that each message
/// has its own process as long as there are enough.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemeNodes {
    processors: Vec<Vec<Processor>>,
}

impl SchemeNodes {
    /// Creates nodes of one processor each.
    pub fn per_processor(count: usize) -> Self {
        Self { processors: Processor::first(count).map(|processor| vec![processor]).collect() }
    }

    /// Creates a node for each host, in the order in which hosts are first named.
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

    /// Returns the number of nodes.
    pub fn count(&self) -> usize {
        self.processors.len()
    }

    /// Checks that a scheme can be measured on these nodes.
    ///
    /// # Errors
    ///
    /// A scheme without transfers; a transfer with an unknown node or within one node.
    pub fn check(&self, scheme: &TimedScheme) -> Result<(), Fault> {
        let nodes = self.count();
        if scheme.communications.is_empty() {
            return Err(empty_scheme(&scheme.name));
        }
        for one in &scheme.communications {
            let (scheme, transfer) = (&scheme.name, &one.name);
            let NodeMessage { source, destination, .. } = one.message;
            if source.max(destination) as usize >= nodes {
                let node = source.max(destination);
                return Err(Fault::new(format!(
                    "scheme {scheme:?}: transfer {transfer:?} needs node {node}, but there are \
                        {nodes}, numbered from 0; measure on more nodes"
                )));
            }
            if source == destination {
                return Err(Fault::new(format!(
                    "scheme {scheme:?}: transfer {transfer:?} stays within node {source}, where no \
                        network is shared; leave it out"
                )));
            }
        }
        Ok(())
    }

    /// Returns the messages between processors as ranks of a program, and the placement of the
    /// ranks.
    fn placed(&self, arcs: &[Arc]) -> (Vec<ConcurrentMessage>, Placement) {
        let mut turns = vec![0; self.processors.len()];
        let mut take = |node: u32| {
            let (own, turn) = (&self.processors[node as usize], &mut turns[node as usize]);
            let processor = own[*turn % own.len()];
            *turn += 1;
            processor
        };
        let ends: Vec<_> = arcs
            .iter()
            .map(|(message, _)| (take(message.source), take(message.destination)))
            .collect();
        let used: BTreeSet<Processor> = ends.iter().flat_map(|&(from, to)| [from, to]).collect();
        let ranks: BTreeMap<Processor, Rank> =
            used.iter().copied().zip(Rank::first(used.len())).collect();
        let link = |(&(message, delay), (from, to)): (&Arc, &(Processor, Processor))| {
            ConcurrentMessage { from: ranks[from], to: ranks[to], size: message.size, delay }
        };
        (arcs.iter().zip(&ends).map(link).collect(), Placement::new(used))
    }
}

/// The fault of a scheme without transfers.
pub fn empty_scheme(name: &str) -> Fault {
    Fault::new(format!("scheme {name:?} has no transfer; add one, such as a: 0 -> 1 20M"))
}

/// A callback that stores rows permanently before it returns.
pub type RowSink<'a> = dyn FnMut(&[TimingRow]) -> Result<(), Box<dyn Error + Send + Sync>> + 'a;

/// Measures schemes on a machine: each message uncontended, and each among the other messages of
/// its scheme.
///
/// The first pass takes the minimum number of readings of all messages; further passes continue
/// with those that are not precise enough. An uncontended message and the same one among others are
/// therefore read at about the same time, and slow drift affects both. Each message is timed in
/// iterations of its own, in which both its ends wait for it first.
pub struct SchemeCampaign<'a> {
    /// The machine on which schemes are measured.
    pub machine: &'a mut dyn Machine,
    /// The nodes and their processors.
    pub nodes: &'a SchemeNodes,
    /// The criterion for a complete message.
    pub completion: Completion,
    /// The rule for the number of repetitions.
    pub precision: Precision,
    /// The number of repetitions before the first reading of each visit that are not recorded.
    pub warm_up: u32,
    /// The number of this launch.
    pub launch: u32,
    /// The time of the machine's clock after which no further measurement starts; `None` for no
    /// limit.
    pub deadline: Option<Seconds>,
    /// The callback that stores the readings.
    pub keep: &'a mut RowSink<'a>,
    /// The earlier readings, to which new ones are added.
    pub known: &'a mut Timings,
    /// The callback for progress: measurements done, their total number, and the last measurement.
    pub progress: &'a mut dyn FnMut(usize, usize, &str),
}

/// The timing of one message.
struct Task {
    subject: TimingSubject,
    what: String,
    /// The concurrent messages, and the index of the timed one.
    arcs: Rc<[Arc]>,
    number: usize,
    seconds: Vec<f64>,
    next_rep: u32,
}

impl SchemeCampaign<'_> {
    /// Measures these schemes; readings that they contain are ignored.
    ///
    /// # Errors
    ///
    /// A scheme that cannot be measured, before any measurement; a failure of the machine or of the
    /// storage of readings.
    pub fn run(&mut self, schemes: &[TimedScheme]) -> Result<CampaignEnd, CampaignError> {
        schemes.iter().try_for_each(|scheme| self.fits(scheme))?;
        self.name(schemes)?;
        let mut tasks = self.tasks(schemes);
        loop {
            let wanted: Vec<usize> =
                (0..tasks.len()).filter(|&t| self.outstanding(&tasks[t]) > 0).collect();
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

    /// Returns the number of missing readings of a task before the next decision.
    fn outstanding(&self, task: &Task) -> u32 {
        self.precision.outstanding(&task.seconds)
    }

    /// Returns an error if a scheme cannot be measured on the nodes, or the file has another scheme
    /// of its name.
    fn fits(&self, scheme: &TimedScheme) -> Result<(), Fault> {
        self.nodes.check(scheme)?;
        match self.known.scheme(&scheme.name) {
            Some(known) if !known.is_like(scheme) => Err(Fault::new(format!(
                "the file has a different scheme with the name {:?}; rename the scheme, or write to \
                    another file",
                scheme.name
            ))),
            _ => Ok(()),
        }
    }

    /// Adds the messages of new schemes to the file, without readings.
    fn name(&mut self, schemes: &[TimedScheme]) -> Result<(), CampaignError> {
        for scheme in schemes {
            if self.known.scheme(&scheme.name).is_none() {
                let subject = scheme.communications.iter().map(|one| timed(scheme, one));
                let rows: Vec<TimingRow> =
                    subject.map(|subject| TimingRow { subject, reading: None }).collect();
                self.record(&scheme.name, &rows)?;
            }
        }
        Ok(())
    }

    /// Returns the tasks: uncontended messages, then those of each scheme.
    fn tasks(&self, schemes: &[TimedScheme]) -> Vec<Task> {
        let all = || schemes.iter().flat_map(|scheme| &scheme.communications);
        let message: BTreeSet<NodeMessage> = all().map(|one| one.message).collect();
        let mut tasks: Vec<Task> = message
            .into_iter()
            .map(|message| {
                let what = format!(
                    "{} to {} uncontended ({})",
                    message.source, message.destination, message.size
                );
                self.task(
                    TimingSubject::Reference(message),
                    what,
                    Rc::from([(message, Seconds::ZERO)]),
                    0,
                )
            })
            .collect();
        for scheme in schemes {
            let arcs: Rc<[Arc]> =
                scheme.communications.iter().map(|one| (one.message, one.delay)).collect();
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

    /// Creates the task of timing the message with the index `number` of `arcs`, with its earlier
    /// readings of this launch; `what` names it in messages.
    fn task(&self, subject: TimingSubject, what: String, arcs: Rc<[Arc]>, number: usize) -> Task {
        let known = match &subject {
            TimingSubject::Reference(message) => self.known.references().get(message),
            TimingSubject::Concurrent { scheme, communication, .. } => {
                self.known.scheme(scheme).and_then(|scheme| {
                    let own = scheme.communications.iter().find(|one| one.name == *communication);
                    own.map(|one| &one.readings)
                })
            }
        };
        let here = || known.into_iter().flatten().filter(|reading| reading.launch == self.launch);
        let next_rep = here().map(|reading| reading.rep + 1).max().unwrap_or(0);
        Task {
            subject,
            what,
            arcs,
            number,
            seconds: here().map(|one| one.seconds.get()).collect(),
            next_rep,
        }
    }

    /// Takes the missing readings of a task and records them.
    fn visit(&mut self, task: &mut Task) -> Result<(), CampaignError> {
        let (links, placement) = self.nodes.placed(&task.arcs);
        let program =
            Program::Concurrent(ConcurrentMessages::new(&links, task.number, self.completion));
        let reading = program.reading();
        let (warm_up, first_repetition, repetitions) =
            (self.warm_up, task.next_rep, self.outstanding(task));
        let batch = Batch { program, placement, reading, warm_up, first_repetition, repetitions };
        let readings = self.machine.run(&batch);
        let readings = readings
            .map_err(|source| CampaignError::Machine { what: task.what.clone(), source })?;
        let launch = self.launch;
        let row = |(rep, &seconds): (u32, &Seconds)| TimingRow {
            subject: task.subject.clone(),
            reading: Some(Repetition { launch, rep, seconds }),
        };
        let rows: Vec<TimingRow> = (first_repetition..).zip(&readings).map(row).collect();
        self.record(&task.what, &rows)?;
        task.next_rep += readings.len() as u32;
        task.seconds.extend(readings.iter().map(|seconds| seconds.get()));
        Ok(())
    }

    /// Adds rows to the known timings and stores them.
    fn record(&mut self, what: &str, rows: &[TimingRow]) -> Result<(), CampaignError> {
        let refused = |source| CampaignError::Sink { what: what.to_owned(), source };
        rows.iter()
            .try_for_each(|row| self.known.push(row.clone()))
            .map_err(|mismatch| refused(mismatch.into()))?;
        (self.keep)(rows).map_err(refused)
    }

    /// Returns the end of a campaign whose deadline passed before these tasks were precise enough.
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

/// Returns the timing subject of a message of a scheme.
fn timed(scheme: &TimedScheme, one: &Communication) -> TimingSubject {
    let (scheme, communication) = (scheme.name.clone(), one.name.clone());
    TimingSubject::Concurrent { scheme, communication, message: one.message, delay: one.delay }
}
