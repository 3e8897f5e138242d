//! Names of numbers of runs that are no variables of them.

/// Words in the names of results of a run, which are no variables.
const RESULTS: [&str; 38] = [
    "time",
    "times",
    "seconds",
    "secs",
    "sec",
    "ms",
    "elapsed",
    "duration",
    "runtime",
    "walltime",
    "wallclock",
    "stddev",
    "stdev",
    "std",
    "variance",
    "residual",
    "speedup",
    "efficiency",
    "throughput",
    "bandwidth",
    "fom",
    "merit",
    "gups",
    "flops",
    "mflops",
    "gflops",
    "tflops",
    "pflops",
    "flop",
    "mflop",
    "gflop",
    "tflop",
    "pflop",
    "ipc",
    "joules",
    "watts",
    // Counts of a trace.
    "calls",
    "sent",
];

/// Names of numbers that identify runs.
const IDENTIFIERS: [&str; 15] = [
    "id",
    "index",
    "idx",
    "job",
    "jobid",
    "runid",
    "pid",
    "seed",
    "rep",
    "repetition",
    "repeat",
    "trial",
    "sample",
    "date",
    "timestamp",
];

/// The lower-case words of a name; a capital after a small letter begins a word.
pub(super) fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut last = ' ';
    for c in name.chars() {
        let begins = !c.is_alphanumeric() || c.is_uppercase() && last.is_lowercase();
        if begins {
            words.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
        last = c;
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Returns true if the name is that of a result of a run, such as a rate or another time.
pub(crate) fn is_result(name: &str) -> bool {
    let is_rate = ["/s", "/sec", "/second"]
        .iter()
        .any(|end| name.to_lowercase().trim_end_matches([')', ']']).ends_with(end));
    is_rate || words(name).iter().any(|word| RESULTS.contains(&word.as_str()))
}

/// Returns true if the name is that of numbers that identify runs.
pub(crate) fn is_identifier(name: &str) -> bool {
    let words = words(name);
    IDENTIFIERS.contains(&words.concat().as_str())
        || words.len() > 1 && words.last().is_some_and(|word| word == "id")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_and_identifiers_are_no_variables() {
        assert!(
            [
                "gflops",
                "GFLOP/s",
                "MB/s",
                "time_std",
                "cpu time",
                "FOM",
                "figure_of_merit",
                "startTime",
                "calls",
                "sent_bytes"
            ]
            .into_iter()
            .all(is_result)
        );
        assert!(["jobid", "job_id", "run-id", "timestamp", "Seed"].into_iter().all(is_identifier));
        for name in ["timesteps", "nodes", "threads", "iterations", "grid", "width", "n"] {
            assert!(!is_result(name) && !is_identifier(name), "{name}");
        }
    }
}
