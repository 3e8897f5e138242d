//! What the values of runs measure.

use std::collections::BTreeSet;

use super::names::words;
use super::record::Run;
use orrery_base::file::Fault;
use orrery_base::names::advice;

/// The label of a run with the name of its metric.
pub(crate) const METRIC: &str = "metric";

/// The name of a time in seconds, which runs without a metric have.
const TIME: &str = "time";

/// Words of the names of metrics that are times.
const TIMES: [&str; 10] = [
    "time",
    "times",
    "runtime",
    "walltime",
    "wallclock",
    "elapsed",
    "duration",
    "makespan",
    "seconds",
    "latency",
];

/// What the values of runs measure: a time in seconds, or any other quantity, such as visits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Metric(String);

impl Default for Metric {
    /// The time.
    fn default() -> Self {
        Self(TIME.to_owned())
    }
}

impl Metric {
    /// The metric with a name, as in a file.
    pub fn named(name: impl Into<String>) -> Self {
        Self(name.into())
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.0
    }

    /// Returns true for a time, whose values are in seconds: its name has a word such as `time` or
    /// `duration`.
    pub fn is_time(&self) -> bool {
        words(&self.0).iter().any(|word| TIMES.contains(&word.as_str()))
    }

    /// The metric of a run; the time of runs without one.
    pub fn of_run(run: &Run) -> Self {
        run.labels.get(METRIC).map_or_else(Self::default, Self::named)
    }

    /// The unit of formulas: `seconds` of a time, otherwise the name.
    pub fn unit(&self) -> &str {
        if self.is_time() { "seconds" } else { &self.0 }
    }

    /// Returns true if the value of a run is of this metric; runs without one have times.
    pub fn is_of(&self, run: &Run) -> bool {
        run.labels.get(METRIC).map_or_else(|| self.is_time(), |name| *name == self.0)
    }

    /// The names of the metrics of runs.
    pub fn names<'a>(runs: impl IntoIterator<Item = &'a Run>) -> BTreeSet<&'a str> {
        runs.into_iter().filter_map(|run| run.labels.get(METRIC)).map(String::as_str).collect()
    }

    /// The metric of runs with a name; without one the only metric, otherwise the only time, or
    /// that which is called `time`.
    ///
    /// # Errors
    ///
    /// If no run has the metric, and without a name if there are several and it is unclear which
    /// is the time.
    pub fn choose<'a>(
        runs: impl IntoIterator<Item = &'a Run> + Clone,
        name: Option<&str>,
    ) -> Result<Self, Fault> {
        let names = Self::names(runs.clone());
        let known = || names.iter().copied().collect::<Vec<_>>().join(", ");
        if let Some(name) = name {
            let metric = Self::named(name);
            return match runs.into_iter().any(|run| metric.is_of(run)) {
                true => Ok(metric),
                false if names.is_empty() => {
                    Err(Fault::new(format!("unknown metric {name:?}; the runs have no metrics")))
                }
                false => {
                    let advice = advice(name, "metrics", &names);
                    Err(Fault::new(format!("unknown metric {name:?}; {advice}")))
                }
            };
        }
        let times = names.iter().copied().filter(|name| Self::named(*name).is_time());
        let (times, all): (Vec<&str>, Vec<&str>) =
            (times.collect(), names.iter().copied().collect());
        match (&times[..], &all[..]) {
            (_, []) => Ok(Self::default()),
            (_, [only]) | ([only], _) => Ok(Self::named(*only)),
            (times, _) if times.contains(&TIME) => Ok(Self::default()),
            _ => Err(Fault::new(format!(
                "it is unclear which of the metrics {} is the time; name one",
                known()
            ))),
        }
    }

    /// The runs of this metric; if there are none, of the time that they have instead.
    pub fn select<'a>(&self, runs: &'a [Run]) -> Vec<&'a Run> {
        let of = |metric: &Self| runs.iter().filter(|run| metric.is_of(run)).collect::<Vec<_>>();
        let own = of(self);
        if !own.is_empty() || !self.is_time() {
            return own;
        }
        Self::choose(runs, None).ok().filter(Self::is_time).map_or(own, |other| of(&other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_are_times_by_their_names() {
        for name in
            ["time", "Elapsed [ms]", "max#inclusive#sum#time.duration", "cpu time", "maxTime"]
        {
            assert!(Metric::named(name).is_time(), "{name}");
        }
        for name in ["visits", "bytes_sent", "PAPI_FP_OPS", "timesteps", "t"] {
            assert!(!Metric::named(name).is_time(), "{name}");
        }
    }

    #[test]
    fn the_time_is_chosen_among_metrics() {
        let run = |metric: &str| {
            let mut run = Run::default();
            if !metric.is_empty() {
                run.labels.insert(METRIC.to_owned(), metric.to_owned());
            }
            run
        };
        let chosen = |names: &[&str], name: Option<&str>| {
            let runs: Vec<Run> = names.iter().map(|name| run(name)).collect();
            Metric::choose(&runs, name).map(|metric| metric.0).map_err(|fault| fault.to_string())
        };
        for (names, expected) in [
            (&[""][..], "time"),
            (&["visits"], "visits"),
            (&["visits", "time"], "time"),
            (&["visits", "wall time"], "wall time"),
            (&["cpu time", "time", "visits"], "time"),
        ] {
            assert_eq!(chosen(names, None).as_deref(), Ok(expected), "{names:?}");
        }
        let unclear = chosen(&["cpu time", "wall time"], None).unwrap_err();
        assert!(unclear.contains("cpu time, wall time"), "{unclear}");
        assert!(chosen(&["flops", "bytes"], None).is_err());
        assert_eq!(chosen(&["flops", "bytes"], Some("bytes")).as_deref(), Ok("bytes"));
        assert!(chosen(&["flops", "bytes"], Some("visits")).unwrap_err().contains("bytes, flops"));
    }
}
