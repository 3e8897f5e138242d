//! What a reader of the samples needs to know of an MPI machine.

use orrery::machine::host;
use orrery::sample::Provenance;

use crate::Job;
use crate::seat::Seat;

/// Variables that change what the libraries do begin with these.
const SETTINGS: [&str; 7] = ["OMPI_MCA_", "UCX_", "MPIR_", "MPICH_", "FI_", "PSM2_", "I_MPI_"];

/// What Open MPI's launcher tells its processes, different in each run.
const OF_THE_RUN: [&str; 4] = ["OMPI_MCA_orte_", "OMPI_MCA_ess", "OMPI_MCA_pmix", "OMPI_MCA_initial_wdir"];

/// The description of the machine of a job, by rank 0.
pub(crate) fn describe(job: &Job) -> Provenance {
    let each = |word: &dyn Fn(&Seat) -> String| job.seats.iter().map(word).collect::<Vec<_>>().join(" ");
    let mut provenance = Provenance::new()
        .with("machine", "mpi")
        .with("date", host::date())
        .with("hosts", each(&|seat| seat.host.clone()))
        .with("cores", each(&Seat::ranges))
        .with("binding", binding(&job.seats))
        .with("library", job.library())
        .with("clock", "CLOCK_MONOTONIC; CLOCK_MONOTONIC_RAW for timing global")
        .with("barrier", "dissemination")
        .with("kernel", host::kernel());
    if let Some(model) = host::cpu_model() {
        provenance.set("cpu", model);
    }
    if let Some(governor) = host::governor() {
        provenance.set("governor", governor);
    }
    let mut settings: Vec<(String, String)> = std::env::vars_os()
        .filter_map(|(key, value)| Some((key.into_string().ok()?, value.into_string().ok()?)))
        .filter(|(key, _)| SETTINGS.iter().any(|begin| key.starts_with(begin)) && !key.contains(':'))
        .filter(|(key, _)| !OF_THE_RUN.iter().any(|begin| key.starts_with(begin)))
        .collect();
    settings.sort();
    settings.into_iter().for_each(|(key, value)| provenance.set(key, value));
    provenance
}

/// How ranks are bound to cores, in words.
fn binding(seats: &[Seat]) -> &'static str {
    let one_core = seats.iter().all(|seat| seat.cores.len() == 1);
    let shared = |a: &Seat, b: &Seat| a.host == b.host && a.cores.iter().any(|core| b.cores.contains(core));
    let sharing = seats.iter().enumerate().any(|(place, seat)| seats[..place].iter().any(|other| shared(seat, other)));
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

    #[test]
    fn bindings_are_told_apart() {
        let seat = |host: &str, cores: &[usize]| Seat { host: host.into(), cores: cores.to_vec() };
        assert_eq!(binding(&[seat("a", &[0]), seat("a", &[1]), seat("b", &[0])]), "one core for each rank");
        assert_eq!(binding(&[seat("a", &[0]), seat("a", &[0])]), "one core for each rank, some shared");
        assert_eq!(binding(&[seat("a", &[0, 1]), seat("a", &[2, 3])]), "cores of its own for each rank");
        assert_eq!(binding(&[seat("a", &[0, 1]), seat("a", &[0, 1])]), "ranks share cores");
    }
}
