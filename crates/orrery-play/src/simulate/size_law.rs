use orrery_base::units::Bytes;
use orrery_cluster::platform::PiecewiseTime;

/// The effects of the size on all messages where protocols change: the effective size e(m) takes
/// the place of m, and a(m) = A(m) − A(0) is added to the latency, where A(m) is the fixed time of
/// a typical message.
///
/// Both are linear between the measured sizes, of which 0 is the first; e(0) = 0. Beyond the
/// largest size e(m) = m and a(m) = 0, and so they are without measured sizes.
///
/// ```
/// use orrery_play::simulate::{SizeEffect, SizeLaw};
/// use orrery_base::units::Bytes;
/// let effect = |size, effective, fixed| SizeEffect { size: Bytes::new(size), effective, fixed };
/// let law =
///     SizeLaw::new(vec![effect(0, 0.0, 5e-6), effect(1000, 3000.0, 6e-6), effect(2000, 4000.0, 5e-6), effect(8000, 8000.0, 5e-6)])
///         .unwrap();
/// let effective = |size: u64| law.effective(Bytes::new(size));
/// assert_eq!([0, 500, 1000, 1500, 8000, 10_000].map(effective), [0.0, 1500.0, 3000.0, 3500.0, 8000.0, 10_000.0]);
/// assert!((law.latency(Bytes::new(500)) - 0.5e-6).abs() < 1e-12);
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SizeLaw {
    effects: Vec<SizeEffect>,
}

/// The effects of one measured size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SizeEffect {
    /// m, the size.
    pub size: Bytes,
    /// e(m), the effective size \[B\].
    pub effective: f64,
    /// A(m), the fixed time of a typical message \[s\].
    pub fixed: f64,
}

impl SizeLaw {
    /// The law with these effects; `None` unless the sizes ascend from 0, where the effective size
    /// is 0, and the effects are finite and not negative.
    pub fn new(effects: Vec<SizeEffect>) -> Option<Self> {
        let ascends = effects.is_sorted_by(|a, b| a.size < b.size);
        let begins =
            effects.first().is_none_or(|first| first.size == Bytes::ZERO && first.effective <= 0.0);
        let is_valid = |one: &SizeEffect| {
            [one.effective, one.fixed].iter().all(|v| v.is_finite() && *v >= 0.0)
        };
        (ascends && begins && effects.iter().all(is_valid)).then_some(Self { effects })
    }

    /// Returns true if e(m) = m and a(m) = 0.
    pub fn is_linear(&self) -> bool {
        self.effects.is_empty()
    }

    /// The effects of the measured sizes, ascending by size.
    pub fn effects(&self) -> &[SizeEffect] {
        &self.effects
    }

    /// e(m) in bytes.
    pub fn effective(&self, size: Bytes) -> f64 {
        self.between(size, |effect| effect.effective).unwrap_or(size.get() as f64)
    }

    /// a(m) in seconds, of any sign.
    pub fn latency(&self, size: Bytes) -> f64 {
        let empty = self.effects.first().map_or(0.0, |first| first.fixed);
        self.between(size, |effect| effect.fixed).map_or(0.0, |fixed| fixed - empty)
    }

    /// An effect at a size, linear between the measured sizes; `None` beyond them.
    fn between(&self, size: Bytes, effect: impl Fn(&SizeEffect) -> f64) -> Option<f64> {
        let above = self.effects.partition_point(|one| one.size < size);
        let next = self.effects.get(above)?;
        let Some(last) = above.checked_sub(1).map(|place| &self.effects[place]) else {
            return Some(effect(next));
        };
        let share =
            (size.get() - last.size.get()) as f64 / (next.size.get() - last.size.get()) as f64;
        Some(effect(last) + (effect(next) - effect(last)) * share)
    }

    /// The time `constant` + `per_byte`·e(m) \[s\] as ranges of the size m.
    pub fn time(&self, constant: f64, per_byte: f64) -> PiecewiseTime {
        let mut ranges = Vec::new();
        let (mut from, mut before) = (0, 0.0);
        for SizeEffect { size, effective, .. } in self.effects.iter().skip(1) {
            let slope = (effective - before) / (size.get() - from) as f64;
            ranges.push((
                from,
                constant + per_byte * (before - slope * from as f64),
                per_byte * slope,
            ));
            (from, before) = (size.get(), *effective);
        }
        ranges.push((from, constant, per_byte));
        PiecewiseTime::new(ranges)
    }
}
