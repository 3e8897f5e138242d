use super::tree::{TreeRole, roles};
use super::{ClockPeers, LinearClock, Offset, PingPong};

/// The number of ping-pongs in an offset.
const PING_PONGS: usize = 10;

/// The number of offsets in the first synchronisation.
const FIRST_OFFSETS: usize = 10;

/// The number of offsets in each later synchronisation.
const FURTHER_OFFSETS: usize = 3;

/// The pause before each offset, in seconds.
const PAUSE: f64 = 2e-3;

/// The age at which offsets are dropped, in seconds: drift changes with the temperature.
const MAX_AGE: f64 = 20.0;

/// The estimate of the clock of rank 0 on one rank.
///
/// Drift can only be estimated from offsets at different times. Therefore offsets are kept, and
/// each synchronisation adds some.
#[derive(Debug)]
pub(super) struct ClockEstimate {
    offsets: Vec<Offset>,
    /// True if the ranks have been synchronised before; equal on all ranks.
    is_synchronised: bool,
    /// The clock of rank 0 as a function of the local one.
    pub clock: LinearClock,
}

impl Default for ClockEstimate {
    fn default() -> Self {
        Self { offsets: Vec::new(), is_synchronised: false, clock: LinearClock::IDENTITY }
    }
}

impl ClockEstimate {
    /// Synchronises all ranks in ⌈log2 p⌉ rounds down the tree: a parent, which has an estimate of
    /// the clock of rank 0, answers the ping-pongs of its child with it; all pairs of a round run
    /// in parallel.
    ///
    /// Source: HCA3 of Hunold and Carpen-Amarie.
    pub fn synchronise<P: ClockPeers>(&mut self, peers: &mut P) -> Result<(), P::Error> {
        let count = if self.is_synchronised { FURTHER_OFFSETS } else { FIRST_OFFSETS };
        for role in roles(peers.rank(), peers.rank_count()) {
            match role {
                TreeRole::ChildOf(parent) => self.add_offsets(peers, parent, count)?,
                TreeRole::ParentOf(child) => self.answer_pings(peers, child, count)?,
            }
        }
        self.is_synchronised = true;
        Ok(())
    }

    /// The time between the first and the last offset in seconds; infinite on rank 0.
    pub fn span(&self) -> f64 {
        match (self.offsets.first(), self.offsets.last()) {
            (Some(first), Some(last)) => last.time - first.time,
            _ => f64::INFINITY,
        }
    }

    /// Measures `count` offsets to the parent and fits the clock again.
    fn add_offsets<P: ClockPeers>(
        &mut self,
        peers: &mut P,
        parent: usize,
        count: usize,
    ) -> Result<(), P::Error> {
        let mut ping_pongs = Vec::with_capacity(PING_PONGS);
        for _ in 0..count {
            pause(peers, PAUSE)?;
            ping_pongs.clear();
            for _ in 0..PING_PONGS {
                let sent = peers.now();
                peers.send(parent, 0.0)?;
                let remote = peers.receive(parent)?;
                ping_pongs.push(PingPong { sent, remote, received: peers.now() });
            }
            self.offsets.extend(Offset::estimate(&ping_pongs));
        }
        let latest = self.offsets.last().map_or(0.0, |offset| offset.time);
        self.offsets.retain(|offset| latest - offset.time <= MAX_AGE);
        self.clock = LinearClock::fit(&self.offsets).unwrap_or(LinearClock::IDENTITY);
        Ok(())
    }

    /// Answers the pings of a child that measures `count` offsets.
    fn answer_pings<P: ClockPeers>(
        &self,
        peers: &mut P,
        child: usize,
        count: usize,
    ) -> Result<(), P::Error> {
        for _ in 0..count * PING_PONGS {
            peers.receive(child)?;
            let now = self.clock.at(peers.now());
            peers.send(child, now)?;
        }
        Ok(())
    }
}

/// Waits for a number of seconds.
fn pause<P: ClockPeers>(peers: &mut P, seconds: f64) -> Result<(), P::Error> {
    let end = peers.now() + seconds;
    loop {
        let left = end - peers.now();
        if left <= 0.0 {
            return Ok(());
        }
        peers.idle(left)?;
    }
}
