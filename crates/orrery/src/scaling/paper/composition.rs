use super::{NtModel, PaperError, PtModel};
use crate::scaling::ScalingError;

/// Which kind takes the P-T models that it lacks from which other kind.
#[derive(Debug, Clone, PartialEq)]
pub struct CompositionRule {
    /// The kind that lacks them.
    pub kind: String,
    /// The kind that has them.
    pub from: String,
    /// The factors of Ta and Tc; `None` estimates them where both kinds were measured on single elements.
    pub scales: Option<(f64, f64)>,
}

/// A kind whose P-T models were taken from another, as it was done.
///
/// Ta of `kind` is `computation` × Ta of `from`, Tc is `communication` × Tc of `from`. Source: Kishimoto, Ichikawa (2004),
/// section 3.5; the factors were 0.27 and 0.85 there.
#[derive(Debug, Clone, PartialEq)]
pub struct Composition {
    /// The kind that took them.
    pub kind: String,
    /// The kind that they are from.
    pub from: String,
    /// The factor of Ta.
    pub computation: f64,
    /// The factor of Tc.
    pub communication: f64,
    /// Whether the factors were estimated.
    pub estimated: bool,
}

/// Adds to the P-T models those that kinds take from others: by the rules, and, where no rule speaks of a kind without any
/// P-T model, from the kind that has most of them.
pub(super) fn compose(
    rules: &[CompositionRule],
    kinds: &[String],
    sizes: &[NtModel],
    models: &mut Vec<PtModel>,
) -> Result<Vec<Composition>, ScalingError> {
    let own = models.clone();
    let has = |kind: &str| own.iter().filter(|model| model.kind == kind).count();
    let mut compositions = Vec::new();
    for (place, rule) in rules.iter().enumerate() {
        for name in [&rule.kind, &rule.from] {
            if !kinds.contains(name) {
                return Err(ScalingError::UnknownKind { kind: name.clone(), kinds: kinds.to_vec() });
            }
        }
        if rules[..place].iter().any(|other| other.kind == rule.kind) {
            return Err(refused(rule, "two rules speak of it; leave one"));
        }
        compositions.push(composition(rule, sizes)?);
        if has(&rule.from) == 0 {
            return Err(refused(rule, "that kind has none; run it with three different P > M, several elements of it"));
        }
    }
    // The first of those that have most.
    let donor = kinds.iter().rev().max_by_key(|kind| has(kind)).filter(|kind| has(kind) > 0);
    for kind in kinds.iter().filter(|kind| has(kind) == 0 && rules.iter().all(|rule| rule.kind != **kind)) {
        if let Some(from) = donor {
            let rule = CompositionRule { kind: kind.clone(), from: from.clone(), scales: None };
            compositions.push(composition(&rule, sizes)?);
        }
    }
    for composition in &compositions {
        let taken = own.iter().filter(|model| model.kind == composition.from);
        let lacking = |model: &&PtModel| {
            !own.iter().any(|known| known.kind == composition.kind && known.per_element == model.per_element)
        };
        models.extend(taken.filter(lacking).map(|model| scaled(model, composition)));
    }
    models.sort_by(|a, b| (&a.kind, a.per_element, a.range).cmp(&(&b.kind, b.per_element, b.range)));
    Ok(compositions)
}

fn refused(rule: &CompositionRule, reason: &'static str) -> ScalingError {
    PaperError::Composition { kind: rule.kind.clone(), from: rule.from.clone(), reason }.into()
}

/// The coefficients are linear in Ta and Tc, so that they take the factors.
fn scaled(model: &PtModel, composition: &Composition) -> PtModel {
    PtModel {
        kind: composition.kind.clone(),
        computation: model.computation.map(|k| k * composition.computation),
        communication: model.communication.map(|k| k * composition.communication),
        composed_from: Some(composition.from.clone()),
        ..model.clone()
    }
}

fn composition(rule: &CompositionRule, sizes: &[NtModel]) -> Result<Composition, ScalingError> {
    if rule.kind == rule.from {
        return Err(refused(rule, "it is the same kind; name another"));
    }
    let (computation, communication) = match rule.scales {
        Some((work, talk)) if [work, talk].iter().all(|scale| scale.is_finite() && *scale > 0.0) => (work, talk),
        Some(_) => return Err(refused(rule, "the factors are not numbers above 0")),
        None => scales(rule, sizes)?,
    };
    let (kind, from) = (rule.kind.clone(), rule.from.clone());
    Ok(Composition { kind, from, computation, communication, estimated: rule.scales.is_none() })
}

/// What to do where both kinds have nothing in common.
const ADVICE: &str = "single elements of both were not run with the same sizes and processes on each; do so, or give the \
                      factors of computation and communication";

/// The factors of Ta and Tc between the N-T models of single elements of both kinds, over all M_i and sizes that both
/// were run with: Σ T_kind·T_from / Σ T_from², least squares through the origin.
///
/// Where single elements do not communicate the factor of Tc is 1: the time of a message does not depend on who sends it
/// (the third assumption of section 3.1).
fn scales(rule: &CompositionRule, sizes: &[NtModel]) -> Result<(f64, f64), ScalingError> {
    let single = |model: &&NtModel| model.processes == u64::from(model.per_element);
    let of = |kind: &str| sizes.iter().filter(single).filter(|model| model.kind == kind).collect::<Vec<_>>();
    let others = of(&rule.from);
    let (mut work, mut talk) = (Ratio::default(), Ratio::default());
    for own in of(&rule.kind) {
        for other in others.iter().filter(|other| other.per_element == own.per_element) {
            for &size in own.sizes.iter().filter(|size| other.sizes.contains(size)) {
                work.add(own.coefficients.computation_at(size), other.coefficients.computation_at(size));
                talk.add(own.coefficients.communication_at(size), other.coefficients.communication_at(size));
            }
        }
    }
    let work = work.value().filter(|work| *work > 0.0).ok_or_else(|| refused(rule, ADVICE))?;
    Ok((work, talk.value().filter(|talk| *talk > 0.0).unwrap_or(1.0)))
}

/// The slope of y over x through the origin.
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
