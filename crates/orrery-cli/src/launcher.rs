//! Detects whether a launcher has started this process as one of several.

use std::env;

/// The known launchers with the environment variables in which they pass rank and number of
/// processes.
///
/// The first launcher whose variables are all set is taken. Slurm sets `SLURM_PROCID` in batch
/// scripts too, but `SLURM_STEP_ID` only for processes that srun starts.
const LAUNCHERS: [Launcher; 4] = [
    Launcher {
        name: "mpirun of Open MPI",
        rank: "OMPI_COMM_WORLD_RANK",
        size: Some("OMPI_COMM_WORLD_SIZE"),
        also: None,
    },
    Launcher {
        name: "mpirun of MPICH or a derivative",
        rank: "PMI_RANK",
        size: Some("PMI_SIZE"),
        also: None,
    },
    Launcher {
        name: "srun",
        rank: "SLURM_PROCID",
        size: Some("SLURM_NTASKS"),
        also: Some("SLURM_STEP_ID"),
    },
    Launcher {
        name: "a launcher with PMIx",
        rank: "PMIX_RANK",
        size: None,
        also: Some("PMIX_NAMESPACE"),
    },
];

/// A launcher and its environment variables.
struct Launcher {
    name: &'static str,
    /// The variable with the rank.
    rank: &'static str,
    /// The variable with the number of processes.
    size: Option<&'static str>,
    /// A variable that must be set too.
    also: Option<&'static str>,
}

/// The rank and the number of processes that a launcher has passed to this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Launched {
    /// The name of the launcher.
    pub by: &'static str,
    /// The rank of this process.
    pub rank: usize,
    /// The number of processes, if known.
    pub size: Option<usize>,
}

/// The launcher of this process; `None` if it was started alone.
pub fn launched() -> Option<Launched> {
    find(|name| env::var(name).ok()).filter(|launched| launched.size != Some(1))
}

/// The first launcher whose variables `variable` returns, with valid numbers; `None` if there is
/// none.
fn find(variable: impl Fn(&str) -> Option<String>) -> Option<Launched> {
    LAUNCHERS.iter().find_map(|launcher| {
        let number = |name| variable(name).and_then(|value| value.trim().parse().ok());
        let size = match launcher.size {
            Some(name) => Some(number(name)?),
            None => None,
        };
        launcher.also.is_none_or(|also| variable(also).is_some()).then_some(())?;
        Some(Launched { by: launcher.name, rank: number(launcher.rank)?, size })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launched_with(variables: &[(&str, &str)]) -> Option<(usize, Option<usize>)> {
        let value = |name: &str| {
            variables.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
        };
        find(value).map(|launched| (launched.rank, launched.size))
    }

    #[test]
    fn launchers_are_recognised() {
        assert_eq!(launched_with(&[]), None);
        assert_eq!(
            launched_with(&[("OMPI_COMM_WORLD_RANK", "2"), ("OMPI_COMM_WORLD_SIZE", "4")]),
            Some((2, Some(4)))
        );
        assert_eq!(
            launched_with(&[("PMI_RANK", "0"), ("PMI_SIZE", "8"), ("MPI_LOCALNRANKS", "8")]),
            Some((0, Some(8)))
        );
        assert_eq!(launched_with(&[("PMIX_RANK", "1"), ("PMIX_NAMESPACE", "x")]), Some((1, None)));
        let batch_script = [("SLURM_PROCID", "0"), ("SLURM_NTASKS", "4")];
        assert_eq!(launched_with(&batch_script), None);
        assert_eq!(
            launched_with(&[&batch_script[..], &[("SLURM_STEP_ID", "0")]].concat()),
            Some((0, Some(4)))
        );
        assert_eq!(launched_with(&[("PMI_RANK", "x"), ("PMI_SIZE", "8")]), None);
    }
}
