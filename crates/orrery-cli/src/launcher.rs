//! Whether this process was started as one of many, and by whom.

use std::env;

/// The launchers that are known, each with the variables in which it tells a process its rank and how many there are.
///
/// The first whose variables are all there counts; where no variable is named for the number, it is not told. Slurm sets
/// `SLURM_PROCID` in batch scripts too, but the number of the step only for what srun starts.
const LAUNCHERS: [Launcher; 4] = [
    Launcher {
        name: "mpirun of Open MPI",
        rank: "OMPI_COMM_WORLD_RANK",
        size: Some("OMPI_COMM_WORLD_SIZE"),
        also: None,
    },
    Launcher { name: "mpirun of MPICH or a relative of it", rank: "PMI_RANK", size: Some("PMI_SIZE"), also: None },
    Launcher { name: "srun", rank: "SLURM_PROCID", size: Some("SLURM_NTASKS"), also: Some("SLURM_STEP_ID") },
    Launcher { name: "a launcher that speaks PMIx", rank: "PMIX_RANK", size: None, also: Some("PMIX_NAMESPACE") },
];

struct Launcher {
    name: &'static str,
    rank: &'static str,
    size: Option<&'static str>,
    also: Option<&'static str>,
}

/// This process, as its launcher sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Launched {
    /// Who started it.
    pub by: &'static str,
    /// Its number.
    pub rank: usize,
    /// How many there are, where that is told.
    pub size: Option<usize>,
}

/// Who has started this process, when it was started as one of several.
pub fn launched() -> Option<Launched> {
    find(|name| env::var(name).ok()).filter(|launched| launched.size != Some(1))
}

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

    fn told(variables: &[(&str, &str)]) -> Option<(usize, Option<usize>)> {
        let value = |name: &str| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
        find(value).map(|launched| (launched.rank, launched.size))
    }

    #[test]
    fn launchers_are_recognised() {
        assert_eq!(told(&[]), None);
        assert_eq!(told(&[("OMPI_COMM_WORLD_RANK", "2"), ("OMPI_COMM_WORLD_SIZE", "4")]), Some((2, Some(4))));
        assert_eq!(told(&[("PMI_RANK", "0"), ("PMI_SIZE", "8"), ("MPI_LOCALNRANKS", "8")]), Some((0, Some(8))));
        assert_eq!(told(&[("PMIX_RANK", "1"), ("PMIX_NAMESPACE", "x")]), Some((1, None)));
        let batch_script = [("SLURM_PROCID", "0"), ("SLURM_NTASKS", "4")];
        assert_eq!(told(&batch_script), None);
        assert_eq!(told(&[&batch_script[..], &[("SLURM_STEP_ID", "0")]].concat()), Some((0, Some(4))));
        assert_eq!(told(&[("PMI_RANK", "x"), ("PMI_SIZE", "8")]), None);
    }
}
