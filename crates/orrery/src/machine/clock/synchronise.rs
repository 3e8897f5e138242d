use super::tree::{Part, parts};
use super::{ClockPeers, LinearClock, Offset, PingPong};

/// An offset comes from so many ping-pongs.
const PINGS: usize = 10;

/// So many offsets are taken at first.
const FIRST: usize = 10;

/// So many are added each time later.
const MORE: usize = 3;

/// So long between them, in seconds.
const PAUSE: f64 = 2e-3;

/// Offsets that are older by so many seconds are forgotten: drift changes with the temperature.
const MEMORY: f64 = 20.0;

/// What a rank knows of the clock of rank 0.
///
/// Only offsets that lie apart tell a drift. So they are kept, and each synchronisation adds some.
#[derive(Debug)]
pub(super) struct Knowledge {
    offsets: Vec<Offset>,
    /// Whether the ranks have been synchronised before: all of them say the same.
    begun: bool,
    /// The clock of rank 0, as a function of the own one.
    pub clock: LinearClock,
}

impl Default for Knowledge {
    fn default() -> Self {
        Self { offsets: Vec::new(), begun: false, clock: LinearClock::IDENTITY }
    }
}

impl Knowledge {
    /// Adds to it, all ranks together, in ⌈log2 p⌉ rounds down the tree: who knows the clock of rank 0 answers the
    /// ping-pongs of its child with it, all pairs of a round at the same time.
    ///
    /// Source: HCA3 of Hunold and Carpen-Amarie.
    pub fn extend<P: ClockPeers>(&mut self, peers: &mut P) -> Result<(), P::Error> {
        let count = if self.begun { MORE } else { FIRST };
        for part in parts(peers.rank(), peers.rank_count()) {
            match part {
                Part::Child(parent) => self.learn(peers, parent, count)?,
                Part::Parent(child) => self.answer(peers, child, count)?,
            }
        }
        self.begun = true;
        Ok(())
    }

    /// For how many seconds the offsets have been taken: for ever by rank 0, whose clock it is.
    pub fn span(&self) -> f64 {
        match (self.offsets.first(), self.offsets.last()) {
            (Some(first), Some(last)) => last.time - first.time,
            _ => f64::INFINITY,
        }
    }

    fn learn<P: ClockPeers>(&mut self, peers: &mut P, parent: usize, count: usize) -> Result<(), P::Error> {
        let mut ping_pongs = Vec::with_capacity(PINGS);
        for _ in 0..count {
            pause(peers, PAUSE)?;
            ping_pongs.clear();
            for _ in 0..PINGS {
                let sent = peers.now();
                peers.send(parent, 0.0)?;
                let remote = peers.receive(parent)?;
                ping_pongs.push(PingPong { sent, remote, received: peers.now() });
            }
            self.offsets.extend(Offset::estimate(&ping_pongs));
        }
        let latest = self.offsets.last().map_or(0.0, |offset| offset.time);
        self.offsets.retain(|offset| latest - offset.time <= MEMORY);
        self.clock = LinearClock::fit(&self.offsets).unwrap_or(LinearClock::IDENTITY);
        Ok(())
    }

    fn answer<P: ClockPeers>(&self, peers: &mut P, child: usize, count: usize) -> Result<(), P::Error> {
        for _ in 0..count * PINGS {
            peers.receive(child)?;
            let now = self.clock.at(peers.now());
            peers.send(child, now)?;
        }
        Ok(())
    }
}

/// Lets so many seconds go by.
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
