/// A flow on a link, by its number, and its weight there: w/φ.
#[derive(Debug, Clone, Copy)]
pub(super) struct Member {
    pub(super) flow: u32,
    pub(super) weight: f64,
}

/// A link and the flows that use it.
#[derive(Debug, Clone)]
pub(super) struct Link {
    pub(super) capacity: f64,
    pub(super) members: Vec<Member>,
    /// Whether its level is to be found again.
    pub(super) waits: bool,
}

/// Levels that differ by less, relative to their size, are the same.
pub(super) const SAME: f64 = 1e-12;

/// The level t at which a link of this capacity is full: Σ w/φ·min(cap, t) = capacity, over (cap, w/φ) of its flows.
///
/// It is infinite where the caps, which are what the flows' other links and their bounds allow, leave some capacity free.
pub(super) fn level(capacity: f64, flows: &[(f64, f64)]) -> f64 {
    let (mut wanted, mut weight) = (0.0, 0.0);
    for &(cap, w) in flows {
        wanted += cap * w;
        weight += w;
    }
    if wanted <= capacity * (1.0 + SAME) {
        return f64::INFINITY;
    }
    // From below: as t rises, more flows stay at their caps and leave the others more.
    let mut level = capacity / weight;
    loop {
        let (mut left, mut weight) = (capacity, 0.0);
        for &(cap, w) in flows {
            if cap < level {
                left -= cap * w;
            } else {
                weight += w;
            }
        }
        let next = left / weight;
        if weight == 0.0 || next <= level {
            return level;
        }
        level = next;
    }
}
