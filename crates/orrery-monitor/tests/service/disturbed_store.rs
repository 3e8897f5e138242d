//! A database that is full, locked or shared: what was acknowledged is there.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::thread;
use std::time::Duration;

use orrery_monitor::service::ServiceOptions;
use orrery_monitor::{Store, Timestamp};
use rusqlite::Connection;

use super::http::samples;
use super::running::Running;
use super::skip::skip;

/// The time from which seconds count: old samples would be summarised.
fn begin() -> i64 {
    static BEGIN: OnceLock<i64> = OnceLock::new();
    *BEGIN.get_or_init(|| Timestamp::now().micros() / 1_000_000 - 50_000)
}

/// The time of a second.
fn time(second: u32) -> f64 {
    (begin() + i64::from(second)) as f64
}

/// The status of a request with a sample of a series at a second.
fn post(service: &Running, series: &str, second: u32) -> u16 {
    let body = samples([(series, time(second), 1.0)]);
    service.client().post("/v1/samples", &body).expect("an answer").status
}

/// The seconds of the stored samples of a series.
fn stored(path: &Path, series: &str) -> BTreeSet<u32> {
    let store = Store::open(path).expect("it is a database");
    let id = store.find(&series.parse().expect("a name")).expect("it is readable");
    let all = store.recent(id.expect("it was stored"), 1_000_000).expect("it is readable");
    all.iter().map(|(time, _)| (time.micros() / 1_000_000 - begin()) as u32).collect()
}

#[test]
fn two_services_share_a_database() {
    share_database(20);
}

#[test]
#[ignore = "takes a minute: make soak"]
fn two_services_share_a_database_for_long() {
    share_database(3000);
}

/// Posts samples to two services with one database, and to a third one after their ends.
fn share_database(count: u32) {
    let first = Running::start();
    let second = first.beside();
    thread::scope(|scope| {
        for (service, series) in [(&first, "a/load"), (&second, "b/load")] {
            scope.spawn(move || {
                assert!((0..count).all(|number| post(service, series, number) == 200));
            });
        }
    });
    let path = first.store();
    drop(second);
    assert_eq!(post(&first, "a/load", count), 200);
    for (series, count) in [("a/load", count + 1), ("b/load", count)] {
        assert!(stored(&path, series) == (0..count).collect(), "{series}");
    }
}

#[test]
#[ignore = "takes half a minute: make soak"]
fn a_locked_database_is_unavailable_until_it_is_free() {
    let service = Running::start();
    assert_eq!(post(&service, "a/load", 0), 200);
    let locking = Connection::open(service.store()).expect("it is a database");
    locking.execute_batch("BEGIN IMMEDIATE").expect("it is free");
    assert_eq!(post(&service, "a/load", 1), 503);
    assert_eq!(service.client().get("/healthz").expect("an answer").status, 503);
    locking.execute_batch("ROLLBACK").expect("it is locked");
    assert_eq!(post(&service, "a/load", 1), 200);
    assert_eq!(service.client().get("/healthz").expect("an answer").status, 200);
    assert_eq!(stored(&service.store(), "a/load"), [0, 1].into());
}

#[test]
fn a_full_disk_is_reported_and_survived() {
    let folder = tempfile::tempdir().expect("a folder");
    let mount = |arguments: &[&str]| {
        Command::new("mount").args(arguments).arg(folder.path()).stderr(Stdio::null()).status()
    };
    if !mount(&["-t", "tmpfs", "-o", "size=400k", "tmpfs"]).is_ok_and(|status| status.success()) {
        skip("only root can mount a small file system");
        return;
    }
    let outcome = thread::scope(|scope| scope.spawn(|| fill_disk(folder.path())).join());
    Command::new("umount").arg(folder.path()).status().expect("it is mounted");
    outcome.expect("no panic");
}

fn fill_disk(folder: &Path) {
    let path = folder.join("series.db");
    let service =
        Running::start_with(|_, options| ServiceOptions { store: path.clone(), ..options });
    let mut acknowledged = BTreeSet::new();
    let filler = folder.join("filler");
    std::fs::write(&filler, vec![7; 150_000]).expect("there is space");
    let mut refused = 0;
    for number in 0.. {
        let times = number * 100..(number + 1) * 100;
        let body = samples(times.clone().map(|second| ("a/load", time(second), 1.0)));
        match service.client().post("/v1/samples", &body).expect("an answer").status {
            200 => acknowledged.extend(times),
            status => {
                assert_eq!(status, 507);
                refused += 1;
            }
        }
        match refused {
            1 => assert_eq!(service.client().get("/healthz").expect("an answer").status, 503),
            3 => break,
            _ => {}
        }
    }
    std::fs::remove_file(&filler).expect("it is there");
    let start = std::time::Instant::now();
    while post(&service, "b/load", 0) != 200 {
        assert!(start.elapsed() < super::http::TIMEOUT, "there is space");
        thread::sleep(Duration::from_millis(20));
    }
    drop(service);
    assert!(!acknowledged.is_empty() && acknowledged.is_subset(&stored(&path, "a/load")));
}
