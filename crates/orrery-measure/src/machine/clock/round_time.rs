use super::start_lead::StartLead;
use super::synchronise::ClockEstimate;
use super::tree::{broadcast, maximum};
use super::{ClockPeers, RawClock};
use crate::machine::Batch;
use orrery_base::numeric::median;
use orrery_base::units::Seconds;
use orrery_cluster::platform::Processor;

/// The longest time after which clocks are synchronised again, in seconds.
///
/// Synchronisation comes earlier while the offsets span less time.
const MAX_VALIDITY: f64 = 1.0;

/// The number of broadcasts that are timed.
const BROADCAST_TRIALS: usize = 11;

/// The value that is broadcast instead of a start time if the clocks must be synchronised first.
const SYNCHRONISE: f64 = f64::INFINITY;

/// The estimate of the clock of rank 0 that a process keeps between batches.
#[derive(Debug)]
pub struct GlobalClock {
    local: RawClock,
    /// The processors of the ranks that are synchronised.
    placement: Vec<Processor>,
    estimate: ClockEstimate,
    lead: StartLead,
    /// The time on the local clock at which the clocks must be synchronised again.
    expiry: f64,
}

impl Default for GlobalClock {
    fn default() -> Self {
        let (placement, estimate, lead) =
            (Vec::new(), ClockEstimate::default(), StartLead::new(0.0));
        Self { local: RawClock::start(), placement, estimate, lead, expiry: f64::NEG_INFINITY }
    }
}

impl GlobalClock {
    /// The clock of this process.
    pub fn local(&self) -> RawClock {
        self.local
    }

    /// The estimated time on the clock of rank 0.
    pub fn now<P: ClockPeers>(&self, peers: &mut P) -> f64 {
        self.estimate.clock.at(peers.now())
    }

    /// Runs the repetitions of a batch by the round-time scheme, as one of its ranks, and returns
    /// its readings.
    ///
    /// Rank 0 announces a start time; all ranks wait until the global clock shows it and run the
    /// program. The reading of a rank is the time from the start to its end; the maximum over the
    /// ranks counts. If a rank receives the start time too late or is delayed while it waits, all
    /// ranks discard the repetition and repeat it, announced earlier where that helps.
    ///
    /// Clocks are synchronised before the first repetition of these ranks, and again at regular
    /// intervals.
    ///
    /// `run` runs the program once, `between` is called between repetitions.
    ///
    /// # Errors
    ///
    /// [`LateStart`](crate::machine::LateStart) when a rank is too late repeatedly; errors of the
    /// peers, of `run` and of `between`.
    pub fn run_batch<P: ClockPeers>(
        &mut self,
        batch: &Batch,
        peers: &mut P,
        mut run: impl FnMut(&mut P) -> Result<(), P::Error>,
        mut between: impl FnMut(&mut P) -> Result<(), P::Error>,
    ) -> Result<Vec<Seconds>, P::Error> {
        self.prepare(batch.placement.processors(), peers)?;
        let mut readings = Vec::with_capacity(batch.repetitions as usize);
        let (mut done, warm_up) = (0, u64::from(batch.warm_up));
        while done < warm_up + u64::from(batch.repetitions) {
            let start = self.announce_start(peers)?;
            let late = self.wait_for_start(start, peers)?;
            run(peers)?;
            let end = self.now(peers);
            let latest = maximum(peers, late)?;
            if self.lead.adapt(latest)? {
                if done >= warm_up {
                    readings.push(Seconds::new(end - start));
                }
                done += 1;
            }
            between(peers)?;
        }
        Ok(readings)
    }

    /// Synchronises the ranks and times a broadcast, unless all ranks are synchronised for this
    /// placement already.
    fn prepare<P: ClockPeers>(
        &mut self,
        placement: &[Processor],
        peers: &mut P,
    ) -> Result<(), P::Error> {
        let is_known = self.placement == placement;
        if maximum(peers, f64::from(u8::from(!is_known)))? <= 0.0 {
            return Ok(());
        }
        self.placement = placement.to_vec();
        self.estimate = ClockEstimate::default();
        self.synchronise(peers)?;
        let mut broadcasts = [0.0; BROADCAST_TRIALS];
        for time in &mut broadcasts {
            let now = self.now(peers);
            let sent = broadcast(peers, now)?;
            let passed = self.now(peers) - sent;
            *time = maximum(peers, passed.max(0.0))?;
        }
        self.lead = StartLead::new(median(&broadcasts));
        Ok(())
    }

    /// Synchronises all ranks and sets the expiry of the estimate.
    fn synchronise<P: ClockPeers>(&mut self, peers: &mut P) -> Result<(), P::Error> {
        self.estimate.synchronise(peers)?;
        let shortest = -maximum(peers, -self.estimate.span())?;
        self.expiry = peers.now() + shortest.min(MAX_VALIDITY);
        Ok(())
    }

    /// Broadcasts the next start time on the global clock, after a synchronisation if one is due.
    fn announce_start<P: ClockPeers>(&mut self, peers: &mut P) -> Result<f64, P::Error> {
        let next = if peers.now() < self.expiry {
            self.now(peers) + self.lead.seconds
        } else {
            SYNCHRONISE
        };
        let start = broadcast(peers, next)?;
        if start < SYNCHRONISE {
            return Ok(start);
        }
        // A start follows in any case: on a slow machine the clocks may have expired again already.
        self.synchronise(peers)?;
        let next = self.now(peers) + self.lead.seconds;
        broadcast(peers, next)
    }

    /// Waits for the start; returns the delay of this rank in seconds, 0 if it is in time. A rank
    /// that is in time at first and then delayed by more than the lead, for instance by another
    /// process on its core, is late too.
    fn wait_for_start<P: ClockPeers>(&self, start: f64, peers: &mut P) -> Result<f64, P::Error> {
        let mut left = start - self.now(peers);
        let tolerance = if left < 0.0 { 0.0 } else { self.lead.seconds };
        while left > 0.0 {
            peers.idle(left)?;
            left = start - self.now(peers);
        }
        Ok(if -left > tolerance { -left } else { 0.0 })
    }
}
