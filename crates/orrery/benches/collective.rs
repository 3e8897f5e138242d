//! Decision tables of collective operations on clusters of 128 processors, and messages by the
//! second, on one core. Kinds of models as arguments take these alone; a number as argument takes
//! this number of processors.

#[path = "support/busy.rs"]
mod busy;

use std::time::Instant;

use orrery::collective::{Candidate, CollectiveChoice, table, tables};
use orrery::comm::plogp::Curve;
use orrery::comm::{Hockney, Lmo, LogGp, PLogP};
use orrery::model::{Model, ModelKind, Predictor};
use orrery::numeric::Estimate;
use orrery::platform::{PerPair, Processor};
use orrery::schedule::CollectiveKind;
use orrery::units::Bytes;

use busy::busy;

const PROCESSORS: usize = 128;
/// The number of sizes, from 1 B to 4 MiB in equal ratios.
const SIZES: u32 = 30;
const MAX_TABLE_SECONDS: f64 = 10.0;
const MIN_MESSAGES_PER_SECOND: f64 = 1e6;
/// The number of messages that are timed.
const MESSAGES: u32 = 4_000_000;

/// A cluster whose processors differ up to a factor of 3 and its links up to a factor of 2, by LMO
/// and Hockney, and one of equal processors by LogGP and PLogP.
fn models() -> [Model; 2] {
    let differing = |k: u32, low: f64, factor: f64| {
        Estimate::exact(
            low * (1.0 + (factor - 1.0) * f64::from(k.wrapping_mul(2_654_435_761) >> 16) / 65536.0),
        )
    };
    let each =
        |low: f64| (0..PROCESSORS as u32).map(|k| differing(k + 1, low, 3.0)).collect::<Vec<_>>();
    let pairs = |low: f64| {
        PerPair::from_fn(PROCESSORS, |a, b| differing(a.0 * 131 + b.0 * 7 + 1, low, 2.0))
    };
    let lmo = Lmo {
        fixed_delay: each(4e-6),
        byte_delay: each(0.2e-9),
        link_latency: Some(pairs(5e-6)),
        link_byte_delay: pairs(1e-9),
    };
    let (latency, byte_delay) = (pairs(20e-6), pairs(1.5e-9));
    let hockney = Hockney {
        latency,
        byte_delay,
        mean_latency: Estimate::exact(30e-6),
        mean_byte_delay: Estimate::exact(2.2e-9),
    };
    let parameters = [12e-6, 2e-6, 3e-6, 5e-6, 0.8e-9].map(Estimate::exact);
    let loggp = LogGp::from_estimates(&parameters).expect("five parameters");
    let curve = |first: f64, per_byte: f64| {
        let sizes: Vec<Bytes> =
            [0_u64].into_iter().chain((10..=22).map(|k| 1 << k)).map(Bytes::new).collect();
        let leap = |size: u64| if size > 8192 { 2.0 * first } else { first };
        let value = |size: &Bytes| Estimate::exact(leap(size.get()) + per_byte * size.get() as f64);
        let values = sizes.iter().map(value).collect();
        Curve::new(sizes, values).expect("sizes ascend")
    };
    let plogp = PLogP {
        latency: Estimate::exact(9e-6),
        send_overhead: curve(2e-6, 0.3e-9),
        receive_overhead: curve(3e-6, 0.4e-9),
        gap: curve(4e-6, 1e-9),
    };
    let hosts = vec![String::new(); PROCESSORS];
    let equal = vec![Estimate::exact(0.1e-9); PROCESSORS];
    let heterogeneous =
        Model { hosts: hosts.clone(), combination: each(0.1e-9), ..Model::default() };
    let homogeneous = Model { hosts, combination: equal, ..Model::default() };
    let heterogeneous = heterogeneous.with(ModelKind::Lmo, &lmo).with(ModelKind::Hockney, &hockney);
    [heterogeneous, homogeneous.with(ModelKind::LogGp, &loggp).with(ModelKind::PLogP, &plogp)]
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let named: Vec<ModelKind> = words.iter().filter_map(|word| word.parse().ok()).collect();
    let only: Option<usize> = words.iter().find_map(|word| word.parse().ok());
    let [heterogeneous, homogeneous] = models();
    for kind in [ModelKind::Lmo, ModelKind::Hockney, ModelKind::LogGp, ModelKind::PLogP] {
        if named.is_empty() || named.contains(&kind) {
            let is_per_pair = matches!(kind, ModelKind::Lmo | ModelKind::Hockney);
            let model = if is_per_pair { &heterogeneous } else { &homogeneous };
            messages(model, kind);
            time_table(model, kind, only);
        }
    }
}

/// The predicted times of messages between all pairs by the second.
fn messages(model: &Model, kind: ModelKind) {
    let mut predictor = Predictor::new(model, kind).expect("the model has this kind");
    let (start, mut sum) = (Instant::now(), 0.0);
    for k in 0..MESSAGES {
        let (from, distance) = (k % PROCESSORS as u32, 1 + k / 128 % (PROCESSORS as u32 - 1));
        let to = Processor((from + distance) % PROCESSORS as u32);
        let time = predictor.message_time(Processor(from), to, Bytes::new(u64::from(k % 65536)));
        sum += time.expect("the model has these processors").get();
    }
    std::hint::black_box(sum);
    let rate = f64::from(MESSAGES) / start.elapsed().as_secs_f64();
    let verdict = if rate >= MIN_MESSAGES_PER_SECOND { "ok" } else { "MISSED" };
    println!(
        "{:<8} messages  {:>6.2} million/s          limit ≥ {:.0}  {verdict}",
        kind.name(),
        rate / 1e6,
        1.0
    );
}

/// A size of the table.
fn size(k: u32) -> Bytes {
    Bytes::new(2_f64.powf(22.0 * f64::from(k) / f64::from(SIZES - 1)).round() as u64)
}

/// The choice among all algorithms of an operation that run on this number of processors.
fn choice(operation: CollectiveKind, procs: usize, sizes: &[Bytes]) -> CollectiveChoice {
    let candidate = |algorithm| Candidate { algorithm, root: Processor(0) };
    CollectiveChoice {
        operation,
        library: None,
        procs,
        candidates: operation.algorithms_on(procs).map(candidate).collect(),
        sizes: (sizes[0], sizes[sizes.len() - 1]),
        step: 1,
        merges: false,
        kept: None,
    }
}

/// The time of a table of all operations with sizes, all numbers of processors and sizes: on one
/// core, then on all.
fn time_table(model: &Model, kind: ModelKind, only: Option<usize>) {
    let sizes: Vec<Bytes> = (0..SIZES).map(size).collect();
    let begin = busy();
    let (mut decisions, mut parts, mut choices) = (0, Vec::new(), Vec::new());
    for operation in
        CollectiveKind::ALL.into_iter().filter(|operation| *operation != CollectiveKind::Barrier)
    {
        let start = busy();
        for procs in (2..=PROCESSORS).filter(|procs| only.is_none_or(|only| only == *procs)) {
            let choice = choice(operation, procs, &sizes);
            decisions +=
                table(model, kind, &choice, &sizes).expect("the model has these processors").len();
            choices.push(choice);
        }
        parts.push(format!("{operation} {:.2}", busy() - start));
    }
    let seconds = busy() - begin;
    let verdict = if seconds <= MAX_TABLE_SECONDS { "ok" } else { "MISSED" };
    println!(
        "{:<8} table     {seconds:>6.2} s, {decisions} cells  limit ≤ {MAX_TABLE_SECONDS}  \
            {verdict}",
        kind.name()
    );
    println!("         {}", parts.join(", "));
    let start = Instant::now();
    std::hint::black_box(
        tables(model, kind, &choices, &sizes).expect("the model has these processors"),
    );
    let seconds = start.elapsed().as_secs_f64();
    println!("{:<8} on all cores {seconds:>6.2} s", kind.name());
}
