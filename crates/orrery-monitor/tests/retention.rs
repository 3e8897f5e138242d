//! Old samples are summarised by observed time, each is counted once, and none is lost by a clock.
#![cfg(feature = "store")]

use std::path::{Path, PathBuf};
use std::time::Duration;

use orrery::units::Seconds;
use orrery_monitor::store::{Point, Resolution, Retention, Thinned, Uptime};
use orrery_monitor::{Sample, Store, Timestamp};
use proptest::prelude::*;

type TestResult = Result<(), Box<dyn std::error::Error>>;

const MAX: Timestamp = Timestamp::from_micros(i64::MAX);

fn file() -> std::io::Result<(tempfile::TempDir, PathBuf)> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("series.db");
    Ok((folder, path))
}

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_micros(seconds * 1_000_000)
}

fn sample(seconds: i64) -> Sample {
    let series = "a/load".parse().expect("it is a name");
    Sample { series, time: at(seconds), value: seconds as f64 }
}

fn samples(range: std::ops::Range<i64>) -> Vec<Sample> {
    range.map(sample).collect()
}

/// The uptime of a host that was started once.
fn up(seconds: u64) -> Uptime {
    Uptime { boot: "first".to_owned(), time: Duration::from_secs(seconds) }
}

/// Samples for a minute, summaries of some widths and ages.
fn retention<const N: usize>(summaries: [(f64, f64); N]) -> Retention {
    let resolution =
        |(width, age)| Resolution { width: Seconds::new(width), age: Seconds::new(age) };
    Retention { samples: Seconds::new(60.0), summaries: summaries.map(resolution).to_vec() }
}

/// All points of the first series; an error if they are not in order or overlap.
fn history(store: &Store) -> Result<Vec<Point>, Box<dyn std::error::Error>> {
    let points = store.history(1, Timestamp::from_micros(i64::MIN), MAX, 100_000)?;
    for pair in points.windows(2) {
        let end = pair[0]
            .time
            .after(pair[0].width)
            .max(Timestamp::from_micros(pair[0].time.micros() + 1));
        if pair[1].time < end {
            return Err(format!("{pair:?} overlap").into());
        }
    }
    Ok(points)
}

fn count(store: &Store) -> Result<u64, Box<dyn std::error::Error>> {
    Ok(history(store)?.iter().map(|point| point.count).sum())
}

#[test]
fn old_samples_are_summarised() -> TestResult {
    let (_folder, path) = file()?;
    let mut store = Store::open(&path)?;
    let retention = retention([(10.0, 120.0), (60.0, 1000.0)]);
    let none = Thinned::default();
    store.append(&samples(0..120))?;
    assert_eq!(store.thin_out(&retention, &up(0), 1000)?, none);
    store.append(&samples(120..180))?;
    assert_eq!(store.thin_out(&retention, &up(59), 1000)?, none);
    assert_eq!(store.thin_out(&retention, &up(100), 100)?, Thinned { samples: 100, summaries: 0 });
    assert_eq!(store.thin_out(&retention, &up(100), 100)?, Thinned { samples: 20, summaries: 0 });
    store.append(&samples(180..240))?;
    assert_eq!(store.thin_out(&retention, &up(170), 1000)?, Thinned { samples: 60, summaries: 0 });
    // Summaries of 10 s that were made at 100 s go.
    assert_eq!(store.thin_out(&retention, &up(225), 1000)?, Thinned { samples: 0, summaries: 12 });
    let points = history(&store)?;
    let times: Vec<i64> = points.iter().map(|point| point.time.micros() / 1_000_000).collect();
    let expected: Vec<i64> =
        [0, 60].into_iter().chain((120..180).step_by(10)).chain(180..240).collect();
    assert_eq!(times, expected);
    let point = |time, width, mean, low, high, count| Point {
        time: at(time),
        width: Seconds::new(width),
        mean,
        low,
        high,
        count,
    };
    assert_eq!(points[1], point(60, 60.0, 89.5, 60.0, 119.0, 60));
    assert_eq!(points[2], point(120, 10.0, 124.5, 120.0, 129.0, 10));
    assert_eq!(points[8], point(180, 0.0, 180.0, 180.0, 180.0, 1));
    assert_eq!(store.history(1, at(0), MAX, 3)?, points[points.len() - 3..]);
    // Intervals that contain the ends are part of it.
    assert_eq!(store.history(1, at(119), at(131), 1000)?, points[1..4]);
    Ok(())
}

#[test]
fn samples_of_any_time_are_thinned_in_the_order_of_arrival() -> TestResult {
    let (_folder, path) = file()?;
    let mut store = Store::open(&path)?;
    // Those with later times are first.
    store.append(&samples(1_000_000..1_000_100))?;
    store.append(&samples(0..100))?;
    let retention = retention([(10.0, 1e9)]);
    store.thin_out(&retention, &up(0), 50)?;
    for _ in 0..4 {
        assert_eq!(store.thin_out(&retention, &up(60), 50)?.samples, 50);
    }
    assert_eq!(count(&store)?, 200);
    Ok(())
}

#[test]
fn observed_time_is_that_of_one_host_and_counted_once() -> TestResult {
    let (_folder, path) = file()?;
    let (mut agent, mut service) = (Store::open(&path)?, Store::open(&path)?);
    let retention = retention([]);
    let boot = |name: &str, seconds| Uptime { boot: name.to_owned(), ..up(seconds) };
    let mut observe = |is_agent: bool, now: &Uptime| -> Result<u64, Box<dyn std::error::Error>> {
        let store = if is_agent { &mut agent } else { &mut service };
        store.thin_out(&retention, now, 1)?;
        Ok(store.observed()?.as_secs())
    };
    assert_eq!(observe(true, &boot("a", 1_000_000))?, 0);
    assert_eq!(observe(false, &boot("a", 1_000_010))?, 10);
    assert_eq!(observe(true, &boot("a", 1_000_010))?, 10);
    // One that reads the uptime earlier and writes later.
    assert_eq!(observe(true, &boot("a", 1_000_005))?, 10);
    assert_eq!(observe(false, &boot("a", 1_000_012))?, 12);
    assert_eq!(observe(false, &boot("b", 5_000_000))?, 12);
    assert_eq!(observe(true, &boot("b", 5_000_001))?, 13);
    Ok(())
}

#[test]
fn a_sample_that_arrives_after_it_was_summarised_is_a_duplicate() -> TestResult {
    let (_folder, path) = file()?;
    let mut store = Store::open(&path)?;
    let retention = retention([(10.0, 150.0), (60.0, 1e9)]);
    store.append(&samples(0..100))?;
    store.thin_out(&retention, &up(0), 1000)?;
    store.thin_out(&retention, &up(60), 95)?;
    // Of the last interval, the samples of 95 s to 99 s are not summarised; those after it are new.
    assert_eq!(store.append(&samples(0..103))?, 3);
    // Nothing arrived between 200 s and 300 s: that is new, too.
    store.append(&samples(300..310))?;
    store.thin_out(&retention, &up(120), 1000)?;
    store.thin_out(&retention, &up(180), 1000)?;
    assert_eq!(store.append(&samples(0..103))?, 0);
    assert_eq!(store.append(&samples(200..210))?, 10);
    assert_eq!(count(&store)?, 123);
    // Summaries of 10 s are gone: those of 60 s count.
    assert_eq!(store.thin_out(&retention, &up(300), 1000)?.summaries, 10);
    assert_eq!(store.thin_out(&retention, &up(360), 1000)?.samples, 10);
    assert_eq!(store.append(&samples(0..103))?, 0);
    assert_eq!(count(&store)?, 123);
    Ok(())
}

/// The clock of the service was ahead when it summarised samples of an interval that comes now.
#[test]
fn a_fresh_sample_with_a_time_in_a_summary_is_a_new_one() -> TestResult {
    let (_folder, path) = file()?;
    let mut store = Store::open(&path)?;
    let retention = retention([(10.0, 1e6)]);
    store.append(&samples(0..10))?;
    store.thin_out(&retention, &up(0), 100)?;
    assert_eq!(store.thin_out(&retention, &up(61), 100)?.samples, 10);
    let other = Sample { time: Timestamp::from_micros(5_500_000), ..sample(5) };
    assert_eq!(store.append_all(&[std::slice::from_ref(&other)], at(6))?, [0]);
    assert_eq!(store.append_all(&[std::slice::from_ref(&other)], at(5))?, [1]);
    assert_eq!(store.append_all(&[&[other]], at(5))?, [0]);
    assert_eq!(count(&store)?, 11);
    Ok(())
}

#[test]
fn what_contradicts_a_clock_is_set_aside_and_comes_back() -> TestResult {
    let (_folder, path) = file()?;
    let mut store = Store::open(&path)?;
    let retention = retention([(10.0, 1e9), (60.0, 1e9)]);
    store.append(&samples(0..100))?;
    store.append(&[Sample { series: "ab/load".parse()?, ..sample(70) }])?;
    store.thin_out(&retention, &up(0), 1000)?;
    store.thin_out(&retention, &up(60), 80)?;
    let before = history(&store)?;
    assert_eq!((store.newest("a")?, store.newest("c")?), (Some(at(99)), None));
    // The clock is set to 35 s: the summaries from 30 s and from 0 s contain later samples.
    assert_eq!(store.set_aside("a", at(35), &[sample(200)])?, 71);
    assert_eq!((store.aside()?, store.newest("a")?), (71, Some(at(29))));
    assert_eq!((count(&store)?, store.recent(1, 9)?), (30, vec![]));
    assert_eq!(store.first_aside("a")?, Some(at(39)));
    // Samples of the interval that is set aside are new.
    let wrong = Sample { time: at(36).after(Seconds::new(0.5)), ..sample(36) };
    assert_eq!(store.append(&[wrong])?, 1);
    assert_eq!(store.put_back("a", at(38))?, 0);
    assert_eq!(store.put_back("a", at(150))?, 70);
    assert_eq!((store.aside()?, count(&store)?), (1, 101));
    assert_eq!(store.put_back("a", MAX)?, 1);
    assert_eq!((store.aside()?, count(&store)?, store.first_aside("a")?), (0, 102, None));
    let after = history(&store)?;
    assert_eq!(after.len(), before.len() + 1);
    // The other host kept its sample.
    assert_eq!(store.recent(2, 9)?, [(at(70), 70.0)]);
    Ok(())
}

/// The tables of version 1.
const FIRST: &str = "
    CREATE TABLE series (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
    CREATE TABLE sample (sequence INTEGER PRIMARY KEY AUTOINCREMENT,
        series INTEGER NOT NULL REFERENCES series (id), time INTEGER NOT NULL, value REAL NOT NULL,
        UNIQUE (series, time));
    CREATE TABLE summary (series INTEGER NOT NULL REFERENCES series (id), width INTEGER NOT NULL,
        time INTEGER NOT NULL, mean REAL NOT NULL, low REAL NOT NULL, high REAL NOT NULL,
        count INTEGER NOT NULL, PRIMARY KEY (series, width, time)) WITHOUT ROWID;
    CREATE TABLE position (name TEXT PRIMARY KEY, sequence INTEGER NOT NULL) WITHOUT ROWID;
    INSERT INTO series (name) VALUES ('a/load');
    INSERT INTO sample (series, time, value) VALUES (1, 17000000, 17), (1, 18000000, 18);
    INSERT INTO summary VALUES (1, 10000000, 0, 4.5, 0, 9, 10), (1, 10000000, 10000000, 13, 10, 16, 7);
    INSERT INTO position VALUES ('forward x', 2);
    PRAGMA application_id = 1332900473;
    PRAGMA user_version = 1;
";

fn version(path: &Path) -> rusqlite::Result<i64> {
    rusqlite::Connection::open(path)?.pragma_query_value(None, "user_version", |row| row.get(0))
}

#[test]
fn files_of_version_1_are_brought_to_this_one() -> TestResult {
    let (_folder, path) = file()?;
    rusqlite::Connection::open(&path)?.execute_batch(FIRST)?;
    let mut store = Store::open(&path)?;
    assert_eq!((version(&path)?, store.position("forward x")?), (3, 2));
    assert_eq!(history(&store)?.iter().map(|point| point.count).collect::<Vec<_>>(), [10, 9]);
    assert_eq!(store.append(&samples(0..21))?, 2);
    let retention = retention([(10.0, 1000.0)]);
    // Nothing is old at first: when the samples arrived is unknown.
    assert_eq!(store.thin_out(&retention, &up(1_000_000), 100)?, Thinned::default());
    assert_eq!(store.thin_out(&retention, &up(1_000_060), 100)?.samples, 4);
    assert_eq!((count(&store)?, store.append(&samples(0..21))?), (21, 0));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// After any arrivals, repetitions and thinnings, each kept sample is in one point of the
    /// history, and points do not overlap.
    #[test]
    fn the_history_has_each_sample_once(
        steps in prop::collection::vec((0_i64..400, 1_i64..40, 0_u64..50, 1_usize..60), 1..12),
        is_in_order in any::<bool>(),
        age in 50.0..400.0_f64,
    ) {
        let (_folder, path) = file().expect("a folder");
        let mut store = Store::open(&path).expect("a store");
        let retention = retention([(7.0, age), (21.0, 2.0 * age), (63.0, 1e9)]);
        let (mut now, mut kept, mut sum, mut next) = (0, 0_u64, 0.0, 0);
        let mut sent = std::collections::BTreeSet::new();
        for (begin, length, pause, limit) in steps {
            let begin = if is_in_order { next } else { begin };
            next = begin + length;
            // The last ones are sent again.
            for second in (begin - 5).max(0)..next {
                let new = store.append(&[sample(second)]).expect("space") as u64;
                kept += new;
                sum += new as f64 * second as f64;
                sent.insert(second);
            }
            now += pause;
            store.thin_out(&retention, &up(now), limit).expect("space");
            let points = history(&store).expect("points that do not overlap");
            prop_assert_eq!(points.iter().map(|point| point.count).sum::<u64>(), kept);
            let all: f64 = points.iter().map(|point| point.mean * point.count as f64).sum();
            prop_assert!((all - sum).abs() < 1e-6);
            let limited = store.history(1, Timestamp::default(), MAX, limit).expect("points");
            prop_assert_eq!(&limited[..], &points[points.len().saturating_sub(limit)..]);
            // A part has the points that are not before and not after it.
            let (from, to) = (at(begin / 2), at(begin + length / 2));
            let part = store.history(1, from, to, 100_000).expect("points");
            let is_part = |point: &&Point| {
                point.time <= to && (point.time >= from || point.time.after(point.width) > from)
            };
            prop_assert_eq!(part, points.iter().filter(is_part).copied().collect::<Vec<_>>());
        }
        if is_in_order {
            prop_assert_eq!(kept, sent.len() as u64);
        }
    }
}
