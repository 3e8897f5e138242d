//! Input files of HPL, Open MPI, MPICH and Slurm for a chosen configuration.

use std::path::Path;

use anyhow::Context as _;
use orrery::platform::Cluster;
use orrery::scaling::{Layout, RankedConfiguration};
use orrery::tuning::{Assignment, hpl, launchers};

/// The time limit of a Slurm job, relative to the upper end of its interval.
const TIME_LIMIT_FACTOR: f64 = 1.5;

/// The block size of HPL if the model has none.
const DEFAULT_BLOCK_SIZE: u32 = 192;

/// Writes the files of a choice to a folder and returns their paths; `bytes` is the memory of a process in a layout.
pub fn write(
    folder: &Path,
    cluster: &Cluster,
    choice: &RankedConfiguration,
    size: Option<f64>,
    bytes: &dyn Fn(Layout) -> Option<f64>,
    command: &str,
) -> anyhow::Result<Vec<String>> {
    let candidate = &choice.candidate;
    let layout = candidate.layout;
    let assignment = Assignment::new(cluster, &candidate.configuration, layout.processes, bytes(layout))?;
    let problem = size.map(|n| format!("n = {n}: ")).unwrap_or_default();
    let time = match choice.forecast.interval {
        Some((low, high)) => format!("{}, interval {low} to {high}", candidate.time),
        None => candidate.time.to_string(),
    };
    let why = format!("orrery chose {problem}{} in {time}", candidate.configuration);
    let limit = choice.forecast.interval.map_or(candidate.time, |(_, high)| high).get() * TIME_LIMIT_FACTOR;
    let job = launchers::BatchJob { command: command.to_owned(), limit: Some(orrery::units::Seconds::new(limit)) };
    let mut files = vec![
        ("hostfile", launchers::openmpi_hostfile(&assignment, &why)),
        ("rankfile", launchers::openmpi_rankfile(&assignment, &why)),
        ("machinefile", launchers::mpich_machinefile(&assignment, &why)),
        ("job.sbatch", launchers::slurm_script(&assignment, &job, &why)?),
    ];
    if let Some(order) = size.filter(|n| n.fract().abs() < f64::EPSILON && *n >= 1.0) {
        let input = hpl::Input {
            order: order as u64,
            block: layout.block.unwrap_or(DEFAULT_BLOCK_SIZE),
            grid: layout.grid.unwrap_or((1, layout.processes)),
            mapping: hpl::ProcessMapping::RowMajor,
        };
        files.push(("HPL.dat", input.text(assignment.processes(), &why)?));
    }
    std::fs::create_dir_all(folder).with_context(|| format!("cannot create the folder {}", folder.display()))?;
    for (name, text) in &files {
        let path = folder.join(name);
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(files.iter().map(|(name, _)| folder.join(name).display().to_string()).collect())
}
