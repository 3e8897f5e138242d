//! Actions per second of replays on clusters with shared links, and SimGrid's replay of the same traces where it is
//! installed (`smpirun`) and WITHOUT_SIMGRID is not set, one run of each in turn; the memory of both in fresh processes;
//! then what each law of sharing takes in place of max-min fairness.

#[path = "support/fresh.rs"]
mod fresh;
#[path = "../tests/simgrid/traces.rs"]
mod traces;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use orrery::platform::{Seating, Topology, xml};
use orrery::sharing::{Gige, Infiniband, Law, Myrinet};
use orrery::simulate::{FlowModel, Simulation, SimulationError};
use orrery::trace::file;

/// SimGrid 3.32's seconds on two cores, start included: trace, wall seconds; from testdata/simgrid.
const RECORDED: [(&str, f64, f64); 5] = [
    ("stencil64", 0.312, 10.0),
    ("stencil64_imb", 0.871, 10.0),
    ("ring64", 0.298, 10.0),
    ("stencil1024", 1.620, 10.0),
    ("stencil1024_imb", 17.0, 50.0),
];

/// The files of a trace in a folder: the index that both simulators read.
struct Files {
    folder: PathBuf,
    ranks: usize,
}

impl Files {
    fn write(folder: &Path, name: &str) -> Self {
        let folder = folder.join(name);
        std::fs::create_dir(&folder).expect("a folder can be made");
        let traces = traces::named(name);
        let path = |rank: usize| folder.join(format!("rank-{rank}.txt"));
        let lines =
            |name: &dyn Fn(usize) -> String| (0..traces.len()).map(|rank| name(rank) + "\n").collect::<String>();
        let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).expect("a file can be written");
        write("index", &lines(&|rank| path(rank).display().to_string()));
        write("hosts", &lines(&|rank| format!("node-{rank}")));
        write("cluster.xml", &traces::cluster(traces.len()));
        for (rank, text) in traces.iter().enumerate() {
            std::fs::write(path(rank), text).expect("a file can be written");
        }
        Self { ranks: traces.len(), folder }
    }

    /// Seconds that reading and replaying take, and what is simulated; and of the two the replaying alone.
    fn replay(&self) -> (f64, f64, f64, u64) {
        let start = Instant::now();
        let text = std::fs::read_to_string(self.folder.join("cluster.xml")).expect("it was written");
        let topology: Topology = xml::parse(&text, "cluster.xml").expect("it is a platform");
        let trace = file::load(&self.folder.join("index")).expect("it is a trace");
        let read = start.elapsed().as_secs_f64();
        let hosts = Seating::RoundRobinNode.hosts(&topology, trace.ranks());
        let speeds = vec![1e9; trace.ranks()];
        let model = FlowModel::SMPI;
        let schedule = trace.schedule(&speeds, model.test_time());
        let outcome = Simulation::new(&topology, &hosts, model).run(&schedule).expect("the trace runs to its end");
        (start.elapsed().as_secs_f64(), outcome.end.get(), read, trace.actions())
    }

    /// Seconds that replaying alone takes with a model, and how often rates are found anew.
    fn only_replay(&self, model: &FlowModel) -> Result<(f64, u64), SimulationError> {
        let text = std::fs::read_to_string(self.folder.join("cluster.xml")).expect("it was written");
        let topology: Topology = xml::parse(&text, "cluster.xml").expect("it is a platform");
        let trace = file::load(&self.folder.join("index")).expect("it is a trace");
        let hosts = Seating::RoundRobinNode.hosts(&topology, trace.ranks());
        let speeds = vec![1e9; trace.ranks()];
        let schedule = trace.schedule(&speeds, model.test_time());
        let start = Instant::now();
        let outcome = Simulation::new(&topology, &hosts, model.clone()).run(&schedule)?;
        Ok((start.elapsed().as_secs_f64(), outcome.settlings))
    }

    /// Tells how long replays by each law take, as multiples of those with max-min fairness, taken in turn.
    fn compare_laws(&self) {
        let laws = [
            Law::Gige(Gige::new(0.75, 0.115, 0.036).expect("published parameters")),
            Law::Infiniband(Infiniband::SIMGRID),
            Law::Myrinet(Myrinet::default()),
        ];
        for law in laws {
            let (mut fair, mut penalised) = (Vec::new(), Vec::new());
            for _ in 0..5 {
                fair.push(self.only_replay(&FlowModel::MAXMIN).expect("the trace runs to its end"));
                match self.only_replay(&FlowModel::of(law)) {
                    Ok(took) => penalised.push(took),
                    Err(error) => return println!("{:16} {}: {error}", "", law.word()),
                }
            }
            let middle = |times: &mut Vec<(f64, u64)>| {
                times.sort_by(|a, b| a.0.total_cmp(&b.0));
                times[times.len() / 2]
            };
            let (fair, penalised) = (middle(&mut fair), middle(&mut penalised));
            println!(
                "{:16} {}: penalised/maxmin {:.2}, {:.1} of {:.1} ms; {:.2} for each time that rates are found, {} of {}",
                "",
                law.word(),
                penalised.0 / fair.0,
                penalised.0 * 1e3,
                fair.0 * 1e3,
                penalised.0 / fair.0 / (penalised.1 as f64 / fair.1 as f64),
                penalised.1,
                fair.1
            );
        }
    }

    /// The most memory of a process that reads and replays, and of SimGrid that does the same, both in MiB.
    fn compare_memory(&self) {
        let mebibytes = |bytes: f64| bytes / 1024.0 / 1024.0;
        let told = fresh::again(&["memory", &self.folder.display().to_string(), &self.ranks.to_string()]);
        let own = mebibytes(told.trim().parse().expect("a number"));
        let Some(rival) = fresh::peak_of(&mut self.smpirun()).map(mebibytes) else { return };
        let verdict = if own <= rival { "ok" } else { "MISSED" };
        println!("{:16} {own:.1} MiB, SimGrid {rival:.1} MiB  {verdict}", "");
    }

    fn smpirun(&self) -> Command {
        let path = |name: &str| self.folder.join(name);
        let mut command = Command::new("smpirun");
        command
            .args(["-np", &self.ranks.to_string(), "-no-privatize", "-platform"])
            .arg(path("cluster.xml"))
            .arg("-hostfile")
            .arg(path("hosts"))
            .arg("-replay")
            .arg(path("index"))
            .args(["--cfg=network/model:SMPI", "--cfg=smpi/host-speed:1Gf", "--log=root.fmt:[%.12r]%m%n"])
            .stdin(Stdio::null());
        command
    }

    /// Seconds that SimGrid takes, and what it simulates; `None` where it is not installed.
    fn simgrid(&self) -> Option<(f64, f64)> {
        let start = Instant::now();
        let output = self.smpirun().output().ok()?;
        let took = start.elapsed().as_secs_f64();
        let said = String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
        let line = said.lines().find(|line| line.contains("Simulation time"))?;
        let end = line.split_once(']')?.0.rsplit_once('[')?.1.trim().parse().ok()?;
        Some((took, end))
    }
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    if let Some(at) = words.iter().position(|word| word == "memory") {
        let files = Files { folder: PathBuf::from(&words[at + 1]), ranks: words[at + 2].parse().expect("a number") };
        files.replay();
        return println!("{}", fresh::own_peak());
    }
    let only: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let without = std::env::var_os("WITHOUT_SIMGRID").is_some();
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    println!("replay of traces, files read included; SimGrid beside it where smpirun is installed");
    for (name, recorded, aim) in RECORDED {
        if !only.is_empty() && !only.iter().any(|word| word == name) {
            continue;
        }
        let files = Files::write(folder.path(), name);
        // Where SimGrid takes long, once has to do.
        let rounds = if recorded < 5.0 { 5 } else { 1 };
        let (mut runs, mut rivals) = (Vec::new(), Vec::new());
        for _ in 0..rounds {
            rivals.extend(if without { None } else { files.simgrid() });
            runs.extend((0..3).map(|_| files.replay()));
        }
        runs.sort_by(|a, b| a.0.total_cmp(&b.0));
        rivals.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (took, end, read, actions) = runs[runs.len() / 2];
        let (rival, whose) = rivals.get(rivals.len() / 2).map_or((recorded, "recorded"), |run| (run.0, "now"));
        let ratio = rival / took;
        let verdict = if ratio >= aim { "ok" } else { "MISSED" };
        println!(
            "{name:<16} {:>6.1} ms [{:.1}, {:.1}], {:.1} of them reading; {:.2} million actions/s; SimGrid {whose} {rival:.2} s, \
             {ratio:.0} times this (aim {aim})  {verdict}",
            took * 1e3,
            runs[0].0 * 1e3,
            runs[runs.len() - 1].0 * 1e3,
            read * 1e3,
            actions as f64 / took / 1e6,
        );
        if !without {
            files.compare_memory();
        }
        files.compare_laws();
        if let Some((_, simulated)) = rivals.first() {
            println!(
                "{:16} {end:.12} s simulated, SimGrid {simulated:.12} s: {:+.1e}",
                "",
                (end - simulated) / simulated
            );
        }
    }
}
