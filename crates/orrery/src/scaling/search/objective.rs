use super::SearchError;
use crate::platform::Kind;

/// What a search minimises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Objective {
    /// The time T in seconds.
    Time,
    /// The core-hours T/3600·Σ a_k: every element that takes part counts for the whole run.
    CoreHours,
    /// The cost T/3600·Σ a_k·price_k, in the currency of the prices.
    Cost,
}

/// Billionths of a currency in one: prices are whole numbers of them, so that their sums do not depend on an order.
const FINE: f64 = 1e9;

/// The highest price of a core-hour.
const HIGHEST: f64 = 1e6;

impl Objective {
    /// The weight of an element of a kind.
    pub(super) fn weight(self, kind: &Kind) -> Result<u64, SearchError> {
        match self {
            Self::Time | Self::CoreHours => Ok(1),
            Self::Cost => price(kind)?.ok_or_else(|| SearchError::NoPrice { kind: kind.name.clone() }),
        }
    }

    /// The value of a run of so many seconds on elements whose weights have this sum. It grows with both.
    pub(super) fn value(self, seconds: f64, weight: u128) -> f64 {
        match self {
            Self::Time => seconds,
            Self::CoreHours => core_hours(seconds, weight as f64),
            Self::Cost => cost(seconds, weight),
        }
    }
}

pub(super) fn core_hours(seconds: f64, elements: f64) -> f64 {
    seconds * elements / 3600.0
}

pub(super) fn cost(seconds: f64, price: u128) -> f64 {
    seconds * price as f64 / (3600.0 * FINE)
}

/// The price of an hour of an element in billionths, where it is known.
pub(super) fn price(kind: &Kind) -> Result<Option<u64>, SearchError> {
    match kind.price {
        None => Ok(None),
        Some(price) if (0.0..=HIGHEST).contains(&price) => Ok(Some((price * FINE).round() as u64)),
        Some(price) => Err(SearchError::Price { kind: kind.name.clone(), price }),
    }
}
