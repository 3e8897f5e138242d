use std::collections::BTreeSet;

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use super::{Layout, Lmo};
use crate::comm::{FitError, Observation, Observations};
use orrery_base::numeric::normal_quantile;
use orrery_base::units::Bytes;
use orrery_cluster::platform::{PerPair, Processor};
use orrery_measure::sample::Experiment;

/// The number of times that the observations are redrawn within their spread for the intervals.
const REDRAWS: usize = 200;

/// Estimates LMO or LOM by the papers' closed solutions of every triplet i < j < k, averaged.
///
/// LMO, with max over x in {j, k} (T_ix(M): M bytes out and back; T_i,jk: one-to-two):
///
/// - C_i = (T_i,jk(0) − max T_ix(0)) / 2, L_ij = T_ij(0)/2 − C_i − C_j
/// - t_i = (T_i,jk(M) − max (T_ix(0) + T_ix(M))/2 − 2·C_i) / M, 1/β_ij = (T_ij(M) − T_ij(0)) / (2M)
///   − t_i − t_j
///
/// LOM, with round trips of M out and nothing back:
///
/// - C_i = (T_ij(0) + T_ik(0) − T_jk(0)) / 4
/// - t_i = (T_i,jk(M) − max T_ix(M,0) − 2·C_i) / M, 1/β_ij = (T_ij(M,0) − 2·C_i − 2·C_j) / M − t_i
///   − t_j
///
/// The solutions add all of the root's processing before the slower path, which is an upper bound
/// of the time in the order of events; on measured timings C comes out too small. A negative
/// average is reported as zero. For the intervals, the observations are redrawn within their pooled
/// spread, with a fixed seed.
///
/// Sources: the CPM module `LMO` (its third lines mean k where they print j); Lastovetsky, Rychkov,
/// O'Flynn, "A software tool for accurate estimation of parameters of heterogeneous communication
/// models", section 3.
///
/// # Errors
///
/// When there are fewer than three processors, or experiments are missing: the error lists them.
pub fn triplets(
    observations: &Observations,
    with_latency: bool,
    level: f64,
) -> Result<Lmo, FitError> {
    let layout = Layout::new(observations.processors(), with_latency);
    let table = Table::of(observations, layout)?;
    let values = table.solve(layout, &table.times);
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let mut squares = vec![0.0; layout.count()];
    for _ in 0..REDRAWS {
        let redraw = |(time, deviation): (&f64, &f64)| {
            let z: f64 = StandardNormal.sample(&mut rng);
            time + z * deviation
        };
        let times: Vec<f64> = table.times.iter().zip(&table.deviations).map(redraw).collect();
        let redrawn = table.solve(layout, &times);
        squares
            .iter_mut()
            .zip(redrawn.iter().zip(&values))
            .for_each(|(s, (a, b))| *s += (a - b).powi(2));
    }
    let half_widths: Vec<f64> =
        squares.iter().map(|s| normal_quantile(level) * (s / REDRAWS as f64).sqrt()).collect();
    let has_spread = observations.half_width_factor(level, None, 0.0).is_some();
    Ok(Lmo::from_estimates(
        layout,
        &values,
        has_spread.then_some(&half_widths),
        &table.samples(layout),
        level,
    ))
}

/// Returns the triplet solution as a list of parameters, including negative ones; `None` if
/// experiments are missing.
pub(super) fn closed_solution(observations: &Observations, layout: Layout) -> Option<Vec<f64>> {
    // Avoids a search for millions of experiments that a smaller design does not contain.
    let n = layout.processors();
    let to_two =
        observations.iter().filter(|o| matches!(o.experiment, Experiment::OneToTwo { .. })).count();
    if n < 3 || to_two < n * (n - 1) * (n - 2) {
        return None;
    }
    let table = Table::of(observations, layout).ok()?;
    Some(table.solve(layout, &table.times))
}

/// The times of all experiments that the solutions use, by index.
struct Table {
    bytes: f64,
    times: Vec<f64>,
    deviations: Vec<f64>,
    counts: Vec<u64>,
    /// Indices in `times` of empty round trips and of round trips with M bytes, by pair.
    empty: PerPair<usize>,
    full: PerPair<usize>,
    /// Indices of one-to-two experiments from each processor to each pair of others, empty and with
    /// M bytes; by processor, then by pair.
    to_two: Vec<[usize; 2]>,
}

impl Table {
    /// Returns the table of the observations that the triplet solutions use.
    fn of(observations: &Observations, layout: Layout) -> Result<Self, FitError> {
        let model = if layout.with_latency() { "lmo (triplets)" } else { "lom (triplets)" };
        let processors = layout.processors();
        if processors < 3 {
            return Err(super::unidentified::too_few(model, processors));
        }
        let sizes = observations.iter().filter_map(|o| match o.experiment {
            Experiment::OneToTwo { size, .. } => Some(size),
            _ => None,
        });
        let size = sizes.max().filter(|size| *size > Bytes::ZERO).unwrap_or(Bytes::new(1));
        let reply = if layout.with_latency() { size } else { Bytes::ZERO };
        Self::check_complete(model, observations, layout, [size, reply])?;
        let mut table = Self {
            bytes: size.get() as f64,
            times: Vec::new(),
            deviations: Vec::new(),
            counts: Vec::new(),
            empty: PerPair::from_fn(processors, |_, _| 0),
            full: PerPair::from_fn(processors, |_, _| 0),
            to_two: vec![[0; 2]; processors * layout.pairs().count()],
        };
        let zero = Bytes::ZERO;
        let mut find = |found: Option<&Observation>| {
            let found = found.unwrap_or_else(|| unreachable!("all experiments were measured"));
            table.times.push(found.seconds);
            table.deviations.push(found.deviation);
            table.counts.push(found.count);
            table.times.len() - 1
        };
        let mut round_trips = |size, reply| {
            PerPair::from_fn(processors, |i, j| find(observations.round_trip(i, j, size, reply)))
        };
        let (empty, full) = (round_trips(zero, zero), round_trips(size, reply));
        for i in Processor::first(processors) {
            for (pair, (j, k)) in
                layout.pairs().iter().enumerate().filter(|(_, (j, k))| *j != i && *k != i)
            {
                let mut one = |size| find(observations.one_to_two(i, j, k, size));
                table.to_two[i.index() * layout.pairs().count() + pair] = [one(zero), one(size)];
            }
        }
        (table.empty, table.full) = (empty, full);
        Ok(table)
    }

    /// Checks that all experiments were measured; the work grows with the number of observations,
    /// not with that of the triplets.
    fn check_complete(
        model: &'static str,
        observations: &Observations,
        layout: Layout,
        [size, reply]: [Bytes; 2],
    ) -> Result<(), FitError> {
        let zero = Bytes::ZERO;
        let key = |experiment: &Experiment| match *experiment {
            Experiment::RoundTrip { i, j, size: out, reply: back } => {
                let is_used = [(zero, zero), (size, reply)].contains(&(out, back));
                is_used.then_some((i.min(j), i.max(j), None, out))
            }
            Experiment::OneToTwo { i, j, k, size: own } => {
                [zero, size].contains(&own).then_some((i, j.min(k), Some(j.max(k)), own))
            }
            _ => None,
        };
        let found: BTreeSet<_> =
            observations.iter().filter_map(|one| key(&one.experiment)).collect();
        let n = layout.processors();
        let needed = 2 * layout.pairs().count() + n * (n - 1) * (n - 2);
        if found.len() == needed {
            return Ok(());
        }
        let trips = [(zero, zero), (size, reply)].into_iter().flat_map(|(size, reply)| {
            layout.pairs().iter().map(move |(i, j)| Experiment::RoundTrip { i, j, size, reply })
        });
        let to_two = Processor::first(n).flat_map(|i| {
            let others = layout.pairs().iter().filter(move |(j, k)| *j != i && *k != i);
            others.flat_map(move |(j, k)| {
                [zero, size].map(|size| Experiment::OneToTwo { i, j, k, size })
            })
        });
        let is_missing =
            |experiment: &Experiment| key(experiment).is_some_and(|key| !found.contains(&key));
        let names = trips.chain(to_two).filter(is_missing).map(|experiment| experiment.to_string());
        Err(FitError::missing(model, needed - found.len(), names, "comm"))
    }

    /// Returns the averages of the solutions of all triplets for these times.
    fn solve(&self, layout: Layout, times: &[f64]) -> Vec<f64> {
        let n = layout.processors() as u32;
        let mut sums = vec![0.0; layout.count()];
        for i in 0..n {
            for j in i + 1..n {
                for k in j + 1..n {
                    self.triplet(
                        layout,
                        times,
                        [Processor(i), Processor(j), Processor(k)],
                        &mut sums,
                    );
                }
            }
        }
        let (n, pairs) = (layout.processors(), layout.pairs().count());
        let per_processor = ((n - 1) * (n - 2) / 2) as f64;
        let per_pair = (n - 2) as f64;
        sums[..2 * n].iter_mut().for_each(|sum| *sum /= per_processor);
        sums[2 * n..].iter_mut().for_each(|sum| *sum /= per_pair);
        debug_assert_eq!(sums.len(), 2 * n + pairs * if layout.with_latency() { 2 } else { 1 });
        sums
    }

    /// Adds the solution of one triplet to the sums.
    fn triplet(&self, layout: Layout, times: &[f64], triplet: [Processor; 3], sums: &mut [f64]) {
        let m = self.bytes;
        let empty = |a, b| times[*self.empty.get(a, b)];
        let full = |a, b| times[*self.full.get(a, b)];
        let pair = |a, b| layout.pairs().index(a, b);
        let (mut c, mut t) = ([0.0; 3], [0.0; 3]);
        for place in 0..3 {
            let (i, j, k) = (triplet[place], triplet[(place + 1) % 3], triplet[(place + 2) % 3]);
            let [zero, size] = self.to_two[i.index() * layout.pairs().count() + pair(j, k)];
            let slower = if layout.with_latency() {
                c[place] = (times[zero] - empty(i, j).max(empty(i, k))) / 2.0;
                f64::midpoint(empty(i, j), full(i, j)).max(f64::midpoint(empty(i, k), full(i, k)))
            } else {
                c[place] = (empty(i, j) + empty(i, k) - empty(j, k)) / 4.0;
                full(i, j).max(full(i, k))
            };
            t[place] = (times[size] - slower - 2.0 * c[place]) / m;
            sums[layout.fixed_delay(i)] += c[place];
            sums[layout.byte_delay(i)] += t[place];
        }
        for (x, y) in [(0, 1), (1, 2), (0, 2)] {
            let (a, b) = (triplet[x], triplet[y]);
            let rate = if layout.with_latency() {
                sums[layout.link_latency(pair(a, b))] += empty(a, b) / 2.0 - c[x] - c[y];
                (full(a, b) - empty(a, b)) / (2.0 * m)
            } else {
                (full(a, b) - 2.0 * c[x] - 2.0 * c[y]) / m
            };
            sums[layout.link_byte_delay(pair(a, b))] += rate - t[x] - t[y];
        }
    }

    /// Returns the number of readings that each parameter depends on.
    fn samples(&self, layout: Layout) -> Vec<u64> {
        let pairs = layout.pairs();
        let of_processor = |i: Processor| -> u64 {
            let trips = Processor::first(layout.processors()).filter(|&x| x != i);
            let trips: u64 = trips
                .map(|x| self.counts[*self.empty.get(i, x)] + self.counts[*self.full.get(i, x)])
                .sum();
            let others = pairs.iter().enumerate().filter(|(_, (j, k))| *j != i && *k != i);
            let to_two: u64 = others
                .flat_map(|(pair, _)| self.to_two[i.index() * pairs.count() + pair])
                .map(|place| self.counts[place])
                .sum();
            trips + to_two
        };
        let per_processor: Vec<u64> =
            Processor::first(layout.processors()).map(of_processor).collect();
        let per_pair: Vec<u64> = self
            .empty
            .values()
            .iter()
            .zip(self.full.values())
            .map(|(&e, &f)| self.counts[e] + self.counts[f])
            .collect();
        let mut samples = [per_processor.clone(), per_processor, per_pair.clone()].concat();
        if layout.with_latency() {
            samples.extend(per_pair);
        }
        samples
    }
}
