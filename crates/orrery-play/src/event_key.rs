/// A time, the position in the order of insertion, and a number, such as that of a rank or a
/// message. Events are ordered by these, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct EventKey(u128);

impl EventKey {
    /// Later than all events.
    pub(crate) const NONE: Self = Self(u128::MAX);

    /// Creates an event. Times are not negative, so that their bits have the order of the times.
    pub(crate) const fn new(time: f64, order: u32, number: u32) -> Self {
        Self((time.to_bits() as u128) << 64 | (order as u128) << 32 | number as u128)
    }

    /// The time of the event.
    pub(crate) const fn time(self) -> f64 {
        f64::from_bits((self.0 >> 64) as u64)
    }

    /// Returns true if the event is at exactly this time.
    pub(crate) const fn is_at(self, time: f64) -> bool {
        self.time().to_bits() == time.to_bits()
    }

    /// The position in the order of insertion.
    pub(crate) const fn order(self) -> u32 {
        (self.0 >> 32) as u32
    }

    /// The number of the event.
    pub(crate) const fn number(self) -> u32 {
        self.0 as u32
    }

    /// The same event with another number.
    pub(crate) const fn with_number(self, number: u32) -> Self {
        Self(self.0 >> 32 << 32 | number as u128)
    }

    /// The same event at another time.
    pub(crate) const fn with_time(self, time: f64) -> Self {
        Self::new(time, self.order(), self.number())
    }
}
