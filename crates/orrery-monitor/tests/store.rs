//! The database of samples: acknowledged samples are there, old ones are summarised.
#![cfg(feature = "store")]

use std::path::{Path, PathBuf};

use orrery_monitor::{Sample, Store, StoreError, Timestamp};

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
fn times_ahead_are_remembered() -> TestResult {
    let (_folder, path) = file()?;
    let mut store = Store::open(&path)?;
    store.append(&[sample("a/load", 1, 0.5)?, sample("b/load", 1, 0.5)?])?;
    store.mark_ahead(&[(1, at(1)), (2, at(1))].into())?;
    store.mark_ahead(&[(2, at(9))].into())?;
    drop(store);
    let ahead: Vec<_> = Store::open(&path)?.series()?.iter().map(|series| series.ahead).collect();
    assert_eq!(ahead, [Some(at(1)), Some(at(9))]);
    Ok(())
}

/// An agent and a service that begin at the same time may both find no store.
#[test]
fn a_new_store_is_opened_by_several_at_once() -> TestResult {
    for _ in 0..40 {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("series.db");
        let start = std::sync::Barrier::new(4);
        let opened = std::thread::scope(|scope| {
            let open = || {
                start.wait();
                Store::open(&path).map(drop)
            };
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(open)).collect();
            threads.into_iter().map(|one| one.join().expect("no panic")).collect::<Vec<_>>()
        });
        for one in opened {
            one?;
        }
    }
    Ok(())
}

#[test]
fn a_store_is_a_file() -> TestResult {
    let (folder, path) = file()?;
    let within = |end: &str| format!("{}{end}", path.display());
    let [address, memory] = ["file:", "file::memory:"].map(str::to_owned);
    for name in [
        String::new(),
        ":memory:".to_owned(),
        memory,
        address + &within("?mode=rwc"),
        "/dev/null".to_owned(),
        folder.path().display().to_string(),
    ] {
        let refused = Store::open(Path::new(&name)).expect_err(&name);
        let text = refused.to_string();
        assert!(matches!(refused, StoreError::NoFile { .. }), "{name}: {text}");
        assert!(text.ends_with("samples need a file; name one, such as series.db"), "{text}");
    }
    assert!(std::fs::read_dir(folder.path())?.next().is_none());
    Ok(())
}

#[test]
fn only_the_owner_reads_a_new_store() -> TestResult {
    use std::os::unix::fs::MetadataExt as _;
    let (folder, path) = file()?;
    Store::open(&path)?.append(&[sample("a/load", 1, 0.5)?])?;
    let _open = Store::open(&path)?;
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder.path())? {
        let entry = entry?;
        assert_eq!(entry.metadata()?.mode() & 0o777, 0o600, "{:?}", entry.file_name());
        names.push(entry.file_name());
    }
    assert_eq!(names.len(), 3, "{names:?}");
    Ok(())
}

#[test]
fn series_without_valid_names_are_left_out() -> TestResult {
    let (_folder, path) = file()?;
    Store::open(&path)?.append(&[sample("a/load", 1, 0.5)?, sample("b/load", 1, 0.5)?])?;
    let database = rusqlite::Connection::open(&path)?;
    database.execute_batch(
        "INSERT INTO series (name) VALUES ('no name'), (x'ff2f6c6f6164'), (''), \
         (CAST(x'612ffe' AS TEXT)), (7);",
    )?;
    let store = Store::open(&path)?;
    let names: Vec<String> = store.series()?.iter().map(|series| series.name.to_string()).collect();
    assert_eq!(names, ["a/load", "b/load"]);
    assert_eq!(store.names()?.iter().filter(|name| name.is_err()).count(), 5);
    Ok(())
}

/// A store is lost with each of its files, and for writers only.
#[test]
fn lost_files_are_noticed_by_all_writers() -> TestResult {
    for end in ["", "-wal", "-shm"] {
        let (folder, path) = file()?;
        let mut store = Store::open(&path)?;
        store.append(&[sample("a/load", 1, 0.5)?])?;
        std::fs::rename(folder.path().join(format!("series.db{end}")), folder.path().join("x"))?;
        let all = [
            store.append(&[sample("a/load", 2, 0.5)?]).map(drop),
            store.set_position("p", 1),
            store.set_aside("a", at(0), &[]).map(drop),
            store.put_back("a", at(0)).map(drop),
            store.file().check(),
        ];
        for outcome in all {
            assert!(matches!(outcome, Err(StoreError::Lost { .. })), "{end}: {outcome:?}");
        }
        std::fs::rename(folder.path().join("x"), folder.path().join(format!("series.db{end}")))?;
        assert_eq!(store.append(&[sample("a/load", 2, 0.5)?])?, 1);
    }
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
