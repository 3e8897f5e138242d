//! Actions per second of replays on clusters with shared links, and SimGrid's replay of the same
//! traces where it is installed (`smpirun`) and WITHOUT_SIMGRID is not set, one run of each in
//! turn; the memory of both in fresh processes; then what each law of sharing takes in place of
//! max-min fairness.

#[path = "support/files.rs"]
mod files;
#[path = "support/fresh.rs"]
mod fresh;
#[path = "../tests/simulation/traces.rs"]
mod traces;
#[path = "support/turns.rs"]
mod turns;

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Instant;

use orrery::sharing::{GigabitEthernet, Infiniband, Myrinet, SharingLaw};
use orrery::simulate::{FlowModel, Simulation, SimulationError};

use files::{Files, Loaded};

/// SimGrid 3.32's seconds on two cores, start included: trace, wall seconds; from testdata/simgrid.
const RECORDED: [(&str, f64, f64); 5] = [
    ("stencil64", 0.312, 10.0),
    ("stencil64_imb", 0.871, 10.0),
    ("ring64", 0.298, 10.0),
    ("stencil1024", 1.620, 10.0),
    ("stencil1024_imb", 17.0, 50.0),
];

impl Files {
    /// Seconds that reading and replaying take, and what is simulated; and of the two the replaying
    /// alone.
    fn replay(&self) -> (f64, f64, f64, u64) {
        let start = Instant::now();
        let Loaded { topology, trace, hosts, speeds } = self.load();
        let read = start.elapsed().as_secs_f64();
        let model = FlowModel::SMPI;
        let schedule = trace.schedule(&speeds, model.test_time());
        let outcome = Simulation::new(&topology, &hosts, model)
            .run(&schedule)
            .expect("the trace runs to its end");
        (start.elapsed().as_secs_f64(), outcome.end.get(), read, trace.actions())
    }

    /// Tells how long replays by each law take, as parts of those with max-min fairness, taken in
    /// turn, files not included.
    fn compare_laws(&self) {
        let loaded = self.load();
        let fair = FlowModel::MAXMIN;
        let laws = [
            SharingLaw::GigabitEthernet(
                GigabitEthernet::new(0.75, 0.115, 0.036).expect("published parameters"),
            ),
            SharingLaw::Infiniband(Infiniband::SIMGRID),
            SharingLaw::Myrinet(Myrinet::default()),
        ];
        for law in laws {
            let model = FlowModel::from_law(law);
            let found = match only_replay(&loaded, &model) {
                Ok((_, rate_updates)) => rate_updates,
                Err(error) => {
                    println!("{:16} {}: {error}", "", law.name());
                    continue;
                }
            };
            let seconds = |model: &FlowModel| {
                only_replay(&loaded, model).expect("the trace runs to its end").0
            };
            let times = turns::in_turn(&[&|| seconds(&fair), &|| seconds(&model)]);
            let of_fair = only_replay(&loaded, &fair).expect("the trace runs to its end").1;
            let [fair, penalised] =
                [&times[0], &times[1]].map(|times| turns::quartiles(times.clone())[1]);
            println!(
                "{:16} {}: {}; {:.1} of {:.1} ms; {:.2} for each time that rates are found, \
                    {found} of {of_fair}",
                "",
                law.name(),
                turns::parts(&times[1], &times[0]),
                penalised * 1e3,
                fair * 1e3,
                penalised / fair / (found as f64 / of_fair as f64),
            );
        }
    }

    /// The most memory of a process that reads and replays, and of SimGrid that does the same, both
    /// in MiB.
    fn compare_memory(&self) {
        let mebibytes = |bytes: f64| bytes / 1024.0 / 1024.0;
        let told =
            fresh::again(&["memory", &self.folder.display().to_string(), &self.ranks.to_string()]);
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
            .args([
                "--cfg=network/model:SMPI",
                "--cfg=smpi/host-speed:1Gf",
                "--log=root.fmt:[%.12r]%m%n",
            ])
            .stdin(Stdio::null());
        command
    }

    /// Seconds that SimGrid takes, and what it simulates; `None` where it is not installed.
    fn simgrid(&self) -> Option<(f64, f64)> {
        let start = Instant::now();
        let output = self.smpirun().output().ok()?;
        let took = start.elapsed().as_secs_f64();
        let said = String::from_utf8_lossy(&output.stderr).into_owned()
            + &String::from_utf8_lossy(&output.stdout);
        let line = said.lines().find(|line| line.contains("Simulation time"))?;
        let end = line.split_once(']')?.0.rsplit_once('[')?.1.trim().parse().ok()?;
        Some((took, end))
    }
}

/// Seconds that replaying alone takes with a model, and how often rates are found anew.
fn only_replay(loaded: &Loaded, model: &FlowModel) -> Result<(f64, u64), SimulationError> {
    let Loaded { topology, trace, hosts, speeds } = loaded;
    let schedule = trace.schedule(speeds, model.test_time());
    let start = Instant::now();
    let outcome = Simulation::new(topology, hosts, model.clone()).run(&schedule)?;
    Ok((start.elapsed().as_secs_f64(), outcome.rate_updates))
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    if let Some(at) = words.iter().position(|word| word == "memory") {
        let files = Files {
            folder: PathBuf::from(&words[at + 1]),
            ranks: words[at + 2].parse().expect("a number"),
        };
        files.replay();
        return println!("{}", fresh::own_peak());
    }
    let only: Vec<String> =
        std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
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
        let (rival, whose) =
            rivals.get(rivals.len() / 2).map_or((recorded, "recorded"), |run| (run.0, "now"));
        let ratio = rival / took;
        let verdict = if ratio >= aim { "ok" } else { "MISSED" };
        println!(
            "{name:<16} {:>6.1} ms [{:.1}, {:.1}], {:.1} of them reading; {:.2} million actions/s; \
                SimGrid {whose} {rival:.2} s, \
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
