//! What the names of columns say about their content.

use super::super::mapping::Unit;

/// Names of the time of a run, without blanks and units.
const TIMES: [&str; 15] = [
    "time",
    "times",
    "runtime",
    "walltime",
    "wallclock",
    "wallclocktime",
    "elapsed",
    "elapsedtime",
    "realtime",
    "duration",
    "exectime",
    "executiontime",
    "totaltime",
    "timetosolution",
    "makespan",
];

/// Words in the names of results of a run, which are no variables.
const RESULTS: [&str; 36] = [
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
fn words(name: &str) -> Vec<String> {
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

/// The unit with an abbreviation or a name.
fn unit(word: &str) -> Option<Unit> {
    Some(match word {
        "s" | "sec" | "secs" | "second" | "seconds" => Unit::Seconds,
        "ms" | "msec" | "msecs" | "millisecond" | "milliseconds" => Unit::Milliseconds,
        "us" | "µs" | "μs" | "usec" | "usecs" | "microsecond" | "microseconds" => Unit::Microseconds,
        "ns" | "nsec" | "nsecs" | "nanosecond" | "nanoseconds" => Unit::Nanoseconds,
        "mins" | "minute" | "minutes" => Unit::Minutes,
        "h" | "hr" | "hrs" | "hour" | "hours" => Unit::Hours,
        _ => return None,
    })
}

/// The unit of a column whose name is that of a time, such as `time`, `Elapsed (ms)` or `wall_time_s`; seconds if it
/// names none.
pub(in super::super) fn time_unit(name: &str) -> Option<Unit> {
    let mut words = words(name);
    words.retain(|word| word != "in");
    let last = words.last().and_then(|word| unit(word));
    if last.is_some() {
        let unit = words.pop();
        if words.is_empty() {
            return last.filter(|_| unit.is_some_and(|unit| unit.len() > 1));
        }
    }
    TIMES.contains(&words.concat().as_str()).then_some(last.unwrap_or(Unit::Seconds))
}

/// Returns true if the name is that of a result of a run, such as a rate or another time.
pub(crate) fn is_result(name: &str) -> bool {
    let is_rate =
        ["/s", "/sec", "/second"].iter().any(|end| name.to_lowercase().trim_end_matches([')', ']']).ends_with(end));
    is_rate || words(name).iter().any(|word| RESULTS.contains(&word.as_str()))
}

/// Returns true if the name is that of numbers that identify runs.
pub(crate) fn is_identifier(name: &str) -> bool {
    let words = words(name);
    IDENTIFIERS.contains(&words.concat().as_str()) || words.len() > 1 && words.last().is_some_and(|word| word == "id")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_recognised_with_their_units() {
        for (name, expected) in [
            ("time", Unit::Seconds),
            ("Time [s]", Unit::Seconds),
            ("WallTime", Unit::Seconds),
            ("elapsed_ms", Unit::Milliseconds),
            ("Runtime (µs)", Unit::Microseconds),
            ("wall-clock time in seconds", Unit::Seconds),
            ("duration_ns", Unit::Nanoseconds),
            ("ms", Unit::Milliseconds),
        ] {
            assert_eq!(time_unit(name), Some(expected), "{name}");
        }
        for name in ["t", "s", "h", "time_std", "start_time", "timestep", "cpu time", "min", "n", ""] {
            assert_eq!(time_unit(name), None, "{name}");
        }
    }

    #[test]
    fn results_and_identifiers_are_no_variables() {
        assert!(
            ["gflops", "GFLOP/s", "MB/s", "time_std", "cpu time", "FOM", "figure_of_merit", "startTime"]
                .into_iter()
                .all(is_result)
        );
        assert!(["jobid", "job_id", "run-id", "timestamp", "Seed"].into_iter().all(is_identifier));
        for name in ["timesteps", "nodes", "threads", "iterations", "grid", "width", "n"] {
            assert!(!is_result(name) && !is_identifier(name), "{name}");
        }
    }
}
