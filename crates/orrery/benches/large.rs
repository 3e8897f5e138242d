//! 65,536 ranks with some 50 actions each, files read included: seconds and memory of a fresh
//! process each.

#[path = "support/fresh.rs"]
#[expect(dead_code, reason = "another benchmark takes all of it")]
mod fresh;
#[path = "../tests/traces/generator.rs"]
mod generator;
#[path = "../tests/simulation/traces.rs"]
#[expect(dead_code, reason = "another benchmark takes all of it")]
mod traces;

use std::fs::{self, File};
use std::io::BufReader;
use std::path::Path;
use std::time::Instant;

use orrery::platform::{MappingPolicy, xml};
use orrery::simulate::loggp::{LogGops, replay};
use orrery::simulate::{FlowModel, Simulation};
use orrery::trace::file;
use orrery::trace::goal::GoalGraph;

const SIDE: usize = 256;
const RANKS: usize = SIDE * SIDE;
const SECONDS: f64 = 2.0;
const MEBIBYTES: f64 = 600.0;

/// A network, a trace by its file, and what it is.
const LINES: [(&str, &str, &str); 6] = [
    ("loggp", "stencil.goal", "stencil 256x256, 4 rounds: 52 events of a rank"),
    ("loggp", "dissemination.goal", "dissemination: 49 events of a rank"),
    ("maxmin", "stencil.tit", "stencil 256x256, 5 rounds: 50 actions of a rank"),
    ("simgrid-smpi", "stencil.tit", "the same"),
    ("maxmin", "ring.tit", "ring, 50 actions of a rank"),
    ("simgrid-smpi", "ring.tit", "the same"),
];

/// Messages around a ring: received and sent on one by one, or posted by those who begin.
fn ring() -> String {
    let (size, rounds) = (65_536, 12);
    let of_rank = |rank: usize| {
        let (next, last) = ((rank + 1) % RANKS, (rank + RANKS - 1) % RANKS);
        let round = format!(
            "{rank} irecv {last} 0 {size} 6\n{rank} isend {next} 0 {size} 6\n{rank} waitall \
                2\n{rank} compute 1e5\n"
        );
        format!("{rank} init\n{}{rank} finalize\n", round.repeat(rounds))
    };
    (0..RANKS).map(of_rank).collect()
}

fn write(folder: &Path) {
    let stencil =
        traces::stencil(&traces::Stencil { columns: SIDE, rows: SIDE, iterations: 5, uneven: 0 });
    for (name, text) in [
        ("stencil.goal", generator::stencil(SIDE as u32, SIDE as u32, 4, 8192, 1_000_000)),
        ("dissemination.goal", generator::dissemination(RANKS as u32, 1, 8, 1000)),
        ("stencil.tit", stencil.concat()),
        ("ring.tit", ring()),
        ("cluster.xml", traces::cluster(RANKS)),
    ] {
        fs::write(folder.join(name), text).expect("a file can be written");
    }
}

/// Reads and replays, and prints both times in seconds and the memory in bytes.
fn play(network: &str, folder: &Path, trace: &str) {
    let start = Instant::now();
    let path = folder.join(trace);
    let (read, all);
    if network == "loggp" {
        let text = BufReader::with_capacity(1 << 16, File::open(&path).expect("it was written"));
        let goal = GoalGraph::read(text, &path).expect("it is GOAL");
        read = start.elapsed().as_secs_f64();
        replay(&goal, &LogGops::default()).expect("all ends");
        all = start.elapsed().as_secs_f64();
    } else {
        let model: FlowModel = network.parse().expect("it is a model");
        let text = fs::read_to_string(folder.join("cluster.xml")).expect("it was written");
        let topology = xml::parse(&text, "cluster.xml").expect("it is a platform").topology;
        let trace = file::load(&path).expect("it is a trace");
        read = start.elapsed().as_secs_f64();
        let hosts = MappingPolicy::RoundRobinNode.hosts(&topology, trace.ranks());
        let speeds = vec![1e9; trace.ranks()];
        let schedule = trace.schedule(&speeds, model.test_time());
        Simulation::new(&topology, &hosts, model)
            .run(&schedule)
            .expect("the trace runs to its end");
        all = start.elapsed().as_secs_f64();
    }
    println!("{read} {} {}", all - read, fresh::own_peak());
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    if let Some(at) = words.iter().position(|word| word == "play") {
        return play(&words[at + 1], Path::new(&words[at + 2]), &words[at + 3]);
    }
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    write(folder.path());
    let path = folder.path().display().to_string();
    println!("65,536 ranks, each line in a process of its own");
    for (network, trace, what) in LINES {
        let mut runs: Vec<[f64; 3]> = Vec::new();
        for _ in 0..3 {
            let told = fresh::again(&["play", network, &path, trace]);
            let numbers: Vec<f64> =
                told.split_whitespace().map(|word| word.parse().expect("a number")).collect();
            runs.push([numbers[0], numbers[1], numbers[2] / 1024.0 / 1024.0]);
        }
        runs.sort_by(|a, b| (a[0] + a[1]).total_cmp(&(b[0] + b[1])));
        let [read, played, memory] = runs[runs.len() / 2];
        let verdict = |met: bool| if met { "ok" } else { "MISSED" };
        println!(
            "{network:<13} {:.2} s ≤ {SECONDS} {:<6} ({read:.2} reading, {played:.2} replaying), \
                {memory:.0} MiB ≤ {MEBIBYTES} {:<6}  {what}",
            read + played,
            verdict(read + played <= SECONDS),
            verdict(memory <= MEBIBYTES),
        );
    }
}
