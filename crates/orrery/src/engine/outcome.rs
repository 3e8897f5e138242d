use super::engine::Span;
use super::rank::RankState;
use super::{Moment, Path, Row, Step};
use crate::schedule::{Rank, Reading, Reducer, Timer};
use crate::units::Seconds;

/// What a run came to.
#[derive(Debug, Clone, Copy)]
pub struct Outcome<'a> {
    ranks: &'a [RankState],
    spans: &'a [Span],
    path: &'a Path,
}

impl<'a> Outcome<'a> {
    pub(super) fn new(ranks: &'a [RankState], spans: &'a [Span], path: &'a Path) -> Self {
        Self { ranks, spans, path }
    }

    /// When a rank had finished its last operation.
    ///
    /// # Panics
    ///
    /// When the rank did not take part.
    pub fn finish(&self, rank: Rank) -> Seconds {
        self.finish_moment(rank).time
    }

    /// When the last rank had finished.
    pub fn end(&self) -> Seconds {
        Rank::first(self.ranks.len()).map(|rank| self.finish(rank)).fold(Seconds::ZERO, Seconds::max)
    }

    /// What a timer of a rank shows: the sum over its starts and stops.
    pub fn timer(&self, rank: Rank, timer: Timer) -> Seconds {
        self.intervals(rank, timer).map(|(start, stop)| stop.time - start.time).sum()
    }

    /// The reading of the timers.
    pub fn read(&self, reading: Reading) -> Seconds {
        self.timer(self.rank_read(reading), reading.timer)
    }

    /// The reading as a linear function of the network's parameters along the critical path; empty when the path was
    /// not kept.
    pub fn row(&self, reading: Reading) -> Row {
        let mut terms = Vec::new();
        for (start, stop) in self.intervals(self.rank_read(reading), reading.timer) {
            self.path.collect(stop, 1.0, &mut terms);
            self.path.collect(start, -1.0, &mut terms);
        }
        Row::sum(terms)
    }

    /// The critical path of the reading step by step, from the start of the schedule; empty when it was not kept.
    pub fn critical_path(&self, reading: Reading) -> Vec<Step> {
        self.path.steps(self.finish_moment(self.rank_read(reading)))
    }

    /// The rank whose timer gives the reading; of equal ones the first.
    fn rank_read(&self, reading: Reading) -> Rank {
        match reading.reducer {
            Reducer::At(rank) => rank,
            // Barriers take no time here, and all ranks start together by one clock: the root leaves the barrier when the
            // last rank ends.
            Reducer::Maximum | Reducer::RootMinusBarrier(_) | Reducer::Global => Rank::first(self.ranks.len())
                .reduce(
                    |best, rank| {
                        if self.timer(rank, reading.timer) > self.timer(best, reading.timer) { rank } else { best }
                    },
                )
                .unwrap_or(Rank(0)),
        }
    }

    fn finish_moment(&self, rank: Rank) -> Moment {
        self.ranks[rank.index()].finish.unwrap_or_default()
    }

    fn intervals(&self, rank: Rank, timer: Timer) -> impl Iterator<Item = (Moment, Moment)> {
        let whole = (timer == Timer::WHOLE).then(|| (Moment::START, self.finish_moment(rank)));
        let named = self.spans.iter().filter(move |span| span.rank == rank && span.timer == timer);
        whole.into_iter().chain(named.map(|span| (span.start, span.stop)))
    }
}
