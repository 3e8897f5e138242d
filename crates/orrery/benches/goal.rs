//! Replay of GOAL without contention: operations read per second, events replayed per second, memory per event.
//!
//! The limits are what LogGOPSim (github spcl/LogGOPSim) reached on a two-core machine: 4.3 million events per second on a
//! stencil, up to 6 on a dissemination, 107 MiB for 3.3 million events.

#[path = "../tests/support/goal.rs"]
mod generator;

use std::time::Instant;

use generator::{dissemination, stencil};
use orrery::numeric::median;
use orrery::simulate::loggp::{LogGops, replay};
use orrery::trace::goal::Goal;

const ROUNDS: usize = 5;

/// Memory of this process in bytes: what is resident now, or at most so far.
fn memory(key: &str) -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with(key)).unwrap_or_default();
    let kib: f64 = line.split_whitespace().nth(1).and_then(|kib| kib.parse().ok()).unwrap_or(0.0);
    kib * 1024.0
}

fn main() {
    println!(
        "trace                     events      finish ns   operations/s    events/s        limits          bytes/event"
    );
    for (words, text, finish) in [
        ("stencil 32x32x250, 8 KiB  ", stencil(32, 32, 250, 8192, 1_000_000), 304_646_000.0),
        ("stencil 32x32x250, 256 KiB", stencil(32, 32, 250, 262_144, 1_000_000), 1_828_358_000.0),
        ("dissemination 1024x100    ", dissemination(1024, 100, 8, 1000), 5_642_000.0),
        ("stencil 8x8x4000, 8 KiB   ", stencil(8, 8, 4000, 8192, 1_000_000), 4_874_336_000.0),
    ] {
        let (mut reading, mut playing, mut bytes, mut events) = (Vec::new(), Vec::new(), 0.0, 0);
        for _ in 0..ROUNDS {
            let before = memory("VmRSS:");
            let start = Instant::now();
            let goal = Goal::read(text.as_bytes(), "bench").expect("the text is GOAL");
            reading.push(goal.operations().len() as f64 / start.elapsed().as_secs_f64());
            let start = Instant::now();
            let replayed = replay(&goal, &LogGops::default()).expect("all ends");
            playing.push(replayed.events as f64 / start.elapsed().as_secs_f64());
            events = replayed.events;
            bytes = f64::max(bytes, (memory("VmHWM:") - before) / events as f64);
            assert!((replayed.total() - finish).abs() < 0.5, "{words}: {} is not {finish}", replayed.total());
        }
        let (reading, playing) = (median(&reading) / 1e6, median(&playing) / 1e6);
        let verdict = |met: bool| if met { "ok" } else { "MISSED" };
        println!(
            "{words} {events:>8}  {finish:>12}  {reading:>6.1} M ≥ 5 {:<6} {playing:>6.1} M ≥ 6 {:<6} {bytes:>10.0} ≤ 100 {}",
            verdict(reading >= 5.0),
            verdict(playing >= 6.0),
            verdict(bytes <= 100.0),
        );
    }
}
