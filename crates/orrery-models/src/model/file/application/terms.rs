//! A sum of terms: `{"region": "", "method": "terms", "family": "hpl", "coefficients": […], …}`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::effects;
use crate::model::file::error::{parsed, wrong_application as wrong};
use orrery_applications::scaling::{
    Alternative, BoundedKind, Coefficient, Effects, LawChange, Region, Role, Term, TermFamily,
    TermModel, Uncertainty,
};
use orrery_base::file::Result;
use orrery_base::json::{Layout, Node};
use orrery_base::numeric::{Estimate, Interval};
use orrery_base::units::UnknownName;

/// A region modelled by a sum of terms, as stored in the file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RegionText {
    region: String,
    #[serde(default)]
    method: String,
    family: String,
    runs: usize,
    points: usize,
    #[serde(default)]
    kinds: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    bounded_kinds: Vec<BoundedKind>,
    #[serde(default, skip_serializing_if = "Effects::is_empty")]
    effects: Effects,
    #[serde(default)]
    ranges: BTreeMap<String, (f64, f64)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    law_change: Option<LawChange>,
    coefficients: Vec<CoefficientText>,
    #[serde(default)]
    uncertainty: Option<Uncertainty>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    alternatives: Vec<AlternativeText>,
}

/// Another plausible sum of terms.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct AlternativeText {
    probability: f64,
    coefficients: Vec<CoefficientText>,
    #[serde(default)]
    uncertainty: Option<Uncertainty>,
}

/// A term with its coefficient, as stored in the file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CoefficientText {
    term: Term,
    role: String,
    #[serde(default)]
    kind: Option<String>,
    value: f64,
    #[serde(default)]
    low: Option<f64>,
    #[serde(default)]
    high: Option<f64>,
    #[serde(default)]
    level: Option<f64>,
    #[serde(default)]
    samples: Option<u64>,
}

/// Reads a sum of terms.
pub(super) fn read(node: Node) -> Result<Region> {
    let text: RegionText = parsed(node)?;
    let family: TermFamily =
        text.family.parse().map_err(|error: UnknownName| wrong(node, &error.to_string()))?;
    let (coefficients, uncertainty) = sum(node, text.coefficients, text.uncertainty)?;
    let alternatives =
        text.alternatives.into_iter().map(|a| alternative(node, a)).collect::<Result<Vec<_>>>()?;
    if alternatives.iter().map(|alternative| alternative.probability).sum::<f64>() > 1.0 + 1e-9 {
        return Err(wrong(
            node,
            "the probabilities of the alternatives add up to more than 1, the largest sum",
        ));
    }
    if let Some((name, (low, high))) = text.ranges.iter().find(|(_, (low, high))| low > high) {
        let reason = format!("the range of {name} ends at {high}, before it begins at {low}");
        return Err(wrong(node, &reason));
    }
    let (ranges, kinds, runs, points) = (text.ranges, text.kinds, text.runs, text.points);
    let unknown = text.bounded_kinds.iter().find(|bounded| !kinds.contains(&bounded.kind));
    if let Some(BoundedKind { kind, .. }) = unknown {
        let reason =
            format!("the bounded kind {kind:?} is not one of the \"kinds\", {}", kinds.join(", "));
        return Err(wrong(node, &reason));
    }
    effects::check(&text.effects).map_err(|reason| wrong(node, &reason))?;
    let times = TermModel {
        family,
        coefficients,
        uncertainty,
        alternatives,
        effects: text.effects,
        ranges,
        kinds,
        bounded_kinds: text.bounded_kinds,
        law_change: text.law_change,
        runs,
        points,
    };
    Ok(Region { name: text.region, model: times.into(), measured: Vec::new() })
}

/// Reads the coefficients of a sum of terms and their uncertainty.
fn sum(
    node: Node,
    coefficients: Vec<CoefficientText>,
    uncertainty: Option<Uncertainty>,
) -> Result<(Vec<Coefficient>, Option<Uncertainty>)> {
    let coefficients =
        coefficients.into_iter().map(|c| coefficient(node, c)).collect::<Result<Vec<_>>>()?;
    if let Some(uncertainty) = &uncertainty {
        check_uncertainty(node, uncertainty, coefficients.len())?;
    }
    Ok((coefficients, uncertainty))
}

/// Converts an alternative of the file; an error names what is invalid.
fn alternative(node: Node, text: AlternativeText) -> Result<Alternative> {
    let probability = text.probability;
    if !(0.0..=1.0).contains(&probability) {
        return Err(wrong(node, &format!("the probability {probability} is not between 0 and 1")));
    }
    let (coefficients, uncertainty) = sum(node, text.coefficients, text.uncertainty)?;
    Ok(Alternative { probability, coefficients, uncertainty })
}

/// Converts a term of the file; an error names what is invalid.
fn coefficient(node: Node, text: CoefficientText) -> Result<Coefficient> {
    let role = Role::ALL.into_iter().find(|role| role.name() == text.role);
    let role = role.ok_or_else(|| {
        wrong(node, &format!("unknown role {:?}; known are computation, communication", text.role))
    })?;
    if text.value < 0.0 {
        return Err(wrong(node, &format!("the coefficient {} must be 0 or more", text.value)));
    }
    let interval = match (text.low, text.high) {
        (Some(low), Some(high)) if low <= text.value && text.value <= high => {
            Some(Interval { low, high, level: text.level.unwrap_or(0.95) })
        }
        (None, None) => None,
        _ => {
            return Err(wrong(
                node,
                &format!("the coefficient {} must be between its low and high", text.value),
            ));
        }
    };
    let estimate = Estimate { value: text.value, interval, samples: text.samples };
    Ok(Coefficient { term: text.term, role, kind: text.kind, estimate })
}

/// Returns an error if the sizes or the numbers of an uncertainty are invalid.
fn check_uncertainty(node: Node, of: &Uncertainty, coefficients: usize) -> Result<()> {
    let square = of.covariance.len() == coefficients
        && of.covariance.iter().all(|row| row.len() == coefficients);
    if !square {
        return Err(wrong(
            node,
            &format!(
                "the covariance must have {coefficients} rows of {coefficients} numbers, one for \
                    each coefficient"
            ),
        ));
    }
    if of.misfit < 0.0 || of.spread_variance < 0.0 {
        return Err(wrong(
            node,
            &format!(
                "the misfit is {} and the spread_variance {}; both must be 0 or more",
                of.misfit, of.spread_variance
            ),
        ));
    }
    Ok(())
}

/// Lays out a sum of terms on one line.
pub(super) fn write(region: &str, model: &TermModel) -> Result<Layout, String> {
    // JSON has null in place of other numbers, which would be read as unknown.
    let is_finite = |one: &Coefficient| {
        let ends = one.estimate.interval.map_or([0.0; 3], |of| [of.low, of.high, of.level]);
        ends.into_iter().chain([one.estimate.value]).all(f64::is_finite)
    };
    let alternatives = model.alternatives.iter().map(|one| &one.coefficients);
    if !std::iter::once(&model.coefficients).chain(alternatives).flatten().all(is_finite) {
        return Err("a coefficient is not finite".to_owned());
    }
    serde_json::to_string(&text(region, model)).map(Layout::Line).map_err(|error| error.to_string())
}

/// Converts a model to a region of the file.
fn text(region: &str, times: &TermModel) -> RegionText {
    let alternative = |a: &Alternative| AlternativeText {
        probability: a.probability,
        coefficients: a.coefficients.iter().map(coefficient_text).collect(),
        uncertainty: a.uncertainty.clone(),
    };
    RegionText {
        region: region.to_owned(),
        method: "terms".to_owned(),
        family: times.family.name().to_owned(),
        runs: times.runs,
        points: times.points,
        kinds: times.kinds.clone(),
        bounded_kinds: times.bounded_kinds.clone(),
        effects: times.effects.clone(),
        ranges: times.ranges.clone(),
        law_change: times.law_change.clone(),
        coefficients: times.coefficients.iter().map(coefficient_text).collect(),
        uncertainty: times.uncertainty.clone(),
        alternatives: times.alternatives.iter().map(alternative).collect(),
    }
}

/// Converts a coefficient to its form in the file.
fn coefficient_text(c: &Coefficient) -> CoefficientText {
    CoefficientText {
        term: c.term.clone(),
        role: c.role.name().to_owned(),
        kind: c.kind.clone(),
        value: c.estimate.value,
        low: c.estimate.interval.map(|interval| interval.low),
        high: c.estimate.interval.map(|interval| interval.high),
        level: c.estimate.interval.map(|interval| interval.level),
        samples: c.estimate.samples,
    }
}
