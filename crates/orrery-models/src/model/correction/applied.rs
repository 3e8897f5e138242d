use super::super::{Discrepancy, Query};
use super::{Correction, CorrectionPiece, is_plain};
use crate::comm::{Contribution, ParameterId, Predicted, first_interval};
use orrery_base::numeric::{Estimate, student_quantile};
use orrery_base::units::Seconds;

/// The name of the contribution of a correction to a time.
const CONTRIBUTION: &str = "correction";

/// A correction at the size of a query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::model) struct AppliedCorrection {
    pub(in crate::model) factor: f64,
    /// The standard deviation of ln(T/(factor·T₀)): the error of the factor and its spread.
    deviation: f64,
    /// Half the difference of the logarithms of two factors, between whose measured sizes the query
    /// lies; otherwise 0.
    gap: f64,
    degrees: u64,
    /// True outside the measured sizes, numbers of processors and roots.
    pub(in crate::model) is_extrapolated: bool,
}

impl AppliedCorrection {
    /// Returns the correction at the size of a query. Between the measured sizes of two pieces,
    /// where one changes into the other at an unknown size, the factor is the geometric mean of
    /// both.
    pub(super) fn of(correction: &Correction, query: &Query) -> Self {
        let size = query.size();
        // The piece that contains the size, or the next larger one; beyond the largest measured
        // size, the last piece.
        let first = correction.pieces.partition_point(|piece| piece.sizes.1 < size);
        let last = correction.pieces.len().saturating_sub(1);
        let above = &correction.pieces[first.min(last)];
        let below =
            if size < above.sizes.0 { &correction.pieces[first.saturating_sub(1)] } else { above };
        let logarithm = |piece: &CorrectionPiece| piece.factor.value.ln();
        let (low, high) = (logarithm(below), logarithm(above));
        Self {
            factor: f64::midpoint(low, high).exp(),
            deviation: below.error.max(above.error).hypot(correction.spread),
            gap: (high - low).abs() / 2.0,
            degrees: correction.degrees,
            is_extrapolated: correction.extrapolates(query),
        }
    }

    /// Returns the prediction with the correction, unless its factor is 1, as a contribution
    /// without an error of its own.
    ///
    /// The factor was estimated with the parameters as they are, so that it makes up for their
    /// errors; what it does not make up for is in the spread. Contributions therefore have no
    /// errors, unless the correction is extrapolated.
    pub(in crate::model) fn corrected(&self, mut predicted: Predicted) -> Predicted {
        let value = (self.factor - 1.0) * predicted.seconds.get();
        let interval = first_interval(&predicted.contributions);
        if !self.is_extrapolated {
            predicted
                .contributions
                .iter_mut()
                .for_each(|one| one.estimate = one.estimate.without_error());
        }
        if is_plain(self.factor) {
            return predicted;
        }
        let estimate = Estimate { interval, ..Estimate::exact(value) }.without_error();
        let correction =
            Contribution { parameter: ParameterId::of_all(CONTRIBUTION), factor: 1.0, estimate };
        Predicted { correction: self.factor, ..predicted.plus(correction) }
    }

    /// Returns half the widths of the interval below and above a corrected time \[s\], without the
    /// errors of parameters: t·√(error² + spread²) of its logarithm with Student's quantile t.
    ///
    /// Where the correction is extrapolated, the interval with the errors of parameters `readings`
    /// below and above the time \[s\] also contains that of the plain schedule with its
    /// discrepancy.
    pub(in crate::model) fn half_widths(
        &self,
        corrected: Seconds,
        level: f64,
        readings: (f64, f64),
        discrepancy: Option<Discrepancy>,
    ) -> (f64, f64) {
        let seconds = corrected.get();
        let exponent =
            self.gap + student_quantile(self.degrees.max(1) as f64, level) * self.deviation;
        let (below, above) = (seconds * -f64::exp_m1(-exponent), seconds * f64::exp_m1(exponent));
        if !self.is_extrapolated {
            return (below, above);
        }
        let plain = Seconds::new(seconds / self.factor);
        let of_plain = discrepancy.map_or((0.0, 0.0), |one| one.half_widths(plain, level));
        // √(readings² + model²) reaches the end of the plain interval.
        let reaching = |distance: f64, model: f64, readings: f64| {
            let needed = (distance + model.hypot(readings / self.factor)).max(0.0);
            (needed.powi(2) - readings.powi(2)).max(0.0).sqrt()
        };
        let distance = seconds - plain.get();
        (
            below.max(reaching(distance, of_plain.0, readings.0)),
            above.max(reaching(-distance, of_plain.1, readings.1)),
        )
    }
}
