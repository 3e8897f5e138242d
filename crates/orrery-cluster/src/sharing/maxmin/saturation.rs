//! The level at which a link is saturated.

/// The largest relative difference of two levels that count as equal.
pub(super) const LEVEL_TOLERANCE: f64 = 1e-12;

/// The level t at which a link of this capacity is saturated: Σ w/φ·min(cap, t) = capacity, over
/// the pairs (cap, w/φ) of its flows. Infinite if their demand, Σ w/φ·cap, is not larger than the
/// capacity.
pub(super) fn saturation_level(capacity: f64, demand: f64, flows: &[(f64, f64)]) -> f64 {
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
