use super::packing::rounds;
use crate::sample::Experiment;
use orrery_base::numeric::median;

/// An experiment of a running campaign.
pub(super) struct Task {
    pub(super) experiment: Experiment,
    /// Its readings so far in seconds.
    pub(super) seconds: Vec<f64>,
    /// The number of its next repetition.
    pub(super) next_rep: u32,
}

impl Task {
    /// The expected duration of a number of repetitions in seconds; `None` before the first
    /// reading.
    fn expected(&self, repetitions: u32) -> Option<f64> {
        (!self.seconds.is_empty()).then(|| median(&self.seconds) * f64::from(repetitions))
    }
}

/// Orders experiments and splits the order into chunks; a chunk is passed to the machine as a
/// whole.
///
/// Without parallel experiments, a chunk is one experiment. Otherwise the longest experiments come
/// first as soon as their times are known, so that no long one runs by itself at the end, and
/// disjoint experiments are neighbours. Each processor runs its experiments in this order without
/// waiting for others. Chunks are long enough for that, and short enough that an interruption loses
/// little: about half a second, or eight experiments for each processor if these take longer.
pub(super) struct Queue {
    parallel: bool,
    processors: usize,
    /// The number of experiments in a chunk.
    chunk: usize,
    min_chunk: usize,
}

/// The intended duration of a chunk in seconds.
const CHUNK_SECONDS: f64 = 0.5;

/// The smallest number of experiments in a chunk of parallel experiments, for each processor.
const MIN_CHUNK_PER_PROCESSOR: usize = 8;

/// Chunks up to this number of experiments are packed into rounds; in longer ones disjoint
/// experiments are close anyway.
const MAX_PACKED: usize = 1024;

/// The largest number of experiments in a chunk.
const MAX_CHUNK: usize = 65_536;

/// The largest number of repetitions in a chunk of more than one experiment.
const MAX_CHUNK_REPETITIONS: u32 = 1 << 19;

impl Queue {
    /// Creates a queue for a machine with this number of processors.
    pub(super) fn new(parallel: bool, processors: usize) -> Self {
        let min_chunk = if parallel { MIN_CHUNK_PER_PROCESSOR * processors.max(1) } else { 1 };
        Self { parallel, processors, chunk: min_chunk, min_chunk }
    }

    /// Splits tasks, given by index with their numbers of repetitions, into chunks in the order in
    /// which they run.
    pub(super) fn chunks(
        &self,
        tasks: &[Task],
        mut wanted: Vec<(usize, u32)>,
    ) -> Vec<Vec<(usize, u32)>> {
        let time =
            |(task, repetitions): &(usize, u32)| tasks[*task].expected(*repetitions).unwrap_or(0.0);
        if self.parallel {
            // Experiments without readings keep the order of the plan: rounds of disjoint
            // experiments.
            wanted.sort_by(|a, b| time(b).total_cmp(&time(a)));
        }
        let mut chunks: Vec<Vec<(usize, u32)>> = Vec::new();
        let mut repetitions = 0;
        for entry in wanted {
            match chunks.last_mut() {
                Some(chunk)
                    if chunk.len() < self.chunk
                        && repetitions + entry.1 <= MAX_CHUNK_REPETITIONS =>
                {
                    chunk.push(entry);
                    repetitions += entry.1;
                }
                _ => {
                    chunks.push(vec![entry]);
                    repetitions = entry.1;
                }
            }
        }
        let is_known = |chunk: &[(usize, u32)]| chunk.iter().all(|entry| time(entry) > 0.0);
        for chunk in chunks
            .iter_mut()
            .filter(|chunk| self.parallel && chunk.len() <= MAX_PACKED && is_known(chunk))
        {
            let experiments: Vec<Experiment> =
                chunk.iter().map(|(task, _)| tasks[*task].experiment).collect();
            let times: Vec<f64> = chunk.iter().map(time).collect();
            let rounds = rounds(self.processors, &experiments, &times);
            *chunk = rounds.into_iter().flatten().map(|number| chunk[number]).collect();
        }
        chunks
    }

    /// Adapts the length of later chunks to the duration of one that has run.
    pub(super) fn adapt_chunk_length(&mut self, tasks: &[Task], chunk: &[(usize, u32)]) {
        if self.parallel {
            let seconds: f64 = chunk
                .iter()
                .filter_map(|(task, repetitions)| tasks[*task].expected(*repetitions))
                .sum();
            let fitting = (chunk.len() as f64 * CHUNK_SECONDS / seconds.max(1e-9)) as usize;
            self.chunk = fitting.clamp(self.min_chunk, MAX_CHUNK);
        }
    }
}
