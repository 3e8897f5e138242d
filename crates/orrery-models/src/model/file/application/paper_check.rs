//! Validation of N-T and P-T models when they are read or written.

use orrery_applications::scaling::paper::{
    Adjustment, Composition, MemoryLimits, NtModel, PaperModel, PtModel,
};

/// An invalid entry: the key of its list, its index, and the reason.
pub(super) struct Wrong {
    pub(super) key: &'static str,
    pub(super) entry: Option<usize>,
    pub(super) reason: String,
}

/// Validates all entries of a model of the method `paper`.
pub(super) fn check(model: &PaperModel) -> Result<(), Wrong> {
    let kinds = &model.kinds;
    each("kinds", kinds, |place, kind| {
        if kinds[..place].contains(kind) {
            Err(format!("the kind {kind:?} is there twice"))
        } else {
            Ok(())
        }
    })?;
    each("limits", &model.limits, |place, limits| {
        known(kinds, &limits.kind)?;
        once(place, model.limits.iter().map(|other| &other.kind))?;
        check_limits(limits)
    })?;
    each("size_models", &model.nt_models, |place, size| {
        known(kinds, &size.kind)?;
        let key = |m: &NtModel| (m.kind.clone(), m.per_element, m.range, m.processes);
        once(place, model.nt_models.iter().map(key))?;
        check_size(size)
    })?;
    each("process_models", &model.pt_models, |place, process| {
        known(kinds, &process.kind)?;
        process.composed_from.iter().try_for_each(|from| known(kinds, from))?;
        let key = |m: &PtModel| (m.kind.clone(), m.per_element, m.range);
        once(place, model.pt_models.iter().map(key))?;
        check_process(process)
    })?;
    each("compositions", &model.compositions, |_, composition| {
        check_composition(kinds, composition)
    })?;
    let whole = |key, reason| Wrong { key, entry: None, reason };
    if model.nt_models.is_empty() {
        return Err(whole(
            "size_models",
            "the array is empty; it must have an N-T model".to_owned(),
        ));
    }
    if let Some(adjustment) = &model.adjustment {
        check_adjustment(kinds, adjustment).map_err(|reason| whole("adjustment", reason))?;
    }
    match model.constants.iter().find(|(_, value)| !value.is_finite()) {
        Some((name, value)) => {
            Err(whole("constants", format!("{name} is {value}, but must be finite")))
        }
        None => Ok(()),
    }
}

/// Validates every entry of a list; an error names the entry.
fn each<T>(
    key: &'static str,
    all: &[T],
    fine: impl Fn(usize, &T) -> Result<(), String>,
) -> Result<(), Wrong> {
    let one = |(entry, value)| {
        fine(entry, value).map_err(|reason| Wrong { key, entry: Some(entry), reason })
    };
    all.iter().enumerate().try_for_each(one)
}

/// Returns an error if a kind is not in the list.
fn known(kinds: &[String], kind: &String) -> Result<(), String> {
    let unknown = || format!("{kind:?} is not one of the \"kinds\", {}", kinds.join(", "));
    kinds.contains(kind).then_some(()).ok_or_else(unknown)
}

/// Returns an error if an earlier entry has the same key.
fn once<K: PartialEq>(place: usize, keys: impl Iterator<Item = K>) -> Result<(), String> {
    let mut keys: Vec<K> = keys.take(place + 1).collect();
    let last = keys.pop();
    let twice = keys.iter().any(|key| Some(key) == last.as_ref());
    (!twice).then_some(()).ok_or_else(|| "an earlier entry is for the same".to_owned())
}

/// Returns an error if a number is not finite.
fn finite(numbers: impl IntoIterator<Item = f64>) -> Result<(), String> {
    match numbers.into_iter().find(|number| !number.is_finite()) {
        Some(number) => Err(format!("a coefficient is {number}, but must be finite")),
        None => Ok(()),
    }
}

/// Validates the memory limits of a kind: at least one, finite, above 0 and ascending.
fn check_limits(limits: &MemoryLimits) -> Result<(), String> {
    let bytes = &limits.bytes;
    let fine = !bytes.is_empty() && bytes.iter().all(|limit| limit.is_finite() && *limit > 0.0);
    let ascending = bytes.is_sorted_by(|a, b| a < b);
    (fine && ascending)
        .then_some(())
        .ok_or_else(|| "the limits must be above 0 and in ascending order".to_owned())
}

/// Validates an N-T model: finite coefficients, and consistent processes and sizes.
fn check_size(model: &NtModel) -> Result<(), String> {
    finite(model.computation.into_iter().chain(model.communication))?;
    if model.per_element == 0 || model.processes < u64::from(model.per_element) {
        return Err(format!(
            "the number of processes is {}, but must be at least that on each element, {}, and \
                both above 0",
            model.processes, model.per_element
        ));
    }
    let fine =
        !model.sizes.is_empty() && model.sizes.iter().all(|size| size.is_finite() && *size > 0.0);
    let ascending = model.sizes.is_sorted_by(|a, b| a < b);
    (fine && ascending)
        .then_some(())
        .ok_or_else(|| "the sizes must be above 0 and in ascending order".to_owned())
}

/// Validates a P-T model: finite coefficients, and consistent ranges of processes and sizes.
fn check_process(model: &PtModel) -> Result<(), String> {
    let reference = model.reference;
    finite(model.computation.into_iter().chain(model.communication))?;
    finite(reference.computation.into_iter().chain(reference.communication))?;
    let (fewest, most) = model.processes;
    if model.per_element == 0 || fewest <= u64::from(model.per_element) || most < fewest {
        return Err(format!(
            "the processes are {fewest} to {most}; these must ascend and be above those on each \
                element, {}",
            model.per_element
        ));
    }
    let (low, high) = model.sizes;
    let fine = low.is_finite() && high.is_finite() && 0.0 < low && low <= high;
    fine.then_some(())
        .ok_or_else(|| format!("the sizes are {low} to {high}, but must be above 0 and ascend"))
}

/// Validates the factors of a composed model.
fn check_composition(kinds: &[String], composition: &Composition) -> Result<(), String> {
    known(kinds, &composition.kind)?;
    known(kinds, &composition.from)?;
    if composition.per_element.is_some_and(|(own, other)| own == 0 || other == 0) {
        return Err("the numbers of processes per element must be above 0".to_owned());
    }
    let fine = [composition.computation, composition.communication]
        .into_iter()
        .all(|f| f.is_finite() && f > 0.0);
    fine.then_some(()).ok_or_else(|| "the factors must be finite and above 0".to_owned())
}

/// Validates the adjustment of a kind: a known kind and finite coefficients.
fn check_adjustment(kinds: &[String], adjustment: &Adjustment) -> Result<(), String> {
    known(kinds, &adjustment.kind)?;
    finite([adjustment.intercept, adjustment.slope])
}
