//! Random histories of clocks: steps, jumps, restarts and pauses of an agent, whose samples go
//! through the store, its retention and the forecasters of a service with a right clock.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use orrery::units::Seconds;

use super::board::Board;
use super::routes::SeriesState;
use super::tracker::MAX_FORECAST_AHEAD;
use crate::agent::recorder::Recorder;
use crate::agent::{Clock, Event};
use crate::name::Quantity;
use crate::sensor::Measurement;
use crate::store::{Resolution, Retention, Store, Uptime};
use crate::timestamp::Timestamp;

const HISTORIES: u64 = 1_000;

/// The steps of a history.
const STEPS: u64 = 16;

const SECOND: i64 = 1_000_000;
const DAY: i64 = 86_400 * SECOND;
const YEAR: i64 = 365 * DAY;

/// The changes of a clock.
const JUMPS: [i64; 8] = [
    3 * SECOND,
    50 * SECOND,
    600 * SECOND,
    3_598 * SECOND,
    20_000 * SECOND,
    DAY,
    2 * DAY,
    20 * YEAR,
];

/// The age from which a series with any of these spacings is stale: three of the longest one.
const MAX_AGE: i64 = 3 * 3_600 * SECOND;

/// Random numbers by SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % end
    }
}

/// The clocks of the host of the agent: the true time, how far its wall clock is ahead of it, and
/// when and how often it was started; in microseconds.
#[derive(Debug, Clone)]
struct Clocks {
    now: i64,
    ahead: i64,
    boot: i64,
    boots: u32,
}

#[derive(Debug)]
struct HostClock(Mutex<Clocks>);

impl HostClock {
    fn get(&self) -> Clocks {
        self.0.lock().expect("no test panicked").clone()
    }

    fn set(&self, change: impl FnOnce(&mut Clocks)) {
        change(&mut self.0.lock().expect("no test panicked"));
    }
}

impl Clock for HostClock {
    fn monotonic(&self) -> Duration {
        let clocks = self.get();
        Duration::from_micros((clocks.now - clocks.boot).unsigned_abs())
    }

    fn wall(&self) -> Timestamp {
        let clocks = self.get();
        Timestamp::from_micros(clocks.now + clocks.ahead)
    }

    fn uptime(&self) -> Uptime {
        Uptime { boot: self.get().boots.to_string(), time: self.monotonic() }
    }
}

/// A history: the agent, the service, and what is known of both.
struct Trial {
    _folder: tempfile::TempDir,
    path: PathBuf,
    clock: Arc<HostClock>,
    recorder: Option<Recorder>,
    store: Store,
    board: Board,
    position: i64,
    recorded: u64,
    /// When the last sample was recorded.
    last_recorded: i64,
    /// What has happened.
    log: Vec<String>,
}

fn retention() -> Retention {
    let resolution = |width, hours: f64| Resolution {
        width: Seconds::new(width),
        age: Seconds::new(hours * 3600.0),
    };
    Retention {
        samples: Seconds::new(600.0),
        summaries: vec![resolution(300.0, 50_000.0), resolution(3600.0, 50_000.0)],
    }
}

impl Trial {
    fn new() -> Self {
        let shared = std::path::Path::new("/dev/shm");
        let folder = tempfile::Builder::new();
        let folder = if shared.is_dir() { tempfile::tempdir_in(shared) } else { folder.tempdir() };
        let folder = folder.expect("there is a folder for temporary files");
        let path = folder.path().join("series.db");
        let now = 1_800_000_000 * SECOND;
        let clocks = Clocks { now, ahead: 0, boot: now - DAY, boots: 0 };
        let store = Store::open(&path).expect("it is new");
        let board = Board::of(&store, 10, Timestamp::from_micros(now)).expect("it is readable");
        Self {
            _folder: folder,
            path,
            clock: Arc::new(HostClock(Mutex::new(clocks))),
            recorder: None,
            store,
            board,
            position: 0,
            recorded: 0,
            last_recorded: now,
            log: Vec::new(),
        }
    }

    fn now(&self) -> Timestamp {
        Timestamp::from_micros(self.clock.get().now)
    }

    /// Lets time pass; a living agent measures then.
    fn pass(&mut self, micros: i64, is_alive: bool) {
        self.clock.set(|clocks| clocks.now += micros);
        if is_alive {
            let clock = &*self.clock;
            let mut recorder = self.recorder.take().unwrap_or_else(|| {
                Recorder::new(&self.path, "a", retention(), clock).expect("the store is there")
            });
            let load = Measurement { quantity: Quantity::Load, target: None, value: 1.0 };
            let log = &mut self.log;
            let on_event = &mut |event: &Event| log.push(event.to_string());
            recorder.record(vec![load], clock, on_event);
            recorder.write(clock, on_event);
            self.recorder = Some(recorder);
            self.recorded += 1;
            self.last_recorded = clock.get().now;
        }
        let arrived = self.store.arrived_after(self.position, 100_000).expect("it is readable");
        self.position = arrived.last().map_or(self.position, |last| last.sequence);
        let now = self.now();
        self.board.update(&arrived, &self.store, now).expect("it is readable");
    }

    /// One of the things that happen to clocks, agents and services.
    fn step(&mut self, random: &mut Random) {
        let what = random.below(20);
        let jump = JUMPS[random.below(JUMPS.len() as u64) as usize];
        self.log.push(format!("{what} {jump} at {:?}", self.clock.get()));
        match what {
            0..=2 => self.clock.set(|clocks| clocks.ahead += jump),
            3..=5 => self.clock.set(|clocks| clocks.ahead -= jump),
            6 | 7 => self.clock.set(|clocks| clocks.ahead = 0),
            8 => self.recorder = None,
            9 => {
                self.recorder = None;
                self.clock
                    .set(|clocks| (clocks.boot, clocks.boots) = (clocks.now, clocks.boots + 1));
            }
            10 => {
                self.board = Board::of(&self.store, 10, self.now()).expect("it is readable");
                self.position = self.store.last_sequence().expect("it is readable");
            }
            11 | 12 => {
                let pause = jump.min(DAY);
                self.pass(pause, false);
            }
            _ => {
                let pace = [5, 20, 60, 300, 3_600][random.below(5) as usize] * SECOND;
                for _ in 0..3 + random.below(10) {
                    self.pass(pace + random.below(1_000_000) as i64, true);
                }
            }
        }
        self.check();
    }

    /// The laws that hold at any time.
    fn check(&self) {
        let now = self.now();
        let all = (Timestamp::from_micros(i64::MIN), Timestamp::from_micros(i64::MAX));
        let points = self.store.history(1, all.0, all.1, 1_000_000).expect("it is readable");
        let kept: u64 = points.iter().map(|point| point.count).sum();
        let aside = self.store.aside().expect("it is readable");
        assert_eq!(kept + aside, self.recorded, "samples are lost: {:#?}", self.log);
        for pair in points.windows(2) {
            let end = pair[0].time.after(pair[0].width);
            assert!(pair[0].time < pair[1].time && end <= pair[1].time, "{pair:?} {:#?}", self.log);
        }
        for series in self.board.all() {
            let tracked = series.next();
            let state = SeriesState::new(&series, tracked, now);
            let newest = tracked.and_then(|tracked| {
                let spacing = tracked.spacing.unwrap_or(Seconds::ZERO);
                Some(Timestamp::from_seconds(tracked.forecast.time?).after(Seconds::ZERO - spacing))
            });
            let limit = now.after(MAX_FORECAST_AHEAD + Seconds::new(1.0));
            assert!(newest.is_none_or(|newest| newest <= limit), "{newest:?} {:#?}", self.log);
            let max_age = state.spacing.map_or(MAX_AGE, |spacing| (3e6 * spacing) as i64);
            let is_dead = now.micros() - self.last_recorded > max_age.min(MAX_AGE) + 60 * SECOND;
            assert!(!is_dead || state.stale, "{state:?} {:#?}", self.log);
        }
    }

    /// The clock is right again for ever: times of samples meet it, and the series is alive.
    fn end(mut self, random: &mut Random) {
        self.clock.set(|clocks| clocks.ahead = 0);
        let newest = self.store.newest("a").expect("it is readable").unwrap_or_default();
        let ahead = newest.since(self.now()).get();
        // At most an hour is approached at half the pace, also by the first sample after a pause;
        // more is repaired after ten minutes.
        let pause = self.now().since(Timestamp::from_micros(self.last_recorded)).get();
        let is_far = ahead > 3_600.0 + 1_200.0;
        let ticks = if is_far { 5 } else { ((2.0 * ahead + pause) / 600.0).max(0.0) as i64 + 5 };
        for _ in 0..ticks {
            self.pass(600 * SECOND + random.below(1_000_000) as i64, true);
        }
        self.check();
        let newest = self.store.newest("a").expect("it is readable").unwrap_or_default();
        assert_eq!(newest, self.now(), "{:#?}", self.log);
        for series in self.board.all() {
            let state = SeriesState::new(&series, series.next(), self.now());
            assert!(!state.stale, "{state:?} {:#?}", self.log);
        }
        // What is still set aside has times that the clock has not reached.
        let first = self.store.first_aside("a").expect("it is readable");
        assert!(first.is_none_or(|first| first > self.now().after(Seconds::new(-1200.0))));
        self.store.put_back("a", Timestamp::from_micros(i64::MAX)).expect("there is space");
        assert_eq!(self.store.aside().expect("it is readable"), 0);
        self.check_count();
    }

    /// After all was put back, the history has all samples.
    fn check_count(&self) {
        let all = (Timestamp::from_micros(i64::MIN), Timestamp::from_micros(i64::MAX));
        let points = self.store.history(1, all.0, all.1, 1_000_000).expect("it is readable");
        let kept: u64 = points.iter().map(|point| point.count).sum();
        assert_eq!(kept, self.recorded, "{:#?}", self.log);
    }
}

#[test]
fn no_sample_is_lost_and_no_future_is_believed() {
    let run = |seeds: std::ops::Range<u64>| {
        for seed in seeds {
            let (mut trial, mut random) = (Trial::new(), Random(seed));
            trial.log.push(format!("seed {seed}"));
            for _ in 0..STEPS {
                trial.step(&mut random);
            }
            trial.end(&mut random);
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(|| run(0..HISTORIES / 2));
        run(HISTORIES / 2..HISTORIES);
    });
}
