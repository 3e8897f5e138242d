//! Replay of GOAL without contention: operations read per second, events replayed per second,
//! memory per event; and the same of LogGOPSim where its `txt2bin` and `LogGOPSim` are found, in
//! turn.
//!
//! The limits are what LogGOPSim (github spcl/LogGOPSim) reached on a two-core machine: 4.3 million
//! events per second on a stencil, up to 6 on a dissemination, 107 MiB for 3.3 million events.

#[path = "support/fresh.rs"]
#[expect(dead_code, reason = "another benchmark takes all of it")]
mod fresh;
#[path = "../tests/traces/generator.rs"]
mod generator;

use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use generator::{dissemination, stencil};
use orrery::numeric::median;
use orrery::simulate::loggp::{LogGops, replay};
use orrery::trace::goal::GoalGraph;

const ROUNDS: usize = 5;

/// Reads and replays a file in a process of its own, and prints the most memory that it had;
/// without a file nothing.
fn remember(path: Option<&String>) {
    if let Some(path) = path {
        let text = BufReader::with_capacity(1 << 16, File::open(path).expect("it was written"));
        let goal = GoalGraph::read(text, path).expect("the text is GOAL");
        replay(&goal, &LogGops::default()).expect("all ends");
    }
    println!("{}", fresh::own_peak());
}

/// The bytes that reading and replaying a text take, those of an empty process apart.
fn memory(text: &str) -> f64 {
    let file = tempfile::NamedTempFile::new().expect("a temporary file can be made");
    std::fs::write(file.path(), text).expect("it can be written");
    let of = |words: &[&str]| fresh::again(words).trim().parse::<f64>().expect("a number");
    of(&["memory", &file.path().display().to_string()]) - of(&["memory"])
}

/// The seconds that LogGOPSim's converter takes for a text, and the events per second that it tells
/// of its replay, which has to end at the same time; `None` where they are not installed.
fn rival(folder: &Path, finish: f64) -> Option<(f64, f64)> {
    let [text, binary] = ["text", "binary"].map(|name| folder.join(name));
    let start = Instant::now();
    let converted =
        Command::new("txt2bin").arg("-i").arg(&text).arg("-o").arg(&binary).output().ok()?;
    let took = start.elapsed().as_secs_f64();
    let replayed = Command::new("LogGOPSim").arg("-f").arg(&binary).output().ok()?;
    assert!(converted.status.success() && replayed.status.success(), "LogGOPSim fails");
    let told = String::from_utf8_lossy(&replayed.stdout).into_owned();
    let number = |behind: &str| {
        told.split(behind).nth(1)?.split_whitespace().find_map(|word| word.parse::<f64>().ok())
    };
    let (speed, end) = (number("Speed:")?, number("Maximum finishing time")?);
    assert!((end - finish).abs() < 0.5, "LogGOPSim ends at {end} and not at {finish}");
    Some((took, speed))
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    if let Some(at) = words.iter().position(|word| word == "memory") {
        return remember(words.get(at + 1));
    }
    println!(
        "trace                     events      finish ns   operations/s    events/s        \
            limits          bytes/event"
    );
    for (words, text, finish) in [
        ("stencil 32x32x250, 8 KiB  ", stencil(32, 32, 250, 8192, 1_000_000), 304_646_000.0),
        ("stencil 32x32x250, 256 KiB", stencil(32, 32, 250, 262_144, 1_000_000), 1_828_358_000.0),
        ("dissemination 1024x100    ", dissemination(1024, 100, 8, 1000), 5_642_000.0),
        ("stencil 8x8x4000, 8 KiB   ", stencil(8, 8, 4000, 8192, 1_000_000), 4_874_336_000.0),
    ] {
        let (mut reading, mut playing, mut events) = (Vec::new(), Vec::new(), 0);
        let (mut converting, mut rivals) = (Vec::new(), Vec::new());
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        std::fs::write(folder.path().join("text"), &text).expect("it can be written");
        for _ in 0..ROUNDS {
            let start = Instant::now();
            let goal = GoalGraph::read(text.as_bytes(), "bench").expect("the text is GOAL");
            reading.push(goal.operations().len() as f64 / start.elapsed().as_secs_f64());
            let start = Instant::now();
            let replayed = replay(&goal, &LogGops::default()).expect("all ends");
            playing.push(replayed.events as f64 / start.elapsed().as_secs_f64());
            events = replayed.events;
            assert!(
                (replayed.total() - finish).abs() < 0.5,
                "{words}: {} is not {finish}",
                replayed.total()
            );
            if let Some((took, speed)) = rival(folder.path(), finish) {
                converting.push(goal.operations().len() as f64 / took);
                rivals.push(speed);
            }
        }
        let bytes = memory(&text) / events as f64;
        let (reading, playing) = (median(&reading) / 1e6, median(&playing) / 1e6);
        let verdict = |met: bool| if met { "ok" } else { "MISSED" };
        println!(
            "{words} {events:>8}  {finish:>12}  {reading:>6.1} M ≥ 5 {:<6} {playing:>6.1} M ≥ 6 \
                {:<6} {bytes:>10.0} ≤ 100 {}",
            verdict(reading >= 5.0),
            verdict(playing >= 6.0),
            verdict(bytes <= 100.0),
        );
        if !rivals.is_empty() {
            let (converting, speed) = (median(&converting) / 1e6, median(&rivals) / 1e6);
            println!(
                "    LogGOPSim now: {converting:.2} M operations/s, {speed:.2} M events/s; this is \
                    {:.1} and {:.1} times as fast",
                reading / converting,
                playing / speed
            );
        }
    }
}
