use std::process::ExitCode;

use orrery_mpi::Job;

use super::Part;
use crate::context::{Context, Usage};
use crate::launcher::Launched;

/// Joins the MPI job: rank 0 leads it, the others serve until it has ended.
pub fn join(context: Context, launched: Option<Launched>) -> anyhow::Result<Part> {
    // The job lasts as long as the process.
    let job: &'static Job = Box::leak(Box::new(Job::join()?));
    if let Some(Launched { by, rank, size: Some(size) }) = launched
        && size != job.size()
    {
        job.end()?;
        if rank != 0 {
            return Ok(Part::Nothing(ExitCode::SUCCESS));
        }
        let (library, ranks) = (job.library(), job.size());
        anyhow::bail!(
            "{by} has started {size} processes, but the MPI library of this orrery knows of {ranks} ({library}); \
             start it with the mpirun of that library, or build it with that of the launcher: \
             MPICC=… cargo build --release --features mpi"
        );
    }
    if job.rank() != 0 {
        job.serve()?;
        job.end()?;
        return Ok(Part::Nothing(ExitCode::SUCCESS));
    }
    if job.size() < 2 {
        job.end()?;
        let reason = "the MPI machine needs two ranks at least: mpirun -n 4 orrery measure …";
        return Err(Usage(reason.into()).into());
    }
    Ok(Part::Command(Context { job: Some(job), ..context }))
}
