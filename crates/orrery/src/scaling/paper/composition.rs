//! Composition: P-T models of a kind taken from another kind and scaled.

use super::error::PaperError;
use super::nt_model::NtModel;
use super::pt_model::PtModel;
use crate::scaling::observations::FitError;

/// A request to compose the missing P-T models of a kind from another kind.
#[derive(Debug, Clone, PartialEq)]
pub struct CompositionRule {
    /// The kind without P-T models.
    pub kind: String,
    /// The kind that provides them.
    pub from: String,
    /// The factors of Ta and Tc; `None` to estimate them from runs on single elements of both kinds.
    pub scales: Option<(f64, f64)>,
}

/// A composition: the P-T models of a kind are those of another kind with scaled times.
///
/// Ta of `kind` is `computation` × Ta of `from`, Tc is `communication` × Tc of `from`. Source: Kishimoto, Ichikawa (2004),
/// section 3.5; the factors were 0.27 and 0.85 there.
#[derive(Debug, Clone, PartialEq)]
pub struct Composition {
    /// The kind with composed models.
    pub kind: String,
    /// The kind that provides the models.
    pub from: String,
    /// The factor of Ta.
    pub computation: f64,
    /// The factor of Tc.
    pub communication: f64,
    /// True if the factors were estimated, false if they were given.
    pub estimated: bool,
}

/// Adds composed P-T models: by the rules, and for other kinds without P-T models from the kind that has the most.
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
                return Err(FitError::UnknownKind { kind: name.clone(), kinds: kinds.to_vec() });
            }
        }
        if rules[..index].iter().any(|other| other.kind == rule.kind) {
            return Err(invalid_rule(rule, "there are two rules for it; keep one"));
        }
        compositions.push(composition(rule, sizes)?);
        if count_of(&rule.from) == 0 {
            return Err(invalid_rule(
                rule,
                "that kind has no P-T models; measure several elements of it with three different P > M",
            ));
        }
    }
    // The first kind with the largest number of models.
    let donor = kinds.iter().rev().max_by_key(|kind| count_of(kind)).filter(|kind| count_of(kind) > 0);
    for kind in kinds.iter().filter(|kind| count_of(kind) == 0 && rules.iter().all(|rule| rule.kind != **kind)) {
        if let Some(from) = donor {
            let rule = CompositionRule { kind: kind.clone(), from: from.clone(), scales: None };
            compositions.push(composition(&rule, sizes)?);
        }
    }
    for composition in &compositions {
        let provided = own.iter().filter(|model| model.kind == composition.from);
        let missing = |model: &&PtModel| {
            !own.iter().any(|known| known.kind == composition.kind && known.per_element == model.per_element)
        };
        models.extend(provided.filter(missing).map(|model| scaled(model, composition)));
    }
    models.sort_by(|a, b| (&a.kind, a.per_element, a.range).cmp(&(&b.kind, b.per_element, b.range)));
    Ok(compositions)
}

/// The error of a rule.
fn invalid_rule(rule: &CompositionRule, reason: &'static str) -> FitError {
    PaperError::Composition { kind: rule.kind.clone(), from: rule.from.clone(), reason }.into()
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
        Some((work, talk)) if [work, talk].iter().all(|scale| scale.is_finite() && *scale > 0.0) => (work, talk),
        Some(_) => return Err(invalid_rule(rule, "the factors must be above 0")),
        None => estimated_factors(rule, sizes)?,
    };
    let (kind, from) = (rule.kind.clone(), rule.from.clone());
    Ok(Composition { kind, from, computation, communication, estimated: rule.scales.is_none() })
}

/// The reason why factors cannot be estimated.
const NO_COMMON_RUNS: &str = "single elements of both kinds have no runs with the same sizes and processes; measure them, or \
                              give the factors of computation and communication";

/// The factors of Ta and Tc between the N-T models of single elements of both kinds, by least squares through the origin
/// over all common M_i and sizes: Σ T_kind·T_from / Σ T_from².
///
/// If single elements do not communicate, the factor of Tc is 1: message times do not depend on the kind of the sender
/// (the third assumption of section 3.1).
fn estimated_factors(rule: &CompositionRule, sizes: &[NtModel]) -> Result<(f64, f64), FitError> {
    let single = |model: &&NtModel| model.processes == u64::from(model.per_element);
    let of = |kind: &str| sizes.iter().filter(single).filter(|model| model.kind == kind).collect::<Vec<_>>();
    let others = of(&rule.from);
    let (mut computation, mut communication) = (Ratio::default(), Ratio::default());
    for own in of(&rule.kind) {
        for other in others.iter().filter(|other| other.per_element == own.per_element) {
            for &size in own.sizes.iter().filter(|size| other.sizes.contains(size)) {
                computation.add(own.coefficients.computation_at(size), other.coefficients.computation_at(size));
                communication.add(own.coefficients.communication_at(size), other.coefficients.communication_at(size));
            }
        }
    }
    let computation =
        computation.value().filter(|factor| *factor > 0.0).ok_or_else(|| invalid_rule(rule, NO_COMMON_RUNS))?;
    Ok((computation, communication.value().filter(|factor| *factor > 0.0).unwrap_or(1.0)))
}

/// The least-squares slope of y over x through the origin.
#[derive(Debug, Default)]
struct Ratio {
    products: f64,
    squares: f64,
}

impl Ratio {
    fn add(&mut self, y: f64, x: f64) {
        self.products += x * y;
        self.squares += x * x;
    }

    fn value(&self) -> Option<f64> {
        (self.squares > 0.0).then(|| self.products / self.squares)
    }
}
