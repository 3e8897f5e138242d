//! The database of samples: acknowledged samples are there, old ones are summarised.
#![cfg(feature = "store")]

use std::path::{Path, PathBuf};

use orrery::units::Seconds;
use orrery_monitor::store::{Point, Resolution, Retention, Thinned};
use orrery_monitor::{Sample, Store, StoreError, Timestamp};
use proptest::prelude::*;

type TestResult = Result<(), Box<dyn std::error::Error>>;

fn file() -> std::io::Result<(tempfile::TempDir, PathBuf)> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("series.db");
    Ok((folder, path))
}

fn sample(series: &str, seconds: i64, value: f64) -> Result<Sample, orrery_monitor::NameError> {
    Ok(Sample { series: series.parse()?, time: Timestamp::from_micros(seconds * 1_000_000), value })
}

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_micros(seconds * 1_000_000)
}

#[test]
fn samples_survive_and_are_stored_once() -> TestResult {
    let (_folder, path) = file()?;
    let samples = [sample("a/load", 1, 0.5)?, sample("b/load", 1, 1.5)?, sample("a/load", 2, 0.7)?];
    assert_eq!(Store::open(&path)?.append(&samples)?, 3);
    let mut store = Store::open(&path)?;
    assert_eq!(store.append(&samples)?, 0);
    assert_eq!(store.append(&[sample("a/load", 3, f64::NAN)?])?, 0);
    let names: Vec<String> = store.series()?.iter().map(|series| series.name.to_string()).collect();
    assert_eq!(names, ["a/load", "b/load"]);
    let id = store.find(&"a/load".parse()?)?.ok_or("no series")?;
    assert_eq!(store.recent(id, 5)?, [(at(1), 0.5), (at(2), 0.7)]);
    assert_eq!(store.recent(id, 1)?, [(at(2), 0.7)]);
    assert_eq!(store.find(&"c/load".parse()?)?, None);
    Ok(())
}

#[test]
fn the_order_of_arrival_is_kept() -> TestResult {
    let (_folder, path) = file()?;
    let mut writer = Store::open(&path)?;
    let reader = Store::open(&path)?;
    writer.append(&[sample("a/load", 5, 1.0)?, sample("a/load", 4, 2.0)?])?;
    let first = reader.arrived_after(0, 10)?;
    assert_eq!(first.iter().map(|one| one.value).collect::<Vec<_>>(), [1.0, 2.0]);
    assert_eq!(reader.last_sequence()?, first[1].sequence);
    assert_eq!(reader.arrived_after(first[0].sequence, 10)?, first[1..]);
    assert_eq!(writer.position("forwarded")?, 0);
    writer.set_position("forwarded", 7)?;
    assert_eq!(reader.position("forwarded")?, 7);
    Ok(())
}

#[test]
fn names_are_data() -> TestResult {
    let (_folder, path) = file()?;
    let mut store = Store::open(&path)?;
    let name = "a/disk_free/'); DROP TABLE sample; --";
    store.append(&[sample(name, 1, 1.0)?])?;
    assert_eq!(store.series()?[0].name.to_string(), name);
    assert_eq!(store.last_sequence()?, 1);
    Ok(())
}

#[test]
fn other_files_are_refused() -> TestResult {
    let (_folder, path) = file()?;
    std::fs::write(&path, "time,value\n")?;
    assert!(matches!(Store::open(&path), Err(StoreError::Open { .. })));
    std::fs::remove_file(&path)?;
    rusqlite::Connection::open(&path)?.execute_batch("CREATE TABLE other (id INTEGER)")?;
    assert!(matches!(Store::open(&path), Err(StoreError::Other { .. })));
    std::fs::remove_file(&path)?;
    drop(Store::open(&path)?);
    rusqlite::Connection::open(&path)?.pragma_update(None, "user_version", 9)?;
    assert!(matches!(Store::open(&path), Err(StoreError::Version { version: 9, .. })));
    assert!(matches!(Store::open(Path::new("/no/folder/series.db")), Err(StoreError::Open { .. })));
    Ok(())
}

#[test]
fn old_samples_are_summarised() -> TestResult {
    let (_folder, path) = file()?;
    let mut store = Store::open(&path)?;
    let samples: Result<Vec<_>, _> = (0..240).map(|k| sample("a/load", k, k as f64)).collect();
    store.append(&samples?)?;
    let resolution = |width, age| Resolution { width: Seconds::new(width), age: Seconds::new(age) };
    let retention = Retention {
        samples: Seconds::new(60.0),
        summaries: vec![resolution(10.0, 120.0), resolution(60.0, 1000.0)],
    };
    // Now is 240 s: samples before 180 s go, in two steps; summaries of 10 s begin at 120 s.
    assert_eq!(store.thin_out(&retention, at(240), 100)?, Thinned { samples: 100, summaries: 10 });
    assert_eq!(store.thin_out(&retention, at(240), 1000)?, Thinned { samples: 80, summaries: 2 });
    let points = store.history(1, at(0), at(1000), 1000)?;
    let times: Vec<i64> = points.iter().map(|point| point.time.micros() / 1_000_000).collect();
    let expected: Vec<i64> =
        [0, 60].into_iter().chain((120..180).step_by(10)).chain(180..240).collect();
    assert_eq!(times, expected);
    assert_eq!(points[1], Point { time: at(60), mean: 89.5, low: 60.0, high: 119.0, count: 60 });
    assert_eq!(points[2], Point { time: at(120), mean: 124.5, low: 120.0, high: 129.0, count: 10 });
    assert_eq!(store.history(1, at(0), at(1000), 3)?, points[points.len() - 3..]);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// Means over summaries of any thinning are the means of the samples.
    #[test]
    fn thinning_keeps_sums(values in prop::collection::vec(-1e3..1e3_f64, 1..60), limit in 1_usize..20) {
        let (_folder, path) = file().expect("a folder");
        let mut store = Store::open(&path).expect("a store");
        let samples: Vec<_> =
            values.iter().enumerate().map(|(k, value)| sample("a/load", k as i64, *value).expect("a name")).collect();
        store.append(&samples).expect("space");
        let summaries = vec![Resolution { width: Seconds::new(7.0), age: Seconds::new(1e6) }];
        let retention = Retention { samples: Seconds::new(10.0), summaries };
        for _ in 0..values.len() {
            store.thin_out(&retention, at(1000), limit).expect("space");
        }
        let points = store.history(1, at(0), at(1000), 1000).expect("a series");
        prop_assert_eq!(points.iter().map(|point| point.count).sum::<u64>(), values.len() as u64);
        let sum: f64 = points.iter().map(|point| point.mean * point.count as f64).sum();
        prop_assert!((sum - values.iter().sum::<f64>()).abs() < 1e-6);
    }
}
