use super::Processor;
use orrery_base::file::Fault;

/// Returns the first `ranks` processors of each host, ascending. `hosts` names the host of each
/// processor.
///
/// Ranks are numbered as the processors are: by blocks if the processors of a host follow each
/// other, in turn over the hosts if the processors are.
///
/// # Errors
///
/// When no rank is wanted, when the host of a processor is unknown, and when a host has fewer
/// processors than ranks.
///
/// ```
/// use orrery_cluster::platform::{Processor, ranks_per_host};
/// let hosts = ["a", "a", "a", "b", "b"];
/// assert_eq!(ranks_per_host(&hosts, 2)?, [0, 1, 3, 4].map(Processor));
/// assert_eq!(ranks_per_host(&["a", "b", "a", "b"], 1)?, [0, 1].map(Processor));
/// let error = ranks_per_host(&hosts, 3).unwrap_err();
/// assert_eq!(error.to_string(), "host b has 2 of the processors, fewer than 3 ranks per host");
/// # Ok::<(), orrery_base::file::Fault>(())
/// ```
pub fn ranks_per_host<S: AsRef<str>>(hosts: &[S], ranks: usize) -> Result<Vec<Processor>, Fault> {
    if ranks == 0 {
        return Err(Fault::new("the number of ranks per host is 0; give 1 or more"));
    }
    if let Some(unknown) = hosts.iter().position(|host| host.as_ref().is_empty()) {
        let processor = Processor(unknown as u32);
        return Err(Fault::new(format!(
            "the host of processor {processor} is not known; without it, give no ranks per host"
        )));
    }
    let mut by_host: Vec<(&str, Processor)> =
        hosts.iter().map(AsRef::as_ref).zip((0..).map(Processor)).collect();
    by_host.sort_unstable();
    let mut chosen = Vec::with_capacity(hosts.len());
    for of_host in by_host.chunk_by(|(one, _), (other, _)| one == other) {
        let (host, processors) = (of_host[0].0, of_host.len());
        if processors < ranks {
            return Err(Fault::new(format!(
                "the number of processors of host {host} is {processors}, below the {ranks} \
                requested ranks per host; request fewer"
            )));
        }
        chosen.extend(of_host[..ranks].iter().map(|(_, processor)| *processor));
    }
    chosen.sort_unstable();
    Ok(chosen)
}
