//! Traces as files in a folder, as simulators read them.

use std::path::{Path, PathBuf};

use orrery::platform::{HostId, MappingPolicy, Topology, xml};
use orrery::trace::actions::Trace;
use orrery::trace::file;

use crate::traces;

/// The files of a trace: `index`, which names one for each rank, `hosts`, and `cluster.xml`.
pub struct Files {
    pub folder: PathBuf,
    pub ranks: usize,
}

/// What the files hold, where the ranks stand, and how fast they compute, in flop/s.
pub struct Loaded {
    pub topology: Topology,
    pub trace: Trace,
    pub hosts: Vec<HostId>,
    pub speeds: Vec<f64>,
}

impl Files {
    pub fn write(folder: &Path, name: &str) -> Self {
        let folder = folder.join(name);
        std::fs::create_dir(&folder).expect("a folder can be made");
        let traces = traces::named(name);
        let path = |rank: usize| folder.join(format!("rank-{rank}.txt"));
        let lines = |name: &dyn Fn(usize) -> String| {
            (0..traces.len()).map(|rank| name(rank) + "\n").collect::<String>()
        };
        let write = |name: &str, text: &str| {
            std::fs::write(folder.join(name), text).expect("a file can be written");
        };
        write("index", &lines(&|rank| path(rank).display().to_string()));
        write("hosts", &lines(&|rank| format!("node-{rank}")));
        write("cluster.xml", &traces::cluster(traces.len()));
        for (rank, text) in traces.iter().enumerate() {
            std::fs::write(path(rank), text).expect("a file can be written");
        }
        Self { ranks: traces.len(), folder }
    }

    pub fn load(&self) -> Loaded {
        let text =
            std::fs::read_to_string(self.folder.join("cluster.xml")).expect("it was written");
        let topology = xml::parse(&text, "cluster.xml").expect("it is a platform").topology;
        let trace = file::load(&self.folder.join("index")).expect("it is a trace");
        let hosts = MappingPolicy::RoundRobinNode.hosts(&topology, trace.ranks());
        Loaded { speeds: vec![1e9; trace.ranks()], topology, trace, hosts }
    }
}
