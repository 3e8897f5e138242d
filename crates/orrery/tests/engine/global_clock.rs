//! The global clock and repetitions that start by it, on simulated clocks with offset and drift
//! whose ranks exchange messages in virtual time. Each message is received from a named rank, so
//! every run is the same.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use orrery::machine::Batch;
use orrery::machine::LateStart;
use orrery::machine::clock::{ClockPeers, GlobalClock, LinearClock, Offset, PingPong};
use orrery::schedule::{Reading, Reducer, Timer};
use proptest::prelude::*;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use crate::prelude::*;

/// Ping-pongs, each begun at a time, with the times of its two ways. The own clock shows true time
/// t, the remote one offset + (1 + drift)·t.
fn ping_pongs(offset: f64, drift: f64, pings: &[(f64, f64, f64)]) -> Vec<PingPong> {
    let ping_pong = |&(sent, out, back): &(f64, f64, f64)| {
        let remote = offset + (1.0 + drift) * (sent + out);
        PingPong { sent, remote, received: sent + out + back }
    };
    pings.iter().map(ping_pong).collect()
}

proptest! {
    /// Whatever the delays, the truth lies within the bounds; drift widens them by what it does
    /// during the ping-pongs.
    #[test]
    fn the_offset_lies_within_its_bounds(
        offset in -1e4..1e4,
        drift in -1e-4..1e-4,
        delays in prop::collection::vec((1e-6..1e-3, 1e-6..1e-3), 1..20),
    ) {
        let mut time = 100.0;
        let ping = |&(out, back): &(f64, f64)| {
            time += out + back;
            (time - out - back, out, back)
        };
        let pings: Vec<_> = delays.iter().map(ping).collect();
        let found = Offset::estimate(&ping_pongs(offset, drift, &pings)).ok_or(TestCaseError::fail("no offset"))?;
        let truth = offset + drift * found.time;
        let drifted = drift.abs() * (time - 100.0);
        prop_assert!((found.offset - truth).abs() <= found.half_width + drifted + 1e-11);
        let shortest = delays.iter().map(|(out, back)| out + back).fold(f64::INFINITY, f64::min);
        prop_assert!(found.half_width <= shortest / 2.0 + drifted);
    }

    /// With equal latencies in both directions, errors are rounding errors for any drift of the
    /// clocks.
    #[test]
    fn symmetric_ping_pongs_determine_the_clock_exactly(offset in -1e4..1e4, drift in -1e-4..1e-4, delay in 1e-6..1e-3) {
        let points = (0..10).map(|point| {
            let begin = |ping| 100.0 + 0.1 * f64::from(point) + 3.0 * delay * f64::from(ping);
            let pings: Vec<_> = (0..10).map(|ping| (begin(ping), delay, delay)).collect();
            Offset::estimate(&ping_pongs(offset, drift, &pings))
        });
        let points: Vec<Offset> = points.collect::<Option<_>>().ok_or(TestCaseError::fail("no offset"))?;
        let clock = LinearClock::fit(&points).ok_or(TestCaseError::fail("no clock"))?;
        prop_assert!((clock.drift - drift).abs() < 1e-10);
        for time in [100.0, 100.5, 101.0, 102.0] {
            prop_assert!((clock.at(time) - (offset + (1.0 + drift) * time)).abs() < 1e-9);
        }
        prop_assert!(clock.residual < 1e-9 && clock.half_width >= delay * 0.99);
    }

    /// Uneven and noisy ways: the offset at the centre is as good as the bounds say, the drift as
    /// good as they are over the time that the points take.
    #[test]
    fn noisy_ping_pongs_determine_the_clock_within_their_bounds(
        offset in -1e4..1e4,
        drift in -1e-4..1e-4,
        ways in (1e-6..3e-5, 1e-6..3e-5),
        seed in 0_u64..1000,
    ) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut noisy = |way: f64| way - 1e-5 * (1.0 - rng.random::<f64>()).ln();
        let mut points = Vec::new();
        for point in 0..20 {
            let begin = 100.0 + f64::from(point) * 0.05;
            let pings: Vec<_> = (0..10).map(|ping| (begin + 1e-3 * f64::from(ping), noisy(ways.0), noisy(ways.1))).collect();
            points.extend(Offset::estimate(&ping_pongs(offset, drift, &pings)));
        }
        let clock = LinearClock::fit(&points).ok_or(TestCaseError::fail("no clock"))?;
        let during_a_point = drift.abs() * 0.01;
        let truth = offset + drift * clock.origin;
        prop_assert!((clock.offset - truth).abs() <= clock.half_width + during_a_point);
        // The asymmetry is equal at all points and does not affect the drift.
        prop_assert!((clock.drift - drift).abs() < 10e-6, "{} instead of {drift}", clock.drift);
    }
}

#[test]
fn the_fitted_drift_is_limited() {
    let points =
        [(0.0, 0.0), (1e-3, 1e-5)].map(|(time, offset)| Offset { time, offset, half_width: 1e-5 });
    let clock = LinearClock::fit(&points).unwrap();
    assert_eq!((clock.drift, clock.offset), (500e-6, 5e-6));
    assert_eq!(
        LinearClock::fit(&points[..1]).map(|clock| (clock.drift, clock.at(3.0))),
        Some((0.0, 3.0))
    );
    assert_eq!((LinearClock::fit(&[]), Offset::estimate(&[])), (None, None));
    assert!((LinearClock::IDENTITY.at(7.5) - 7.5).abs() < 1e-15);
}

/// How long messages take.
#[derive(Debug, Clone, Copy)]
struct Ways {
    /// Every message takes so long.
    least: f64,
    /// And up to so much longer.
    noise: f64,
    /// Some are held up, with this probability and for so long.
    held_up: (f64, f64),
}

const EVEN: Ways = Ways { least: 1e-5, noise: 0.0, held_up: (0.0, 0.0) };
const NOISY: Ways = Ways { noise: 2e-5, ..EVEN };

/// The arrival time and the number of a message.
type Message = (f64, f64);

/// To another rank, and when the last message arrives there.
type Way = (Sender<Message>, f64);

/// A rank whose clock shows offset + (1 + drift)·t at the true time t.
struct Rank {
    me: usize,
    time: f64,
    offset: f64,
    drift: f64,
    ways: Ways,
    rng: ChaCha8Rng,
    to: Vec<Way>,
    from: Vec<Receiver<Message>>,
}

#[derive(Debug, PartialEq)]
struct Stopped(LateStart);

impl From<LateStart> for Stopped {
    fn from(late: LateStart) -> Self {
        Self(late)
    }
}

impl ClockPeers for Rank {
    type Error = Stopped;

    fn rank(&self) -> usize {
        self.me
    }

    fn rank_count(&self) -> usize {
        self.to.len()
    }

    fn now(&mut self) -> f64 {
        self.offset + (1.0 + self.drift) * self.time
    }

    fn idle(&mut self, seconds: f64) -> Result<(), Stopped> {
        self.time += if seconds > 1e-3 { seconds - 5e-4 } else { seconds.min(GRAIN) };
        Ok(())
    }

    fn send(&mut self, to: usize, number: f64) -> Result<(), Stopped> {
        let Ways { least, noise, held_up: (often, long) } = self.ways;
        let held_up = if self.rng.random::<f64>() < often { long } else { 0.0 };
        let way = least + noise * self.rng.random::<f64>() + held_up;
        let (sender, last) = &mut self.to[to];
        *last = last.max(self.time + way);
        sender.send((*last, number)).unwrap();
        Ok(())
    }

    fn receive(&mut self, from: usize) -> Result<f64, Stopped> {
        let (arrival, number) = self.from[from].recv().unwrap();
        self.time = self.time.max(arrival);
        Ok(number)
    }
}

/// The interval in seconds in which a waiting rank reads its clock while it does not sleep.
const GRAIN: f64 = 1e-6;

/// Ranks whose clocks were started hours apart and drift by up to 100 ppm.
fn ranks(count: usize, ways: Ways) -> Vec<Rank> {
    let mut rng = ChaCha8Rng::seed_from_u64(count as u64);
    let mut senders: Vec<Vec<Way>> = (0..count).map(|_| Vec::new()).collect();
    let mut receivers: Vec<Vec<Receiver<Message>>> = Vec::new();
    for _ in 0..count {
        let (of_rank, from): (Vec<_>, Vec<_>) = (0..count).map(|_| channel()).unzip();
        of_rank.into_iter().zip(&mut senders).for_each(|(sender, other)| other.push((sender, 0.0)));
        receivers.push(from);
    }
    let rank = |(me, (to, from))| {
        let (offset, drift) = (rng.random_range(-1e4..1e4), rng.random_range(-1e-4..1e-4));
        let (time, rng) = (rng.random_range(0.0..1e-3), ChaCha8Rng::seed_from_u64(me as u64));
        Rank { me, time, offset, drift, ways, rng, to, from }
    };
    senders.into_iter().zip(receivers).enumerate().map(rank).collect()
}

/// The result of a rank.
struct RankResult {
    rank: Rank,
    clock: GlobalClock,
    readings: Result<Vec<Seconds>, Stopped>,
    /// How often it ran the program.
    runs: u32,
}

/// Rank r is busy for (r + 1)/count times so long.
fn play(count: usize, ways: Ways, busy: f64, repetitions: u32) -> Vec<RankResult> {
    let program = Program::Explicit(Explicit::new(vec![Vec::new(); count]));
    let reading = Reading { timer: Timer::WHOLE, reducer: Reducer::Global };
    let batch = Batch {
        program,
        placement: Placement::identity(count),
        reading,
        warm_up: 2,
        first_repetition: 0,
        repetitions,
    };
    let story = |mut rank: Rank| {
        let (mut clock, mut runs) = (GlobalClock::default(), 0);
        let run = |rank: &mut Rank| {
            runs += 1;
            rank.time += busy * (rank.me + 1) as f64 / count as f64;
            Ok(())
        };
        let readings = clock.run_batch(&batch, &mut rank, run, |_| Ok(()));
        RankResult { rank, clock, readings, runs }
    };
    thread::scope(|scope| {
        let threads: Vec<_> =
            ranks(count, ways).into_iter().map(|rank| scope.spawn(move || story(rank))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

/// The largest difference between the ranks' estimates of the clock of rank 0, a time after the
/// end.
fn disagreement(stories: &mut [RankResult], after: f64) -> f64 {
    let end = stories.iter().map(|story| story.rank.time).fold(0.0, f64::max) + after;
    let shown = |story: &mut RankResult| {
        story.rank.time = end;
        story.clock.now(&mut story.rank)
    };
    let shown: Vec<f64> = stories.iter_mut().map(shown).collect();
    shown.iter().map(|time| (time - shown[0]).abs()).fold(0.0, f64::max)
}

/// The readings of a batch: the longest of all ranks.
fn readings(stories: &[RankResult]) -> Vec<f64> {
    let of = |story: &RankResult| {
        story.readings.as_ref().unwrap().iter().map(|seconds| seconds.get()).collect::<Vec<_>>()
    };
    let longest = |a: Vec<f64>, b: Vec<f64>| {
        assert_eq!(a.len(), b.len());
        a.into_iter().zip(b).map(|(a, b)| a.max(b)).collect()
    };
    stories.iter().map(of).reduce(longest).unwrap()
}

#[test]
fn ranks_agree_on_the_clock_with_constant_latency() {
    for count in [1, 2, 3, 4, 5, 8, 13, 16] {
        let mut stories = play(count, EVEN, 1e-3, 3);
        for after in [0.0, 0.1, 1.0] {
            let odds = disagreement(&mut stories, after);
            assert!(odds < 1e-9, "{count} ranks disagree by {odds} s after {after} s");
        }
    }
}

/// Messages take 10 to 30 µs: the offset of a level is wrong by 10 µs at most, and hardly ever by
/// more than 2.
#[test]
fn clock_error_is_bounded_with_noisy_latency() {
    for (count, levels) in [(2, 1.0), (3, 2.0), (4, 2.0), (8, 3.0), (13, 4.0), (32, 5.0)] {
        // Long enough for the clocks to be synchronised several times.
        let odds = disagreement(&mut play(count, NOISY, 0.1, 40), 0.1);
        assert!(odds < levels * 2e-6, "{count} ranks disagree by {odds} s");
    }
}

/// An uncorrected drift of 100 ppm would be 0.3 ms at the end.
#[test]
fn clocks_are_synchronised_again() {
    let stories = play(5, NOISY, 0.5, 6);
    for reading in readings(&stories) {
        assert!((reading - 0.5).abs() < 0.5 * 1e-4 + 10e-6, "{reading}");
    }
}

/// The reading is from the common start to the end of the last rank, in the seconds of rank 0.
#[test]
fn reading_is_the_maximum_over_the_ranks() {
    for (count, ways, error) in [(1, EVEN, 0.0), (2, EVEN, 0.0), (7, EVEN, 0.0), (7, NOISY, 10e-6)]
    {
        let stories = play(count, ways, 5e-3, 20);
        let (readings, runs) = (readings(&stories), stories[0].runs);
        assert_eq!((readings.len(), runs), (20, 22), "without warm-up, and nobody late");
        for reading in readings {
            // All drift by less than 100 ppm; who waits sees the start up to a grain late.
            let (least, most) =
                (5e-3 * (1.0 - 1e-4) - error, 5e-3 * (1.0 + 1e-4) + error + GRAIN * 1.01);
            assert!(least <= reading && reading <= most, "{reading} instead of {least} to {most}");
        }
    }
}

/// All ranks drop the same repetitions, and the remaining readings do not contain delayed messages.
#[test]
fn repetitions_with_a_late_rank_are_discarded() {
    let ways = Ways { held_up: (0.05, 5e-3), ..EVEN };
    let stories = play(6, ways, 1e-3, 50);
    assert!(stories.iter().all(|story| story.runs == stories[0].runs));
    assert!(stories[0].runs > 52, "somebody was late");
    let readings = readings(&stories);
    assert_eq!(readings.len(), 50);
    assert!(readings.iter().all(|reading| (reading - 1e-3).abs() < 1e-6), "{readings:?}");
}

#[test]
fn all_ranks_return_the_same_late_start_error() {
    let stories = play(2, Ways { least: 1.1, ..EVEN }, 1e-3, 5);
    let late = stories[0].readings.as_ref().unwrap_err();
    assert!(stories.iter().all(|story| story.readings.as_ref() == Err(late)));
    assert_eq!((late.0.lead, stories[0].runs), (Duration::from_secs(1), late.0.tries));
    let words = late.0.to_string();
    assert!(
        words.contains("30 times in a row") && words.contains("announced 1s in advance"),
        "{words}"
    );
}
