use super::{Kernel, KernelCall, Term};
use crate::numeric::{Estimate, Interval, student_quantile};

/// The time of a kernel on a host, as a polynomial of its dimensions in pieces.
///
/// In the piece of a call, T = Σ c_t·t(m, n, k) over its [terms](Term) t. Readings differ from it by a constant relative deviation.
#[derive(Debug, Clone, PartialEq)]
pub struct KernelModel {
    /// The kernel.
    pub kernel: Kernel,
    /// The variant, one of those of the routine.
    pub variant: &'static str,
    /// The pieces, by their smallest dimensions.
    pub pieces: Vec<KernelPiece>,
    /// The smallest and the largest measured m, n and k.
    pub measured: [[u64; 2]; 3],
    /// The level of intervals.
    pub level: f64,
}

/// The polynomial for calls whose smallest dimension is in a range.
#[derive(Debug, Clone, PartialEq)]
pub struct KernelPiece {
    /// The smallest dimension from which the piece holds, up to the next piece.
    pub from: u64,
    /// The terms with positive coefficients.
    pub terms: Vec<KernelTermEstimate>,
    /// The correlations of the errors of the coefficients: the lower triangle, row by row, without the diagonal.
    pub correlations: Vec<f64>,
    /// The standard deviation of readings from the polynomial, relative to it.
    pub deviation: f64,
    /// The number of calls less that of coefficients.
    pub degrees: f64,
}

/// A term with its coefficient \[s\].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KernelTermEstimate {
    /// The term.
    pub term: Term,
    /// The coefficient.
    pub coefficient: Estimate,
}

impl KernelModel {
    /// The time of a call \[s\] with the interval that contains a reading; `None` for another kernel or variant.
    pub fn predict(&self, call: &KernelCall) -> Option<Estimate> {
        let is_own = call.kernel() == self.kernel && call.variant() == self.variant;
        is_own.then(|| self.estimate(call, true)).flatten()
    }

    /// The expected time of a call \[s\] of any variant, with the interval of the expectation: the mean of many calls.
    pub(crate) fn expected(&self, call: &KernelCall) -> Option<Estimate> {
        self.estimate(call, false)
    }

    /// The time of a call, with or without the spread of readings in its interval.
    fn estimate(&self, call: &KernelCall, has_spread: bool) -> Option<Estimate> {
        let smallest = call.smallest_dimension();
        let place = self.pieces.partition_point(|piece| piece.from <= smallest).max(1);
        Some(self.pieces.get(place - 1)?.predict(call.dimensions(), self.level, has_spread))
    }

    /// The standard deviation of readings from the model, relative to it: that of the piece with the largest one.
    pub fn deviation(&self) -> f64 {
        self.pieces.iter().map(|piece| piece.deviation).fold(0.0, f64::max)
    }

    /// The dimensions of a call outside the measured ones, with the range of these.
    pub fn extrapolated(&self, call: &KernelCall) -> impl Iterator<Item = (char, u64, [u64; 2])> {
        let all = ['m', 'n', 'k'].into_iter().zip(call.dimensions()).zip(self.measured);
        all.filter(|((_, value), [low, high])| value < low || value > high)
            .map(|((name, value), range)| (name, value, range))
    }
}

impl KernelPiece {
    /// The time of a call of these dimensions \[s\] with the interval at a level.
    fn predict(&self, dimensions: [u64; 3], level: f64, has_spread: bool) -> Estimate {
        let parts: Vec<(f64, f64)> = self
            .terms
            .iter()
            .map(|KernelTermEstimate { term, coefficient }| {
                let value = term.value(dimensions);
                (coefficient.value * value, self.standard_error(coefficient) * value)
            })
            .collect();
        let seconds: f64 = parts.iter().map(|part| part.0).sum();
        let mut variance = if has_spread { (self.deviation * seconds).powi(2) } else { 0.0 };
        let mut correlations = self.correlations.iter();
        for (row, (_, error)) in parts.iter().enumerate() {
            variance += error * error;
            for (_, other) in &parts[..row] {
                variance += 2.0 * error * other * correlations.next().copied().unwrap_or(0.0);
            }
        }
        let samples = self.terms.iter().filter_map(|one| one.coefficient.samples).max();
        let half_width = student_quantile(self.degrees.max(1.0), level) * variance.max(0.0).sqrt();
        let interval = Interval { low: (seconds - half_width).max(0.0), high: seconds + half_width, level };
        Estimate { value: seconds, interval: Some(interval), samples }
    }

    /// The standard error of a coefficient, by its interval.
    fn standard_error(&self, coefficient: &Estimate) -> f64 {
        let of = |interval: Interval| {
            (interval.high - coefficient.value) / student_quantile(self.degrees.max(1.0), interval.level)
        };
        coefficient.interval.map_or(0.0, of)
    }
}
