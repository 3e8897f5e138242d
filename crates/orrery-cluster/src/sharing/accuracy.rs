//! Errors of predicted times against measured ones.

/// Returns E_rel of a transfer in percent: (T_p − T_m) / T_m × 100; negative if the prediction is
/// too short.
///
/// ```
/// assert_eq!(orrery_cluster::sharing::relative_error(1.5, 2.0), -25.0);
/// ```
pub fn relative_error(predicted: f64, measured: f64) -> f64 {
    (predicted - measured) / measured * 100.0
}

/// E_abs of a scheme in percent: the mean of |E_rel| over pairs (predicted, measured); `None`
/// without any.
pub fn mean_absolute_error(times: &[(f64, f64)]) -> Option<f64> {
    let sum: f64 =
        times.iter().map(|&(predicted, measured)| relative_error(predicted, measured).abs()).sum();
    (!times.is_empty()).then(|| sum / times.len() as f64)
}

/// E_abs of a task in percent: |S_p − S_m| / S_m × 100, where S_p and S_m are the sums of predicted
/// and of measured times of its transfers; `None` without any.
pub fn task_error(times: &[(f64, f64)]) -> Option<f64> {
    let sums = times
        .iter()
        .fold((0.0, 0.0), |(p, m), &(predicted, measured)| (p + predicted, m + measured));
    (!times.is_empty()).then(|| relative_error(sums.0, sums.1).abs())
}
