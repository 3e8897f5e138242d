//! The parameters of a kind of model, with their intervals.

use std::ffi::c_char;

use orrery::comm::{Index, ParameterSpec, Shape};
use orrery::numeric::{Estimate, Interval};
use orrery::platform::Pairs;

use crate::argument::{array, is_given, kind, put, text};
use crate::handles::{self, ModelHandle};
use crate::status::{Failure, Status, guard};

/// A parameter with its interval.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CEstimate {
    /// The value.
    pub value: f64,
    /// The ends of the interval; not-a-number if there is none.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// The confidence level of the interval, such as 0.95; not-a-number if there is none.
    pub level: f64,
}

impl From<Estimate> for CEstimate {
    fn from(estimate: Estimate) -> Self {
        let none = Interval { low: f64::NAN, high: f64::NAN, level: f64::NAN };
        let Interval { low, high, level } = estimate.interval.unwrap_or(none);
        Self { value: estimate.value, low, high, level }
    }
}

impl CEstimate {
    /// The estimate, without interval if its ends and its level are not-a-number; a failure unless
    /// the numbers are finite, 0 ≤ low ≤ value ≤ high and 0 < level < 1. `name` is that of the
    /// parameter.
    fn checked(self, name: &str) -> Result<Estimate, Failure> {
        let Self { value, low, high, level } = self;
        let has_none = low.is_nan() && high.is_nan() && level.is_nan();
        let is_ordered = 0.0 <= low
            && low <= value
            && value <= high
            && high.is_finite()
            && 0.0 < level
            && level < 1.0;
        if !value.is_finite() || value < 0.0 || !(has_none || is_ordered) {
            let rule =
                "0 <= low <= value <= high and 0 < level < 1, or not-a-number for no interval";
            return Err(Failure::argument(format!(
                "{name}: {value} in [{low}, {high}] is no estimate; {rule}"
            )));
        }
        let interval = (!has_none).then_some(Interval { low, high, level });
        Ok(Estimate { interval, ..Estimate::exact(value) })
    }
}

/// The values of a parameter by its name in the model file, such as "fixed_delay": one for each
/// processor, for each pair 0-1, 0-2, …, 1-2, …, for each size of a function, or one. `count` gets
/// their number; with a capacity below it, no value is written, and the status is
/// `ORRERY_CAPACITY`.
///
/// # Safety
///
/// `kind_name` and `name` are texts; `values` has room for `capacity` values or is null; `count`
/// points to memory for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn orrery_model_parameter(
    model: ModelHandle,
    kind_name: *const c_char,
    name: *const c_char,
    values: *mut CEstimate,
    capacity: usize,
    count: *mut usize,
) -> Status {
    guard(|| {
        is_given(count, "count")?;
        let model = handles::get(model)?;
        // SAFETY: as the caller guarantees.
        let (kind, name) = unsafe { (kind(kind_name)?, text(name, "name")?) };
        let lacks =
            |what: String| Failure::new(Status::ORRERY_MODEL, format!("the model has no {what}"));
        let parameters = model.parameters(kind).ok_or_else(|| lacks(kind.to_string()))?;
        let found = parameters.get(name).ok_or_else(|| lacks(format!("{name} of {kind}")))?;
        // SAFETY: as the caller guarantees.
        unsafe { put(count, found.estimates.len(), "count")? };
        if capacity < found.estimates.len() {
            let message = format!(
                "{name} has {} values, but there is room for {capacity}; give larger arrays",
                found.estimates.len()
            );
            return Err(Failure::new(Status::ORRERY_CAPACITY, message));
        }
        for (place, estimate) in found.estimates.iter().enumerate() {
            // SAFETY: as the caller guarantees; the place is below the capacity.
            unsafe { put(values.wrapping_add(place), (*estimate).into(), "values")? };
        }
        Ok(())
    })
}

/// Replaces the values of a parameter that the model has, as many as before. Threads that predict
/// meanwhile use the old or the new values. Correlations of the errors of this kind of model are
/// removed.
///
/// # Safety
///
/// `kind_name` and `name` are texts; `values` has `count` values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn orrery_model_set_parameter(
    model: ModelHandle,
    kind_name: *const c_char,
    name: *const c_char,
    values: *const CEstimate,
    count: usize,
) -> Status {
    guard(|| {
        // SAFETY: as the caller guarantees.
        let (kind, name, values) =
            unsafe { (kind(kind_name)?, text(name, "name")?, array(values, count, "values")?) };
        let estimates = values
            .iter()
            .map(|one| one.checked(name))
            .collect::<Result<Vec<Estimate>, Failure>>()?;
        handles::replace(model, |model| {
            let processors = model.processors();
            let parameters = model.point_to_point.get_mut(&kind.stored_as());
            let found = parameters.and_then(|all| all.get_mut(name));
            let found = found.ok_or_else(|| {
                Failure::new(
                    Status::ORRERY_MODEL,
                    format!("the model has no {name} of {kind} to replace"),
                )
            })?;
            let specs: Option<(Shape, &ParameterSpec)> =
                kind.parameters().find(|(_, spec)| spec.name == name);
            let expected = match (specs.map(|(shape, _)| shape), &found.index) {
                (Some(Shape::Processors), Index::Implied) => processors,
                (Some(Shape::Pairs), Index::Implied) => Pairs::of(processors).count(),
                _ => found.estimates.len(),
            };
            if estimates.len() != expected {
                return Err(Failure::argument(format!(
                    "{name} has {expected} values, but {} are given; give one for each",
                    estimates.len()
                )));
            }
            found.estimates = estimates;
            model.correlations.remove(&kind.stored_as());
            Ok(())
        })
    })
}
