//! A simulator as a machine: a process that plays batches and answers with times.

use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, BufWriter};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use orrery::machine::{Batch, Machine, MachineError};
use orrery::sample::Provenance;
use orrery::schedule::{Rank, Reading, Reducer, Schedule, Timer};
use orrery::units::Seconds;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use crate::lines::write_batch;

/// The process of a player, which reads batches from its input.
///
/// For each batch it answers with one line for each rank: `time BEGIN END SUM1 … SUM7`, in seconds
/// of its clock, and the sums of the timers 1 to 7. All ranks begin together and with an idle
/// network. Other lines are ignored. Each reading is that of the player multiplied by
/// exp(σz − σ²/2) with z standard normal, which has mean 1.
pub(crate) struct Player {
    process: Child,
    input: Option<BufWriter<ChildStdin>>,
    output: BufReader<ChildStdout>,
    options: Options,
    rng: ChaCha8Rng,
    elapsed: Seconds,
}

/// What a player is told about the cluster and about the noise.
pub(crate) struct Options {
    /// The description of the samples; `hosts` has a word for each processor.
    pub provenance: Provenance,
    /// The relative standard deviation σ of the noise.
    pub noise: f64,
    /// The seed of the noise.
    pub seed: u64,
    /// True if repetitions differ, so that each is played by itself.
    pub varies: bool,
}

/// The times of a rank in seconds.
struct RankTimes {
    begin: f64,
    end: f64,
    sums: Vec<f64>,
}

impl Player {
    /// Starts the process of a player.
    ///
    /// # Errors
    ///
    /// When it cannot be started.
    pub fn start(command: &[OsString], options: Options) -> io::Result<Self> {
        let (program, arguments) =
            command.split_first().ok_or_else(|| io::Error::other("the player has no command"))?;
        let mut process = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let (Some(input), Some(output)) = (process.stdin.take(), process.stdout.take()) else {
            return Err(io::Error::other("the player has no pipes"));
        };
        let (input, output) = (Some(BufWriter::new(input)), BufReader::new(output));
        let (rng, elapsed) = (ChaCha8Rng::seed_from_u64(options.seed), Seconds::ZERO);
        Ok(Self { process, input, output, options, rng, elapsed })
    }

    /// Ends the process: closes its input and waits.
    ///
    /// # Errors
    ///
    /// When it ends with an error.
    pub fn finish(mut self) -> io::Result<()> {
        self.input = None;
        let status = self.process.wait()?;
        if status.success() {
            return Ok(());
        }
        Err(io::Error::other(format!("the player ended with {status}")))
    }

    /// Plays a batch once; returns the time of its reading and adds its duration to the clock.
    fn play(&mut self, batch: &Batch) -> Result<f64, MachineError> {
        let system = |doing| move |source| MachineError::System { doing, source };
        if let Some(input) = &mut self.input {
            write_batch(input, batch).map_err(system("cannot write to the player"))?;
        }
        let mut ranks = Vec::new();
        while ranks.len() < batch.program.ranks() {
            let mut line = String::new();
            let read = self.output.read_line(&mut line);
            if read.map_err(system("cannot read from the player"))? == 0 {
                return Err(failed("it ended before its answer"));
            }
            let mut words = line.split_whitespace();
            if words.next() == Some("time") {
                ranks.push(rank_times(words).ok_or_else(|| failed("a time is not a number"))?);
            }
        }
        let begin = ranks.iter().map(|rank| rank.begin).fold(f64::INFINITY, f64::min);
        let end = ranks.iter().map(|rank| rank.end).fold(0.0, f64::max);
        self.elapsed += Seconds::new(end - begin);
        reduce(batch.reading, &ranks).ok_or_else(|| failed("the reading is not supported"))
    }

    /// The factor of noise of the next repetition.
    fn noise(&mut self) -> f64 {
        let (sigma, z): (f64, f64) = (self.options.noise, StandardNormal.sample(&mut self.rng));
        (sigma * z - sigma * sigma / 2.0).exp()
    }
}

impl Machine for Player {
    fn processors(&self) -> usize {
        self.options.provenance.hosts().len()
    }

    fn provenance(&self) -> Provenance {
        self.options.provenance.clone()
    }

    fn elapsed(&self) -> Seconds {
        self.elapsed
    }

    fn run(&mut self, batch: &Batch) -> Result<Vec<Seconds>, MachineError> {
        batch.check(self.processors())?;
        let mut time = self.play(batch)?;
        let mut readings = Vec::new();
        for repetition in 0..batch.repetitions {
            if self.options.varies && repetition > 0 {
                time = self.play(batch)?;
            }
            readings.push(Seconds::new(time * self.noise()));
        }
        Ok(readings)
    }
}

/// The error of a player.
fn failed(reason: &str) -> MachineError {
    MachineError::WorkerFailed { worker: 0, reason: reason.to_owned() }
}

/// The times of a rank of an answer.
fn rank_times<'a>(words: impl Iterator<Item = &'a str>) -> Option<RankTimes> {
    let numbers = words.map(str::parse).collect::<Result<Vec<f64>, _>>().ok()?;
    match numbers[..] {
        [begin, end, ref sums @ ..] if sums.len() + 1 == Timer::COUNT => {
            Some(RankTimes { begin, end, sums: sums.to_vec() })
        }
        _ => None,
    }
}

/// The reading of the times of all ranks; `None` for those that need a closing barrier.
fn reduce(reading: Reading, ranks: &[RankTimes]) -> Option<f64> {
    let of_rank = |rank: &RankTimes| match reading.timer {
        Timer::WHOLE => rank.end - rank.begin,
        Timer(number) => rank.sums[usize::from(number) - 1],
    };
    match reading.reducer {
        Reducer::At(Rank(rank)) => ranks.get(rank as usize).map(of_rank),
        Reducer::Maximum | Reducer::Global => Some(ranks.iter().map(of_rank).fold(0.0, f64::max)),
        Reducer::RootMinusBarrier(_) => None,
    }
}
