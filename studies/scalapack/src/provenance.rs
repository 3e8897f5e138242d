//! The origin of readings.

use std::env;

use orrery::machine::host;
use orrery::sample::Provenance;

use crate::calls;

/// The prefixes of environment variables that change times.
const SETTINGS: [&str; 7] = ["OMPI_MCA_", "UCX_", "MPIR_", "MPICH_", "OPENBLAS_", "OMP_", "BLIS_"];

/// The prefixes of variables that Open MPI's launcher sets differently in each run.
const RUN_SETTINGS: [&str; 4] =
    ["OMPI_MCA_orte_", "OMPI_MCA_ess", "OMPI_MCA_pmix", "OMPI_MCA_initial_wdir"];

/// The provenance of a job with the hosts of its ranks, on rank 0.
pub(crate) fn describe(mpi: &str, hosts: &[String], command: &str) -> Provenance {
    let (blas, core) = calls::openblas().unwrap_or_else(|| ("unknown".into(), "unknown".into()));
    let mut provenance = Provenance::new()
        .with("orrery", env!("CARGO_PKG_VERSION"))
        .with("command", command)
        .with("machine", "mpi")
        .with("date", host::date())
        .with("hosts", hosts.join(" "))
        .with("library", mpi)
        .with("scalapack", env!("SCALAPACK_VERSION"))
        .with("blas", blas)
        .with("blas core", core)
        .with("timing", "maximum over the ranks")
        .with("kernel", host::kernel());
    if let Some(model) = host::cpu_model() {
        provenance.set("cpu", model);
    }
    if let Some(governor) = host::governor() {
        provenance.set("governor", governor);
    }
    let mut settings: Vec<(String, String)> = env::vars_os()
        .filter_map(|(key, value)| Some((key.into_string().ok()?, value.into_string().ok()?)))
        .filter(|(key, _)| {
            SETTINGS.iter().any(|begin| key.starts_with(begin)) && !key.contains(':')
        })
        .filter(|(key, _)| !RUN_SETTINGS.iter().any(|begin| key.starts_with(begin)))
        .collect();
    settings.sort();
    settings.into_iter().for_each(|(key, value)| provenance.set(key, value));
    provenance
}
