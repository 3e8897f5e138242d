use super::observations::{Group, Observations};
use crate::numeric::{mean, median, student_quantile};

/// The errors that a way of fitting makes when it learns from small problems and is asked for larger ones: for each cut,
/// the mean of |T̂ − t|/t over the points beyond it. `None` where it cannot be fitted to what stands before a cut.
///
/// Points stand in the order of their times; cuts go from the middle to the last but one. Source: forward chaining, also
/// called rolling-origin evaluation: Tashman, "Out-of-sample tests of forecasting accuracy" (2000).
pub(super) fn forward_errors(
    observations: &Observations,
    least: usize,
    predict: &dyn Fn(&Observations, &Observations) -> Option<Vec<f64>>,
) -> Option<Vec<f64>> {
    let count = observations.groups.len();
    let of_cut = |cut: usize| {
        let (before, after) = (observations.subset(|g| g < cut), observations.subset(|g| g >= cut));
        let error = |(time, group): (f64, &Group)| {
            let observed = median(&group.seconds);
            (time - observed).abs() / observed
        };
        let errors: Vec<f64> = predict(&before, &after)?.into_iter().zip(&after.groups).map(error).collect();
        Some(mean(&errors))
    };
    let errors: Vec<f64> = (least.max(count.div_ceil(2))..count).map(of_cut).collect::<Option<_>>()?;
    (!errors.is_empty()).then_some(errors)
}

/// Whether a challenger's errors are smaller by more than chance: a one-sided test of Student on the differences of the
/// cuts, at 5 %. A single cut tells nothing.
///
/// Points beyond one cut are beyond others too, so it is the cuts that count, not the points.
pub(super) fn clearly_better(challenger: &[f64], incumbent: &[f64]) -> bool {
    let differences: Vec<f64> = incumbent.iter().zip(challenger).map(|(old, new)| old - new).collect();
    let count = differences.len() as f64;
    let middle = mean(&differences);
    let variance = differences.iter().map(|d| (d - middle).powi(2)).sum::<f64>() / (count - 1.0);
    count > 1.0 && middle > student_quantile(count - 1.0, 0.9) * (variance / count).sqrt()
}
