use super::rank::RankState;
use super::{Moment, Path, Row, Step};
use orrery_base::units::Seconds;
use orrery_program::schedule::{Rank, Reading, Reducer, Timer};

/// An interval in which a named timer of a rank was running.
#[derive(Debug, Clone, Copy)]
pub(super) struct Span {
    pub(super) rank: Rank,
    pub(super) timer: Timer,
    pub(super) start: Moment,
    pub(super) stop: Moment,
}

/// The result of a run: times of ranks and timers, and the critical path.
#[derive(Debug, Clone, Copy)]
pub struct Outcome<'a> {
    ranks: &'a [RankState],
    spans: &'a [Span],
    path: &'a Path,
}

impl<'a> Outcome<'a> {
    /// Creates the outcome from the state at the end of a run.
    pub(super) fn new(ranks: &'a [RankState], spans: &'a [Span], path: &'a Path) -> Self {
        Self { ranks, spans, path }
    }

    /// Returns the time at which a rank finished its last operation.
    ///
    /// # Panics
    ///
    /// When the rank did not take part.
    pub fn finish(&self, rank: Rank) -> Seconds {
        self.finish_moment(rank).time
    }

    /// Returns the time at which the last rank finished.
    pub fn end(&self) -> Seconds {
        Rank::first(self.ranks.len())
            .map(|rank| self.finish(rank))
            .fold(Seconds::ZERO, Seconds::max)
    }

    /// Returns the reading of a timer of a rank: the sum over its intervals.
    pub fn timer(&self, rank: Rank, timer: Timer) -> Seconds {
        self.intervals(rank, timer).map(|(start, stop)| stop.time - start.time).sum()
    }

    /// Returns the reading of the timers, reduced over the ranks.
    pub fn read(&self, reading: Reading) -> Seconds {
        self.timer(self.rank_read(reading), reading.timer)
    }

    /// Returns the reading as a linear function of the network's parameters along the critical
    /// path; empty if the path was not kept.
    pub fn row(&self, reading: Reading) -> Row {
        let intervals = self.intervals(self.rank_read(reading), reading.timer);
        self.path.weighted_sum(intervals.flat_map(|(start, stop)| [(stop, 1), (start, -1)]))
    }

    /// Returns the critical path of the reading step by step, from the start of the schedule; empty
    /// if it was not kept.
    pub fn critical_path(&self, reading: Reading) -> Vec<Step> {
        self.path.steps(self.finish_moment(self.rank_read(reading)))
    }

    /// Returns the rank whose timer determines the reading, the first of several equal ones.
    fn rank_read(&self, reading: Reading) -> Rank {
        match reading.reducer {
            Reducer::At(rank) => rank,
            // Barriers take no time here, and all ranks start together on one clock: the root
            // leaves the barrier when the last rank ends.
            Reducer::Maximum | Reducer::RootMinusBarrier(_) | Reducer::Global => {
                Rank::first(self.ranks.len())
                    .reduce(|best, rank| {
                        if self.timer(rank, reading.timer) > self.timer(best, reading.timer) {
                            rank
                        } else {
                            best
                        }
                    })
                    .unwrap_or(Rank(0))
            }
        }
    }

    /// Returns the moment at which a rank finished; the start if it had no operations.
    fn finish_moment(&self, rank: Rank) -> Moment {
        self.ranks[rank.index()].finish.unwrap_or_default()
    }

    /// Returns the intervals, as start and stop, in which a timer of a rank was running.
    fn intervals(&self, rank: Rank, timer: Timer) -> impl Iterator<Item = (Moment, Moment)> {
        let whole = (timer == Timer::WHOLE).then(|| (Moment::START, self.finish_moment(rank)));
        let named = self.spans.iter().filter(move |span| span.rank == rank && span.timer == timer);
        whole.into_iter().chain(named.map(|span| (span.start, span.stop)))
    }
}
