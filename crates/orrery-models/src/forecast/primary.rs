//! The 18 primary forecasters of the Network Weather Service.
//!
//! Source: Wolski, Spring, Hayes: The Network Weather Service, Future Generation Computer Systems
//! 15, 1999, section 4.2, and Wolski, Cluster Computing 1, 1998, section 3.

use std::fmt;

use super::window::Window;

/// The number of primary forecasters.
pub(super) const PRIMARY_COUNT: usize = 18;

/// The gains of exponential smoothing in percent.
const GAINS: [u8; 8] = [5, 10, 15, 20, 30, 40, 50, 75];

/// A primary forecaster: it computes the next value from the past ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Primary {
    /// The last value.
    LastValue,
    /// The mean of all values.
    RunningMean,
    /// Exponential smoothing s ← s + g·(y − s), with the gain g in percent.
    Smoothing(u8),
    /// The median of this number of last values.
    Median(u8),
    /// The mean of this number of last values.
    Mean(u8),
    /// The mean of this number of last values without the 30 % smallest and the 30 % largest ones.
    TrimmedMean(u8),
    /// The median of a window whose size adapts between these bounds.
    AdaptiveMedian(u8, u8),
}

impl Primary {
    /// All primary forecasters, in the order of their forecasts.
    pub const ALL: [Self; PRIMARY_COUNT] = [
        Self::LastValue,
        Self::RunningMean,
        Self::Smoothing(GAINS[0]),
        Self::Smoothing(GAINS[1]),
        Self::Smoothing(GAINS[2]),
        Self::Smoothing(GAINS[3]),
        Self::Smoothing(GAINS[4]),
        Self::Smoothing(GAINS[5]),
        Self::Smoothing(GAINS[6]),
        Self::Smoothing(GAINS[7]),
        Self::Median(31),
        Self::Median(5),
        Self::Mean(31),
        Self::Mean(5),
        Self::TrimmedMean(31),
        Self::TrimmedMean(51),
        Self::AdaptiveMedian(5, 21),
        Self::AdaptiveMedian(21, 51),
    ];
}

impl fmt::Display for Primary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LastValue => f.write_str("last value"),
            Self::RunningMean => f.write_str("running mean"),
            Self::Smoothing(percent) => write!(f, "exponential smoothing {percent} %"),
            Self::Median(size) => write!(f, "median of {size}"),
            Self::Mean(size) => write!(f, "mean of {size}"),
            Self::TrimmedMean(size) => write!(f, "trimmed mean of {size}"),
            Self::AdaptiveMedian(min, max) => write!(f, "adaptive median of {min} to {max}"),
        }
    }
}

/// The number of values that a trimmed mean of a window leaves out at each end: 30 %, rounded down.
const fn trimmed(values: usize) -> usize {
    values * 3 / 10
}

/// The state of all primary forecasters after the values of a series. An update takes logarithmic
/// time in the sizes of the windows.
#[derive(Debug, Clone)]
pub(super) struct Primaries {
    count: u64,
    last: f64,
    mean: f64,
    smoothed: [f64; GAINS.len()],
    of_5: Window,
    of_31: Window,
    of_51: Window,
    short: AdaptiveMedian,
    long: AdaptiveMedian,
}

impl Default for Primaries {
    fn default() -> Self {
        Self {
            count: 0,
            last: 0.0,
            mean: 0.0,
            smoothed: [0.0; GAINS.len()],
            of_5: Window::new(5, 5),
            of_31: Window::new(31, 31),
            of_51: Window::new(51, 51),
            short: AdaptiveMedian::new((5, 21), 10, 1),
            long: AdaptiveMedian::new((21, 51), 30, 5),
        }
    }
}

impl Primaries {
    /// Appends a finite value.
    pub(super) fn update(&mut self, value: f64) {
        self.count += 1;
        self.last = value;
        self.mean += (value - self.mean) / self.count as f64;
        for (smoothed, gain) in self.smoothed.iter_mut().zip(GAINS) {
            let gain = if self.count == 1 { 1.0 } else { f64::from(gain) / 100.0 };
            *smoothed += gain * (value - *smoothed);
        }
        [&mut self.of_5, &mut self.of_31, &mut self.of_51]
            .into_iter()
            .for_each(|window| window.push(value));
        self.short.update(value);
        self.long.update(value);
    }

    /// The forecasts of the next value in the order of [`Primary::ALL`]. `None` without values.
    pub(super) fn forecasts(&self) -> Option<[f64; PRIMARY_COUNT]> {
        let mut forecasts = [0.0; PRIMARY_COUNT];
        (forecasts[0], forecasts[1]) = (self.last, self.mean);
        forecasts[2..2 + GAINS.len()].copy_from_slice(&self.smoothed);
        let (of_31, of_51) = (trimmed(self.of_31.len()), trimmed(self.of_51.len()));
        forecasts[2 + GAINS.len()..].copy_from_slice(&[
            self.of_31.median()?,
            self.of_5.median()?,
            self.of_31.mean()?,
            self.of_5.mean()?,
            self.of_31.trimmed_mean(of_31)?,
            self.of_51.trimmed_mean(of_51)?,
            self.short.forecast()?,
            self.long.forecast()?,
        ]);
        Some(forecasts)
    }
}

/// The median of the last values, of a window that grows or shrinks by a step after each value.
///
/// After each value the median of the window is compared with those of windows one step smaller and
/// one step larger; the one that was closest to the value determines the next size, within bounds.
/// This is the intent of NWS's adaptive window (Wolski: Dynamically forecasting network performance
/// using the Network Weather Service, Cluster Computing 1, 1998, section 3); its program does not
/// limit the size.
#[derive(Debug, Clone)]
pub(super) struct AdaptiveMedian {
    min: usize,
    max: usize,
    step: usize,
    size: usize,
    smaller: Window,
    current: Window,
    larger: Window,
}

impl AdaptiveMedian {
    /// A window of size `start` that changes by `step` between `min` and `max`.
    pub(super) fn new((min, max): (usize, usize), start: usize, step: usize) -> Self {
        let window = || Window::new(start, max);
        let (smaller, current, larger) = (window(), window(), window());
        let mut created = Self { min, max, step, size: start, smaller, current, larger };
        created.resize(start);
        created
    }

    /// Adapts the size to a value, and appends the value.
    pub(super) fn update(&mut self, value: f64) {
        let error = |window: &Window| window.median().map_or(0.0, |median| (median - value).abs());
        let (smaller, current, larger) =
            (error(&self.smaller), error(&self.current), error(&self.larger));
        let size = if smaller < current && smaller <= larger {
            self.shrunk()
        } else if larger < current {
            self.grown()
        } else {
            self.size
        };
        if size != self.size {
            self.resize(size);
        }
        [&mut self.smaller, &mut self.current, &mut self.larger]
            .into_iter()
            .for_each(|window| window.push(value));
    }

    /// The median of the window. `None` without values.
    pub(super) fn forecast(&self) -> Option<f64> {
        self.current.median()
    }

    /// The size one step smaller, but not below the minimum.
    fn shrunk(&self) -> usize {
        self.size.saturating_sub(self.step).max(self.min)
    }

    /// The size one step larger, but not above the maximum.
    fn grown(&self) -> usize {
        (self.size + self.step).min(self.max)
    }

    /// Sets the size of the window, and with it those of the smaller and the larger one.
    fn resize(&mut self, size: usize) {
        self.size = size;
        self.smaller.resize(self.shrunk());
        self.current.resize(size);
        self.larger.resize(self.grown());
    }
}
