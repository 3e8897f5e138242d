//! Campaigns of kernels: which dimensions to measure next.

use std::collections::BTreeSet;

use crate::sample::{KernelConditions, KernelReading};
use orrery_base::numeric::relative_half_width_of_median;
use orrery_base::units::Seconds;
use orrery_program::kernel::{
    Kernel, KernelCall, KernelCallError, KernelMachine, KernelModel, KernelRunError, KernelTime,
    fit,
};

/// A campaign that measures a variant of a kernel at dimensions in a range.
///
/// The corners of the range come first, then points that fill it evenly, half of them in the
/// logarithms of the dimensions. With enough calls for a model, points come next that are far from
/// measured ones, and near those that the model explains badly.
#[derive(Debug, Clone, PartialEq)]
pub struct KernelCampaign {
    /// The conditions of all readings.
    pub conditions: KernelConditions,
    /// The kernel.
    pub kernel: Kernel,
    /// The variant.
    pub variant: &'static str,
    /// The smallest and the largest dimension.
    pub dimensions: [u64; 2],
    /// The smallest and the largest number of repetitions of a call.
    pub repetitions: [u32; 2],
    /// The relative half-width of the interval of a median at which repetitions end.
    pub precision: f64,
}

/// The reason why a campaign of a kernel ends early.
#[derive(Debug, thiserror::Error)]
pub enum KernelCampaignError<E: std::error::Error + 'static> {
    /// The range of dimensions is empty, or contains an impossible one.
    #[error("dimensions {0} to {1}: give the smallest one first")]
    Range(u64, u64),
    /// A call is impossible.
    #[error(transparent)]
    Call(#[from] KernelCallError),
    /// A call did not run.
    #[error(transparent)]
    Run(#[from] KernelRunError),
    /// Readings could not be stored.
    #[error(transparent)]
    Store(E),
}

/// The number of points from which the next one is chosen.
const CANDIDATES: u64 = 64;

/// The number of calls after which the model is fitted again.
const CALLS_PER_FIT: usize = 8;

/// The largest part of the remaining time that a call may take with its repetitions.
const MAX_PART: f64 = 0.125;

/// The level of the interval of a median.
const LEVEL: f64 = 0.95;

impl KernelCampaign {
    /// Measures calls until no time remains, or no call fits into it, and passes the readings of
    /// each to `store`; returns the number of measured calls. `known` are readings of earlier
    /// campaigns, which are not repeated.
    ///
    /// # Errors
    ///
    /// When the range of dimensions is empty, a call fails, or readings cannot be stored.
    pub fn run<E: std::error::Error + 'static>(
        &self,
        machine: &mut dyn KernelMachine,
        known: &[KernelReading],
        remaining: &mut dyn FnMut() -> Seconds,
        store: &mut dyn FnMut(&[KernelReading]) -> Result<(), E>,
    ) -> Result<usize, KernelCampaignError<E>> {
        let [low, high] = self.dimensions;
        if low > high {
            return Err(KernelCampaignError::Range(low, high));
        }
        let is_own = |one: &&KernelReading| {
            let (kernel, variant) = (one.call.kernel(), one.call.variant());
            one.conditions == self.conditions && kernel == self.kernel && variant == self.variant
        };
        let known = known.iter().filter(is_own);
        let mut times: Vec<KernelTime> =
            known.map(|one| KernelTime { call: one.call, seconds: one.seconds }).collect();
        let (mut model, mut calls) = (None, 0);
        let mut next_fit = 0;
        loop {
            if calls >= next_fit {
                model = fit(&times, LEVEL).ok();
                next_fit = calls + CALLS_PER_FIT;
            }
            let limit = MAX_PART * remaining().get() / f64::from(self.repetitions[0] + 1);
            let Some(call) = self.next_call(&times, model.as_ref(), limit)? else {
                return Ok(calls);
            };
            let readings = self.readings(machine, call)?;
            store(&readings).map_err(KernelCampaignError::Store)?;
            times.extend(readings.iter().map(|one| KernelTime { call, seconds: one.seconds }));
            calls += 1;
        }
    }

    /// Measures given calls in their order until all are measured or no time remains; returns how
    /// many were measured. Those of other kernels or variants and those of `known` are left out.
    /// The range of dimensions is not used.
    ///
    /// # Errors
    ///
    /// When a call fails, or readings cannot be stored.
    pub fn run_calls<E: std::error::Error + 'static>(
        &self,
        machine: &mut dyn KernelMachine,
        calls: &[KernelCall],
        known: &[KernelReading],
        remaining: &mut dyn FnMut() -> Seconds,
        store: &mut dyn FnMut(&[KernelReading]) -> Result<(), E>,
    ) -> Result<usize, KernelCampaignError<E>> {
        let known = known.iter().filter(|one| one.conditions == self.conditions);
        let mut measured: BTreeSet<KernelCall> = known.map(|one| one.call).collect();
        let mut count = 0;
        for &call in calls
            .iter()
            .filter(|call| call.kernel() == self.kernel && call.variant() == self.variant)
        {
            if remaining() <= Seconds::ZERO {
                break;
            }
            if measured.insert(call) {
                store(&self.readings(machine, call)?).map_err(KernelCampaignError::Store)?;
                count += 1;
            }
        }
        Ok(count)
    }

    /// The readings of a call: the smallest number of repetitions, or the largest one if the median
    /// is not precise then.
    fn readings(
        &self,
        machine: &mut dyn KernelMachine,
        call: KernelCall,
    ) -> Result<Vec<KernelReading>, KernelRunError> {
        let [least, most] = self.repetitions.map(|one| one.max(1));
        let mut found = machine.run(&call, self.conditions.operands, least)?;
        let half_width = |seconds: &[Seconds]| {
            let values: Vec<f64> = seconds.iter().map(|one| one.get()).collect();
            relative_half_width_of_median(&values, LEVEL)
        };
        if least < most && half_width(&found.seconds) > self.precision {
            found
                .seconds
                .extend(machine.run(&call, self.conditions.operands, most - least)?.seconds);
        }
        let reading = |(rep, seconds): (u32, &Seconds)| KernelReading {
            conditions: self.conditions.clone(),
            call,
            rep,
            seconds: *seconds,
            memory: found.memory,
        };
        Ok((0..).zip(&found.seconds).map(reading).collect())
    }

    /// The next call whose time is at most `limit` seconds, corners of the range first; `None` if
    /// there is none.
    fn next_call(
        &self,
        times: &[KernelTime],
        model: Option<&KernelModel>,
        limit: f64,
    ) -> Result<Option<KernelCall>, KernelCallError> {
        let mut measured: Vec<KernelCall> = times.iter().map(|one| one.call).collect();
        measured.sort_unstable();
        measured.dedup();
        // The rate at the largest call, for calls that no model predicts.
        let largest =
            times.iter().max_by(|a, b| a.call.operations().total_cmp(&b.call.operations()));
        let time_of =
            |call: &KernelCall| match (model.and_then(|model| model.predict(call)), largest) {
                (Some(predicted), _) => predicted.value,
                (None, Some(one)) => one.seconds.get() * call.operations() / one.call.operations(),
                (None, None) => 0.0,
            };
        let fits = |call: &KernelCall| limit > 0.0 && time_of(call) <= limit;
        for corner in self.corners()? {
            if measured.binary_search(&corner).is_err() && fits(&corner) {
                return Ok(Some(corner));
            }
        }
        // How badly the model explains each measured call.
        let misfit = |call: &KernelCall| {
            let (Some(model), own) = (model, times.iter().filter(|one| one.call == *call)) else {
                return 1.0;
            };
            let errors = own.filter_map(|one| {
                Some((model.predict(call)?.value / one.seconds.get()).ln().abs())
            });
            1.0 + errors.fold(0.0, f64::max)
                / model.pieces.iter().map(|piece| piece.deviation).fold(0.01, f64::max)
        };
        let misfits: Vec<f64> = measured.iter().map(misfit).collect();
        let first = measured.len() as u64;
        let mut best: Option<(f64, KernelCall)> = None;
        for number in first..first + CANDIDATES {
            let call = self.point(number)?;
            if measured.binary_search(&call).is_ok() || !fits(&call) {
                continue;
            }
            let near = measured
                .iter()
                .zip(&misfits)
                .map(|(other, misfit)| (distance(&call, other), misfit));
            let score = near
                .min_by(|a, b| a.0.total_cmp(&b.0))
                .map_or(1.0, |(distance, misfit)| distance * misfit);
            if best.as_ref().is_none_or(|(highest, _)| score > *highest) {
                best = Some((score, call));
            }
        }
        Ok(best.map(|(_, call)| call))
    }

    /// The calls with the smallest or the largest value in each dimension, those with few
    /// operations first.
    fn corners(&self) -> Result<Vec<KernelCall>, KernelCallError> {
        let corner = |number: usize| [0, 1, 2].map(|place| self.dimensions[(number >> place) & 1]);
        let mut corners = (0..8)
            .map(|number| KernelCall::new(self.kernel, self.variant, corner(number)))
            .collect::<Result<Vec<_>, _>>()?;
        corners.sort_by(|a, b| a.operations().total_cmp(&b.operations()).then(a.cmp(b)));
        corners.dedup();
        Ok(corners)
    }

    /// Point `number` of a sequence that fills the range evenly (Halton); every other one in
    /// logarithms.
    fn point(&self, number: u64) -> Result<KernelCall, KernelCallError> {
        let [low, high] = self.dimensions.map(|dimension| dimension as f64);
        let place = |base: u64| {
            let part = radical_inverse(number + 1, base);
            let value = if number.is_multiple_of(2) {
                low * (high / low).powf(part)
            } else {
                low + (high - low) * part
            };
            (value.round() as u64).clamp(self.dimensions[0], self.dimensions[1])
        };
        KernelCall::new(self.kernel, self.variant, [2, 3, 5].map(place))
    }
}

/// The radical inverse: the digits of a number in a base, mirrored at the point; from 0 to 1.
fn radical_inverse(mut number: u64, base: u64) -> f64 {
    let (mut value, mut part) = (0.0, 1.0);
    while number > 0 {
        part /= base as f64;
        value += part * (number % base) as f64;
        number /= base;
    }
    value
}

/// The distance of two calls in the logarithms of their dimensions.
fn distance(a: &KernelCall, b: &KernelCall) -> f64 {
    let log = |dimension: u64| (dimension as f64).ln();
    a.dimensions()
        .iter()
        .zip(b.dimensions())
        .map(|(&a, b)| (log(a) - log(b)).powi(2))
        .sum::<f64>()
        .sqrt()
}
