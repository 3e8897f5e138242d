//! Composition: P-T models of a kind taken from another kind and scaled.

use serde::{Deserialize, Serialize};

use super::nt_model::NtModel;
use super::pt_model::{MIN_PROCESS_COUNTS, PtModel, pt_models};
use crate::scaling::observations::FitError;

/// A request to compose the missing P-T models of a kind from another kind.
#[derive(Debug, Clone, PartialEq)]
pub struct CompositionRule {
    /// The kind without P-T models.
    pub kind: String,
    /// The kind that provides them.
    pub from: String,
    /// The factors of Ta and Tc; `None` to estimate them from runs on single elements of both
    /// kinds.
    pub scales: Option<(f64, f64)>,
}

/// A composition: the P-T models of a kind are those of another kind with scaled times.
///
/// Ta of `kind` is `computation` × Ta of `from`, Tc is `communication` × Tc of `from`. Source:
/// Kishimoto, Ichikawa (2004), section 3.5; the factors were 0.27 and 0.85 there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Composition {
    /// The kind with composed models.
    pub kind: String,
    /// The kind that provides the models.
    pub from: String,
    /// M_i of the composed model and that of its source; `None` for all M_i of the source, each
    /// from the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_element: Option<(u32, u32)>,
    /// The factor of Ta.
    pub computation: f64,
    /// The factor of Tc.
    pub communication: f64,
    /// True if the factors were estimated, false if they were given.
    #[serde(default)]
    pub estimated: bool,
}

/// Adds composed P-T models: by the rules; for other kinds without P-T models from the kind that
/// has the most; and for each measured M_i that is still without one from the closest model. Where
/// no other model can be composed, a P-T model is fitted to two different P, which show nothing
/// about its error.
pub(super) fn compose(
    rules: &[CompositionRule],
    kinds: &[String],
    sizes: &[NtModel],
    models: &mut Vec<PtModel>,
) -> Result<Vec<Composition>, FitError> {
    let own = models.clone();
    let count_of = |kind: &str| own.iter().filter(|model| model.kind == kind).count();
    let mut compositions = Vec::new();
    for (index, rule) in rules.iter().enumerate() {
        for name in [&rule.kind, &rule.from] {
            if !kinds.contains(name) {
                return Err(FitError::unknown_kind(name, kinds));
            }
        }
        if rules[..index].iter().any(|other| other.kind == rule.kind) {
            return Err(invalid_rule(rule, "there are two rules for it; keep one"));
        }
        compositions.push(composition(rule, sizes)?);
        if count_of(&rule.from) == 0 {
            return Err(invalid_rule(
                rule,
                "that kind has no P-T models; measure several elements of it with three different \
                    P > M",
            ));
        }
    }
    // The first kind with the largest number of models.
    let donor =
        kinds.iter().rev().max_by_key(|kind| count_of(kind)).filter(|kind| count_of(kind) > 0);
    for kind in kinds
        .iter()
        .filter(|kind| count_of(kind) == 0 && rules.iter().all(|rule| rule.kind != **kind))
    {
        if let Some(from) = donor {
            let rule = CompositionRule { kind: kind.clone(), from: from.clone(), scales: None };
            compositions.push(composition(&rule, sizes)?);
        }
    }
    for composition in &compositions {
        let provided = own.iter().filter(|model| model.kind == composition.from);
        let missing = |model: &&PtModel| {
            !own.iter().any(|known| {
                known.kind == composition.kind && known.per_element == model.per_element
            })
        };
        models.extend(provided.filter(missing).map(|model| scaled(model, composition)));
    }
    // Two P determine a P-T model, too, but not how far it may be wrong.
    let of_two = pt_models(sizes, MIN_PROCESS_COUNTS)?;
    for (kind, per_element) in uncovered(sizes, models) {
        let is_own = |model: &&PtModel| model.kind == kind && model.per_element == per_element;
        let of_own: Vec<PtModel> = of_two.iter().filter(is_own).cloned().collect();
        if let Some((composition, composed)) = closest(kind, per_element, sizes, &own) {
            compositions.push(composition);
            models.extend(composed);
        } else if !of_own.is_empty() {
            models.extend(of_own);
        } else if let Some((composition, composed)) = closest(kind, per_element, sizes, &of_two) {
            compositions.push(composition);
            models.extend(composed);
        }
    }
    models
        .sort_by(|a, b| (&a.kind, a.per_element, a.range).cmp(&(&b.kind, b.per_element, b.range)));
    Ok(compositions)
}

/// The kinds and M_i with N-T models but no P-T model.
fn uncovered<'a>(sizes: &'a [NtModel], models: &[PtModel]) -> Vec<(&'a str, u32)> {
    let is_covered = |kind: &str, per_element: u32| {
        models.iter().any(|model| model.kind == kind && model.per_element == per_element)
    };
    let mut all: Vec<(&str, u32)> =
        sizes.iter().map(|model| (model.kind.as_str(), model.per_element)).collect();
    all.sort_unstable();
    all.dedup();
    all.retain(|&(kind, per_element)| !is_covered(kind, per_element));
    all
}

/// The P-T models of a kind and M_i composed from the closest fitted ones: of another kind with the
/// same M_i, of the same kind, or of any; of the nearest M_i. `None` if single elements of both
/// were not measured at a common size.
fn closest(
    kind: &str,
    per_element: u32,
    sizes: &[NtModel],
    own: &[PtModel],
) -> Option<(Composition, Vec<PtModel>)> {
    let mut sources: Vec<(&str, u32)> =
        own.iter().map(|model| (model.kind.as_str(), model.per_element)).collect();
    sources.sort_by_key(|&(from, other)| {
        (other != per_element, from != kind, other.abs_diff(per_element))
    });
    sources.dedup();
    sources.into_iter().find_map(|(from, other)| {
        let (computation, communication) =
            factors(sizes, (kind, Some(per_element)), (from, Some(other)))?;
        // Single elements have P = M_i, but the models apply to equal P; the communication inside
        // an element grows with M_i, that between elements does not.
        let computation = computation * f64::from(per_element) / f64::from(other);
        let communication = if per_element == other { communication } else { 1.0 };
        let composition = Composition {
            kind: kind.to_owned(),
            from: from.to_owned(),
            per_element: Some((per_element, other)),
            computation,
            communication,
            estimated: true,
        };
        let source = own.iter().filter(|model| model.kind == from && model.per_element == other);
        let composed = source.map(|model| {
            let least = u64::from(per_element) + 1;
            let processes = (model.processes.0.max(least), model.processes.1.max(least));
            PtModel { per_element, processes, ..scaled(model, &composition) }
        });
        let composed = composed.collect();
        Some((composition, composed))
    })
}

/// The error of a rule.
fn invalid_rule(rule: &CompositionRule, reason: &str) -> FitError {
    FitError::Other(format!("{} cannot be composed from {}: {reason}", rule.kind, rule.from))
}

/// A P-T model with scaled times; its coefficients are linear in Ta and Tc.
fn scaled(model: &PtModel, composition: &Composition) -> PtModel {
    PtModel {
        kind: composition.kind.clone(),
        computation: model.computation.map(|k| k * composition.computation),
        communication: model.communication.map(|k| k * composition.communication),
        composed_from: Some(composition.from.clone()),
        ..model.clone()
    }
}

/// The composition of a rule, with estimated factors if none are given.
fn composition(rule: &CompositionRule, sizes: &[NtModel]) -> Result<Composition, FitError> {
    if rule.kind == rule.from {
        return Err(invalid_rule(rule, "it is the same kind; name another kind"));
    }
    let (computation, communication) = match rule.scales {
        Some((work, talk))
            if [work, talk].iter().all(|scale| scale.is_finite() && *scale > 0.0) =>
        {
            (work, talk)
        }
        Some(_) => return Err(invalid_rule(rule, "the factors must be above 0")),
        None => estimated_factors(rule, sizes)?,
    };
    let (kind, from) = (rule.kind.clone(), rule.from.clone());
    Ok(Composition {
        kind,
        from,
        per_element: None,
        computation,
        communication,
        estimated: rule.scales.is_none(),
    })
}

/// The reason why factors cannot be estimated.
const NO_COMMON_RUNS: &str = "single elements of both kinds have no runs with the same sizes and \
    processes; measure them, or \
                              give the factors of computation and communication";

/// The factors of Ta and Tc of a rule, estimated from N-T models of single elements; an error
/// without runs of both kinds with the same sizes and processes.
fn estimated_factors(rule: &CompositionRule, sizes: &[NtModel]) -> Result<(f64, f64), FitError> {
    factors(sizes, (&rule.kind, None), (&rule.from, None))
        .ok_or_else(|| invalid_rule(rule, NO_COMMON_RUNS))
}

/// The factors of Ta and Tc between the N-T models of single elements of two kinds, by least
/// squares through the origin over all common sizes, for the given M_i or all common ones: Σ
/// T_kind·T_from / Σ T_from². `None` without common sizes.
///
/// If single elements do not communicate, the factor of Tc is 1: message times do not depend on the
/// kind of the sender (the third assumption of section 3.1).
fn factors(
    sizes: &[NtModel],
    (kind, per_element): (&str, Option<u32>),
    (from, from_per_element): (&str, Option<u32>),
) -> Option<(f64, f64)> {
    let single = |model: &&NtModel| model.processes == u64::from(model.per_element);
    let of = |kind: &str, per_element: Option<u32>| {
        let chosen = sizes.iter().filter(single).filter(|model| model.kind == kind);
        chosen
            .filter(|model| per_element.is_none_or(|m| m == model.per_element))
            .collect::<Vec<_>>()
    };
    let others = of(from, from_per_element);
    let (mut computation, mut communication) = (Ratio::default(), Ratio::default());
    for own in of(kind, per_element) {
        for other in others
            .iter()
            .filter(|other| per_element.is_some() || other.per_element == own.per_element)
        {
            for &size in own.sizes.iter().filter(|size| other.sizes.contains(size)) {
                computation.add(
                    own.coefficients().computation_at(size),
                    other.coefficients().computation_at(size),
                );
                communication.add(
                    own.coefficients().communication_at(size),
                    other.coefficients().communication_at(size),
                );
            }
        }
    }
    let positive =
        |ratio: &Ratio| ratio.value().filter(|factor| factor.is_finite() && *factor > 0.0);
    Some((positive(&computation)?, positive(&communication).unwrap_or(1.0)))
}

/// The least-squares slope of y over x through the origin.
#[derive(Debug, Default)]
struct Ratio {
    products: f64,
    squares: f64,
}

impl Ratio {
    /// Adds a point.
    fn add(&mut self, y: f64, x: f64) {
        self.products += x * y;
        self.squares += x * x;
    }

    /// The slope; `None` if no x differs from 0.
    fn value(&self) -> Option<f64> {
        (self.squares > 0.0).then(|| self.products / self.squares)
    }
}
