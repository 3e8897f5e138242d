use std::fmt;
use std::hash::{Hash, Hasher};

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution, StandardNormal};

use super::{Batch, Machine, MachineError, NotModelled};
use crate::sample::Provenance;
use orrery_base::units::Seconds;
use orrery_cluster::platform::{Placement, Processor};
use orrery_play::engine::{Engine, Irregularity, Network, Synchronous};
use orrery_program::schedule::{Collective, ConcurrentMessages, Program, Rank, Reading};

/// A cluster with known parameters: the engine runs schedules on a network.
///
/// Its barrier is ideal: each repetition starts with idle resources and all ranks at time 0, so all
/// repetitions take the same time, apart from escalations. Each reading is that time multiplied by
/// exp(σz − σ²/2) with z standard normal, which has mean 1. The noise of a reading depends only on
/// the seed, the experiment and the number of the repetition, not on earlier measurements.
///
/// ```
/// use orrery_play::engine::UniformNetwork;
/// use orrery_measure::machine::{Batch, Machine, SimulatedMachine};
/// use orrery_cluster::platform::Placement;
/// use orrery_program::schedule::{Program, RoundTrip};
/// use orrery_base::units::{Bytes, Seconds};
/// let latency = Seconds::new(20e-6);
/// let network = UniformNetwork { processors: 2, latency, ..Default::default() };
/// let mut machine = SimulatedMachine::new(network, 0.0, 1);
/// let program = Program::RoundTrip(RoundTrip { out: Bytes::ZERO, back: Bytes::ZERO });
/// let reading = program.reading();
/// let placement = Placement::identity(2);
/// let batch = Batch { program, placement, reading, warm_up: 0, first_repetition: 0, repetitions: 3 };
/// let readings = machine.run(&batch)?;
/// assert!(readings.iter().all(|time| (time.get() - 40e-6).abs() < 1e-15));
/// # Ok::<(), orrery_measure::machine::MachineError>(())
/// ```
#[derive(Debug)]
pub struct SimulatedMachine<N> {
    network: N,
    engine: Engine,
    noise: f64,
    seed: u64,
    elapsed: Seconds,
    slowdowns: Option<Box<dyn SlowdownModel>>,
    irregular: Option<Box<dyn IrregularCollectives>>,
    flows: Option<Box<dyn FlowTimes>>,
    conditions: Option<Box<dyn Conditions>>,
}

/// Conditions of a simulated machine that change with the time, such as a host that becomes slow.
pub trait Conditions: fmt::Debug {
    /// The factor of the times of a program on these processors that starts at this time of the
    /// machine.
    fn factor(&self, start: Seconds, processors: &[Processor]) -> f64;
}

/// A simulated machine's times of programs whose messages share ports and links as flows, in place
/// of those of the network.
pub trait FlowTimes: fmt::Debug {
    /// The time of a reading of a program; `None` for programs whose times are those of the
    /// network.
    ///
    /// # Errors
    ///
    /// The reason if the program cannot be simulated.
    fn time(
        &self,
        program: &Program,
        placement: &Placement,
        reading: Reading,
    ) -> Option<Result<Seconds, NotModelled>>;
}

/// A sharing law of a simulated machine: the slowdowns of concurrent messages.
pub trait SlowdownModel: fmt::Debug {
    /// Returns the slowdowns of concurrent messages (from, to): the time of each divided by its
    /// uncontended time.
    ///
    /// # Errors
    ///
    /// The reason if the law does not cover these messages.
    fn slowdowns(&self, messages: &[(Processor, Processor)]) -> Result<Vec<f64>, NotModelled>;
}

/// Thresholds and escalations of collective operations on a simulated machine, which do not follow
/// from their messages.
pub trait IrregularCollectives: fmt::Debug {
    /// The irregularity of an operation.
    fn irregularity(&self, collective: &Collective) -> Irregularity;
}

/// The number of random words reserved for each repetition.
const WORDS_PER_REPETITION: u128 = 64;

/// The position of the random words of a repetition that draw its escalation.
const ESCALATION_WORD: u128 = 48;

impl<N: Network> SimulatedMachine<N> {
    /// A machine on this network with noise σ (0 for none) drawn from `seed`.
    pub fn new(network: N, noise: f64, seed: u64) -> Self {
        let (slowdowns, irregular, flows) = (None, None, None);
        Self {
            network,
            engine: Engine::new(),
            noise,
            seed,
            elapsed: Seconds::ZERO,
            slowdowns,
            irregular,
            flows,
            conditions: None,
        }
    }

    /// Returns the machine with a sharing law for [`ConcurrentMessages`]: each message takes its
    /// uncontended time on the network times its slowdown; all messages count from the beginning to
    /// the end.
    #[must_use]
    pub fn with_slowdowns(self, slowdowns: Box<dyn SlowdownModel>) -> Self {
        Self { slowdowns: Some(slowdowns), ..self }
    }

    /// Returns the machine with irregular collective operations. Escalations are drawn for each
    /// repetition from the seed, the experiment and the number of the repetition; noise multiplies
    /// them too.
    #[must_use]
    pub fn with_irregularities(self, irregular: Box<dyn IrregularCollectives>) -> Self {
        Self { irregular: Some(irregular), ..self }
    }

    /// Returns the machine with messages that share links as flows.
    #[must_use]
    pub fn with_flows(self, flows: Box<dyn FlowTimes>) -> Self {
        Self { flows: Some(flows), ..self }
    }

    /// Returns the machine with conditions that change.
    #[must_use]
    pub fn with_conditions(self, conditions: Box<dyn Conditions>) -> Self {
        Self { conditions: Some(conditions), ..self }
    }

    /// The number of operations that the engine has run.
    pub fn operations(&self) -> u64 {
        self.engine.operations()
    }

    /// Runs a batch; returns its readings and the time for which it occupies its processors,
    /// warm-up included.
    fn run_batch(&mut self, batch: &Batch) -> Result<(Vec<Seconds>, Seconds), MachineError> {
        batch.check(self.processors())?;
        let irregularity = match (&batch.program, &self.irregular) {
            (Program::Collective(collective), Some(irregular)) => {
                irregular.irregularity(collective)
            }
            _ => Irregularity::default(),
        };
        let flows = self
            .flows
            .as_ref()
            .and_then(|flows| flows.time(&batch.program, &batch.placement, batch.reading));
        let (time, end) = match (&batch.program, self.slowdowns.is_some()) {
            _ if flows.is_some() => {
                let time = irregularity.corrected(flows.unwrap_or(Ok(Seconds::ZERO))?);
                (time, time)
            }
            (Program::Concurrent(concurrent), true) if concurrent.messages().len() > 1 => {
                let time = self.slowed_time(concurrent, &batch.placement)?;
                (time, time)
            }
            (program, _) => {
                let outcome = if irregularity.rendezvous {
                    self.engine.run(
                        program,
                        &batch.placement,
                        &mut Synchronous(&mut self.network),
                    )?
                } else {
                    self.engine.run(program, &batch.placement, &mut self.network)?
                };
                (
                    irregularity.corrected(outcome.read(batch.reading)),
                    irregularity.corrected(outcome.end()),
                )
            }
        };
        let factor = self.conditions.as_ref().map_or(1.0, |conditions| {
            conditions.factor(self.elapsed, batch.placement.processors())
        });
        let (time, end) = (time * factor, end * factor);
        let occupied = end * (f64::from(batch.warm_up) + f64::from(batch.repetitions));
        if self.noise <= 0.0 && irregularity.escalations.is_empty() {
            return Ok((vec![time; batch.repetitions as usize], occupied));
        }
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(fingerprint(batch));
        let mut escalated = Seconds::ZERO;
        let readings = (0..batch.repetitions).map(|repetition| {
            let escalation = Self::escalation(&irregularity, batch, repetition, &mut rng);
            escalated += escalation;
            (time + escalation) * self.noise(batch, repetition, &mut rng)
        });
        let readings = readings.collect();
        Ok((readings, occupied + escalated))
    }

    /// Returns the time of the timed message: its uncontended time multiplied by its slowdown; an
    /// error if the messages do not start together.
    fn slowed_time(
        &mut self,
        concurrent: &ConcurrentMessages,
        placement: &Placement,
    ) -> Result<Seconds, MachineError> {
        let links = concurrent.messages();
        if links.windows(2).any(|two| two[0].delay != two[1].delay) {
            let reason = "messages that do not start together; leave the delays out";
            return Err(NotModelled(reason.to_owned()).into());
        }
        let place = |rank: Rank| placement.processors()[rank.index()];
        let messages: Vec<_> =
            links.iter().map(|link| (place(link.from), place(link.to))).collect();
        let slowdowns =
            self.slowdowns.as_ref().map_or(Ok(Vec::new()), |law| law.slowdowns(&messages));
        let slowdowns = slowdowns?;
        let timed = concurrent.timed_index();
        let (from, to) = messages[timed];
        let program = Program::Concurrent(concurrent.reference());
        let outcome = self.engine.run(&program, &Placement::new([from, to]), &mut self.network)?;
        Ok(outcome.read(program.reading()) * slowdowns.get(timed).copied().unwrap_or(1.0))
    }

    /// The escalation of a repetition, zero for most.
    fn escalation(
        irregularity: &Irregularity,
        batch: &Batch,
        repetition: u32,
        rng: &mut ChaCha8Rng,
    ) -> Seconds {
        if irregularity.escalations.is_empty() {
            return Seconds::ZERO;
        }
        rng.set_word_pos(
            u128::from(batch.first_repetition + repetition) * WORDS_PER_REPETITION
                + ESCALATION_WORD,
        );
        let level = irregularity.escalation(rng.random());
        level.map_or(Seconds::ZERO, |level| irregularity.escalations[level].1)
    }

    /// The factor of noise of a repetition; 1 without noise.
    fn noise(&self, batch: &Batch, repetition: u32, rng: &mut ChaCha8Rng) -> f64 {
        if self.noise <= 0.0 {
            return 1.0;
        }
        rng.set_word_pos(u128::from(batch.first_repetition + repetition) * WORDS_PER_REPETITION);
        let z: f64 = StandardNormal.sample(rng);
        (self.noise * z - self.noise * self.noise / 2.0).exp()
    }
}

impl<N: Network> Machine for SimulatedMachine<N> {
    fn processors(&self) -> usize {
        self.network.processors()
    }

    fn provenance(&self) -> Provenance {
        Provenance::new()
            .with("machine", "simulated")
            .with("noise", self.noise.to_string())
            .with("machine-seed", self.seed.to_string())
    }

    /// The virtual time that has passed, warm-up included.
    fn elapsed(&self) -> Seconds {
        self.elapsed
    }

    fn run(&mut self, batch: &Batch) -> Result<Vec<Seconds>, MachineError> {
        let (readings, occupied) = self.run_batch(batch)?;
        self.elapsed += occupied;
        Ok(readings)
    }

    fn run_all(&mut self, batches: &[Batch]) -> Result<Vec<Vec<Seconds>>, MachineError> {
        // The time at which each processor becomes free for its next batch.
        let mut free = vec![self.elapsed; self.processors()];
        let mut readings = Vec::with_capacity(batches.len());
        for batch in batches {
            let (of_batch, occupied) = self.run_batch(batch)?;
            let processors = batch.placement.processors();
            let start = processors.iter().map(|p| free[p.index()]).fold(self.elapsed, Seconds::max);
            processors.iter().for_each(|p| free[p.index()] = start + occupied);
            readings.push(of_batch);
        }
        self.elapsed = free.into_iter().fold(self.elapsed, Seconds::max);
        Ok(readings)
    }
}

/// A hash that identifies the experiment of a batch.
fn fingerprint(batch: &Batch) -> u64 {
    let mut hasher = Fnv::default();
    batch.program.hash(&mut hasher);
    batch.placement.hash(&mut hasher);
    hasher.finish()
}

/// The 64-bit hash FNV-1a, which is equal on all machines and in all versions, unlike that of the
/// standard library.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use orrery_base::units::Bytes;
    use orrery_program::schedule::{
        Algorithm, CollectiveKind, Operation, Request, Tag, Timer, TrainKind, Transfer,
    };

    use super::*;

    /// The numbers of variants in a derived hash.
    #[derive(Default)]
    struct Variants(Vec<isize>);

    impl Hasher for Variants {
        fn write(&mut self, _: &[u8]) {}

        fn write_isize(&mut self, number: isize) {
            self.0.push(number);
        }

        fn finish(&self) -> u64 {
            0
        }
    }

    fn number(value: impl Hash) -> isize {
        let mut variants = Variants::default();
        value.hash(&mut variants);
        variants.0[0]
    }

    /// The same seed gives the same noise in all versions, whatever variants are added.
    #[test]
    fn names_determine_the_numbers_on_which_noise_depends() {
        let algorithms = "linear binomial ring pairwise linear-nb linear-sync chain pipeline \
            binary split-binary in-order-binary knomial scatter-allgather scatter-allgather-ring \
            segmented-ring recursive-doubling recursive-halving bruck k-bruck neighbor-exchange \
            sparbit rabenseifner non-overlapping exclusive-or dissemination double-ring tree bine \
            bine-doubling linear:4K";
        for (expected, name) in (0..).zip(algorithms.split_whitespace()) {
            assert_eq!(number(name.parse::<Algorithm>().unwrap()), expected, "{name}");
        }
        let operations = "scatter gather allgather alltoall barrier bcast reduce allreduce \
            reduce-scatter scan exscan";
        for (expected, name) in (0..).zip(operations.split_whitespace()) {
            assert_eq!(number(name.parse::<CollectiveKind>().unwrap()), expected, "{name}");
        }
        let collective = Collective {
            kind: CollectiveKind::Scatter,
            algorithm: Algorithm::Binomial,
            root: Rank(1),
            ranks: 4,
            block: Bytes::new(1024),
        };
        assert_eq!(number(Program::Collective(collective)), 2);
        for (expected, operation) in [
            (0, Operation::send(Rank(1), Bytes::ZERO)),
            (
                1,
                Operation::Post(
                    Transfer::Send { to: Rank(1), size: Bytes::ZERO, tag: Tag(0) },
                    Request(0),
                ),
            ),
            (2, Operation::Wait(Request(0))),
            (3, Operation::Test(Request(0))),
            (4, Operation::Compute(Seconds::ZERO)),
            (5, Operation::Spin(Seconds::ZERO)),
            (6, Operation::Start(Timer(0))),
            (7, Operation::Stop(Timer(0))),
            (8, Operation::Combine(Bytes::ZERO)),
        ] {
            assert_eq!(number(operation), expected, "{operation:?}");
        }
        for (expected, kind) in [
            (0, TrainKind::SendOverhead),
            (1, TrainKind::ReceiveOverhead),
            (2, TrainKind::Gap),
            (3, TrainKind::Prtt),
        ] {
            assert_eq!(number(kind), expected, "{kind}");
        }
    }
}
