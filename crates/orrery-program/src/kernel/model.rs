use super::{Kernel, KernelCall, Term};
use orrery_base::numeric::{Estimate, Interval, student_quantile};
use orrery_base::units::Bytes;

/// The time of a kernel on a host, as a polynomial of its dimensions in pieces.
///
/// In the piece of a call, T = Σ c_t·t(m, n, k) over its [terms](Term) t. Readings differ from it
/// by a constant relative deviation.
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
    /// The terms of the memory with positive coefficients; empty if none was measured.
    pub memory: Vec<KernelMemoryTerm>,
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
    /// The correlations of the errors of the coefficients: the lower triangle, row by row, without
    /// the diagonal.
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
    /// The time of a call \[s\] with the interval that contains a reading with the probability
    /// [`level`](Self::level); `None` for another kernel or variant, or without pieces.
    pub fn predict(&self, call: &KernelCall) -> Option<Estimate> {
        let is_own = call.kernel() == self.kernel && call.variant() == self.variant;
        is_own.then(|| self.estimate(call, true)).flatten()
    }

    /// The expected time of a call \[s\] of any variant, with the interval of the expectation: the
    /// mean of many calls. The kernel of the call is not checked; `None` without pieces.
    pub fn expected(&self, call: &KernelCall) -> Option<Estimate> {
        self.estimate(call, false)
    }

    /// The time of a call \[s\] of any variant, without an interval; 0 without pieces.
    pub fn seconds(&self, call: &KernelCall) -> f64 {
        self.piece(call).map_or(0.0, |piece| piece.seconds(call.dimensions()))
    }

    /// The piece of a call: the last one that begins at or below its smallest dimension; `None`
    /// without pieces.
    fn piece(&self, call: &KernelCall) -> Option<&KernelPiece> {
        let smallest = call.smallest_dimension();
        let place = self.pieces.partition_point(|piece| piece.from <= smallest).max(1);
        self.pieces.get(place - 1)
    }

    /// The time of a call \[s\], with or without the spread of readings in its interval; `None`
    /// without pieces.
    fn estimate(&self, call: &KernelCall, has_spread: bool) -> Option<Estimate> {
        Some(self.piece(call)?.predict(call.dimensions(), self.level, has_spread))
    }

    /// The standard deviation of readings from the model, relative to it: that of the piece with
    /// the largest one.
    pub fn deviation(&self) -> f64 {
        self.pieces.iter().map(|piece| piece.deviation).fold(0.0, f64::max)
    }

    /// The dimensions of a call outside the measured range: the name, the value, and the smallest
    /// and the largest measured value.
    pub fn extrapolated(&self, call: &KernelCall) -> impl Iterator<Item = (char, u64, [u64; 2])> {
        let all = ['m', 'n', 'k'].into_iter().zip(call.dimensions()).zip(self.measured);
        all.filter(|((_, value), [low, high])| value < low || value > high)
            .map(|((name, value), range)| (name, value, range))
    }
}

impl KernelPiece {
    /// The time of a call of these dimensions \[s\].
    fn seconds(&self, dimensions: [u64; 3]) -> f64 {
        self.terms.iter().map(|one| one.coefficient.value * one.term.value(dimensions)).sum()
    }

    /// The time of a call of these dimensions \[s\]. `level` must be that of the coefficients; with
    /// `has_spread` the interval is that of a reading, otherwise that of the expectation.
    fn predict(&self, dimensions: [u64; 3], level: f64, has_spread: bool) -> Estimate {
        let half_width = |KernelTermEstimate { term, coefficient }: &KernelTermEstimate| {
            let of_one =
                coefficient.interval.map_or(0.0, |interval| interval.high - coefficient.value);
            of_one * term.value(dimensions)
        };
        let half_widths: Vec<f64> = self.terms.iter().map(half_width).collect();
        let seconds = self.seconds(dimensions);
        let mut square = 0.0;
        let mut correlations = self.correlations.iter();
        for (row, own) in half_widths.iter().enumerate() {
            square += own * own;
            for other in &half_widths[..row] {
                square += 2.0 * own * other * correlations.next().copied().unwrap_or(0.0);
            }
        }
        if has_spread {
            square +=
                (student_quantile(self.degrees.max(1.0), level) * self.deviation * seconds).powi(2);
        }
        let samples = self.terms.iter().filter_map(|one| one.coefficient.samples).max();
        let half_width = square.max(0.0).sqrt();
        let interval =
            Interval { low: (seconds - half_width).max(0.0), high: seconds + half_width, level };
        Estimate { value: seconds, interval: Some(interval), samples }
    }
}

/// A term of the memory of a kernel with its coefficient.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KernelMemoryTerm {
    /// The size of an operand in elements, or the constant.
    pub term: Term,
    /// The coefficient \[B\].
    pub bytes: f64,
}

impl KernelModel {
    /// The peak memory of a call: by the terms, but at least that of the operands, which is the
    /// result if no memory was measured.
    pub fn memory(&self, call: &KernelCall) -> Bytes {
        let bytes: f64 =
            self.memory.iter().map(|one| one.bytes * one.term.value(call.dimensions())).sum();
        Bytes::new(bytes.round() as u64).max(call.space())
    }
}
