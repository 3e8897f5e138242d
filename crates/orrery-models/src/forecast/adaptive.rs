//! The median of a window whose size follows the errors.

use super::window::Window;

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
