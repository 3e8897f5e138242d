//! What a reader of the samples needs to know of a local machine.

use super::start::Crew;
use crate::machine::host;
use crate::sample::Provenance;

/// The description of a machine with this crew.
pub(super) fn describe(crew: &Crew, spin: bool) -> Provenance {
    let workers = crew.cores.len();
    let bound = crew.cores.iter().all(Option::is_some);
    let cores = crew.cores.iter().map(|core| core.map_or_else(|| "any".to_owned(), |core| core.to_string()));
    let mut provenance = Provenance::new()
        .with("machine", "local")
        .with("date", host::date())
        .with("hosts", vec![host::name(); workers].join(" "))
        .with("cores", cores.collect::<Vec<_>>().join(" "))
        .with("binding", if bound { "each worker keeps to a core" } else { "none" })
        .with("usable cores", host::usable_cores().len().to_string())
        .with("transport", format!("tcp loopback, nodelay, {}", crew.congestion))
        .with("polling", if spin { "spin" } else { "block" })
        .with("clock", "CLOCK_MONOTONIC; CLOCK_MONOTONIC_RAW for timing global")
        .with("barrier", "dissemination")
        .with("kernel", host::kernel());
    if let Some(model) = host::cpu_model() {
        provenance.set("cpu", model);
    }
    if let Some(governor) = host::governor() {
        provenance.set("governor", governor);
    }
    provenance
}
