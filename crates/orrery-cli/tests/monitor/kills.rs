//! A service that is killed at random moments under load loses no acknowledged sample.

use std::collections::BTreeSet;
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use orrery_monitor::Store;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt as _, SeedableRng as _};

use crate::http::{Client, samples};
use crate::process::Serving;

/// The number of kills.
const KILLS: u32 = 50;

/// The number of senders.
const SENDERS: u32 = 3;

/// The number of samples in a request.
const SAMPLES: u32 = 20;

/// Sends samples of one series until the service is gone; returns the number of those that were
/// acknowledged.
fn send(address: SocketAddr, series: &str) -> u32 {
    let Ok(mut client) = Client::connect(address) else { return 0 };
    for request in 0.. {
        let numbers = request * SAMPLES..(request + 1) * SAMPLES;
        let body = samples(numbers.map(|number| (series, f64::from(number), f64::from(number))));
        if !client.post("/v1/samples", &body).is_ok_and(|answer| answer.status == 200) {
            return request * SAMPLES;
        }
    }
    0
}

#[test]
fn acknowledged_samples_survive_kills() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut random = ChaCha8Rng::seed_from_u64(50);
    let (mut acknowledged, mut slowest) = (Vec::new(), Duration::ZERO);
    for kill in 0..KILLS {
        let start = Instant::now();
        let mut service = Serving::start(folder.path());
        assert_eq!(service.client().get("/healthz").expect("an answer").status, 200);
        slowest = slowest.max(start.elapsed());
        let address = service.address;
        let series = |sender: u32| format!("kill{kill}/sender{sender}");
        let counts: Vec<u32> = thread::scope(|scope| {
            let senders: Vec<_> = (0..SENDERS)
                .map(|sender| scope.spawn(move || send(address, &series(sender))))
                .collect();
            thread::sleep(Duration::from_millis(random.random_range(1..150)));
            service.kill();
            senders.into_iter().map(|sender| sender.join().expect("no panic")).collect()
        });
        acknowledged.extend(
            counts.into_iter().enumerate().map(|(sender, count)| (series(sender as u32), count)),
        );
    }
    let service = Serving::start(folder.path());
    let mut client = service.client();
    for (series, count) in acknowledged.iter().filter(|(_, count)| *count > 0) {
        let path = format!("/v1/history?series={series}&from=0&to={}&limit=10000", count - 1);
        let answer = client.get(&path).expect("an answer");
        assert_eq!(answer.status, 200, "{series}: {}", answer.body);
        assert_eq!(answer.body.matches("\"time\"").count(), *count as usize, "{series}");
    }
    let sum: u32 = acknowledged.iter().map(|(_, count)| count).sum();
    assert!(sum > 0, "no sample was acknowledged");
    println!(
        "{KILLS} kills, {sum} acknowledged samples; the slowest of {KILLS} starts took {slowest:?}"
    );
}

/// The number of kills of an agent and a service together.
const KILLS_TOGETHER: u32 = 200;

/// The longest time in which a restarted agent sends its samples.
const FORWARD_TIMEOUT: Duration = Duration::from_secs(120);

/// An agent that forwards to a service; dropping it kills it.
struct Measuring(Child);

impl Measuring {
    fn start(folder: &Path, service: SocketAddr) -> Self {
        let config = format!(
            "store = 'series.db'\nhost = 'node1'\n\
             interval = {{ processor = '0.1s', memory = '0.1s', disk = '1s' }}\n\
             [forward]\nurl = 'http://{service}'\n"
        );
        std::fs::write(folder.join("agent.toml"), config).expect("it can be written");
        let mut command = Command::new(env!("CARGO_BIN_EXE_orrery"));
        command.args(["monitor", "agent", "--config", "agent.toml"]).current_dir(folder);
        Self(command.stderr(Stdio::null()).spawn().expect("the command starts"))
    }
}

impl Drop for Measuring {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The times of the stored samples of the memory of the host.
fn times(folder: &Path) -> BTreeSet<i64> {
    let store = Store::open(&folder.join("series.db")).expect("it is a database");
    let id = store.find(&"node1/memory_free".parse().expect("a name")).expect("it is readable");
    let Some(id) = id else { return BTreeSet::new() };
    let all = store.recent(id, 1_000_000).expect("it is readable");
    all.iter().map(|(time, _)| time.micros()).collect()
}

/// What the store of the agent has is acknowledged, and so is what the service has: neither loses
/// any, and in the end the service has what the agent has.
#[test]
#[ignore = "takes minutes: make soak"]
fn agents_and_services_that_are_killed_lose_nothing() {
    let [ours, theirs] = [0; 2].map(|_| tempfile::tempdir().expect("a folder"));
    let free = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
    let address = free.expect("there is a free port");
    let start = || {
        let service = Serving::start_at(theirs.path(), address, &[]);
        (Measuring::start(ours.path(), address), service)
    };
    let mut random = ChaCha8Rng::seed_from_u64(200);
    let mut seen = [BTreeSet::new(), BTreeSet::new()];
    let (mut agent, mut service) = start();
    for _ in 0..KILLS_TOGETHER {
        thread::sleep(Duration::from_millis(random.random_range(100..1500)));
        for (seen, folder) in seen.iter_mut().zip([&ours, &theirs]) {
            let present = times(folder.path());
            assert!(present.is_superset(seen), "a sample is lost");
            *seen = present;
        }
        match random.random_range(0..3) {
            0 => {
                drop(agent);
                agent = Measuring::start(ours.path(), address);
            }
            1 => {
                drop(service);
                service = Serving::start_at(theirs.path(), address, &[]);
            }
            _ => {
                drop((agent, service));
                (agent, service) = start();
            }
        }
    }
    drop(agent);
    let kept = times(ours.path());
    assert!(!kept.is_empty(), "the agent measures nothing");
    assert!(kept.is_superset(&seen[0]), "a sample is lost");
    let _agent = Measuring::start(ours.path(), address);
    let begin = Instant::now();
    while !times(theirs.path()).is_superset(&kept) {
        assert!(begin.elapsed() < FORWARD_TIMEOUT, "samples do not arrive");
        thread::sleep(Duration::from_millis(200));
    }
    println!("{KILLS_TOGETHER} kills of agents and services, {} samples", kept.len());
}
