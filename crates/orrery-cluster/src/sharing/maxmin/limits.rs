//! The limits of the level of a flow.

/// The two lowest limits of the level of a flow, of its bound and the levels of its links.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Limits {
    pub(super) lowest: f64,
    /// The link with the lowest level; [`NO_LINK`] if the bound is the lowest limit.
    pub(super) link: u32,
    pub(super) second: f64,
}

impl Limits {
    /// The limits of a flow by its bound and its links, each with its level.
    #[inline]
    pub(super) fn new(bound: f64, levels: impl Iterator<Item = (u32, f64)>) -> Self {
        let mut limits = Self { lowest: bound, link: NO_LINK, second: f64::INFINITY };
        for (link, level) in levels {
            if level < limits.lowest {
                limits = Self { lowest: level, link, second: limits.lowest };
            } else {
                limits.second = limits.second.min(level);
            }
        }
        limits
    }

    /// The lowest limit apart from the level of this link.
    pub(super) fn without(&self, link: u32) -> f64 {
        if self.link == link { self.second } else { self.lowest }
    }

    /// The limits after the level of a link has changed from `old` to `new`; `None` if a third
    /// limit may have become the second, so that they must be computed anew.
    pub(super) fn after_change(self, link: u32, old: f64, new: f64) -> Option<Self> {
        if self.link == link {
            (new <= self.second).then_some(Self { lowest: new, ..self })
        } else if new < self.lowest {
            Some(Self { lowest: new, link, second: self.lowest })
        } else if new <= self.second || old > self.second {
            Some(Self { second: self.second.min(new), ..self })
        } else {
            None
        }
    }
}

/// The number of no link.
pub(super) const NO_LINK: u32 = u32::MAX;

#[cfg(test)]
mod tests {
    use super::*;

    /// The limits after each change of a level are those of all levels, for all levels that are
    /// small integers.
    #[test]
    fn changes_lead_to_the_limits_of_all_levels() {
        for number in 0..4_usize.pow(5) {
            let digit = |place: u32| (number / 4_usize.pow(place) % 4) as f64;
            let (bound, new) = (digit(0), digit(1));
            let limits = |levels: [f64; 3]| Limits::new(bound, (0..).zip(levels));
            let before = [digit(2), digit(3), digit(4)];
            let changed = limits(before).after_change(1, before[1], new);
            let after = limits([before[0], new, before[2]]);
            for link in 0..3 {
                let without = changed.map(|limits| limits.without(link).to_bits());
                assert!(
                    without.is_none_or(|without| without == after.without(link).to_bits()),
                    "{number}"
                );
            }
        }
    }
}
