//! A service that is killed at random moments under load loses no acknowledged sample.

use std::net::SocketAddr;
use std::thread;
use std::time::{Duration, Instant};

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
