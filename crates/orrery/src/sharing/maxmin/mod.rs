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
//! [`progressive_filling`] computes it from scratch, slowly and plainly; [`MaxMin`] updates it.

mod limits;
mod saturation;
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

/// The rates of flows on links of these capacities, by progressive filling.
///
/// The levels of all flows rise together. Each step ends at the first stop: a flow reaches its
/// bound, or a link is saturated. The rates concerned are fixed, and the other levels continue to
/// rise. With F flows and L links this takes O(F·(F + L)) steps of the length of a route.
///
/// ```
/// use orrery::sharing::maxmin::{Demand, progressive_filling};
/// let flow = |links: &[usize]| Demand {
///     links: links.iter().map(|&link| (link, 1.0)).collect(),
///     inverse_weight: 1.0,
///     bound: f64::INFINITY,
/// };
/// // Two flows share the first link; the third takes what they leave of the second.
/// assert_eq!(progressive_filling(&[1.0, 2.0], &[flow(&[0]), flow(&[0, 1]), flow(&[1])]), [0.5, 0.5, 1.5]);
/// ```
pub fn progressive_filling(capacities: &[f64], flows: &[Demand]) -> Vec<f64> {
    let mut rates: Vec<Option<f64>> = vec![None; flows.len()];
    loop {
        let saturations = (0..capacities.len())
            .map(|link| (saturation(link, capacities[link], flows, &rates), Stop::Link(link)));
        let growing = flows.iter().enumerate().filter(|(f, _)| rates[*f].is_none());
        let bounds = growing.map(|(f, flow)| (flow.bound * flow.inverse_weight, Stop::Bound(f)));
        let Some((level, stop)) = saturations.chain(bounds).min_by(|(a, _), (b, _)| a.total_cmp(b))
        else {
            break;
        };
        match stop {
            Stop::Bound(f) => rates[f] = Some(flows[f].bound),
            Stop::Link(link) => {
                for (flow, rate) in flows.iter().zip(&mut rates) {
                    if rate.is_none() && flow.links.iter().any(|&(used, _)| used == link) {
                        *rate = Some(level / flow.inverse_weight);
                    }
                }
            }
        }
        if rates.iter().all(Option::is_some) {
            break;
        }
    }
    rates.into_iter().map(|rate| rate.unwrap_or(0.0)).collect()
}

/// The event that ends the rise of a level.
#[derive(Clone, Copy)]
enum Stop {
    /// The bound of a flow.
    Bound(usize),
    /// The saturation of a link.
    Link(usize),
}

/// The level at which a link is saturated: the capacity that the fixed flows leave, over Σ w/φ of
/// the growing ones.
fn saturation(link: usize, capacity: f64, flows: &[Demand], rates: &[Option<f64>]) -> f64 {
    let (mut free, mut weight) = (capacity, 0.0);
    for (flow, rate) in flows.iter().zip(rates) {
        for &(_, w) in flow.links.iter().filter(|&&(used, _)| used == link) {
            match rate {
                Some(rate) => free -= w * rate,
                None => weight += w / flow.inverse_weight,
            }
        }
    }
    if weight > 0.0 { free.max(0.0) / weight } else { f64::INFINITY }
}
