//! The load that the service bears: 2,000 series with a sample per second each, and requests of
//! forecasts meanwhile.
//!
//! `cargo bench -p orrery-monitor --bench service_load` starts the service as a process of its own
//! and prints its processor time and its memory, and the latencies of the requests. Options behind
//! `--`: `seconds=30 series=2000 rate=5000 connections=8`; `core=1` pins the service to a core. The
//! service runs on one core in either case as far as its event loop is concerned; the threads that
//! read and write the database may use another one.

#[path = "../../tests/http/mod.rs"]
#[allow(dead_code, reason = "the tests use all of it")]
mod http;

mod latencies;
mod process;

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use http::{Client, samples};
use latencies::Latencies;
use process::ServiceProcess;

/// The number of series in one request: those of a host.
const SERIES_PER_HOST: usize = 20;

/// What the load is.
struct Load {
    seconds: u64,
    series: usize,
    rate: u64,
    connections: u64,
    core: Option<usize>,
}

impl Load {
    /// The load that the command line states.
    fn of_arguments() -> Self {
        let mut load = Self { seconds: 30, series: 2_000, rate: 5_000, connections: 8, core: None };
        for argument in std::env::args().skip(1) {
            let Some((name, value)) = argument.split_once('=') else { continue };
            let number: u64 = value.parse().expect("options have numbers");
            match name {
                "seconds" => load.seconds = number,
                "series" => load.series = number as usize,
                "rate" => load.rate = number,
                "connections" => load.connections = number,
                "core" => load.core = Some(number as usize),
                _ => panic!("unknown option {name}"),
            }
        }
        load
    }
}

fn main() {
    if process::serve_if_child() {
        return;
    }
    let load = Load::of_arguments();
    let service = ServiceProcess::start(load.core);
    let stop = AtomicBool::new(false);
    println!(
        "{} series, a sample per second each, {} per request; {} s",
        load.series, SERIES_PER_HOST, load.seconds
    );
    let ingest_latencies = thread::scope(|scope| {
        let ingest = scope.spawn(|| ingest(service.address, load.series, &stop));
        // All series have enough samples for intervals.
        thread::sleep(Duration::from_secs(3));
        measure("ingest only", &service, || {
            thread::sleep(Duration::from_secs(load.seconds));
            Latencies::default()
        });
        measure("ingest and forecasts", &service, || forecasts(service.address, &load));
        stop.store(true, Ordering::Relaxed);
        ingest.join().expect("no panic")
    });
    println!("acknowledged requests with samples: {ingest_latencies}");
}

/// Runs a phase and prints what it cost.
fn measure(name: &str, service: &ServiceProcess, phase: impl FnOnce() -> Latencies) {
    let (start, before) = (Instant::now(), service.processor_time());
    let latencies = phase();
    let (elapsed, used) = (start.elapsed(), service.processor_time().saturating_sub(before));
    println!(
        "{name}: {:.1} % of one core, {} MB",
        100.0 * used.as_secs_f64() / elapsed.as_secs_f64(),
        service.memory_kib() / 1000
    );
    if latencies.count() > 0 {
        println!(
            "{name}: {:.0} requests per second, {latencies}",
            latencies.count() as f64 / elapsed.as_secs_f64()
        );
    }
}

/// The name of a series.
fn name(series: usize) -> String {
    format!("node{}/quantity{}", series / SERIES_PER_HOST, series % SERIES_PER_HOST)
}

/// A value that depends on series and time: a wave and noise.
fn value(series: usize, step: u64) -> f64 {
    let hash = (series as u64 * 1_000_003 + step).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
    (step as f64 / 60.0).sin() + hash as f64 / f64::from(1_u32 << 24)
}

/// Sends a sample of each series each second, host by host over the second; at first 100 samples of
/// the past.
fn ingest(address: SocketAddr, series: usize, stop: &AtomicBool) -> Latencies {
    let mut client = Client::connect(address).expect("the service accepts");
    let mut latencies = Latencies::default();
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_secs();
    let (begin, start) = (now(), Instant::now());
    let names: Vec<String> = (0..series).map(name).collect();
    let hosts = series.div_ceil(SERIES_PER_HOST);
    let mut send = |host: usize, steps: std::ops::Range<u64>| {
        let of_host =
            (host * SERIES_PER_HOST..series.min((host + 1) * SERIES_PER_HOST)).collect::<Vec<_>>();
        let all = steps.flat_map(|step| of_host.iter().map(move |&one| (one, step)));
        let body = samples(all.map(|(one, step)| {
            (names[one].as_str(), (begin + step - 100) as f64, value(one, step))
        }));
        let sent = Instant::now();
        let answer = client.post("/v1/samples", &body).expect("an answer");
        assert_eq!(answer.status, 200, "{}", answer.body);
        latencies.record(sent.elapsed());
    };
    (0..hosts).for_each(|host| send(host, 0..100));
    for step in 100.. {
        for host in 0..hosts {
            let due = Duration::from_secs(step - 100)
                + Duration::from_secs(1) * host as u32 / hosts as u32;
            thread::sleep(due.saturating_sub(start.elapsed()));
            if stop.load(Ordering::Relaxed) {
                return latencies;
            }
            send(host, step..step + 1);
        }
    }
    latencies
}

/// Requests forecasts at the rate of the load. Latencies count from the time when a request is due,
/// so that a delay of one request is not hidden by those that wait for it.
fn forecasts(address: SocketAddr, load: &Load) -> Latencies {
    let (start, next) = (Instant::now(), AtomicU64::new(0));
    let count = load.rate * load.seconds;
    let work = || {
        let mut client = Client::connect(address).expect("the service accepts");
        let mut latencies = Latencies::default();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                return latencies;
            }
            let due = Duration::from_secs_f64(number as f64 / load.rate as f64);
            thread::sleep(due.saturating_sub(start.elapsed()));
            let series = (number as usize * 7) % load.series;
            let answer =
                client.get(&format!("/v1/forecast?series={}", name(series))).expect("an answer");
            assert!(answer.status == 200 && answer.body.contains("\"value\""), "{}", answer.body);
            latencies.record(start.elapsed().saturating_sub(due));
        }
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..load.connections).map(|_| scope.spawn(work)).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().expect("no panic"))
            .fold(Latencies::default(), Latencies::with)
    })
}
