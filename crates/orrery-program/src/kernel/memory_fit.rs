//! The memory of calls of a kernel from measured calls.

use std::collections::BTreeMap;

use super::{KernelCall, KernelMemoryTerm, Term};
use orrery_base::numeric::{median, nonnegative_least_squares};
use orrery_base::units::Bytes;

/// The smallest number of calls for each term.
const CALLS_PER_TERM: usize = 3;

/// The largest part of the memory of a call by a term that is left out: an error of rounding.
const NEGLIGIBLE: f64 = 1e-9;

/// Fits the peak memory of calls of one variant of a kernel: Σ c_t·t(m, n, k) over the sizes of the
/// operands and a constant with c_t ≥ 0, by least squares of relative errors. Returns no terms for
/// too few calls.
///
/// A reading below the memory of the operands counts as that: the system counts pages in batches.
///
/// ```
/// use orrery_program::kernel::{KernelCall, fit_memory};
/// use orrery_base::units::Bytes;
/// let kernel = "dpotrf".parse()?;
/// let call = |n| KernelCall::new(kernel, "l", [1, n, 1]);
/// let calls = (1..9).map(|n| Ok((call(100 * n)?, Bytes::new(80_000 * n * n + 4096)))).collect::<Result<Vec<_>, Box<dyn std::error::Error>>>()?;
/// let terms = fit_memory(&calls);
/// assert_eq!(terms.len(), 2);
/// assert!((terms[0].bytes - 8.0).abs() < 1e-6 && (terms[1].bytes - 4096.0).abs() < 1e-3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn fit_memory(calls: &[(KernelCall, Bytes)]) -> Vec<KernelMemoryTerm> {
    let mut readings: BTreeMap<KernelCall, Vec<f64>> = BTreeMap::new();
    for (call, memory) in calls {
        readings.entry(*call).or_default().push((*memory).max(call.space()).get() as f64);
    }
    let Some((first, _)) = readings.first_key_value() else { return Vec::new() };
    let mut terms = first.kernel().routine.operand_terms(first.variant());
    terms.push(Term { m: 0, n: 0, k: 0 });
    if readings.len() < CALLS_PER_TERM * terms.len() {
        return Vec::new();
    }
    let medians: Vec<(KernelCall, f64)> =
        readings.iter().map(|(call, readings)| (*call, median(readings))).collect();
    let column = |term: &Term| {
        medians.iter().map(|(call, bytes)| term.value(call.dimensions()) / bytes).collect()
    };
    let columns: Vec<Vec<f64>> = terms.iter().map(column).collect();
    let coefficients = nonnegative_least_squares(&columns, &vec![1.0; medians.len()]);
    let part =
        |column: &[f64], bytes: f64| column.iter().map(|value| bytes * value).fold(0.0, f64::max);
    let all = terms.into_iter().zip(coefficients).zip(&columns);
    let contributing = all.filter(|((_, bytes), column)| part(column, *bytes) > NEGLIGIBLE);
    contributing.map(|((term, bytes), _)| KernelMemoryTerm { term, bytes }).collect()
}
