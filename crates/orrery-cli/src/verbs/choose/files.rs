//! What runs the chosen configuration: files that HPL, Open MPI, MPICH and Slurm read.

use std::path::Path;

use anyhow::Context as _;
use orrery::platform::Cluster;
use orrery::scaling::{Layout, RankedConfiguration};
use orrery::tuning::{Assignment, hpl, launchers};

/// A job may take so many times the end of its interval before Slurm ends it.
const PATIENCE: f64 = 1.5;

/// The block size of HPL where the model knows none.
const BLOCK: u32 = 192;

/// Writes the files of a choice to a folder and gives their names. `bytes` is what a process needs in a layout.
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
        Some((low, high)) => format!("{}, from {low} to {high}", candidate.time),
        None => candidate.time.to_string(),
    };
    let why = format!("orrery chose {problem}{} in {time}", candidate.configuration);
    let limit = choice.forecast.interval.map_or(candidate.time, |(_, high)| high).get() * PATIENCE;
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
            block: layout.block.unwrap_or(BLOCK),
            grid: layout.grid.unwrap_or((1, layout.processes)),
            mapping: hpl::ProcessMapping::RowMajor,
        };
        files.push(("HPL.dat", input.text(assignment.processes(), &why)?));
    }
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    for (name, text) in &files {
        let path = folder.join(name);
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(files.iter().map(|(name, _)| folder.join(name).display().to_string()).collect())
}
