//! What the names of columns say about their content.

use super::super::mapping::Unit;
use crate::run::names::words;

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

/// The unit with an abbreviation or a name; `None` for any other word.
fn unit(word: &str) -> Option<Unit> {
    Some(match word {
        "s" | "sec" | "secs" | "second" | "seconds" => Unit::Seconds,
        "ms" | "msec" | "msecs" | "millisecond" | "milliseconds" => Unit::Milliseconds,
        "us" | "µs" | "μs" | "usec" | "usecs" | "microsecond" | "microseconds" => {
            Unit::Microseconds
        }
        "ns" | "nsec" | "nsecs" | "nanosecond" | "nanoseconds" => Unit::Nanoseconds,
        "mins" | "minute" | "minutes" => Unit::Minutes,
        "h" | "hr" | "hrs" | "hour" | "hours" => Unit::Hours,
        _ => return None,
    })
}

/// The unit of a column whose name is that of a time, such as `time`, `Elapsed (ms)` or
/// `wall_time_s`; seconds if it names none.
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
        for name in
            ["t", "s", "h", "time_std", "start_time", "timestep", "cpu time", "min", "n", ""]
        {
            assert_eq!(time_unit(name), None, "{name}");
        }
    }
}
