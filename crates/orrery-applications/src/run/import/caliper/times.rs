//! The times of a profile: values of a metric by region, process and thread.

use std::collections::BTreeMap;

use super::context::Context;
use super::error;
use super::metric::Metric;
use super::record::records;
use orrery_base::file::{Fault, Result};

/// The values of a metric by path and location.
pub(super) struct Times {
    /// The sums of the values of a path at a location, by path, then by location.
    sums: BTreeMap<(usize, usize), f64>,
    /// The byte of the first snapshot of each path.
    pub(super) first: Vec<usize>,
}

impl Times {
    /// Reads the snapshots with the metric; each process and thread is a location. Values of
    /// `budget` bytes at most are kept.
    pub(super) fn read(
        text: &str,
        context: &Context,
        metric: &Metric,
        budget: usize,
    ) -> Result<Self> {
        const BYTES: usize = 64;
        let mut locations: BTreeMap<Vec<(u64, String)>, usize> = BTreeMap::new();
        let mut times = Self { sums: BTreeMap::new(), first: vec![0; context.paths()] };
        for record in records(text) {
            let (byte, record) = record?;
            if record.kind() != "ctx" {
                continue;
            }
            let mut found = None;
            let mut location = Vec::new();
            for (id, value) in record.attributes().map_err(|fault| fault.at(byte))? {
                let name = context.attribute(id).map_err(|fault| fault.at(byte))?.name.as_str();
                if name == metric.name && found.is_none() {
                    let time =
                        value.parse().ok().filter(|time: &f64| time.is_finite() && *time >= 0.0);
                    let fault = || {
                        Fault::new(format!(
                            "{metric} is {value:?}, which is below 0 or no number; \
                        measure again",
                            metric = metric.name
                        ))
                    };
                    found = Some(time.ok_or_else(|| fault().at(byte))?);
                } else if name == "mpi.rank" || name.ends_with("thread.id") {
                    location.push((id, value.to_owned()));
                }
            }
            let path = record
                .ids("ref")
                .and_then(|ids| context.path(&ids))
                .map_err(|fault| fault.at(byte))?;
            let Some(time) = found.filter(|_| path > 0) else { continue };
            let next = locations.len();
            let location = *locations.entry(location).or_insert(next);
            times.first[path] = if times.first[path] == 0 { byte } else { times.first[path] };
            times.add((path, location), time, budget / BYTES)?;
        }
        if !metric.is_inclusive {
            // Paths are after those around them.
            for path in (1..context.paths()).rev() {
                let Some(parent) = context.parent(path) else { continue };
                let own: Vec<_> = times
                    .sums
                    .range((path, 0)..(path + 1, 0))
                    .map(|((_, l), time)| (*l, *time))
                    .collect();
                for (location, time) in own {
                    times.add((parent, location), time, budget / BYTES)?;
                }
                if times.first[parent] == 0 {
                    times.first[parent] = times.first[path];
                }
            }
        }
        Ok(times)
    }

    /// Adds a value; there may be `most` sums.
    fn add(&mut self, place: (usize, usize), time: f64, most: usize) -> Result<()> {
        *self.sums.entry(place).or_default() += time;
        let limit = most.saturating_mul(64);
        if self.sums.len() > most { Err(error::too_long(limit).at(0)) } else { Ok(()) }
    }

    /// The maximum of each path over the locations; `None` for a path without values.
    pub(super) fn maxima(&self, context: &Context) -> Vec<Option<f64>> {
        let mut maxima: Vec<Option<f64>> = vec![None; context.paths()];
        for ((path, _), time) in &self.sums {
            maxima[*path] = Some(maxima[*path].map_or(*time, |most| most.max(*time)));
        }
        maxima
    }
}
