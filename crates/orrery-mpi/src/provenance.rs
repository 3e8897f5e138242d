//! The description of an MPI machine, and where its ranks run.

use std::collections::BTreeSet;

use orrery::machine::host;
use orrery::sample::Provenance;
use orrery::units::Bytes;
use serde::{Deserialize, Serialize};

use crate::Job;

/// The host and the cores on which a rank runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RankLocation {
    /// The name of the host.
    pub host: String,
    /// The identifier of the boot of its kernel, whose namespaces may be several hosts; `None` if
    /// unknown.
    pub boot: Option<String>,
    /// The cores that the rank may use.
    pub cores: Vec<usize>,
    /// The name of the processor model; `None` if unknown.
    pub cpu: Option<String>,
    /// The memory of the host in bytes; `None` if unknown.
    pub memory: Option<u64>,
}

/// A host of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobHost {
    /// Its name.
    pub name: String,
    /// The first of its ranks.
    pub rank: usize,
    /// The name of its processor model; `None` if unknown.
    pub cpu: Option<String>,
    /// Its memory; `None` if unknown.
    pub memory: Option<Bytes>,
}

/// The hosts of ranks, in the order of their first ranks.
pub(crate) fn hosts(locations: &[RankLocation]) -> Vec<JobHost> {
    let mut hosts: Vec<JobHost> = Vec::new();
    let mut known = BTreeSet::new();
    for (rank, location) in locations.iter().enumerate() {
        if known.insert(&location.host) {
            let RankLocation { host, cpu, memory, .. } = location.clone();
            hosts.push(JobHost { name: host, rank, cpu, memory: memory.map(Bytes::new) });
        }
    }
    hosts
}

impl RankLocation {
    /// The location of this process.
    pub fn of_this_process() -> Self {
        Self {
            host: host::name(),
            boot: host::boot_id(),
            cores: host::usable_cores(),
            cpu: host::cpu_model(),
            memory: host::memory().map(Bytes::get),
        }
    }

    /// Returns true if equal core numbers of both are the same core: they have one kernel, or one
    /// host if a kernel is unknown.
    fn has_cores_of(&self, other: &Self) -> bool {
        match (&self.boot, &other.boot) {
            (Some(boot), Some(other)) => boot == other,
            _ => self.host == other.host,
        }
    }

    /// The cores as ranges, such as `0-3,8`; `any` if unknown.
    pub fn core_ranges(&self) -> String {
        let mut ranges: Vec<(usize, usize)> = Vec::new();
        for &core in &self.cores {
            match ranges.last_mut() {
                Some((_, last)) if *last + 1 == core => *last = core,
                _ => ranges.push((core, core)),
            }
        }
        let word = |(first, last): (usize, usize)| {
            if first == last { first.to_string() } else { format!("{first}-{last}") }
        };
        if ranges.is_empty() {
            "any".into()
        } else {
            ranges.into_iter().map(word).collect::<Vec<_>>().join(",")
        }
    }
}

/// The prefixes of environment variables that configure MPI libraries.
const SETTING_PREFIXES: [&str; 7] =
    ["OMPI_MCA_", "UCX_", "MPIR_", "MPICH_", "FI_", "PSM2_", "I_MPI_"];

/// The prefixes of variables that Open MPI's launcher sets differently in each run.
const RUN_PREFIXES: [&str; 4] =
    ["OMPI_MCA_orte_", "OMPI_MCA_ess", "OMPI_MCA_pmix", "OMPI_MCA_initial_wdir"];

/// The provenance of the machine of a job, on rank 0.
pub(crate) fn describe(job: &Job) -> Provenance {
    let each = |word: &dyn Fn(&RankLocation) -> String| {
        job.locations.iter().map(word).collect::<Vec<_>>().join(" ")
    };
    let mut provenance = Provenance::new()
        .with("machine", "mpi")
        .with("date", host::date())
        .with("hosts", each(&|location| location.host.clone()))
        .with("cores", each(&RankLocation::core_ranges))
        .with("binding", binding(&job.locations))
        .with("library", job.library())
        .with("thread-level", job.thread_level().name())
        .with("clock", "CLOCK_MONOTONIC; CLOCK_MONOTONIC_RAW for timing global")
        .with("barrier", "dissemination")
        .with("kernel", host::kernel());
    if let Some(boots) =
        job.locations.iter().map(|location| location.boot.as_deref()).collect::<Option<Vec<_>>>()
    {
        provenance.set_kernels(boots);
    }
    if let Some(model) = host::cpu_model() {
        provenance.set("cpu", model);
    }
    if let Some(governor) = host::governor() {
        provenance.set("governor", governor);
    }
    let mut settings: Vec<(String, String)> = std::env::vars_os()
        .filter_map(|(key, value)| Some((key.into_string().ok()?, value.into_string().ok()?)))
        .filter(|(key, _)| {
            SETTING_PREFIXES.iter().any(|begin| key.starts_with(begin)) && !key.contains(':')
        })
        .filter(|(key, _)| !RUN_PREFIXES.iter().any(|begin| key.starts_with(begin)))
        .collect();
    settings.sort();
    settings.into_iter().for_each(|(key, value)| provenance.set(key, value));
    provenance
}

/// How ranks are bound to cores, in words.
fn binding(locations: &[RankLocation]) -> &'static str {
    let one_core = locations.iter().all(|location| location.cores.len() == 1);
    let overlap = |a: &RankLocation, b: &RankLocation| {
        a.has_cores_of(b) && a.cores.iter().any(|core| b.cores.contains(core))
    };
    let is_shared =
        |(place, location)| locations[..place].iter().any(|other| overlap(location, other));
    let sharing = locations.iter().enumerate().any(is_shared);
    match (one_core, sharing) {
        (true, false) => "one core for each rank",
        (true, true) => "one core for each rank, some shared",
        (false, false) => "cores of its own for each rank",
        (false, true) => "ranks share cores",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn location(host: &str, cores: &[usize]) -> RankLocation {
        RankLocation {
            host: host.into(),
            boot: None,
            cores: cores.to_vec(),
            cpu: None,
            memory: Some(1 << 30),
        }
    }

    #[test]
    fn hosts_have_their_first_ranks() {
        let found = hosts(&["b", "a", "b", "c", "a"].map(|host| location(host, &[0])));
        let ranks: Vec<(&str, usize)> =
            found.iter().map(|host| (host.name.as_str(), host.rank)).collect();
        assert_eq!(ranks, [("b", 0), ("a", 1), ("c", 3)]);
        assert_eq!(found[0].memory, Some(Bytes::new(1 << 30)));
    }

    #[test]
    fn bindings_are_distinguished() {
        assert_eq!(
            binding(&[location("a", &[0]), location("a", &[1]), location("b", &[0])]),
            "one core for each rank"
        );
        assert_eq!(
            binding(&[location("a", &[0]), location("a", &[0])]),
            "one core for each rank, some shared"
        );
        assert_eq!(
            binding(&[location("a", &[0, 1]), location("a", &[2, 3])]),
            "cores of its own for each rank"
        );
        assert_eq!(binding(&[location("a", &[0, 1]), location("a", &[0, 1])]), "ranks share cores");
        // Namespaces of one kernel have names of their own, virtual machines may have the same
        // name.
        let of_kernel = |boot: &str, location| RankLocation { boot: Some(boot.into()), ..location };
        let [a, b] = ["a", "b"].map(|host| location(host, &[0, 1]));
        assert_eq!(
            binding(&[of_kernel("x", a.clone()), of_kernel("x", b.clone())]),
            "ranks share cores"
        );
        assert_eq!(
            binding(&[of_kernel("x", a.clone()), of_kernel("y", b)]),
            "cores of its own for each rank"
        );
        assert_eq!(
            binding(&[of_kernel("x", a.clone()), of_kernel("y", a)]),
            "cores of its own for each rank"
        );
    }

    #[test]
    fn cores_are_written_as_ranges() {
        let ranges = |cores: &[usize]| location("", cores).core_ranges();
        assert_eq!(ranges(&[]), "any");
        assert_eq!(ranges(&[3]), "3");
        assert_eq!(ranges(&[0, 1, 2, 5, 7, 8]), "0-2,5,7-8");
    }
}
