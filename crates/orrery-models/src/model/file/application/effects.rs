//! The effects of categories:
//! `{"degrees": 80, "factors": [{"categories": ["depth"], "levels": [{"levels": ["0"], …}]}]}`.

use std::collections::BTreeSet;

use orrery_applications::scaling::{Effect, Effects};

/// Validates effects: known categories and levels, factors above 0.
pub(super) fn check(effects: &Effects) -> Result<(), String> {
    if effects.is_empty() {
        return Ok(());
    }
    if !(effects.degrees.is_finite() && effects.degrees >= 1.0) {
        return Err(format!(
            "the degrees of freedom of the effects are {}, but must be 1 or more",
            effects.degrees
        ));
    }
    let mut seen = BTreeSet::new();
    for Effect { categories, levels } in &effects.effects {
        let name = categories.join(" × ");
        let own = categories.iter().map(|category| effects.levels(category).into_iter().collect());
        let own: Vec<BTreeSet<&str>> = own.collect();
        let is_known = match categories.as_slice() {
            [_] => true,
            [one, other] => one != other && own.iter().all(|levels| !levels.is_empty()),
            _ => false,
        };
        if !is_known {
            return Err(format!(
                "the effect of {name:?} must be of one category, or of two that each have an \
                    effect, too"
            ));
        }
        if !seen.insert(categories) {
            return Err(format!("the effect of {name:?} occurs twice"));
        }
        if levels.is_empty() {
            return Err(format!("the effect of {name:?} has no levels, but needs at least one"));
        }
        let mut seen = BTreeSet::new();
        for level in levels {
            let words = level.levels.join(", ");
            let is_known = level.levels.len() == categories.len()
                && level.levels.iter().zip(&own).all(|(level, own)| own.contains(level.as_str()));
            if !is_known || !seen.insert(&level.levels) {
                return Err(format!("the levels {words:?} of {name:?} are unknown or occur twice"));
            }
            let (factor, deviation) = (level.factor, level.deviation);
            if !(factor.is_finite() && factor > 0.0 && deviation.is_finite() && deviation >= 0.0) {
                return Err(format!(
                    "the factor of {words:?} of {name:?} is {factor} ± {deviation}, but must be \
                        above 0 with a deviation of 0 or more"
                ));
            }
        }
    }
    Ok(())
}
