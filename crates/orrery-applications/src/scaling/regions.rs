//! All regions of an application at one point: which take most of the time, and which grow.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use super::application::{Application, Region};
use super::forecast::{Forecast, ForecastError};
use super::growth::Growth;
use super::point::Point;

orrery_base::named_enum! {
    /// The order of regions.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum RegionOrder: "order" {
        /// The longest time first.
        Share => "share": "the longest time first",
        /// The largest exponent of the time in all variables together first.
        Growth => "growth": "the time that grows fastest with all variables first",
        /// A region before those that it calls.
        Tree => "tree": "a region before those that it calls",
    }
}

/// The time of a region at a point, beside those of the other regions.
#[derive(Debug, Clone, PartialEq)]
pub struct RegionForecast<'a> {
    /// The region.
    pub region: &'a Region,
    /// Its number of callers among the regions.
    pub depth: usize,
    /// Its time; an error if its model has none at the point.
    pub forecast: Result<Forecast, ForecastError>,
    /// The time relative to the sum over the regions with a time that no other such region calls;
    /// `None` without a time.
    pub share: Option<f64>,
    /// The growth of the time at the point, by the name of each variable that varies in the runs of
    /// some region; empty without a time.
    pub growth: BTreeMap<String, Growth>,
}

impl RegionForecast<'_> {
    /// The exponent of the time if all variables grow by the same factor; `None` without a time.
    pub fn total_growth(&self) -> Option<f64> {
        (!self.growth.is_empty()).then(|| self.growth.values().map(|of| of.exponent).sum())
    }
}

/// What separates the names of a call path.
const SEPARATORS: [&str; 2] = ["->", "/"];

/// The name of the caller of a call path; `None` for the name of a root.
fn caller(name: &str) -> Option<&str> {
    let end = SEPARATORS.iter().filter_map(|separator| name.rfind(separator)).max()?;
    Some(&name[..end])
}

impl Application {
    /// The variables of the terms of some region that a point does not have, each once.
    pub fn lacks(&self, point: &Point) -> BTreeSet<&str> {
        let terms = self.regions.iter().filter_map(|region| region.model.as_terms());
        terms.flat_map(|model| model.lacks(point)).collect()
    }

    /// The time of each region at a point, with its share of the whole time and its growth; `level`
    /// is the probability of the intervals.
    ///
    /// Times of regions that call others include those of the called ones, as in call paths
    /// (`main->solve` is called by `main`), so that shares are relative to the topmost regions. No
    /// region has a share if one of these has no time, or a worthless one.
    pub fn ranked_regions(
        &self,
        point: &Point,
        level: f64,
        order: RegionOrder,
    ) -> Vec<RegionForecast<'_>> {
        let names: BTreeSet<&str> = self.regions.iter().map(|one| one.name.as_str()).collect();
        let depth = |name: &str| {
            let callers = std::iter::successors(caller(name), |name| caller(name));
            callers.filter(|caller| names.contains(caller)).count()
        };
        let varying: BTreeSet<&String> = self.regions.iter().flat_map(Region::varying).collect();
        let row = |region| RegionForecast::of(region, depth(&region.name), &varying, point, level);
        let mut rows: Vec<RegionForecast<'_>> = self.regions.iter().map(row).collect();
        let time = |row: &RegionForecast<'_>| {
            let known = row.forecast.as_ref().ok().filter(|forecast| !forecast.is_worthless());
            known.map(|forecast| forecast.seconds.get())
        };
        let is_topmost = |name: &str| {
            let mut callers = std::iter::successors(caller(name), |name| caller(name));
            !callers.any(|caller| names.contains(caller))
        };
        let topmost = rows.iter().filter(|row| is_topmost(&row.region.name));
        let whole = topmost.map(time).sum::<Option<f64>>().filter(|whole| *whole > 0.0);
        for row in &mut rows {
            row.share = time(row).zip(whole).map(|(seconds, whole)| seconds / whole);
        }
        // Regions that are equal in the order keep that of the model; those without a time come last.
        let descending = |a: Option<f64>, b: Option<f64>| {
            let [a, b] = [a, b].map(|value| value.unwrap_or(f64::NEG_INFINITY));
            b.total_cmp(&a)
        };
        rows.sort_by(|a, b| match order {
            RegionOrder::Share => descending(time(a), time(b)),
            RegionOrder::Growth => descending(a.total_growth(), b.total_growth()),
            RegionOrder::Tree => Ordering::Equal,
        });
        if order == RegionOrder::Tree {
            rows = in_tree_order(rows);
        }
        rows
    }
}

/// Each region before those that it calls, otherwise in the same order.
fn in_tree_order(rows: Vec<RegionForecast<'_>>) -> Vec<RegionForecast<'_>> {
    let place: BTreeMap<String, usize> =
        rows.iter().enumerate().map(|(place, row)| (row.region.name.clone(), place)).collect();
    // The places of all callers from the root to the region: their order is that of the tree.
    let path = |row: &RegionForecast<'_>| {
        let name = row.region.name.as_str();
        let mut path: Vec<usize> = std::iter::successors(Some(name), |name| caller(name))
            .filter_map(|name| place.get(name).copied())
            .collect();
        path.reverse();
        path
    };
    let mut paths: Vec<(Vec<usize>, RegionForecast<'_>)> =
        rows.into_iter().map(|row| (path(&row), row)).collect();
    paths.sort_by(|(a, _), (b, _)| a.cmp(b));
    paths.into_iter().map(|(_, row)| row).collect()
}

impl<'a> RegionForecast<'a> {
    /// The time and the growth of a region, without its share.
    fn of(
        region: &'a Region,
        depth: usize,
        varying: &BTreeSet<&String>,
        point: &Point,
        level: f64,
    ) -> Self {
        let forecast = region.forecast(point, level);
        let mut growth = BTreeMap::new();
        if forecast.is_ok() {
            for name in varying.iter().filter(|name| point.variables.contains_key(**name)) {
                if let Some(of) = region.growth(point, name, level) {
                    growth.insert((*name).clone(), of);
                }
            }
        }
        Self { region, depth, forecast, share: None, growth }
    }
}

impl Region {
    /// The pairs of variables that vary together in all measured runs: each value of one occurs with
    /// a single value of the other, so that the runs do not show which of them changes the time.
    pub fn varying_together(&self) -> Vec<(&str, &str)> {
        let names = self.varying();
        let value = |point: &Point, name: &str| point.variables.get(name).map(|x| x.to_bits());
        let together = |a: &str, b: &str| {
            let (mut of_a, mut of_b) = (BTreeMap::new(), BTreeMap::new());
            self.measured.iter().all(|one| {
                let (x, y) = (value(&one.point, a), value(&one.point, b));
                *of_a.entry(x).or_insert(y) == y && *of_b.entry(y).or_insert(x) == x
            })
        };
        let pairs = names
            .iter()
            .enumerate()
            .flat_map(|(place, a)| names[place + 1..].iter().map(|b| (a.as_str(), b.as_str())));
        pairs.filter(|(a, b)| !self.measured.is_empty() && together(a, b)).collect()
    }

    /// The variables that have several values in the measured runs, or in the ranges of a model
    /// without its runs.
    fn varying(&self) -> Vec<&String> {
        let Some(first) = self.measured.first() else {
            let ranges = self.model.as_terms().into_iter().flat_map(|terms| &terms.ranges);
            return ranges.filter(|(_, (low, high))| low < high).map(|(name, _)| name).collect();
        };
        let differs = |(name, value): &(&String, &f64)| {
            let other = |point: &Point| point.variables.get(*name) != Some(*value);
            self.measured.iter().any(|measured| other(&measured.point))
        };
        first.point.variables.iter().filter(differs).map(|(name, _)| name).collect()
    }
}
