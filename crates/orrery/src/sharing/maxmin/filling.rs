use super::Demand;

/// The rates of flows on links of these capacities, by progressive filling: slow and plain.
///
/// All levels rise together. What stops first, a flow at its bound or the flows of a link that is full, is fixed; then the
/// others go on rising. With F flows and L links it takes O(F·(F + L)) steps of the length of a route.
///
/// ```
/// use orrery::sharing::maxmin::{Demand, progressive_filling};
/// let flow = |links: &[usize]| Demand {
///     links: links.iter().map(|&link| (link, 1.0)).collect(),
///     inverse_weight: 1.0,
///     bound: f64::INFINITY,
/// };
/// // Two flows share the first link; the third has what they leave of the second.
/// assert_eq!(progressive_filling(&[1.0, 2.0], &[flow(&[0]), flow(&[0, 1]), flow(&[1])]), [0.5, 0.5, 1.5]);
/// ```
pub fn progressive_filling(capacities: &[f64], flows: &[Demand]) -> Vec<f64> {
    let mut rates: Vec<Option<f64>> = vec![None; flows.len()];
    loop {
        let full = (0..capacities.len()).map(|link| (full_at(link, capacities[link], flows, &rates), Stop::Link(link)));
        let open = flows.iter().enumerate().filter(|(f, _)| rates[*f].is_none());
        let bounds = open.map(|(f, flow)| (flow.bound * flow.inverse_weight, Stop::Bound(f)));
        let Some((level, stop)) = full.chain(bounds).min_by(|(a, _), (b, _)| a.total_cmp(b)) else { break };
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

/// What stops the rise.
#[derive(Clone, Copy)]
enum Stop {
    Bound(usize),
    Link(usize),
}

/// The level at which a link is full: what the fixed flows leave, over the weights Σ w/φ of those that rise.
fn full_at(link: usize, capacity: f64, flows: &[Demand], rates: &[Option<f64>]) -> f64 {
    let (mut left, mut weight) = (capacity, 0.0);
    for (flow, rate) in flows.iter().zip(rates) {
        for &(_, w) in flow.links.iter().filter(|&&(used, _)| used == link) {
            match rate {
                Some(rate) => left -= w * rate,
                None => weight += w / flow.inverse_weight,
            }
        }
    }
    if weight > 0.0 { left.max(0.0) / weight } else { f64::INFINITY }
}
