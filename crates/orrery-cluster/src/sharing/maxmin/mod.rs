//! Weighted max-min fairness with bounds.
//!
//! A flow f with the rate ρ_f (bytes per second) uses w·ρ_f of the capacity of each of its links; w
//! is 1 on its way and may be a fraction elsewhere, as for acknowledgements. Its *level* is λ_f =
//! φ_f·ρ_f, where φ_f (its round-trip time, or 1) is its inverse weight: rates on a contested link
//! are proportional to 1/φ. The max-min fair allocation is the only one in which every flow has its
//! bound or crosses a saturated link on which no other flow has a higher level.
//!
//! Source: D. Bertsekas, R. Gallager, *Data Networks*, 1992, section 6.5.2; the weights are those
//! of SimGrid.
//!
//! [`progressive_filling`] computes it from scratch, [`MaxMin`] updates it.

mod limits;
mod solver;

pub use solver::MaxMin;

/// The demand of a flow: its links, its weight and its bound.
#[derive(Debug, Clone, PartialEq)]
pub struct Demand {
    /// Its links, each once, with the weight w > 0 of its rate there.
    pub links: Vec<(usize, f64)>,
    /// φ > 0: rates on a contested link are proportional to 1/φ.
    pub inverse_weight: f64,
    /// Its highest rate in bytes per second; may be infinite if it has a link.
    pub bound: f64,
}

impl Demand {
    /// The level at which the flow has its bound.
    fn bound_level(&self) -> f64 {
        self.bound * self.inverse_weight
    }
}

/// The rates of flows on links of these capacities, by progressive filling.
///
/// The levels of all flows rise together. Each step ends at the first stop: a flow reaches its
/// bound, or links are saturated. The rates concerned are fixed, and the other levels continue to
/// rise. With F flows and L links this takes O(L·(F + L)) steps.
///
/// ```
/// use orrery_cluster::sharing::maxmin::{Demand, progressive_filling};
/// let flow = |links: &[usize]| Demand {
///     links: links.iter().map(|&link| (link, 1.0)).collect(),
///     inverse_weight: 1.0,
///     bound: f64::INFINITY,
/// };
/// // Two flows share the first link; the third takes what they leave of the second.
/// assert_eq!(progressive_filling(&[1.0, 2.0], &[flow(&[0]), flow(&[0, 1]), flow(&[1])]), [0.5, 0.5, 1.5]);
/// ```
pub fn progressive_filling(capacities: &[f64], flows: &[Demand]) -> Vec<f64> {
    let mut links: Vec<FillingLink> = capacities.iter().copied().map(FillingLink::new).collect();
    for (number, flow) in flows.iter().enumerate() {
        for &(link, weight) in &flow.links {
            links[link].growing.push((number, weight / flow.inverse_weight));
        }
    }
    links.iter_mut().for_each(FillingLink::update_weight);
    // The flows with finite bounds, the lowest level last, where the next one is taken off.
    let mut bounded: Vec<usize> =
        (0..flows.len()).filter(|&flow| flows[flow].bound_level().is_finite()).collect();
    bounded.sort_by(|&a, &b| flows[b].bound_level().total_cmp(&flows[a].bound_level()));
    let mut rates: Vec<Option<f64>> = vec![None; flows.len()];
    let mut open: Vec<usize> = (0..links.len()).collect();
    let mut stopped = Vec::new();
    let mut touched = Vec::new();
    loop {
        // The next stop: the lowest level at which a link is saturated or a flow has its bound.
        open.retain(|&link| !links[link].growing.is_empty());
        let saturation = open.iter().map(|&link| links[link].level()).fold(f64::INFINITY, f64::min);
        while bounded.last().is_some_and(|&flow| rates[flow].is_some()) {
            bounded.pop();
        }
        let bound = bounded.last().map_or(f64::INFINITY, |&flow| flows[flow].bound_level());
        let level = saturation.min(bound);
        if level.is_infinite() {
            break;
        }
        if bound < saturation {
            stopped.extend(bounded.pop());
        } else {
            // Links that are saturated at one level but for rounding stop together, before the
            // rates of one take a rounding error from the capacity of another.
            let highest = level * (1.0 + LEVEL_TOLERANCE);
            let saturated = open.iter().filter(|&&link| links[link].level() <= highest);
            stopped.extend(saturated.flat_map(|&link| &links[link].growing).map(|(flow, _)| *flow));
        }
        // The rates of stopped flows are final; the others rise further and share what these leave.
        for flow in stopped.drain(..) {
            if rates[flow].is_some() {
                continue;
            }
            let Demand { inverse_weight, bound: largest, .. } = flows[flow];
            let rate = if bound < saturation { largest } else { level / inverse_weight };
            rates[flow] = Some(rate);
            for &(link, weight) in &flows[flow].links {
                links[link].free = (links[link].free - weight * rate).max(0.0);
                touched.push(link);
            }
        }
        // The weights are added up again: differences of them would leave rounding errors.
        touched.sort_unstable();
        touched.dedup();
        for link in touched.drain(..) {
            links[link].growing.retain(|(flow, _)| rates[*flow].is_none());
            links[link].update_weight();
        }
    }
    rates.into_iter().map(|rate| rate.unwrap_or(0.0)).collect()
}

/// A link during progressive filling.
#[derive(Debug)]
struct FillingLink {
    /// The growing flows, each with its weight w/φ.
    growing: Vec<(usize, f64)>,
    /// Σ w/φ.
    weight: f64,
    /// The capacity that the fixed flows leave.
    free: f64,
}

impl FillingLink {
    /// A link of this capacity without flows.
    fn new(capacity: f64) -> Self {
        Self { growing: Vec::new(), weight: 0.0, free: capacity }
    }

    /// Sets the weight to the sum of those of the growing flows.
    fn update_weight(&mut self) {
        self.weight = self.growing.iter().map(|(_, weight)| weight).sum();
    }

    /// The level at which the link is saturated.
    fn level(&self) -> f64 {
        self.free / self.weight
    }
}

/// The largest relative difference of two levels that count as equal.
const LEVEL_TOLERANCE: f64 = 1e-12;

/// The level t at which a link of this capacity is saturated: Σ w/φ·min(cap, t) = capacity, over
/// the pairs (cap, w/φ) of its flows. Infinite if their demand, Σ w/φ·cap, is not larger than the
/// capacity.
fn saturation_level(capacity: f64, demand: f64, flows: &[(f64, f64)]) -> f64 {
    if demand <= capacity * (1.0 + LEVEL_TOLERANCE) {
        return f64::INFINITY;
    }
    // From below: as t rises, more flows stay at their caps and leave more to the others.
    let mut level = capacity / flows.iter().fold(0.0, |weight, (_, w)| weight + w);
    loop {
        let (mut free, mut weight) = (capacity, 0.0);
        for &(cap, w) in flows {
            if cap < level {
                free -= cap * w;
            } else {
                weight += w;
            }
        }
        let next = free / weight;
        if weight == 0.0 || next <= level {
            return level;
        }
        level = next;
    }
}
