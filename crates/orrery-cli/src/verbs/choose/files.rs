//! Input files of HPL, Open MPI, MPICH and Slurm for a chosen configuration.

use std::path::Path;

use anyhow::Context as _;
use orrery::platform::Cluster;
use orrery::run::hpl::HplVariant;
use orrery::scaling::{Layout, RankedConfiguration};
use orrery::tuning::{Assignment, hpl, launchers};

use crate::verbs::output_file;

/// The time limit of a Slurm job, relative to the upper end of its interval.
const TIME_LIMIT_FACTOR: f64 = 1.5;

/// The block size of HPL if the model has none.
const DEFAULT_BLOCK_SIZE: u32 = 192;

/// The name and the text of an input file.
pub type InputFile = (&'static str, String);

/// The input files of a choice; `bytes` is the memory of a process in a layout.
pub fn files(
    cluster: &Cluster,
    choice: &RankedConfiguration,
    size: Option<f64>,
    bytes: &dyn Fn(Layout) -> Option<f64>,
    command: &str,
) -> anyhow::Result<Vec<InputFile>> {
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
            variant: HplVariant::DISTRIBUTED,
        };
        files.push(("HPL.dat", input.text(assignment.processes(), &why)?));
    }
    Ok(files)
}

/// Writes input files to a folder and returns their paths; existing files are an error without `force`.
pub fn write(folder: &Path, files: &[InputFile], force: bool) -> anyhow::Result<Vec<String>> {
    files.iter().try_for_each(|(name, _)| output_file::refuse_existing(&folder.join(name), force))?;
    std::fs::create_dir_all(folder).with_context(|| format!("cannot create the folder {}", folder.display()))?;
    for (name, text) in files {
        let path = folder.join(name);
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(files.iter().map(|(name, _)| folder.join(name).display().to_string()).collect())
}
