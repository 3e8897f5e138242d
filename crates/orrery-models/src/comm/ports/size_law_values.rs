//! The effects of the size as parameters of a model file.

use orrery_base::numeric::Estimate;
use orrery_play::simulate::{SizeEffect, SizeLaw};

use crate::comm::{Index, ParameterValues};

/// The law of the parameters in a model file; `None` if both are not known at the same sizes, or if
/// the law is not valid.
pub(super) fn from_values(effective: &ParameterValues, fixed: &ParameterValues) -> Option<SizeLaw> {
    let (Index::Sizes(sizes), Index::Sizes(others)) = (&effective.index, &fixed.index) else {
        return None;
    };
    let values = effective.estimates.iter().zip(&fixed.estimates);
    let effects = sizes.iter().zip(values).map(|(&size, (effective, fixed))| SizeEffect {
        size,
        effective: effective.value,
        fixed: fixed.value,
    });
    (sizes == others).then(|| SizeLaw::new(effects.collect())).flatten()
}

/// The parameters in a model file: sizes, effective sizes and fixed times; `None` for a linear law.
pub(super) fn to_values(law: &SizeLaw) -> Option<(Index, [Vec<Estimate>; 2])> {
    let values = |of: fn(&SizeEffect) -> f64| {
        law.effects().iter().map(|one| Estimate::exact(of(one))).collect()
    };
    let sizes = Index::Sizes(law.effects().iter().map(|one| one.size).collect());
    (!law.is_linear()).then(|| (sizes, [values(|one| one.effective), values(|one| one.fixed)]))
}
