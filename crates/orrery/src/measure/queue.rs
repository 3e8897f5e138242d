use super::packing::rounds;
use crate::numeric::median;
use crate::sample::Experiment;

/// An experiment of a campaign under way.
pub(super) struct Task {
    pub(super) experiment: Experiment,
    /// Its readings so far in seconds.
    pub(super) seconds: Vec<f64>,
    /// The number of its next repetition.
    pub(super) next_rep: u32,
}

impl Task {
    /// What so many repetitions will take, as far as it is known.
    fn expected(&self, repetitions: u32) -> Option<f64> {
        (!self.seconds.is_empty()).then(|| median(&self.seconds) * f64::from(repetitions))
    }
}

/// Puts experiments in order and cuts the order into pieces that are given to the machine at once.
///
/// One at a time when nothing may run at the same time. Otherwise the longest come first as soon as their times are
/// known, so that no long one is left to the end alone, and disjoint ones stand together; processors go through their own experiments in this order and
/// wait for nobody else. Pieces are long enough for that, and short enough that little is lost by an interruption.
pub(super) struct Queue {
    parallel: bool,
    processors: usize,
    piece: usize,
    least: usize,
}

/// A piece should take about so many seconds.
const PIECE: f64 = 0.5;

/// Pieces of so many experiments at most are put in rounds anew; in longer ones disjoint experiments stand close anyhow.
const PACKED: usize = 1024;

/// No piece is longer than so many experiments, nor, but for a single one, than so many repetitions.
const MOST: usize = 65_536;
const MOST_REPETITIONS: u32 = 1 << 19;

impl Queue {
    pub(super) fn new(parallel: bool, processors: usize) -> Self {
        let least = if parallel { 8 * processors.max(1) } else { 1 };
        Self { parallel, processors, piece: least, least }
    }

    /// The experiments, with how often each is to be measured, in pieces.
    pub(super) fn chunks(&self, tasks: &[Task], mut wanted: Vec<(usize, u32)>) -> Vec<Vec<(usize, u32)>> {
        let time = |(task, repetitions): &(usize, u32)| tasks[*task].expected(*repetitions).unwrap_or(0.0);
        if self.parallel {
            // What has not been measured keeps the order of the plan, in rounds of disjoint experiments.
            wanted.sort_by(|a, b| time(b).total_cmp(&time(a)));
        }
        let mut pieces: Vec<Vec<(usize, u32)>> = Vec::new();
        let mut repetitions = 0;
        for visit in wanted {
            match pieces.last_mut() {
                Some(piece) if piece.len() < self.piece && repetitions + visit.1 <= MOST_REPETITIONS => {
                    piece.push(visit);
                    repetitions += visit.1;
                }
                _ => {
                    pieces.push(vec![visit]);
                    repetitions = visit.1;
                }
            }
        }
        let is_known = |piece: &[(usize, u32)]| piece.iter().all(|visit| time(visit) > 0.0);
        for piece in pieces.iter_mut().filter(|piece| self.parallel && piece.len() <= PACKED && is_known(piece)) {
            let experiments: Vec<Experiment> = piece.iter().map(|(task, _)| tasks[*task].experiment).collect();
            let times: Vec<f64> = piece.iter().map(time).collect();
            let rounds = rounds(self.processors, &experiments, &times);
            *piece = rounds.into_iter().flatten().map(|number| piece[number]).collect();
        }
        pieces
    }

    /// Learns from a piece how long the next ones may be.
    pub(super) fn learn(&mut self, tasks: &[Task], visit: &[(usize, u32)]) {
        if self.parallel {
            let taken: f64 = visit.iter().filter_map(|(task, repetitions)| tasks[*task].expected(*repetitions)).sum();
            let fitting = (visit.len() as f64 * PIECE / taken.max(1e-9)) as usize;
            self.piece = fitting.clamp(self.least, MOST);
        }
    }
}
