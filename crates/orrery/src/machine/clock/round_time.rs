use super::pace::Pace;
use super::synchronise::Knowledge;
use super::tree::{broadcast, maximum};
use super::{ClockPeers, RawClock};
use crate::machine::Batch;
use crate::numeric::median;
use crate::platform::Processor;
use crate::units::Seconds;

/// A model of a clock serves as long as its offsets have been taken for, and no longer than these seconds.
const FRESH: f64 = 1.0;

/// So many broadcasts are timed.
const TRIALS: usize = 11;

/// Told in place of a start: the clocks are to be synchronised first.
const SYNCHRONISE: f64 = f64::INFINITY;

/// What a process keeps from batch to batch: its own clock, and what that tells of the clock of rank 0.
#[derive(Debug)]
pub struct GlobalClock {
    own: RawClock,
    /// On which processors the ranks stand that are synchronised.
    placement: Vec<Processor>,
    knowledge: Knowledge,
    pace: Pace,
    /// When the clocks are to be synchronised again, by the own clock.
    expiry: f64,
}

impl Default for GlobalClock {
    fn default() -> Self {
        let (placement, knowledge, pace) = (Vec::new(), Knowledge::default(), Pace::new(0.0));
        Self { own: RawClock::start(), placement, knowledge, pace, expiry: f64::NEG_INFINITY }
    }
}

impl GlobalClock {
    /// The clock of this process.
    pub fn own(&self) -> RawClock {
        self.own
    }

    /// The clock of rank 0, as far as this rank knows it.
    pub fn now<P: ClockPeers>(&self, peers: &mut P) -> f64 {
        self.knowledge.clock.at(peers.now())
    }

    /// Runs the repetitions of a batch by the round-time scheme, as one of its ranks, and returns its readings.
    ///
    /// Rank 0 tells a start, all ranks wait until the global clock shows it and run the program. The reading of a rank is
    /// the time from the start to its end; the longest of all ranks counts. If a rank is told of the start when that is over, or is
    /// held up while it waits, the repetition does not count: all ranks drop it and try again, told earlier where that helps.
    ///
    /// The clocks are synchronised first where these ranks have not been, and again when that is too long ago.
    ///
    /// `run` runs the program once, `between` is called between repetitions.
    ///
    /// # Errors
    ///
    /// [`LateStart`](super::LateStart) when a rank is too late time and again; those of the peers, of `run` and of `between`.
    pub fn repeat<P: ClockPeers>(
        &mut self,
        batch: &Batch,
        peers: &mut P,
        mut run: impl FnMut(&mut P) -> Result<(), P::Error>,
        mut between: impl FnMut(&mut P) -> Result<(), P::Error>,
    ) -> Result<Vec<Seconds>, P::Error> {
        self.meet(batch.placement.processors(), peers)?;
        let mut readings = Vec::with_capacity(batch.repetitions as usize);
        let (mut done, warm_up) = (0, u64::from(batch.warm_up));
        while done < warm_up + u64::from(batch.repetitions) {
            let start = self.start(peers)?;
            let late = self.wait(start, peers)?;
            run(peers)?;
            let end = self.now(peers);
            let latest = maximum(peers, late)?;
            if self.pace.tried(latest)? {
                if done >= warm_up {
                    readings.push(Seconds::new(end - start));
                }
                done += 1;
            }
            between(peers)?;
        }
        Ok(readings)
    }

    /// Makes sure that these ranks know each other's clocks, and how long a broadcast takes.
    fn meet<P: ClockPeers>(&mut self, placement: &[Processor], peers: &mut P) -> Result<(), P::Error> {
        let known = self.placement == placement;
        if maximum(peers, f64::from(u8::from(!known)))? <= 0.0 {
            return Ok(());
        }
        self.placement = placement.to_vec();
        self.knowledge = Knowledge::default();
        self.synchronise(peers)?;
        let mut broadcasts = [0.0; TRIALS];
        for time in &mut broadcasts {
            let now = self.now(peers);
            let told = broadcast(peers, now)?;
            let passed = self.now(peers) - told;
            *time = maximum(peers, passed.max(0.0))?;
        }
        self.pace = Pace::new(median(&broadcasts));
        Ok(())
    }

    fn synchronise<P: ClockPeers>(&mut self, peers: &mut P) -> Result<(), P::Error> {
        self.knowledge.extend(peers)?;
        let shortest = -maximum(peers, -self.knowledge.span())?;
        self.expiry = peers.now() + shortest.min(FRESH);
        Ok(())
    }

    /// The next start, on the global clock.
    fn start<P: ClockPeers>(&mut self, peers: &mut P) -> Result<f64, P::Error> {
        let next = if peers.now() < self.expiry { self.now(peers) + self.pace.slack } else { SYNCHRONISE };
        let told = broadcast(peers, next)?;
        if told < SYNCHRONISE {
            return Ok(told);
        }
        // However long that takes, a start follows: on a slow machine the clocks may be old already.
        self.synchronise(peers)?;
        let next = self.now(peers) + self.pace.slack;
        broadcast(peers, next)
    }

    /// Waits for the start; how late this rank is for it, in seconds, 0 when it is not. Who comes in time but is held up
    /// while it waits, by another process on its core for instance, and for longer than it had to get ready, is late as well.
    fn wait<P: ClockPeers>(&self, start: f64, peers: &mut P) -> Result<f64, P::Error> {
        let mut left = start - self.now(peers);
        let bearable = if left < 0.0 { 0.0 } else { self.pace.slack };
        while left > 0.0 {
            peers.idle(left)?;
            left = start - self.now(peers);
        }
        Ok(if -left > bearable { -left } else { 0.0 })
    }
}
